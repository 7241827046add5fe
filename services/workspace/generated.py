"""Files that a tool wrote: an edit of theirs would be lost when it writes them again."""

from __future__ import annotations

import re

_NAMED_SO = re.compile(r"\.(?:designer|generated|g|g\.i)\.cs\Z", re.IGNORECASE)
_SAYS_SO = re.compile(r"\ufeff?(?:\s*//[^\n]*\n)*?\s*(?://[^\n]*|/\*[^/]*)<auto-?generated", re.IGNORECASE)


def is_generated(path: str, text: str) -> bool:
    """Whether a tool wrote a C# file, by the marks that Roslyn's analyzers go by: the end of its name, or the comment
    that it begins with."""
    return _NAMED_SO.search(path) is not None or _SAYS_SO.match(text) is not None
