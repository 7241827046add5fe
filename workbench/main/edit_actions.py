"""Actions about edits: by hand, structured, and pasted."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from services.model import FileChange, Hunk, Notice
from services.model.source import is_adt
from services.model.writes import EditKind, EditRequest
from workbench.commands.situation import CHANGES, CODE, PATCH, SOURCE
from workbench.main.dialog_actions import open_systems

if TYPE_CHECKING:
    from services.model.writes import ChangeAnswer
    from workbench.main.frame import Frame

Action = Callable[["Frame"], None]


def _target(main: Frame) -> str:
    subject = main.situation.subject
    return subject.target if subject else ""


def _edited(main: Frame) -> str:
    return main.code.edit_target if main.pane == CODE or main.about.is_diff else _target(main)


def _edit(main: Frame) -> None:
    target = _edited(main)
    if is_adt(target):
        open_systems(main, edited=target)
    else:
        main.patch.begin(target)


def _drop(main: Frame) -> None:
    from workbench.ui.modal import Confirm

    if not main.patch.is_changed:
        main.patch.close(throw_away=True)
        return

    def answered(yes: bool | None) -> None:
        if yes:
            main.patch.close(throw_away=True)

    question = "What you typed and did not write is lost."
    main.app.push_screen(Confirm("Throw it away", question, yes="Throw it away"), answered)


def _history(main: Frame) -> None:
    from workbench.edits.patch_dialogs import HistoryScreen

    if bench := main.session.bench:
        held = main.patch.held
        screen = HistoryScreen(bench, held.handle if held.is_mine else "", main.patch.look)
        main.app.push_screen(screen, lambda file: main.open(file) if file else None)


def _proposals(main: Frame) -> None:
    from workbench.dialogs.proposals import ProposalsScreen

    if bench := main.session.bench:
        main.app.push_screen(ProposalsScreen(bench))


_DONE = {"undo": "taken back", "redo": "made again"}


def _take_back(kind: str) -> Action:
    """Return the action that undoes or redoes the last write of the file that is edited or shown; of the workspace
    where there is none."""

    def act(main: Frame) -> None:
        bench = main.session.bench
        if bench is None:
            return
        file = main.patch.draft.file if main.patch.draft else None
        call = bench.writing.undo if kind == "undo" else bench.writing.redo
        handles = (main.patch.held.handle,) if main.patch.held.is_mine else ()

        def done(answer: ChangeAnswer) -> None:
            files = ", ".join(change.file for change in answer.files)
            main.say(Notice(severity="information", message=f"The last write of {files} is {_DONE[kind]}."))
            main.patch.look()

        main.jobs.act("take back", lambda: call(file, handles), done)

    return act


def _stage(main: Frame) -> None:
    bench, shown = main.session.bench, _shown_change(main)
    if bench is None or shown is None:
        return
    change, hunk = shown

    def staged(state: str) -> None:
        what = "The hunk" if hunk is not None else change.path
        said = "is staged" if state else "is no longer staged"
        main.say(Notice(severity="information", message=f"{what} {said}."))
        main.code.diff.show(change, again=True)
        main.changes.reload()

    main.jobs.act("stage", lambda: bench.hunk_edits.toggle(change, hunk), staged)


def _discard(main: Frame) -> None:
    from workbench.ui.modal import Confirm

    bench, shown = main.session.bench, _shown_change(main)
    if bench is None or shown is None:
        return
    change, hunk = shown
    what = f"this hunk of {change.path}" if hunk is not None else f"all changes of {change.path}"

    def done(_: None) -> None:
        message = f"{what[0].upper()}{what[1:]} {'is' if hunk is not None else 'are'} discarded."
        main.say(Notice(severity="information", message=message, what_to_do="U takes that back."))
        main.changes.reload()
        main.code.visits.reload()

    def answered(yes: bool | None) -> None:
        if yes:
            main.jobs.act("discard", lambda: bench.hunk_edits.discard(change, hunk), done)

    question = (
        f"HEAD's lines take the place of {what}, in the file and in git's index. U takes the write back."
    )
    main.app.push_screen(Confirm("Discard", question, yes="Discard"), answered)


def _shown_change(main: Frame) -> tuple[FileChange, Hunk | None] | None:
    """The file under the cursor of the list; of the diff, with the hunk."""
    if main.pane == CHANGES:
        change = main.changes.list.current
        return (change, None) if change is not None else None
    change = main.code.diff.change
    return (change, main.code.diff.view.hunk) if change is not None else None


PATCH_ACTIONS: Mapping[str, Action] = MappingProxyType(
    {
        "go-patch": lambda main: main.focus_pane(PATCH),
        "edit": _edit,
        "patch-apply": lambda main: main.patch.apply(),
        "patch-lock": lambda main: main.patch.toggle_lock(),
        "patch-break": lambda main: main.patch.break_lock(),
        "patch-close": lambda main: main.patch.close(),
        "patch-drop": _drop,
        "stage": _stage,
        "discard": _discard,
        "undo-write": _take_back("undo"),
        "redo-write": _take_back("redo"),
        "history": _history,
        "proposals": _proposals,
    }
)
"""By the command's id."""


_LINES = re.compile(r".+:\d+(?:-\d+)?\Z")


def _paste(main: Frame, text: str = "") -> None:
    from workbench.edits.pasting import PasteBox, PasteScreen

    bench = main.session.bench
    if bench is None:
        return

    def pasted(wanted: str | None) -> None:
        if wanted:
            main.app.push_screen(PasteScreen(bench, wanted, main.patch.look), looked)

    def looked(answer: str | None) -> None:
        if answer is None:
            return
        if answer.startswith("open:"):
            main.open(answer.removeprefix("open:"))
        else:
            _paste(main, answer)

    main.app.push_screen(PasteBox(text), pasted)


def _start_edit(main: Frame, request: EditRequest, *, offer: str = "") -> None:
    from workbench.edits.preview import EditScreen

    if bench := main.session.bench:
        screen = EditScreen(bench, request, main.patch.look, offer=offer)
        main.app.push_screen(screen, lambda place: main.open(place) if place else None)


def _rename(main: Frame) -> None:
    """The name under the cursor of the source, else the symbol of the row."""
    if main.pane == CODE and main.code.view == SOURCE and main.code.source.selection_range is None:
        place = f"{main.code.file}:{main.code.source.cursor_line}:{main.code.source.cursor_column + 1}"
        _start_edit(main, EditRequest(kind=EditKind.RENAME, object=place), offer=main.code.source.word)
        return
    _of_subject(EditKind.RENAME)(main)


def _of_subject(kind: EditKind) -> Action:
    def act(main: Frame) -> None:
        subject = main.situation.subject
        if subject is None:
            return
        name = re.split(r"[(<]", subject.label, maxsplit=1)[0].rpartition(".")[2]
        offers = {EditKind.RENAME: name, EditKind.INTERFACE: f"I{name}"}
        request = EditRequest(kind=kind, object=subject.target.removeprefix("member:"))
        _start_edit(main, request, offer=offers.get(kind, ""))

    return act


def _extract(main: Frame) -> None:
    subject = main.situation.subject
    if subject is not None and _LINES.match(subject.target):
        _start_edit(main, EditRequest(kind=EditKind.EXTRACT, object=subject.target))


EDIT_ACTIONS: Mapping[str, Action] = MappingProxyType(
    {
        "paste": _paste,
        "rename": _rename,
        "extract-method": _extract,
        "extract-interface": _of_subject(EditKind.INTERFACE),
        "move-type": _of_subject(EditKind.MOVE),
        "signature": _of_subject(EditKind.SIGNATURE),
    }
)
"""By the command's id."""
