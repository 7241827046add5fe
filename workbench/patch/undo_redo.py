"""What was written: taking it back, making it again, and looking at it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from textual.content import Content

from services.model import Notice
from widgets.format.display import visible
from workbench.ui.notices import notice_of
from workbench.ui.text_screen import TextScreen, reading

if TYPE_CHECKING:
    from services.model.writes import ChangeAnswer, HistoryAnswer, HistoryEntry
    from workbench.main.frame import Frame

_SHOWN = 200
_DONE = {"undo": "taken back", "redo": "made again"}


def take_back(frame: Frame, kind: str) -> None:
    """Undo or redo the last write of the file that is edited or shown; of the workspace where there is none."""
    bench = frame.session.bench
    if bench is None:
        return
    file = frame.patch.draft.file if frame.patch.draft else None
    act = bench.writing.undo if kind == "undo" else bench.writing.redo
    handles = (frame.patch.held.handle,) if frame.patch.held.is_mine else ()

    def done(answer: ChangeAnswer) -> None:
        files = ", ".join(change.file for change in answer.files)
        frame.say(Notice(severity="information", message=f"The last write of {files} is {_DONE[kind]}."))
        frame.patch.look()

    frame.jobs.act(
        "take back", lambda: act(file, handles), done, failed=lambda error: frame.say(notice_of(error))
    )


def show_history(frame: Frame) -> None:
    """Show what was written, the last first."""
    bench = frame.session.bench
    if bench is None:
        return

    def show(answer: HistoryAnswer) -> None:
        frame.app.push_screen(TextScreen("What was written, the last first", reading(_history_text(answer))))

    frame.jobs.run(
        "history",
        lambda: bench.writing.history(None, limit=_SHOWN),
        show,
        failed=lambda error: frame.say(notice_of(error)),
    )


def _history_text(answer: HistoryAnswer) -> Content:
    if not answer.entries:
        return Content("Nothing was written yet. Edit lines with e; every write can be taken back with U.")
    return Content("\n").join(map(_line, answer.entries))


def _line(entry: HistoryEntry) -> Content:
    at = datetime.fromtimestamp(entry.at / 1000).astimezone()
    undone = "  (taken back)" if entry.undone else ""
    files = visible(", ".join(entry.files))
    return Content(f"{at:%Y-%m-%d %H:%M:%S}  {entry.kind:<5} {files}  by {visible(entry.owner)}{undone}")
