"""What the commands about items of the prompt window do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from services.model import Level

if TYPE_CHECKING:
    from workbench.main.frame import Frame

Act = Callable[["Frame"], None]


def _level(steps: int) -> Act:
    def change(main: Frame) -> None:
        item = main.window.items.current
        if item is None:
            return
        levels = levels_of(item.kind)
        shown = item.wanted or item.level or levels[0]
        at = levels.index(shown) + steps if shown in levels else 0
        if 0 <= at < len(levels):
            main.session.change(
                lambda bench: bench.set_level(item.key, levels[at]), f"showing {item.label} as {levels[at]}"
            )
        else:
            said = (
                "There is no more to show of it."
                if steps > 0
                else "Less cannot be shown of it: x takes it out."
            )
            main.app.notify(said, markup=False, timeout=3)

    return change


def _move(places: int) -> Act:
    def move(main: Frame) -> None:
        item, window = main.window.items.current, main.window.window
        if item is None or window is None:
            return
        keys = [each.key for each in window.items if each.pinned]
        at = keys.index(item.key) + places
        if not 0 <= at < len(keys):
            main.app.notify("It is the first." if places < 0 else "It is the last.", markup=False, timeout=3)
        elif places < 0:
            main.session.change(lambda bench: bench.move(item.key, before=keys[at]), f"moving {item.label}")
        else:
            main.session.change(lambda bench: bench.move(item.key, after=keys[at]), f"moving {item.label}")

    return move


def levels_of(kind: str) -> tuple[Level, ...]:
    """The levels of detail that items of a kind have, least first."""
    from services.prompt.state.items import KINDS

    return KINDS[kind].levels


def _take_recent(main: Frame) -> None:
    main.session.change(lambda bench: bench.curation.pin_recent(), "taking in what is recent")


def _clear_recent(main: Frame) -> None:
    main.session.change(lambda bench: bench.curation.clear_recent(), "clearing what is recent")


WINDOW_ACTS: Mapping[str, Act] = MappingProxyType(
    {
        "more": _level(1),
        "less": _level(-1),
        "move-up": _move(-1),
        "move-down": _move(1),
        "take-recent": _take_recent,
        "clear-recent": _clear_recent,
    }
)
"""By the command's id."""
