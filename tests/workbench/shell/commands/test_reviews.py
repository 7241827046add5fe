"""Changes and answers of models that come by stdin."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.review_change import CODE, committed, git, write
from workbench.shell.cli import run

Ask = Callable[..., Any]
SECOND = CODE.replace("return a;", "return a + 1;")


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Ask:
    """Runs a command on a repository, with a text as its stdin; its answer, or its error."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "w").mkdir()
    with committed(tmp_path / "w") as bench:
        write(bench, SECOND)

    def asked(*words: str, stdin: str) -> Any:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        capsys.readouterr()
        status = run(["--root", str(tmp_path / "w"), *words, "--json"])
        out, err = capsys.readouterr()
        return json.loads(out) if status == 0 else err

    return asked


def test_a_diff_from_stdin_is_a_change_that_is_found_again(ask: Ask, tmp_path: Path) -> None:
    diff = git(tmp_path / "w", "diff") + "\n"
    assert "NEW_LINE_7: +         return a + 1;" in ask("numbered-diff", "-", stdin=diff)["text"]
    made = ask("comment", "Why?", "--file", "Lib/Shop.cs", "--line", "7", "--change", "-", stdin=diff)
    again = ask("review", "-", stdin=diff)["review"]
    assert again["id"] == made["review"]
    assert [each["line"] for each in again["comments"]] == [7]


def test_an_answer_of_any_length_comes_from_stdin(ask: Ask) -> None:
    row = {"file": "Lib/Shop.cs", "line": 7, "quotedCode": "return a + 1;", "text": "Why? " * 30_000}
    answer = json.dumps({"comments": [row]})
    assert ask("paste-comments", "-", stdin=answer)["total"] == 1
    assert ask("paste-comments", stdin=answer)["total"] == 1


def test_of_nothing_from_stdin_no_change_is_made(ask: Ask) -> None:
    assert "Nothing came by stdin for CHANGE" in ask("review", "-", stdin="")
    assert "There is no diff in it" in ask("review", "-", stdin="HEAD")
    assert ask("review", stdin="")["review"]["change"] == ""


def test_comments_are_listed_by_what_they_are_about(ask: Ask) -> None:
    assert ask("comments", stdin="") == {
        "review": ask("review", stdin="")["review"]["id"],
        "comments": [],
        "total": 0,
    }
    ask("comment", "Why?", "--file", "Lib/Shop.cs", "--line", "7", "--severity", "blocker", stdin="")
    ask("comment", "All in all", stdin="")
    (found,) = ask("comments", "--file", "Shop.cs", stdin="")["comments"]
    assert (found["text"], found["line"], found["state"]) == ("Why?", 7, "accepted")
    ask("decide-comment", found["id"], "refused", stdin="")
    for words, texts in (
        (("--state", "refused"), ["Why?"]),
        (("--severity", "suggestion"), ["All in all"]),
        (("--file", "Other.cs"), []),
    ):
        answer = ask("comments", *words, stdin="")
        assert ([each["text"] for each in answer["comments"]], answer["total"]) == (texts, 2)
