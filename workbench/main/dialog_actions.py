"""Actions that open dialogs, or are about the window as a whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from services.model import Window

if TYPE_CHECKING:
    from services.bench import Bench
    from services.prompt.items import CopyRequest
    from workbench.main.frame import Frame

Action = Callable[["Frame"], None]


def _copy_as(main: Frame) -> None:
    from workbench.dialogs.copy_as import CopyAnswer, CopyAs

    bench, last = main.session.bench, main.copying.last()
    if bench is None or last is None:
        return

    def chosen(answer: CopyAnswer | None) -> None:
        if answer is not None:
            main.copying.remember(answer.wanted)
            main.copying.start(answer.wanted, to=answer.file)
            main.update_keys()

    main.app.push_screen(CopyAs(bench, last), chosen)


def _receipts(main: Frame) -> None:
    from workbench.dialogs.copy_as import ReceiptsScreen

    if bench := main.session.bench:
        main.app.push_screen(ReceiptsScreen(bench), _then_copy(main))


def _then_copy(main: Frame) -> Callable[[CopyRequest | None], None]:
    return lambda wanted: main.copying.start(wanted) if wanted is not None else None


def _complete(main: Frame) -> None:
    def add(bench: Bench) -> Window:
        bench.advice.completeness(add=True)
        return bench.window.render()

    main.session.change(add, "adding what was missing")


def _advice(main: Frame) -> None:
    from workbench.dialogs.advice import AdviceScreen

    if bench := main.session.bench:
        main.app.push_screen(AdviceScreen(bench, main.session))


def _context(main: Frame, text: str = "") -> None:
    from workbench.dialogs.context import TaskScreen

    if main.session.bench is None:
        return

    def asked(wanted: str | None) -> None:
        if wanted:
            _find_context(main, wanted)

    main.app.push_screen(TaskScreen(text, earlier=main.questions), asked)


def _find_context(main: Frame, wanted: str) -> None:
    from workbench.dialogs.context import ContextScreen, remembered

    def again(said: str | None) -> None:
        if said is not None:
            _context(main, said)

    if bench := main.session.bench:
        main.questions = remembered(main.questions, wanted)
        main.app.push_screen(ContextScreen(bench, main.session, wanted), again)


def _note(main: Frame) -> None:
    from workbench.dialogs.copy_as import NoteScreen

    def written(text: str | None) -> None:
        if text:
            main.session.pin(
                "", label="a note", how=lambda bench, force: bench.window.pin_note(text, force=force)
            )

    main.app.push_screen(NoteScreen(), written)


def _explain(main: Frame) -> None:
    from workbench.dialogs.copying import explained
    from workbench.ui.modal import TextScreen, reading

    if window := main.window.window:
        main.app.push_screen(TextScreen("The window, explained", reading(explained(window))))


def _packs(main: Frame) -> None:
    from workbench.dialogs.packs import PacksScreen

    if bench := main.session.bench:
        main.app.push_screen(PacksScreen(bench, main.session), _other(main))


def _presets(main: Frame) -> None:
    from workbench.dialogs.presets import PresetsScreen

    if bench := main.session.bench:
        main.app.push_screen(PresetsScreen(bench, main.session), _other(main))


def _other(main: Frame) -> Callable[[Any], None]:
    """Packs lead to presets, and presets to packs."""
    opens = {"packs": _packs, "presets": _presets}
    return lambda wanted: opens[wanted](main) if wanted in opens else None


def _model(main: Frame) -> None:
    from workbench.dialogs.models import ModelsScreen

    if bench := main.session.bench:
        main.app.push_screen(ModelsScreen(bench, main.session, main.settings.keep))


def _ask(main: Frame) -> None:
    from workbench.ask.screen import AskScreen

    def chosen(target: str | None) -> None:
        if target:
            main.open(target)

    if bench := main.session.bench:
        main.app.push_screen(AskScreen(bench, main.clipboard), chosen)


def open_systems(main: Frame, edited: str = "") -> None:
    """Show the SAP systems, or edit an object of one at once."""
    from workbench.edits.systems import SystemsScreen

    if bench := main.session.bench:
        main.app.push_screen(SystemsScreen(bench, main.session, main.system_edits, edited))


def _settings(main: Frame) -> None:
    from workbench.dialogs.settings import SettingsScreen

    bench = main.session.bench
    themes = list(main.app.available_themes)
    main.app.push_screen(SettingsScreen(main.settings, bench.root if bench else None, themes))


def _operations(main: Frame) -> None:
    from workbench.panes.operations import OperationsScreen

    if bench := main.session.bench:
        main.app.push_screen(OperationsScreen(bench), lambda place: main.open(place) if place else None)


def _failures(main: Frame) -> None:
    from workbench.panes.failures import FailuresScreen

    def chosen(wanted: tuple[str, str] | None) -> None:
        if wanted is not None:
            act = main.open if wanted[0] == "open" else partial(_find_context, main)
            act(wanted[1])

    if bench := main.session.bench:
        main.app.push_screen(FailuresScreen(bench), chosen)


def _status(main: Frame) -> None:
    from workbench.ui.status_screen import show_status

    show_status(main)


def _first_steps(main: Frame) -> None:
    from workbench.commands.help_text import STEPS, next_step

    hide = next_step(main.personal.state.done) is not None
    main.personal.change(done=tuple(step.command for step in STEPS) if hide else ())
    main.update_keys()


DIALOG_ACTIONS: Mapping[str, Action] = MappingProxyType(
    {
        "copy": lambda main: main.copying.start(),
        "copy-as": _copy_as,
        "receipts": _receipts,
        "complete": _complete,
        "advice": _advice,
        "context": _context,
        "note": _note,
        "undo-window": lambda main: main.session.undo_change(),
        "redo-window": lambda main: main.session.redo_change(),
        "explain": _explain,
        "packs": _packs,
        "presets": _presets,
        "ask": _ask,
        "systems": open_systems,
        "model": _model,
        "settings": _settings,
        "export": lambda main: main.session.export(),
        "operations": _operations,
        "failures": _failures,
        "status": _status,
        "first-steps": _first_steps,
    }
)
"""By the command's id."""
