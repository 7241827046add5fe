"""Pictures of the workbench in one state, at every size, of one run."""

from __future__ import annotations

import re
from collections.abc import Iterable
from time import monotonic
from types import TracebackType
from typing import Self

import msgspec
from pytest_textual_snapshot import SVGImageExtension
from syrupy.assertion import SnapshotAssertion
from syrupy.exceptions import SnapshotDoesNotExist

from tests.support.compact_svg import first_difference
from tests.support.stage import SIZE, Stage
from widgets.chrome.patch_line import PatchLine
from workbench.edits.patch_pane import PatchPane

SIZES = {"drawn": SIZE, "narrow": (80, 24), "wide": (200, 60)}
READ_AGO = 12.0
LOCK_LEFT = 101.0
PATIENCE = 20.0
"""Seconds until a screen is taken as it is: a pilot's pause ends where the process gets no time, as on a busy machine,
so a screen that is not yet as it was kept may only be late."""


class Album:
    """Album of pictures, compared with accepted ones; differences are reported at the end, when all are taken.

    `with Album(snapshot) as album: await album.take(stage, "name")`"""

    def __init__(self, snapshot: SnapshotAssertion, sizes: Iterable[str] = SIZES) -> None:
        self._sizes = tuple(sizes)
        self._snapshot = snapshot.use_extension(SVGImageExtension)
        self.taken: list[str] = []
        self.others: list[str] = []
        self._patience = 0.0 if self._snapshot.update_snapshots else PATIENCE

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            assert self.taken, "no picture was taken"
            assert self.others == [], "not as they were:\n" + "\n".join(self.others)

    async def take(self, stage: Stage, state: str = "", *, rests: bool = True, quiet: bool = True) -> None:
        """Take the pictures of the screen. `rests`: whether everything comes to an end there; `quiet`: without
        toasts."""
        for size in self._sizes:
            if stage.app.size != SIZES[size]:
                await stage.pilot.resize_terminal(*SIZES[size])
            name = "-".join(filter(None, (state, size)))
            kept, end = self._kept(name), monotonic() + self._patience
            picture = await _drawn(stage, rests=rests, quiet=quiet)
            while self._serialized(picture) != kept and monotonic() < end:
                picture = await _drawn(stage, rests=rests, quiet=quiet)
            self._compare(name, picture)
        if stage.app.size != SIZE:
            await stage.pilot.resize_terminal(*SIZE)
        await stage.pilot.pause()

    def _serialized(self, picture: str) -> object:
        return self._snapshot.extension.serialize(picture)

    def _kept(self, name: str) -> object:
        """The picture of that name, serialized; None where there is none yet."""
        try:
            return self._snapshot.extension.read_snapshot(
                test_location=self._snapshot.test_location, index=name, session_id=""
            )
        except SnapshotDoesNotExist:
            return None

    def _compare(self, name: str, picture: str) -> None:
        self.taken.append(name)
        if not self._snapshot(name=name) == picture:  # noqa: SIM201 - the snapshot's == is what compares
            self._patience = 0.0  # what is wrong is told at once
            result = list(self._snapshot.executions.values())[-1]
            kept, drawn = str(result.recalled_data or ""), str(result.asserted_data or "")
            self.others.append(f"{name}: {first_difference(kept, drawn)}")


async def _drawn(stage: Stage, *, rests: bool, quiet: bool) -> str:
    stage.still()
    await (stage.rest(quiet=quiet) if rests else stage.pilot.pause(0.1))
    await _stop_times(stage)
    return stage.app.export_screenshot(title="CodeCortex")


async def _stop_times(stage: Stage) -> None:
    """Stop the clocks of token and lock."""
    for pane in stage.app.screen_stack[0].query(PatchPane).results(PatchPane):
        for timer in pane._timers:
            timer.pause()
    for line in stage.app.screen_stack[0].query(PatchLine).results(PatchLine):
        if line.state is not None:
            line.state = msgspec.structs.replace(
                line.state,
                read_ago=READ_AGO,
                lock=re.sub(r"claude\S*", "claude/s1", line.state.lock),
                lock_left=min(line.state.lock_left, LOCK_LEFT),
            )
    await stage.pilot.pause()
