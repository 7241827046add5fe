"""What the commands about edits do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from workbench.commands.situation import CODE, PATCH

if TYPE_CHECKING:
    from workbench.main.frame import Frame

Act = Callable[["Frame"], None]


def _target(main: Frame) -> str:
    subject = main.situation.subject
    return subject.target if subject else ""


def _edited(main: Frame) -> str:
    return main.code.edit_target if main.pane == CODE or main.about.is_diff else _target(main)


def _drop(main: Frame) -> None:
    from workbench.ui.confirm import Confirm

    if not main.patch.is_changed:
        main.patch.close(throw_away=True)
        return

    def answered(yes: bool | None) -> None:
        if yes:
            main.patch.close(throw_away=True)

    question = "What you typed and did not write is lost."
    main.app.push_screen(Confirm("Throw it away", question, yes="Throw it away"), answered)


def _history(main: Frame) -> None:
    from workbench.patch.calls import show_history

    show_history(main)


def _proposals(main: Frame) -> None:
    from workbench.dialogs.proposals import ProposalsScreen

    if bench := main.session.bench:
        main.app.push_screen(ProposalsScreen(bench))


def _take_back(kind: str) -> Act:
    def act(main: Frame) -> None:
        from workbench.patch.calls import take_back

        take_back(main, kind)

    return act


PATCH_ACTS: Mapping[str, Act] = MappingProxyType(
    {
        "go-patch": lambda main: main.focus_pane(PATCH),
        "edit": lambda main: main.patch.begin(_edited(main)),
        "patch-apply": lambda main: main.patch.apply(),
        "patch-lock": lambda main: main.patch.toggle_lock(),
        "patch-break": lambda main: main.patch.break_lock(),
        "patch-close": lambda main: main.patch.close(),
        "patch-drop": _drop,
        "undo-write": _take_back("undo"),
        "redo-write": _take_back("redo"),
        "history": _history,
        "proposals": _proposals,
    }
)
"""By the command's id."""
