"""The simple agent: one prompt, one tool, the words of 003."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from services.bench import Bench
from services.errors import UsageError
from services.operations import by_name
from services.operations.models.agent import AgentAnswer, normalised
from services.operations.models.file_tools import Request, completed
from services.settings import AgentSettings, Settings
from services.source.journal.actor import Owner, acting
from tests.support.chat_server import chat_server, failing, streamed


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder = tmp_path / "work"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "A.cs").write_text("class A\n{\n    int one; // TODO\n}\n")
    (folder / "empty.txt").write_text("")
    (folder / "long.txt").write_text("".join(f"line {n}\n" for n in range(1, 701)))
    (folder / "aaa.txt").write_text("aaa")
    (folder / ".gitignore").write_text("hidden.txt\n")
    (folder / "hidden.txt").write_text("TODO hidden")
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    with Bench.open(folder, settings=Settings()) as opened:
        yield opened


def run(bench: Bench, prompt: str, tool: str = "", **fields: object) -> AgentAnswer:
    operation = by_name("RunAgent")
    assert operation is not None
    return operation.run(bench, {"prompt": prompt, "toolType": tool, **fields})


def test_read_tells_lines_and_how_many_there_are(bench: Bench) -> None:
    answer = run(bench, "Read src/A.cs lines 1-2", "read")
    assert msgspec.to_builtins(answer) == {
        "success": True,
        "message": "[tool=read] Read src/A.cs (lines 1-2 of 4 total)",
        "data": "class A\n{",
        "error": None,
    }
    assert run(bench, "Show me src/A.cs", "read").data == "class A\n{\n    int one; // TODO\n}"
    assert run(bench, "x", "read", path="src/A.cs", startLine=3, endLine=3).data == "    int one; // TODO"


def test_read_of_an_empty_file_says_so(bench: Bench) -> None:
    answer = run(bench, "read empty.txt", "read")
    assert (answer.message, answer.data) == (
        "[tool=read] Read empty.txt (empty file: 0 lines)",
        "empty file: 0 lines",
    )


def test_read_past_the_most_lines_is_marked(bench: Bench) -> None:
    answer = run(bench, "read long.txt", "read")
    assert answer.data is not None
    assert answer.data.endswith("line 500\n[TRUNCATED: showing first 500 lines, 200 more available]")


def test_list_tells_a_folder_or_what_a_glob_chooses(bench: Bench) -> None:
    assert run(bench, "List the files in src", "list").data == "A.cs"
    assert run(bench, "list", "list").data == ".gitignore\naaa.txt\nempty.txt\nlong.txt\nsrc/"
    assert run(bench, "list **/*.cs", "list").data == "src/A.cs"


def test_list_past_the_most_items_is_marked(bench: Bench) -> None:
    for number in range(250):
        (Path(bench.root) / f"n{number:03}.md").write_text("")
    data = run(bench, "list *.md", "list").data
    assert data is not None
    assert data.splitlines()[-1] == "[TRUNCATED: first 200 items]"
    assert len(data.splitlines()) == 201


def test_search_takes_an_expression_or_a_text(bench: Bench) -> None:
    assert run(bench, 'Search for "TODO" in src', "search").data == "src/A.cs:3:     int one; // TODO"
    assert (
        run(bench, "search", "search", pattern="T.DO", path="src/A.cs").data
        == "src/A.cs:3:     int one; // TODO"
    )
    assert (
        run(bench, "search", "search", pattern="one; (", path=".").message
        == "[tool=search] Found 0 matches for 'one; ('"
    )


def test_search_past_the_limit_is_marked(bench: Bench) -> None:
    data = run(bench, "search for line in long.txt", "search").data
    assert data is not None
    assert data.splitlines()[-1] == "[TRUNCATED: reached limit 100 before completing search]"


def text(bench: Bench, name: str) -> str:
    return (Path(bench.root) / name).read_text()


def test_replace_changes_the_one_place(bench: Bench) -> None:
    answer = run(bench, 'Replace "int one;" with "int two;" in src/A.cs', "replace")
    assert answer == AgentAnswer(
        success=True, message="[tool=replace] Replaced 1 occurrence in src/A.cs (line 3)", data=""
    )
    assert text(bench, "src/A.cs") == "class A\n{\n    int two; // TODO\n}\n"


@pytest.mark.parametrize(
    ("old", "new", "whole"),
    [
        ("class A\n{\n", "class B {\n", "class B {\n    int one; // TODO\n}\n"),
        ("A", "", "class \n{\n    int one; // TODO\n}\n"),
        ("    int one; // TODO\n", "", "class A\n{\n}\n"),
    ],
)
def test_replace_keeps_every_other_byte(bench: Bench, old: str, new: str, whole: str) -> None:
    answer = run(bench, "change it", "replace", path="src/A.cs", oldString=old, newString=new)
    assert answer.success, answer.error
    assert text(bench, "src/A.cs") == whole


def test_occurrences_are_counted_without_overlap(bench: Bench) -> None:
    assert run(bench, "x", "replace", path="aaa.txt", oldString="aa", newString="b").success
    assert text(bench, "aaa.txt") == "ba"


@pytest.mark.parametrize(("old", "why"), [("nowhere", "is not there"), ("n", "is there 2 times")])
def test_what_is_not_there_once_is_not_replaced(bench: Bench, old: str, why: str) -> None:
    answer = run(bench, "x", "replace", path="src/A.cs", oldString=old, newString="b")
    assert (answer.success, answer.message) == (False, "AgentService error")
    assert why in (answer.error or "")
    assert "int one" in text(bench, "src/A.cs")


def test_an_agents_replacement_asks_for_consent(bench: Bench) -> None:
    bench.settings = msgspec.structs.replace(bench.settings, agents=AgentSettings(write="refuse"))
    with acting(Owner("bot", "s1")):
        answer = run(bench, "x", "replace", path="aaa.txt", oldString="aa", newString="b")
    assert "agents.write" in (answer.error or "")
    bench.settings = msgspec.structs.replace(bench.settings, agents=AgentSettings(write="ask", patience=0))
    with acting(Owner("bot", "s1")):
        answer = run(bench, "x", "replace", path="aaa.txt", oldString="aa", newString="b")
    assert not answer.success
    (proposal,) = bench.proposals.listed(pending=True)
    assert "-aaa" in proposal.diff
    assert text(bench, "aaa.txt") == "aaa"


@pytest.mark.parametrize("path", ["../x.txt", "/etc/passwd", ".git/config", "hidden.txt", "nowhere.cs"])
@pytest.mark.parametrize("tool", ["read", "search", "replace", "list"])
def test_what_lies_outside_or_is_hidden_is_refused(bench: Bench, tool: str, path: str) -> None:
    answer = run(bench, "x", tool, path=path, pattern="TODO", oldString="a", newString="b")
    assert (answer.success, answer.message) == (False, "AgentService error")
    assert "hidden" not in (answer.data or "")


def test_a_tool_is_known_without_its_case_and_another_is_not(bench: Bench) -> None:
    assert run(bench, "read empty.txt", "READ").message.startswith("[tool=read] ")
    answer = run(bench, "x", "execute")
    assert (answer.success, answer.message) == (False, "Unknown tool: execute")


def test_an_empty_prompt_is_an_error(bench: Bench) -> None:
    assert run(bench, "  ", "read").message == "AgentService error"


def test_auto_without_a_model_says_what_to_do(bench: Bench) -> None:
    answer = run(bench, "read empty.txt", "  ")
    assert answer.message == "AgentService error"
    assert "models.toml" in (answer.error or "")


def configured(tmp_path: Path, endpoint: str) -> None:
    folder = tmp_path / "config" / "codecortex"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "models.toml").write_text(f'[models.m]\nendpoint = "{endpoint}"\nname = "m-1"\n')


def test_auto_has_the_model_choose(bench: Bench, tmp_path: Path) -> None:
    with chat_server(streamed("`Read`\n")) as server:
        configured(tmp_path, server.endpoint)
        history = [{"timestamp": "2026", "prompt": "list", "result": "A.cs\nB.cs"}]
        answer = run(bench, "Show src/A.cs", "auto", contextHistory=history)
        sent = json.dumps(server.asked[0].body, ensure_ascii=False)
    assert answer.message.startswith("[tool=read] Read src/A.cs")
    assert "- list → A.cs B.cs" in sent
    with chat_server(streamed("delete everything")) as server:
        configured(tmp_path, server.endpoint)
        assert "none of read, list" in (run(bench, "Show src/A.cs", "auto").error or "")
    with chat_server(failing(401, {"error": {"message": "no"}})) as server:
        configured(tmp_path, server.endpoint)
        assert run(bench, "Show src/A.cs", "auto").message == "AgentService error"


@pytest.mark.parametrize("raw", ["read", " READ \n", '"read"', "`read`", "'Read' because", "read the file"])
def test_the_models_word_is_normalised(raw: str) -> None:
    assert normalised(raw) == "read"


@pytest.mark.parametrize("raw", ["", "remove", "reading", "the read tool"])
def test_other_words_are_refused(raw: str) -> None:
    with pytest.raises(UsageError):
        normalised(raw)


PROMPTS: list[tuple[str, str, dict[str, Any]]] = [
    ("read", "Read src/main/App.java lines 1-40", {"path": "src/main/App.java", "start": 1, "end": 40}),
    ("read", "please show lines 3 to 9 of App.cs.", {"path": "App.cs", "start": 3, "end": 9}),
    ("read", "open `my file.txt`, then src/A.cs:7", {"path": "src/A.cs", "start": 7, "end": 7}),
    ("list", "list the folder src/inner", {"path": "src/inner"}),
    ("list", "what is there?", {"path": "."}),
    ("search", "find all TODO in src", {"pattern": "TODO", "path": "src"}),
    ("search", "search for 'class A' under ./src", {"pattern": "class A", "path": "./src"}),
    ("replace", "in a.txt replace 'it\\'s' with \"x\"", {"path": "a.txt", "old": "it's", "new": "x"}),
    ("replace", "Replace `a` by `` in b.txt", {"path": "b.txt", "old": "a", "new": ""}),
]


@pytest.mark.parametrize(("tool", "prompt", "said"), PROMPTS)
def test_what_a_prompt_names_is_read_out_of_it(tool: str, prompt: str, said: dict[str, Any]) -> None:
    request = completed(tool, Request(prompt=prompt))
    assert {name: getattr(request, name) for name in said} == said
