"""Hunks applied to lines: each where its old lines are, if that is a single place, with the lines of the file
preserved."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from services.edits.paste.forms.pieces import PastedHunk
from services.edits.paste.matching import (
    IndexedLines,
    Tier,
    adjusted,
    is_telling,
    realigned,
    written_exactly,
)

_FEW = 3
"""Places among which the numbers of a diff decide that is right everywhere else; among more, chance may have."""
_LEAST_TOLD = 2
"""Telling lines that must be there for a hunk to count as applied already."""


class LocatedHunk(msgspec.Struct, frozen=True):
    """Place of a hunk: lines `start` to before `end`, from 0, become `new`. `is_there`: they are that already."""

    hunk: PastedHunk
    start: int
    end: int
    new: tuple[str, ...]
    tier: Tier
    is_there: bool = False


class Misfit(msgspec.Struct, frozen=True):
    """Piece without a certain place. `reason`: a sentence; `line`: of the answer; `places`: lines of the file, from 1,
    where it may belong, or the first one that differs where it nearly fits; `wanted`, `found`: that line in the answer
    and in the file."""

    reason: str
    line: int
    places: tuple[int, ...] = ()
    wanted: str = ""
    found: str = ""
    is_ambiguous: bool = False


def locate(lines: IndexedLines, hunk: PastedHunk, *, numbered: bool = False) -> LocatedHunk | Misfit:
    """The place of a hunk. `numbered`: the numbers of its diff are right wherever they can be checked."""
    if not hunk.old:
        if not any(line.strip() for line in lines.lines):
            return LocatedHunk(hunk, 0, len(lines.lines), hunk.new, Tier.EXACT)
        return Misfit("It only adds lines, and says of no line where.", hunk.line)
    for tier in Tier:
        if tier is Tier.BLANKS and not any(map(is_telling, hunk.old)):
            break
        places = _narrowed(
            lines, hunk, lines.places(hunk.old, tier), numbered=numbered and tier is Tier.EXACT
        )
        if len(places) > 1:
            return ambiguous(hunk, places)
        if places:
            return _at(lines, hunk, places[0], tier)
    return _with_other_blank_lines(lines, hunk) or nearly(lines, hunk)


def are_numbered(lines: IndexedLines, hunks: Sequence[PastedHunk]) -> bool:
    """Whether every hunk is exactly at its stated numbers, and its new numbers follow from those before it."""
    moved = 0
    for hunk in hunks:
        numbers = hunk.numbers
        if numbers is None or not hunk.counted or not hunk.old:
            return False
        start = numbers.old - 1
        if (
            tuple(lines.lines[start : start + len(hunk.old)]) != hunk.old
            or numbers.new != numbers.old + moved
        ):
            return False
        moved += len(hunk.new) - len(hunk.old)
    return True


def ambiguous(hunk: PastedHunk, places: Sequence[int]) -> Misfit:
    """The refusal of a hunk that fits in several places."""
    told = ", ".join(str(place + 1) for place in places[:5])
    more = f" and {len(places) - 5} more" if len(places) > 5 else ""
    return Misfit(
        f"It fits {len(places)} places, at lines {told}{more}.",
        hunk.line,
        tuple(place + 1 for place in places),
        is_ambiguous=True,
    )


def nearly(lines: IndexedLines, hunk: PastedHunk) -> Misfit:
    """The refusal of a hunk that fits nowhere: where it nearly does, with the first line that differs."""
    near = lines.nearest(hunk.old)
    if near is None:
        return Misfit("None of its lines are in the file.", hunk.line, wanted=_first(hunk.old))
    start, run = near
    at = start + run
    found = lines.lines[at] if 0 <= at < len(lines.lines) else ""
    wanted = hunk.old[run] if run < len(hunk.old) else ""
    where = f"line {at + 1}" if at < len(lines.lines) else "the end of the file"
    return Misfit(
        f"It fits nowhere; nearest at line {max(start, 0) + 1}, where {where} differs first.",
        hunk.line,
        (max(at, 0) + 1,),
        wanted=wanted,
        found=found,
    )


def _first(lines: Sequence[str]) -> str:
    return next((line for line in lines if is_telling(line)), lines[0] if lines else "")


def _narrowed(lines: IndexedLines, hunk: PastedHunk, places: list[int], *, numbered: bool) -> list[int]:
    """Narrow several places to those that the hunk's own text allows."""
    size = len(hunk.old)
    if hunk.at_end:
        places = [place for place in places if not any(lines.lines[place + size :])]
    if len(places) > 1 and hunk.headings:
        places = [place for place in places if _is_below(lines, hunk.headings, place)] or places
    if len(places) > 1 and numbered and len(places) <= _FEW and hunk.numbers is not None:
        places = [place for place in places if place == hunk.numbers.old - 1]
    return places


def _is_below(lines: IndexedLines, headings: Sequence[str], place: int) -> bool:
    """Whether a place is in the block that the last of the headings begins, which is in the file once."""
    wanted = headings[-1].strip()
    found = [at for at, line in enumerate(lines.lines) if wanted and line.strip().startswith(wanted)]
    if len(found) != 1 or found[0] >= place:
        return False
    depth = _depth(lines.lines[found[0]])
    between = lines.lines[found[0] + 1 : place]
    return all(_depth(line) > depth or not is_telling(line) for line in between) and not any(
        line.strip().startswith("}") and _depth(line) <= depth for line in between
    )


def _depth(line: str) -> int:
    expanded = line.expandtabs(4)
    return len(expanded) - len(expanded.lstrip())


def _at(lines: IndexedLines, hunk: PastedHunk, start: int, tier: Tier) -> LocatedHunk | Misfit:
    """Return the hunk at a place. Additions that are already there may have been made before."""
    end = start + len(hunk.old)
    region = lines.lines[start:end]
    added: list[str] | None = None
    if tier is Tier.BLANKS and hunk.block:
        if (whole := written_exactly(hunk, region)) is not None:
            return LocatedHunk(hunk, start, end, tuple(whole), tier)
        hunk = realigned(hunk)
    added = adjusted(hunk, region, tier)
    if added is None:
        return Misfit(
            "Its blanks differ from the file's, so that it is not certain how far its new lines are indented.",
            hunk.line,
            (start + 1,),
        )
    there, new = iter(region), []
    adding = iter(added)
    for op in hunk.ops:
        if op.sign == "+":
            new.append(next(adding))
            continue
        line = next(there)
        if op.sign == " ":
            new.append(line)
    return LocatedHunk(hunk, start, end, tuple(new), tier)


def is_repeated(lines: IndexedLines, located: LocatedHunk) -> bool:
    """Whether the new lines of a hunk that ends or begins with them are already at its place."""
    hunk = located.hunk
    if hunk.ops[0].sign != "+" and hunk.ops[-1].sign != "+":
        return False
    if hunk.old == hunk.new:
        return False
    size = len(located.new)
    starts = range(max(0, located.end - size), located.start + 1)
    return any(tuple(lines.lines[start : start + size]) == located.new for start in starts)


def applied(lines: IndexedLines, hunk: PastedHunk) -> LocatedHunk | None:
    """The place where a hunk whose old lines are nowhere is applied already, if its new ones are in one place."""
    if sum(map(is_telling, hunk.new)) < _LEAST_TOLD:
        return None
    for tier in (Tier.EXACT, Tier.ENDS, Tier.SIGNS):
        places = lines.places(hunk.new, tier)
        if len(places) == 1:
            start, end = places[0], places[0] + len(hunk.new)
            return LocatedHunk(hunk, start, end, tuple(lines.lines[start:end]), tier, is_there=True)
        if places:
            return None
    return None


def _with_other_blank_lines(lines: IndexedLines, hunk: PastedHunk) -> LocatedHunk | Misfit | None:
    """The place of a hunk that leaves out blank lines between its context, or has more of them."""
    said = [op for op in hunk.ops if op.text.strip() or op.sign == "+"]
    wanted = [op.text for op in said if op.sign != "+"]
    kept = [number for number, line in enumerate(lines.lines) if line.strip()]
    sparse = IndexedLines([lines.lines[number] for number in kept])
    if len(wanted) < 2 or not all(op.text.strip() for op in hunk.ops if op.sign == "-"):
        return None
    places = sparse.places(wanted, Tier.SIGNS)
    if len(places) > 1:
        return ambiguous(hunk, [kept[place] for place in places])
    if not places:
        return None
    numbers = kept[places[0] : places[0] + len(wanted)]
    return _woven(lines, hunk, said_numbers(hunk, numbers))


def said_numbers(hunk: PastedHunk, numbers: Sequence[int]) -> list[int | None]:
    """For each line of a hunk the line of the file that it is; None for new lines, and for blank ones of context."""
    there = iter(numbers)
    return [next(there) if op.sign != "+" and op.text.strip() else None for op in hunk.ops]


def _woven(
    lines: IndexedLines, hunk: PastedHunk, numbers: Sequence[int | None]
) -> LocatedHunk | Misfit | None:
    """Return the hunk with the blank lines of the file; None where blank lines adjoin its changes."""
    known = [number for number in numbers if number is not None]
    new: list[str] = []
    at = known[0]
    for position, (op, number) in enumerate(zip(hunk.ops, numbers, strict=True)):
        if op.sign == "+":
            after = next((n for n in numbers[position + 1 :] if n is not None), None)
            if after is not None and after > at:
                return None  # before or behind the blank lines there
            new.append(op.text)
        elif number is not None:
            if op.sign == "-" and number > at:
                return None
            new += lines.lines[at:number]
            new += [lines.lines[number]] if op.sign == " " else []
            at = number + 1
    return LocatedHunk(hunk, known[0], known[-1] + 1, tuple(new), Tier.BLANKS)
