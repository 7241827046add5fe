"""Commands and the resident process that answers them: the same bytes, whatever happens in between."""

from __future__ import annotations

import io
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from services.bench import Bench
from services.resident import client
from services.resident.address import Address, find_address
from services.resident.claim import Claim
from services.resident.client import Reply, ask, connect, is_lock_free
from services.resident.streams import is_installed
from services.settings import load
from tests.support.eventually import eventually
from tests.support.processes import ROOT
from tests.support.workspace import edit
from workbench.shell.commands.resident import answer_beside
from workbench.shell.group import make_group
from workbench.shell.start import SAMPLE

COMMANDS = (
    ("search", "tree"),
    ("search", "Basket", "--json"),
    ("resolve", "Tree", "--json"),
    ("outline", "Tree"),
    ("outline", "Basket", "--jsonl"),
    ("usages", "Tree"),
    ("hierarchy", "Tree"),
    ("graph", "Tree"),
    ("grep", "class"),
    ("files", "Tree"),
    ("structure", "Tree"),
    ("read", "Tree", "--lines", "1-5"),
    ("context", "harvest", "apples"),
    ("pin", "Tree"),
    ("window",),
    ("unpin", "Tree"),
    ("outline", "NoSuchType"),
    ("search",),
    ("outline", "Tree", "--nonsense"),
)


@pytest.fixture(autouse=True)
def _heard_however_busy_the_machine_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "HEARD_WITHIN", 60.0)


class Side:
    """A person with a folder of their own for everything, on one workspace. `switch`: whether commands ask."""

    def __init__(self, home: Path, folder: Path, switch: str) -> None:
        self.folder = folder
        run = home / "run"
        run.mkdir(mode=0o700, parents=True)
        own = {f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("STATE", "CONFIG", "CACHE")}
        self.variables = {
            **os.environ,
            **own,
            "HOME": str(home),
            "XDG_RUNTIME_DIR": str(run),
            "CODECORTEX_RESIDENT": switch,
            "CI": "",
            "CODECORTEX_INDEX_WORKERS": "1",
            "PYTHONPATH": str(ROOT),
        }

    @property
    def address(self) -> Address:
        found = find_address(str(self.folder), self.variables)
        assert found is not None
        return found

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "workbench", *arguments],
            env=self.variables,
            cwd=self.folder if self.folder.exists() else "/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, *arguments: str) -> tuple[int, bytes, bytes]:
        process = self.start(*arguments)
        out, error = process.communicate(timeout=120)
        return process.returncode, out, error

    def reached(self) -> list[str]:
        found = connect(self.address)
        if found is None:
            return []
        found[0].close()
        return found[1]


class Resident:
    """A resident process that answers, and somebody who asks it."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self.process = side.start("resident", "run")
        self.address = side.address
        eventually(self._answers)

    def _answers(self) -> bool:
        assert self.process.poll() is None, self.process.communicate()
        return self.ask("status") is not None

    def ask(self, *arguments: str) -> Reply | None:
        return ask(self.address, (str(self.side.folder), "1", "000", *arguments))

    def told(self, *arguments: str) -> tuple[int, bytes, bytes]:
        reply = self.ask(*arguments)
        assert reply is not None, arguments
        out, error = (b"".join(c for at, c in reply.pieces if at == stream) for stream in (1, 2))
        return reply.status, out, error

    def end(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=60)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SAMPLE, tmp_path / "Orchard"))


@pytest.fixture
def side(tmp_path: Path, folder: Path) -> Side:
    return Side(tmp_path / "one", folder, "")


@pytest.fixture
def resident(side: Side) -> Iterator[Resident]:
    made = Resident(side)
    yield made
    made.end()


def _without_times(answer: tuple[int, bytes, bytes]) -> tuple[Any, ...]:
    import re

    return tuple(
        re.sub(rb'"elapsedMs": ?[\d.]+', b"", each) if isinstance(each, bytes) else each for each in answer
    )


def alone(side: Side, commands: Any) -> list[tuple[int, bytes, bytes]]:
    """The answers of one process that runs command after command."""
    import json

    program = (
        "import io, json, sys\nfrom workbench.shell.cli import run\n"
        "for arguments in json.loads(sys.argv[1]):\n"
        "    kept = sys.stdout, sys.stderr\n"
        "    sys.stdout, sys.stderr = (io.TextIOWrapper(io.BytesIO(), 'utf-8') for _ in range(2))\n"
        "    status = run(arguments)\n"
        "    both = []\n"
        "    for each in (sys.stdout, sys.stderr):\n"
        "        each.flush()\n"
        "        both.append(each.buffer.getvalue().decode())\n"
        "    sys.stdout, sys.stderr = kept\n"
        "    print(json.dumps([status, *both]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, json.dumps(commands)],
        env={**side.variables, "CODECORTEX_RESIDENT": "off"},
        cwd=side.folder,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=300,
        check=True,
    )
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return [(status, out.encode(), error.encode()) for status, out, error in rows]


def _changes(folder: Path) -> Iterator[None]:
    """Steps of somebody's work."""
    yield
    tree = next(folder.rglob("Tree.cs"))
    path = str(tree.relative_to(folder))
    edit(folder, path, tree.read_text().replace("record Tree(", "record Tree0r("))
    yield
    edit(folder, path, tree.read_text().replace("record Tree0r(", "record Tree("))
    edit(folder, "src/New/Basket2.cs", "namespace New; public class Basket2 { public Orchard.Tree? Tree; }")
    yield
    shutil.rmtree(folder / "src/New")
    project = next(folder.rglob("*.csproj"))
    edit(
        folder,
        str(project.relative_to(folder)),
        project.read_text().replace("</Project>", "<!-- --></Project>"),
    )
    (folder / ".codecortexignore").write_text("Basket.cs\n")
    yield


def test_answers_are_those_of_a_command_alone(resident: Resident, tmp_path: Path, folder: Path) -> None:
    other = Side(tmp_path / "other", folder, "off")
    for _ in _changes(folder):
        told = [resident.told(*command) for command in COMMANDS]
        for command, one, its in zip(COMMANDS, told, alone(other, COMMANDS), strict=True):
            assert _without_times(one) == _without_times(its), command


def test_a_command_leaves_one_behind_and_the_next_one_asks_it(side: Side) -> None:
    first = side.run("search", "tree")
    assert first[0] == 0
    eventually(side.reached)
    try:

        def is_answered() -> bool:  # unless the machine is so busy that the command works itself
            assert side.run("search", "tree") == first
            return side.reached()[5] != "0"

        eventually(is_answered)
        status, out, _ = side.run("resident", "status")
        assert (status, out.count(b"\n")) == (0, 1)
        assert str(side.folder).encode() in out
    finally:
        status, out, _ = side.run("resident", "stop")
    assert (status, b"process has ended" in out) == (0, True)
    assert side.run("resident", "status")[1:] == (b"", b"No resident process is running.\n")
    assert list(Path(side.address.folder).iterdir()) == []


@pytest.mark.parametrize(
    ("variables", "arguments"),
    [
        ({"CI": "true"}, ("search", "tree")),
        ({}, ("grep", "class")),
        ({}, ("search", "tree", "--nonsense")),
    ],
    ids=["where nobody types the next", "what needs no index", "a wrong command line"],
)
def test_some_leave_none_behind(
    tmp_path: Path, folder: Path, variables: dict[str, str], arguments: tuple[str, ...]
) -> None:
    side = Side(tmp_path / "one", folder, "")
    side.variables |= variables
    side.run(*arguments)
    assert not Path(side.address.folder).exists()


def test_one_that_cannot_begin_is_not_started_again_at_once(side: Side, folder: Path) -> None:
    claim = Claim.take(side.address)
    assert claim is not None
    claim.release(failed=True)
    assert side.run("search", "tree")[0] == 0
    assert is_lock_free(side.address.lock)
    assert side.run("resident", "status")[1] == b""


@pytest.mark.parametrize("how", ["variable", "file"])
def test_off_is_off(tmp_path: Path, folder: Path, how: str) -> None:
    side = Side(tmp_path / "one", folder, "off" if how == "variable" else "")
    if how == "file":
        settings = tmp_path / "one/config/codecortex/settings.toml"
        settings.parent.mkdir(parents=True)
        settings.write_text('resident = "off"\n')
    assert side.run("search", "tree")[0] == 0
    assert not Path(side.address.folder).exists()


def test_one_that_is_killed_is_replaced(side: Side, resident: Resident) -> None:
    before = resident.told("search", "tree")
    resident.process.kill()
    resident.process.wait()
    assert Path(side.address.socket).exists()
    assert side.run("search", "tree") == before
    again = Resident(side)
    assert again.told("search", "tree") == before
    again.end()


def test_a_second_one_leaves_at_once(side: Side, resident: Resident) -> None:
    assert side.run("resident", "run") == (0, b"", b"")
    assert resident.told("search", "tree")[0] == 0


def test_it_ends_with_its_root(resident: Resident, folder: Path) -> None:
    folder.rename(folder.with_name("Moved"))
    assert resident.process.wait(timeout=60) == 0
    assert not Path(resident.address.socket).exists()


def test_it_ends_when_settings_change(resident: Resident, side: Side, folder: Path) -> None:
    (folder / ".codecortex.toml").write_text("[index]\nmax_file_bytes = 1000\n")
    assert side.reached() == []
    assert resident.process.wait(timeout=60) == 0


def test_it_does_not_answer_from_a_store_that_is_gone(resident: Resident, tmp_path: Path) -> None:
    (tmp_path / "one/state").rename(tmp_path / "gone")
    assert resident.ask("search", "tree") is None
    assert resident.process.wait(timeout=60) == 0


def test_whoever_deletes_a_state_has_its_resident_end_first(resident: Resident, side: Side) -> None:
    status, out, _ = side.run("state", "delete", str(side.folder), "--yes")
    assert (status, b"is deleted" in out) == (0, True)
    assert resident.process.wait(timeout=60) == 0


def test_what_it_cannot_do_is_left_to_the_command(resident: Resident, folder: Path) -> None:
    assert resident.ask("search", "tree", "--set", "index.max_file_bytes=2000") is None
    assert resident.ask("search", "tree", "--root", str(folder.parent)) is None
    assert resident.ask("search", "tree", "--set", "window.budget=500") is not None


def test_settings_of_one_question_are_not_those_of_the_next(resident: Resident) -> None:
    resident.told("pin", "Tree")
    usual = resident.told("window", "--json")
    other = resident.told("window", "--json", "--set", "window.budget=777")
    assert b'"budget": 777' in other[1]
    assert resident.told("window", "--json") == usual


def test_pins_of_another_process_are_seen_at_once(resident: Resident, side: Side) -> None:
    resident.told("window")
    side.variables["CODECORTEX_RESIDENT"] = "off"
    assert side.run("pin", "Tree")[0] == 0
    assert b"Tree" in resident.told("window")[1]


def test_terminals_get_colours_and_pipes_do_not(resident: Resident, side: Side) -> None:
    reply = ask(resident.address, (str(side.folder), "1", "011", "grep", "class"))
    assert reply is not None
    assert any(b"\x1b[1;31m" in content for _, content in reply.pieces)
    assert b"\x1b" not in resident.told("grep", "class")[1]


def test_standard_input_is_the_askers(resident: Resident) -> None:
    assert resident.ask("context", "-") is None


@pytest.mark.parametrize("columns", ["60", "200"])
def test_help_is_kept_by_its_width(side: Side, tmp_path: Path, columns: str) -> None:
    side.variables["COLUMNS"] = columns
    first = side.run("search", "--help")
    kept = [*(tmp_path / "one/cache/codecortex/texts").iterdir()]
    assert len(kept) == 1
    assert kept[0].read_bytes() == first[1]
    assert side.run("search", "--help") == first
    side.variables["COLUMNS"] = "70"
    assert side.run("search", "--help")[1] != first[1]


def test_what_completes_a_word_is_kept(side: Side, tmp_path: Path) -> None:
    side.variables |= {
        "_CODECORTEX_COMPLETE": "bash_complete",
        "COMP_WORDS": "codecortex sear",
        "COMP_CWORD": "1",
    }
    for _ in range(2):
        assert side.run() == (0, b"plain,search\n", b"")
    assert len([*(tmp_path / "one/cache/codecortex/texts").iterdir()]) == 1


def test_an_error_is_not_kept(side: Side, tmp_path: Path) -> None:
    assert side.run("nonsense", "--help")[0] == 2
    assert not (tmp_path / "one/cache/codecortex/texts").exists()


def test_a_root_is_where_it_was_named(resident: Resident, folder: Path) -> None:
    assert resident.told("search", "tree", "--root", ".") == resident.told("search", "tree")
    assert resident.told("search", "tree", "--root", f"../{folder.name}") == resident.told("search", "tree")


@contextmanager
def serving(side: Side) -> Iterator[subprocess.Popen[bytes]]:
    """A server of programs, until its input ends."""
    process = subprocess.Popen(
        [sys.executable, "-m", "workbench", "rpc"],
        env=side.variables,
        cwd=side.folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    yield process
    process.communicate(timeout=60)
    assert process.returncode == 0


def test_a_server_answers_commands_and_what_was_left_behind_ends(
    side: Side, resident: Resident, tmp_path: Path
) -> None:
    with serving(side) as server:
        assert resident.process.wait(timeout=60) == 0
        eventually(side.reached)
        assert side.reached()[3] == str(server.pid)
        other = Side(tmp_path / "other", side.folder, "off")
        told = [resident.told(*command) for command in COMMANDS]
        for command, one, its in zip(COMMANDS, told, alone(other, COMMANDS), strict=True):
            assert _without_times(one) == _without_times(its), command
        assert f"server {server.pid}".encode() in side.run("resident", "status")[1]
        assert b"answers no more commands" in side.run("resident", "stop")[1]
        assert server.poll() is None
    assert list(Path(side.address.folder).iterdir()) == []


def test_a_second_server_leaves_the_first_one_its_place(side: Side) -> None:
    with serving(side) as first:
        eventually(side.reached)
        with serving(side) as second:
            assert second.stdin is not None
            assert second.stdout is not None
            second.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "Status"}\n')
            second.stdin.flush()
            assert b'"result"' in second.stdout.readline()
        assert side.reached()[3] == str(first.pid)
    assert list(Path(side.address.folder).iterdir()) == []


def test_a_second_server_answers_commands_once_the_first_one_has_ended(side: Side) -> None:
    with ExitStack() as first:
        ends = first.enter_context(serving(side))
        eventually(side.reached)
        with serving(side) as second:
            assert side.reached()[3] == str(ends.pid)
            first.close()
            eventually(lambda: side.reached() and side.reached()[3] == str(second.pid))
            assert b"Tree.cs" in side.run("search", "tree")[1]
    assert list(Path(side.address.folder).iterdir()) == []


def test_a_workbench_answers_commands_unless_its_screen_is_suspended(
    side: Side, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in side.variables.items():
        monkeypatch.setenv(name, value)
    question = (str(side.folder), "1", "000", "search", "tree")
    with Bench.open(side.folder, settings=load(side.folder)) as bench:
        bench.index.refresh()
        answer_beside(side.folder, bench, group=make_group())
        eventually(side.reached)
        reply = ask(side.address, question)
        assert reply is not None
        assert (reply.status, b"Tree.cs" in reply.pieces[0][1]) == (0, True)
        with monkeypatch.context() as suspended:
            suspended.setattr(sys, "stdout", io.StringIO())
            assert ask(side.address, question) is None
    assert list(Path(side.address.folder).iterdir()) == []
    assert not is_installed()
