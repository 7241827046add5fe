"""Placeholders of masked secrets, which must never become source (SAFETY, Models and the network).

A text for a model contains `[[secret:KIND:CODE]]` in place of a secret (services/prompt/secrets). An edit that comes
back with one would overwrite the secret with it."""

from __future__ import annotations

from collections import Counter

from services.concurrency.lazy import expression
from services.errors import UsageError
from services.source.text.differ import Same
from services.workspace.text import Text

START = "[[secret:"
_LONGEST = 200
"""Bytes that one takes at most, in any encoding of a file."""
PLACEHOLDER = expression(r"\[\[secret:[a-z0-9-]{1,40}:[0-9A-HJKMNP-TV-Z]{4,16}\]\]")


def placeholder(kind: str, code: str) -> str:
    """Return the placeholder of a secret. `kind`: lower-case letters, digits and `-`; `code`: Crockford's Base32."""
    return f"{START}{kind}:{code}]]"


def placeholders_in(text: str) -> list[str]:
    """The placeholders of a text, in its order, as often as they are there."""
    return PLACEHOLDER.findall(text) if START in text else []


def refuse_placeholders(path: str, before: Text | None, after: Text, same: Same = (0, 0)) -> None:
    """Raise UsageError (`details`: path, line, placeholder) if `after` holds a placeholder that was not in the file.
    `same`: how many bytes both share at the start and, apart from those, at the end; what is there needs no look."""
    head, tail = same
    fresh = after.data[max(0, head - _LONGEST) : len(after.data) - tail + _LONGEST]
    if START.encode(after.encoding) not in fresh:
        return
    there = Counter(placeholders_in(_decoded(before)) if before is not None else ())
    text = _decoded(after)
    for match in PLACEHOLDER.finditer(text):
        there[match[0]] -= 1
        if there[match[0]] < 0:
            line = text.count("\n", 0, match.start()) + 1
            raise UsageError(
                f"Line {line} of {path} would hold {match[0]}, which stands for a secret that was masked on its way to "
                "a model. Leave the secret's lines out of the edit, or write the secret itself.",
                path=path,
                line=line,
                placeholder=match[0],
            )


def _decoded(text: Text) -> str:
    return text.data.decode(text.encoding, "replace")
