"""The default tools on a workspace, and what they refuse."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.errors import Cancelled, ModelError
from services.llm.tool_files import ToolFiles, default_tools
from services.llm.tool_registry import MAX_RESULT, Registry, function_tool
from services.llm.values import FunctionCall, ToolCall, ToolResult
from services.prompt.secrets.masking import Masker
from services.workspace.files.root import Root

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "work"
    (root / "src" / "inner").mkdir(parents=True)
    (root / "src" / "A.cs").write_text("class A\n{\n    int x; // TODO one\n}\n")
    (root / "src" / "inner" / "B.cs").write_text("class B { } // todo two")
    (root / "src" / "Empty.cs").write_text("")
    (root / "notes.md").write_text("# Notes\n")
    (root / "token.cs").write_text(f'var token = "{SECRET}";\n')
    (root / "data.bin").write_bytes(b"\0\1\2\n\3")
    (root / ".gitignore").write_text("secret.txt\nbin/\n")
    (root / "secret.txt").write_text("hidden TODO\n")
    (root / "bin").mkdir()
    (root / "bin" / "Gen.cs").write_text("TODO\n")
    (tmp_path / "outside.txt").write_text("outside TODO\n")
    (root / "link.txt").symlink_to("../outside.txt")
    (root / "abs.txt").symlink_to("/etc/passwd")
    subprocess.run(["git", "init", "-q", "."], cwd=root, check=True)
    return root


@pytest.fixture
def tools(folder: Path) -> Iterator[Registry]:
    with Root.open(folder) as root:
        yield default_tools(ToolFiles(root, Masker(b"k" * 32)))


def run(tools: Registry, name: str, /, **arguments: object) -> ToolResult:
    function = FunctionCall(name=name, arguments=json.dumps(arguments))
    return tools.execute(ToolCall(id="1", function=function))


def content(tools: Registry, name: str, /, **arguments: object) -> str:
    result = run(tools, name, **arguments)
    assert not result.is_error, result.content
    return result.content


def test_files_are_found_by_globs_and_ignored_ones_are_not(tools: Registry) -> None:
    assert content(tools, "search_files", pattern="*.cs").splitlines() == [
        "src/A.cs",
        "src/Empty.cs",
        "src/inner/B.cs",
        "token.cs",
    ]
    assert content(tools, "search_files", pattern="src/**/*.cs,!A.cs").splitlines() == [
        "src/Empty.cs",
        "src/inner/B.cs",
    ]
    assert content(tools, "search_files", pattern="./notes.md") == "notes.md"
    assert content(tools, "search_files", pattern="*.fs") == "No files."


def test_a_file_is_read_with_the_numbers_of_its_lines(tools: Registry) -> None:
    assert content(tools, "read_file", path="src/A.cs") == "1\tclass A\n2\t{\n3\t    int x; // TODO one\n4\t}"
    assert content(tools, "read_file", path="src/A.cs", offset=2, limit=1) == "2\t{\n[lines 2-2 of 4]"
    assert content(tools, "read_file", path="src/A.cs", offset=9) == "[no line 9: the file has 4]"
    assert content(tools, "read_file", path="src/Empty.cs") == "[the file is empty]"


def test_a_large_file_is_cut_at_a_line_and_says_so(tools: Registry, folder: Path) -> None:
    (folder / "big.txt").write_text("0123456789\n" * 200_000)
    told = content(tools, "read_file", path="big.txt", offset=90_900)
    assert "90909\t0123456789\n" in told
    assert told.endswith("[TRUNCATED: 1200001 more bytes]")
    assert "characters; ask for less]" in content(tools, "read_file", path="big.txt")


def test_text_is_found_with_file_and_line(tools: Registry) -> None:
    assert content(tools, "search_text", pattern="TODO", glob="src") == "src/A.cs:3:     int x; // TODO one"
    both = content(tools, "search_text", pattern="todo", ignore_case=True)
    assert [row.split(" ")[0] for row in both.splitlines()] == ["src/A.cs:3:", "src/inner/B.cs:1:"]
    assert content(tools, "search_text", pattern="x;", literal=True).startswith("src/A.cs:3:")
    assert content(tools, "search_text", pattern="nowhere") == "No line matches."


def test_more_than_a_hundred_matches_are_said_to_be_more(tools: Registry, folder: Path) -> None:
    (folder / "many.txt").write_text("match\n" * 300)
    rows = content(tools, "search_text", pattern="match").splitlines()
    assert (len(rows), rows[-1]) == (101, "[TRUNCATED: first 100 matches; narrow the pattern]")
    for number in range(120):
        (folder / f"f{number}.txt").write_text("")
    rows = content(tools, "search_files", pattern="f*.txt").splitlines()
    assert (len(rows), rows[-1]) == (101, "[TRUNCATED: first 100 files; narrow the pattern]")


def test_lines_are_counted_of_a_file_and_of_a_folder(tools: Registry) -> None:
    assert content(tools, "count_lines", path="src/A.cs") == "4 lines"
    assert content(tools, "count_lines", path="src") == "5 lines in 3 files"
    assert content(tools, "count_lines", path="src/", glob="!B.cs") == "4 lines in 2 files"
    assert content(tools, "count_lines", path=".", glob="*.md") == "1 lines in 1 files"


def test_secrets_are_masked_in_what_is_read_and_match_nothing(tools: Registry) -> None:
    told = content(tools, "read_file", path="token.cs")
    assert SECRET not in told
    assert told.startswith('1\tvar token = "')
    assert SECRET not in content(tools, "search_text", pattern="token")
    assert content(tools, "search_text", pattern=SECRET[:12], literal=True) == "No line matches."


OUTSIDE = [
    "../outside.txt",
    "src/../../outside.txt",
    "/etc/passwd",
    "link.txt",
    "abs.txt",
    "..",
    "../work2/a",
]


@pytest.mark.parametrize("path", OUTSIDE)
@pytest.mark.parametrize("tool", ["read_file", "count_lines"])
def test_a_path_that_escapes_says_so(tools: Registry, tool: str, path: str) -> None:
    assert run(tools, tool, path=path) == ToolResult(
        content=f"path escapes base directory: {path}", is_error=True
    )


@pytest.mark.parametrize(
    "path", [".git/config", ".GIT/config", ".context/index.db", "secret.txt", "bin/Gen.cs", "a\0b"]
)
def test_what_is_not_shown_to_models_is_refused(tools: Registry, path: str) -> None:
    result = run(tools, "read_file", path=path)
    assert result.is_error
    assert "hidden" not in result.content


def test_a_glob_that_would_lead_out_says_so(tools: Registry) -> None:
    assert run(tools, "search_files", pattern="../*.txt").content == "path escapes base directory: .."


@pytest.mark.parametrize("path", ["none.cs", "src", "data.bin"])
def test_what_cannot_be_read_says_why(tools: Registry, path: str) -> None:
    result = run(tools, "read_file", path=path)
    assert result.is_error
    assert path in result.content


# Calls that are none


def called(tools: Registry, name: str, arguments: str) -> ToolResult:
    return tools.execute(ToolCall(id="1", function=FunctionCall(name=name, arguments=arguments)))


def test_an_unknown_tool_is_an_error_that_names_the_near_one(tools: Registry) -> None:
    assert called(tools, "read_fil", "{}") == ToolResult(
        content="Unknown tool: read_fil. Did you mean read_file?", is_error=True
    )
    assert "There are: search_files, read_file" in called(tools, "launch_rocket", "{}").content


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ('{"path": "src/A', "no JSON"),
        ("read src/A.cs", "no JSON"),
        ("[]", "type object"),
        ('"src/A.cs"', "type object"),
        ("{}", "lacks path"),
        ("", "lacks path"),
        ("null", "lacks path"),
        ('{"path": 3}', "type string"),
        ('{"path": "src/A.cs", "offset": 0}', "at least 1"),
        ('{"path": "src/A.cs", "offset": "2"}', "type integer"),
        ('{"path": "src/A.cs", "offset": true}', "type integer"),
        ('{"path": "src/A.cs", "lines": 3}', "It takes: path, offset, limit"),
    ],
)
def test_arguments_that_do_not_fit_say_what_would(tools: Registry, arguments: str, why: str) -> None:
    result = called(tools, "read_file", arguments)
    assert result.is_error
    assert why in result.content


def test_a_registry_refuses_a_second_tool_of_a_name(tools: Registry) -> None:
    with pytest.raises(ValueError, match="read_file"):
        tools.register_tool("read_file", lambda *_: "", function_tool("read_file", "", {}))


def test_results_are_bounded_and_ends_are_not_swallowed() -> None:
    registry = Registry()
    registry.register_tool("long", lambda *_: "x" * 200_000, function_tool("long", "", {}))

    def stopped(*_: object) -> str:
        raise Cancelled("stopped")

    def limited(*_: object) -> str:
        raise ModelError("the model is gone")

    registry.register_tool("stopped", stopped, function_tool("stopped", "", {}))
    registry.register_tool("limited", limited, function_tool("limited", "", {}))
    assert len(called(registry, "long", "{}").content) < MAX_RESULT + 100
    with pytest.raises(Cancelled):
        called(registry, "stopped", "{}")
    with pytest.raises(ModelError):
        called(registry, "limited", "{}")


def test_a_search_can_be_cancelled(tools: Registry) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        tools.execute(
            ToolCall(id="1", function=FunctionCall(name="search_text", arguments='{"pattern":"x"}')), cancel
        )
