"""Limits, isolation, and that nothing outlives a command."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import threading
from pathlib import Path

import pytest

from services.errors import Cancelled
from services.llm.commands.allow import AllowedCommand
from services.llm.commands.isolation import Isolation
from services.llm.commands.running import OF_TESTS, CommandLimits, CommandOutcome, Runner, works
from tests.services.llm.commands.attacks import ATTACKS
from tests.services.llm.commands.conftest import CANARY, make_workspace
from tests.support.eventually import eventually

ALL = [each for each in Isolation if works(each)]
"""Those that work on this machine; that there is one is not certain."""
ISOLATED = [each for each in ALL if each is not Isolation.NONE]


def program(folder: Path, code: str, *arguments: str) -> AllowedCommand:
    """A command of any kind: what it may be is checked elsewhere."""
    return AllowedCommand(
        shown="python", calls=((sys.executable, "-I", "-S", "-c", code, *arguments),), folder=str(folder.resolve()),
        reads=(sys.base_prefix, sys.prefix),
    )  # fmt: skip


def run(folder: Path, code: str, isolation: Isolation = Isolation.NONE, **limits: float) -> CommandOutcome:
    return Runner(isolation).run(program(folder, code), limits=CommandLimits(**{"seconds": 120, **limits}))  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("isolation", ALL)
def test_what_is_printed_and_the_status_are_told(isolation: Isolation, tmp_path: Path) -> None:
    outcome = run(tmp_path, "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)", isolation)
    assert (sorted(outcome.output.split()), outcome.exit, outcome.why) == (["err", "out"], 3, "exited")
    assert outcome.text.endswith("[exit status 3]")


@pytest.mark.parametrize("isolation", ALL)
def test_the_environment_has_nothing_of_ours(
    isolation: Isolation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_TEST", "hunter2")
    code = "import os; print(sorted(os.environ)); print(os.getcwd()); print(os.listdir('/proc/self/fd'))"
    output = run(tmp_path, code, isolation).output
    assert "SECRET_OF_TEST" not in output
    assert str(tmp_path.resolve()) in output


@pytest.mark.parametrize("isolation", ALL)
def test_a_command_without_end_is_killed(isolation: Isolation, tmp_path: Path) -> None:
    outcome = run(tmp_path, "import time\nwhile True: time.sleep(1)", isolation, seconds=0.5)
    assert outcome.why == "time"
    assert "took too long" in outcome.text


@pytest.mark.parametrize("isolation", ALL)
def test_output_without_end_is_cut(isolation: Isolation, tmp_path: Path) -> None:
    outcome = run(tmp_path, "while True: print('x' * 1000)", isolation, output=10_000)
    assert (outcome.why, len(outcome.output)) == ("output", 10_000)


@pytest.mark.parametrize("isolation", ALL)
def test_memory_is_limited(isolation: Isolation, tmp_path: Path) -> None:
    code = "import time\nx = bytearray(b'x' * 300_000_000)\ntime.sleep(600)"
    outcome = run(tmp_path, code, isolation, memory=100_000_000)
    assert outcome.why == "memory"


FORKS = """
import os, sys, time
held = bytearray(b"x" * 80_000_000)
ready, done = os.pipe()
for _ in range(5):
    if not os.fork():
        {change}
        os.write(done, b".")
        time.sleep(600)
for _ in range(5): os.read(ready, 1)
{then}
"""


def test_memory_that_forks_share_is_counted_once(tmp_path: Path) -> None:
    code = FORKS.format(change="pass", then="print('fits')")
    outcome = run(tmp_path, code, memory=200_000_000)
    assert (outcome.why, outcome.output) == ("exited", "fits\n")


def test_memory_that_forks_write_to_is_counted_for_each(tmp_path: Path) -> None:
    code = FORKS.format(change="held[::4096] = bytes(len(held[::4096]))", then="time.sleep(600)")
    assert run(tmp_path, code, memory=200_000_000).why == "memory"


def test_tests_may_hold_as_much_as_the_rules_say() -> None:
    assert (OF_TESTS.memory, OF_TESTS.seconds, OF_TESTS.processes) == (1 << 30, 600, 600)


def test_a_fork_bomb_ends(tmp_path: Path) -> None:
    """One of 256 processes, not one without end: where this runs as root, no limit of the system's holds it."""
    code = (
        "import os, time\nfor _ in range(8):\n    try: os.fork()\n    except OSError: pass\ntime.sleep(600)"
    )
    outcome = run(tmp_path, code, processes=40)
    assert outcome.why == "processes"
    eventually(lambda: not _named(tmp_path))


LEAVES = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.close(0); os.close(1); os.close(2)
        time.sleep(600)
    os._exit(0)
os.wait()
"""


@pytest.mark.parametrize("isolation", ALL)
def test_what_detaches_itself_twice_goes_too(isolation: Isolation, tmp_path: Path) -> None:
    assert run(tmp_path, LEAVES, isolation).why == "exited"
    eventually(lambda: not _named(tmp_path))
    assert run(tmp_path, LEAVES + "time.sleep(600)", isolation, seconds=0.6).why == "time"
    eventually(lambda: not _named(tmp_path))


@pytest.mark.parametrize("isolation", ALL)
def test_a_stop_ends_all_of_it(isolation: Isolation, tmp_path: Path) -> None:
    cancel = threading.Event()
    threading.Timer(0.5, cancel.set).start()
    with pytest.raises(Cancelled):
        Runner(isolation).run(program(tmp_path, LEAVES + "time.sleep(600)"), cancel=cancel)
    eventually(lambda: not _named(tmp_path))


def test_a_program_that_is_not_there_says_so(tmp_path: Path) -> None:
    command = AllowedCommand(shown="x", calls=(("/nowhere/x",),), folder=str(tmp_path))
    outcome = Runner(Isolation.NONE).run(command)
    assert (outcome.why, outcome.exit) == ("missing", 127)


@pytest.mark.parametrize("isolation", ISOLATED)
def test_isolation_shows_the_workspace_and_no_more(isolation: Isolation, tmp_path: Path) -> None:
    folder, outside = tmp_path / "work", tmp_path / "outside.txt"
    (folder / ".context").mkdir(parents=True)
    (folder / ".context" / "note").write_text("state-7f3a")
    (folder / "a.txt").write_text("inside-7f3a")
    outside.write_text("outside-7f3a")
    code = f"""
import socket
for path in ("a.txt", {str(outside)!r}, "/etc/shadow", ".context/note", "/root/.bashrc"):
    try: print(open(path).read())
    except OSError as error: print(type(error).__name__)
for path in ("new.txt", {str(tmp_path / "new.txt")!r}, "/usr/new.txt"):
    try: open(path, "w"); print("WRITTEN")
    except OSError as error: print(type(error).__name__)
try:
    socket.create_connection(("127.0.0.1", 9), 1)
except OSError as error: print("no network:", type(error).__name__)
"""
    output = run(folder, code, isolation).output
    assert "inside-7f3a" in output
    assert "outside-7f3a" not in output
    assert "state-7f3a" not in output
    assert not (folder / "new.txt").exists()
    assert not (tmp_path / "new.txt").exists(), "what was written there was its own"
    assert not Path("/usr/new.txt").exists()


def bytes_below(folder: Path) -> dict[str, bytes]:
    """Every regular file and what is in it."""
    files = (each for each in folder.rglob("*") if each.is_file() and not each.is_symlink())
    return {str(each): each.read_bytes() for each in files}


@pytest.mark.parametrize("isolation", ISOLATED)
def test_attacks_that_a_shell_runs_reach_nothing_outside_and_change_nothing(
    isolation: Isolation, tmp_path: Path
) -> None:
    """The check of words is left out: what isolates holds by itself. Every sixth, as a shell takes its time."""
    root = make_workspace(tmp_path)
    lines = [each.replace("{out}", str(tmp_path / "outside")) for each in ATTACKS[::6] if ":|:" not in each]
    script = "\n".join(f"timeout 2 bash -c {shlex.quote(line)} </dev/null" for line in lines)
    before = bytes_below(tmp_path)
    command = AllowedCommand(shown="bash", calls=(("/bin/bash", "-c", script),), folder=str(root.resolve()))
    outcome = Runner(isolation).run(command, limits=CommandLimits(seconds=300))
    assert outcome.why == "exited", outcome.text[-2_000:]
    assert "class A" in outcome.output, "they did run"
    assert f"{CANARY} outside" not in outcome.output
    assert f"{CANARY} state" not in outcome.output
    assert bytes_below(tmp_path) == before


RUNS_TESTS = """
import contextlib, pathlib, socket, pytest

def test_it():
    pathlib.Path("inside.txt").write_text("x")
    for path in ({outside!r}, "/usr/new.txt"):
        with contextlib.suppress(OSError):  # what can be written is a folder of its own
            pathlib.Path(path).write_text("x")
    with pytest.raises(OSError):
        pathlib.Path({secret!r}).read_text()
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", {port}), 1)
"""
RUNS_SCRIPT = """
const fs = require("fs");
fs.writeFileSync("inside.txt", "x");
for (const path of [OUTSIDE, "/usr/new.txt"]) { let ok = false; try { fs.writeFileSync(path, "x"); ok = true } catch {}
  if (ok && fs.existsSync(path)) console.log("WRITTEN", path); }
try { fs.readFileSync(SECRET); console.log("READ"); } catch {}
"""


def runner_in(tmp_path: Path, runner: str) -> AllowedCommand:
    """A command that runs the tests of a project by a runner that is installed here."""
    folder, secret = tmp_path / "work", tmp_path / "secret.txt"
    folder.mkdir()
    secret.write_text("secret-7f3a")
    found = shutil.which(runner, path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if found is None:
        pytest.skip(f"{runner} is not installed here")
    if runner == "npm":
        script = RUNS_SCRIPT.replace("OUTSIDE", repr(str(tmp_path / "new.txt"))).replace(
            "SECRET", repr(str(secret))
        )
        (folder / "test.js").write_text(script)
        (folder / "package.json").write_text(
            '{"name": "x", "version": "1.0.0", "scripts": {"test": "node test.js"}}'
        )
        return AllowedCommand(
            shown="npm test", calls=((found, "test", "--silent"),), folder=str(folder), tests=True
        )
    text = RUNS_TESTS.replace("{outside!r}", repr(str(tmp_path / "new.txt"))).replace(
        "{secret!r}", repr(str(secret))
    )
    (folder / "test_it.py").write_text(text.replace("{port}", "9"))
    calls = ((found, "-q", "-p", "no:cacheprovider"),)
    packages = str(Path(pytest.__file__).parents[1].resolve())
    return AllowedCommand(shown="pytest -q", calls=calls, folder=str(folder), tests=True, reads=(packages,))


@pytest.mark.parametrize("runner", ["pytest", "npm"])
@pytest.mark.parametrize("isolation", ISOLATED)
def test_a_test_runner_writes_in_the_workspace_and_nowhere_else(
    isolation: Isolation, runner: str, tmp_path: Path
) -> None:
    command = runner_in(tmp_path, runner)
    outcome = Runner(isolation).run(command)
    assert (outcome.why, outcome.exit) == ("exited", 0), outcome.output
    assert (tmp_path / "work" / "inside.txt").exists()
    assert not (tmp_path / "new.txt").exists()
    assert not Path("/usr/new.txt").exists()
    assert "READ" not in outcome.output
    assert "WRITTEN" not in outcome.output or isolation is Isolation.BUBBLEWRAP  # into a folder of its own


def test_a_test_runner_is_run_without_isolation_too_and_that_is_said(tmp_path: Path) -> None:
    command = runner_in(tmp_path, "pytest")
    (tmp_path / "work" / "test_it.py").write_text("def test_it():\n    assert 1 + 1 == 2\n")
    outcome = Runner(Isolation.NONE).run(command)
    assert (outcome.why, outcome.exit, outcome.isolation) == ("exited", 0, "none"), outcome.output
    assert "There is no isolation" in Isolation.NONE.sentence


def test_the_program_cannot_be_looked_into_while_a_command_runs(tmp_path: Path) -> None:
    code = f"import os\nprint(os.stat('/proc/{os.getpid()}/environ').st_uid)"
    seen: list[str] = []
    thread = threading.Thread(target=lambda: seen.append(run(tmp_path, code).output))
    thread.start()
    thread.join()
    assert seen[0].strip() == "0", "it belongs to root while commands run"


def _named(folder: Path) -> list[Path]:
    """Processes that still have the folder as theirs."""
    return [pid for pid in Path("/proc").iterdir() if pid.name.isdigit() and _is_in(pid, folder.resolve())]


def _is_in(process: Path, folder: Path) -> bool:
    try:
        return (process / "cwd").readlink() == folder
    except OSError:
        return False
