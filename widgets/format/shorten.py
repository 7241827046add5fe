"""Short forms of counts and names: grouped digits, paths cut in front, names cut in the middle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from rich.cells import cell_len, set_cell_size

from widgets.format.display import ELLIPSIS, visible

_MOST_COMPARED = 40
"""Overloads that a label is told from."""
APPROXIMATE = "≈"
_THIN = "\N{NO-BREAK SPACE}"


def grouped(number: int) -> str:
    """`number` with its digits in groups of three: `18 230`."""
    return f"{number:,}".replace(",", _THIN)


def counted(number: int, what: str, many: str | None = None) -> str:
    """`1 item`, `2 items`; `many`: a plural that is not made with an s."""
    return f"{grouped(number)} {noun(number, what, many)}"


def noun(number: int, what: str, many: str | None = None) -> str:
    """`what` for one, else `many`; without that, with an s."""
    return what if number == 1 else many or f"{what}s"


def token_count(tokens: int | None, *, approximate: bool = False) -> str:
    """A cost as rows show it; blank while it is unknown."""
    if tokens is None:
        return ""
    return f"{APPROXIMATE}{grouped(tokens)}" if approximate else grouped(tokens)


_TAIL = 0.5
"""The share of the room that the end of a name, or at most that of an overload's parameters, takes."""


def keep_end(text: str, width: int) -> str:
    """`text`, made visible, in at most `width` cells; what does not fit is left out in front: `…/Helper.cs:11`."""
    if width <= 0:
        return ""
    taken = width + 1
    while cell_len(shown := visible(text[-taken:])) <= width and taken < len(text):
        taken *= 2  # marks that stand on a letter take no cell
    if cell_len(shown) <= width:
        return shown
    start = 0
    while cell_len(shown[start:]) > width - 1 or (start < len(shown) and not cell_len(shown[start])):
        start += 1
    return ELLIPSIS + shown[start:]


def shorten_member(label: str, width: int) -> str:
    """A dotted name in at most `width` cells: of `Type.Member(parameters)` the parameters go first, then the head of
    the type, as a member's own name says most."""
    shown = visible(label)
    if cell_len(shown) <= width:
        return shown
    name, bracket, _ = shown.partition("(")
    if not bracket:
        return keep_end(shown, width) if "." in shown else _keep_start(shown, width)
    short = f"{name}(…)"
    if cell_len(short) <= width:
        return short
    return keep_end(name, width) if cell_len(name) > width else name


def gap_of(label: str, width: int, *, overloads: Sequence[str] = ()) -> tuple[int, int, int]:
    """Which characters of a `Name(parameters)` to leave out, from where to where, and where it is cut, so that with `…`
    for what is left out it fits into `width` cells. A name that does not fit keeps its end, which tells it from those
    that begin alike; of `overloads`, which have one name, the parameters in which it differs do. (0, 0, length) where
    nothing is left out."""
    bracket = label.find("(")
    end = bracket if bracket >= 0 and not overloads else len(label)
    if end <= width or width < 2:
        return 0, 0, len(label)
    tail = int(width * _TAIL)
    if 0 <= bracket < end:
        tail = min(end - bracket - 1, max(width - 1 - (bracket + 1), tail))
        return _telling_gap(label, width - 1 - tail, tail, overloads)
    return width - 1 - tail, end - tail, end


def _telling_gap(label: str, start: int, room: int, overloads: Sequence[str]) -> tuple[int, int, int]:
    """Return the gap after which `room` characters distinguish a label from its overloads: those at its end, unless
    one in front of it ends alike; then those from where it first differs from one of them. On little width some are
    equal all the same."""
    at = _tails(tuple(overloads[:_MOST_COMPARED]), start, room).get(label, len(label) - room)
    return start, at, len(label) if at + room >= len(label) else at + room - 1


@lru_cache(maxsize=512)
def _tails(overloads: tuple[str, ...], start: int, room: int) -> dict[str, int]:
    """Return the start of each label's tail."""
    chosen: dict[str, int] = {}
    shown: Counter[str] = Counter()
    for label in overloads:
        last = len(label) - room
        differs = {_differs(label, other) for other in overloads if other != label}
        places = [last, *sorted(at for at in differs if start < at < last)]
        at = min(places, key=lambda at: shown[label[at : at + room]])
        shown[label[at : at + room]] += 1
        chosen[label] = at
    return chosen


def _differs(label: str, other: str) -> int:
    """The first place at which two labels differ."""
    return next((at for at, (one, two) in enumerate(zip(label, other, strict=False)) if one != two), 0)


def _keep_start(shown: str, width: int) -> str:
    return set_cell_size(shown, max(0, width - 1)) + ELLIPSIS if width > 0 else ""
