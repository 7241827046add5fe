"""The view of semantic notes: what the open type is for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from services.errors import CodeCortexError
from services.semantic.text import shown
from widgets.text.outline_view import OutlineView
from workbench.ui.jobs import Jobs

if TYPE_CHECKING:
    from services.bench import Bench
    from services.semantic.values import NoteAnswer

_NARROWEST = 30
"""Cells of a line that is worth wrapping."""
_NO_TYPE = "Notes belong to a type; these are lines of a file"


class NotesPart(OutlineView):
    """Shows the note of the type that is open, read when the view comes to the front."""

    def __init__(self, *, id: str, empty: str) -> None:  # noqa: A002
        super().__init__(empty=empty, id=id)
        self.note: NoteAnswer | None = None
        self.drafts: dict[str, str] = {}
        """What was typed of notes and is not kept yet, by the id of the type."""
        self._jobs = Jobs(self, self._failed)

    @property
    def text(self) -> str:
        """The note as it is shown; empty where there is none."""
        return "" if self.note is None else shown(self.note)

    def show(self, bench: Bench, target: str) -> None:
        """Read and show the note of the type that `target` is, or that declares it; empty: of nothing."""
        if not target:
            self.empty = _NO_TYPE
            self._take(None)
            return
        self._jobs.run("note", lambda: bench.notes.get(bench.lookup.found(target).whole.id), self._take)

    def on_resize(self) -> None:
        """Lines end where the view does."""
        self._lay_out()

    def _take(self, note: NoteAnswer | None) -> None:
        self.note = note
        self._lay_out()

    def _lay_out(self) -> None:
        width = max(_NARROWEST, self.view_size.width)
        self.set_outline("" if self.note is None else shown(self.note, width=width))

    def _failed(self, error: Exception) -> None:
        """The symbol may have gone since: the view says so where the note would be."""
        self.empty = error.message if isinstance(error, CodeCortexError) else str(error)
        self._take(None)
