"""Every file that a scan finds, with its bytes; nothing else is opened."""

from __future__ import annotations

import os
import subprocess
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.errors import Cancelled
from services.workspace.files.root import Root
from services.workspace.scan.scan import scan
from services.workspace.scan.sweep import glob_filter, sweep
from tests.support.workspace import write_workspace


def swept(folder: Path, globs: str = "", limit: int = 1_000) -> dict[str, bytes]:
    with Root.open(folder) as root:
        found = sweep(root, wanted=glob_filter(globs), limit=limit)
        return {os.fsdecode(path): data for path, data in found}


@pytest.mark.parametrize("repository", [False, True])
def test_a_sweep_reads_what_a_scan_finds(tmp_path: Path, repository: bool) -> None:
    write_workspace(
        tmp_path,
        {
            "a.cs": "a",
            "b/c.txt": "c",
            "b/d/e.cs": "e",
            "bin/x.cs": "x",
            ".gitignore": "bin/\n",
            "b/.codecortexignore": "d/\n",
            ".context/index.json": "{}",
            "large": "y" * 1_001,
        },
    )
    outside = write_workspace(tmp_path.parent / f"{tmp_path.name}-outside", {"secret": "s"})
    (tmp_path / "link").symlink_to(outside / "secret")
    (tmp_path / "folder").symlink_to(outside)
    os.mkfifo(tmp_path / "pipe")
    if repository:
        subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
        subprocess.run(["git", "add", "-f", "a.cs", "link"], cwd=tmp_path, check=True)
        (tmp_path / "gone").write_text("g")
        subprocess.run(["git", "add", "gone"], cwd=tmp_path, check=True)
        (tmp_path / "gone").unlink()
    found = swept(tmp_path)
    with Root.open(tmp_path) as root:
        expected = {stamp.path for stamp in scan(root, suffixes=("",)).files if stamp.size <= 1_000}
    assert set(found) == expected
    assert found["a.cs"] == b"a"
    assert {"b/c.txt", ".gitignore"} < set(found)
    assert not {
        "link",
        "folder/secret",
        "pipe",
        "large",
        "bin/x.cs",
        "b/d/e.cs",
        ".context/index.json",
    } & set(found)


def test_tracked_files_come_first_and_each_file_once(tmp_path: Path) -> None:
    write_workspace(tmp_path, {"a/1": "", "a/2": "", "b/1": "", "c": ""})
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "b/1", "c"], cwd=tmp_path, check=True)
    assert list(swept(tmp_path)) == ["b/1", "c", "a/1", "a/2"]


@pytest.mark.parametrize(
    ("globs", "expected"),
    [
        ("*.cs", {"a.cs", "src/b.cs", "src/g/c.g.cs"}),
        ("*.cs, !*.g.cs", {"a.cs", "src/b.cs"}),
        ("src/", {"src/b.cs", "src/g/c.g.cs", "src/d.md"}),
        ("/src/*.cs", {"src/b.cs"}),
        ("!src/**", {"a.cs"}),
        ("src/,!g/", {"src/b.cs", "src/d.md"}),
        ("**/g/*", {"src/g/c.g.cs"}),
        ("*.py", set[str]()),
        (" , ", {"a.cs", "src/b.cs", "src/g/c.g.cs", "src/d.md"}),
    ],
)
def test_globs_choose_files(tmp_path: Path, globs: str, expected: set[str]) -> None:
    write_workspace(tmp_path, {"a.cs": "", "src/b.cs": "", "src/g/c.g.cs": "", "src/d.md": ""})
    assert set(swept(tmp_path, globs)) == expected


@given(st.text(alphabet="a*?[]!\\/,{}-^", max_size=40))
def test_no_glob_is_an_error_or_takes_long(globs: str) -> None:
    chosen = glob_filter(globs)
    assert chosen is None or chosen(b"a" * 200 + b"/b") in (True, False)


def test_a_sweep_stops_when_it_is_cancelled(tmp_path: Path) -> None:
    write_workspace(tmp_path, {"a/1": "", "b/1": ""})
    cancel = threading.Event()
    with Root.open(tmp_path) as root, pytest.raises(Cancelled):
        for _ in sweep(root, limit=10, cancel=cancel):
            cancel.set()
