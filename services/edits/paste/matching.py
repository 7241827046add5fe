"""Lines as channels and models alter them: where they are in a text, and what new lines among them must have been."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import IntEnum
from itertools import groupby

import msgspec
from msgspec.structs import replace

from services.edits.paste.forms.pieces import PastedHunk, SignedLine
from services.source.text.differ import matching_blocks

_TYPOGRAPHIC = str.maketrans(
    {
        "“": '"', "”": '"', "„": '"', "‟": '"', "«": '"', "»": '"', "″": '"',
        "‘": "'", "’": "'", "‚": "'", "‛": "'", "′": "'",
        "–": "-", "—": "-", "‐": "-", "‑": "-", "−": "-", "…": "...",
        "\u00a0": " ", "\u202f": " ", "\u2007": " ", "\u2009": " ", "\u3000": " ",
        "\u200b": None, "\u200c": None, "\u200d": None, "\u2060": None, "\ufeff": None, "\u00ad": None,
    }
)  # fmt: skip
_BLANKS = re.compile(r"\s+")
_TELLING = 3
"""Letters and digits that a line must have to tell one place from another."""


class Tier(IntEnum):
    """How alike lines are: equal; but for blanks at their ends; but for typographic signs; but for blanks anywhere."""

    EXACT = 0
    ENDS = 1
    SIGNS = 2
    BLANKS = 3


def straight(text: str) -> str:
    """The text with plain quotes, dashes and blanks."""
    return text if text.isascii() else text.translate(_TYPOGRAPHIC)


def _without_blanks(text: str) -> str:
    return _BLANKS.sub("", straight(text))


_FORMS: dict[Tier, Callable[[str], str]] = {
    Tier.EXACT: str,
    Tier.ENDS: str.rstrip,
    Tier.SIGNS: lambda text: straight(text).rstrip(),
    Tier.BLANKS: _without_blanks,
}


def form_of(text: str, tier: Tier) -> str:
    """The line as it is compared at a tier."""
    return _FORMS[tier](text)


def is_telling(line: str) -> bool:
    """Whether a line contains more than braces and blanks."""
    return sum(map(str.isalnum, line)) >= _TELLING


class IndexedLines(msgspec.Struct):
    """Lines of a text without their endings, indexed by tier."""

    lines: Sequence[str]
    _forms: dict[Tier, list[str]] = msgspec.field(default_factory=dict)
    _where: dict[Tier, dict[str, list[int]]] = msgspec.field(default_factory=dict)

    def forms(self, tier: Tier) -> list[str]:
        """The lines as they are compared at a tier."""
        if tier not in self._forms:
            self._forms[tier] = [form_of(line, tier) for line in self.lines]
        return self._forms[tier]

    def places(self, wanted: Sequence[str], tier: Tier, span: tuple[int, int] | None = None) -> list[int]:
        """Return the indexes at which the wanted lines are consecutive. `span`: only within these lines."""
        forms, looked = self.forms(tier), [form_of(line, tier) for line in wanted]
        if not looked:
            return []
        low, high = span or (0, len(forms))
        counts = [len(self._positions(tier).get(each, ())) for each in looked]
        rare = counts.index(min(counts))
        starts = (at - rare for at in self._positions(tier).get(looked[rare], ()))
        return [
            start
            for start in starts
            if low <= start and start + len(looked) <= high and forms[start : start + len(looked)] == looked
        ]

    def nearest(self, wanted: Sequence[str]) -> tuple[int, int] | None:
        """Find the best approximate place of the wanted lines: the index of the first of them, and the number of
        equal lines from there on. None where no meaningful line matches."""
        forms, looked = self.forms(Tier.BLANKS), [form_of(line, Tier.BLANKS) for line in wanted]
        best: tuple[int, int, int] | None = None
        for offset, each in enumerate(looked):
            if not is_telling(each):
                continue
            for at in self._positions(Tier.BLANKS).get(each, ())[:_MOST_TRIED]:
                start = at - offset
                alike = [
                    0 <= start + n < len(forms) and forms[start + n] == one for n, one in enumerate(looked)
                ]
                run = alike.index(False) if False in alike else len(alike)
                if best is None or (sum(alike), run) > best[:2]:
                    best = (sum(alike), run, start)
        return None if best is None else (best[2], best[1])

    def _positions(self, tier: Tier) -> dict[str, list[int]]:
        if tier not in self._where:
            where: dict[str, list[int]] = {}
            for number, form in enumerate(self.forms(tier)):
                where.setdefault(form, []).append(number)
            self._where[tier] = where
        return self._where[tier]


_MOST_TRIED = 200


_OPENING = ("{", "(", "[", "=>", "=", ",", ":", "&&", "||", "?", "+")
_Map = Callable[[str], str | None]


def adjusted(hunk: PastedHunk, region: Sequence[str], tier: Tier) -> list[str] | None:
    """The new lines of a hunk whose old lines are `region` at a tier; None where their indentation is not certain."""
    added = [op.text for op in hunk.ops if op.sign == "+"]
    if tier <= Tier.ENDS or not added:
        return added
    added = _straightened(added, hunk.old, region)
    if tier is Tier.SIGNS:
        return added
    return _indented(hunk, added, region)


def written_exactly(hunk: PastedHunk, region: Sequence[str]) -> list[str] | None:
    """The new lines of a block as they are, where those that it shares with the old ones are as the file has them; None
    where they are not, or none tells."""
    pairs = _shared(hunk)
    told = [hunk.new[new] == region[old] for old, new in pairs if is_telling(region[old])]
    if not told or not all(told):
        return None
    return _straightened(hunk.new, hunk.old, region)


def realigned(hunk: PastedHunk) -> PastedHunk:
    """A block whose lines are shared where they are alike but for their blanks, and otherwise old or new."""
    ops: list[SignedLine] = []
    old = new = 0
    for at, other in [*_shared(hunk), (len(hunk.old), len(hunk.new))]:
        ops += [SignedLine("-", text) for text in hunk.old[old:at]]
        ops += [SignedLine("+", text) for text in hunk.new[new:other]]
        if at < len(hunk.old):
            same = hunk.old[at] == hunk.new[other]
            ops += (
                [SignedLine(" ", hunk.old[at])]
                if same
                else [SignedLine("-", hunk.old[at]), SignedLine("+", hunk.new[other])]
            )
        old, new = at + 1, other + 1
    return replace(hunk, ops=tuple(ops))


def _shared(hunk: PastedHunk) -> list[tuple[int, int]]:
    """Indexes of the old and the new lines of a block that are alike but for their blanks."""
    sides = [[form_of(line, Tier.BLANKS) for line in side] for side in (hunk.old, hunk.new)]
    return [(block.a + n, block.b + n) for block in matching_blocks(*sides) for n in range(block.size)]


def indent_of(line: str) -> str:
    """The blanks that a line begins with."""
    return line[: len(line) - len(line.lstrip())]


def _straightened(added: Sequence[str], old: Sequence[str], region: Sequence[str]) -> list[str]:
    """The lines with the typographic signs undone that the channel is seen to have made of plain ones."""
    made: set[str] = set()
    for pasted, line in zip(old, region, strict=True):
        made |= {
            sign for sign in pasted if not sign.isascii() and sign not in line and straight(sign) != sign
        }
    there = {sign for line in region for sign in line}
    return [
        "".join(straight(sign) if sign in made and sign not in there else sign for sign in line)
        for line in added
    ]


def _indented(hunk: PastedHunk, added: Sequence[str], region: Sequence[str]) -> list[str] | None:
    pairs = [
        (indent_of(pasted), indent_of(line))
        for pasted, line in zip(hunk.old, region, strict=True)
        if line.strip()
    ]
    if all(pasted == line for pasted, line in pairs):
        return list(added)
    ways: list[_Map] = [lambda indent: indent]
    if (way := _shift(pairs)) is not None:
        ways.append(way)
    made = [one for way in ways if (one := _by(way, added)) is not None]
    fitting = [one for one in made if _agreeing(one, region) or _is_plausible(hunk, one, region)]
    fitting = [one for one in fitting if _agreeing(one, region) is not False]
    if proven := [one for one in fitting if _agreeing(one, region)]:
        fitting = proven
    return fitting[0] if fitting and all(one == fitting[0] for one in fitting) else None


def _by(way: _Map, lines: Sequence[str]) -> list[str] | None:
    made = []
    for line in lines:
        indent = way(indent_of(line)) if line.strip() else ""
        if indent is None:
            return None
        made.append(indent + line.lstrip() if line.strip() else line)
    return made


def _shift(pairs: Sequence[tuple[str, str]]) -> _Map | None:
    """The change of indentation that all pairs of (pasted, file's) have seen; None where there is no one such."""
    known = dict(pairs)
    if any(known[pasted] != line for pasted, line in pairs):
        return None
    more = {line[: len(line) - len(pasted)] for pasted, line in pairs if line.endswith(pasted)}
    less = {pasted[: len(pasted) - len(line)] for pasted, line in pairs if pasted.endswith(line)}
    if len(more) == 1 and all(line.endswith(pasted) for pasted, line in pairs):
        prefix = next(iter(more))
        return lambda indent: prefix + indent
    if len(less) == 1 and all(pasted.endswith(line) for pasted, line in pairs):
        gone = next(iter(less))
        return lambda indent: indent[len(gone) :] if indent.startswith(gone) else None
    if all(pasted.expandtabs(4) == line for pasted, line in pairs):
        return lambda indent: indent.expandtabs(4)
    if all(pasted == line.expandtabs(4) for pasted, line in pairs):
        return lambda indent: indent.replace("    ", "\t")
    return known.get


def _agreeing(added: Sequence[str], region: Sequence[str]) -> bool | None:
    """Whether the new lines that are lines of the file but for their blanks have its blanks too; None where there are
    none that tell."""
    forms = [form_of(line, Tier.BLANKS) for line in region]
    there = {form: line for form, line in zip(forms, region, strict=True) if forms.count(form) == 1}
    same = [
        line == there[form]
        for line in added
        if is_telling(line) and (form := form_of(line, Tier.BLANKS)) in there
    ]
    return all(same) if same else None


def _is_plausible(hunk: PastedHunk, added: Sequence[str], region: Sequence[str]) -> bool:
    """Whether each run of new lines is indented like an adjacent line, or one step more after one that opens a
    block."""
    old, new = 0, 0
    for is_new, run in groupby(hunk.ops, key=lambda op: op.sign == "+"):
        ops = list(run)
        if not is_new:
            old += len(ops)
            continue
        first = next((line for line in added[new : new + len(ops)] if line.strip()), None)
        new += len(ops)
        before = [line for line in region[:old] if line.strip()]
        after = [line for line in region[old:] if line.strip()]
        beside = [*before[-1:], *after[:1], *_replaced(hunk, region, old)]
        if first is not None and not _is_beside(first, beside, before):
            return False
    return True


def _replaced(hunk: PastedHunk, region: Sequence[str], old: int) -> list[str]:
    """The first of the lines right before `old` that the hunk takes away."""
    signs = [op.sign for op in hunk.ops if op.sign != "+"]
    start = old
    while start and signs[start - 1] == "-":
        start -= 1
    return [line for line in region[start:old] if line.strip()][:1]


def _is_beside(line: str, beside: Sequence[str], before: Sequence[str]) -> bool:
    indent = indent_of(line)
    if any(indent == indent_of(other) for other in beside):
        return True
    opener = before[-1] if before else ""
    deeper = indent.startswith(indent_of(opener)) and len(indent) > len(indent_of(opener))
    step = indent[len(indent_of(opener)) :]
    return opener.rstrip().endswith(_OPENING) and deeper and step in ("\t", "  ", "    ")
