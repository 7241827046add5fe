"""A repository that names a program wherever git takes one: whatever the services ask of git, none of them runs."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from services.context import cochange as log
from services.errors import CodeCortexError
from services.llm.commands.allow import allowed
from services.llm.commands.words import TABLES
from services.llm.tool_files import ToolFiles
from services.prompt.secrets.masking import Masker
from services.source.diffs.changes import ChangeSets
from services.source.diffs.listing import DiffScope
from services.source.diffs.staging import Staging
from services.source.grep_pattern import compiled
from services.source.grep_search import GrepRequest, GrepTotals, grep_files
from services.source.read.token import Version, stored
from services.workspace import programs
from services.workspace.files.root import Root
from services.workspace.scan import git
from services.workspace.scan.hidden import is_hidden
from services.workspace.scan.scan import scan
from tests.support.doors import DOORS, EVERY_OPERATION
from tests.support.trapped import FIRST, Trapped


@pytest.fixture
def trapped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Trapped]:
    """With the person's own configuration full of traps too, and a folder of the repository first in PATH."""
    home = tmp_path / "person"
    home.mkdir()
    made = Trapped(tmp_path, person=home / ".gitconfig")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setenv("PATH", os.pathsep.join([str(made.folder / "bin"), os.environ["PATH"], "bin", ""]))
    monkeypatch.chdir(made.folder)
    yield made
    assert made.sprung() == []


def test_the_traps_are_live(trapped: Trapped) -> None:
    sprung: set[str] = set()
    # the last is a file without a filter: git may end at a filter that hangs up before it comes to the external diff
    external = f"diff {FIRST} HEAD -- .gitmodules"
    for command in ("status", "log -p", "diff", "blame A.cs", f"cat-file -p {FIRST}:gone.txt", external):
        subprocess.run(["git", *command.split()], cwd=trapped.folder, capture_output=True, check=False)
        subprocess.run(["/usr/bin/env", "PATH=/usr/bin:/bin", "git", *command.split()], check=False,
                       cwd=trapped.folder, capture_output=True)  # fmt: skip
        sprung.update(trapped.sprung())
    for mark in trapped.marks.iterdir():
        mark.unlink()
    kinds = (
        "fsmonitor",
        "filter.t.process",
        "gpg.x509",
        "textconv",
        "diff.external",
        "ext of",
        "program git",
    )
    assert [kind for kind in kinds if not any(kind in name for name in sprung)] == []
    assert trapped.settings > 200


def test_what_differs_is_told_and_staged(trapped: Trapped) -> None:
    with Root.open(trapped.folder) as root:
        changes = ChangeSets(root)
        found = {change.path: change for change in changes.read().files}
        assert found["A.cs"].status == "modified"
        assert found["New.cs"].status == "untracked"
        for scope in ("staged", "HEAD~1..HEAD", f"{FIRST}..HEAD"):
            with suppress(CodeCortexError):  # the last one needs what is missing
                changes.read(DiffScope.parse(scope))
        assert len(changes.commits()) > 4
        assert b"=> 1" in changes.committed(FIRST, "A.cs")
        with pytest.raises(CodeCortexError):
            changes.committed(FIRST, "gone.txt")
        staging = Staging(root, changes)
        for change in found.values():
            with suppress(CodeCortexError):  # a file that needs a filter is refused
                staging.toggle_file(change)
        assert staging.files(list(found.values()))
        assert changes.log("A.cs")
        with suppress(CodeCortexError):
            changes.blame("A.cs", 1)
        git.run(root.path, ("stash", "create", "made under traps"))
        with suppress(CodeCortexError):
            staging.commit("made under traps")
        assert staging.entry("New.cs")
        assert stored(root.path, "A.cs", Version.HEAD, limit=1 << 20).changed_by == "n"


def test_files_history_and_state_are_listed(trapped: Trapped) -> None:
    with Root.open(trapped.folder) as root:
        assert {"A.cs", "New.cs"} <= {stamp.path for stamp in scan(root).files}
        assert not is_hidden(root, "A.cs")
        tip = log.tip(root.path)
        assert tip
        assert "A.cs" in str(list(log.read(root.path, tip)))
        assert "uncommitted changes" in git.revision(root.path)
        wanted = GrepRequest(compiled("class"), 0, 100)
        assert list(grep_files(root, wanted, tally=GrepTotals()))


ASKED = {
    "log": ["-p", "--format=%h %s", "--stat"],
    "show": [FIRST, "--raw HEAD"],
    "diff": ["HEAD~1", "--cached", "--stat HEAD~2 HEAD"],
    "blame": ["A.cs"],
    "ls-files": ["-m", "-o", "-s"],
    "grep": ["class", "--cached class"],
    "describe": ["--always --dirty", "--all"],
    "tag": ["-l", "-n"],
    "branch": ["-v", "-a"],
    "remote": ["-v"],
    "ls-tree": ["HEAD"],
    "merge-base": ["HEAD HEAD~1"],
    "rev-parse": ["HEAD"],
    "name-rev": ["HEAD"],
}


def test_commands_of_a_model_start_nothing(trapped: Trapped) -> None:
    """As they would be run, but with nothing around them that isolates."""
    ran = 0
    with Root.open(trapped.folder) as root:
        files = ToolFiles(root, Masker(b"k" * 32))
        for name in TABLES:
            for rest in ["", *ASKED.get(name, [])]:
                with suppress(CodeCortexError):
                    command = allowed(f"git {name} {rest}", files)
                    assert command.unsafe
                    environment = {
                        **command.environment,
                        "HOME": os.environ["HOME"],
                        "PATH": os.environ["PATH"],
                    }
                    for call in command.calls:
                        ended = subprocess.run(
                            call, cwd=root.path, env=environment, capture_output=True, check=False
                        )
                        ran += ended.returncode == 0
    assert ran > 20


def test_programs_come_from_outside_every_workspace(trapped: Trapped) -> None:
    with Root.open(trapped.folder / "sub"):
        for name in ("git", "cat"):
            found = programs.find(name)
            assert found is not None
            assert not found.startswith(str(trapped.folder))
        assert programs.find("rg") != str(trapped.folder / "bin/rg")
        assert not {"", "bin", str(trapped.folder / "bin")} & {*programs.search_path().split(os.pathsep)}


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_no_way_into_the_program_starts_one(trapped: Trapped, door: Callable[[Path], None]) -> None:
    door(trapped.folder)


def test_no_operation_starts_one_whichever_way_it_is_called(
    trapped: Trapped, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODECORTEX_AGENTS_PATIENCE", "0")  # nobody is there to decide what a command may do
    for door, walk in EVERY_OPERATION.items():
        walk(trapped.folder)
        assert (door, trapped.sprung()) == (door, [])


def test_a_link_into_a_workspace_is_no_program(
    trapped: Trapped, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "xclip").symlink_to(trapped.folder / "bin/xclip")
    monkeypatch.setenv("PATH", str(tools))
    assert programs.find("xclip") is not None
    programs.leave_out(trapped.folder)
    assert programs.find("xclip") is None
