"""Answers in the forms in which tools are called: tags, JSON, numbered lines, several files in one fence."""

from __future__ import annotations

import json

import pytest

from services.errors import UsageError
from tests.support.pasting import after, pasted

BEFORE = "class A\n{\n    int One() => 1;\n\n    int Two() => 2;\n}\n"
AFTER = BEFORE.replace("=> 2", "=> 3")
OLD, NEW = "    int Two() => 2;", "    int Two() => 3;"
WHOLE = AFTER.rstrip("\n").split("\n")


def _numbered(lines: list[str], mark: str, first: int = 1) -> str:
    return "\n".join(f"{at:>4}{mark}{line}" for at, line in enumerate(lines, first))


@pytest.mark.parametrize(
    "answer",
    [
        f"<edit>\n<path>src/A.cs</path>\n<old>\n{OLD}\n</old>\n<new>\n{NEW}\n</new>\n</edit>\n",
        f'Done:\n\n<file path="src/A.cs">\n<search>\n{OLD}\n</search>\n<replace>\n{NEW}\n</replace>\n</file>\n',
        f"```xml\n<edit><path>src/A.cs</path>\n<old_str>{OLD}</old_str>\n<new_str>{NEW}</new_str></edit>\n```\n",
        f"<write_to_file>\n<path>src/A.cs</path>\n<content>\n{AFTER}</content>\n</write_to_file>\n",
        json.dumps([{"path": "src/A.cs", "old_string": OLD, "new_string": NEW}]),
        json.dumps({"file": "src/A.cs", "edits": [{"search": OLD, "replace": NEW}]}, indent=2),
        '{"command": "view", "path": "src/A.cs"}\n'
        + json.dumps({"command": "str_replace", "path": "src/A.cs", "old_str": OLD, "new_str": NEW}),
        f"```json\n{json.dumps({'path': 'src/A.cs', 'content': AFTER})}\n```\n",
        f"src/A.cs\n<<<<<<< SEARCH\n:start_line:40\n-------\n{OLD}\n=======\n{NEW}\n>>>>>>> REPLACE\n",
        f"`src/A.cs`\n\n```csharp\n{_numbered(WHOLE, ' | ')}\n```\n",
        f"`src/A.cs`\n\n```csharp\n{_numbered(WHOLE, '→')}\n```\n",
        f"src/A.cs\n<<<<<<< SEARCH\n   4 | \n   5 | {OLD}\n=======\n   4 | \n   5 | {NEW}\n>>>>>>> REPLACE\n",
    ],
)  # fmt: skip
def test_an_edit_as_a_tool_is_called_with_it(answer: str) -> None:
    assert after(pasted(answer, {"src/A.cs": BEFORE}), "src/A.cs") == AFTER


@pytest.mark.parametrize("head", ["// {}", "// File: {}", "// ===== {} =====", "/* {} */"])
def test_several_files_in_one_fence(head: str) -> None:
    files = {"src/A.cs": BEFORE, "src/B.cs": BEFORE.replace("class A", "class B")}
    shown = {path: text.replace("=> 2", "=> 3") for path, text in files.items()}
    answer = (
        "```csharp\n" + "\n".join(f"{head.format(path)}\n{text}" for path, text in shown.items()) + "```\n"
    )
    landing = pasted(answer, files)
    assert {path: after(landing, path) for path in files} == shown


@pytest.mark.parametrize("head", ["", "In this answer:\n\n"])
def test_an_answer_in_a_fence_of_its_own(head: str) -> None:
    inner = f"## src/A.cs\n\n```csharp\n{AFTER}```\nThat is all.\n"
    assert after(pasted(f"{head}````markdown\n{inner}````\n", {"src/A.cs": BEFORE}), "src/A.cs") == AFTER
    text = f"`notes.md`\n\n````markdown\n{inner}````\n"
    assert after(pasted(text, {"notes.md": inner.replace("=> 3", "=> 2")}), "notes.md") == inner


def test_what_no_tag_closes_is_refused() -> None:
    for answer in (
        f"<edit><path>src/A.cs</path>\n<old>\n{OLD}\n<new>\n{NEW}\n</new></edit>\n",
        f"<edit><path>src/A.cs</path>\n<old>\n{OLD}\n</old>\n",
    ):
        with pytest.raises(UsageError):
            pasted(answer, {"src/A.cs": BEFORE})


def test_text_that_json_asks_for_and_that_is_there_twice_or_nowhere_is_asked_about() -> None:
    for old in ("{", "    int Four() => 4;"):
        rows = [{"path": "src/A.cs", "old_string": old, "new_string": NEW}]
        files = {"src/A.cs": BEFORE + BEFORE.replace("class A", "class B")}
        assert pasted(json.dumps(rows), files).problems


def test_numbers_that_do_not_count_up_are_source() -> None:
    text = "1 | x\n1 | y\n"
    answer = f"notes.txt\n<<<<<<< SEARCH\n{text}=======\n1 | z\n1 | y\n>>>>>>> REPLACE\n"
    assert after(pasted(answer, {"notes.txt": text}), "notes.txt") == "1 | z\n1 | y\n"


def test_json_of_a_file_that_an_answer_names_is_that_file() -> None:
    before = json.dumps({"path": "x", "old": "1", "new": "2", "a": 1, "b": 2, "c": 3}, indent=2) + "\n"
    changed = before.replace('"2"', '"3"')
    answer = f'```json title="src/a.json"\n{changed}```\n'
    assert after(pasted(answer, {"src/a.json": before}), "src/a.json") == changed
