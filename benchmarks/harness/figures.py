"""Measurements as values: a figure with its reference, a section of figures."""

from __future__ import annotations

from statistics import median

import msgspec


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """Measurement repeated several times, interleaved with its reference, round by round.

    `reference` may be empty; `against` names it. `bar`: what is aimed at, in words. `unit`: of `values` and
    `reference` alike."""

    what: str
    unit: str
    values: tuple[float, ...]
    reference: tuple[float, ...] = ()
    against: str = ""
    bar: str = ""

    @property
    def ratio(self) -> float | None:
        """Median of the rounds' ratios, or None without a reference."""
        pairs = [own / other for own, other in zip(self.values, self.reference, strict=False) if other]
        return median(pairs) if pairs else None

    @property
    def least_ratio(self) -> float | None:
        """Ratio of the two minima, or None without a reference."""
        return min(self.values) / min(self.reference) if self.reference and min(self.reference) else None

    def row(self) -> str:
        """The figure as a row of a Markdown table with the columns of `HEAD`."""
        ratio = ""
        if self.ratio is not None and self.least_ratio is not None:
            ratio = f"**{_short(self.ratio)}×** ({_short(self.least_ratio)}×)"
        other = f"{self.against}: {_spread(self.reference, self.unit)}" if self.reference else ""
        return f"| {self.what} | {_spread(self.values, self.unit)} | {other} | {ratio} | {self.bar} |"


HEAD = "| measured | median (minimum) | reference | ratio (of minima) | bar |\n|---|---|---|---|---|"


class Cells(msgspec.Struct, frozen=True):
    """Figure as cells of a table with a row for each corpus: its value with the ratio, the reference, its bar."""

    value: str
    against: str
    bar: str


def cells(figure: Figure) -> Cells:
    """The cells of one figure."""
    ratio = "" if figure.ratio is None else f", **{_short(figure.ratio)}×**"
    return Cells(
        f"{_short(median(figure.values))} {figure.unit}".rstrip() + ratio, figure.against, figure.bar
    )


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """Benchmark over one corpus. `notes`: sentences below the table."""

    corpus: str
    benchmark: str
    figures: tuple[Figure, ...]
    notes: tuple[str, ...] = ()

    def text(self) -> str:
        """The section as Markdown, without its heading."""
        parts = ["\n".join([HEAD, *(figure.row() for figure in self.figures)])] if self.figures else []
        return "\n\n".join([*parts, *self.notes])


def percentile(values: list[float], share: float) -> float:
    """The smallest value that `share` (0 to 1) of the values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def _spread(values: tuple[float, ...], unit: str) -> str:
    if len(values) == 1:
        return f"{_short(values[0])} {unit}".rstrip()
    return f"{_short(median(values))} ({_short(min(values))}) {unit}".rstrip()


def _short(value: float) -> str:
    """Three digits that count."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
