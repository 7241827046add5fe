"""Items of a window combined: members of one class in one shell, lines that several items hold shown once, and what a
type declares as its interface or base does said there alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from services.model import Level
from services.prompt.items import OUTLINES, ItemKey, OutlinedBase, Request
from services.prompt.render.content import Content
from services.prompt.render.ladder import Candidate, Rung
from services.prompt.render.render_cache import Piece

_LINE = re.compile(r".*\n|.+")
"""A line with its ending. Nothing but LF ends one."""
Span = tuple[str, int, int]
"""File, first line, last line; the last counts."""


class Plan(msgspec.Struct, frozen=True):
    """`candidates`: what the text is made of; `places`: for each item the one of them that shows it; `leads`: the
    item that each stands for first; `held`: those whose lines stand in another item's."""

    candidates: tuple[Candidate, ...]
    places: tuple[int, ...]
    leads: tuple[int, ...]
    held: frozenset[int]

    def costs(self, items: Sequence[Candidate], taken: Sequence[Rung]) -> list[int]:
        """Return the tokens of each item, whose sum is that of the text: an item within another counts its own text,
        the first of a group the rest, and lines moved elsewhere count nothing."""
        costs = [0] * len(items)
        left = [rung.piece.tokens for rung in taken]
        for n, place in enumerate(self.places):
            if n not in self.held and n not in self.leads:
                costs[n] = min(items[n].rungs[0].piece.tokens, left[place])
                left[place] -= costs[n]
        for place, lead in enumerate(self.leads):
            costs[lead] = left[place]
        return costs


Render = Callable[[Request, bool], Rung | None]
"""A request, pinned or not, at its level; None where nothing is to be shown of it."""


def combine(items: Sequence[Candidate], render: Render, measure: Callable[[Content], Piece]) -> Plan | None:
    """How items as they were chosen go together; None where none do, or one of them shows nothing."""
    if any(not item.rungs for item in items):
        return None
    spans: list[tuple[Span, ...]] = [
        () if item.rungs[0].cut else spans_of(item.rungs[0].content) for item in items
    ]
    holders = _holders(spans)
    groups = _groups(items, [n for n in range(len(items)) if n not in holders])
    bases = _bases(items)
    made: list[Candidate] = []
    leads: list[int] = []
    places: dict[int, int] = {}
    for n, item in enumerate(items):
        if n in holders or n in places:
            continue
        group = groups.get(n, [])
        rung = render(_request([items[each] for each in group]), item.pinned) if group else None
        if rung is None:
            group, before = [n], [each for each in range(n) if each not in holders]
            own = _without_inherited(item, bases.get(n, ()), render)
            rung = _trimmed(own, [span for each in before for span in spans[each]], measure)
            if rung is None:
                holders[n] = next(each for each in before if _holds_first(spans[each], spans[n][0]))
                continue
        places |= dict.fromkeys(group, len(made))
        leads.append(n)
        made.append(replace(item, rungs=(rung,)))
    if all(new.rungs[0] is items[n].rungs[0] for new, n in zip(made, leads, strict=True)) and not holders:
        return None
    placed = tuple(places[_last(holders, n)] for n in range(len(items)))
    return Plan(tuple(made), placed, tuple(leads), frozenset(holders))


def spans_of(content: Content) -> tuple[Span, ...]:
    """The lines of files that a content shows."""
    rendered = content.rendered
    if rendered.spans or not rendered.is_source:
        return rendered.spans
    if rendered.file is None or rendered.start_line is None or rendered.end_line is None:
        return ()
    return ((rendered.file, rendered.start_line, rendered.end_line),)


def _holders(spans: Sequence[tuple[Span, ...]]) -> dict[int, int]:
    """Items all of whose lines another shows, and that other, which itself is shown: of equals the first."""
    found: dict[int, int] = {}
    of_file: dict[str, list[int]] = {}
    for n, its in enumerate(spans):
        for file in {span[0] for span in its}:
            of_file.setdefault(file, []).append(n)
    for n, its in enumerate(spans):
        for other in of_file[its[0][0]] if its else ():
            others = spans[other]
            if n == other or not _holds(others, its):
                continue
            if other < n or not _holds(its, others):
                found[n] = other
                break
    return {n: _last(found, n) for n in found}


def _last(found: dict[int, int], n: int) -> int:
    while n in found:
        n = found[n]
    return n


def _holds(outer: Sequence[Span], inner: Sequence[Span]) -> bool:
    return all(any(_is_within(span, other) for other in outer) for span in inner)


def _is_within(span: Span, other: Span) -> bool:
    return span[0] == other[0] and other[1] <= span[1] and span[2] <= other[2]


def _holds_first(spans: Sequence[Span], span: Span) -> bool:
    file, first, _ = span
    return any(_is_within((file, first, first), other) for other in spans)


def _groups(items: Sequence[Candidate], among: Sequence[int]) -> dict[int, list[int]]:
    """Members of one type that are shown whole, by the first of them."""
    by_type: dict[tuple[str, bool], list[int]] = {}
    for n in among:
        content = items[n].rungs[0].content
        if content.cut or content.kind.name != "member":
            continue
        if content.level is Level.BODIES and content.rendered.symbol_id:
            owner = "_".join(content.rendered.symbol_id.split("_")[:2])
            by_type.setdefault((owner, items[n].pinned), []).append(n)
    return {group[0]: group for group in by_type.values()}


def _bases(items: Sequence[Candidate]) -> dict[int, tuple[OutlinedBase, ...]]:
    """The types whose outlines are shown and that are named like a base of an item's type, or like one of theirs."""
    whole: dict[str, OutlinedBase] = {}
    above: dict[str, tuple[str, ...]] = {}
    for item in items:
        content = item.rungs[0].content
        request = content.request
        if request is None or request.members or content.kind.name != "type" or content.cut:
            continue
        name = content.rendered.label.partition("<")[0].rpartition(".")[2]
        if content.level in OUTLINES and name not in whole:
            whole[name] = OutlinedBase(str(content.rendered.symbol_id), request.named, request.also)
            above[name] = content.rendered.bases
    found = {
        n: tuple(whole[name] for name in _closure(item.rungs[0].content.rendered.bases, above))
        for n, item in enumerate(items)
        if not item.rungs[0].cut
    }
    return {n: ids for n, ids in found.items() if ids}


def _closure(names: Sequence[str], above: Mapping[str, Sequence[str]]) -> list[str]:
    """The names that `above` has, and those that it has of these, the nearest first."""
    found = [name for name in names if name in above]
    for name in found:
        found += [each for each in above[name] if each in above and each not in found]
    return found


def _without_inherited(item: Candidate, bases: tuple[OutlinedBase, ...], render: Render) -> Rung:
    """An outline that refers to those of its bases where it says the same."""
    rung, request = item.rungs[0], item.rungs[0].content.request
    if not bases or request is None:
        return rung
    return render(replace(request, beside=bases), item.pinned) or rung


def _request(group: Sequence[Candidate]) -> Request:
    ids = [str(item.rungs[0].content.rendered.symbol_id) for item in group]
    owner = "_".join(ids[0].split("_")[:2])
    return Request(key=ItemKey.of_symbol(owner), level=Level.BODIES, members=tuple(ids))


def _trimmed(rung: Rung, others: Sequence[Span], measure: Callable[[Content], Piece]) -> Rung | None:
    """Lines of a file without those at their start or end that others show; None where these show all of them."""
    content = rung.content
    spans = spans_of(content)
    if content.kind.name != "range" or not spans or rung.cut:
        return rung
    [(file, start, end)] = spans
    of_file = [(begin, stop) for its, begin, stop in others if its == file]
    first, last = start, end
    for begin, stop in sorted(of_file):
        first = stop + 1 if begin <= first <= stop else first
    for begin, stop in sorted(of_file, key=lambda its: its[1], reverse=True):
        last = begin - 1 if begin <= last <= stop else last
    if first > last:
        return None
    if (first, last) == (start, end):
        return rung
    lines = _LINE.findall(content.text)[first - start : last - start + 1]
    place = f"{file}:{first}-{last}"
    rendered = replace(content.rendered, label=place, detail=place, start_line=first, end_line=last)
    shorter = replace(content, text="".join(lines), rendered=rendered)
    return Rung(shorter, measure(shorter))
