"""Source with parts left out (`// ... existing code ...`): what is left out is taken from the file, if it is certain
what that is.

The lines that are shown are aligned with those of the file at the least cost, where only a mark may stand for lines
of the file that are not shown. What the marks stand for must then be the same in every alignment of that cost.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from itertools import islice, pairwise, product

import numpy as np
from numpy.typing import NDArray

from services.edits.paste.hunks import Misfit
from services.edits.paste.matching import IndexedLines, Tier, is_telling

Gap = tuple[int, int]
_MOST_LOST = 3
"""Lines of the file that a part may take away beyond twice those that it brings."""


def anchored_gaps(shown: Sequence[str], marks: Sequence[int], base: Sequence[str]) -> list[Gap] | None:
    """Return the gap of each mark, where the lines next to all marks are in the file, each run of them once; None
    where they are not."""
    lines = IndexedLines(base)
    starts, ends = [0, *(mark + 1 for mark in marks)], [*marks, len(shown)]
    regions: list[Gap] = []
    for number, (start, end) in enumerate(zip(starts, ends, strict=True)):
        part = list(shown[start:end])
        region = _region(part, lines, is_first=number == 0, is_last=number == len(marks))
        if region is None or (regions and region[0] < regions[-1][1]):
            return None
        if _loses(part, base[region[0] : region[1]]):
            return None
        regions.append(region)
    return [(one[1], other[0]) for one, other in itertools.pairwise(regions)]


def _region(part: Sequence[str], lines: IndexedLines, *, is_first: bool, is_last: bool) -> Gap | None:
    size = len(lines.lines)
    if not any(line.strip() for line in part):
        return (0, 0) if is_first else (size, size) if is_last else None
    start = 0 if is_first else _edge(part, lines, forth=True)
    end = size if is_last else _edge(part, lines, forth=False)
    if is_first and end is None:
        end = _same_start(part, lines.lines)
    if is_last and start is None:
        start = _same_end(part, lines.lines)
    return None if start is None or end is None or start > end else (start, end)


def _edge(part: Sequence[str], lines: IndexedLines, *, forth: bool) -> int | None:
    """Return the start or end of a part in the file: where most of its lines match in a row."""
    size = len(part)
    for count in range(size, 0, -1):
        run = part[:count] if forth else part[size - count :]
        places = lines.places(run, Tier.ENDS)
        if places:
            is_certain = len(places) == 1 and any(any(map(str.isalnum, line)) for line in run)
            return (places[0] if forth else places[0] + count) if is_certain else None
    return None


def _same_start(part: Sequence[str], base: Sequence[str]) -> int | None:
    """Return the end of a first part that equals the start of the file, or changes only lines before the first
    brace."""
    if [*map(str.rstrip, part)] == [*map(str.rstrip, base[: len(part)])]:
        return len(part)
    opening, there = _opening(part), _opening(base)
    return there if there is not None and opening == len(part) else None


def _same_end(part: Sequence[str], base: Sequence[str]) -> int | None:
    """The start of a last part that is as the file ends."""
    start = len(base) - len(part)
    is_same = start >= 0 and [*map(str.rstrip, part)] == [*map(str.rstrip, base[start:])]
    return start if is_same else None


def _opening(lines: Sequence[str]) -> int | None:
    """The index behind the first line that ends with a brace that opens."""
    return next((at + 1 for at, line in enumerate(lines) if line.rstrip().endswith("{")), None)


def _loses(part: Sequence[str], region: Sequence[str]) -> bool:
    """Whether far more lines of the file would go than come."""
    shown, there = ({line.strip() for line in lines if is_telling(line)} for lines in (part, region))
    return len(there - shown) > 2 * len(shown - there) + _MOST_LOST


_COMMENT = re.compile(
    r"\s*(?://+|#+|/\*+|<!--|--|'|@\*|\{\s*/\*)\s*(?P<said>.*?)\s*(?:\*+/\s*\}?|-->|\*@)?\s*"
)
_DOTS = r"(?:\.{3,}|…|\[\s*(?:\.{3,}|…)\s*\])"
_BARE = re.compile(rf"\s*(?:{_DOTS}\s*)+")
_LED = re.compile(rf"[\[(<{{]*\s*{_DOTS}(?P<said>.*?)(?P<end>{_DOTS})?\s*[\])>}}]*")
_KEYS = frozenset(
    re.findall(
        r"\w+",
        "existing unchanged rest remaining remainder omitted same unmodified elided snip snipped truncated brevity "
        "stays remains previous earlier original other others untouched before",
    )
)
_WORDS = _KEYS | frozenset(
    re.findall(
        r"\w+",
        "a above all and any are as at below body changes class classes code constants constructor "
        "constructors content current definition definitions else enum events everything fields file for from "
        "function functions goes helper helpers here implementation implementations imports in interface is "
        "it its keep left line lines logic member members method methods more namespace no not of out part "
        "parts properties property public private protected internal remain section shown similar since skip "
        "skipped statements static struct test tests that the these this those to type types using usings "
        "variables with without your etc ",
    )
)
_TELLING, _WEAK, _EMPTY = 10, 1, 3
_UNREACHED = 1_000_000_000
_MOST_LINES = 20_000
_MOST_CELLS = 40_000_000
_MOST_WAYS = 64
_LONGEST = 300


def is_mark(line: str) -> bool:
    """Whether a line represents omitted lines."""
    if len(line) > _LONGEST:
        return False
    if _BARE.fullmatch(line):
        return True
    comment = _COMMENT.fullmatch(line)
    if comment is None:
        return False
    said = comment["said"]
    if _BARE.fullmatch(said):
        return True
    words = re.findall(r"[\w']+", said.lower())
    is_known = bool(words) and _WORDS.issuperset(words)
    if led := _LED.fullmatch(said):
        return bool(led["end"]) or not _KEYS.isdisjoint(words) or is_known
    if re.search(rf"{_DOTS}\s*[\])>}}]*$", said):
        return not _KEYS.isdisjoint(words)
    return is_known and not _KEYS.isdisjoint(words)


def marks_in(lines: Sequence[str], there: Sequence[str] = ()) -> list[int]:
    """Return the indexes of the marks. `there`: the lines of the file, none of which is a mark."""
    known = {line.strip() for line in there}
    return [at for at, line in enumerate(lines) if is_mark(line) and line.strip() not in known]


def filled_in(
    shown: Sequence[str], marks: Sequence[int], base: Sequence[str], line: int
) -> list[str] | Misfit:
    """Return the shown lines with the marks filled in from `base`. `line`: of the answer where they begin."""
    if len(base) > _MOST_LINES or len(shown) * len(base) > _MOST_CELLS:
        return Misfit("It leaves out parts of what is too long to be looked through.", line)
    found = _Alignment(shown, marks, base)
    by_cost = _by_cost(found, line)
    held = anchored_gaps(shown, marks, base)
    if held is None:
        return by_cost if isinstance(by_cost, Misfit) else list(by_cost)
    by_edges = _text(shown, marks, base, held)
    if (at := found.lone(held)) is not None:
        return _lone(line, at)
    if isinstance(by_cost, Misfit) or list(by_cost) == by_edges or found.cost(held) <= found.best:
        return by_edges
    return _uncertain(line, [gap[0] + 1 for gap in held])


def _uncertain(line: int, places: Sequence[int]) -> Misfit:
    return Misfit(
        "It is not certain which lines its marks stand for. Show the lines before and after each of them.",
        line,
        tuple(places[:5]),
        is_ambiguous=True,
    )


def _by_cost(found: _Alignment, line: int) -> tuple[str, ...] | Misfit:
    """The text of all alignments of the least cost."""
    gaps = found.gaps()
    texts = {tuple(found.text(ways)) for ways in gaps or ()}
    if gaps is None or len(texts) != 1:
        return _uncertain(line, sorted({way[0] + 1 for ways in gaps or () for way in ways}))
    if (at := found.lone(gaps[0])) is not None:
        return _lone(line, at)
    if (doubt := found.doubt(gaps[0])) is not None:
        return Misfit(doubt[0], line, (doubt[1] + 1,), is_ambiguous=True)
    return next(iter(texts))


def _lone(line: int, at: int) -> Misfit:
    reason = "This mark stands for no line of the file: it may be a comment of the new code."
    return Misfit(reason, line + at, is_ambiguous=True)


def _text(shown: Sequence[str], marks: Sequence[int], base: Sequence[str], gaps: Sequence[Gap]) -> list[str]:
    made: list[str] = []
    at = 0
    for mark, (start, end) in zip(marks, gaps, strict=True):
        made += [*shown[at:mark], *base[start:end]]
        at = mark + 1
    return [*made, *shown[at:]]


class _Alignment:
    """The least cost of lines shown that are not in the file, and of lines of the file that are passed over without a
    mark. Rows count lines shown, columns lines of the file."""

    def __init__(self, shown: Sequence[str], marks: Sequence[int], base: Sequence[str]) -> None:
        self._lines = (shown, base)
        self._shown = [line.rstrip() for line in shown]
        self._base = [line.rstrip() for line in base]
        self._marks = list(marks)
        self._passed = np.concatenate(([0], np.cumsum([_cost(each) for each in self._base]))).astype(np.int64)
        there: dict[str, list[int]] = {}
        for number, each in enumerate(self._base):
            there.setdefault(each, []).append(number)
        self._there = there
        self._blocks = _blocks(self._base)
        self._forth = self._rows(forth=True)
        self._back = self._rows(forth=False)

    @property
    def best(self) -> int:
        """The least cost."""
        return int(self._forth[-1][-1])

    def cost(self, gaps: Sequence[Gap]) -> int:
        """Return the cost of an assignment of gaps to the marks."""
        empty = sum(_EMPTY for start, end in gaps if start == end)
        return empty + sum(self._cost_of(*segment) for segment in self._all_segments(gaps))

    def text(self, gaps: Sequence[Gap]) -> list[str]:
        """The lines shown, with these for the marks."""
        return _text(self._lines[0], self._marks, self._lines[1], gaps)

    def gaps(self) -> list[tuple[Gap, ...]] | None:
        """Return every assignment of gaps with the least cost; None where there are too many."""
        best = self.best
        each: list[list[Gap]] = []
        for mark in self._marks:
            before, after = self._forth[mark], self._back[mark + 1]
            each.append(self._pairs(before, after, best))
            if not each[-1] or len(each[-1]) > _MOST_WAYS:
                return None
        ways = [way for way in islice(product(*each), _MOST_WAYS * _MOST_WAYS) if self._is_whole(way, best)]
        return ways if 0 < len(ways) <= _MOST_WAYS else None

    def doubt(self, gaps: Sequence[Gap]) -> tuple[str, int] | None:
        """Why an alignment is not to be trusted, and the line of the file where: what is shown between two marks has
        nothing to hold it, or a line at its edge may be a changed one of those left out."""
        edges = self._segments(gaps)
        for (first, last), (low, high) in edges:
            segment, region = self._shown[first:last], self._base[low:high]
            is_inner = first > 0 and last < len(self._shown)
            held = {line for line in region if is_telling(line)} & set(segment)
            if is_inner and not held:
                return "What it shows between two marks has no line of the file to hold it.", low
            if first > 0 and low and _may_replace(segment, region, self._base[low - 1]):
                return "A line after a mark may be a changed one of those left out.", low - 1
            if last < len(self._shown) and high < len(self._base):
                there = self._base[high]
                if _may_replace(segment[::-1], region[::-1], there):
                    return "A line before a mark may be a changed one of those left out.", high
        return None

    def lone(self, gaps: Sequence[Gap]) -> int | None:
        """Return the first mark that represents no lines, among lines that the file does not have."""
        for mark, (start, end) in zip(self._marks, gaps, strict=True):
            beside = (
                next((line for line in lines if is_telling(line)), "")
                for lines in (self._shown[:mark][::-1], self._shown[mark + 1 :])
            )
            if not any(map(is_telling, self._base[start:end])) and all(
                line and line not in self._there for line in beside
            ):
                return mark
        return None

    def _segments(self, gaps: Sequence[Gap]) -> list[tuple[tuple[int, int], tuple[int, int]]]:
        """Return the stretches between the marks that show any line: of the lines shown, and of the file."""
        return [(shown, base) for shown, base in self._all_segments(gaps) if shown[1] > shown[0]]

    def _rows(self, *, forth: bool) -> list[NDArray[np.int64]]:
        """Costs by row: of what is before it, or of what is behind it."""
        row = self._passed.copy() if forth else self._passed[-1] - self._passed
        rows = [row]
        for number in range(len(self._shown)) if forth else reversed(range(len(self._shown))):
            row = (
                self._free(row, forth=forth)
                if number in self._marks
                else self._next(row, number, forth=forth)
            )
            rows.append(row)
        return rows if forth else rows[::-1]

    def _next(self, row: NDArray[np.int64], number: int, *, forth: bool) -> NDArray[np.int64]:
        line = self._shown[number]
        made = row + _cost(line)
        for at in self._there.get(line, ()):
            if forth:
                made[at + 1] = min(made[at + 1], row[at])
            else:
                made[at] = min(made[at], row[at + 1])
        if forth:
            return np.minimum.accumulate(made - self._passed) + self._passed
        ahead = (made + self._passed)[::-1]
        return np.minimum.accumulate(ahead)[::-1] - self._passed

    def _free(self, row: NDArray[np.int64], *, forth: bool) -> NDArray[np.int64]:
        """Extend gaps at no cost within one block; an empty gap costs a little."""
        least: dict[int, int] = {}
        made = row + _EMPTY
        positions = range(len(row)) if forth else reversed(range(len(row)))
        for at in positions:
            block, cost = int(self._blocks[at]), int(row[at])
            made[at] = min(int(made[at]), least.get(block, _UNREACHED))
            least[block] = min(least.get(block, _UNREACHED), cost)
        return made

    def _pairs(self, before: NDArray[np.int64], after: NDArray[np.int64], best: int) -> list[Gap]:
        found: list[Gap] = []
        for start in np.flatnonzero(before <= best):
            rest = best - before[start]
            fits = (after[start + 1 :] == rest) & (self._blocks[start + 1 :] == self._blocks[start])
            ends = np.flatnonzero(fits) + start + 1
            found += [(int(start), int(end)) for end in ends[: _MOST_WAYS + 1]]
            if int(before[start]) + _EMPTY + int(after[start]) == best:
                found.append((int(start), int(start)))
            if len(found) > _MOST_WAYS:
                break
        return found

    def _is_whole(self, gaps: Sequence[Gap], best: int) -> bool:
        """Whether choices for single marks go together, at the least cost."""
        if any(gap[1] > after[0] for gap, after in pairwise(gaps)):
            return False
        return self.cost(gaps) == best

    def _all_segments(self, gaps: Sequence[Gap]) -> list[tuple[tuple[int, int], tuple[int, int]]]:
        starts = [0, *(mark + 1 for mark in self._marks)]
        ends = [*self._marks, len(self._shown)]
        lows = [0, *(gap[1] for gap in gaps)]
        highs = [*(gap[0] for gap in gaps), len(self._base)]
        return [
            ((start, end), (low, high))
            for start, end, low, high in zip(starts, ends, lows, highs, strict=True)
        ]

    def _cost_of(self, shown: tuple[int, int], base: tuple[int, int]) -> int:
        lines, there = self._shown[shown[0] : shown[1]], self._base[base[0] : base[1]]
        row = [0]
        for each in there:
            row.append(row[-1] + _cost(each))
        for line in lines:
            cost, made = _cost(line), [row[0] + _cost(line)]
            for at, each in enumerate(there, 1):
                least = min(row[at] + cost, made[-1] + _cost(each))
                made.append(min(least, row[at - 1]) if line == each else least)
            row = made
        return row[-1]


def _blocks(lines: Sequence[str]) -> NDArray[np.int64]:
    """For each place between lines the number of the block in braces that it lies in."""
    stack, count = [0], 0
    made = [0]
    for line in lines:
        for sign in re.findall(r"[{}]", _QUOTED.sub("", line)):
            if sign == "{":
                count += 1
                stack.append(count)
            elif len(stack) > 1:
                stack.pop()
        made.append(stack[-1])
    return np.array(made, dtype=np.int64)


_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)\'|//.*')


def _cost(line: str) -> int:
    return _TELLING if is_telling(line) else _WEAK


def _may_replace(segment: Sequence[str], region: Sequence[str], beyond: str) -> bool:
    """Whether the first line of a segment, which is not in its region, is like the line of the file next to it."""
    from rapidfuzz.distance import Indel

    edge = next((line for line in segment if is_telling(line)), "")
    if not edge or edge in region or not is_telling(beyond):
        return False
    return Indel.normalized_similarity(edge.strip(), beyond.strip()) >= _ALIKE


_ALIKE = 0.6
