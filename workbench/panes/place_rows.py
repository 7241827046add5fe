"""Matches and usages as rows under their files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from services.model import GrepFile, GrepMatch, Usage
from widgets.lists.place_list import PlaceRow

BOUND_SIGN, NAME_SIGN = "●", "○"
"""Before a usage that is bound to the symbol, and before one that only has its name."""

_BOUND = "bound"


def grep_rows(found: Iterable[GrepFile]) -> Iterator[PlaceRow]:
    """Files, each with its matches and the lines around them."""
    for file in found:
        yield PlaceRow(file.file, count=file.match_count)
        for match in file.matches:
            yield from _around(match)


def files_of(matches: Sequence[GrepMatch], *, line_count: int) -> list[GrepFile]:
    """Matches of an object, by file."""
    by_file: dict[str, list[GrepMatch]] = {}
    for match in matches:
        by_file.setdefault(match.file, []).append(match)
    return [
        GrepFile(file=file, matches=tuple(those), match_count=len(those), line_count=line_count)
        for file, those in by_file.items()
    ]


def usage_rows(usages: Sequence[Usage], *, bound_only: bool) -> Iterator[PlaceRow]:
    """Usages under their files: sign and word say which are bound and which only have the name."""
    shown = [usage for usage in usages if usage.grade == _BOUND or not bound_only]
    for file, group in groupby(shown, key=lambda usage: usage.file):
        those = list(group)
        yield PlaceRow(file, count=len(those))
        yield from map(_usage, those)


def _usage(usage: Usage) -> PlaceRow:
    bound = usage.grade == _BOUND
    where = f" in {usage.enclosing.label}" if usage.enclosing else ""
    return PlaceRow(
        usage.file,
        line=usage.line,
        text=usage.snippet,
        spans=((usage.column, usage.end_column),),
        sign=BOUND_SIGN if bound else NAME_SIGN,
        note=f"{usage.kind if bound else f'name match, {usage.kind}'}{where}",
    )


def _around(match: GrepMatch) -> Iterator[PlaceRow]:
    first = match.line_number - len(match.context_before)
    for line, text in enumerate(match.context_before, first):
        yield PlaceRow(match.file, line=line, text=text, dim=True)
    yield PlaceRow(match.file, line=match.line_number, text=match.content, spans=match.spans)
    for line, text in enumerate(match.context_after, match.line_number + 1):
        yield PlaceRow(match.file, line=line, text=text, dim=True)
