"""Commands that are run in a workspace, for a model or a person: planned, run, and journalled."""

from __future__ import annotations

import re
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from services.decoding import SMALL, decode
from services.errors import CodeCortexError
from services.llm.chat import ChatFiles
from services.llm.commands.allow import AllowedCommand, allowed, with_results
from services.llm.commands.isolation import Isolation
from services.llm.commands.running import CommandOutcome, Runner
from services.llm.tool_files import ToolFiles
from services.msbuild.xmltree import plain

FOLDER = "commands"
_KEPT = 200


class CommandPlan(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Command to be approved by a person: the command, where, and how it is isolated."""

    command: str
    folder: str
    isolation: str
    tests: bool = False

    @property
    def lines(self) -> tuple[str, ...]:
        """In words: the command, where, and how it is isolated."""
        what = "Runs code of this project:" if self.tests else "Runs:"
        return f"{what} {self.command}", f"In: {self.folder}", self.isolation

    @property
    def text(self) -> str:
        """The lines as one text."""
        return "".join(f"{line}\n" for line in self.lines)


class RunRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Run of a command as the journal records it. `output`: the file with its output; times in ms since 1970."""

    id: str
    command: str
    folder: str
    isolation: str
    exit: int
    why: str
    started_at: int
    ended_at: int
    output: str
    by: str = ""


class CommandRunner:
    """Commands of one workspace. `hide`: masks likely secrets in the output, given the files that its lines may be
    from: a line of a private key looks like any data. Thread-safe."""

    def __init__(
        self,
        files: Callable[[], ToolFiles],
        state: ChatFiles,
        hide: Callable[[str, list[str]], str],
        *,
        runner: Runner | None = None,
    ) -> None:
        self._files = files
        self._hide = hide
        self._state = state
        self.runner = runner or Runner()

    @property
    def isolation(self) -> Isolation:
        """Isolation of commands on this machine."""
        return self.runner.isolation

    def allowed(self, line: str) -> AllowedCommand:
        """The command of a line. Raises CommandRefused."""
        return allowed(line, self._files())

    def plan(self, line: str) -> CommandPlan:
        """Return the plan of a command without running it. Raises CommandRefused."""
        command = self.allowed(line)
        return CommandPlan(
            command=command.shown,
            folder=command.folder,
            isolation=self.isolation.sentence,
            tests=command.tests,
        )

    def run(
        self, line: str, *, by: str = "", results: bool = False, cancel: threading.Event | None = None
    ) -> CommandOutcome:
        """Run it. `results`: a test runner also writes its results, which the outcome holds. Raises CommandRefused,
        Cancelled."""
        command = self.allowed(line)
        if results and command.tests:
            command = with_results(command, platform=self._uses_testing_platform())
        began = time.time_ns() // 1_000_000
        outcome = self.runner.run(command, cancel=cancel)
        files = list(dict.fromkeys(_files_of(command, outcome.output)))
        outcome = msgspec.structs.replace(outcome, output=self._hide(outcome.output, files[:_MOST_FILES]))
        self._note(outcome, command.folder, began, by)
        return outcome

    def _uses_testing_platform(self) -> bool:
        """Whether global.json has `dotnet test` run on Microsoft.Testing.Platform (.NET 10 and later)."""
        try:
            text = "\n".join(self._files().text("global.json").lines)
            chosen = decode(dict[str, Any], plain(text), SMALL)
        except (CodeCortexError, msgspec.DecodeError):
            return False
        test = chosen.get("test")
        return isinstance(test, dict) and test.get("runner") == "Microsoft.Testing.Platform"

    def _note(self, outcome: CommandOutcome, folder: str, began: int, by: str) -> None:
        """Journal it; the oldest runs go."""
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(began / 1000))
        id_ = f"R_{stamp}-{secrets.token_hex(2)}"
        record = RunRecord(
            id=id_,
            command=outcome.command,
            folder=folder,
            isolation=outcome.isolation,
            exit=outcome.exit,
            why=outcome.why,
            started_at=began,
            ended_at=began + int(outcome.seconds * 1000),
            output=f"{FOLDER}/{id_}.out",
            by=by,
        )
        self._state.write(record.output, outcome.output.encode("utf-8", "replace"))
        self._state.write(f"{FOLDER}/{id_}.json", msgspec.json.format(msgspec.json.encode(record), indent=1))
        for old in sorted(self._state.names(FOLDER))[: -2 * _KEPT]:
            self._state.remove(f"{FOLDER}/{old}")


_MOST_FILES = 500
_SAID_FILE = re.compile(r"(?m)^(?:[+-]{3} [ab]/(?P<changed>[^\n]{1,400})$|(?P<named>[^\n:]{1,400}):)")
_BESIDE_MATCH = re.compile(r"(?m)^(?P<named>[^\n]{1,400}?)-[0-9]+-")


def _files_of(command: AllowedCommand, output: str) -> Iterator[str]:
    """Yield the files that lines of the output may be from: those that the command names and those that prefix its
    lines."""
    for call in command.calls:
        for word in call[1:]:
            yield word.removeprefix("./")
            if ":" in word:
                yield word.partition(":")[2]
    for match in (*_SAID_FILE.finditer(output), *_BESIDE_MATCH.finditer(output)):
        yield next(name for name in match.groups() if name).removeprefix("./")
