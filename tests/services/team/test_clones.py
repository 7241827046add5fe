"""Two clones of a repository, each with a state of its own, as two people have them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from services.ops.jobs import REVIEWS, JobRequest, OpState
from services.ops.rows import SCHEMA
from services.ops.sql_jobs import SqlJobs
from services.team.database import TeamDatabase
from services.team.files import TABLES
from tests.support.postgres import shared_postgres

CODE = """namespace Shop;
public class Till
{
    public int Sum(int a, int b) => a + b;
}
"""


class Clone:
    """A clone on a machine of its own. `run`: the program there."""

    def __init__(self, folder: Path, source: Path, address: str) -> None:
        self.root = folder / "clone"
        git("clone", "-q", str(source), str(self.root))
        homes = {f"XDG_{name}_HOME": str(folder / name) for name in ("STATE", "CONFIG", "CACHE")}
        self.environment = {**os.environ, **homes, "CODECORTEX_TEAM_DATABASE": address}

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "workbench", "--root", str(self.root), *arguments]

    def run(self, *arguments: str) -> str:
        command = self.command(*arguments)
        made = subprocess.run(command, check=False, env=self.environment, capture_output=True, text=True)
        assert made.returncode == 0, made.stderr
        return made.stdout


def git(*arguments: str, folder: Path | None = None) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *who, *arguments], check=True, cwd=folder, capture_output=True)


@pytest.fixture
def clones(tmp_path: Path) -> tuple[Clone, Clone]:
    source = tmp_path / "source"
    source.mkdir()
    (source / "Till.cs").write_text(CODE)
    git("init", "-q", "-b", "main", folder=source)
    git("add", ".", folder=source)
    git("commit", "-q", "-m", "one", folder=source)
    address = shared_postgres().address
    return Clone(tmp_path / "a", source, address), Clone(tmp_path / "b", source, address)


def test_what_one_person_keeps_another_one_has_and_a_worker_does_their_jobs(
    clones: tuple[Clone, Clone],
) -> None:
    a, b = clones
    a.run("pin", "Shop.Till")
    a.run("preset-save", "tills")
    assert "tills" in b.run("presets")
    b.run("preset-load", "tills")
    assert "Till" in b.run("window")
    commit = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=a.root, check=True, capture_output=True, text=True
    )
    database = TeamDatabase(shared_postgres().address, commit.stdout.strip(), tables=SCHEMA + TABLES)
    task = {"change": "HEAD", "byModel": False, "publish": False}
    asked = JobRequest(kind=REVIEWS, title="Review of HEAD", by="me", payload=task)
    with closing(SqlJobs(database, clock=database.clock)) as jobs:
        op_id = jobs.submit(asked).op_id
        done_by_worker(b, jobs, op_id)
    (line,) = (line for line in a.run("ops").splitlines() if op_id in line)
    assert line.split()[1] == "done"
    assert not (b.root / ".context" / "presets").exists()


def done_by_worker(clone: Clone, jobs: SqlJobs, op_id: str) -> None:
    """Start a worker, wait until the job has ended, and stop it."""
    worker = subprocess.Popen(clone.command("worker"), env=clone.environment, stderr=subprocess.PIPE)
    assert worker.stderr is not None
    assert b"Working on jobs" in worker.stderr.readline()
    for _ in range(3_000):
        if jobs.get(op_id).state.is_end:
            break
        time.sleep(0.02)
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(60) == 0
    worker.stderr.close()
    assert jobs.get(op_id).state is OpState.DONE, jobs.get(op_id).error
