"""Test runners, in the forms in which tests are run: arbitrary code of the project, so a right of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from services.llm.commands.options import Kind, Table, rebuilt, table, take_apart
from services.llm.commands.place import Place
from services.llm.commands.words import refused

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
        "--run -t:text --testNamePattern:text --bail:number --reporter:default,json,verbose,dot --no-color"
    ),
    "jest": table(
        """
        -t:text --testNamePattern:text --ci --bail --json --verbose --silent --runInBand -i --listTests --no-color
        --passWithNoTests
        """
    ),
}


def calls(program: str, words: Sequence[str], place: Place) -> list[tuple[str, ...]]:
    """The argument lists of a test runner. Raises CommandRefused."""
    known = RUNNERS[program]
    first = {"dotnet": ["test"], "vitest": ["run"]}.get(program, [])
    rest = [*words]
    if program == "dotnet" and rest[:1] != ["test"]:
        raise refused(f"dotnet {' '.join(rest[:1])}", "only tests are run", "Write dotnet test [PROJECT].")
    if first and rest[:1] == first:
        rest = rest[1:]
    given = take_apart(program, rest, known)
    names = [_place(program, each, place) for each in given.operands]
    return [(*first, *rebuilt(given, known, lambda _, value: value), *names)]


def _place(program: str, word: str, place: Place) -> str:
    """A file, folder or, of pytest, a test in a file."""
    path, colons, test = word.partition("::") if program == "pytest" else (word, "", "")
    if not path.strip():
        raise refused(word, "it names nothing", "Name a file or folder.")
    named = place.path(Kind.PATH, path)
    return f"{named}{colons}{test}"
