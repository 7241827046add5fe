"""Worker processes that get in each other's way: files are read all the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import services
from services.index.build.worker import Task
from services.index.build.workers import CHUNK_BYTES, Crew, chunked, outcomes
from tests.support.eventually import eventually
from tests.support.workspace import write_workspace

# Without the guard that multiprocessing asks for, every worker begins by running the script itself.
SCRIPT = """
import sys
from pathlib import Path
from services.bench.bench import Bench
from services.settings import IndexSettings, Settings
with Bench.open(Path(sys.argv[1]), settings=Settings(index=IndexSettings(workers=2))) as bench:
    bench.index.refresh()
    print(bench.health.status().types)
"""


def test_a_script_without_a_main_guard_gets_its_index(tmp_path: Path) -> None:
    files = {f"T{number}.cs": f"class T{number} {{ }}" for number in range(12)}
    folder = write_workspace(tmp_path / "workspace", files)
    script = tmp_path / "no_guard.py"
    script.write_text(SCRIPT)
    command = [sys.executable, str(script), str(folder)]
    ran = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert ran.stdout.split()[-1:] == ["12"], ran.stderr[-2_000:]


WORKING = """
import os, time
from services.index.build.worker import start
from services.index.build.workers import new_pool
if __name__ == "__main__":
    pool = new_pool(1, start)
    print(pool.submit(os.getpid).result(), flush=True)
    time.sleep(60)
"""


STREAMS = """
import io, sys
from services.index.build.worker import start
from services.index.build.workers import new_pool
class Screen(io.StringIO):
    def fileno(self):
        asked.append(sys.stderr is self)
        raise io.UnsupportedOperation("fileno")
if __name__ == "__main__":
    asked, sys.stderr = [], Screen()
    with new_pool(1, start) as pool:
        pool.submit(int).result()
    print(asked)
"""


def test_standard_error_stays_in_its_place_while_workers_are_started(tmp_path: Path) -> None:
    """Other threads print to it meanwhile."""
    script = tmp_path / "streams.py"
    script.write_text(STREAMS)
    ran = subprocess.run(
        [sys.executable, str(script)], check=False, capture_output=True, text=True, timeout=120
    )
    assert "True" in ran.stdout, ran.stderr[-2_000:]
    assert "False" not in ran.stdout


def is_there(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_worker_goes_where_its_program_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "working.py"
    script.write_text(WORKING)
    where = {**os.environ, "PYTHONPATH": str(Path(services.__file__).parents[1])}
    command = [sys.executable, str(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=where) as program:
        assert program.stdout is not None
        worker = int(program.stdout.readline())
        assert is_there(worker)
        program.kill()
    eventually(lambda: not is_there(worker))


def test_workers_started_ahead_read_what_is_found_later(tmp_path: Path) -> None:
    files = {f"T{number}.cs": f"class T{number} {{ }}" for number in range(3)}
    folder = write_workspace(tmp_path, files)
    tasks = [(Task(path, 0), CHUNK_BYTES) for path in files]
    chunks = chunked(tasks, root=str(folder), symbol_sets=(frozenset(),), limit=1_000)
    with Crew(2, CHUNK_BYTES) as crew:
        crew.start([CHUNK_BYTES, CHUNK_BYTES])
        found = [each for batch in outcomes(chunks, workers=2, cancel=None, crew=crew) for each in batch]
        assert crew.take() is None
    assert {each.path for each in found} == set(files)
    assert not any(each.problem for each in found)


def test_little_to_read_starts_no_workers_ahead() -> None:
    with Crew(2, CHUNK_BYTES) as crew:
        crew.start([CHUNK_BYTES, CHUNK_BYTES - 1, CHUNK_BYTES + 1])
        assert crew.take() is None
