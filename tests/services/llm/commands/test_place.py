"""Paths that commands may name: below the root, of the kind that is asked for, and every file seen or hidden."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.errors import CommandRefused
from services.llm.commands.place import CommandWorkspace
from services.llm.commands.words import OptionKind
from services.llm.tool_files import ToolFiles

FOLDERS = (".", "src", "src/inner")
_pieces = st.sampled_from(
    ["src", "inner", "A.cs", "B c.cs", "-x", "bin", ".env", ".git", "linked", "..", ".", ""]
)
paths = st.lists(_pieces, min_size=1, max_size=5).map("/".join)


@pytest.fixture(scope="module")
def place(files: ToolFiles) -> CommandWorkspace:
    return CommandWorkspace(files)


@pytest.mark.parametrize(
    ("kind", "given_path", "expected"),
    [
        (OptionKind.FILE, "src/A.cs", "src/A.cs"),
        (OptionKind.FILE, "./src//inner/../A.cs", "src/A.cs"),
        (OptionKind.FILE, "src/inner/B c.cs", "src/inner/B c.cs"),
        (OptionKind.FILE, "-x", "./-x"),
        (OptionKind.FOLDER, ".", "."),
        (OptionKind.FOLDER, "src/", "src"),
        (OptionKind.FOLDER, "src/..", "."),
    ],
)
def test_a_path_is_passed_on_relative_and_never_like_an_option(
    place: CommandWorkspace, kind: OptionKind, given_path: str, expected: str
) -> None:
    assert place.path(kind, given_path) == expected


def test_an_absolute_path_inside_the_root_is_fine(place: CommandWorkspace, workspace: Path) -> None:
    assert place.path(OptionKind.FILE, str(workspace / "src" / "A.cs")) == "src/A.cs"


@pytest.mark.parametrize(
    ("kind", "given_path", "reason"),
    [
        (OptionKind.FILE, "src", "it is a folder"),
        (OptionKind.FOLDER, "src/A.cs", "it is no folder"),
        (OptionKind.FILE, "src/None.cs", "no such file"),
        (OptionKind.FILE, "src/*.cs", "not expanded"),
        (OptionKind.FILE, "../outside/CANARY.txt", "escapes"),
        (OptionKind.FILE, "src/../../work/src/A.cs", "escapes"),
        (OptionKind.FILE, "/etc/passwd", "escapes"),
        (OptionKind.FILE, "link.txt", "escapes"),
        (OptionKind.FILE, "abs.txt", "escapes"),
        (OptionKind.FILE, "linked/CANARY.txt", "escapes"),
        (OptionKind.FILE, ".git/config", "git's own folder"),
        (OptionKind.FILE, ".GIT/config", "git's own folder"),
        (OptionKind.FILE, ".context/note.md", "own files"),
        (OptionKind.FILE, ".codecortex-state/window.json", "own state"),
        (OptionKind.FILE, ".env", "an ignored file"),
        (OptionKind.FILE, "bin/Gen.cs", "an ignored file"),
        (OptionKind.FILE, "", "it is a folder"),
        (OptionKind.FILE, "a\0b", "NUL"),
    ],
)
def test_what_may_not_be_named_is_refused_with_the_piece(
    place: CommandWorkspace, kind: OptionKind, given_path: str, reason: str
) -> None:
    with pytest.raises(CommandRefused, match=reason) as raised:
        place.path(kind, given_path)
    assert raised.value.details["piece"] == given_path


@given(paths, st.sampled_from([OptionKind.FILE, OptionKind.FOLDER]))
def test_whatever_is_let_through_is_below_the_root_and_stays_as_it_is(
    place: CommandWorkspace, workspace: Path, written: str, kind: OptionKind
) -> None:
    try:
        path = place.path(kind, written)
    except CommandRefused:
        return
    there = (workspace / path).resolve()
    assert there.is_relative_to(workspace.resolve())
    assert there == Path(os.path.normpath(workspace.resolve() / written.lstrip("/")))
    assert there.is_dir() is (kind is OptionKind.FOLDER)
    assert not path.startswith(("-", "/"))
    assert not {".git", ".env", "bin"} & {*path.split("/")}
    assert place.path(kind, path) == path


def _walked(folder: Path) -> Iterator[str]:
    """Every name below a folder that is no folder, links as such."""
    for where, folders, files in os.walk(folder):
        linked = [name for name in folders if (Path(where) / name).is_symlink()]
        yield from ((Path(where) / name).relative_to(folder).as_posix() for name in [*files, *linked])


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_file_below_a_folder_is_seen_or_hidden_and_none_is_both(
    place: CommandWorkspace, workspace: Path, folder: str
) -> None:
    hidden = place.hidden_below(folder)
    for name in _walked(workspace / folder):
        path = name if folder == "." else f"{folder}/{name}"
        is_hidden = any(path == each or path.startswith(f"{each}/") for each in hidden)
        assert is_hidden is not (path in place.below(folder)), path


def test_what_is_below_a_folder_is_what_is_below_each_of_its_names(place: CommandWorkspace) -> None:
    tops = dict.fromkeys(each.partition("/")[0] for each in place.visible)
    assert [each for top in tops for each in place.below(top)] == list(place.below("."))
    assert list(place.below("src/A.cs")) == ["src/A.cs"]
    assert list(place.below("./-x")) == ["-x"]
    assert list(place.below("sr")) == []
