"""JSON as .NET's tools write and read it: comments and trailing commas are allowed."""

from __future__ import annotations

import re

_STRING = r'"(?:[^"\\]|\\.?)*(?:"|\Z)'
_COMMENT = re.compile(_STRING + r"|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_COMMA_BEFORE_END = re.compile(_STRING + r"|,(?=\s{0,1000}[}\]])", re.DOTALL)
# No alternative that begins can fail at the end of the text, so neither pattern ever reads a text twice.


def plain(text: str) -> str:
    """`text` without comments and trailing commas; strings stay as they are."""
    without_comments = _COMMENT.sub(lambda match: match[0] if match[0][0] == '"' else " ", text)
    return _COMMA_BEFORE_END.sub(lambda match: match[0] if match[0][0] == '"' else "", without_comments)
