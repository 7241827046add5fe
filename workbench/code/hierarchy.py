"""Callers, callees, bases and overrides or derived types, as trees that unfold step by step; each row can be pinned
and opened."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.getters import query_one

from services.model import Direction, Relative, is_member_id
from widgets.format.kinds import KIND_GLYPHS
from widgets.lists.pick_list import PickList, PickRow
from workbench.dialogs.base import Key, bindings_of
from workbench.dialogs.listing import Listing, Pins, facts
from workbench.ui.choice_line import ChoiceLine

if TYPE_CHECKING:
    from services.bench import Bench
    from workbench.state.session import Session

_VIEWS = (
    (Direction.CALLERS, "Callers"),
    (Direction.CALLEES, "Callees"),
    (Direction.BASES, "Bases, overridden"),
    (Direction.DERIVED, "Derived, overrides"),
)
_NONE = {
    Direction.CALLERS: "Nothing here calls or uses it",
    Direction.CALLEES: "It calls nothing of this workspace",
    Direction.BASES: "It has no bases, and overrides nothing",
    Direction.DERIVED: "Nothing here derives from it, overrides or implements it",
}

_READING = "Files are still being read: rows may be missing, and are added when they are found."


class Branch(Struct, eq=False):
    """A row of a tree. `following`: None until it was unfolded once; `folded`: they are not shown."""

    relative: Relative
    depth: int = 0
    following: list[Branch] | None = None
    folded: bool = True

    @property
    def id(self) -> str:
        """The id of its symbol; empty for one outside the workspace."""
        return self.relative.symbol.id if self.relative.symbol else ""


def shown(branches: Sequence[Branch]) -> list[Branch]:
    """Branches with those below them that are unfolded, top down."""
    return [
        each
        for branch in branches
        for each in (branch, *(shown(branch.following or ()) if not branch.folded else ()))
    ]


def merged(before: Sequence[Branch] | None, relatives: Sequence[Relative], depth: int) -> list[Branch]:
    """Branches of what is found now; those that were there stay as far unfolded as they are."""
    known = {branch.id: branch for branch in before or () if branch.id}
    made = [Branch(each, depth) for each in relatives]
    for at, branch in enumerate(made):
        if was := known.get(branch.id):
            was.relative, made[at] = branch.relative, was
    return made


class HierarchyScreen(Listing[str | None]):
    """Answers a place to open."""

    KEYS: ClassVar[Sequence[Key]] = (
        Key("enter", "open", "open", row=True),
        Key("right", "unfold", "unfold", row=True),
        Key("left", "fold", "fold", row=True),
        Key("space", "pin", "pin, unpin", row=True),
        Key("P", "pin_body", "pin body", row=True),
        Key("tab", "view(1)", "next tree"),
        Key("shift+tab", "view(-1)"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("hierarchy", KEYS)
    choices = query_one(ChoiceLine)

    def __init__(self, bench: Bench, session: Session, pins: Pins, target: str) -> None:
        super().__init__("Hierarchy", empty="Looking …", code=bench)
        self._bench = bench
        self._session = session
        self._pins = pins
        self._target = target
        self._direction = Direction.CALLERS
        self._trees: dict[Direction, list[Branch]] = {}
        self._rows: list[Branch] = []
        self._lacking: set[Direction] = set()
        """Those that were looked at while files were still being read."""
        self._cancel = threading.Event()

    def head(self) -> ComposeResult:
        """The directions there are."""
        yield ChoiceLine([(str(view), title) for view, title in _VIEWS], id="over-head")

    def read(self) -> None:
        """Read the neighbours of the symbol in the direction shown."""
        self.choices.chosen = str(self._direction)
        if self._direction in self._trees:
            self._show()
            return
        self.rows.empty = "Looking …"
        self.set_rows(())
        self._look(self._target, None)
        self.jobs.run("symbol", lambda: self._bench.lookup.resolve(self._target).symbol, self._entitle)

    def about(self, row: PickRow) -> Content:
        """Return the location."""
        relative = self._rows[int(row.value)].relative
        symbol = relative.symbol
        return facts(
            (str(symbol.kind) if symbol else "name", relative.name),
            ("in", f"{relative.file}:{relative.line}" if relative.file else ""),
            ("project", symbol.project if symbol else ""),
            ("times", str(relative.count) if relative.count > 1 else ""),
            ("", relative.note),
        )

    def place_of(self, row: PickRow) -> str:
        """Return the location of the call, or of its declaration."""
        branch = self._rows[int(row.value)]
        is_call = self._direction is Direction.CALLERS and branch.relative.file
        return f"{branch.relative.file}:{branch.relative.line}" if is_call else branch.id

    def on_unmount(self) -> None:
        """Cancel the reading."""
        self._cancel.set()

    def on_choice_line_chosen(self, event: ChoiceLine.Chosen) -> None:
        """A direction was clicked."""
        event.stop()
        self._turn(Direction(event.choice))

    def on_pick_list_selected(self, event: PickList.Selected) -> None:
        """Enter, or a double click."""
        event.stop()
        self.action_open()

    def on_pins_changed(self) -> None:
        """Rows show what is pinned."""
        self._show()

    def on_index_changed(self) -> None:
        """Read incomplete rows again; hidden ones when they are shown."""
        lacking, self._lacking = self._lacking, set()
        for direction in lacking - {self._direction}:
            self._trees.pop(direction, None)
        if self._direction in lacking:
            unfolded = [branch for branch in self._rows if branch.following is not None]
            self._look(self._target, None)
            for branch in unfolded:
                self._look(branch.id, branch, again=True)

    def action_view(self, steps: int) -> None:
        """Another direction."""
        names = [name for name, _ in _VIEWS]
        self._turn(names[(names.index(self._direction) + steps) % len(names)])

    def action_open(self) -> None:
        """Show what is under the cursor: where it calls, or its declaration."""
        row = self.rows.current
        if row is not None and (place := self.place_of(row)):
            self.dismiss(place)

    def action_pin(self) -> None:
        """Pin what is under the cursor, or unpin it."""
        if (branch := self._branch) is not None and branch.id:
            self._pins.toggle_target(branch.id, branch.relative.name)

    def action_pin_body(self) -> None:
        """Pin the source of what is under the cursor."""
        branch = self._branch
        if branch is not None and branch.id:
            self._session.pin_body(branch.id, label=branch.relative.name, is_member=is_member_id(branch.id))
            self.tell(f"The source of {branch.relative.name} is pinned.")

    def action_unfold(self) -> None:
        """Show what it leads to, below it."""
        branch = self._branch
        if branch is None or not branch.id:
            return
        branch.folded = False
        if branch.following is None:
            self._look(branch.id, branch)
        else:
            self._show()

    def action_fold(self) -> None:
        """Hide what is below it, or go to what it is below."""
        branch = self._branch
        if branch is None:
            return
        if branch.folded or not branch.following:
            above = (
                row for row in reversed(self._rows[: self._rows.index(branch)]) if row.depth < branch.depth
            )
            branch = next(above, branch)
        else:
            branch.folded = True
        self._show(at=branch)

    @property
    def _branch(self) -> Branch | None:
        return self._rows[int(self.current)] if self.current else None

    def _turn(self, direction: Direction) -> None:
        self._direction = direction
        self._cancel.set()
        self._cancel = threading.Event()
        self.rows.set_rows(())
        self.read()

    def _look(self, target: str, branch: Branch | None, *, again: bool = False) -> None:
        direction, cancel = self._direction, self._cancel
        depth = branch.depth + 1 if branch is not None else 0

        if self._session.is_reading:
            self._lacking.add(direction)

        def found(relatives: Sequence[Relative]) -> None:
            if branch is None:
                self._trees[direction] = merged(self._trees.get(direction), relatives, depth)
            else:
                branch.following = merged(branch.following, relatives, depth)
            if direction is self._direction and not cancel.is_set():
                self._show(at=None if again else branch)

        self.jobs.run(
            f"look {target} {id(branch)}",
            lambda: self._bench.hierarchy.step(target, direction, cancel=cancel),
            found,
        )

    def _show(self, *, at: Branch | None = None) -> None:
        at = at or self._branch
        self._rows = shown(self._trees.get(self._direction, ()))
        self.rows.empty = _NONE[self._direction]
        self.remark(_READING if self._direction in self._lacking else "")
        place = next((n for n, row in enumerate(self._rows) if row is at), 0)
        pinned = self._pins.is_pinned
        self.set_rows(
            [_row(n, each, pinned=pinned(each.id)) for n, each in enumerate(self._rows)], at=str(place)
        )
        if at is not None:
            self.reveal(len(shown((at,))) - 1)

    def _entitle(self, symbol: object) -> None:
        if name := getattr(symbol, "path", ""):
            self.pane.title = f"Hierarchy of {name}"


def _row(number: int, branch: Branch, *, pinned: bool) -> PickRow:
    its = branch.relative
    if not branch.id:
        sign = " "
    elif branch.following is not None and not branch.following:
        sign = "·"
    else:
        sign = "▸" if branch.folded else "▾"
    glyph = KIND_GLYPHS[its.symbol.kind] if its.symbol else " "
    label = its.symbol.label if its.symbol else its.name
    container = its.symbol.container.rpartition(".")[2] if its.symbol else ""
    detail = "  ".join(part for part in (container, its.note) if part)
    return PickRow(
        str(number), f"{'  ' * branch.depth}{sign} {glyph} {label}", detail,
        tail=f"{its.count}×" if its.count > 1 else "", off=bool(its.note and "name" in its.note),
        sign="●" if pinned else " ",
    )  # fmt: skip
