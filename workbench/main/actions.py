"""Actions of the main screen, by command."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from workbench.ask.note_actions import NOTE_ACTIONS
from workbench.commands.situation import (
    CHANGES,
    CODE,
    DIFF,
    GREP,
    LISTS,
    OUTLINE,
    PATCH,
    SEMANTIC,
    SOURCE,
    SYMBOLS,
    USAGES,
    WINDOW,
)
from workbench.main.dialog_actions import DIALOG_ACTIONS, WINDOW_ACTIONS
from workbench.main.edit_actions import EDIT_ACTIONS, PATCH_ACTIONS
from workbench.main.place_actions import PLACE_ACTIONS
from workbench.review.actions import GIT_ACTIONS, REVIEW_ACTIONS
from workbench.ui.messages import RunCommand

if TYPE_CHECKING:
    from workbench.main.frame import Frame

Action = Callable[["Frame"], None]


def _search(main: Frame) -> None:
    main.focus_pane(SYMBOLS)
    main.symbols.box.input.select_all()


def _open(main: Frame) -> None:
    if main.pane == WINDOW:
        main.window.items.action_select()
    elif main.pane in (GREP, USAGES):
        (main.grep if main.pane == GREP else main.usages).open_current()
    elif main.pane == CHANGES:
        main.changes.list.action_select()
    elif main.pane == CODE and main.code.view == DIFF:
        main.code.diff.jump()
    elif main.pane == CODE and main.code.view == SOURCE:
        main.code.go_to_definition()
    elif main.pane == SYMBOLS and main.symbols.current is not None:
        main.open(main.symbols.current.id)


def _leave(main: Frame) -> None:
    if main.pane == PATCH:
        if not main.patch.is_changed:
            main.patch.close()
        main.focus_pane(CODE)
        return
    front = main.list_front(main.pane) if main.pane in LISTS else main.front(main.pane)
    if main.code.is_previewing and front.has_focus:
        main.code.put_back()
        if main.pane in (SYMBOLS, WINDOW):
            return
    if main.pane in LISTS:
        if main.pane != SYMBOLS and front.has_focus:
            main.left = main.pane = SYMBOLS
            front = main.symbols.front
        front.focus()
    elif main.left == SYMBOLS:
        main.pane = SYMBOLS
        main.symbols.front.focus()
    else:
        main.focus_list()


def _pane(pane: str) -> Action:
    return lambda main: main.focus_pane(pane)


def _step_pane(places: int) -> Action:
    def step(main: Frame) -> None:
        columns = main.columns
        at = columns.index(main.pane) if main.pane in columns else 0
        main.focus_pane(columns[(at + places) % len(columns)])

    return step


def _view(view: str) -> Action:
    def show(main: Frame) -> None:
        main.code.show_view(view)
        main.focus_pane(CODE)

    return show


def _zoom(main: Frame) -> None:
    main.zoomed = not main.zoomed


def _pin(main: Frame) -> None:
    if subjects := main.about.subjects:
        main.pinning.toggle_all(subjects)


def _dismiss(main: Frame) -> None:
    if subject := main.situation.subject:
        target = subject.target
        main.session.change(lambda bench: bench.window.dismiss(target), f"taking out {subject.label}")


def _copy_view(main: Frame) -> None:
    text, what = main.code.text
    main.session.copy_text(text, what, main.clipboard)


def _preview(main: Frame) -> None:
    from widgets.text.outline_view import OutlineView
    from workbench.ui.modal import TextScreen

    if window := main.window.window:
        main.app.push_screen(TextScreen("What would be copied", OutlineView(window.text)))


def _notices(main: Frame) -> None:
    from workbench.main.sentences import notices_text
    from workbench.ui.modal import TextScreen, reading

    text = notices_text(main.log_of_notices.said)
    main.app.push_screen(TextScreen("Notices, the last one first", reading(text)))


def _cancel(main: Frame) -> None:
    if main.session.is_indexing or main.session.is_exporting:
        main.session.cancel()
        return
    for pane in (main.grep, main.usages) if main.is_complete else ():
        if pane.is_working:
            pane.stop()
            pane.said.update("cancelled: this is what was found so far")


def _palette(main: Frame) -> None:
    from workbench.ui.picker import Picked, Picker, every_command, fuzzy

    def picked(answer: Picked | None) -> None:
        if answer is not None:
            main.post_message(RunCommand(answer.values[0]))

    rows = fuzzy(every_command(main.keys, main.situation))
    main.app.push_screen(
        Picker("Commands", rows, placeholder="a command", note="enter does it · esc closes"), picked
    )


def _help(main: Frame) -> None:
    from workbench.commands.help_text import help_text
    from workbench.ui.modal import FilteredText

    keys, situation = main.keys, main.situation
    main.app.push_screen(
        FilteredText(
            "Keys and commands",
            lambda query: help_text(keys, situation, query=query),
            placeholder="a key, a command, a word",
        )
    )


ACTIONS: Mapping[str, Action] = MappingProxyType(
    {
        **DIALOG_ACTIONS,
        **PATCH_ACTIONS,
        **EDIT_ACTIONS,
        **PLACE_ACTIONS,
        **WINDOW_ACTIONS,
        **REVIEW_ACTIONS,
        **GIT_ACTIONS,
        **NOTE_ACTIONS,
        "search": _search,
        "open": _open,
        "forward": lambda main: main.code.visits.step(1),
        "leave": _leave,
        "next-pane": _step_pane(1),
        "previous-pane": _step_pane(-1),
        "go-symbols": lambda main: main.focus_pane(main.left),
        "go-code": _pane(CODE),
        "go-window": _pane(WINDOW),
        "view-outline": _view(OUTLINE),
        "view-semantic": _view(SEMANTIC),
        "view-source": _view(SOURCE),
        "next-view": lambda main: main.code.step_view(1),
        "previous-view": lambda main: main.code.step_view(-1),
        "zoom": _zoom,
        "pane-wider": lambda main: main.resize_pane(1),
        "pane-narrower": lambda main: main.resize_pane(-1),
        "panes-usual": lambda main: main.resize_pane(0),
        "pin": _pin,
        "dismiss": _dismiss,
        "preview": _preview,
        "copy-view": _copy_view,
        "refresh": lambda main: main.session.refresh(),
        "cancel": _cancel,
        "notices": _notices,
        "palette": _palette,
        "help": _help,
        "theme": lambda main: main.app.search_themes(),
        "quit": lambda main: main.app.exit(0),
    }
)
"""By the command's id."""
