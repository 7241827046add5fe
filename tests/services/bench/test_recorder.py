"""Long calls appear as operations, which whoever sees them may cancel."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from services.bench.bench import Bench
from services.bench.recorder import Recorder
from services.concurrency.cancellation import Job
from services.errors import Cancelled, WorkspaceError
from services.model import Progress
from services.ops.jobs import Op, OpState
from services.ops.ops import OperationService
from services.workspace.files.root import Root
from services.workspace.state import StateFolder
from tests.support.eventually import eventually
from tests.support.workspace import indexed, opened, project, write_workspace

FILES = {
    "P.csproj": project(),
    "A.cs": "namespace N; public class A { }",
    "B.cs": "namespace N; class B : A { }",
}
STEP = Progress(phase="Reading", done=1, total=2)


@pytest.fixture
def ops(tmp_path: Path) -> OperationService:
    return OperationService(StateFolder.open(Root.open(tmp_path)), {})


def listed(ops: OperationService) -> list[tuple[str, str, OpState]]:
    return [(op.kind, op.title, op.state) for op in ops.jobs.listed()]


def test_exports_and_packs_appear_with_what_came_of_them(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        bench.exports.write(outlines=True)
        bench.packs.build("P", filter="namespace:N")
        pack, export = bench.ops.jobs.listed()
        assert (export.kind, export.state, export.result["outlines"]) == ("export", OpState.DONE, 2)
        assert (pack.kind, pack.title, pack.result["types"]) == ("pack", "Build the pack P", 2)
        events = bench.ops.jobs.get(export.op_id).events
        assert [event.kind for event in events][-1] == "done"
        assert {event.kind for event in events[:-1]} == {"phase"}


def test_what_is_done_in_a_moment_does_not(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        assert not bench.state.path("ops.db").exists()


def test_work_that_lasts_appears_while_it_goes_on(ops: OperationService) -> None:
    told: list[Progress] = []
    with Recorder(lambda: ops)("index", "Index", Job(told.append), after=1e-9) as work:
        assert listed(ops) == []
        work.report(STEP)
        assert listed(ops) == [("index", "Index", OpState.RUNNING)]
        assert ops.jobs.listed()[0].progress.phase == "Reading"
        work.answer({"files": 2})
    assert told == [STEP]
    assert ops.jobs.listed()[0].result == {"files": 2}


def test_either_side_may_cancel_it(ops: OperationService) -> None:
    record = Recorder(lambda: ops)
    caller = threading.Event()
    with record("export", "Export", Job(None, caller)) as work:
        assert not work.cancel.is_set()
        caller.set()
        assert work.cancel.is_set()

    def cancelled_elsewhere() -> None:
        with record("export", "Export", Job()) as work:
            ops.cancel(ops.jobs.listed()[0].op_id)
            eventually(work.cancel.is_set)
            raise Cancelled("Cancelled by somebody else.")

    with pytest.raises(Cancelled):
        cancelled_elsewhere()
    assert listed(ops)[0][2] is OpState.CANCELLED


def test_an_error_is_told_and_goes_on(ops: OperationService) -> None:
    with pytest.raises(WorkspaceError), Recorder(lambda: ops)("pack", "Pack", Job()):
        raise WorkspaceError("No room.", path="x")
    op = ops.jobs.listed()[0]
    assert (op.state, op.error and op.error["message"]) == (OpState.FAILED, "No room.")


def test_what_cannot_be_recorded_is_done_all_the_same() -> None:
    def none() -> OperationService:
        raise WorkspaceError("The state folder cannot be written.", path="x")

    with Recorder(none)("export", "Export", Job()) as work:
        work.report(STEP)
        assert not work.cancel.is_set()


KILLED = """
import sys
from pathlib import Path
from services.bench.bench import Bench
from services.concurrency.cancellation import Job
from services.settings import Settings

with Bench.open(Path(sys.argv[1]), settings=Settings()) as bench, bench.recorder("export", "Export", Job()):
    print("begun", flush=True)
    sys.stdin.read()
"""


def test_work_of_a_process_that_was_killed_is_told_as_interrupted(tmp_path: Path) -> None:
    write_workspace(tmp_path, FILES)
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    with opened(tmp_path) as bench:
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"begun\n"
            assert _only(bench).state is OpState.RUNNING
            process.kill()
            process.wait()
        op = _only(bench)
        assert (op.state, op.error and op.error["code"]) == (OpState.FAILED, "Interrupted")


def _only(bench: Bench) -> Op:
    (op,) = bench.ops.jobs.listed()
    return op
