"""Jobs of a team under kills: workers of several processes, and a database that stops and starts."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TypeVar

import pytest

from services.errors import Busy, ReadOnly, UsageError
from services.model import Notice
from services.ops.jobs import JobRequest, OpState
from services.ops.ops import OperationService
from services.ops.rows import SCHEMA
from services.ops.sql_jobs import SqlJobs
from services.ops.worker import Run, work
from services.team.database import DatabaseAway, TeamDatabase, is_team_process_alive, team_process
from services.workspace.files.root import Root
from services.workspace.state import StateFolder
from tests.support.postgres import PostgresServer, shared_postgres

WORKER = """
import os, sys
from services.ops.rows import SCHEMA
from services.ops.sql_jobs import SqlJobs
from services.ops.worker import Worker
from services.team.database import TeamDatabase, is_team_process_alive, team_process

address, workspace, machine, log = sys.argv[1:]
done = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

def act(run):
    for step in ("one", "two"):
        run.step(step, lambda: os.write(done, f"{run.op.op_id} {step} {os.getpid()}\\n".encode()))
    return run.op.title

database = TeamDatabase(address, workspace, tables=SCHEMA)
jobs = SqlJobs(database, clock=database.clock, process=f"{machine}{team_process()}", alive=is_team_process_alive)
Worker(jobs, {"count": act}, lease=3.0, poll=0.05).start()
sys.stdin.read()
"""
JOBS = 120


class Machines:
    """Worker processes, each as though on a machine of its own."""

    def __init__(self, address: str, workspace: str, log: Path) -> None:
        self.log = log
        self.killed: set[int] = set()
        self._arguments = (address, workspace)
        self._running: list[subprocess.Popen[bytes]] = []

    def add(self) -> None:
        machine = f"machine{len(self._running)}{len(self.killed)}-"
        command = (sys.executable, "-c", WORKER, *self._arguments, machine, str(self.log))
        self._running.append(subprocess.Popen(command, stdin=subprocess.PIPE))

    def kill(self) -> None:
        victim = self._running.pop(0)
        victim.kill()
        victim.wait()
        self.killed.add(victim.pid)

    def end(self) -> None:
        for each in self._running:
            each.kill()
            each.wait()


@pytest.fixture(scope="module")
def server() -> PostgresServer:
    return shared_postgres()


def opened(address: str, workspace: str) -> SqlJobs:
    database = TeamDatabase(address, workspace, tables=SCHEMA)
    return SqlJobs(database, clock=database.clock, process=team_process(), alive=is_team_process_alive)


def asked(title: str) -> JobRequest:
    return JobRequest(kind="count", title=title, by="me", attempts=100)


def test_no_job_is_lost_or_done_twice_while_workers_are_killed_and_the_database_restarts(
    server: PostgresServer, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        jobs = stack.enter_context(closing(opened(server.address, str(tmp_path))))
        ids = [each.op_id for each in jobs.submit_all([asked(str(n)) for n in range(JOBS)])]
        machines = Machines(server.address, str(tmp_path), tmp_path / "log")
        stack.callback(machines.end)
        for _ in range(3):
            machines.add()
        for share, act in ((6, machines.kill), (4, server.stop), (2, machines.kill)):
            wait_until(jobs, len(ids) // share)
            act()
            if act == server.stop:
                server.start()
            else:
                machines.add()
        wait_until(jobs, len(ids))
        ops = [jobs.get(op_id) for op_id in ids]
    assert [op.state for op in ops] == [OpState.DONE] * JOBS
    assert [op.result for op in ops] == [str(n) for n in range(JOBS)]
    assert all([event.kind for event in op.events].count("done") == 1 for op in ops)
    lines = [tuple(line.split()) for line in machines.log.read_text().splitlines()]
    times = Counter((op_id, step) for op_id, step, _ in lines)
    assert set(times) == {(op_id, step) for op_id in ids for step in ("one", "two")}
    again = [line for line in lines if times[line[0], line[1]] > 1 and int(line[2]) not in machines.killed]
    assert len(again) == sum(n > 1 for n in times.values()), "only what a killed worker was at is done again"


def wait_until(jobs: SqlJobs, ended: int) -> None:
    """Until so many jobs have ended; the database may be away for a moment."""
    for _ in range(2_000):
        try:
            if jobs.count("count", (OpState.DONE, OpState.FAILED)) >= ended:
                return
        except Busy:
            pass
        time.sleep(0.02)
    raise AssertionError("jobs hang")


def test_one_delivery_that_two_machines_take_at_once_is_one_job(
    server: PostgresServer, tmp_path: Path
) -> None:
    address = server.address
    with closing(opened(address, str(tmp_path))) as here, closing(opened(address, str(tmp_path))) as there:
        for n in range(20):
            first = here.submit_once(asked(str(n)), [f"delivery {n}", f"content {n}"])
            again = there.submit_once(asked(str(n)), [f"content {n}", f"another {n}"])
            assert (first.is_new, again) == (True, (first.op_id, False))
        assert there.count("count", (OpState.QUEUED,)) == 20


def test_a_database_that_is_away_is_told_and_used_again_when_it_is_back(
    server: PostgresServer, tmp_path: Path
) -> None:
    database = TeamDatabase(server.address, str(tmp_path), tables=SCHEMA)
    with closing(SqlJobs(database, clock=database.clock)) as jobs:
        op_id = jobs.submit(asked("before")).op_id
        server.stop(signal.SIGQUIT)
        for _ in range(2):
            with pytest.raises(DatabaseAway, match="cannot be reached"):
                jobs.get(op_id)
        assert "cannot be reached" in database.notices()[0].message
        server.start()
        assert retried(lambda: jobs.get(op_id)).title == "before"
        assert database.notices() == ()


T = TypeVar("T")


def retried(call: Callable[[], T]) -> T:
    for _ in range(500):
        try:
            return call()
        except Busy:
            time.sleep(0.02)
    raise AssertionError("the database does not come back")


def test_one_step_waits_for_the_database_and_is_not_done_again(
    server: PostgresServer, tmp_path: Path
) -> None:
    acts: list[str] = []

    def handler(run: Run) -> int:
        def act() -> int:
            acts.append("act")
            server.stop()
            server.start()
            return 7

        return run.step("one", act)

    with closing(opened(server.address, str(tmp_path))) as jobs:
        op_id = jobs.submit(asked("a")).op_id
        claim = jobs.claim(["count"])
        assert claim is not None
        work(jobs, claim, handler)
        assert (jobs.get(op_id).result, jobs.get(op_id).attempts, acts) == (7, 1, ["act"])


def test_tables_of_a_later_version_are_left_alone_and_those_of_an_earlier_are_completed(
    server: PostgresServer, tmp_path: Path
) -> None:
    address = server.address
    database = TeamDatabase(address, str(tmp_path), tables="CREATE TABLE IF NOT EXISTS one (a INTEGER);")
    database.rows("SELECT a FROM one")
    with closing(TeamDatabase(address, str(tmp_path), tables=SCHEMA)) as later:
        assert later.rows("SELECT id FROM jobs") == []
        with later.transaction(durable=True) as db:
            db.execute("UPDATE made_by SET version = version + 1")
    with (
        closing(TeamDatabase(address, str(tmp_path), tables=SCHEMA)) as database,
        pytest.raises(ReadOnly, match="Update the program"),
    ):
        database.rows("SELECT id FROM jobs")


def test_a_user_without_rights_is_told_so(server: PostgresServer, tmp_path: Path) -> None:
    import psycopg

    address = server.address
    with psycopg.connect(address, autocommit=True) as db:
        db.execute("DROP ROLE IF EXISTS guest")
        db.execute("CREATE ROLE guest LOGIN")
    guest = address.replace("postgres@", "guest@")
    with (
        closing(TeamDatabase(guest, str(tmp_path), tables=SCHEMA)) as database,
        pytest.raises(ReadOnly, match="no rights"),
    ):
        database.rows("SELECT id FROM jobs")


def test_a_database_that_takes_no_writes_is_read(server: PostgresServer, tmp_path: Path) -> None:
    address = server.address
    with closing(opened(address, str(tmp_path))) as jobs:
        op_id = jobs.submit(asked("a")).op_id
    replica = f"{address}&options=-c%20default_transaction_read_only%3Don"
    with closing(opened(replica, str(tmp_path))) as jobs:
        assert jobs.get(op_id).title == "a"
        with pytest.raises(ReadOnly, match="takes no writes"):
            jobs.submit(asked("b"))


def test_a_delivery_waits_on_this_machine_while_the_database_is_away(
    server: PostgresServer, tmp_path: Path
) -> None:
    done = list[str]()

    def serving(state: StateFolder) -> OperationService:
        handlers = {"count": lambda run: done.append(run.op.title)}
        return OperationService(state, handlers, shared=lambda _: opened(server.address, str(tmp_path)))

    with StateFolder.open(Root.open(tmp_path)) as state:
        server.stop(signal.SIGQUIT)
        with closing(serving(state)) as ops:
            kept = ops.start_once(asked("one"), ["d1", "c1"])
            again = ops.start_once(asked("one"), ["c1"])
            assert (kept.is_new, again) == (True, (kept.op_id, False))
            assert "1 delivery waits" in ops.notices()[0].message
        with closing(serving(state)) as ops:  # the process was started again meanwhile
            ops.serve()
            server.start()
            assert retried(lambda: ended_once(ops, kept.op_id)) is OpState.DONE
            assert retried(lambda: ops.start_once(asked("one"), ["d1"])) == (kept.op_id, False)
            assert retried(lambda: notices_without_waiting(ops)) == ()
    assert done == ["one"]


def ended_once(ops: OperationService, op_id: str) -> OpState:
    """The state of an operation that has ended. Raises Busy before that, and where it is not queued yet."""
    try:
        state = ops.jobs.get(op_id).state
    except UsageError as error:
        raise Busy("not queued") from error
    if not state.is_end:
        raise Busy("not ended")
    return state


def notices_without_waiting(ops: OperationService) -> tuple[Notice, ...]:
    """The notices once no delivery waits. Raises Busy before: what forwards one may end after the job itself."""
    notices = ops.notices()
    if any("wait for the database" in each.message for each in notices):
        raise Busy("a delivery waits")
    return notices
