"""Allowed command lines: one program of a list, with options of its table and paths below the root."""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from services.errors import CommandRefused
from services.llm.commands import git
from services.llm.commands.place import CommandWorkspace
from services.llm.commands.readers import READERS
from services.llm.commands.words import OptionKind, Table, rebuilt, refused, table, take_apart, words_of
from services.llm.tool_files import ToolFiles
from services.workspace import programs

RUNNERS: Mapping[str, Table] = {
    "dotnet": table(
        """
        --filter:text --no-build --no-restore --nologo --logger:trx,console
        --framework:text --configuration:text -c:text -f:text
        -v:quiet,minimal,normal,q,m,n --verbosity:quiet,minimal,normal --list-tests -t
        """
    ),
    "pytest": table(
        """
        -k:text -m:text -x -q -v -s -l --exitfirst --quiet --verbose --maxfail:number --tb:short,long,line,no,native
        --co --collect-only --last-failed --lf --failed-first --ff --durations:number --no-header --no-summary -r:text
        """
    ),
    "vitest": table(
        """
        --run -t:text --testNamePattern:text --bail:number --reporter:default,json,verbose,dot --no-color
        --root:folder
        """
    ),
    "jest": table(
        """
        -t:text --testNamePattern:text --ci --bail --json --verbose --silent --runInBand -i --listTests --no-color
        --passWithNoTests --rootDir:folder
        """
    ),
}


def test_runs(program: str, words: Sequence[str], place: CommandWorkspace) -> list[tuple[str, ...]]:
    """The argument lists of a test runner. Raises CommandRefused."""
    known = RUNNERS[program]
    first = {"dotnet": ["test"], "vitest": ["run"]}.get(program, [])
    rest = [*words]
    if first == ["test"] and rest[:1] != first:
        said = f"{program} {' '.join(rest[:1])}".rstrip()
        raise refused(said, "only tests are run", "Write dotnet test [PROJECT].")
    if first and rest[:1] == first:
        rest = rest[1:]
    given = take_apart(program, rest, known)
    names = [_place(program, each, place) for each in given.operands]

    def shown(kind: OptionKind, value: str) -> str:
        return place.path(kind, value) if kind is OptionKind.FOLDER else value

    return [(*first, *rebuilt(given, known, shown), *names)]


def _place(program: str, word: str, place: CommandWorkspace) -> str:
    """A file, folder or, of pytest, a test in a file."""
    path, colons, test = word.partition("::") if program == "pytest" else (word, "", "")
    if not path.strip():
        raise refused(word, "it names nothing", "Name a file or folder.")
    named = place.path(OptionKind.PATH, path)
    return f"{named}{colons}{test}"


PROGRAMS = (*READERS, "git", *RUNNERS)
_OWN_RUNNERS: Mapping[str, str] = {"vitest": "--root", "jest": "--rootDir"}
"""JavaScript test runners, with the option that names the folder of the package."""
_SCRIPT_RUNNERS = ("npm", "npx", "pnpm", "yarn", "bun", "make")
"""Programs that run what a file of the repository says, which need not be tests."""


class AllowedCommand(msgspec.Struct, frozen=True):
    """A command that may be run. `calls`: whole argument lists, run one after the other; `shown`: the command in one
    line, for people; `tests`: it runs code of the project; `reads`: folders outside the root that it needs;
    `unsafe`: why it may not be run without isolation, empty where it may."""

    shown: str
    calls: tuple[tuple[str, ...], ...]
    folder: str
    tests: bool = False
    reads: tuple[str, ...] = ()
    unsafe: str = ""
    environment: Mapping[str, str] = msgspec.field(default_factory=dict)


def allowed(line: str, files: ToolFiles) -> AllowedCommand:
    """The command of a line. Raises CommandRefused with the piece that is refused and the form that would do."""
    words = words_of(line)
    if not words:
        raise CommandRefused("There is no command.", piece="", instead=f"There are: {', '.join(PROGRAMS)}.")
    program, *rest = words
    if program in _SCRIPT_RUNNERS:
        instead = "Name the test runner itself: vitest run, jest, pytest or dotnet test PROJECT."
        raise refused(program, "it runs whatever a file of the repository says", instead)
    if program not in PROGRAMS:
        instead = f"There are: {', '.join(PROGRAMS)}. To read or search, there are tools besides."
        raise refused(program, "it is not among the programs that may be run", instead)
    place = CommandWorkspace(files)
    if program == "git":
        made = git.calls(rest, place)
        environment, unsafe = git.environment(made[0], place), git.programs_named(place)
        reads = git.folders(place)
    elif program in RUNNERS:
        made, environment, unsafe, reads = test_runs(program, rest, place), {}, "", ()
    else:
        made, environment, unsafe, reads = READERS[program].calls(rest, place), {}, "", ()
    path = _found(program, made[0], files)
    return AllowedCommand(
        shown=shlex.join(words),
        calls=tuple((path, *call) for call in made),
        folder=str(files.root.path),
        tests=program in RUNNERS,
        reads=reads,
        unsafe=unsafe,
        environment=environment,
    )


def _found(program: str, call: Sequence[str], files: ToolFiles) -> str:
    """The program's file: of the system, never one that the workspace brings. Only a JavaScript test runner is the
    project's own: it runs code of the project anyway, and is installed nowhere else."""
    if program in _OWN_RUNNERS and (target := _own(program, call, files.root.path)) is not None:
        return target
    path = programs.find(program, first=programs.SYSTEM_PATH)
    if path is None:
        message = f"{program} is not installed here, outside the workspace."
        instead = "Install it where PATH finds it outside the workspace, or use another tool."
        if program in _OWN_RUNNERS:
            message, instead = (
                f"{program} is not installed here.",
                f"Run npm install where {program} is used.",
            )
        raise CommandRefused(message, piece=program, instead=instead)
    return path


def _own(program: str, call: Sequence[str], root: Path) -> str | None:
    """The runner of the nearest `node_modules`, from the folder of its package up to the root, where it may be run and
    no link leads out of the root."""
    option = f"{_OWN_RUNNERS[program]}="
    folder = next((each.removeprefix(option) for each in call if each.startswith(option)), ".")
    top = os.path.realpath(root)
    place = Path(os.path.realpath(root / folder))
    for at in (place, *place.parents):
        if not at.is_relative_to(top):
            break
        with contextlib.suppress(OSError):
            target = Path(os.path.realpath(at / "node_modules/.bin" / program))
            if target.is_relative_to(top) and target.is_file() and os.access(target, os.X_OK):
                return str(target)
    return None


RESULTS = "\0results"
"""Stands in an argument for the folder into which a runner writes its results, which is made for each run."""
_REPORTING: Mapping[str, tuple[str, ...]] = {
    "dotnet": ("--logger", "trx", "--results-directory", RESULTS),
    "pytest": ("-o", "junit_family=xunit1", f"--junitxml={RESULTS}/pytest.xml"),
    "vitest": ("--reporter=default", "--reporter=json", f"--outputFile.json={RESULTS}/vitest.json"),
    "jest": ("--json", "--testLocationInResults", f"--outputFile={RESULTS}/jest.json"),
}
_PLATFORM = ("--report-trx", "--results-directory", RESULTS)
"""Of `dotnet test` where global.json chooses Microsoft.Testing.Platform."""


def with_results(command: AllowedCommand, *, platform: bool = False) -> AllowedCommand:
    """Return a test command that also writes its results into a folder of the run. `platform`: `dotnet test` runs on
    Microsoft.Testing.Platform."""
    program = command.shown.split()[0]
    added = _PLATFORM if platform and program == "dotnet" else _REPORTING[program]
    return replace(command, calls=tuple((*call, *added) for call in command.calls))
