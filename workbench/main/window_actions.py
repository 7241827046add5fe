"""Actions about items of the prompt window."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from services.model import Level, WindowItem
from widgets.format.shorten import counted, grouped

if TYPE_CHECKING:
    from workbench.main.frame import Frame

Action = Callable[["Frame"], None]

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
            _ask(main, item, *found, budget=window.budget)
        else:
            _set_level(main, item, found[0])

    main.jobs.act("weigh", weigh, weighed)


def _ask(main: Frame, item: WindowItem, level: Level, cost: int, *, budget: int) -> None:
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
