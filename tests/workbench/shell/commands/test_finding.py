"""Searches at a shell: what is found is status 0, nothing found is told and 1, and a text is no expression."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.workspace import write_workspace
from workbench.shell.cli import run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    text = "class Ledger { void Enter(int amount) { Enter(1); } }\n"
    return write_workspace(tmp_path_factory.mktemp("found"), {"Ledger.cs": text})


@pytest.fixture(autouse=True)
def _homes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("grep", "Enter("), 0, "Enter(1);"),  # brackets are text unless an expression is asked for
        (("grep", "-E", r"Enter\(\d"), 0, "Enter(1);"),
        (("grep", "-E", "Enter("), 1, "cannot be searched for"),
        (("grep", "Nowhere"), 1, "Nowhere"),
        (("search", "ledg"), 0, "Ledger"),
        (("search", "zzzz"), 1, "zzzz"),
        (("search", "in:Nope ledger"), 1, "nope"),
        (("usages", "Ledger"), 1, "Nothing that is read uses Ledger"),
        (("usages", "Ledger.Enter"), 0, "Enter(1);"),
        (("search", "kind:klass ledger"), 1, "klass"),
    ],
)
def test_the_status_says_whether_something_was_found(
    folder: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], status: int, said: str
) -> None:
    assert run(["--root", str(folder), *words]) == status
    out, err = capsys.readouterr()
    assert said in (err if status else out)
    assert status or not err


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("--tool", "read", "--path", "Ledger.cs", "read it"), 0, "class Ledger"),
        (("--tool", "read", "--path", "Nowhere.cs", "read it"), 1, "Nowhere.cs"),
        (("--tool", "fly", "away"), 1, "Unknown tool: fly"),
    ],
)
def test_the_status_of_an_agent_says_whether_it_did_it(
    folder: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], status: int, said: str
) -> None:
    assert run(["--root", str(folder), "agent", *words]) == status
    assert said in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("window",), "The window is empty. Pin something first.\n"),
        (("suggest",), "Nothing is pinned that anything is related to. Pin a type or a member first.\n"),
        (("usages", "Ledger.Enter", "--limit", "1"), "1 of 2 usages: --limit N answers more.\n"),
        (("usages", "Ledger.Enter"), ""),
    ],
)
def test_what_is_empty_or_not_all_is_told_beside_a_pipe(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    text = "class Ledger { void Enter(int amount) { Enter(1);\nEnter(2); } }\n"
    place = write_workspace(tmp_path / "place", {"Ledger.cs": text})
    assert run(["--root", str(place), *words]) == 0
    assert capsys.readouterr().err == said


def test_names_of_generic_types_are_told_as_people_write_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = write_workspace(tmp_path / "place", {"Box.cs": "class Box<T> { }\n"})
    assert run(["--root", str(place), "pin", "Box<T>"]) == 0
    assert capsys.readouterr().out.startswith("Pinned Box<T>: ")


@pytest.mark.parametrize(
    "words", [("outline", "Legder"), ("usages", "Ledger.Entre"), ("read", "Legder"), ("semantic", "Legder")]
)
def test_a_guess_is_told(folder: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    assert run(["--root", str(folder), *words]) == 0
    out, err = capsys.readouterr()
    assert out
    assert err.startswith(f"Nothing is called '{words[1]}': it was taken for Ledger")


def test_what_was_named_is_no_guess(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (("outline", "Ledger"), ("semantic", "ledger"), ("resolve", "Led*")):
        assert run(["--root", str(folder), *words, "--json"]) == 0
        out, err = capsys.readouterr()
        assert not err
        assert json.loads(out)["resolved"] == {"path": "Ledger", "typeId": "T_414MEFPP", "memberId": None}
    assert run(["--root", str(folder), "outline", "Legder", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["resolved"]["guessed"] is True


def test_files_are_counted_without_an_index(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = write_workspace(
        tmp_path / "place", {"A.cs": "class A { }", "b/B.cs": "class B { }", "c.txt": "no"}
    )
    assert run(["--root", str(place), "status", "--no-refresh", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["files"], found["types"], found["state"]) == (2, 0, "empty")
