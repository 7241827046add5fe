"""What each command of the table does on the main screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from workbench.situation import CODE, DIFF, OUTLINE, PANES, SEMANTIC, SOURCE, SYMBOLS, WINDOW

if TYPE_CHECKING:
    from workbench.screens.main import MainScreen

Act = Callable[["MainScreen"], None]


def _search(main: MainScreen) -> None:
    main.focus_pane(SYMBOLS)
    main.symbols.box.input.select_all()


def _open(main: MainScreen) -> None:
    if main.pane == WINDOW:
        main.window.items.action_select()
    elif main.pane == SYMBOLS and main.symbols.current is not None:
        main.open(main.symbols.current.id)


def _leave(main: MainScreen) -> None:
    main.pane = SYMBOLS
    main.symbols.front.focus()


def _pane(pane: str) -> Act:
    return lambda main: main.focus_pane(pane)


def _step_pane(places: int) -> Act:
    return lambda main: main.focus_pane(PANES[(PANES.index(main.pane) + places) % len(PANES)])


def _view(view: str) -> Act:
    def show(main: MainScreen) -> None:
        main.code.view = view
        main.focus_pane(CODE)

    return show


def _zoom(main: MainScreen) -> None:
    main.zoomed = not main.zoomed


def _pin(main: MainScreen) -> None:
    if subject := main.situation.subject:
        main.toggle_pin(subject)


def _dismiss(main: MainScreen) -> None:
    if subject := main.situation.subject:
        target = subject.target
        main.session.change(lambda bench: bench.dismiss(target))


def _copy_view(main: MainScreen) -> None:
    text, what = main.code.text
    main.session.copy_text(text, what, main.clipboard)


def _preview(main: MainScreen) -> None:
    from widgets.outline_view import OutlineView
    from workbench.screens.text_screen import TextScreen

    if window := main.window.window:
        main.app.push_screen(TextScreen("What would be copied", OutlineView(window.text)))


def _notices(main: MainScreen) -> None:
    from workbench.screens.said import notices_text
    from workbench.screens.text_screen import TextScreen, reading

    text = notices_text(main.log_of_notices.notices)
    main.app.push_screen(TextScreen("Notices, the last one first", reading(text)))


def _palette(main: MainScreen) -> None:
    from textual.command import CommandPalette

    from workbench.palette import CommandProvider

    main.app.push_screen(CommandPalette(providers=[CommandProvider], placeholder="Type a command"))


def _help(main: MainScreen) -> None:
    from workbench.help_text import help_text
    from workbench.screens.text_screen import TextScreen, reading

    main.app.push_screen(TextScreen("Keys and commands", reading(help_text(main.keys, main.situation))))


ACTS: Mapping[str, Act] = MappingProxyType(
    {
        "search": _search,
        "open": _open,
        "back": lambda main: main.code.step(-1),
        "forward": lambda main: main.code.step(1),
        "leave": _leave,
        "next-pane": _step_pane(1),
        "previous-pane": _step_pane(-1),
        "go-symbols": _pane(SYMBOLS),
        "go-code": _pane(CODE),
        "go-window": _pane(WINDOW),
        "view-outline": _view(OUTLINE),
        "view-semantic": _view(SEMANTIC),
        "view-source": _view(SOURCE),
        "view-diff": _view(DIFF),
        "next-view": lambda main: main.code.step_view(1),
        "previous-view": lambda main: main.code.step_view(-1),
        "zoom": _zoom,
        "pin": _pin,
        "dismiss": _dismiss,
        "copy": lambda main: main.session.copy_window(main.clipboard),
        "preview": _preview,
        "copy-view": _copy_view,
        "refresh": lambda main: main.session.refresh(),
        "cancel": lambda main: main.session.cancel(),
        "notices": _notices,
        "palette": _palette,
        "help": _help,
        "theme": lambda main: main.app.search_themes(),
        "quit": lambda main: main.app.exit(0),
    }
)
"""By the command's id."""
