"""The model and budget chosen for a workspace: counted at once, kept, followed, and under the settings when they
change."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.bench.bench import Bench
from services.bench.window.models import Choices
from services.errors import UsageError
from services.settings import Settings, WindowSettings
from tests.support.eventually import eventually
from tests.support.workspace import write_workspace


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_workspace(tmp_path, {"A.cs": "class A { }\n"})


def opened(folder: Path, **window: object) -> Bench:
    return Bench.open(folder, settings=Settings(window=WindowSettings(**window)))  # pyright: ignore[reportArgumentType]


def test_a_choice_counts_at_once_and_at_the_next_start(folder: Path) -> None:
    with opened(folder) as bench:
        bench.models.choose("claude-sonnet-4-5", 8_000)
        window = bench.window.render()
        assert (window.model, window.budget, window.approximate) == ("claude-sonnet-4-5", 8_000, True)
        assert [row.name for row in bench.models.rows() if row.chosen] == ["claude-sonnet-4-5"]
    with opened(folder) as bench:
        assert (bench.window.render().model, bench.window.render().budget) == ("claude-sonnet-4-5", 8_000)
        bench.models.choose(None, None)
        assert bench.window.render().model == WindowSettings().model


def test_settings_that_changed_since_count_again(folder: Path) -> None:
    with opened(folder) as bench:
        bench.models.choose("gpt-4o", 8_000)
    with opened(folder, budget=1_000) as bench:
        assert (bench.window.render().model, bench.window.render().budget) == (WindowSettings().model, 1_000)


def test_a_budget_is_never_more_than_the_model_reads(folder: Path) -> None:
    with opened(folder) as bench:
        bench.models.choose("gpt-4", 1_000_000)
        assert bench.window.render().budget == 8_192
        with pytest.raises(UsageError, match="from 100 to"):
            bench.models.choose("gpt-4", 99)


def test_what_else_is_open_follows(folder: Path) -> None:
    with opened(folder) as bench, opened(folder) as other:
        other.watch()
        bench.models.choose("gpt-4o", 5_000)
        eventually(lambda: other.window.render().budget == 5_000)
        assert other.window.render().model == "gpt-4o"


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"model": 3}', b'{"budget": 1}'])
def test_a_file_that_makes_no_sense_is_no_choice(folder: Path, data: bytes) -> None:
    with opened(folder) as bench:
        bench.state.write("model.json", data)
        settings = WindowSettings()
        assert Choices(bench.state, settings).read() == (None, None)
