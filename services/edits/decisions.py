"""Decisions on a plan: places that a person leaves out, or has changed though they are not certain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from services.edits.places import NamedPlace, parse_place, place_of
from services.edits.values import Plan
from services.errors import UsageError

ALL = "all"
"""Every place that is not certain."""


@dataclass(frozen=True, slots=True)
class Decisions:
    """`leave`, `change`: places as `FILE:LINE[:COLUMN]`, or `all`."""

    leave: Sequence[str] = ()
    change: Sequence[str] = ()

    def apply(self, plan: Plan) -> None:
        """Takes places out of the plan, and others in. Raises UsageError for what is no place, or not one of its."""
        left, changed = _Choice(self.leave), _Choice(self.change)

        def at(path: str, start: int) -> NamedPlace:
            return place_of(path, plan.texts[path], start)

        for each in [each for each in plan.replacements if left.has(at(each.path, each.start))]:
            plan.replacements.remove(each)
            plan.left.append((each.path, each.start))
        for each in list(plan.doubtful):
            place = at(each.path, each.start)
            if changed.has(place, every=each.code) and each.text:
                plan.replacements.append(each.replacement())
                plan.doubtful.remove(each)
            elif left.has(place, every=each.code):
                plan.doubtful.remove(each)
        for unused in (*left.unused(), *changed.unused()):
            raise UsageError(f"{unused.file}:{unused.line} is no place that this edit is about.")


class _Choice:
    def __init__(self, written: Sequence[str]) -> None:
        places = [(each, parse_place(each)) for each in written if each != ALL]
        for each, place in places:
            if place is None:
                raise UsageError(f"{each} is no place. Write FILE:LINE:COLUMN, or {ALL}.")
        self._places = [place for _, place in places if place is not None]
        self._every = ALL in written
        self._used: set[NamedPlace] = set()

    def has(self, place: NamedPlace, *, every: bool = False) -> bool:
        """Whether a place was chosen. `every`: whether it is one of those that `all` means."""
        same = [each for each in self._places if each[:2] == place[:2] and each.column in (0, place.column)]
        self._used.update(same)
        return bool(same) or (every and self._every)

    def unused(self) -> list[NamedPlace]:
        """The places that were chosen and that there are not."""
        return [each for each in self._places if each not in self._used]
