"""A command run: isolated as well as this machine can, limited, and killed with everything it started."""

from __future__ import annotations

import ctypes
import os
import re
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from services.concurrency.exclusion import Guarded
from services.decoding import decode
from services.errors import Cancelled, CommandRefused
from services.llm.commands.allow import RESULTS, AllowedCommand
from services.llm.commands.isolation import LAUNCHER, Cell, Isolation, before, is_there
from services.llm.tool_registry import COMMAND_TIMEOUT
from services.workspace import programs
from services.workspace.files.openers import SHARED_FOLDER
from services.workspace.programs import SYSTEM_PATH
from services.workspace.state_home import NoStateError, StateHome

_LOOK = 0.05
_GRACE = 3.0
_GIB = 1 << 30
_PR_SET_DUMPABLE = 4
_ADDRESSED = re.compile(r"(\w://)[^/@\s]+@")
"""Names and passwords in addresses, as git prints them."""


class CommandLimits(NamedTuple):
    """Limits of one command. `seconds`: in all; `memory`, `output`, `writes`: bytes: of all its processes together,
    printed, and of a file that it writes; `address`: bytes of one process's address space, 0 for no limit."""

    seconds: float = COMMAND_TIMEOUT
    memory: int = _GIB
    processes: int = 64
    output: int = 1 << 20
    writes: int = 1 << 28
    address: int = _GIB


OF_TESTS = CommandLimits(seconds=600, processes=600, writes=_GIB, address=0)


class CommandOutcome(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """How a command ended. `exit`: its status; `why`: exited, time, memory, processes, output (all but the first: it
    was killed past that limit) or missing; `output`: what it printed, cut at a limit; `results`: the files that a test
    runner wrote for the program (services/llm/commands/allow.py, with_results), by name."""

    command: str
    exit: int
    why: str
    seconds: float
    output: str
    isolation: str
    results: Mapping[str, bytes] = {}

    @property
    def text(self) -> str:
        """For a model: what was printed, and how it ended where that is not plain."""
        end = _ENDS.get(self.why, "")
        status = f"[exit status {self.exit}]" if self.why == "exited" and self.exit else ""
        return "\n".join(filter(None, (self.output.rstrip("\n"), end, status))) or "[nothing was printed]"


_ENDS: Mapping[str, str] = {
    "time": "[killed: it took too long]",
    "memory": "[killed: it took too much memory]",
    "processes": "[killed: it started too many processes]",
    "output": "[TRUNCATED: it printed more than may be told; ask for less]",
}


class Runner:
    """Runs commands of one workspace. `isolation`: None for the best that works here. Thread-safe."""

    def __init__(self, isolation: Isolation | None = None) -> None:
        self._isolation = isolation

    @property
    def isolation(self) -> Isolation:
        """Isolation of the commands."""
        return self._isolation or probe()

    def run(
        self,
        command: AllowedCommand,
        *,
        limits: CommandLimits | None = None,
        cancel: threading.Event | None = None,
    ) -> CommandOutcome:
        """Run it. Raises Cancelled once nothing of it lives any more, and CommandRefused for what needs isolation where
        there is none."""
        isolation = self.isolation
        if command.unsafe and isolation is Isolation.NONE:
            instead = "Install bubblewrap or sandlock, or use the other tools."
            message = (
                f"git was refused in this repository: {command.unsafe}, and there is no isolation. {instead}"
            )
            raise CommandRefused(message, piece="git", instead=instead)
        limits = limits or (OF_TESTS if command.tests else CommandLimits())
        with tempfile.TemporaryDirectory(prefix="codecortex-") as temporary, _undumpable():
            folder = os.path.realpath(temporary)
            Path(folder, _RESULTS).mkdir()
            spec = _spec(command, isolation, limits, folder)
            printed, told = _launched(spec, limits.seconds + _GRACE, cancel)
            results = dict(_results(folder))
        return CommandOutcome(
            command=command.shown,
            exit=told.get("exit", -1),
            why=told.get("why", "exited"),
            seconds=told.get("seconds", 0.0),
            output=_ADDRESSED.sub(r"\1…@", printed.decode("utf-8", "replace"))
            + _unopened(printed, isolation),
            isolation=str(isolation),
            results=results,
        )


def _unopened(printed: bytes, isolation: Isolation) -> str:
    """Return a note where programs complain of names that sandlock does not open, and take the files for missing."""
    if isolation is not Isolation.LANDLOCK or b"Bad address" not in printed:
        return ""
    return "[Files whose names are not UTF-8 cannot be opened under this isolation; they are not missing.]\n"


_RESULTS = "results"
_MOST_RESULTS = 200
_MOST_RESULT_BYTES = 64 << 20


def _results(temporary: str) -> Iterator[tuple[str, bytes]]:
    """The files that a test runner wrote, as far as they are plain: code of the project can put anything there."""
    read = 0
    for at, (folder, _, names) in enumerate(os.walk(Path(temporary, _RESULTS))):
        if at > _MOST_RESULTS:
            return
        for name in sorted(names)[:_MOST_RESULTS]:
            if not name.casefold().endswith((".trx", ".xml", ".json")):
                continue
            content = _plain_file(Path(folder, name), _MOST_RESULT_BYTES - read)
            if content is not None:
                read += len(content)
                yield os.path.relpath(Path(folder, name), temporary), content


def _plain_file(path: Path, most: int) -> bytes | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode) or about.st_size > most:
            return None
        return file.read(most)


def probe() -> Isolation:
    """The best isolation that works here."""
    return next(filter(works, Isolation))


@cache
def works(isolation: Isolation) -> bool:
    """Whether the isolation is installed and effective, by a trial: files of the workspace can be read, others
    cannot."""
    return isolation is Isolation.NONE or (is_there(isolation) and _holds(isolation))


def _holds(isolation: Isolation) -> bool:
    with tempfile.TemporaryDirectory(prefix="codecortex-") as folder:
        inside, outside = Path(folder, "inside"), Path(folder, "outside")
        for each in (inside, outside):
            each.mkdir()
            (each / "file").write_text("text")
        cat, runner = programs.find("cat", first=SYSTEM_PATH) or "cat", Runner(isolation)

        def told(path: str) -> str:
            command = AllowedCommand(shown="cat", calls=((cat, path),), folder=os.path.realpath(inside))
            return runner.run(command, limits=CommandLimits(seconds=10)).output

        return told("file") == "text" and "text" not in told(os.path.realpath(outside / "file"))


def _spec(
    command: AllowedCommand, isolation: Isolation, limits: CommandLimits, temporary: str
) -> dict[str, object]:
    cell = Cell(
        folder=command.folder,
        temporary=temporary,
        reads=(*command.reads, *(_needed_by_tests(command) if command.tests else ())),
        hides=_hidden_in(command.folder),
        writes=command.tests,
    )
    return {
        "calls": [
            [word.replace(RESULTS, f"{temporary}/{_RESULTS}") for word in call] for call in command.calls
        ],
        "before": before(isolation, cell, processes=limits.processes),
        "folder": command.folder,
        "environment": _environment(command, temporary),
        # A sandbox reserves addresses of its own, which are no memory.
        "address": 0 if isolation is Isolation.LANDLOCK else limits.address,
        "seconds": limits.seconds,
        "memory": limits.memory,
        # What isolates is a process too, or two.
        "processes": limits.processes + (0 if isolation is Isolation.NONE else 3),
        "output": limits.output,
        "writes": limits.writes,
    }


def _hidden_in(folder: str) -> tuple[str, ...]:
    """The folders of the program's own that commands do not see, as far as they lie there."""
    places = [os.path.join(folder, SHARED_FOLDER)]  # noqa: PTH118 (names of any bytes)
    with suppress(NoStateError):
        places.append(os.path.realpath(StateHome.of_person().folder))
    return tuple(each for each in places if each.startswith(f"{folder}/") and Path(each).is_dir())


def _needed_by_tests(command: AllowedCommand) -> tuple[str, ...]:
    """Return the paths that a test runner needs: its own, its interpreter's and those of their packages."""
    home = Path.home()
    programs = [command.calls[0][0], *_interpreter(command.calls[0][0])]
    named = (Path(each).parents[1] for each in programs)
    real = (Path(os.path.realpath(each)).parents[1] for each in programs)
    places = (home / ".nuget" / "packages", home / ".dotnet", *named, *real)
    return tuple(
        dict.fromkeys(str(each) for each in places if each.is_dir() and each not in (Path("/"), home))
    )


def _interpreter(program: str) -> list[str]:
    """Return the paths of the interpreter that the first line of a script names, in its folder or elsewhere."""
    try:
        with open(program, "rb") as file:  # noqa: PTH123 (names of any bytes)
            first = file.readline(512)
    except OSError:
        return []
    words = first.removeprefix(b"#!").split() if first.startswith(b"#!") else []
    named = [os.fsdecode(word) for word in words]
    if named and Path(named[0]).name == "env":
        named = [found] if (found := programs.find(named[-1])) else []
    return named[:1]


def _environment(command: AllowedCommand, temporary: str) -> dict[str, str]:
    """Nothing of the program's own but what tests need to find their packages."""
    made = {"PATH": SYSTEM_PATH, "LC_ALL": "C.UTF-8", "HOME": temporary, "TMPDIR": temporary, "TERM": "dumb"}
    if command.tests:
        made |= {"DOTNET_CLI_HOME": temporary, "DOTNET_CLI_TELEMETRY_OPTOUT": "1", "DOTNET_NOLOGO": "1"}
        # Python takes a file of the same length, changed within the same second, from its cache.
        made["PYTHONDONTWRITEBYTECODE"] = "1"
        made["NUGET_PACKAGES"] = str(Path.home() / ".nuget" / "packages")
        made["PATH"] = f"{Path(command.calls[0][0]).parent}:{SYSTEM_PATH}"
    return {**made, **command.environment}


def _launched(
    spec: dict[str, object], seconds: float, cancel: threading.Event | None
) -> tuple[bytes, dict[str, Any]]:
    """Run the launcher; return the output and the launcher's report. Raises Cancelled."""
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb") as report:
        try:
            process = subprocess.Popen(
                [sys.executable, "-I", str(LAUNCHER)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={"PATH": SYSTEM_PATH, "LC_ALL": "C.UTF-8"},
                pass_fds=(writer,),
            )
        finally:
            os.close(writer)
        with process:
            printed = _followed(process, msgspec.json.encode({**spec, "report": writer}), seconds, cancel)
        told = report.read()
    return printed, decode(Any, told) if told else {"why": "time", "exit": -signal.SIGKILL}


def _followed(
    process: subprocess.Popen[bytes], fed: bytes, seconds: float, cancel: threading.Event | None
) -> bytes:
    stdin, process.stdin = process.stdin, None
    assert stdin is not None
    ends = time.monotonic() + seconds
    try:
        with stdin:
            stdin.write(fed)
        while True:
            try:
                return process.communicate(timeout=_LOOK)[0]
            except subprocess.TimeoutExpired:
                if cancel is not None and cancel.is_set():
                    raise Cancelled("The command was stopped, with all it had started.") from None
                if time.monotonic() > ends:
                    process.terminate()
                    ends += _GRACE
    finally:
        if process.poll() is None:
            process.terminate()  # it kills what it started, and goes
            with suppress(subprocess.TimeoutExpired):
                process.wait(_GRACE)
            process.kill()


_running = Guarded([0])
"""How many commands run; the flag of the process is changed with it."""


@contextmanager
def _undumpable() -> Iterator[None]:
    """Prevent other processes of the user from reading this process's environment, which may have keys, while
    commands run."""
    with _running as count:
        count[0] += 1
        if count[0] == 1:
            _set_dumpable(dumpable=False)
    try:
        yield
    finally:
        with _running as count:
            count[0] -= 1
            if not count[0]:
                _set_dumpable(dumpable=True)


def _set_dumpable(*, dumpable: bool) -> None:
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, int(dumpable), 0, 0, 0)
