"""What opens over the main screen, at every size. The docstring says what to look for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

from services.operations.models import testing
from services.ops.jobs import Op, OpEvent, OpProgress, OpState
from services.testing import values
from tests.support.album import Album
from tests.support.stage import Stage, on_stage
from tests.support.stage_bench import MemoryFiles, StageBench
from tests.support.stage_window import SECRET
from tests.workbench.main.test_looks import Act


def _made(change: Callable[[StageBench], object]) -> Callable[[], StageBench]:
    def make() -> StageBench:
        bench = StageBench()
        change(bench)
        return bench

    return make


def _kept(bench: StageBench) -> None:
    bench.presets.kept = {"previous": ("Row",), "review [b]": ("Tree", "Row")}


def _packs(bench: StageBench) -> None:
    bench.packs.build("leaves", filter="type:L* !tag:test")
    bench.packs.build("trees", filter="namespace:Orchard")
    bench.packs.activate("leaves")


def _lacking(bench: StageBench) -> None:
    bench.advice.lacking = True
    bench.models.choose("claude-opus", None)


def _secrets(bench: StageBench) -> None:
    bench.copying.secrets = (SECRET,)


class _Ops:
    """One that runs, one that failed, one that is done, and what the first told."""

    def __init__(self) -> None:
        self.jobs = self
        shared = {"by": "kim/4711", "created_at": 1_763_910_000_000, "started_at": 1_763_910_000_500}
        events = tuple(
            OpEvent(n=n, at=1_763_910_001_000 + n, kind="phase", text=text)
            for n, text in enumerate(("Relating types", "Writing [b]outlines[/b]"), 1)
        )
        self._ops = (
            Op(op_id="op_1", kind="export", state=OpState.RUNNING, title="Export the index", events=events,
               progress=OpProgress(done=210, total=860, phase="Writing [b]outlines[/b]"), **shared),
            Op(op_id="op_2", kind="review", state=OpState.FAILED, title="Review of \x1b[31m main", **shared,
               ended_at=1_763_910_009_000, error={"code": "RemoteError", "message": "The server is away."}),
            Op(op_id="op_3", kind="pack", state=OpState.DONE, title="Build the pack leaves", **shared,
               ended_at=1_763_910_001_000),
        )  # fmt: skip

    def listed(self, *, most: int) -> tuple[Op, ...]:
        return self._ops[:most]

    def paused(self) -> frozenset[str]:
        return frozenset()

    def stamps(self) -> dict[str, str]:
        return {op.op_id: op.state for op in self._ops}

    def get(self, op_id: str) -> Op:
        return next(op for op in self._ops if op.op_id == op_id)


def _operations(bench: StageBench) -> None:
    bench.ops = _Ops()  # pyright: ignore[reportAttributeAccessIssue]
    bench.state.path = lambda name: Path(__file__)


def _failures(bench: StageBench) -> None:
    failures = (
        values.TestFailure(name="Orchard.Tests.TreeTests.Grows(age: [b]3[/b])",
                           message="Expected: 4\nActual: \x1b[31m3",
                    stack="   at Orchard.Tests.TreeTests.Grows(Int32 age) in src/Orchard/Tree.cs:line 12",
                    places=(values.TestPlace(file="src/Orchard/Tree.cs", line=12),)),
        values.TestFailure(name="CS1002", kind="build", message="; expected"),
    )  # fmt: skip
    answer = testing.TestRunAnswer(
        success=False, command="dotnet test Orchard.sln", diff="", passed=41, failed=1, failures=failures
    )
    bench.state.read = lambda name: msgspec.json.encode(answer) if name == "tests/last.json" else None


def _press(*keys: str) -> Act:
    async def act(stage: Stage) -> None:
        await stage.press(*keys)

    return act


async def _filter(stage: Stage) -> None:
    await stage.press("escape", "p", "e")
    await stage.type(" depend:x")


async def _refused(stage: Stage) -> None:
    await stage.press("escape", "comma", "down", "enter", "ctrl+u")
    await stage.type("much")


PINNED = ("escape", "space", "down", "space")
STATES: dict[str, tuple[Act, Callable[[], StageBench]]] = {
    "lacking": (_press(*PINNED, "3"), _made(_lacking)),
    "advice": (_press(*PINNED, "w"), _made(_lacking)),
    "context": (_press("escape", "f", "a", "ctrl+s"), StageBench),
    "explained": (_press(*PINNED, "W"), _made(_lacking)),
    "secrets": (_press(*PINNED, "y"), _made(_secrets)),
    "copy-as": (_press(*PINNED, "Y"), StageBench),
    "packs": (_filter, _made(_packs)),
    "no-packs": (_press("escape", "p"), StageBench),
    "presets": (_press(*PINNED, "alt+s", "down"), _made(_kept)),
    "models": (_press(*PINNED, "B"), _made(_lacking)),
    "settings": (_refused, StageBench),
    "operations": (_press("escape", "f9"), _made(_operations)),
    "failures": (_press("escape", "percent_sign"), _made(_failures)),
    "no-operations": (_press("escape", "f9"), StageBench),
}


@pytest.mark.parametrize("state", STATES)
async def test_state(snapshot: SnapshotAssertion, state: str) -> None:
    """Rows, what the one under the cursor is, and the keys are there; what is wrong is said below what was typed."""
    act, make = STATES[state]
    async with on_stage(make()) as stage:
        with Album(snapshot) as album:
            await act(stage)
            await album.take(stage)


async def test_first_steps(snapshot: SnapshotAssertion) -> None:
    """One line over the keys says what to try."""
    async with on_stage(personal=MemoryFiles()) as stage:
        with Album(snapshot) as album:
            await stage.press("enter")
            await album.take(stage)
