"""The promises of a queue of jobs, held against every engine: another one is put to them by adding it to `ENGINES`."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    MultipleResults,
    RuleBasedStateMachine,
    consumes,
    invariant,
    multiple,
    precondition,
    rule,
    run_state_machine_as_test,
)

from services.errors import UsageError
from services.ops.jobs import (
    ATTEMPTS,
    LEASE,
    Claim,
    Ending,
    JobQueue,
    JobRequest,
    LeaseLost,
    OpProgress,
    OpState,
)
from services.ops.rows import SCHEMA, job_file
from services.ops.sql_jobs import SqlJobs
from services.source.journal.database import Database
from services.team.database import TeamDatabase
from tests.support.postgres import shared_postgres


class Engine(Protocol):
    """Opens the same queue for another process of the test's making."""

    def __call__(self, process: str) -> SqlJobs: ...


class HandClock:
    """A boot clock that a test turns."""

    def __init__(self) -> None:
        self.time = 100.0

    def now(self) -> float:
        return self.time

    def boot(self) -> str:
        return "one boot"


def sqlite_engine(folder: Path, clock: HandClock, dead: set[str]) -> Engine:
    return lambda process: SqlJobs(
        job_file(folder / "ops.db"), clock=clock, process=process, alive=lambda each: each not in dead
    )


def team_engine(folder: Path, clock: HandClock, dead: set[str]) -> Engine:
    address = shared_postgres().address

    def opened(process: str) -> SqlJobs:
        database = TeamDatabase(address, str(folder), tables=SCHEMA)
        return SqlJobs(database, clock=clock, process=process, alive=lambda each: each not in dead)

    return opened


ENGINES: dict[str, Callable[[Path, HandClock, set[str]], Engine]] = {
    "postgresql": team_engine,
    "sqlite": sqlite_engine,
}
KINDS = ("export", "semantic")


class Promises(RuleBasedStateMachine):
    """Random calls of three processes that may die, beside what the promises say."""

    make = staticmethod(sqlite_engine)
    claims: Bundle[Claim] = Bundle("claims")

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.clock = HandClock()
        self.dead: set[str] = set()
        engine = self.make(Path(self.folder.name), self.clock, self.dead)
        self.processes = {name: engine(name) for name in ("a", "b", "c")}
        self.watcher = engine("watcher")
        self.ids: list[str] = []
        self.steps: dict[tuple[str, str], int] = {}
        self.holders: dict[str, tuple[int, str, float]] = {}
        self.ended: dict[str, OpState] = {}

    def teardown(self) -> None:
        for each in (*self.processes.values(), self.watcher):
            each.close()
        self.folder.cleanup()

    def jobs_of(self, process: str) -> JobQueue:
        return self.processes[process]

    def living(self) -> list[str]:
        return [name for name in self.processes if name not in self.dead]

    @rule(kind=st.sampled_from(KINDS), key=st.sampled_from(["", "x", "y"]), priority=st.integers(0, 2))
    def submit(self, kind: str, key: str, priority: int) -> None:
        request = JobRequest(kind=kind, title=key, by="me", key=key, priority=priority)
        open_before = [op.op_id for op in self.watcher.listed() if op.kind == kind and not op.state.is_end]
        submitted = self.watcher.submit(request)
        assert submitted.is_new or submitted.op_id in open_before
        if submitted.is_new:
            self.ids.append(submitted.op_id)

    @precondition(lambda self: self.living())
    @rule(target=claims, data=st.data(), lease=st.sampled_from([5.0, 30.0]))
    def claim(self, data: st.DataObject, lease: float) -> Claim | MultipleResults[Claim]:
        process = data.draw(st.sampled_from(self.living()))
        claim = self.jobs_of(process).claim(KINDS, lease=lease)
        if claim is None:
            return multiple()
        held = self.holders.get(claim.op.op_id)
        if held is not None:
            fence, holder, until = held
            assert claim.fence > fence, "a job is handed on under a higher number"
            assert holder in self.dead or self.clock.now() >= until, "nobody has a job that another one has"
        assert claim.op.op_id not in self.ended
        self.holders[claim.op.op_id] = (claim.fence, process, self.clock.now() + lease)
        return claim

    def holds(self, claim: Claim) -> bool:
        held = self.holders.get(claim.op.op_id)
        if held is None:
            return False
        fence, process, until = held
        return fence == claim.fence and process not in self.dead and self.clock.now() < until

    @precondition(lambda self: self.living())
    @rule(claim=claims, step=st.sampled_from(["one", "two"]), value=st.integers())
    def record(self, claim: Claim, step: str, value: int) -> None:
        try:
            self.watcher.record(claim, step, value)
        except LeaseLost:
            assert not self.holds(claim) or self.ended.get(claim.op.op_id)
        else:
            first = self.steps.setdefault((claim.op.op_id, step), value)
            assert self.watcher.recorded(claim)[step] == first, "a recorded step stays as it is"

    @rule(claim=claims)
    def extend(self, claim: Claim) -> None:
        try:
            self.watcher.extend(claim, lease=30.0)
        except LeaseLost:
            return
        fence, process, _ = self.holders[claim.op.op_id]
        assert fence == claim.fence, "only the last claim of a job can do anything"
        self.holders[claim.op.op_id] = (fence, process, self.clock.now() + 30.0)

    @precondition(lambda self: self.living())
    @rule(claim=claims, data=st.data())
    def outlive(self, claim: Claim, data: st.DataObject) -> None:
        """The lease of a claim ends, somebody else goes on, and its first holder comes back."""
        self.clock.time += 31
        self.claim(data, 30.0)
        with pytest.raises(LeaseLost):
            self.watcher.record(claim, "late", 1)
        with pytest.raises(LeaseLost):
            self.watcher.end(claim, Ending(result="late"))

    @rule(claim=consumes(claims), how=st.sampled_from(["done", "again", "failed", "cancelled", "back"]))
    def end(self, claim: Claim, how: str) -> None:
        ending = {
            "done": Ending(result=1),
            "again": Ending(error={"message": "later"}, again=True),
            "failed": Ending(error={"message": "no"}),
            "cancelled": Ending(is_cancelled=True),
            "back": Ending(is_given_back=True),
        }[how]
        try:
            op = self.watcher.end(claim, ending)
        except LeaseLost:
            return
        assert self.holders[claim.op.op_id][0] == claim.fence
        self.holders[claim.op.op_id] = (claim.fence, "nobody", 0.0)
        assert op.attempts <= ATTEMPTS
        if how == "again":
            assert op.state is (OpState.FAILED if op.attempts == ATTEMPTS else OpState.QUEUED)

    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        if self.ids:
            op_id = data.draw(st.sampled_from(self.ids))
            was = self.watcher.get(op_id).state
            now = self.watcher.cancel(op_id, "me").state
            assert now is (OpState.CANCELLED if was is OpState.QUEUED else was) or was is OpState.RUNNING

    @rule(seconds=st.sampled_from([0.5, 4.0, 31.0]))
    def time_passes(self, seconds: float) -> None:
        self.clock.time += seconds

    @precondition(lambda self: len(self.living()) > 1)
    @rule(data=st.data())
    def kill(self, data: st.DataObject) -> None:
        self.dead.add(data.draw(st.sampled_from(self.living())))

    @invariant()
    def nothing_is_lost(self) -> None:
        assert {op.op_id for op in self.watcher.listed()} == set(self.ids)

    @invariant()
    def what_has_ended_stays_so_and_says_it_last(self) -> None:
        for op_id in self.ids:
            op = self.watcher.get(op_id)
            assert [event.n for event in op.events] == list(range(1, len(op.events) + 1))
            if op.state.is_end:
                assert self.ended.setdefault(op_id, op.state) is op.state
                assert op.events[-1].kind == op.state
                assert sum(event.kind in ("done", "failed", "cancelled") for event in op.events) == 1
            else:
                assert op_id not in self.ended


@pytest.mark.parametrize("name", sorted(ENGINES))
def test_random_calls_keep_the_promises(name: str) -> None:
    machine = type(f"Promises_{name}", (Promises,), {"make": staticmethod(ENGINES[name])})
    # Shrinking would take minutes: each step is a transaction.
    phases = (Phase.explicit, Phase.generate)
    examples = 8 if name == "postgresql" else 25  # each makes its tables
    how = settings(max_examples=examples, stateful_step_count=40, deadline=None, phases=phases, database=None)
    run_state_machine_as_test(machine, settings=how)


@pytest.fixture(params=sorted(ENGINES))
def engine(request: pytest.FixtureRequest, tmp_path: Path, clock: HandClock, dead: set[str]) -> Engine:
    return ENGINES[request.param](tmp_path, clock, dead)


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def dead() -> set[str]:
    return set()


def asked(title: str = "t", **fields: object) -> JobRequest:
    return JobRequest(kind="export", title=title, by="me", **fields)  # pyright: ignore[reportArgumentType]


def test_who_was_overtaken_can_change_nothing(engine: Engine, clock: HandClock) -> None:
    first, second = engine("a"), engine("b")
    op_id = first.submit(asked()).op_id
    lost = first.claim(KINDS)
    assert lost is not None
    assert second.claim(KINDS) is None
    clock.time += LEASE
    held = second.claim(KINDS)
    assert held is not None
    assert held.fence > lost.fence
    for late in (
        lambda: first.extend(lost),
        lambda: first.record(lost, "one", 1),
        lambda: first.tell(lost, "step", "late"),
        lambda: first.progress(lost, OpProgress(done=1)),
        lambda: first.spend(lost, 10),
        lambda: first.hold(lost, is_waiting=True),
        lambda: first.end(lost, Ending(result="late")),
    ):
        with pytest.raises(LeaseLost):
            late()
    op = second.get(op_id)
    assert (op.state, op.events, op.tokens_used, op.progress) == (OpState.RUNNING, (), 0, OpProgress())
    assert second.end(held, Ending(result="in time")).result == "in time"


def test_what_is_begun_at_once_is_claimed_by_nobody_else(engine: Engine) -> None:
    here, there = engine("here"), engine("there")
    taken: list[str] = []

    def take(_: str) -> None:
        while (claim := there.claim(KINDS)) is not None:
            taken.append(claim.op.op_id)

    here._changed = take
    begun = here.begin(asked(key="k"))
    assert begun is not None
    assert (begun.op.state, begun.op.attempts, taken) == (OpState.RUNNING, 1, [])
    assert there.begin(asked(key="k")) is None
    assert here.end(begun, Ending(result="done")).result == "done"
    assert there.begin(asked(key="k")) is not None


def test_the_higher_priority_goes_first_then_the_older(engine: Engine) -> None:
    jobs = engine("a")
    ids = [
        jobs.submit(asked(title, priority=priority)).op_id
        for title, priority in (("old", 0), ("new", 0), ("high", 5))
    ]
    claimed = [claim.op.op_id for _ in range(3) if (claim := jobs.claim(KINDS)) is not None]
    assert claimed == [ids[2], ids[0], ids[1]]


def test_asking_again_with_more_haste_raises_what_waits(engine: Engine) -> None:
    jobs = engine("a")
    first = jobs.submit(asked("first")).op_id
    second = jobs.submit(asked("second", key="k")).op_id
    assert jobs.submit(asked("second", key="k", priority=9)) == (second, False)
    claim = jobs.claim(KINDS)
    assert claim is not None
    assert claim.op.op_id == second != first


def test_the_pause_before_each_attempt_doubles(engine: Engine, clock: HandClock) -> None:
    jobs = engine("a")
    jobs.submit(asked(attempts=4))
    for pause in (1.0, 2.0, 4.0):
        claim = jobs.claim(KINDS)
        assert claim is not None
        jobs.end(claim, Ending(error={"message": "later"}, again=True))
        clock.time += pause - 0.1
        assert jobs.claim(KINDS) is None
        clock.time += 0.2


@dataclass
class Wall:
    """The clock on the wall."""

    ms: int = 1_000_000_000_000


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> Wall:
    made = Wall()
    monkeypatch.setattr("services.ops.sql_jobs.now_ms", lambda: made.ms)
    return made


def test_a_job_that_is_left_lying_is_claimed_only_while_nobody_works_on_its_kind(
    engine: Engine, wall: Wall
) -> None:
    leader, other = engine("leader"), engine("other")
    for key in ("a", "b", "c"):
        leader.submit(asked(key))
    assert other.claim(KINDS, left_for=5.0) is None
    wall.ms += 5_000
    first = leader.claim(KINDS)
    assert first is not None
    assert other.claim(KINDS, left_for=5.0) is None, "one is worked on"
    leader.end(first, Ending(result=None))
    assert other.claim(KINDS, left_for=5.0) is None, "one was just ended"
    wall.ms += 5_001
    assert other.claim(KINDS, left_for=5.0) is not None


def test_a_delivery_is_known_again_after_the_clock_jumped(engine: Engine, wall: Wall) -> None:
    jobs, year = engine("a"), 365 * 86_400_000
    first = jobs.submit_once(asked(), ["one", "content"])
    for jump in (year, -2 * year, year):
        wall.ms += jump
        assert jobs.submit_once(asked(), [f"other {wall.ms}"]).op_id != first.op_id
        assert jobs.submit_once(asked(), ["content"]) == (first.op_id, False)


def test_a_delivery_is_forgotten_after_its_days_once_its_job_is_deleted(engine: Engine, wall: Wall) -> None:
    jobs = engine("a")
    first = jobs.submit_once(asked(), ["one"])
    jobs.cancel(first.op_id, "me")
    assert jobs.prune(0) == (first.op_id,)
    wall.ms += 29 * 86_400_000
    assert jobs.submit_once(asked(), ["one"]) == (first.op_id, False)
    wall.ms += 2 * 86_400_000
    assert jobs.submit_once(asked(), ["one"]).is_new


def test_jobs_that_ask_a_model_are_claimed_apart_within_a_kind(engine: Engine, wall: Wall) -> None:
    leader, other = engine("leader"), engine("other")
    asking = leader.submit(asked("asks", asks_model=True)).op_id
    plain = leader.submit(asked("plain")).op_id
    wall.ms += 5_000
    claim = leader.claim(KINDS, asks_model=False)
    assert claim is not None
    assert claim.op.op_id == plain
    assert leader.claim(KINDS, asks_model=False) is None
    left = other.claim(KINDS, left_for=5.0, asks_model=True)
    assert left is not None, "nobody works on any that ask"
    assert left.op.op_id == asking
    leader.submit(asked("more", asks_model=True))
    assert leader.claim(KINDS) is not None


FIRST_FORM = """
CREATE TABLE jobs (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, key TEXT NOT NULL, state TEXT NOT NULL, priority INTEGER NOT NULL,
    by TEXT NOT NULL, title TEXT NOT NULL, question TEXT NOT NULL, scope TEXT NOT NULL, payload TEXT NOT NULL,
    created_at INTEGER NOT NULL, started_at INTEGER, ended_at INTEGER, not_before REAL NOT NULL, boot TEXT NOT NULL,
    attempts INTEGER NOT NULL, most INTEGER NOT NULL, fence INTEGER NOT NULL, until REAL NOT NULL,
    process TEXT NOT NULL, progress TEXT NOT NULL, result TEXT NOT NULL, error TEXT NOT NULL, tokens INTEGER NOT NULL,
    cancelled INTEGER NOT NULL
) WITHOUT ROWID;
"""
"""The jobs of files that earlier versions made."""


def test_a_queue_that_an_earlier_version_made_goes_on(tmp_path: Path) -> None:
    made = Database(tmp_path / "ops.db", schema=FIRST_FORM)
    made.rows("SELECT id FROM jobs")
    made.close()
    with closing(SqlJobs(job_file(tmp_path / "ops.db"))) as jobs:
        asking = jobs.submit(asked("asks", asks_model=True)).op_id
        plain = jobs.submit(asked("plain")).op_id
        claims = [jobs.claim(KINDS, asks_model=asks) for asks in (False, True)]
        assert [claim and claim.op.op_id for claim in claims] == [plain, asking]


def test_a_job_whose_processes_all_died_has_failed_for_good(engine: Engine, dead: set[str]) -> None:
    watcher = engine("watcher")
    op_id = watcher.submit(asked()).op_id
    for name in ("a", "b", "c"):
        assert engine(name).claim(KINDS) is not None
        dead.add(name)
    assert watcher.claim(KINDS) is None
    op = watcher.get(op_id)
    assert (op.state, op.attempts) == (OpState.FAILED, ATTEMPTS)
    assert op.error is not None
    assert op.error["code"] == "Interrupted"


def test_a_running_job_hears_that_it_is_to_be_cancelled(engine: Engine) -> None:
    jobs = engine("a")
    op_id = jobs.submit(asked()).op_id
    claim = jobs.claim(KINDS)
    assert claim is not None
    assert jobs.extend(claim)
    engine("watcher").cancel(op_id, "me")
    assert not jobs.extend(claim)


def test_pruning_forgets_the_oldest_that_have_ended(engine: Engine) -> None:
    jobs = engine("a")
    ids = [jobs.submit(asked(str(number))).op_id for number in range(4)]
    for _ in range(3):
        claim = jobs.claim(KINDS)
        assert claim is not None
        jobs.end(claim, Ending(result=None))
    assert sorted(jobs.prune(1)) == sorted(ids[:2])
    assert [op.op_id for op in jobs.listed()] == [ids[3], ids[2]]


def test_what_failed_goes_on_as_a_new_job_from_the_recorded_steps(engine: Engine) -> None:
    queue = engine("a")
    op_id = queue.submit(asked(key="k", payload={"n": 1}, attempts=1)).op_id
    with pytest.raises(UsageError, match="is queued"):
        queue.resume(op_id, "me", lambda payload: payload)
    claim = queue.claim(KINDS)
    assert claim is not None
    queue.record(claim, "one", {"done": True})
    queue.end(claim, Ending(error={"message": "no"}))
    made = queue.resume(op_id, "you", lambda payload: {**payload, "m": 2})
    assert made.is_new
    held = queue.claim(KINDS)
    assert held is not None
    assert (held.op.op_id, held.op.by, held.payload) == (made.op_id, "you", {"n": 1, "m": 2})
    assert queue.recorded(held) == {"one": {"done": True}}
    again = queue.resume(op_id, "you", lambda payload: payload)
    assert again == (made.op_id, False), "one that runs under the key is answered"
    assert queue.get(op_id).state is OpState.FAILED
