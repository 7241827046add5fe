"""Actions about places: searching, stepping, comparing, going to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from msgspec.structs import replace

from workbench.commands.situation import CHANGES, CODE, DIFF, GREP, SOURCE, USAGES
from workbench.ui.messages import RunCommand

if TYPE_CHECKING:
    from workbench.main.frame import Frame
    from workbench.state.ui_state import DiffOptions, Mark

Action = Callable[["Frame"], None]

_MOST_AROUND = 99
"""Lines around each change of a diff."""


def _grep(main: Frame) -> None:
    main.grep.set_options(replace(main.grep.options, object="", called=""))
    _ask_pattern(main)


def _ask_pattern(main: Frame) -> None:
    main.focus_pane(GREP)
    main.grep.box.input.select_all()


def _grep_here(main: Frame) -> None:
    target, called = main.code.within
    if main.about.is_diff and (change := main.code.diff.change):
        target, called = change.path, change.path.rpartition("/")[2]
    main.grep.set_options(replace(main.grep.options, object=target, called=called))
    _ask_pattern(main)


def _grep_object(main: Frame) -> None:
    if main.grep.options.object:
        main.grep.toggle("object")
    else:
        _grep_here(main)


def _symbol_meant(main: Frame) -> str:
    """Return the open symbol, or the place under the cursor."""
    symbol = main.code.symbol if main.pane == CODE and not main.about.is_diff else None
    target = symbol.id if symbol else main.situation.subject.target if main.situation.subject else ""
    if (main.pane in (GREP, USAGES) or main.about.is_diff) and (place := main.about.place):
        target = f"{place[0]}:{place[1]}"
    return target.partition(":")[2] if target.startswith(("type:", "member:")) else target


def _usages(main: Frame) -> None:
    main.usages.show(_symbol_meant(main))
    main.focus_pane(USAGES)


def _tree(main: Frame) -> None:
    from workbench.code.tree import TreeScreen

    def chosen(file: str | None) -> None:
        if file:
            main.open(file)

    if bench := main.session.bench:
        place = main.code.source.place
        main.app.push_screen(TreeScreen(bench, main.pinning, place[0] if place else ""), chosen)


def _hierarchy(main: Frame) -> None:
    from workbench.code.hierarchy import HierarchyScreen

    bench, target = main.session.bench, _symbol_meant(main)
    if bench is None or not target:
        return

    def chosen(place: str | None) -> None:
        if place:
            main.open(place)

    main.app.push_screen(HierarchyScreen(bench, main.session, main.pinning, target), chosen)


def _diff(main: Frame) -> None:
    main.code.view = DIFF
    main.left = CHANGES
    main.changes.open(at=main.code.file)
    main.focus_pane(CODE)


def _compare(main: Frame) -> None:
    from workbench.ui.picker import Picked, Picker, commits, scope_of

    bench = main.session.bench
    if bench is None:
        return

    def picked(answer: Picked | None) -> None:
        if answer is not None:
            main.changes.compare(scope_of(answer))
            main.code.view = DIFF
            main.focus_pane(CHANGES)

    note = "enter: the commit · {picker.otherwise:ctrl+t}: the tree against it · shift+↓: a range"
    main.app.push_screen(
        Picker(
            "Compare",
            commits(bench),
            placeholder="a commit, A..B, a patch file, clipboard, D1, an address",
            note=note,
        ),
        picked,
    )


def _quick_open(main: Frame) -> None:
    from workbench.code.source_part import PlacePreview
    from workbench.ui.picker import Picked, Picker, files_and_symbols

    bench = main.session.bench
    if bench is None:
        return

    def picked(answer: Picked | None) -> None:
        if answer is not None:
            main.symbols.box.earlier = answer.earlier
            main.open(answer.values[0])

    picker = Picker(
        "Go to a file or symbol",
        files_and_symbols(bench),
        placeholder="a name, or a part of a path",
        preview=PlacePreview(bench),
        earlier=main.symbols.box.earlier,
    )
    main.app.push_screen(picker, picked)


def _places(main: Frame) -> None:
    from workbench.code.source_part import PlacePreview
    from workbench.ui.picker import Picked, Picker, filtered, visited

    bench = main.session.bench
    if bench is None:
        return

    def picked(answer: Picked | None) -> None:
        if answer is not None:
            main.open(answer.values[0])

    rows = filtered(visited(main.code.visits.history.others))
    picker = Picker("Places visited, the last first", rows, placeholder="a name", preview=PlacePreview(bench))
    main.app.push_screen(picker, picked)


def _mark(main: Frame) -> None:
    from workbench.state.ui_state import Mark
    from workbench.ui.picker import Picked, Picker, filtered, marks

    place, symbol = main.code.place, main.code.symbol
    label = symbol.path if symbol else main.code.file
    mark = Mark("", main.code.opened, label)
    if place is not None:
        inside = symbol is not None and symbol.file == place[0]
        mark = replace(mark, place=f"{place[0]}:{place[1]}")
        if symbol is not None and inside:
            mark = replace(mark, symbol=symbol.id, offset=place[1] - symbol.start_line)

    def picked(answer: Picked | None) -> None:
        if answer is not None:
            letter = answer.values[0]
            others = (each for each in main.marks if each.letter != letter)
            main.marks = (*others, replace(mark, letter=letter))
            main.update_keys()
            main.toast(f"{label} is marked as {letter}; {main.keys.first('go-mark')}{letter} goes there.")

    picker = Picker(
        f"A letter for {label}",
        filtered(marks(main.marks)),
        placeholder="a letter",
        note="a letter marks · enter: the one shown",
        at_once=lambda typed: typed if len(typed) == 1 and typed.isalpha() else None,
        empty="No mark yet: press a letter",
    )
    main.app.push_screen(picker, picked)


def _go_mark(main: Frame) -> None:
    from workbench.ui.picker import Picked, Picker, filtered, marks

    known = {mark.letter: mark for mark in main.marks}

    def picked(answer: Picked | None) -> None:
        if answer is not None:
            _go_to(main, known[answer.values[0]])

    picker = Picker(
        "Go to a mark",
        filtered(marks(main.marks)),
        placeholder="its letter",
        at_once=lambda typed: typed if typed in known else None,
        empty=f"No mark here: {main.keys.first('mark')} marks where you are" if not known else "",
    )
    main.app.push_screen(picker, picked)


def _go_to(main: Frame, mark: Mark) -> None:
    """Go to the line of a mark, where the symbol around it is now."""
    bench = main.session.bench
    if bench is None or not mark.symbol:
        main.open(mark.place)
        return

    def moved() -> str:
        symbol = bench.lookup.resolve(mark.symbol).symbol
        return f"{symbol.file}:{symbol.start_line + mark.offset}" if symbol else mark.place

    main.jobs.run("mark", moved, main.open, failed=lambda _: main.open(mark.place))


def _step_place(direction: int) -> Action:
    """Return the action for the next hunk, match or usage, or for the previous one (-1)."""

    def step(main: Frame) -> None:
        if main.pane == CHANGES or (main.pane == CODE and main.code.view == DIFF):
            main.code.diff.step(direction)
            return
        results = main.results
        if main.pane == CODE and main.code.view == SOURCE:
            line = main.code.source.step_hit(direction, wrap=results is None)
            if line is not None or results is None:
                if results is not None and line is not None:
                    results.at(main.code.file, line)
                return
        if results is not None:
            main.stepping = main.pane in (GREP, USAGES)
            results.step(direction)

    return step


def _menu(main: Frame) -> None:
    from workbench.ui.picker import FOLLOW, Picked, Picker, commands, filtered, name_row

    def picked(answer: Picked | None) -> None:
        if answer is None:
            return
        if answer.values[0] == FOLLOW:
            main.code.follow_name()
        else:
            main.post_message(RunCommand(answer.values[0]))

    subject = main.situation.subject
    title = f"What can be done with {subject.label}" if subject else "What can be done here"
    name = main.code.pointed if main.pane == CODE else ""
    rows = [*([name_row(name)] if name else []), *commands(main.keys, main.situation)]
    main.app.push_screen(Picker(title, filtered(rows)), picked)


def _pin_body(main: Frame) -> None:
    subject = main.situation.subject
    if (place := main.about.place) is not None:
        main.session.pin_enclosing(*place)
    elif subject is not None:
        main.session.pin_body(subject.target.removeprefix("member:"), label=subject.label)


def _toggle(switch: str) -> Action:
    return lambda main: main.grep.toggle(switch)


def _step_file(files: int) -> Action:
    def step(main: Frame) -> None:
        main.code.view = DIFF
        if not main.changes.step(files):
            said = "This is the last file." if files > 0 else "This is the first file."
            main.app.notify(said, markup=False, timeout=3)

    return step


def _diff_option(change: Callable[[DiffOptions], DiffOptions]) -> Action:
    def act(main: Frame) -> None:
        main.code.diff.set_options(change(main.code.diff.options))

    return act


def _wrap(main: Frame) -> None:
    if main.code.view == DIFF:
        _diff_option(lambda options: replace(options, wrap=not options.wrap))(main)
    else:
        main.code.source.wraps = not main.code.source.wraps


def _context(lines: int) -> Action:
    around = _diff_option(
        lambda options: replace(options, context=min(_MOST_AROUND, max(0, options.context + 3 * lines)))
    )
    return lambda main: around(main) if main.situation.is_diff else main.grep.more_context(lines)


PLACE_ACTIONS: Mapping[str, Action] = MappingProxyType(
    {
        "quick-open": _quick_open,
        "places": _places,
        "mark": _mark,
        "go-mark": _go_mark,
        "grep": _grep,
        "grep-here": _grep_here,
        "usages": _usages,
        "hierarchy": _hierarchy,
        "tree": _tree,
        "definition": lambda main: main.code.go_to_definition(),
        "up": lambda main: main.code.go_up(),
        "back": lambda main: main.code.go_back(),
        "next-place": _step_place(1),
        "previous-place": _step_place(-1),
        "next-file": _step_file(1),
        "previous-file": _step_file(-1),
        "view-diff": _diff,
        "compare": _compare,
        "pin-enclosing": _pin_body,
        "diff-split": _diff_option(lambda options: replace(options, split=not options.split)),
        "wrap": _wrap,
        "diff-space": _diff_option(lambda options: replace(options, ignore_space=not options.ignore_space)),
        "grep-regex": _toggle("regex"),
        "grep-case": _toggle("case"),
        "grep-word": _toggle("word"),
        "grep-files": _toggle("files"),
        "grep-object": _grep_object,
        "grep-more": _context(1),
        "grep-less": _context(-1),
        "bound-only": lambda main: main.usages.toggle_bound(),
        "menu": _menu,
    }
)
"""By the command's id."""
