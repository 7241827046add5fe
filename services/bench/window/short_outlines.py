"""Outlines of large types, shortened to the members that a question touches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from services.concurrency.latest import LRUCache
from services.context.packing import ExcerptOf, OutlineExcerpt, RelevantMembers
from services.index.index import Index
from services.model import Level, Symbol
from services.prompt.items import ItemKey, Request
from services.prompt.outline.csharp_outline import OutlineStyle, type_declared
from services.prompt.outline.outline import DOC_LENGTH
from services.prompt.outline.outline_members import OutlineAccess, is_shown

_TOKEN = 4
"""Characters of a usual token: so it is guessed how many members fit, before the outline is counted."""
_SIGN = 8
"""Characters around a member in an outline."""
_FEW = 3
"""So many members are listed however little room there is."""
_KEPT = 256
"""Types whose members are kept for the next question."""
_KEPT_COSTS = 4_096


class _Large(NamedTuple):
    """Large type; without members where it cannot be shown. `around`: estimated tokens of its outline without the
    members."""

    id: str
    members: tuple[Symbol, ...]
    around: int


class ShortOutlines:
    """Shortened outlines of types, cached until `forget`. Not thread-safe."""

    def __init__(self, index: Index, costs: Callable[[Sequence[Request]], list[int | None]]) -> None:
        """`costs`: of items of the window."""
        self._index = index
        self._costs = costs
        self._known: LRUCache[int, _Large] = LRUCache(_KEPT)
        self._cost: LRUCache[tuple[int, tuple[str, ...]], tuple[int | None]] = LRUCache(_KEPT_COSTS)

    def forget(self) -> None:
        """Types have changed, or tokens are counted otherwise."""
        self._known.clear()
        self._cost.clear()

    def of(self, touched: RelevantMembers) -> ExcerptOf:
        """Shortens outlines for one question."""

        def shortened(unit: int, room: int, whole: int) -> OutlineExcerpt | None:
            large = self._known.get(unit, lambda: self._large(unit))
            fit = list(_fitting(touched.first(large.members), room - large.around))
            ids = tuple(each.id for each in fit)
            cost = self._cost_of(unit, large, ids) if 0 < len(fit) < len(large.members) else None
            return None if cost is None or cost >= whole else OutlineExcerpt(ids, cost)

        return shortened

    def _large(self, unit: int) -> _Large:
        detail = self._index.detail(unit, bound=False)
        members = tuple(each for each in detail.members if is_shown(each, _ACCESS)) if detail else ()
        if detail is None or not members:
            return _Large("", (), 0)
        text = type_declared(detail, OutlineStyle(placed=False, members=[members[0].id]))
        return _Large(detail.symbol.id, members, len(text) // _TOKEN - _tokens(members[0]))

    def _cost_of(self, unit: int, large: _Large, ids: tuple[str, ...]) -> int | None:
        request = Request(key=ItemKey("type", large.id), level=Level.OUTLINE, members=ids)
        return self._cost.get((unit, ids), lambda: (self._costs([request])[0],))[0]


_ACCESS = OutlineAccess.PUBLIC


def _fitting(members: Iterable[Symbol], room: int) -> Iterator[Symbol]:
    """The first that fit, those of them that do not passed over."""
    for at, each in enumerate(members):
        cost = _tokens(each)
        if at < _FEW or cost <= room:
            room -= cost
            yield each


def _tokens(member: Symbol) -> int:
    doc = min(len(member.doc_first_line or ""), DOC_LENGTH)
    return (len(member.signature) + doc + _SIGN) // _TOKEN
