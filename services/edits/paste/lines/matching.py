"""Search of lines in a text: exact, or as channels and models alter them, and only where the place is unique."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import IntEnum

import msgspec

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
