"""Actions about the prompt window and its items, and those that open dialogs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from services.model import Level, Window, WindowItem
from widgets.format.shorten import counted, grouped

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


_LARGE = 0.25
"""The share of the budget that a step to more detail takes at most without being asked about."""


def _level(steps: int) -> Action:
    def change(main: Frame) -> None:
        item = main.window.items.current
        if item is None:
            return
        levels = levels_of(item.kind)
        shown = item.wanted or item.level or levels[0]
        at = levels.index(shown) if shown in levels else -1
        _change_level(main, item, levels[at + 1 :] if steps > 0 else levels[:at][::-1], more=steps > 0)

    return change


_CALLED: Mapping[Level, str] = MappingProxyType({Level.RANGE: "lines", Level.USED: "members that others use"})
"""What a level is called where its own name says too little."""
_NO_MORE, _NO_LESS = "There is no more to show of it.", "Less cannot be shown of it: x takes it out."


def _set_level(main: Frame, item: WindowItem, level: Level) -> None:
    main.session.change(
        lambda bench: bench.window.set_level(item.key, level),
        f"showing the {_CALLED.get(level, level)} of {item.label}",
    )


def _change_level(main: Frame, item: WindowItem, levels: Sequence[Level], *, more: bool) -> None:
    """Show an item at the first of these levels at which there is anything of it; what would take a large part of the
    budget more is asked for, with what it takes."""
    bench, window = main.session.bench, main.window.window
    if bench is None or window is None:
        return

    def weigh() -> tuple[Level, int] | None:
        costs = ((level, bench.window.cost_at(item.key, level)) for level in levels)
        return next(((level, cost) for level, cost in costs if cost), None)

    def weighed(found: tuple[Level, int] | None) -> None:
        if found is None:
            main.app.notify(_NO_MORE if more else _NO_LESS, markup=False, timeout=3)
        elif more and found[1] - item.tokens > window.budget * _LARGE:
            _ask_first(main, item, *found, budget=window.budget)
        else:
            _set_level(main, item, found[0])

    main.jobs.act("weigh", weigh, weighed)


def _ask_first(main: Frame, item: WindowItem, level: Level, cost: int, *, budget: int) -> None:
    from workbench.ui.modal import Confirm

    more, called = cost - item.tokens, _CALLED.get(level, level)
    question = (
        f"The {called} of {item.label} would take {grouped(cost)} tokens, {grouped(more)} more than now: "
        f"{more * 100 // budget} % of the budget of {grouped(budget)}."
    )

    def answered(yes: bool | None) -> None:
        if yes:
            _set_level(main, item, level)

    main.app.push_screen(Confirm("More detail", question, yes=f"Show the {called}", late=True), answered)


def _move(places: int) -> Action:
    def move(main: Frame) -> None:
        item, window = main.window.items.current, main.window.window
        if item is None or window is None:
            return
        keys = [each.key for each in window.items if each.pinned]
        at = keys.index(item.key) + places
        if not 0 <= at < len(keys):
            main.app.notify("It is the first." if places < 0 else "It is the last.", markup=False, timeout=3)
        elif places < 0:
            main.session.change(
                lambda bench: bench.window.move(item.key, before=keys[at]), f"moving {item.label}"
            )
        else:
            main.session.change(
                lambda bench: bench.window.move(item.key, after=keys[at]), f"moving {item.label}"
            )

    return move


def levels_of(kind: str) -> tuple[Level, ...]:
    """The levels of detail that items of a kind have, least first."""
    from services.prompt.items import KINDS

    return KINDS[kind].levels


def _take_recent(main: Frame) -> None:
    main.session.change(lambda bench: bench.window.pin_recent(), "taking in what is recent")


def _clear_recent(main: Frame) -> None:
    main.session.change(lambda bench: bench.window.clear_recent(), "clearing what is recent")


def _pin_around(main: Frame) -> None:
    from widgets.lists.pick_list import PickRow
    from workbench.ui.picker import Picked, Picker, filtered

    bench, subject = main.session.bench, main.about.subject
    if bench is None or subject is None:
        return

    def found(around: Sequence[tuple[str, int]]) -> None:
        rows = [
            PickRow(
                key,
                key.replace(":", " ", 1),
                tail=counted(count, "type"),
                sign="●" if main.pinning.is_pinned(key) else " ",
            )
            for key, count in around
        ]

        def picked(answer: Picked | None) -> None:
            for key in answer.values if answer is not None else ():
                main.pinning.toggle_target(key, key.replace(":", " ", 1))

        title, note = f"Pin what is around {subject.label}", "enter pins, or unpins · esc closes"
        main.app.push_screen(Picker(title, filtered(rows), placeholder="a name", note=note), picked)

    main.jobs.act("around", lambda: bench.window.around(subject.target), found)


WINDOW_ACTIONS: Mapping[str, Action] = MappingProxyType(
    {
        "pin-around": _pin_around,
        "more": _level(1),
        "less": _level(-1),
        "move-up": _move(-1),
        "move-down": _move(1),
        "take-recent": _take_recent,
        "clear-recent": _clear_recent,
    }
)
"""By the command's id."""
