"""What a change needs, measured on a small repository's own history."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.context import __main__ as measured
from benchmarks.context import latency
from tests.support.workspace import project, write_workspace

TYPES = ("Basket", "Discount", "Receipt", "Clock", "Parcel", "Address")


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=A", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)
    return done.stdout.decode().strip()


def source(name: str, edition: int) -> str:
    return f"namespace Shop;\n\npublic class {name}\n{{\n    public int Edition() => {edition};\n}}\n"


def commit(folder: Path, message: str, edition: int, *names: str) -> str:
    write_workspace(folder, {f"src/{name}.cs": source(name, edition) for name in names})
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", message)
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Twice Basket and Discount change together, once a test with one type alone."""
    folder = tmp_path / "shop"
    write_workspace(folder, {"src/Shop.csproj": project(), "tests/Shop.Tests.csproj": project()})
    git(folder, "init", "-q")
    commit(folder, "Everything", 0, *TYPES)
    commit(folder, "Round prices", 1, "Basket", "Discount")
    commit(folder, "Look at the clock", 1, "Clock", "../tests/ClockTests")
    commit(folder, "Round prices again", 2, "Basket", "Discount")
    return folder


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> None:
    monkeypatch.setattr(sys, "argv", ["context", *map(str, arguments)])
    measured.main()


def test_commits_of_several_types_are_sampled_and_every_ranking_is_scored(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(monkeypatch, repository, "--json", tmp_path / "out.json")
    told = json.loads((tmp_path / "out.json").read_bytes())
    assert (told["repository"], told["commits"], told["skipped"]) == ("shop", 2, 0)
    scores = {(each["kind"], each["ranking"]) for each in told["scores"]}
    assert scores == {
        (kind, ranking) for kind in ("words", "seed", "seed and words") for ranking in measured.RANKINGS
    }
    printed = capsys.readouterr().out
    assert "| words | FindContext |" in printed
    assert "# shop: 2 commits (0 skipped)" in printed


def test_index_and_history_end_before_the_commit(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a commit adds, and that its types changed together, is not known when its parent is asked."""
    commit(repository, "Ship parcels", 3, "Parcel", "Address", "Courier")
    asked = tmp_path / "commits"
    asked.write_text(git(repository, "rev-parse", "HEAD"))
    run(monkeypatch, repository, "--commits", asked, "--json", tmp_path / "out.json")
    told = json.loads((tmp_path / "out.json").read_bytes())
    found = [each for each in told["scores"] if each["ranking"] == "FindContext"]
    assert {each["targets"] for each in found if each["kind"] == "words"} == {2}  # Courier was not there yet
    assert {each["targets"] for each in found if each["kind"] == "seed"} == {1}
    assert git(repository, "status", "--porcelain") == ""
    assert not (repository / ".context").exists()


def test_commits_with_nothing_to_find_are_counted_as_skipped(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = tmp_path / "commits"
    asked.write_text(
        f"{git(repository, 'rev-list', '--max-parents=0', 'HEAD')} {git(repository, 'rev-parse', 'HEAD~1')}"
    )
    run(monkeypatch, repository, "--commits", asked)
    assert "# shop: 0 commits (2 skipped)" in capsys.readouterr().out


def test_what_questions_history_and_a_changed_file_cost_is_told(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["latency", str(repository), "--questions", "2"])
    latency.main()
    told = [row.partition(":")[0] for row in capsys.readouterr().out.splitlines()]
    assert told == [
        "history of 4 commits, 4 kept, 0.0 MB",
        "words and history read anew",
        "  of 6 types, 12 symbols",
        "words, first time",
        "words, warm",
        "seed, first time",
        "seed, warm",
        "changed file",
    ]
