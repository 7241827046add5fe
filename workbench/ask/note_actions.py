"""Actions about the note in front."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from services.model import Notice
from widgets.format.shorten import grouped

if TYPE_CHECKING:
    from services.bench import Bench
    from services.semantic.values import Note, NoteAnswer
    from workbench.main.frame import Frame

Action = Callable[["Frame"], None]


def _on_note(act: Callable[[Frame, Bench, NoteAnswer], None]) -> Action:
    def acted(main: Frame) -> None:
        bench, note = main.session.bench, main.code.notes.note
        if bench is not None and note is not None:
            act(main, bench, note)

    return acted


def _edit(main: Frame, bench: Bench, note: NoteAnswer) -> None:
    from workbench.ask.note_screens import NoteEditor

    main.app.push_screen(NoteEditor(bench, note, main.code.notes.drafts), lambda kept: _kept(main, kept))


def _paste(main: Frame, bench: Bench, note: NoteAnswer) -> None:
    from workbench.ask.note_screens import AnswerScreen

    main.app.push_screen(AnswerScreen(bench, note), lambda kept: _kept(main, kept))


def _copy_prompt(main: Frame, bench: Bench, note: NoteAnswer) -> None:
    main.jobs.run(
        "prompt",
        lambda: bench.notes.prompt([note.type_id]),
        lambda text: main.session.copy_text(text, f"The prompt for {note.fqn}", main.clipboard),
    )


def _generate(main: Frame, bench: Bench, note: NoteAnswer) -> None:
    from services.errors import UsageError
    from workbench.ui.modal import Confirm

    def weighed() -> tuple[str, int]:
        name = bench.generation.model_name()
        return name, bench.models.options().counter.count(bench.notes.prompt([note.type_id]))

    def asked(found: tuple[str, int]) -> None:
        name, tokens = found
        what = f"{note.fqn} with {len(note.group) - 1} more" if note.group else note.fqn
        question = f"Send {grouped(tokens)} tokens about {what} to {name}? Likely secrets are masked."
        main.app.push_screen(
            Confirm("Have a model write the note", question, yes="Send", late=True), answered
        )

    def answered(yes: bool | None) -> None:
        if yes:
            _say(main, f"The note on {note.fqn} is being written.")
            main.jobs.run("generate", make, lambda kept: _kept(main, kept))

    def make() -> NoteAnswer:
        (op_id,) = bench.generation.ask([note.type_id], is_waited_for=True)
        ended = bench.ops.run(op_id)
        if ended.error is not None:
            raise UsageError(str(ended.error.get("message", "The model wrote no note.")))
        return bench.notes.get(note.type_id)

    main.jobs.run("weigh", weighed, asked)


def _newer(main: Frame, bench: Bench, note: NoteAnswer) -> None:
    from workbench.ask.note_screens import NewerScreen

    newer = note.waiting
    if newer is None:
        _say(main, "No newer note waits beside this one.")
        return

    def decided(taken: bool | None) -> None:
        if taken is not None:
            accept = lambda: bench.notes.accept(note.type_id, is_accepted=taken)  # noqa: E731
            main.jobs.act("accept", accept, lambda kept: _kept(main, kept))

    main.app.push_screen(NewerScreen(note, newer), decided)


def _earlier(main: Frame, bench: Bench, note: NoteAnswer) -> None:
    from services.semantic.values import Author
    from services.source.journal.actor import actor
    from workbench.ask.note_screens import EarlierScreen

    def chosen(earlier: Note | None) -> None:
        if earlier is not None:
            put = lambda: bench.notes.put(note.type_id, earlier.fields, Author.PERSON, actor().user)  # noqa: E731
            main.jobs.act("put back", put, lambda kept: _kept(main, kept))

    main.app.push_screen(EarlierScreen(note, lambda: bench.notes.store.history(note.type_id)), chosen)


def _window_notes(main: Frame) -> None:
    from workbench.ask.window_notes import WindowNotes

    def chosen(target: str | None) -> None:
        if target:
            main.open(target)

    if bench := main.session.bench:
        main.app.push_screen(WindowNotes(bench, main.session, main.clipboard), chosen)


def _kept(main: Frame, note: NoteAnswer | None) -> None:
    """Show the current note, and report the result."""
    from services.semantic.text import who_wrote

    bench = main.session.bench
    if note is None or bench is None:
        return
    main.code.notes.show(bench, note.type_id)
    beside = " A newer one waits beside it: {note-newer:alt+d} compares them." if note.waiting else ""
    _say(main, main.keys.with_keys(f"The note on {note.fqn} is by {who_wrote(note.provider)}.{beside}"))


def _say(main: Frame, message: str) -> None:
    main.say(Notice(severity="information", message=message))


NOTE_ACTIONS: Mapping[str, Action] = MappingProxyType(
    {
        "note-edit": _on_note(_edit),
        "note-prompt": _on_note(_copy_prompt),
        "note-answer": _on_note(_paste),
        "note-generate": _on_note(_generate),
        "note-newer": _on_note(_newer),
        "note-earlier": _on_note(_earlier),
        "window-notes": _window_notes,
    }
)
"""By the command's id."""
