"""Notes of all types of the window: by one prompt for a chat, or by the configured model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Static

from services.errors import CodeCortexError, NoteInvalid
from services.ops import DATABASE
from services.ops.jobs import OpState
from services.prompt.outline.names import type_name
from services.semantic.generation import KIND
from services.semantic.text import shown
from services.semantic.values import Author, NoteAnswer, NoteState
from widgets.format.display import visible_lines
from widgets.format.shorten import counted, grouped
from widgets.lists.pick_list import PickList, PickRow
from widgets.lists.symbol_list import NOTE_SIGNS
from workbench.dialogs.base import Key, TextBox, bindings_of
from workbench.dialogs.listing import Listing
from workbench.ui.modal import Confirm

if TYPE_CHECKING:
    from services.bench import Bench
    from services.llm.profiles import Price
    from services.semantic.generation import Estimate
    from workbench.state.clipboard import Clipboard
    from workbench.state.session import Session

_LOOK_EVERY = 1.0
_EMPTY = "The window shows no type: pin some, and their notes can be asked for here, all in one prompt"
_WIDTH = 60
_LONGEST_TOLD = 3


class _Found(NamedTuple):
    """The notes of the window's types, those of a group once. `open`: how many notes are being made, of any types."""

    notes: tuple[NoteAnswer, ...]
    open: int
    is_paused: bool


class WindowNotes(Listing[str]):
    """Answers a type to open."""

    KEYS: ClassVar[Sequence[Key]] = (
        Key("enter,o", "open", "open", row=True),
        Key("space", "mark", "mark", row=True),
        Key("p", "prompt", "copy prompt", row=True),
        Key("v", "paste", "paste answer", row=True),
        Key("M", "generate", "ask the model", row=True),
        Key("x,delete", "cancel", "cancel", row=True),
        Key("z", "pause", "pause"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("window-notes", KEYS)

    def __init__(self, bench: Bench, session: Session, clipboard: Clipboard) -> None:
        super().__init__("What the types of the window are for", empty="Reading …")
        self._bench = bench
        self._session = session
        self._clipboard = clipboard
        self._found = _Found((), 0, is_paused=False)

    def head(self) -> ComposeResult:
        """How many there are, and what is being made."""
        yield Static(id="over-head", markup=False)

    def on_mount(self) -> None:
        """Look again and again, as long as this is open."""
        super().on_mount()
        self.set_interval(_LOOK_EVERY, self.read)

    def read(self) -> None:
        """The note of each type."""
        self.jobs.run("notes", self._read, self._show)

    def about(self, row: PickRow) -> Content:
        """The note."""
        return Content(visible_lines(shown(self._note(row.value), width=_WIDTH)))

    def on_pick_list_selected(self, event: PickList.Selected) -> None:
        """Enter opens the type."""
        event.stop()
        self.action_open()

    def action_open(self) -> None:
        """Open the type under the cursor."""
        self.dismiss(self.current)

    def action_mark(self) -> None:
        """Mark or unmark the row under the cursor: requests are about the marked ones."""
        self.rows.action_mark(1)

    def action_prompt(self) -> None:
        """Copy one prompt for all that are meant."""
        ids, what = self._meant(), self._called()
        self.jobs.run(
            "prompt",
            lambda: self._bench.notes.prompt(ids),
            lambda text: self._session.copy_text(text, f"The prompt for {what}", self._clipboard),
        )

    def action_paste(self) -> None:
        """Take what a chat answered about any of them."""
        ids = [row.value for row in self.rows.rows]
        self.app.push_screen(BatchAnswer(self._bench, ids), lambda told: self.read() if told else None)

    def action_generate(self) -> None:
        """Show the cost, then have the configured model write them."""
        ids, what = self._meant(), self._called()

        def weighed() -> tuple[str, Estimate, Price | None]:
            name = self._bench.generation.model_name()
            price = self._bench.asking.profiles().models[name].price
            return name, self._bench.generation.estimate(ids), price

        def asked(found: tuple[str, Estimate, Price | None]) -> None:
            title = "Have a model write the notes"
            question = f"Have {found[0]} write {what}? {cost_of(*found[1:])} Likely secrets are masked."
            self.app.push_screen(Confirm(title, question, yes="Send", late=True), answered)

        def answered(yes: bool | None) -> None:
            if yes:
                self.jobs.act("generate", lambda: self._bench.generation.ask(ids), queued)

        def queued(ops: tuple[str, ...]) -> None:
            self._bench.ops.serve()
            self.tell(f"{counted(len(ops), 'note')} asked for.")
            self.read()

        self.jobs.run("weigh", weighed, asked)

    def action_cancel(self) -> None:
        """Cancel the requests of the selected ones."""
        open_ = [op_id for id_ in self._meant() if (op_id := self._note(id_).op_id) is not None]
        if not open_:
            self.tell("None of them is asked for.")
            return
        self.jobs.act(
            "cancel", lambda: [self._bench.ops.cancel(op_id) for op_id in open_], lambda _: self.read()
        )

    def action_pause(self) -> None:
        """Begin no note any more, in any process, or begin them again."""
        wanted = not self._found.is_paused

        def paused(_: object) -> None:
            self.tell(
                "Notes are paused; one that is being written goes on." if wanted else "Notes are made again."
            )
            self.read()

        self.jobs.act("pause", lambda: self._bench.ops.pause(KIND, is_paused=wanted), paused)

    def _meant(self) -> list[str]:
        """The marked types; where none is, all."""
        marked = [row.value for row in self.rows.chosen] if self.rows.marked else []
        return marked or [row.value for row in self.rows.rows]

    def _called(self) -> str:
        return f"the notes of {counted(len(self._meant()), 'type')}"

    def _note(self, type_id: str) -> NoteAnswer:
        return next(note for note in self._found.notes if note.type_id == type_id)

    def _read(self) -> _Found:
        found: dict[tuple[str, ...], NoteAnswer] = {}
        for id_ in self._bench.advice.shown_types():
            try:
                note = self._bench.notes.get(id_)
            except CodeCortexError:  # it has just gone
                continue
            found.setdefault(note.group or (id_,), note)
        if not self._bench.state.path(DATABASE).exists():
            return _Found(tuple(found.values()), 0, is_paused=False)
        jobs = self._bench.ops.jobs
        open_ = jobs.count(KIND, [state for state in OpState if not state.is_end])
        return _Found(tuple(found.values()), open_, KIND in jobs.paused())

    def _show(self, found: _Found) -> None:
        if not found.notes:
            self.rows.empty = _EMPTY
        if found != self._found or not self.rows.rows:
            self._found = found
            self.set_rows([_row(note) for note in found.notes])
        self.query_one("#over-head", Static).update(_head(found))


def _row(note: NoteAnswer) -> PickRow:
    more = f" and {len(note.group) - 1} more" if note.group else ""
    said = "read off the code" if note.state is NoteState.NONE else str(note.state)
    role = note.fields.role.partition("\n")[0]
    return PickRow(
        note.type_id, f"{type_name(note.fqn)}{more}", role, sign=NOTE_SIGNS.get(note.state, " "), tail=said
    )


def _head(found: _Found) -> str:
    held = sum(note.state is NoteState.CACHED for note in found.notes)
    stale = sum(note.state is NoteState.STALE for note in found.notes)
    told = [f"{held} of {counted(len(found.notes), 'note')} hold"]
    told += [f"{stale} may not hold any more"] if stale else []
    told += [f"{found.open} asked for{', paused' if found.is_paused else ''}"] if found.open else []
    told += ["paused"] if found.is_paused and not found.open else []
    return ", ".join(told)


def cost_of(estimate: Estimate, price: Price | None) -> str:
    """Return the cost of notes as a sentence."""
    about = "" if estimate.is_exact else "about "
    told = (
        f"{about}{grouped(estimate.tokens)} tokens of prompts, up to {grouped(estimate.answers)} of answers"
    )
    if price is not None:
        least, most = price.between(estimate.tokens, estimate.answers)
        told += f": {least:.4f} to {most:.4f} {price.currency}"
    return f"{told[0].upper()}{told[1:]}."


class BatchAnswer(TextBox[bool]):
    """Chat answer about several types, split by the parser of all answers. Returns whether any note was stored."""

    KEYS: ClassVar[Sequence[Key]] = (Key("ctrl+s,ctrl+j", "keep", "keep them"),)
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("window-answer", KEYS)

    def __init__(self, bench: Bench, ids: Sequence[str]) -> None:
        super().__init__(
            "An answer", lead=f"Paste what the chat answered about the {counted(len(ids), 'note')}"
        )
        self._bench = bench
        self._ids = list(ids)

    def action_keep(self) -> None:
        """Store the valid notes; the others remain as text, with their errors."""
        answer = self.editor.text
        self.jobs.act(
            "keep", lambda: self._bench.notes.take(answer, self._ids, Author.MODEL, "chat"), self._kept
        )

    def _kept(self, taken: dict[str, NoteAnswer | NoteInvalid]) -> None:
        refused = [each.message for each in taken.values() if isinstance(each, NoteInvalid)]
        kept = len(taken) - len(refused)
        missing = len(self._ids) - len(taken)
        told = f"{counted(kept, 'note')} kept"
        told += f", {missing} not in the answer" if missing else ""
        if refused:
            self.tell(f"{told}, {len(refused)} refused.", " ".join(refused[:_LONGEST_TOLD]))
        else:
            self.tell(f"{told}.")
            self.dismiss(True)
