"""The top line: where one is, how much there is, how fresh it is, what is going on."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct
from textual.content import Content
from textual.reactive import reactive
from textual.style import Style
from textual.widget import Widget

from services.model import Progress
from widgets.chrome.progress_line import fraction_bar, rate
from widgets.format.display import visible
from widgets.format.shorten import grouped

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
