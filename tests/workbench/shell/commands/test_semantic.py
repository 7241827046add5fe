"""`semantic` over a real workspace: read, prompted for, answered, kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.chat_server import chat_server, failing
from workbench.shell.cli import run

ANSWER = "ROLE: Grows.\nLIFECYCLE: a\nEDGE_CASES: b\nLIMITATIONS: c\nRECOMMENDATIONS: d\n"
SOURCE = """namespace Orchard;
/// <summary>What bears fruit.</summary>
public class Tree { public Row? Row; }
public class Row { public Tree? First; }
public class Ladder { }
"""
Shell = Callable[..., tuple[int, str]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder = tmp_path / "w"
    folder.mkdir()
    (folder / "Tree.cs").write_text(SOURCE)
    return folder


@pytest.fixture
def shell(folder: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    """Runs a command line on the folder: its status, and what it printed."""

    def run_line(*arguments: str) -> tuple[int, str]:
        status = run(["--root", str(folder), *arguments])
        captured = capsys.readouterr()
        return status, captured.out if status == 0 else captured.err

    return run_line


def test_a_note_is_asked_of_a_chat_and_kept(shell: Shell, folder: Path) -> None:
    assert "nobody wrote a note" in shell("semantic", "Ladder")[1]
    _, prompt = shell("semantic", "--prompt", "Tree", "Ladder")
    heads = [text.split() for text in prompt.splitlines() if text.startswith("# Semantic: Orchard.")]
    assert len(heads) == 2
    assert "Orchard.Row, Orchard.Tree" in prompt or "Orchard.Tree, Orchard.Row" in prompt
    assert "public class Ladder { }" in prompt

    answer = "".join(f"# Semantic: {words[2]} {words[-1]}\n{ANSWER}\n" for words in heads)
    (folder / "answer.txt").write_text(answer)
    _, taken = shell("semantic", "--from", str(folder / "answer.txt"), "--model", "gpt", "Tree", "Ladder")
    assert taken.count("cached") == 2

    note = json.loads(shell("--json", "semantic", "Row")[1])
    assert (note["state"], note["fields"]["role"], len(note["group"])) == ("cached", "Grows.", 2)
    assert (note["provider"]["author"], note["provider"]["name"]) == ("model", "gpt")


def test_an_edit_makes_a_note_stale_and_says_why(shell: Shell, folder: Path) -> None:
    (folder / "note.txt").write_text(ANSWER)
    shell("semantic", "--from", str(folder / "note.txt"), "Ladder")
    (folder / "Tree.cs").write_text(SOURCE.replace("class Ladder { }", "class Ladder { public int Steps; }"))
    _, said = shell("semantic", "Ladder")
    assert "stale, by a person" in said
    assert "Orchard.Ladder has another structure." in said


def test_half_a_note_is_refused_and_nothing_is_kept(shell: Shell, folder: Path) -> None:
    (folder / "note.txt").write_text("ROLE: Grows.\n")
    status, said = shell("semantic", "--from", str(folder / "note.txt"), "Ladder")
    assert status == 1
    assert "LIFECYCLE, EDGE_CASES, LIMITATIONS and RECOMMENDATIONS" in said
    assert "nobody wrote a note" in shell("semantic", "Ladder")[1]


def test_without_a_model_the_way_by_paste_is_named(shell: Shell) -> None:
    status, said = shell("semantic", "--generate", "Ladder")
    assert status == 1
    assert "copy the prompt into a chat" in said


@pytest.mark.parametrize("line", ["semantic --wait Ladder", "investigate --by-model --wait steps"])
def test_what_was_waited_for_and_failed_leaves_with_one(
    folder: Path, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    with chat_server(failing(404, {"error": {"message": "no such model m-1"}})) as server:
        config = folder.parent / "config/codecortex/models.toml"
        config.parent.mkdir(parents=True)
        config.write_text(f'default = "m"\n[models.m]\nendpoint = "{server.endpoint}"\nname = "m-1"\n')
        status = run(["--root", str(folder), *line.split()])
    captured = capsys.readouterr()
    assert status == 1
    assert "no such model m-1" in captured.out + captured.err


def test_an_unknown_operation_says_where_the_others_are(shell: Shell) -> None:
    assert "Nothing was asked for" in shell("ops")[1]
    status, said = shell("op", "op_NONE")
    assert status == 1
    assert "List the operations" in said


def test_what_is_asked_for_no_longer_is_cancelled_and_other_ways_are_not_mixed(shell: Shell) -> None:
    assert shell("semantic", "--cancel", "Ladder") == (0, "Nothing was asked for that lasts.\n")
    status, said = shell("semantic", "--cancel", "--prompt", "Ladder")
    assert status == 2
    assert "Choose one of" in said
