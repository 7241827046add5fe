"""Test runners found among files, and the commands made of them."""

from __future__ import annotations

import shlex

import pytest

from services.errors import UsageError
from services.testing.test_files import DOTNET, PYTEST, RunnerTarget, chosen, script_targets

FILES = {
    "package.json": '{"name": "app", "devDependencies": {"vitest": "^3"}}',
    "web/package.json": '{"dependencies": {"jest": "1"}}',
    "web/node_modules/x/package.json": '{"devDependencies": {"jest": "1"}}',
    "broken/package.json": "{",
    "odd/package.json": '{"devDependencies": ["vitest"]}',
    "tool/pyproject.toml": "[project]\nname = 'x'\n[tool.pytest.ini_options]\n",
    "tool/tests/conftest.py": "",
    "other/pyproject.toml": "[project]\n",
}


def test_runners_are_found_once_each() -> None:
    found = [(each.name, each.path, each.runner) for each in script_targets(FILES, FILES.get)]
    assert found == [
        ("app", ".", "vitest"),
        ("tool", "tool", "pytest"),
        ("web", "web", "jest"),
    ]


@pytest.mark.parametrize(
    ("target", "filter_", "expected"),
    [
        (RunnerTarget("T", "T/T.csproj", DOTNET), "", ["dotnet", "test", "T/T.csproj"]),
        (
            RunnerTarget("T", "a b/T.csproj", DOTNET),
            "Adds(1)",
            ["dotnet", "test", "a b/T.csproj", "--filter", "FullyQualifiedName~Adds\\(1\\)"],
        ),
        (
            RunnerTarget("T", "T.csproj", DOTNET),
            "Category=Slow",
            ["dotnet", "test", "T.csproj", "--filter", "Category=Slow"],
        ),
        (RunnerTarget("t", ".", PYTEST), "a or b", ["pytest", "-k", "a or b"]),
        (RunnerTarget("t", "w", "vitest"), "x", ["vitest", "run", "--root", "w", "-t", "x"]),
    ],
)
def test_the_command_of_a_target(target: RunnerTarget, filter_: str, expected: list[str]) -> None:
    assert shlex.split(target.command(filter_)) == expected


def test_one_of_several_is_named() -> None:
    several = [RunnerTarget("A", "A/A.csproj", DOTNET), RunnerTarget("B", "B/B.csproj", DOTNET)]
    assert chosen(several, "B", []) is several[1]
    assert chosen(several, "A/", []) is several[0]
    assert chosen(several, "", ["All.slnx"]).command() == "dotnet test All.slnx"
    for project, solutions in (("", []), ("C", []), ("", ["A.sln", "B.sln"])):
        with pytest.raises(UsageError, match=r"A/A\.csproj, B/B\.csproj"):
            chosen(several, project, solutions)
    with pytest.raises(UsageError, match="No tests were found"):
        chosen([], "", [])
