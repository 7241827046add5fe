"""The command line: forms of output, exit statuses, errors, and what it does to the index first."""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

import pytest

from services import __version__
from services.errors import WorkspaceError
from services.operations.table import OPERATIONS
from services.settings import PROJECT_FILE
from services.workspace.state_home import StateHome
from tests.support.memory_bench import SOURCE
from tests.support.state import state_of
from tests.workbench.conftest import CommandLine
from workbench.shell import start
from workbench.shell.cli import run
from workbench.shell.options import Seams


def test_every_command_of_the_table_has_help(line: CommandLine) -> None:
    for command in {operation.faces.command for operation in OPERATIONS if operation.faces.command}:
        assert line.run(command, "--help") == 0
        assert "--json" in line.out
        assert "Default: ." not in line.out


def test_the_version_is_the_packages(line: CommandLine) -> None:
    assert line.run("--version") == 0
    assert line.out == f"codecortex {__version__}\n"


def test_search_prints_a_line_a_result(line: CommandLine) -> None:
    assert line.run("search", "Tree", "height") == 0
    assert line.out == "field        Orchard.Tree.height  Tree.cs:3\n"


def test_json_is_one_document_and_json_lines_are_its_rows(line: CommandLine) -> None:
    document = line.json("search", "Tree", "--limit", "2")
    assert (len(document["hits"]), document["total"]) == (2, 3)
    assert line.run("--jsonl", "search", "Tree", "-n", "2") == 0
    assert [json.loads(row) for row in line.out.splitlines()] == document["hits"]


def test_symbols_come_one_a_line_or_as_one_array(line: CommandLine) -> None:
    assert line.run("symbols", "--jsonl") == 0
    rows = [json.loads(row) for row in line.out.splitlines()]
    assert [row["fqn"] for row in rows] == ["Orchard.Tree", "Orchard.Tree.height", "Forest.Tree"]
    assert rows[0]["docFirstLine"] is None
    assert line.json("symbols") == rows


def test_common_options_count_before_and_after_the_command(line: CommandLine) -> None:
    assert line.json("window", "--set", "window.budget=900")["budget"] == 900
    assert line.run("--json", "--set", "window.budget=901", "window", "--format", "xml") == 0
    assert (json.loads(line.out)["budget"], json.loads(line.out)["text"]) == (901, "window as xml\n")


def test_the_settings_of_the_project_are_used(line: CommandLine) -> None:
    (line.folder / PROJECT_FILE).write_text("[window]\nbudget = 1234\n")
    assert line.json("window")["budget"] == 1234


def test_a_bad_project_file_is_a_warning_and_the_command_runs(line: CommandLine) -> None:
    (line.folder / PROJECT_FILE).write_text("[window]\nbudget = 'much'\n")
    assert line.run("window") == 0
    assert line.out == "window as md\n"
    assert "window.budget cannot be 'much'" in line.err


@pytest.mark.parametrize(
    ("lines", "content"),
    [("2-3", "{\r\n\tint \x1b[31mheight;\r\n"), ("2", "{\r\n"), ("4-", "}\r\n"), ("-1", "class Tree\r\n")],
)
def test_a_range_of_lines_is_read_as_it_is(line: CommandLine, lines: str, content: str) -> None:
    assert line.json("read", "Tree.cs", "--lines", lines)["content"] == content


def test_what_is_read_into_a_pipe_is_visible_there_and_raw_the_source_itself(line: CommandLine) -> None:
    line.run("read", "Tree.cs")
    assert line.out == SOURCE.replace("\x1b", "␛")
    line.run("read", "Tree.cs", "--raw")
    assert line.out == SOURCE


def test_pinning_says_what_the_window_holds_now(line: CommandLine) -> None:
    assert line.run("pin", "Orchard.Tree", "--force") == 0
    assert line.out == "Pinned Orchard.Tree: window 12 of 32 000 tokens, pins 5 of 60.\n"
    assert "pin Orchard.Tree True" in line.benches[0].calls


def test_a_failure_is_status_1_with_what_to_try(line: CommandLine) -> None:
    assert line.run("outline", "Treee") == 1
    assert line.out == ""
    assert line.err == "error: 'Treee' not found\nDid you mean:\n  Orchard.Tree\n"


def test_with_json_a_failure_is_json_on_stderr(line: CommandLine) -> None:
    assert line.run("outline", "Tree", "--json") == 1
    error = json.loads(line.err)["error"]
    assert error["code"] == "AmbiguousSymbol"
    assert [candidate["path"] for candidate in error["candidates"]] == ["Orchard.Tree", "Forest.Tree"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["serach", "x"], "'search'"),
        (["outline"], "Missing argument 'PATH'"),
        (["read", "a.cs", "--lines", "x"], "not a range of lines"),
        (["read", "a.cs", "--lines", "-"], "not a range of lines"),
        (["read", "a.cs", "--lines", "1" * 5000], "not a range of lines"),
        (["search", "x", "--limit", "0"], "not in the range"),
        (["window", "--format", "pdf"], "'pdf' is not one of"),
        (["status", "--set", "budget"], "not KEY=VALUE"),
        (["status", "--set", "window.bugdet=1"], "Did you mean 'window.budget'?"),
        (["status", "--set", "window.budget=1"], "a whole number from 100 to 10 000 000"),
    ],
)
def test_a_command_line_that_makes_no_sense_is_status_2(
    line: CommandLine, arguments: list[str], words: str
) -> None:
    assert line.run(*arguments) == 2
    assert words in line.err
    assert line.run(*arguments, "--json") == 2
    assert words in json.loads(line.err)["error"]["message"]


def test_a_folder_in_place_of_a_command_is_told_how_to_open_it(line: CommandLine) -> None:
    assert line.run(str(line.folder)) == 2
    assert f"codecortex open {line.folder}" in line.err


@pytest.mark.parametrize(
    "arguments",
    [("--root", "{}", "status"), ("{}",), ("open", "{}"), ("demo", "--copy-only", "--into", "{}")],
    ids=["root", "command", "open", "demo"],
)
def test_a_name_that_the_system_does_not_take_is_no_internal_error(
    line: CommandLine, arguments: tuple[str, ...]
) -> None:
    line.run(*(each.format("x" * 7000) for each in arguments))
    assert "internal" not in line.err.lower()


def test_an_argument_that_is_no_text_is_told_and_no_internal_error(line: CommandLine) -> None:
    line.defect = UnicodeEncodeError("utf-8", "why \udcff", 4, 5, "surrogates not allowed")
    assert line.run("break-lock", "A.cs", "--reason", "why \udcff") == 2
    assert "'why ?' is no text in UTF-8" in line.err
    assert line.run("status") == 1
    assert "internal error" in line.err


def test_what_nobody_foresaw_is_an_internal_error_with_its_trace_in_a_file(
    line: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    line.defect = ZeroDivisionError("by nothing")
    assert line.run("status", "--json") == 1
    error = json.loads(line.err)["error"]
    assert error["code"] == "InternalError"
    assert error["traceId"] in error["file"]
    assert "ZeroDivisionError: by nothing" in Path(error["file"]).read_text()


def test_the_index_is_loaded_and_refreshed_first_and_the_bench_closed(line: CommandLine) -> None:
    line.run("status")
    line.run("status", "--no-refresh")
    assert [bench.calls for bench in line.benches] == [["load", "refresh", "close"], ["load", "close"]]


def test_without_refresh_and_without_an_index_it_says_what_to_do(line: CommandLine) -> None:
    line.kept = False
    assert line.run("search", "Tree", "--no-refresh") == 1
    assert "Leave out --no-refresh" in line.err
    assert line.benches[0].calls == ["load", "close"]


def test_the_status_of_a_workspace_without_an_index_is_told_without_one(line: CommandLine) -> None:
    line.kept = False
    assert line.run("status", "--no-refresh") == 0
    assert line.benches[0].calls == ["load", "close"]


@pytest.mark.parametrize(
    "words",
    [
        ["proposals"],
        ["refuse-proposal", "P_00000001", "--reason", "no"],
        ["apply-proposal", "P_00000001"],
        ["locks"],
        ["lock", "Tree.cs"],
        ["read", "Tree.cs"],
        ["grep", "height"],
        ["undo"],
        ["history", "Tree.cs"],
        [
            "patch",
            "--dry-run",
            "Tree.cs",
            "--lines",
            "1-1",
            "--expect",
            "t",
            "--handle",
            "h",
            "--content",
            "NEW",
        ],
    ],
    ids=lambda words: words[0],
)
@pytest.mark.parametrize("refresh", [True, False], ids=["", "--no-refresh"])
def test_what_is_about_files_makes_no_index_ready(line: CommandLine, words: list[str], refresh: bool) -> None:
    """Also where none is kept, or where another process is changing it."""
    line.kept = False
    (line.folder / "NEW").write_text("x\n")
    given = [str(line.folder / word) if word == "NEW" else word for word in words]
    assert line.run(*given, *([] if refresh else ["--no-refresh"])) == 0, line.err
    assert not {"load", "refresh"} & set(line.benches[0].calls)


def test_the_workbench_needs_a_terminal_and_a_folder_that_exists(line: CommandLine) -> None:
    assert line.run("open") == 1
    assert "needs a terminal" in line.err
    assert line.run("open", str(line.folder / "nowhere")) == 1
    assert "There is no folder" in line.err
    assert line.started == []


def test_the_demo_is_copied_into_a_new_folder_and_never_over_anything(
    line: CommandLine, tmp_path: Path
) -> None:
    target = tmp_path / "new" / "orchard"
    assert line.run("demo", "--into", str(target), "--copy-only") == 0
    assert len(list(target.rglob("*.cs"))) >= 25
    assert len(list(target.rglob("*.csproj"))) == 2
    (target / "mine.cs").write_text("// mine")
    assert line.run("demo", "--into", str(target), "--copy-only") == 1
    assert (target / "mine.cs").read_text() == "// mine"


def test_the_demo_leaves_nothing_behind(line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary = line.folder / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    seen: list[int] = []

    def opened(_: object, path: Path) -> None:
        (state_of(path) / "index.db").write_bytes(b"x")
        seen.append(len(list(path.rglob("*.cs"))))

    monkeypatch.setattr(start, "open_workbench", opened)
    assert line.run("demo") == 0
    assert seen[0] >= 25
    assert list(temporary.iterdir()) == []
    assert line.run("demo", "--into", str(temporary / "kept")) == 0
    assert [row.path for row in StateHome.of_person().listed()] == [str(temporary / "kept")]


def test_a_dumb_terminal_is_told_what_serves_it(line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    with pytest.raises(WorkspaceError, match="TERM=dumb") as refused:
        start.open_workbench(None, line.folder)  # pyright: ignore[reportArgumentType]
    assert "--serve" in refused.value.message
    assert line.started == []


def test_other_names_of_parameters_are_taken_and_not_shown(line: CommandLine) -> None:
    document = line.json("search", "Tree", "--max-results", "2")
    assert len(document["hits"]) == 2
    id_ = document["hits"][0]["symbol"]["id"]
    assert line.json("resolve", "--id", id_)["symbol"]["id"] == id_
    for command in ("search", "resolve", "read"):
        assert line.run(command, "--help") == 0
        assert not any(name in line.out for name in ("--id", "--max-results", "--object-url"))


@pytest.mark.parametrize("command", ["outline", "resolve", "lock", "move"])
def test_what_stands_by_its_position_is_asked_for(line: CommandLine, command: str) -> None:
    assert line.run(command) == 2
    assert "Missing argument" in line.err


def test_a_command_that_is_told_to_end_is_interrupted_and_lets_go_of_its_bench(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    closed: list[str] = []

    class Benches:
        """A bench whose index is being read when the signal comes."""

        index = health = property(lambda self: self)
        root = tmp_path

        def load(self) -> bool:
            assert signal.getsignal(signal.SIGTERM) is signal.default_int_handler
            os.kill(os.getpid(), signal.SIGTERM)
            return time.sleep(60) is None

        def renewals(self) -> tuple[()]:
            return ()

        def close(self) -> None:
            closed.append("closed")

    assert run(["status"], seams=Seams(open_bench=lambda *_: Benches())) == 130
    assert (closed, "Interrupted." in capsys.readouterr().err) == (["closed"], True)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
