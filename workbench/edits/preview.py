"""Dialog of a structured edit: its places by file, decisions, problems, and its diff."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct, structs
from textual.binding import BindingType
from textual.getters import query_one
from textual.widget import Widget

from services.model.writes import EditKind, EditPlace, EditPreview, EditRequest
from widgets.format.shorten import counted
from widgets.lists.pick_list import PickList, PickRow
from widgets.text.diff_text import DiffText
from workbench.dialogs.base import Key, bindings_of
from workbench.dialogs.listing import Listing
from workbench.ui.key_line import with_keys
from workbench.ui.notices import notice_of

if TYPE_CHECKING:
    from services.bench import Bench
    from services.model.writes import EditAnswer

_CHANGED, _LEFT, _UNDECIDED, _CONFLICT, _FILE = "●", "○", "?", "!", " "
_TITLES = {
    EditKind.RENAME: "Rename",
    EditKind.EXTRACT: "Extract a method",
    EditKind.INTERFACE: "Extract an interface",
    EditKind.MOVE: "Move a type to its own file",
    EditKind.SIGNATURE: "Change the signature",
}
_QUESTIONS = {
    EditKind.RENAME: "Its new name",
    EditKind.EXTRACT: "Name of the method",
    EditKind.INTERFACE: "Name of the interface",
    EditKind.SIGNATURE: "The parameters in their new order, by name; TYPE NAME := VALUE adds one and passes VALUE",
}


class _Row(Struct, frozen=True):
    """A place, and whether the edit changes it unless somebody decides otherwise; None where that is open."""

    place: EditPlace
    changes: bool | None
    conflict: bool = False


class EditScreen(Listing[str]):
    """Dialog that requests the parameters of the edit, previews and writes it. Returns a place to open."""

    KEYS: ClassVar[Sequence[Key]] = (
        Key("space", "leave_out", "leave / change", row=True),
        Key("a", "toggle_all", "all that are open", row=True),
        Key("ctrl+s,ctrl+j", "write", "write"),
        Key("enter,o", "open", "open the place", row=True),
        Key("e,slash", "change", "change it"),
        Key("j", "page(1)", "diff down", row=True),
        Key("k", "page(-1)", "up", row=True),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("edit", KEYS)
    diff = query_one(DiffText)

    def __init__(
        self, bench: Bench, request: EditRequest, written: Callable[[], object], *, offer: str = ""
    ) -> None:
        """`written`: called after files have changed; `offer`: the name that is there to be edited."""
        super().__init__(_TITLES[request.kind], empty="")
        self._bench = bench
        self._request = request
        self._written = written
        self._offer = offer
        self._rows: dict[str, _Row] = {}
        self._decided: dict[str, bool] = {}
        self._preview: EditPreview | None = None

    def beside(self) -> Widget:
        """The diff of the file under the cursor."""
        return DiffText()

    def read(self) -> None:
        """Request the name, or plan at once where none is needed."""
        question = _QUESTIONS.get(self._request.kind)
        if question is None:
            self._look()
        else:
            self.ask(question, self._named, offer=self._request.text or self._offer, said=question)

    def show_detail(self) -> None:
        """The diff of the file that the row is about, and the reason of one that is not certain."""
        row, preview = self._rows.get(self.current), self._preview
        if row is None or preview is None:
            self.diff.set_diff("")
            return
        moved = preview.moves.get(row.place.file)
        shown = [each.diff for each in preview.files if each.file in (row.place.file, moved)]
        reason = f"{row.place.reason}\n{row.place.text}\n\n" if row.place.reason else ""
        self.diff.set_diff(reason + "".join(shown))

    def on_pick_list_selected(self, event: PickList.Selected) -> None:
        """Enter opens the place."""
        event.stop()
        self.action_open()

    def action_leave_out(self) -> None:
        """Leave the place as it is, or have it changed."""
        if (row := self._rows.get(self.current)) is not None and row.place.line:
            self._decided[self.current] = not self._now(self.current)
            self._decide()
            self.rows.move_cursor(1)

    def action_toggle_all(self) -> None:
        """Have every place changed that is not decided; leave all of them where all are."""
        open_ = [key for key, row in self._rows.items() if row.changes is None]
        change = any(not self._decided.get(key) for key in open_)
        self._decided |= dict.fromkeys(open_, change)
        self._decide()

    def action_open(self) -> None:
        """Open the place of the row."""
        if (row := self._rows.get(self.current)) is not None and row.place.file:
            line = f":{row.place.line}" if row.place.line else ""
            self.dismiss(f"{row.place.file}{line}")

    def action_change(self) -> None:
        """Request the name again."""
        if self._request.kind in _QUESTIONS:
            self.read()

    def action_page(self, pages: int) -> None:
        """Scroll the diff."""
        self.diff.scroll_relative(y=pages * max(1, self.diff.size.height // 2), animate=False)

    def action_write(self) -> None:
        """Write it, if no decision is open and there is no problem."""
        preview = self._preview
        if preview is None:
            return
        open_ = sum(row.changes is None and key not in self._decided for key, row in self._rows.items())
        if open_:
            self.tell(
                f"{counted(open_, 'place')} marked {_UNDECIDED} are to be decided first: change or leave them."
            )
            return
        if preview.conflicts:
            self.tell(
                f"It cannot be made: {preview.conflicts[0].reason}",
                "Leave the place out, or change the edit.",
            )
            return

        def done(answer: EditAnswer) -> None:
            where = f"{counted(answer.places, 'place')} in {counted(len(answer.files), 'file')}"
            self.tell(f"{answer.title}: {where}.", with_keys(self, "{undo-write:U} takes all of it back."))
            self._written()
            self.dismiss(None)

        request = self._with_decisions()
        self.jobs.act("edit", lambda: self._bench.refactoring.apply([request]), done)

    # The plan

    def _named(self, text: str) -> None:
        self.answered()
        self._request = structs.replace(self._request, text=text)
        self._look()

    def _look(self) -> None:
        self._decided.clear()
        self._preview = None
        self.rows.empty = "Looking …"
        self.set_rows(())
        request = self._request
        self.jobs.run(
            "preview", lambda: self._bench.refactoring.preview(request), self._show, failed=self._refused
        )

    def _decide(self) -> None:
        """Show the decisions at once, and the resulting diff soon after."""
        self._show_rows()
        request = self._with_decisions()
        self.jobs.run(
            "preview", lambda: self._bench.refactoring.preview(request), self._show_diff, failed=self._refused
        )

    def _with_decisions(self) -> EditRequest:
        decided = self._decided.items()
        leave = [key for key, change in decided if not change and self._rows[key].changes is not False]
        change = [key for key, change in decided if change and self._rows[key].changes is not True]
        return structs.replace(self._request, leave=tuple(leave), change=tuple(change))

    def _show(self, preview: EditPreview) -> None:
        self._preview = preview
        self._rows = {}
        for places, changes in ((preview.undecided, None), (preview.places, True), (preview.listed, False)):
            self._rows |= {_key(each): _Row(each, changes) for each in places}
        if not self._rows:
            files = [EditPlace(file=each.file, line=0, column=0, reason="") for each in preview.files]
            self._rows = {each.file: _Row(each, changes=True) for each in files}
        for each in preview.conflicts:
            before = self._rows.pop(_key(each), None)
            changes = before.changes if before is not None else True
            self._rows = {_key(each): _Row(each, changes, conflict=True), **self._rows}
        self.rows.empty = "Nothing changes"
        self._show_rows()

    def _show_diff(self, preview: EditPreview) -> None:
        self._preview = preview
        self._show_rows()

    def _refused(self, error: Exception) -> None:
        notice = notice_of(error)
        self.rows.empty = " ".join(part for part in (notice.message, notice.what_to_do) if part)
        self._rows = {}
        self.set_rows(())

    # Rows

    def _now(self, key: str) -> bool | None:
        return self._decided.get(key, self._rows[key].changes)

    def _show_rows(self) -> None:
        preview = self._preview
        against = {_key(each) for each in preview.conflicts} if preview is not None else set[str]()
        now = [self._now(key) for key, row in self._rows.items() if row.place.line]
        files = counted(len(preview.files) if preview is not None else 0, "file")
        told = [f"{counted(sum(each is True for each in now), 'place')} in {files}" if now else files]
        told += [f"{now.count(None)} to decide"] if None in now else []
        told += [f"{len(against)} against it"] if against else []
        told += [preview.created] if preview is not None and preview.created else []
        self.pane.note = " · ".join(told)
        self.set_rows([self._row(key, row, against=key in against) for key, row in self._rows.items()])

    def _row(self, key: str, row: _Row, *, against: bool) -> PickRow:
        place, now = row.place, self._now(key)
        if not place.line and not row.conflict:
            return PickRow(key, place.file, sign=_FILE)
        sign = _CONFLICT if against else _UNDECIDED if now is None else _CHANGED if now else _LEFT
        name = place.file.rpartition("/")[2]
        told = place.reason if row.conflict or now is None else place.text
        return PickRow(key, f"{name}:{place.line}", told, sign=sign)


def _key(place: EditPlace) -> str:
    return f"{place.file}:{place.line}:{place.column}"
