"""Working on jobs: steps, cancelling, going on after a process has gone."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from services.errors import Busy, Cancelled, UsageError
from services.model import Progress
from services.ops import sql_jobs
from services.ops.jobs import JobRequest, OpState
from services.ops.ops import OperationService
from services.ops.rows import job_file
from services.ops.sql_jobs import SqlJobs
from services.ops.worker import Run, Worker
from services.workspace.files.root import Root
from services.workspace.state import StateFolder

STEPS = 3


@pytest.fixture
def state(tmp_path: Path) -> StateFolder:
    return StateFolder.open(Root.open(tmp_path))


def ended(ops: OperationService, op_id: str) -> OpState:
    """The state of an operation once it has ended; its events are read on the way."""
    list(ops.events(op_id))
    return ops.jobs.get(op_id).state


def until_ended(jobs: SqlJobs, op_id: str) -> OpState:
    """The state of a job once it has ended."""
    for _ in range(3_000):
        if (state := jobs.get(op_id).state).is_end:
            return state
        time.sleep(0.02)
    raise AssertionError("it hangs")


def test_what_is_started_is_done_and_told(state: StateFolder) -> None:
    def count(run: Run) -> int:
        for n in range(STEPS):
            run.step(f"step {n}", lambda: None)
            run.tell("step", f"{n} done", ["Some.Type"])
            run.progress(n + 1, STEPS, "counting")
        return STEPS

    ops = OperationService(state, {"count": count})
    ops.serve()
    op = ops.start("count", "Count to three")
    texts = [event.text for event in ops.events(op.op_id)]
    assert texts == ["0 done", "1 done", "2 done", "done"]
    op = ops.jobs.get(op.op_id)
    assert (op.state, op.result, op.progress.done, op.progress.total) == (OpState.DONE, 3, 3, 3)
    assert [event.n for event in ops.events(op.op_id, after=2)] == [3, 4]
    ops.close()


def test_an_operation_that_failed_says_why(state: StateFolder) -> None:
    def refuse(run: Run) -> None:
        raise UsageError("Say what to count.", hint="a number")

    ops = OperationService(state, {"count": refuse})
    op = ops.run(ops.start("count", "Count").op_id)
    assert op.state is OpState.FAILED
    assert op.error == {"code": "BadRequest", "message": "Say what to count.", "hint": "a number"}
    assert op.events[-1].text == "Say what to count."
    ops.close()


def test_what_may_pass_is_tried_again(state: StateFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql_jobs, "FIRST_PAUSE", 0.0)
    attempts: list[int] = []

    def busy_once(run: Run) -> str:
        attempts.append(1)
        if len(attempts) == 1:
            raise Busy("Somebody else is at it.")
        return "there"

    ops = OperationService(state, {"count": busy_once})
    ops.serve()
    op = ops.start("count", "Count")
    assert ended(ops, op.op_id) is OpState.DONE
    assert ops.jobs.get(op.op_id).attempts == len(attempts) == 2
    ops.close()


def test_cancelling_reaches_what_is_running(state: StateFolder) -> None:
    begun = threading.Event()

    def wait(run: Run) -> None:
        begun.set()
        run.cancel.wait(60)
        run.checkpoint()

    ops = OperationService(state, {"wait": wait}, lease=30)
    ops.serve()
    op = ops.start("wait", "Wait")
    assert begun.wait(60)
    ops.cancel(op.op_id)
    assert ended(ops, op.op_id) is OpState.CANCELLED
    ops.close()


def test_a_job_that_waits_for_a_person_holds_no_other_up(state: StateFolder) -> None:
    agreed, waiting = threading.Event(), threading.Event()

    def ask(run: Run) -> bool:
        run.hold(is_waiting=True)
        waiting.set()
        told = agreed.wait(60)
        run.hold(is_waiting=False)
        return told

    jobs = SqlJobs(job_file(state.path("ops.db")))
    worker = Worker(jobs, {"ask": ask, "count": lambda run: 1}, poll=0.02)
    worker.start()
    asked = jobs.submit(JobRequest(kind="ask", title="Ask", by="me")).op_id
    assert waiting.wait(60)
    for _ in range(2):
        counted = jobs.submit(JobRequest(kind="count", title="Count", by="me")).op_id
        assert until_ended(jobs, counted) is OpState.DONE
    assert jobs.get(asked).state is OpState.WAITING
    agreed.set()
    assert until_ended(jobs, asked) is OpState.DONE
    assert jobs.get(asked).result
    worker.close()
    jobs.close()


def test_a_worker_that_closes_leaves_its_job_to_the_next_one(state: StateFolder) -> None:
    begun = threading.Event()
    seen: list[str] = []

    def wait(run: Run) -> str:
        run.step("first", lambda: seen.append("first"))
        begun.set()
        if len(seen) < 2:
            seen.append("waited")
            run.cancel.wait(60)
            run.checkpoint()
        return "done"

    jobs = SqlJobs(job_file(state.path("ops.db")))
    op_id = jobs.submit(JobRequest(kind="wait", title="Wait", by="me")).op_id
    first = Worker(jobs, {"wait": wait})
    first.start()
    assert begun.wait(60)
    first.close()
    assert jobs.get(op_id).state is OpState.QUEUED
    ops = OperationService(state, {"wait": wait})
    assert ops.run(op_id).result == "done"
    assert seen == ["first", "waited"]
    assert ops.jobs.get(op_id).attempts == 1


def test_what_is_done_here_and_now_is_seen_by_others(state: StateFolder) -> None:
    ops, other = OperationService(state, {}), OperationService(state, {})
    with ops.recorded("export", "Export everything") as run:
        assert run is not None
        run.report(Progress(phase="Writing", done=1, total=2))
        run.report(Progress(phase="Writing", done=2, total=2))
        (op,) = other.jobs.listed()
        assert (op.state, op.title) == (OpState.RUNNING, "Export everything")
    ended = other.jobs.get(op.op_id)
    assert [event.kind for event in ended.events] == ["phase", "done"]

    with pytest.raises(Cancelled), ops.recorded("export", "Export"):
        raise Cancelled("Enough.")
    assert other.jobs.listed()[0].state is OpState.CANCELLED


@pytest.mark.parametrize("damaged", [b"", bytes(300), b'{"opId": "op_'])
def test_a_damaged_file_of_an_operation_is_written_again(state: StateFolder, damaged: bytes) -> None:
    ops = OperationService(state, {"count": lambda run: 1})
    file = f"ops/{ops.run(ops.start('count', 'Count').op_id).op_id}.json"
    ops.close()
    before = state.read(file)
    state.write(file, damaged)
    again = OperationService(state, {})
    assert state.read(file) == before
    assert again.notices() == ()
    again.close()


@pytest.mark.parametrize("act", [Path.unlink, lambda file: file.write_bytes(b"")], ids=["deleted", "emptied"])
def test_files_tell_of_operations_when_the_database_is_gone(
    state: StateFolder, act: Callable[[Path], object]
) -> None:
    ops = OperationService(state, {"count": lambda run: run.tell("step", "one") or 1})
    done = ops.run(ops.start("count", "Count").op_id)
    waiting = ops.start("count", "Count more", question="how many?")
    assert state.read(f"ops/{done.op_id}.json") is not None
    ops.close()
    for name in state.where.glob("ops.db*"):
        act(name)

    again = OperationService(state, {"count": lambda run: 1})
    (told,) = again.notices()
    assert "2 operations were read from ops/" in told.message
    found = again.jobs.get(done.op_id)
    assert (found.state, found.result, [event.text for event in found.events]) == (
        OpState.DONE,
        1,
        ["one", "done"],
    )
    found = again.jobs.get(waiting.op_id)
    assert (found.state, found.question) == (OpState.FAILED, "how many?")
    assert found.error is not None
    assert found.error["code"] == "Interrupted"
    again.close()
    then = OperationService(state, {})
    assert not then.notices()
    then.close()


WORKER = """
import sys
from pathlib import Path
from services.ops.rows import job_file
from services.ops.sql_jobs import SqlJobs
from services.ops.worker import Worker

def act(run):
    for n in range(3):
        run.step(str(n), lambda: n)
        run.tell("step", str(n))
    return run.op.title

worker = Worker(SqlJobs(job_file(Path(sys.argv[1]))), {"count": act}, poll=0.02)
worker.start()
sys.stdin.read()
"""


def test_jobs_survive_processes_that_are_killed(tmp_path: Path) -> None:
    jobs = SqlJobs(job_file(tmp_path / "ops.db"))
    requests = [JobRequest(kind="count", title=str(n), by="me", attempts=50) for n in range(60)]
    ids = [jobs.submit(request).op_id for request in requests]
    workers: list[subprocess.Popen[bytes]] = []
    kills = 0
    while any(not op.state.is_end for op in jobs.listed(most=1000)):
        workers = [each for each in workers if each.poll() is None]
        while len(workers) < 2:
            command = [sys.executable, "-c", WORKER, str(tmp_path / "ops.db")]
            workers.append(subprocess.Popen(command, stdin=subprocess.PIPE))
        time.sleep(0.4)
        if kills < 4:
            workers[kills % 2].kill()
            workers[kills % 2].wait()
            kills += 1
    for each in workers:
        each.kill()
        each.wait()
    ops = [jobs.get(op_id) for op_id in ids]
    assert Counter(op.state for op in ops) == {OpState.DONE: len(ids)}
    assert [op.result for op in ops] == [request.title for request in requests]
    told = {op.op_id: Counter(event.text for event in op.events if event.kind == "step") for op in ops}
    assert all(set(each) == {"0", "1", "2"} for each in told.values()), "no step was left out"
