"""Jobs under processes that are killed at random: none lost, no recorded step done again.

python -m benchmarks.robustness.jobs [--jobs 1000] [--processes 3] [--kills 40] [--seed 1] [--engine MODULE:MAKE]

MAKE takes the path of a file that is not there yet, and gives an engine that keeps the promises of `services.ops.jobs`.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from pkgutil import resolve_name

from services.ops.jobs import JobQueue, JobRequest
from services.ops.values import OpState

STEPS = 3
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


def main() -> None:
    """Queue, work, kill, count."""
    options = argparse.ArgumentParser(
        prog="python -m benchmarks.robustness.jobs", description="Jobs under kills."
    )
    options.add_argument("--jobs", type=int, default=1_000)
    options.add_argument("--processes", type=int, default=3)
    options.add_argument("--kills", type=int, default=40)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--engine", default="services.ops.sqlite_jobs:SqliteJobs", metavar="MODULE:MAKE")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        _measure(Path(folder), chosen)


def _measure(folder: Path, chosen: argparse.Namespace) -> None:
    jobs: JobQueue = resolve_name(chosen.engine)(folder / "ops.db")
    ids = [
        jobs.submit(JobRequest(kind="count", title=str(n), by="me", attempts=1_000)).op_id
        for n in range(chosen.jobs)
    ]
    began = time.monotonic()
    kills = _work(jobs, folder, chosen)
    took = time.monotonic() - began
    ops = [jobs.get(op_id) for op_id in ids]
    done = Counter((folder / "done").read_text("ascii").split("\n"))
    again = sum(count - 1 for line, count in done.items() if line)
    wanted = {f"{op_id} {step}" for op_id in ids for step in range(STEPS)}
    print(f"{chosen.jobs} jobs of {STEPS} steps, {chosen.processes} processes, {kills} killed, {took:.0f} s")
    print(f"done: {sum(op.state is OpState.DONE for op in ops)}; lost: {len(wanted - set(done))} steps")
    print(f"results of another job: {sum(op.result != str(n) for n, op in enumerate(ops))}")
    print(f"steps begun again, since their process was killed before their result was recorded: {again}")


def _work(jobs: JobQueue, folder: Path, chosen: argparse.Namespace) -> int:
    """Run so many processes, and kill them at random, until every job has ended; return the number of kills."""
    chance = random.Random(chosen.seed)
    workers: list[subprocess.Popen[bytes]] = []
    kills = 0
    while any(not op.state.is_end for op in jobs.listed(most=chosen.jobs)):
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
    return kills


if __name__ == "__main__":
    main()
