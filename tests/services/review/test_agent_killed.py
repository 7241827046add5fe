"""The review agent in the program itself, which is killed while it works and started again."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from services.bench.bench import Bench
from services.ops.jobs import Op, OpState
from services.review.agent import KIND
from tests.support.eventually import eventually
from tests.support.review_change import CODE, committed, write

TRIES = 20
"""A program that had done before it was killed is started for another change."""


def program(folder: Path) -> subprocess.Popen[bytes]:
    words = ["review-agent", "--wait", "--json", "--root", str(folder)]
    return subprocess.Popen([sys.executable, "-m", "workbench", *words], stdout=subprocess.PIPE)


def answered(folder: Path) -> Any:
    with program(folder) as process:
        assert process.stdout is not None
        return json.loads(process.stdout.read())


def begun(bench: Bench, event: str, known: frozenset[str]) -> str:
    """The new operation, as soon as it has told something."""

    def look() -> str | None:
        for op in bench.ops.jobs.listed(kinds=[KIND]):
            told = bench.ops.jobs.get(op.op_id).events
            if op.op_id not in known and any(each.kind == event for each in told):
                return op.op_id
        return None

    return eventually(look) or ""


def killed_while_at_work(bench: Bench, event: str) -> Op:
    """An operation whose process was killed once it had told something."""
    for number in range(TRIES):
        write(bench, CODE.replace("return a;", f"throw new NotImplementedException(); // {number}"))
        known = frozenset(op.op_id for op in bench.ops.jobs.listed(kinds=[KIND]))
        with program(bench.root) as process:
            op_id = begun(bench, event, known)
            process.kill()
        op = bench.ops.jobs.get(op_id)
        if not op.state.is_end:
            return op
    raise AssertionError("it was always done before it could be killed")


@pytest.mark.parametrize("event", ["fetched", "analyzed"])
def test_it_goes_on_after_kill_9_from_the_steps_that_are_recorded(tmp_path: Path, event: str) -> None:
    with committed(tmp_path) as bench:
        op = killed_while_at_work(bench, event)
        assert op.state is OpState.QUEUED
        before = time.time_ns() // 1_000_000
        done = answered(tmp_path)
        assert (done["opId"], done["state"], done["attempts"]) == (op.op_id, "done", 2)
        told = bench.ops.jobs.get(op.op_id).events
        assert [each.n for each in told] == list(range(1, len(told) + 1))
        assert any(each.at < before for each in told), "what the killed one told is still there"
        comments = [(each.file, each.line, each.text) for each in bench.review.review("").review.comments]
        assert len(set(comments)) == len(comments) > 0


def test_a_process_that_opens_the_workspace_goes_on_with_it(tmp_path: Path) -> None:
    with committed(tmp_path) as bench:
        op = killed_while_at_work(bench, "fetched")
        bench.watch()
        eventually(lambda: bench.ops.jobs.get(op.op_id).state is OpState.DONE)
        assert bench.ops.jobs.get(op.op_id).attempts == 2
