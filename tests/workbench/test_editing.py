"""What a person or a script does in a shell to change files: every command is a process of its own."""

from __future__ import annotations

import io
import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.workspace import project, write_workspace
from workbench.shell.cli import run

TREE = (
    "namespace Orchard;\r\n"
    "public class Tree\r\n"
    "{\r\n"
    "    public int Height { get; set; }\r\n"
    "    public void Grow(int by)\r\n"
    "    {\r\n"
    "        Height += by;\r\n"
    "    }\r\n"
    "}\r\n"
)
LEAF = "namespace Orchard;\nclass Leaf\n{\n}"
ABSENT = "0_empty"


class Shell:
    """Command lines on one workspace, each over a bench of its own."""

    def __init__(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[str]
    ) -> None:
        self.folder = folder
        self._patch = monkeypatch
        self._capture = capture

    def run(self, *arguments: str, stdin: str = "") -> tuple[int, str, str]:
        """Status, stdout, stderr."""
        self._patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), "utf-8"))
        status = run(["--root", str(self.folder), "--set", "index.workers=1", *arguments])
        out, err = self._capture.readouterr()
        return status, out, err

    def json(self, *arguments: str, stdin: str = "") -> Any:
        """The one document of a successful `--json`."""
        status, out, err = self.run(*arguments, "--json", stdin=stdin)
        assert status == 0, err
        return json.loads(out)

    def refused(self, *arguments: str, stdin: str = "") -> Any:
        """The error of a failed `--json`, after which every file is as it was."""
        before = self.state()
        status, out, err = self.run(*arguments, "--json", stdin=stdin)
        assert (status, out) == (1, ""), err
        assert self.state() == before
        return json.loads(err)["error"]

    def state(self) -> dict[str, tuple[bytes, int]]:
        """Bytes and modes of all files but the program's own."""
        files = (path for path in self.folder.rglob("*") if path.is_file() and ".context" not in path.parts)
        return {
            str(path.relative_to(self.folder)): (path.read_bytes(), path.stat().st_mode) for path in files
        }

    def text(self, name: str) -> str:
        return (self.folder / name).read_bytes().decode()

    def lock(self, name: str) -> str:
        return self.json("lock", name)["LOCK_HANDLE"]

    def token(self, name: str, lines: str | None = None) -> str:
        return self.json("read", name, *(["--lines", lines] if lines else []))["token"]


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    files = {"Orchard.csproj": project(), "src/Tree.cs": TREE, "src/Leaf.cs": LEAF}
    return Shell(write_workspace(tmp_path / "w", files), monkeypatch, capsys)


def test_read_lock_patch_unlock(shell: Shell) -> None:
    token, handle = shell.token("Orchard.Tree", "7-7"), shell.lock("Orchard.Tree")
    given = ("Orchard.Tree", "--lines", "7-7", "--expect", token, "--handle", handle)
    answer = shell.json("patch", *given, stdin="        Height += 2 * by;\n        Log();\n")
    assert (answer["updated"], answer["oldRange"], answer["newRange"]) == (True, [7, 7], [7, 8])
    assert answer["lineCount"] == 10
    assert "-        Height += by;\n" in answer["diff"].replace("\r\n", "\n")
    assert shell.text("src/Tree.cs") == TREE.replace("+= by;\r\n", "+= 2 * by;\r\n        Log();\r\n")
    assert shell.token("src/Tree.cs") == answer["token"]
    assert shell.run("unlock", "Orchard.Tree", "--handle", handle)[0] == 0
    assert shell.json("locks")["locks"] == []


def test_lines_are_inserted_and_deleted(shell: Shell) -> None:
    handle = shell.lock("src/Leaf.cs")
    token = shell.token("src/Leaf.cs")
    inserted = ("patch", "src/Leaf.cs", "--handle", handle, "--insert", "4")
    token = shell.json(*inserted, "--expect", token, stdin="    int veins;\n    int age;\n")["token"]
    assert shell.text("src/Leaf.cs") == "namespace Orchard;\nclass Leaf\n{\n    int veins;\n    int age;\n}"
    # The answer of a write admits the next one: it knows what was read and what was written.
    deleted = ("patch", "src/Leaf.cs", "--handle", handle, "--lines", "4-5")
    assert shell.json(*deleted, "--expect", token, stdin="")["newRange"] == [4, 3]
    assert shell.text("src/Leaf.cs") == LEAF


def test_new_lines_come_from_a_file_too(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "new.txt").write_text("class Blade\n")
    given = ("patch", "src/Leaf.cs", "--lines", "2-2", "--handle", shell.lock("src/Leaf.cs"))
    token = shell.token("src/Leaf.cs")
    shell.json(*given, "--expect", token, "--content", str(tmp_path / "new.txt"), stdin="not this\n")
    assert shell.text("src/Leaf.cs") == LEAF.replace("Leaf", "Blade")


def test_a_new_file_is_made(shell: Shell) -> None:
    handle = shell.lock("src/Root.cs")
    made = ("patch", "src/Root.cs", "--insert", "1", "--expect", ABSENT, "--handle", handle)
    assert shell.json(*made, stdin="class Root;\n")["lineCount"] == 1
    assert shell.text("src/Root.cs") == "class Root;\n"
    assert shell.json("undo", "--handle", handle)["files"][0]["token"] is None
    assert not (shell.folder / "src/Root.cs").exists()


def test_only_the_lines_that_were_read_are_written_whoever_reads(shell: Shell) -> None:
    token, handle = shell.token("src/Tree.cs", "4-5"), shell.lock("src/Tree.cs")
    given = ("patch", "src/Tree.cs", "--expect", token, "--handle", handle)
    error = shell.refused(*given, "--lines", "7-7", stdin="x\n")
    assert (error["code"], error["name"]) == (4002, "TOKEN_MISMATCH")
    assert (error["retry"], error["retryAction"]) == (True, "getObjectSourceV2")
    assert error["message"].startswith("Nothing was written. ")
    assert error["details"]["read"] == [[4, 5]]
    assert shell.json(*given, "--lines", "5-5", stdin="    public void Grow(long by)\n")["updated"]


def test_a_part_takes_its_own_lines_alone(shell: Shell) -> None:
    token, handle = (
        shell.json("read", "Orchard.Tree", "--part", "implementations")["token"],
        shell.lock("Orchard.Tree"),
    )
    given = ("patch", "Orchard.Tree", "--part", "implementations", "--expect", token, "--handle", handle)
    error = shell.refused(*given, "--lines", "4-4", stdin="x\n")
    assert (error["code"], error["name"]) == (4004, "LINE_OUT_OF_RANGE")
    assert "not in this part" in error["message"]
    assert shell.json(*given, "--lines", "7-7", stdin="        Height = by;\n")["updated"]
    error = shell.refused(
        "patch", "Orchard.Tree", "--part", "macros", *given[4:], "--lines", "1-1", stdin="x\n"
    )
    assert (error["code"], error["details"]["available"][:2]) == (4007, ["main", "definitions"])
    error = shell.refused("patch", "src/Tree.cs", "--part", "main", *given[4:], "--lines", "7-7", stdin="x\n")
    assert (error["code"], error["name"]) == (4008, "NOT_CLASS_OBJECT")


def test_a_diff_of_two_files_is_applied_as_one_undone_and_redone(shell: Shell) -> None:
    diff = (
        "--- a/src/Tree.cs\n+++ b/src/Tree.cs\n@@ -2,1 +2,1 @@\n-public class Tree\n+public sealed class Tree\n"
        "--- a/src/Leaf.cs\n+++ b/src/Leaf.cs\n@@ -2 +2 @@\n-class Leaf\n+sealed class Leaf\n"
    )
    (shell.folder / "both.diff").write_text(diff)
    expect = [f"{name}={shell.token(name)}" for name in ("src/Tree.cs", "src/Leaf.cs")]
    handles = [shell.lock(name) for name in ("src/Tree.cs", "src/Leaf.cs")]
    given = [part for pair in zip(["--handle"] * 2, handles, strict=True) for part in pair]
    given += [part for pair in zip(["--expect"] * 2, expect, strict=True) for part in pair]
    before = shell.state()
    answer = shell.json("patch", "--diff", str(shell.folder / "both.diff"), *given)
    assert [file["file"] for file in answer["files"]] == ["src/Tree.cs", "src/Leaf.cs"]
    assert shell.text("src/Tree.cs") == TREE.replace("public class", "public sealed class")
    assert shell.text("src/Leaf.cs") == LEAF.replace("class Leaf", "sealed class Leaf")
    written = shell.state()
    assert shell.refused("undo")["code"] == 4005  # both are locked, and no handle was given
    for name, handle in zip(("src/Tree.cs", "src/Leaf.cs"), handles, strict=True):
        shell.json("unlock", name, "--handle", handle)
    assert shell.json("undo")["kind"] == "undo"
    assert shell.state() == before
    assert shell.json("redo", "src/Leaf.cs")["kind"] == "redo"
    assert shell.state() == written
    history = shell.json("history")["entries"]
    assert [(entry["kind"], entry["undone"]) for entry in history] == [
        ("redo", False),
        ("undo", True),
        ("edit", True),
    ]
    assert all(set(entry["files"]) == {"src/Tree.cs", "src/Leaf.cs"} for entry in history)
    assert shell.run("history", "src/Leaf.cs")[1].count("\n") == 3


def test_a_diff_without_a_token_for_each_file_or_that_does_not_fit_writes_nothing(shell: Shell) -> None:
    diff = "--- a/src/Leaf.cs\n+++ b/src/Leaf.cs\n@@ -1 +1 @@\n-class Leaf\n+sealed class Leaf\n"
    handle = shell.lock("src/Leaf.cs")
    error = shell.refused("patch", "--diff", "-", "--handle", handle, stdin=diff)
    assert "for which no token was given" in error["message"]
    expect = f"src/Leaf.cs={shell.token('src/Leaf.cs')}"
    error = shell.refused("patch", "--diff", "-", "--handle", handle, "--expect", expect, stdin=diff)
    assert (error["code"], error["retry"]) == (4003, True)
    assert " namespace Orchard;\n-class Leaf\n" in error["details"]["rebased"]
    rebased = error["details"]["rebased"]
    assert shell.json("patch", "--diff", "-", "--handle", handle, "--expect", expect, stdin=rebased)
    assert shell.text("src/Leaf.cs") == LEAF.replace("class Leaf", "sealed class Leaf")


def test_matches_that_were_left_out_are_told_beside_a_pipe(shell: Shell) -> None:
    status, out, err = shell.run("grep", "e", "--max", "2", "--glob", "*.cs")
    assert (status, out.count("\n")) == (0, 2)
    assert err == "2 matching lines are not all: --max N answers more.\n"
    assert shell.run("grep", "class Leaf")[2] == ""


def test_a_conflict_is_told_with_both_sides_and_never_asked_again(shell: Shell) -> None:
    token, handle = shell.token("src/Leaf.cs"), shell.lock("src/Leaf.cs")
    (shell.folder / "src/Leaf.cs").write_text(LEAF.replace("Leaf", "Petal"))
    given = ("patch", "src/Leaf.cs", "--lines", "2-2", "--expect", token, "--handle", handle)
    error = shell.refused(*given, stdin="class Blade\n")
    assert (error["code"], error["name"], error["advice"]) == (4003, "VERSION_CONFLICT", "ask")
    details = error["details"]
    assert details["expectedToken"] == token
    assert details["currentToken"] == shell.token("src/Leaf.cs")
    assert {"changedBy", "changedAt", "resolution"} < details.keys()


def test_a_lock_keeps_others_out_until_it_is_broken_for_a_reason(shell: Shell) -> None:
    handle = shell.lock("src/Tree.cs")
    error = shell.refused("lock", "Orchard.Tree")
    assert (error["code"], error["retryAction"]) == (4005, "lock")
    assert error["message"].startswith("Nothing was locked. src/Tree.cs is locked by ")
    (held,) = shell.json("locks")["locks"]
    assert held["LOCK_HANDLE"] is None
    assert handle not in shell.run("locks")[1]
    assert shell.json("renew-lock", "--handle", handle, "--lease", "600")["seconds"] > 500
    assert shell.run("break-lock", "src/Tree.cs", "--reason", "away for lunch")[0] == 0
    given = (
        "patch",
        "src/Tree.cs",
        "--lines",
        "1-1",
        "--expect",
        shell.token("src/Tree.cs"),
        "--handle",
        handle,
    )
    error = shell.refused(*given, stdin="x\n")
    assert error["code"] == 4005
    assert "away for lunch" in error["message"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("patch",), "Name an OBJECT"),
        (("patch", "a.cs", "--expect", "t", "--handle", "h"), "either --lines A-B or --insert A"),
        (
            ("patch", "a.cs", "--lines", "1-1", "--insert", "1", "--expect", "t", "--handle", "h"),
            "either --lines",
        ),
        (("patch", "a.cs", "--lines", "1-1", "--handle", "h"), "one --expect TOKEN"),
        (("patch", "a.cs", "--lines", "1-", "--expect", "t", "--handle", "h"), "Both ends"),
        (("patch", "a.cs", "--diff", "-"), "leave out OBJECT"),
        (("patch", "--diff", "-", "--content", "x"), "leave out OBJECT"),
        (("patch", "--diff", "-", "--expect", "t"), "not OBJECT=TOKEN"),
        (("patch", "--diff", "no-such.diff"), "cannot be read"),
        (
            ("patch", "a.cs", "--lines", "1-1", "--expect", "t", "--handle", "h", "--content", "no-such"),
            "cannot be read",
        ),
    ],
)
def test_options_that_make_no_sense_are_usage_errors(
    shell: Shell, arguments: tuple[str, ...], said: str
) -> None:
    before = shell.state()
    status, _, err = shell.run(*arguments)
    assert status == 2
    assert said in err
    assert shell.state() == before


@pytest.mark.parametrize("lines", ["3-1", "99-99", "1-5", "6-5"])
def test_ranges_that_do_not_exist_are_refused_with_the_count_of_lines(shell: Shell, lines: str) -> None:
    token, handle = shell.token("src/Leaf.cs"), shell.lock("src/Leaf.cs")
    error = shell.refused(
        "patch", "src/Leaf.cs", "--lines", lines, "--expect", token, "--handle", handle, stdin="x\n"
    )
    assert (error["code"], error["retry"], error["retryAction"]) == (4004, False, None)
    assert error["details"]["lineCount"] == 4


def test_bytes_on_stdin_that_are_not_utf8_are_refused(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    read, write = os.pipe()
    os.write(write, b"caf\xe9\n")
    os.close(write)
    monkeypatch.setattr(sys, "stdin", os.fdopen(read))
    given = ["patch", "src/Leaf.cs", "--lines", "1-1", "--expect", "t", "--handle", "h"]
    before = shell.state()
    assert run(["--root", str(shell.folder), *given]) == 2
    assert shell.state() == before


def test_mode_and_extended_attributes_stay(shell: Shell) -> None:
    path = shell.folder / "src/Leaf.cs"
    path.chmod(0o640)
    try:
        os.setxattr(path, "user.origin", b"tests")
    except OSError:
        pytest.skip("the file system keeps no extended attributes")
    token, handle = shell.token("src/Leaf.cs"), shell.lock("src/Leaf.cs")
    owner = (path.stat().st_uid, path.stat().st_gid)
    shell.json("patch", "src/Leaf.cs", "--lines", "1-1", "--expect", token, "--handle", handle, stdin="x\n")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert (path.stat().st_uid, path.stat().st_gid) == owner
    assert os.getxattr(path, "user.origin") == b"tests"


def test_a_pattern_is_text_unless_it_is_said_to_be_an_expression(shell: Shell) -> None:
    assert shell.run("grep", "Grow(")[0] == 0
    assert shell.run("grep", "Gro[w]")[0] == 1
    assert shell.run("grep", "-E", "Gro[w]")[0] == 0
    assert "-E" in shell.run("grep", "Gro[w]")[2]


def test_a_search_that_finds_nothing_says_so_and_ends_with_1(shell: Shell) -> None:
    for command in (("grep", "nosuchthing"), ("search", "nosuchthing"), ("search", "in:Nope tree")):
        status, out, err = shell.run(*command)
        assert (status, out) == (1, ""), command
        assert err.strip(), command
