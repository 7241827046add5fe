"""Lasting operations: their progress and events, running and past; and their cancellation."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content

from services.ops import DATABASE
from services.semantic.investigator import KIND as INVESTIGATION
from widgets.format.display import visible
from widgets.format.shorten import counted, grouped
from widgets.lists.pick_list import PickList, PickRow
from workbench.dialogs.base import Key, bindings_of
from workbench.dialogs.listing import Listing, facts, paragraph

if TYPE_CHECKING:
    from services.bench import Bench
    from services.ops.jobs import Op

_Listed = tuple[tuple["Op", ...], dict[str, str], frozenset[str]]
"""Operations, something for each that differs where it does, and the kinds that are paused."""
_MOST = 200
_EVENTS = 200
_LOOK_EVERY = 0.5
_EMPTY = "Nothing that lasts was asked for: exports, packs, notes and reviews appear here, and indexing that takes long"
_SIGNS = {"queued": ".", "running": ">", "waiting": "?", "done": "+", "failed": "!", "cancelled": "-"}
_BAR = 20


class OperationsScreen(Listing[str]):
    """Operations of every process of the workspace, the latest first. Answers a place to open."""

    KEYS: ClassVar[Sequence[Key]] = (
        Key("enter,o", "open", "open what it names", row=True),
        Key("x,delete", "cancel", "cancel", row=True),
        Key("z", "pause", "pause", row=True),
        Key("p", "pin", "pin", row=True),
        Key("j", "page(1)", "events down", row=True),
        Key("k", "page(-1)", "up", row=True),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("operations", KEYS)

    def __init__(self, bench: Bench) -> None:
        super().__init__("Operations, the latest first", empty=_EMPTY)
        self._bench = bench
        self._ops: dict[str, Op] = {}
        self._shown: Op | None = None
        self._stamps: dict[str, str] = {}
        self._paused: frozenset[str] = frozenset()
        self._conclusion = ""

    def on_mount(self) -> None:
        """Look again and again, as long as this is open."""
        super().on_mount()
        self.set_interval(_LOOK_EVERY, self._look)

    def read(self) -> None:
        """All of them."""
        self.jobs.run("operations", self._listed, self._show)

    def about(self, row: PickRow) -> Content:
        """Return the description, progress and events of an operation."""
        op = (
            self._shown
            if self._shown is not None and self._shown.op_id == row.value
            else self._ops[row.value]
        )
        error = op.error or {}
        told = [f"{_clock(event.at)}  {event.kind:<9}  {event.text}" for event in op.events[-_EVENTS:]]
        left = len(op.events) - len(told)
        return Content("").join(
            (
                Content.styled(f"{visible(op.title)}\n\n", "bold"),
                facts(
                    ("state", f"{op.state}{_far(op)}"),
                    ("", _bar(op)),
                    ("kind", op.kind),
                    ("asked by", op.by),
                    ("asked at", _moment(op.created_at)),
                    ("took", _took(op)),
                    ("question", op.question),
                    ("attempts", str(op.attempts) if op.attempts > 1 else ""),
                    ("tokens", grouped(op.tokens_used) if op.tokens_used else ""),
                    ("error", str(error.get("message", ""))),
                    ("id", op.op_id),
                    ("paused", "nothing of its kind is begun" if op.kind in self._paused else ""),
                ),
                paragraph("Conclusion", self._conclusion.splitlines()) if op is self._shown else Content(""),
                paragraph("Events", [*([f"{counted(left, 'earlier event')} …"] if left else []), *told]),
            )
        )

    def show_detail(self) -> None:
        """Its events are read meanwhile."""
        super().show_detail()
        if op_id := self.current:
            self.jobs.run("events", lambda: self._told(op_id), self._show_op)

    def on_pick_list_selected(self, event: PickList.Selected) -> None:
        """Enter opens what it names."""
        event.stop()
        self.action_open()

    def action_open(self) -> None:
        """Open the last place or symbol that its events name."""
        op = self._shown
        refs = [ref for event in op.events for ref in event.refs] if op is not None else []
        if refs:
            self.dismiss(refs[-1])
        else:
            self.tell("It names no place that could be opened.")

    def action_page(self, pages: int) -> None:
        """Scroll the events."""
        around = self.query_one(VerticalScroll)
        around.scroll_relative(y=pages * max(1, around.size.height // 2), animate=False)

    def action_cancel(self) -> None:
        """Cancel it: at once where it is not running, else as soon as its worker notices, in any process."""
        op = self._ops.get(self.current)
        if op is None:
            return
        if op.state.is_end:
            self.tell(f"{op.title} has ended already.")
            return

        def told(now: Op) -> None:
            self.tell(f"{now.title} {'is cancelled' if now.state.is_end else 'will end in a moment'}.")
            self.read()

        self.jobs.act("cancel", lambda: self._bench.ops.cancel(op.op_id), told)

    def action_pause(self) -> None:
        """Begin no operation of the kind under the cursor any more, in any process, or begin them again."""
        op = self._ops.get(self.current)
        if op is None:
            return
        wanted = op.kind not in self._paused

        def paused(_: object) -> None:
            what = f"Operations of the kind {op.kind}"
            self.tell(f"{what} are paused; what was begun goes on." if wanted else f"{what} are begun again.")
            self.read()

        self.jobs.act("pause", lambda: self._bench.ops.pause(op.kind, is_paused=wanted), paused)

    def action_pin(self) -> None:
        """Pin what the investigation under the cursor concluded."""
        if not self._conclusion:
            self.tell("It concluded nothing that could be pinned.")
            return
        key, op_id = f"conclusion:{self.current}", self.current
        act = lambda: self._bench.undo.doing("pinning a conclusion", lambda: self._bench.window.pin(key))  # noqa: E731
        self.jobs.act(
            "pin", act, lambda _: self.tell(f"The conclusion of {self._ops[op_id].title} is pinned.")
        )

    def _told(self, op_id: str) -> tuple[Op, str]:
        """An operation with its events, and what it concluded."""
        op = self._bench.ops.jobs.get(op_id)
        kept = self._bench.investigator.store.get(op_id) if op.kind == INVESTIGATION else None
        return op, "" if kept is None else self._bench.inquiries.told(kept).text

    def _listed(self) -> _Listed:
        if not self._bench.state.path(DATABASE).exists():
            return (), {}, frozenset()
        jobs = self._bench.ops.jobs
        stamps, paused = jobs.stamps(), jobs.paused()
        return jobs.listed(most=_MOST), stamps, paused

    def _look(self) -> None:
        """Read again what is another by now."""
        self.jobs.run("operations", self._listed, self._show_changed)

    def _show_changed(self, found: _Listed) -> None:
        if found[1:] != (self._stamps, self._paused):
            self._show(found)

    def _show(self, found: _Listed) -> None:
        ops, self._stamps, self._paused = found
        self._ops = {op.op_id: op for op in ops}
        self.set_rows([_row(op) for op in ops])

    def _show_op(self, found: tuple[Op, str]) -> None:
        op, self._conclusion = found
        self._shown = op
        row = self.rows.current
        if row is not None and row.value == op.op_id:
            self.detail.update(self.about(row))


def _row(op: Op) -> PickRow:
    said = f"{op.state}{_far(op)}"
    return PickRow(
        op.op_id, op.title, said, sign=_SIGNS[op.state], tail=_moment(op.created_at), off=op.state.is_end
    )


def _far(op: Op) -> str:
    """` · 25 % · Reading C#`; of what has ended nothing."""
    progress = op.progress
    if op.state.is_end:
        return ""
    share = f"{100 * _share(op):.0f} %" if progress.total else grouped(progress.done) if progress.done else ""
    return "".join(f" · {each}" for each in (share, progress.phase) if each)


def _bar(op: Op) -> str:
    """`#####...............`; of what has ended, or has no known end, nothing."""
    return "" if op.state.is_end or not op.progress.total else f"{'#' * round(_share(op) * _BAR):.<{_BAR}}"


def _share(op: Op) -> float:
    return min(1.0, op.progress.done / (op.progress.total or 1))


def _took(op: Op) -> str:
    if op.started_at is None or op.ended_at is None:
        return ""
    return f"{(op.ended_at - op.started_at) / 1000:.1f} s"


def _clock(at: int) -> str:
    return f"{datetime.fromtimestamp(at / 1000).astimezone():%H:%M:%S}"


def _moment(at: int) -> str:
    return f"{datetime.fromtimestamp(at / 1000).astimezone():%m-%d %H:%M}"
