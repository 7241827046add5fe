"""The engine of jobs: a few tables in SQL, which all processes of a workspace share.

They are in SQLite for one machine, and in PostgreSQL for a team, by the same statements: rows that a transaction
decides by are locked, which SQLite, with its one writer, does by itself."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import msgspec

from services.decoding import decode
from services.errors import ReadOnly, UsageError
from services.ops.jobs import (
    FIRST_PAUSE,
    LEASE,
    Claim,
    Ending,
    JobRequest,
    LeaseLost,
    Op,
    OpEvent,
    OpProgress,
    OpState,
    SubmittedJob,
)
from services.ops.rows import (
    FIELDS,
    ROW,
    JobConnection,
    JobDatabase,
    among,
    as_json,
    event_of,
    new_op_id,
    op_found,
    op_in,
    op_of,
    row_of,
    said,
    tell,
)
from services.source.journal.clock import BootClock, LeaseClock, is_alive, this_process
from services.source.journal.database import now_ms

_OPEN = "state IN ('queued', 'running', 'waiting')"
_HELD = "state IN ('running', 'waiting')"
_HOLDERS = f"SELECT id, boot, until, process FROM jobs WHERE {_HELD}"  # noqa: S608 - our own words
_ASKS = "{}.id IN (SELECT job FROM asking)"
_LEFT = (
    " AND created_at <= ? AND NOT EXISTS (SELECT 1 FROM jobs AS worked WHERE worked.kind = jobs.kind"  # noqa: S608
    f" AND ({_ASKS.format('worked')}) = ({_ASKS.format('jobs')})"
    f" AND (worked.{_HELD} OR worked.started_at IS NOT NULL AND worked.ended_at > ?))"
)
_TOLD_AT_ONCE = 50
"""Most jobs of one submission that are announced individually."""
_KNOWN_FOR = 30 * 86_400_000
"""Milliseconds for which a delivery is known again."""
_DELIVERY = "INTO deliveries VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
_INTERRUPTED = {"code": "Interrupted", "message": "Each process that worked on it ended before it was done."}


class SqlJobs:
    """Job queue in a database, with the guarantees of `services.ops.jobs`."""

    def __init__(
        self,
        database: JobDatabase,
        *,
        clock: LeaseClock | None = None,
        process: str | None = None,
        alive: Callable[[str], bool] = is_alive,
        changed: Callable[[str], None] = lambda _: None,
    ) -> None:
        """`process`: the name of this process in claims; `alive`: whether the process of a name still runs;
        `changed`: receives the ids of jobs whose state changed."""
        self._database = database
        self._clock = clock or BootClock()
        self._process = process or this_process()
        self._alive = alive
        self._changed = changed

    def close(self) -> None:
        """Close the database; what was committed stays."""
        self._database.close()

    @contextlib.contextmanager
    def _changing(self) -> Iterator[tuple[JobConnection, set[str]]]:
        """Transaction that changes states; it yields the connection and the set of changed ids, which is passed to
        `changed` after the commit."""
        ids: set[str] = set()
        with self._database.transaction(durable=True) as db:
            yield db, ids
        for op_id in sorted(ids):
            self._changed(op_id)

    def submit(self, request: JobRequest) -> SubmittedJob:
        """Implement Jobs.submit; a request of higher priority raises the priority of the job under its key."""
        return self.submit_all([request])[0]

    def submit_all(self, requests: Sequence[JobRequest]) -> list[SubmittedJob]:
        """Implement Jobs.submit_all. Large submissions are not announced individually: each job is announced when it
        is begun."""
        with self._changing() as (db, changed):
            made = [self._submitted(db, request) for request in requests]
            new = [each.op_id for each in made if each.is_new]
            changed.update(new if len(new) <= _TOLD_AT_ONCE else new[:1])
            return made

    def submit_once(self, request: JobRequest, ids: Sequence[str], *, op_id: str = "") -> SubmittedJob:
        """Queue a job for deliveries of these ids, or return the one that any of them created before: also one that
        has ended, and was deleted, within the last 30 days. The job and its ids are one transaction.
        It is announced when it is begun: whoever delivers waits for the answer. `op_id`: the id that a new job gets."""
        op_id, among = op_id or new_op_id(), f"id IN ({', '.join('?' * len(ids))})"
        with self._database.transaction(durable=True) as db:
            now = now_ms()
            # Those of listed jobs stay: a clock that jumps ahead for a moment forgets none of the latest.
            old = "DELETE FROM deliveries WHERE at < ? AND job NOT IN (SELECT id FROM jobs)"
            db.execute(old, (now - _KNOWN_FOR,))
            # What another transaction writes at this moment is waited for; in one order, so that none waits for ever.
            for each in sorted(set(ids)):
                db.execute(f"INSERT {_DELIVERY}", (each, op_id, now))
            others = f"SELECT job FROM deliveries WHERE {among} AND job != ?"  # noqa: S608 - our own words
            found = db.execute(others, (*ids, op_id)).fetchone()
            made = SubmittedJob(found[0], is_new=False) if found else self._submitted(db, request, op_id)
            if made.op_id != op_id:
                own = f"UPDATE deliveries SET job = ? WHERE {among} AND job = ?"  # noqa: S608 - our own words
                db.execute(own, (made.op_id, *ids, op_id))
            return made

    def resume(self, op_id: str, by: str, altered: Callable[[Any], Any]) -> SubmittedJob:
        """Queue the work of a job that failed or was cancelled as a new one, which goes on from the recorded steps.
        `altered`: makes the payload of that of the old job. Raises UsageError where it has not ended so."""
        with self._changing() as (db, changed):
            op = self._locked(db, op_id)
            if op.state not in (OpState.FAILED, OpState.CANCELLED):
                raise UsageError(
                    f"{op_id} is {op.state}: only what failed or was cancelled is resumed.", opId=op_id
                )
            asks = "EXISTS (SELECT 1 FROM asking WHERE job = id)"
            row = f"SELECT key, payload, priority, most, {asks} FROM jobs WHERE id = ?"  # noqa: S608 - our own words
            key, payload, priority, most, asks = db.execute(row, (op_id,)).fetchone()
            request = JobRequest(
                kind=op.kind, title=op.title, by=by, key=key, question=op.question, scope=op.scope,
                payload=altered(decode(Any, payload)), priority=priority, attempts=most, asks_model=bool(asks),
            )  # fmt: skip
            made = self._submitted(db, request)
            if made.is_new:
                steps = "INSERT INTO steps SELECT ?, step, result FROM steps WHERE job = ?"
                db.execute(steps, (made.op_id, op_id))
                changed.add(made.op_id)
            return made

    def _submitted(self, db: JobConnection, request: JobRequest, op_id: str = "") -> SubmittedJob:
        """Insert a job, unless one is open under its key: also one that another transaction inserts meanwhile."""
        op_id = op_id or new_op_id()
        while not self._inserted(db, op_id, request):
            # As `jobs_keys` has it: without its every word another index is taken, which is of all that is open.
            keyed = f"SELECT id FROM jobs WHERE kind = ? AND key = ? AND key != '' AND {_OPEN}"  # noqa: S608
            found = db.execute(keyed, (request.kind, request.key)).fetchone()
            if found is not None:
                raised = (request.priority, found[0], request.priority)
                db.execute("UPDATE jobs SET priority = ? WHERE id = ? AND priority < ?", raised)
                return SubmittedJob(found[0], is_new=False)
        if request.asks_model:
            db.execute("INSERT INTO asking VALUES (?)", (op_id,))
        return SubmittedJob(op_id, is_new=True)

    def _inserted(self, db: JobConnection, op_id: str, request: JobRequest) -> bool:
        row = row_of(op_id, request, at=now_ms(), boot=self._clock.boot())
        return db.execute(f"INSERT {ROW} ON CONFLICT DO NOTHING", row).rowcount == 1

    def claim(
        self,
        kinds: Collection[str],
        *,
        lease: float = LEASE,
        only: str | None = None,
        left_for: float = 0.0,
        asks_model: bool | None = None,
    ) -> Claim | None:
        """Implement Jobs.claim; the highest priority first, then the oldest."""
        if only is None:
            kinds = sorted({*kinds} - self.paused())
        if not self._waiting(kinds, only):
            return None
        with self._changing() as (db, changed):
            self._reclaim(db, changed)
            row = db.execute(*self._next(kinds, only, left_for, asks_model)).fetchone()
            if row is None:
                return None
            op_id, fence = row
            changed.add(op_id)
            return self._claimed(db, op_id, fence + 1, lease)

    def begin(self, request: JobRequest, *, lease: float = LEASE) -> Claim | None:
        """Implement Jobs.begin."""
        with self._changing() as (db, changed):
            op_id, is_new = self._submitted(db, request)
            if not is_new:
                return None
            changed.add(op_id)
            return self._claimed(db, op_id, 1, lease)

    def _claimed(self, db: JobConnection, op_id: str, fence: int, lease: float) -> Claim:
        db.execute(
            "UPDATE jobs SET state = 'running', fence = ?, attempts = attempts + 1, process = ?, boot = ?,"
            " until = ?, started_at = coalesce(started_at, ?) WHERE id = ?",
            (fence, self._process, self._clock.boot(), self._clock.now() + lease, now_ms(), op_id),
        )
        payload = db.execute("SELECT payload FROM jobs WHERE id = ?", (op_id,)).fetchone()[0]
        return Claim(op=op_in(db, op_id), payload=decode(Any, payload), fence=fence)

    def pause(self, kind: str, *, is_paused: bool) -> None:
        """Implement Jobs.pause."""
        added = "INSERT INTO paused VALUES (?) ON CONFLICT DO NOTHING"
        act = added if is_paused else "DELETE FROM paused WHERE kind = ?"
        with self._database.transaction(durable=True) as db:
            db.execute(act, (kind,))

    def paused(self) -> frozenset[str]:
        """Implement Jobs.paused."""
        return frozenset(kind for (kind,) in self._database.rows("SELECT kind FROM paused"))

    def count(self, kind: str, states: Collection[OpState], *, within: float | None = None) -> int:
        """Implement Jobs.count."""
        query = f"SELECT count(*) FROM jobs WHERE kind = ? AND state IN ({', '.join('?' * len(states))})"  # noqa: S608
        since = () if within is None else (now_ms() - int(within * 1_000),)
        return self._database.rows(query + (" AND ended_at > ?" if since else ""), kind, *states, *since)[0][
            0
        ]

    def _waiting(self, kinds: Collection[str], only: str | None) -> bool:
        """Whether a job may be waiting: checked first, since a transaction blocks other writers."""
        query = f"SELECT 1 FROM jobs WHERE {_OPEN} AND {among(kinds, only)} LIMIT 1"  # noqa: S608
        return bool(self._database.rows(query, *kinds, *([only] if only else [])))

    def _next(
        self, kinds: Collection[str], only: str | None, left_for: float, asks_model: bool | None
    ) -> tuple[str, tuple[object, ...]]:
        since = now_ms() - int(left_for * 1_000)
        query = (
            f"SELECT id, fence FROM jobs WHERE state = 'queued' AND {among(kinds, only)}"  # noqa: S608 - our own words
            f" AND (not_before <= ? OR boot != ?) AND ({_ASKS.format('jobs')}) IN (?, ?){_LEFT if left_for else ''}"
            " ORDER BY priority DESC, id LIMIT 1"
            f"{self._database.row_lock if only else self._database.skip_locked}"
        )
        asks = (False, True) if asks_model is None else (asks_model, asks_model)
        times = (self._clock.now(), self._clock.boot(), *asks, *((since, since) if left_for else ()))
        return query, (*kinds, *([only] if only else []), *times)

    def _reclaim(self, db: JobConnection, changed: set[str]) -> None:
        """Takes back what a worker had whose lease lapsed or whose process is gone."""
        now = self._clock.now()
        fields = "SELECT boot, until, process, attempts, most, cancelled FROM jobs"
        locked = f"{fields} WHERE id = ? AND {_HELD}{self._database.skip_locked}"
        for op_id, *holder in db.execute(_HOLDERS).fetchall():
            # Locked are only rows that look lost, and those are looked at again.
            row = db.execute(locked, (op_id,)).fetchone() if self._is_lost(now, *holder) else None
            if row is None or not self._is_lost(now, *row[:3]):
                continue
            attempts, most, cancelled = row[3:]
            changed.add(op_id)
            if cancelled:
                self._end(db, op_id, OpState.CANCELLED, text="cancelled")
            elif attempts >= most:
                self._end(db, op_id, OpState.FAILED, text=_INTERRUPTED["message"], error=_INTERRUPTED)
            else:
                db.execute(
                    "UPDATE jobs SET state = 'queued', not_before = 0, process = '' WHERE id = ?", (op_id,)
                )

    def extend(self, claim: Claim, *, lease: float = LEASE) -> bool:
        """Implement Jobs.extend."""
        with self._database.transaction(durable=False) as db:
            self._require(db, claim)
            db.execute("UPDATE jobs SET until = ? WHERE id = ?", (self._clock.now() + lease, claim.op.op_id))
            return not db.execute("SELECT cancelled FROM jobs WHERE id = ?", (claim.op.op_id,)).fetchone()[0]

    def record(self, claim: Claim, step: str, result: Any) -> None:
        """Implement Jobs.record."""
        with self._database.transaction(durable=True) as db:
            self._require(db, claim)
            db.execute(
                "INSERT INTO steps VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                (claim.op.op_id, step, as_json(result)),
            )

    def recorded(self, claim: Claim) -> dict[str, Any]:
        """Implement Jobs.recorded."""
        rows = self._database.rows("SELECT step, result FROM steps WHERE job = ?", claim.op.op_id)
        return {step: decode(Any, result) for step, result in rows}

    def tell(self, claim: Claim, kind: str, text: str, refs: Sequence[str] = ()) -> OpEvent:
        """Append an event to a claimed job."""
        with self._database.transaction(durable=False) as db:
            self._require(db, claim)
            return tell(db, claim.op.op_id, kind, text, tuple(refs))

    def progress(self, claim: Claim, progress: OpProgress) -> None:
        """Implement Jobs.progress."""
        with self._database.transaction(durable=False) as db:
            self._require(db, claim)
            db.execute("UPDATE jobs SET progress = ? WHERE id = ?", (as_json(progress), claim.op.op_id))

    def hold(self, claim: Claim, *, is_waiting: bool) -> None:
        """Implement Jobs.hold."""
        with self._changing() as (db, changed):
            self._require(db, claim)
            changed.add(claim.op.op_id)
            state = OpState.WAITING if is_waiting else OpState.RUNNING
            db.execute("UPDATE jobs SET state = ? WHERE id = ?", (state, claim.op.op_id))

    def spend(self, claim: Claim, tokens: int) -> None:
        """Implement Jobs.spend."""
        with self._database.transaction(durable=True) as db:
            self._require(db, claim)
            db.execute("UPDATE jobs SET tokens = tokens + ? WHERE id = ?", (tokens, claim.op.op_id))

    def end(self, claim: Claim, ending: Ending) -> Op:
        """Implement Jobs.end."""
        with self._changing() as (db, changed):
            attempts, most = self._require(db, claim)
            op_id = claim.op.op_id
            changed.add(op_id)
            if ending.is_given_back:
                again = "UPDATE jobs SET state = 'queued', process = '', attempts = attempts - 1 WHERE id = ?"
                db.execute(again, (op_id,))
            elif ending.is_cancelled:
                self._end(db, op_id, OpState.CANCELLED, text="cancelled")
            elif ending.error is None:
                self._end(db, op_id, OpState.DONE, text="done", result=ending.result)
            elif ending.again and attempts < most:
                pause = max(FIRST_PAUSE * 2 ** (attempts - 1), float(ending.error.get("retryAfter") or 0))
                values = (self._clock.now() + pause, self._clock.boot(), as_json(ending.error), op_id)
                db.execute(
                    "UPDATE jobs SET state = 'queued', process = '', not_before = ?, boot = ?, error = ? WHERE id = ?",
                    values,
                )
                tell(db, op_id, "retry", f"{said(ending.error)} Tried again in {pause:.0f} s.")
            else:
                self._end(db, op_id, OpState.FAILED, text=said(ending.error), error=ending.error)
            return op_in(db, op_id)

    def cancel(self, op_id: str, by: str) -> Op:
        """Implement Jobs.cancel."""
        with self._changing() as (db, changed):
            self._reclaim(db, changed)
            op = self._locked(db, op_id)
            changed.add(op_id)
            if op.state is OpState.QUEUED:
                self._end(db, op_id, OpState.CANCELLED, text=f"cancelled by {by}")
            elif not op.state.is_end:
                db.execute("UPDATE jobs SET cancelled = 1 WHERE id = ?", (op_id,))
            return op_in(db, op_id)

    def get(self, op_id: str, *, after: int = 0) -> Op:
        """Implement Jobs.get; jobs of ended workers are first requeued or ended."""
        self._take_back()
        op = op_found(op_id, self._database.rows(f"SELECT {FIELDS} FROM jobs WHERE id = ?", op_id))  # noqa: S608
        rows = self._database.rows(
            "SELECT n, at, kind, text, refs FROM events WHERE job = ? AND n > ? ORDER BY n", op_id, after
        )
        return msgspec.structs.replace(op, events=tuple(map(event_of, rows)))

    def _take_back(self) -> None:
        """Hands on or ends what workers that are gone had, in a transaction where there is such a job."""
        if not (held := self._database.rows(_HOLDERS)):
            return
        now = self._clock.now()
        if any(self._is_lost(now, *holder) for _, *holder in held):
            with (
                contextlib.suppress(ReadOnly),
                self._changing() as (db, changed),
            ):  # a full disk is read all the same
                self._reclaim(db, changed)

    def _is_lost(self, now: float, boot: str, until: float, process: str) -> bool:
        if boot != self._clock.boot() or now >= until:
            return True
        return process != self._process and not self._alive(process)

    def last(self, kind: str, key: str) -> Op | None:
        """Implement Jobs.last."""
        query = f"SELECT {FIELDS} FROM jobs WHERE kind = ? AND key = ? AND key != '' ORDER BY id DESC LIMIT 1"  # noqa: S608
        return next(map(op_of, self._database.rows(query, kind, key)), None)

    def spent(self, kind: str, *, within: float) -> int:
        """Implement Jobs.spent."""
        query = "SELECT CAST(coalesce(sum(tokens), 0) AS BIGINT) FROM jobs WHERE kind = ? AND started_at > ?"
        return self._database.rows(query, kind, now_ms() - int(within * 1_000))[0][0]

    def listed(self, *, kinds: Collection[str] = (), most: int = 100) -> tuple[Op, ...]:
        """Implement Jobs.listed; jobs of ended workers are first requeued or ended."""
        self._take_back()
        which = f"WHERE {among(kinds, None)}" if kinds else ""
        query = f"SELECT {FIELDS} FROM jobs {which} ORDER BY id DESC LIMIT ?"  # noqa: S608 - our own words
        return tuple(map(op_of, self._database.rows(query, *kinds, most)))

    def stamps(self) -> dict[str, str]:
        """Implement Jobs.stamps."""
        query = "SELECT id, state, progress, (SELECT max(n) FROM events WHERE job = id) FROM jobs"
        return {op_id: f"{state} {n} {progress}" for op_id, state, progress, n in self._database.rows(query)}

    def adopt(self, op: Op) -> None:
        """Insert a job from its file; one that had not ended counts as interrupted."""
        request = JobRequest(kind=op.kind, title=op.title, by=op.by, question=op.question, scope=op.scope)
        with self._changing() as (db, changed):
            if not self._inserted(db, op.op_id, request):
                return
            events = [
                (op.op_id, n, e.at, e.kind, e.text, as_json(e.refs)) for n, e in enumerate(op.events, 1)
            ]
            db.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)", events)
            times = (op.created_at, op.started_at, op.ended_at)
            rest = (
                as_json(op.progress),
                op.tokens_used,
                op.attempts,
                as_json(op.result),
                as_json(op.error),
                op.state,
            )
            db.execute(
                "UPDATE jobs SET created_at = ?, started_at = ?, ended_at = ?, progress = ?, tokens = ?, attempts = ?,"
                " result = ?, error = ?, state = ? WHERE id = ?",
                (*times, *rest, op.op_id),
            )
            if not op.state.is_end:
                self._end(db, op.op_id, OpState.FAILED, text=_INTERRUPTED["message"], error=_INTERRUPTED)
                changed.add(op.op_id)

    def prune(self, keep: int) -> tuple[str, ...]:
        """Implement Jobs.prune."""
        with self._database.transaction(durable=False) as db:
            ended = f"SELECT id FROM jobs WHERE NOT {_OPEN} ORDER BY id DESC"  # noqa: S608 - our own words
            gone = tuple(op_id for (op_id,) in db.execute(ended).fetchall()[keep:])
            db.executemany("DELETE FROM jobs WHERE id = ?", [(op_id,) for op_id in gone])
            return gone

    def _require(self, db: JobConnection, claim: Claim) -> tuple[int, int]:
        """Attempts, and how many there may be. Raises LeaseLost."""
        query = f"SELECT state, fence, attempts, most, boot, until FROM jobs WHERE id = ?{self._database.row_lock}"  # noqa: S608
        row = db.execute(query, (claim.op.op_id,)).fetchone()
        if row is not None:
            state, fence, attempts, most, boot, until = row
            is_ours = state in (OpState.RUNNING, OpState.WAITING) and fence == claim.fence
            if is_ours and boot == self._clock.boot() and self._clock.now() < until:
                return attempts, most
        raise LeaseLost(f"The claim of {claim.op.op_id} does not hold any more.", opId=claim.op.op_id)

    def _locked(self, db: JobConnection, op_id: str) -> Op:
        """A job whose row is locked until the transaction ends. Raises UsageError for an unknown one."""
        query = f"SELECT {FIELDS} FROM jobs WHERE id = ?{self._database.row_lock}"  # noqa: S608 - our own words
        return op_found(op_id, db.execute(query, (op_id,)).fetchall())

    def _end(
        self,
        db: JobConnection,
        op_id: str,
        state: OpState,
        *,
        text: str,
        result: Any = None,
        error: dict[str, Any] | None = None,
    ) -> None:
        db.execute(
            "UPDATE jobs SET state = ?, ended_at = ?, result = ?, error = ?, process = '' WHERE id = ?",
            (state, now_ms(), as_json(result), as_json(error), op_id),
        )
        tell(db, op_id, state, text)
