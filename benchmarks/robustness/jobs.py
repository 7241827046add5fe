"""Jobs under processes that are killed at random: none lost, no recorded step done again.

python -m benchmarks.robustness.jobs [--jobs 1000] [--processes 3] [--kills 40] [--seed 1] [--team] [--restarts 3]

--team: the queue is in a PostgreSQL of its own, which is stopped and started so often.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from services.errors import Busy
from services.ops.jobs import JobRequest, OpState
from services.ops.rows import SCHEMA, job_file
from services.ops.sql_jobs import SqlJobs
from services.team.database import TeamDatabase, is_team_process_alive, team_process

if TYPE_CHECKING:
    from tests.support.postgres import PostgresServer

STEPS = 3
_DATABASE = "BENCHMARK_DATABASE"
_WORKER = """
import os, sys
from pathlib import Path
from pkgutil import resolve_name
from services.ops.worker import Worker

done = os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND | os.O_CREAT)

def act(run):
    for step in range(3):
        run.step(str(step), lambda: os.write(done, f"{run.op.op_id} {step}\\n".encode()))
    return run.op.title

Worker(resolve_name(sys.argv[3])(Path(sys.argv[1])), {"count": act}, poll=0.02).start()
sys.stdin.read()
"""


def _own_postgres() -> PostgresServer:
    from tests.support.postgres import own_postgres  # not for the workers, which import this module too

    return own_postgres()


def of_file(path: Path) -> SqlJobs:
    """The queue of one machine."""
    return SqlJobs(job_file(path))


def of_team(path: Path) -> SqlJobs:
    """The queue of a team, in the database that a variable names; each folder has its own."""
    database = TeamDatabase(os.environ[_DATABASE], str(path), tables=SCHEMA)
    return SqlJobs(database, clock=database.clock, process=team_process(), alive=is_team_process_alive)


def main() -> None:
    """Queue, work, kill, count."""
    options = argparse.ArgumentParser(
        prog="python -m benchmarks.robustness.jobs", description="Jobs under kills."
    )
    options.add_argument("--jobs", type=int, default=1_000)
    options.add_argument("--processes", type=int, default=3)
    options.add_argument("--kills", type=int, default=40)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--team", action="store_true")
    options.add_argument("--restarts", type=int, default=3)
    chosen = options.parse_args()
    chosen.engine = f"{__spec__.name if __spec__ else __name__}:{'of_team' if chosen.team else 'of_file'}"
    with tempfile.TemporaryDirectory() as folder:
        server = _own_postgres() if chosen.team else None
        if server is not None:
            os.environ[_DATABASE] = server.address
        try:
            _measure(Path(folder), chosen, server)
        finally:
            if server is not None:
                server.remove()


def _measure(folder: Path, chosen: argparse.Namespace, server: PostgresServer | None) -> None:
    jobs: SqlJobs = resolve_name(chosen.engine)(folder / "ops.db")
    ids = [
        jobs.submit(JobRequest(kind="count", title=str(n), by="me", attempts=1_000)).op_id
        for n in range(chosen.jobs)
    ]
    began = time.monotonic()
    kills, restarts = _work(jobs, folder, chosen, server)
    took = time.monotonic() - began
    ops = [jobs.get(op_id) for op_id in ids]
    done = Counter((folder / "done").read_text("ascii").split("\n"))
    again = sum(count - 1 for line, count in done.items() if line)
    wanted = {f"{op_id} {step}" for op_id in ids for step in range(STEPS)}
    print(f"{chosen.jobs} jobs of {STEPS} steps, {chosen.processes} processes, {kills} killed")
    print(f"{restarts} restarts of the database, {took:.1f} s")
    print(f"done: {sum(op.state is OpState.DONE for op in ops)}; lost: {len(wanted - set(done))} steps")
    print(f"results of another job: {sum(op.result != str(n) for n, op in enumerate(ops))}")
    print(f"steps begun again, since their process was killed before their result was recorded: {again}")


def _left(jobs: SqlJobs) -> int | None:
    """How many jobs have not ended; None while the database is away."""
    try:
        return jobs.count("count", [state for state in OpState if not state.is_end])
    except Busy:
        return None


def _work(
    jobs: SqlJobs, folder: Path, chosen: argparse.Namespace, server: PostgresServer | None
) -> tuple[int, int]:
    """Run so many processes, and kill them at random, until every job has ended; return the number of kills, and of
    restarts of the database."""
    chance = random.Random(chosen.seed)
    workers: list[subprocess.Popen[bytes]] = []
    kills = restarts = 0
    while (left := _left(jobs)) != 0:
        due = chosen.jobs * (chosen.restarts - restarts) / (chosen.restarts + 1)
        if server is not None and left is not None and left < due:
            server.stop()
            server.start()
            restarts += 1
        while len(workers) < chosen.processes:
            command = [
                sys.executable,
                "-c",
                _WORKER,
                str(folder / "ops.db"),
                str(folder / "done"),
                chosen.engine,
            ]
            workers.append(subprocess.Popen(command, stdin=subprocess.PIPE))
        time.sleep(chance.uniform(0.05, 0.8))
        if kills < chosen.kills:
            victim = workers.pop(chance.randrange(len(workers)))
            victim.kill()
            victim.wait()
            kills += 1
    for each in workers:
        each.kill()
        each.wait()
    return kills, restarts


if __name__ == "__main__":
    main()
