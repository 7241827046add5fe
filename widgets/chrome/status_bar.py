"""The top line: where one is, how much there is, how fresh it is, what is going on.

Long work on one line: `indexing ██████▌ 1 204 of 3 000 files 410/s 4 s left esc cancels`. A bar of cells in parts,
and eighths of a cell where one part alone fills it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from msgspec import Struct
from textual.content import Content
from textual.reactive import reactive
from textual.style import Style
from textual.widget import Widget

from services.model import Progress
from widgets.format.display import visible
from widgets.format.shorten import grouped

_EIGHTHS = " ▏▎▍▌▋▊▉█"


def shares(parts: Sequence[int], whole: int, width: int) -> list[int]:
    """Cells of `width` for each part of `whole`: rounded so that together they take no more than `width`; a
    part that is not zero has at least a cell while there is room."""
    cells, left = [], width
    for part in parts:
        share = 0 if whole <= 0 or part <= 0 else max(1, round(part * width / whole))
        cells.append(min(share, left))
        left -= cells[-1]
    return cells


def fraction_bar(fraction: float, width: int) -> str:
    """`width` cells filled from the left to `fraction` (0 to 1), to an eighth of a cell."""
    eighths = round(min(max(fraction, 0.0), 1.0) * width * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(width)


_PROGRESS_BAR, _LEAST_BAR = 20, 6
"""Cells of the bar, which makes room for the rest."""
_SETTLED = 0.5
"""Seconds before a rate means anything."""


class ProgressLine(Widget):
    """The state of a job. Blank while there is none."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"progress-line--bar", "progress-line--dim"}
    DEFAULT_CSS = """
    ProgressLine { height: 1; width: 1fr; padding: 0 1; }
    ProgressLine > .progress-line--bar { color: $primary; background: $panel; }
    ProgressLine > .progress-line--dim { color: $text-muted; }
    """

    progress: reactive[Progress | None] = reactive(None)
    cancel_hint: reactive[str] = reactive("")
    """What cancels the work: `esc cancels`."""

    def __init__(
        self,
        progress: Progress | None = None,
        *,
        cancel_hint: str = "",
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self.set_reactive(ProgressLine.progress, progress)
        self.set_reactive(ProgressLine.cancel_hint, cancel_hint)

    def render(self) -> Content:
        """Return the line as content: what fits, the phase first."""
        progress = self.progress
        if progress is None:
            return Content("")
        said, dim = Content(visible(progress.phase)), self.get_visual_style("progress-line--dim")
        extra = [part for part in (rate(progress), time_left(progress), visible(self.cancel_hint)) if part]
        after = Content("  " + amount(progress)) + Content.styled("".join("  " + part for part in extra), dim)
        if progress.fraction is not None:
            room = self.content_size.width - said.cell_length - after.cell_length - 2
            bar = fraction_bar(progress.fraction, max(_LEAST_BAR, min(_PROGRESS_BAR, room)))
            said += Content("  ") + Content.styled(bar, self.get_visual_style("progress-line--bar"))
        return said + after


def amount(progress: Progress) -> str:
    """`1 204 of 3 000 files`, `1 204 files` while the total is unknown, `1.2 of 7.0 MB`."""
    if progress.unit == "bytes":
        done, total, unit = (
            f"{progress.done / 1e6:.1f}",
            progress.total and f"{progress.total / 1e6:.1f}",
            "MB",
        )
    else:
        done, total, unit = (
            grouped(progress.done),
            progress.total and grouped(progress.total),
            visible(progress.unit),
        )
    return f"{done} of {total} {unit}" if total else f"{done} {unit}"


def rate(progress: Progress) -> str:
    """`410/s`, `5.2 MB/s`; nothing before it means something."""
    if progress.elapsed < _SETTLED or not progress.done:
        return ""
    per_second = progress.done / progress.elapsed
    return f"{per_second / 1e6:.1f} MB/s" if progress.unit == "bytes" else f"{grouped(round(per_second))}/s"


def time_left(progress: Progress) -> str:
    """Return `4 s left`, `2 min left`, from the rate so far; empty while that is unknown."""
    if progress.elapsed < _SETTLED or not progress.done or not progress.total:
        return ""
    seconds = progress.elapsed * max(0, progress.total - progress.done) / progress.done
    return f"{seconds:.0f} s left" if seconds < 100 else f"{seconds / 60:.0f} min left"


_BAR = 10
_LEAST = 24
"""Cells that what somebody else did may take on a narrow screen."""
_SIGNS = {"fresh": "●", "stale": "◐", "indexing": "◌", "impaired": "!", "error": "✗"}


class StatusLine(Struct, frozen=True):
    """Status line. `freshness`: fresh, stale, indexing, impaired or error; `job`: None while idle;
    `doing`: what goes on without a count; `milliseconds`: how long the last answer took; `others`: what somebody else
    did last. None anywhere: not known."""

    name: str = ""
    branch: str | None = None
    projects: int | None = None
    types: int | None = None
    freshness: str = ""
    job: Progress | None = None
    milliseconds: float | None = None
    doing: str = ""
    others: str = ""


class StatusBar(Widget):
    """Status line over the whole width of the screen."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "status-bar--title",
        "status-bar--dim",
        "status-bar--bar",
        "status-bar--fresh",
        "status-bar--impaired",
        "status-bar--others",
    }
    DEFAULT_CSS = """
    StatusBar { height: 1; width: 1fr; dock: top; padding: 0 1; background: $panel; color: $foreground; }
    StatusBar > .status-bar--title { color: $text-primary; text-style: bold; }
    StatusBar > .status-bar--dim { color: $text-muted; }
    StatusBar > .status-bar--bar { color: $primary; background: $surface; }
    StatusBar > .status-bar--fresh { color: $text-success; }
    StatusBar > .status-bar--others { color: $text-accent; }
    StatusBar > .status-bar--impaired { color: $text-warning; text-style: bold; }
    """

    status: reactive[StatusLine] = reactive(StatusLine())
    title: reactive[str] = reactive("CodeCortex")

    def render(self) -> Content:
        """Place on the left, state on the right; the place is cut first."""
        left, right = self._place(), self._state()
        room = self.content_size.width
        gap = room - left.cell_length - right.cell_length
        if gap < 2:
            left = left.truncate(max(0, room - right.cell_length - 2), ellipsis=True)
            gap = max(0, room - left.cell_length - right.cell_length)
        return left + Content(" " * gap) + right

    def _place(self) -> Content:
        status = self.status
        said = Content.styled(visible(self.title), self._part("title"))
        counts = [
            _counted(status.projects, "project"),
            _counted(status.types, "type"),
        ]
        parts = [visible(part) for part in (status.name, status.branch, *counts) if part]
        return said + Content("  " + " · ".join(parts) if parts else "")

    def _state(self) -> Content:
        status, parts = self.status, []
        if status.others:
            most = max(_LEAST, self.content_size.width // 3)
            said = Content.styled(visible(status.others), self._part("others"))
            parts.append(said.truncate(most, ellipsis=True))
        if status.freshness:
            good = status.freshness in ("fresh", "indexing")
            sign = _SIGNS.get(status.freshness, "•")
            style = self._part("fresh" if good else "impaired")
            parts.append(Content.styled(f"{sign} {visible(status.freshness)}", style))
        if status.job:
            parts.append(self._job(status.job))
        elif status.doing or status.freshness != "indexing":
            parts.append(Content.styled(visible(status.doing) or "idle", self._part("dim")))
        if status.milliseconds is not None:
            parts.append(Content.styled(f"{status.milliseconds:>4.0f} ms", self._part("dim")))
        return Content("  ").join(parts)

    def _job(self, job: Progress) -> Content:
        said = Content(visible(job.phase))
        if job.fraction is not None:
            bar = Content.styled(fraction_bar(job.fraction, _BAR), self.get_visual_style("status-bar--bar"))
            said += Content(" ") + bar + Content(f" {job.fraction:>4.0%}")
        else:
            said += Content(f" {grouped(job.done)}")
        return said + Content.styled(f" {rate(job)}" if rate(job) else "", self._part("dim"))

    def _part(self, name: str) -> Style:
        return self.get_visual_style(f"status-bar--{name}")


def _counted(number: int | None, noun: str) -> str:
    return "" if number is None else f"{grouped(number)} {noun}{'' if number == 1 else 's'}"
