"""Dialogs over the Semantic view: a typed note, a pasted answer, a newer note for comparison, the earlier ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.getters import query_one

from services.errors import NoteInvalid
from services.semantic.answers import read_answer
from services.semantic.text import labelled, who_wrote
from services.semantic.values import Author, Note, NoteAnswer, NoteFields
from services.source.journal.actor import actor
from services.source.text.differ import unified_diff
from widgets.lists.pick_list import PickList, PickRow
from widgets.text.diff_text import DiffText
from workbench.dialogs.base import Dialog, Key, TextBox, bindings_of
from workbench.dialogs.listing import Listing

if TYPE_CHECKING:
    from services.bench import Bench

Drafts = dict[str, str]
"""What was typed of notes and is not kept yet, by the id of the type."""


class NoteEditor(TextBox[NoteAnswer]):
    """Editor of a note, which returns the stored note. Unsaved text is offered again the next time; a note that was
    changed elsewhere meanwhile is not overwritten without a comparison."""

    KEYS: ClassVar[Sequence[Key]] = (Key("ctrl+s,ctrl+j", "keep", "keep it"),)
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("note-editor", KEYS)

    def __init__(self, bench: Bench, note: NoteAnswer, drafts: Drafts) -> None:
        lead = f"{note.fqn}: a text under each of the five names"
        super().__init__("What it is for", lead=lead, text=drafts.get(note.type_id) or labelled(note.fields))
        self._bench = bench
        self._note = note
        self._drafts = drafts

    def action_keep(self) -> None:
        """Store the typed note, unless the note has changed. Unedited parts retain their author."""
        text, before = self.editor.text, self._note
        if text.strip() == labelled(before.fields).strip():
            self._drafts.pop(before.type_id, None)
            self.tell("Nothing was changed: the note stays as it is, by whom it is.")
            self.dismiss(None)
            return

        def keep() -> NoteAnswer | None:
            fields = read_answer(text)
            if self._bench.notes.get(before.type_id).text != before.text:
                return None
            return self._bench.notes.put(before.type_id, fields, Author.PERSON, actor().user)

        def kept(note: NoteAnswer | None) -> None:
            if note is not None:
                self._drafts.pop(note.type_id, None)
                self.dismiss(note)
                return
            self.jobs.run("again", lambda: self._bench.notes.get(before.type_id), self._changed_meanwhile)

        self.jobs.act("keep", keep, kept)

    def _changed_meanwhile(self, note: NoteAnswer) -> None:
        self._note = note
        self.tell(
            f"Nothing was kept: {who_wrote(note.provider)} wrote another note meanwhile.",
            "Once more keeps yours; theirs is then among the earlier ones.",
        )

    def action_back(self) -> None:
        """Close. What was typed waits for the next time."""
        text = self.editor.text
        if text != labelled(self._note.fields):
            self._drafts[self._note.type_id] = text
            self.tell("The note is as it was. What you typed is here again when you edit it.")
        self.dismiss(None)


class AnswerScreen(TextBox[NoteAnswer]):
    """Answers the note that a chat's answer was."""

    KEYS: ClassVar[Sequence[Key]] = (Key("ctrl+s,ctrl+j", "keep", "keep it"),)
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("note-answer", KEYS)

    def __init__(self, bench: Bench, note: NoteAnswer) -> None:
        super().__init__("An answer", lead=f"Paste what the chat answered about {note.fqn}")
        self._bench = bench
        self._note = note

    def action_keep(self) -> None:
        """Store it; an invalid one remains in the box, with its errors."""
        answer, type_id = self.editor.text, self._note.type_id

        def keep() -> NoteAnswer:
            (taken,) = self._bench.notes.take(answer, [type_id], Author.MODEL, "chat").values()
            if isinstance(taken, NoteInvalid):
                raise taken
            return taken

        def kept(note: NoteAnswer) -> None:
            self.dismiss(note)

        self.jobs.act("keep", keep, kept)


class NewerScreen(Dialog[bool]):
    """Answers whether the newer note is taken; None where that is left open."""

    KEYS: ClassVar[Sequence[Key]] = (
        Key("a,enter", "decide(True)", "take the newer one"),
        Key("x,delete", "decide(False)", "drop it"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("note-newer", KEYS)
    diff = query_one(DiffText)

    def __init__(self, note: NoteAnswer, newer: NoteFields) -> None:
        super().__init__(f"A newer note on {note.fqn}")
        self._text = difference(note.fields, newer)

    def body(self) -> ComposeResult:
        """Compose the difference."""
        yield DiffText(empty="The newer note says the same")

    def on_mount(self) -> None:
        """Focus the text for scrolling."""
        super().on_mount()
        self.diff.set_diff(self._text)
        self.diff.focus()

    def action_decide(self, taken: bool) -> None:
        """Answer."""
        self.dismiss(taken)


class EarlierScreen(Listing[Note]):
    """Answers the earlier note that is to be put back."""

    KEYS: ClassVar[Sequence[Key]] = (Key("r", "put_back", "put it back", row=True),)
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("note-earlier", KEYS)

    def __init__(self, note: NoteAnswer, read: Callable[[], Sequence[Note]]) -> None:
        super().__init__(f"Earlier notes on {note.fqn}", empty="Nothing was written before this note")
        self._note = note
        self._read = read
        self._earlier: Sequence[Note] = ()

    def read(self) -> None:
        """Read the earlier versions of the note."""
        self.jobs.run("earlier", self._read, self._show)

    def about(self, row: PickRow) -> Content:
        """Return an earlier version, compared with the current one."""
        return Content(difference(self._earlier[int(row.value)].fields, self._note.fields))

    def on_pick_list_selected(self, event: PickList.Selected) -> None:
        """Enter puts it back."""
        event.stop()
        self.action_put_back()

    def action_put_back(self) -> None:
        """Answer the note under the cursor."""
        if self.current:
            self.dismiss(self._earlier[int(self.current)])

    def _show(self, earlier: Sequence[Note]) -> None:
        self._earlier = earlier
        self.set_rows(
            [PickRow(value=str(at), label=who_wrote(note.provider)) for at, note in enumerate(earlier)]
        )


def difference(before: NoteFields, after: NoteFields) -> str:
    """Return the diff of two notes' fields, or a sentence where there is none."""
    sides = (labelled(fields).splitlines(keepends=True) for fields in (before, after))
    return unified_diff("note", *sides).partition("+++ b/note\n")[2] or "They say the same."
