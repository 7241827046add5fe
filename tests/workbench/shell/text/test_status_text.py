"""The setting `index.target_framework`, from the settings to what is indexed and said."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.bench.bench import Bench
from services.settings import IndexSettings, Settings
from tests.support.workspace import project, write_workspace
from workbench.shell.text.status_text import notice_lines, project_rows

FILES = {
    "A.csproj": project("<TargetFrameworks>net48;net8.0</TargetFrameworks>"),
    "A.cs": "#if NETFRAMEWORK\nclass Old {}\n#endif\n#if NET8_0_OR_GREATER\nclass New {}\n#endif\n",
}


def opened(folder: Path, framework: str) -> Bench:
    settings = IndexSettings(workers=1, target_framework=framework)
    return Bench.open(folder, settings=Settings(index=settings))


def names(bench: Bench) -> list[str]:
    """The types that the framework compiles; the others are of another configuration."""
    types = [symbol for symbol in bench.index.symbols() if symbol.is_type]
    assert {symbol.name for symbol in types} == {"New", "Old"}
    return sorted(symbol.name for symbol in types if not symbol.condition)


@pytest.mark.parametrize(
    ("framework", "expected", "said"),
    [
        ("highest", ["New"], "net8.0 of net48, net8.0 · 1 file"),
        ("net48", ["Old"], "net48 of net48, net8.0 · 1 file"),
        ("NET48", ["Old"], "net48 of net48, net8.0 · 1 file"),
        ("union", ["New", "Old"], "net8.0 of net48, net8.0 · 1 file"),
        ("net9.0", ["New"], "net8.0 of net48, net8.0 · 1 file"),
    ],
)
def test_projects_are_read_for_the_framework_that_is_set(
    tmp_path: Path, framework: str, expected: list[str], said: str
) -> None:
    write_workspace(tmp_path, FILES)
    with opened(tmp_path, framework) as bench:
        bench.index.refresh()
        assert names(bench) == expected
        assert project_rows(bench.health.status()) == [("A", said)]
        unheard = [line for line in notice_lines(bench.health.notices()) if "No project is for" in line]
        assert len(unheard) == (framework == "net9.0")


def test_another_framework_than_last_time_reads_what_it_takes(tmp_path: Path) -> None:
    write_workspace(tmp_path, FILES)
    for framework, expected in (("highest", ["New"]), ("net48", ["Old"]), ("highest", ["New"])):
        with opened(tmp_path, framework) as bench:
            bench.index.load()
            bench.index.refresh()
            assert names(bench) == expected


def test_what_was_not_understood_is_said_of_its_project(tmp_path: Path) -> None:
    doubted = "<PropertyGroup Condition=\"$([X.Y]::Z('a')) == 1\"><DefineConstants>A</DefineConstants></PropertyGroup>"
    text = f'<Project Sdk="Microsoft.NET.Sdk">{doubted}</Project>'
    write_workspace(tmp_path, {"A.csproj": text, "A.cs": "class A {}"})
    with opened(tmp_path, "highest") as bench:
        bench.index.refresh()
        ((_, facts),) = project_rows(bench.health.status())
        assert "not understood: " in facts
        assert "[X.Y]::Z" in facts
