"""Likely secrets in what is quoted from files are masked on their way to an agent (SAFETY, Models and the network)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from services.prompt.secrets.masking import Mask
from services.prompt.state.known import Known

_QUOTED = frozenset(
    {
        "base",
        "content",
        "contextAfter",
        "contextBefore",
        "diff",
        "doc",
        "docFirstLine",
        "mine",
        "rebased",
        "signature",
        "snippet",
        "text",
        "theirs",
    }
)
"""Fields that hold text of files. Others are the program's own; tokens and handles among them have to look as secrets
do."""


_LINES = frozenset({"content", "contextAfter", "contextBefore", "snippet"})
"""Those of them that hold lines of the value's `file`, or of its `pieces`."""

_NESTED = (dict, list, tuple)

KnownIn = Callable[[str], tuple[Known, ...]]
"""The secrets of a whole file, by its path."""


def masked(value: Any, mask: Mask, known_in: KnownIn) -> Any:
    """A JSON value, made of dicts, lists or tuples, and texts, with placeholders in what it quotes. Spans of a line are
    told as far as it is what it was: past a placeholder they would point elsewhere, and in it tell what it hides."""
    if isinstance(value, dict):
        return _fields(value, mask, known_in)
    return [masked(each, mask, known_in) for each in value] if isinstance(value, list | tuple) else value


def _fields(value: dict[str, Any], mask: Mask, known_in: KnownIn) -> dict[str, Any]:
    known = () if _LINES.isdisjoint(value) else _known(value, known_in)
    made: dict[str, Any] = {}
    for name, each in value.items():
        # Most are numbers and short texts of the program's own: an answer has thousands.
        if name in _QUOTED:
            each = _quoted(each, mask, known_in, known)
        elif isinstance(each, _NESTED):
            each = masked(each, mask, known_in)
        made[name] = each
    if (spans := value.get("spans")) and made.get("content") != value.get("content"):
        same = _alike(made["content"], value["content"])
        made["spans"] = [span for span in spans if span[1] <= same]
    return made


def _alike(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _quoted(value: Any, mask: Mask, known_in: KnownIn, known: tuple[Known, ...]) -> Any:
    if isinstance(value, str):
        return mask(value, known) if value else value
    if isinstance(value, list | tuple):
        return [_quoted(each, mask, known_in, known) for each in value]
    return masked(value, mask, known_in)


def _known(value: Mapping[str, Any], known_in: KnownIn) -> tuple[Known, ...]:
    pieces = value.get("pieces")
    of = [value, *(pieces if isinstance(pieces, list | tuple) else ())]
    files = dict.fromkeys(each.get("file") for each in of if isinstance(each, dict))
    return tuple(secret for file in files if isinstance(file, str) for secret in known_in(file))
