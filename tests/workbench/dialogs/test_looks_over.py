"""What opens over the main screen, at every size. The docstring says what to look for."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.support.stage import Stage
from tests.support.stage_bench import MemoryFiles, StageBench
from tests.support.stage_window import SECRET
from tests.workbench.main.test_looks import SIZES, Act, _compare_both


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
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("state", STATES)
def test_state(snap_compare, snapshot: SnapshotAssertion, state: str, size: str) -> None:
    """Rows, what the one under the cursor is, and the keys are there; what is wrong is said below what was typed."""
    act, make = STATES[state]
    assert _compare_both(snap_compare, snapshot, Stage(make), SIZES[size], act)


@pytest.mark.parametrize("size", SIZES)
def test_first_steps(snap_compare, snapshot: SnapshotAssertion, size: str) -> None:
    """One line over the keys says what to try."""
    stage = Stage(StageBench, personal=MemoryFiles())
    assert _compare_both(snap_compare, snapshot, stage, SIZES[size], _press("enter"))
