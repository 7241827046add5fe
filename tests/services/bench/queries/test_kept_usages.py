"""Usages that took long, kept for the next command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from services.bench.bench import Bench
from services.bench.queries import usages
from services.index.index import Index
from services.settings import IndexSettings, Settings
from tests.support.workspace import edit, project, write_workspace

FILES = {
    "App.csproj": project("<TargetFramework>net8.0</TargetFramework>"),
    "Tree.cs": "namespace Orchard; public class Tree { }",
    "Plot.cs": 'namespace Orchard; public class Plot { Tree one = new Tree(); /// <see cref="Tree"/>\n}',
}


@pytest.fixture(autouse=True)
def _everything_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usages, "_LONG", 0.0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_workspace(tmp_path / "root", FILES)


def found(folder: Path, **given: Any) -> Any:
    """What a command finds."""
    settings = Settings(index=IndexSettings(workers=1))
    with Bench.open(folder, settings=settings, lasting=False) as bench:
        bench.index.load()
        bench.index.refresh()
        return msgspec.structs.replace(bench.usages.find("Tree", **given), elapsed_ms=0.0)


def test_the_second_command_searches_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = found(folder)
    assert first.total == 2
    monkeypatch.setattr(Index, "usages", None)
    assert found(folder) == first


def test_another_question_is_another_answer(folder: Path) -> None:
    found(folder)
    assert len(found(folder, limit=1).usages) == 1
    assert found(folder, grade="bound").total == 2


@pytest.mark.parametrize(
    ("path", "text", "total"),
    [
        ("Plot.cs", "namespace Orchard; public class Plot { Tree one; }", 1),
        ("New.cs", "namespace Orchard; public class New { Tree one; }", 3),
        ("App.csproj", project("<TargetFramework>net9.0</TargetFramework>"), 2),
    ],
)
def test_whatever_changes_has_it_searched_again(folder: Path, path: str, text: str, total: int) -> None:
    found(folder)
    edit(folder, path, text)
    assert found(folder).total == total


def test_a_damaged_answer_is_none(folder: Path) -> None:
    first = found(folder)
    settings = Settings(index=IndexSettings(workers=1))
    with Bench.open(folder, settings=settings, lasting=False) as bench:
        for name in bench.state.names("usages"):
            bench.state.write(f"usages/{name}", b"\x93nonsense")
    assert found(folder) == first


def test_few_are_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usages, "_MOST", 3)
    for limit in range(1, 8):
        found(folder, limit=limit)
    settings = Settings(index=IndexSettings(workers=1))
    with Bench.open(folder, settings=settings, lasting=False) as bench:
        assert 1 <= len(bench.state.names("usages")) <= 3
