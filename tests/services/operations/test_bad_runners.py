"""Runs of tests that hang, flood, die or forge their results: none is green, and each says what became of it."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from services.bench.bench import Bench
from services.llm.commands.allow import AllowedCommand
from services.llm.commands.running import OF_TESTS, CommandLimits, CommandOutcome, Runner
from services.operations.table import by_tool
from tests.support.workspace import PYTEST_INI, edit, indexed

FILES = {"pytest.ini": PYTEST_INI, "test_it.py": "def test_good():\n    pass\n"}
FORGED = '<testsuite><testcase classname="other" name="test_a"/><testcase classname="other" name="test_b"/></testsuite>'


class HastyRunner(Runner):
    """A runner that gives tests a second."""

    def run(
        self,
        command: AllowedCommand,
        *,
        limits: CommandLimits | None = None,
        cancel: threading.Event | None = None,
    ) -> CommandOutcome:
        limits = (limits or OF_TESTS)._replace(seconds=1)
        return super().run(command, limits=limits, cancel=cancel)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with indexed(tmp_path, FILES) as made:
        yield made


def ran(bench: Bench, **files: str) -> Any:
    """The run of the workspace's tests with further files, by their module's name."""
    for name, text in files.items():
        edit(bench.root, f"{name}.py", text)
    operation = by_tool("run-tests")
    assert operation is not None
    return operation.run(bench, {"command": "pytest"})


def test_a_runner_that_hangs_is_stopped_and_not_green(bench: Bench) -> None:
    bench.asking.commands.runner = HastyRunner()
    done = ran(bench, test_slow="import time\n\ndef test_slow():\n    time.sleep(600)\n")
    assert (done.success, done.complete) == (False, False)
    assert any(note.startswith("The runner was stopped") for note in done.notes)


def test_a_test_that_was_mended_within_a_second_is_run_as_it_is(bench: Bench) -> None:
    """The caches of Python and pytest know a file by its length and the second of its last change."""
    wrong = "def test_sum():\n    assert 1 + 1 == 3\n"
    assert ran(bench, test_sum=wrong).failed == 1
    written = (bench.root / "test_sum.py").stat()
    edit(bench.root, "test_sum.py", wrong.replace("3", "2"))
    os.utime(bench.root / "test_sum.py", ns=(written.st_atime_ns, written.st_mtime_ns))
    assert ran(bench).failed == 0
    assert not (bench.root / "__pycache__").exists()


def test_a_runner_that_prints_a_gigabyte_is_cut_and_still_told(bench: Bench) -> None:
    flood = "import os\n\ndef pytest_unconfigure():\n    for _ in range(1024):\n        os.write(1, b'x' * (1 << 20))\n"
    done = ran(bench, conftest=flood)
    assert len(done.text) < 3 << 20
    assert (done.passed, done.source) == (1, "junit")


def test_a_runner_that_ends_by_a_signal_is_not_green(bench: Bench) -> None:
    done = ran(bench, test_dies="import os\n\ndef test_dies():\n    os.kill(os.getpid(), 9)\n")
    assert not done.success
    assert done.exit != 0


def test_results_of_other_tests_do_not_make_a_failed_run_green(bench: Bench) -> None:
    forger = (
        "import atexit, sys\n\n"
        "path = next(each.split('=', 1)[1] for each in sys.argv if each.startswith('--junitxml='))\n"
        f"atexit.register(lambda: open(path, 'w').write('''{FORGED}'''))\n"
    )
    done = ran(bench, conftest=forger, test_bad="def test_bad():\n    assert 1 == 2\n")
    assert (done.success, done.passed, done.exit) == (False, 2, 1)
