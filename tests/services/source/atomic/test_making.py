"""Folders are made for new files, by whoever has the lock, and never through a link."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from services.errors import LockRequired, PathRefused, ReadOnly
from services.source.atomic.step import make_folder
from services.source.atomic.system_calls import SystemCalls
from services.source.text.edit import Edit
from tests.support.writing import ME, Failing, Place, in_child


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    (tmp_path / "w").mkdir()
    place = Place(tmp_path / "w")
    place.put("a.cs", b"one\ntwo\nthree\n")
    place.put("b.cs", b"eins\n")
    yield place
    place.close()


def test_a_folder_that_is_not_there_is_made_for_a_new_file(place: Place) -> None:
    handle = place.lock("new/deep/a.cs")
    edit = Edit(1, 0, "mine")
    place.writer.edit("new/deep/a.cs", edit, token="0_empty", handle=handle, owner=ME, rehearse=True)
    assert not (place.folder / "new").exists()
    assert place.writer.edit("new/deep/a.cs", edit, token="0_empty", handle=handle, owner=ME).updated
    assert place.bytes("new/deep/a.cs") == b"mine\n"
    place.writer.undo(None, ME, [handle])
    assert not (place.folder / "new/deep/a.cs").exists()
    shutil.rmtree(place.folder / "new")
    place.writer.redo(None, ME, [handle])
    assert place.bytes("new/deep/a.cs") == b"mine\n"


def test_a_patch_makes_the_folders_of_its_new_files(place: Place) -> None:
    diff = "--- /dev/null\n+++ b/new/n.cs\n@@ -0,0 +1 @@\n+n\n"
    place.writer.patch(diff, {}, [place.lock("new/n.cs")], owner=ME)
    assert place.bytes("new/n.cs") == b"n\n"


def test_no_folder_is_made_without_a_lock(place: Place) -> None:
    with pytest.raises(LockRequired):
        place.writer.edit("new/a.cs", Edit(1, 0, "x"), token="0_empty", handle="none", owner=ME)
    assert not (place.folder / "new").exists()


@pytest.mark.parametrize(
    "name", ["link/new/a.cs", "dangling/a.cs", "dangling/new/a.cs", "a.cs/new/b.cs", "x/../../y/a.cs"]
)
def test_no_folder_is_made_through_a_link_a_file_or_outside(place: Place, name: str) -> None:
    outside = place.folder.parent / "outside"
    outside.mkdir()
    (place.folder / "link").symlink_to("../outside")
    (place.folder / "dangling").symlink_to("../outside/none")
    handle = place.lock("b.cs")
    with pytest.raises(PathRefused):
        place.lock(name)
    with pytest.raises(PathRefused):
        place.writer.edit(name, Edit(1, 0, "x"), token="0_empty", handle=handle, owner=ME)
    assert not list(outside.iterdir())
    assert sorted(path.name for path in place.folder.parent.iterdir()) == ["outside", "w"]


def test_a_link_that_appears_in_the_place_of_a_missing_folder_is_not_followed(place: Place) -> None:
    """Between the lock and the write, and between the look and the making."""
    outside = place.folder.parent / "outside"
    outside.mkdir()
    handle = place.lock("new/deep/a.cs")

    def mkdir(name: str, *args: Any, **kwargs: Any) -> None:
        (place.folder / name).symlink_to(outside)
        os.mkdir(name, *args, **kwargs)  # noqa: PTH102 - pathlib knows no descriptors

    class Raced(SystemCalls):
        def run(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
            return super().run(mkdir if function is os.mkdir else function, *args, **kwargs)

    with pytest.raises(OSError, match=r"directory|symbolic"):
        make_folder(Raced(), place.root, "new/deep")
    with pytest.raises(PathRefused):
        place.writer.edit("new/deep/a.cs", Edit(1, 0, "x"), token="0_empty", handle=handle, owner=ME)
    assert not list(outside.iterdir())


def test_a_folder_that_cannot_be_made_is_said_to_be_so(place: Place) -> None:
    place.close()
    (place.folder / "full").mkdir()
    other = Place(place.folder, calls=Failing(1, error=errno.ENOSPC))
    handle = other.lock("full/new/a.cs")
    with pytest.raises(ReadOnly, match=r"^Nothing was written\. The folder of full/new/a\.cs cannot be made"):
        other.writer.edit("full/new/a.cs", Edit(1, 0, "x"), token="0_empty", handle=handle, owner=ME)
    assert not (other.folder / "full/new").exists()
    other.close()


def create(folder: Path, calls: Failing) -> list[str]:
    place = Place(folder, calls=calls)
    handle = place.lock("new/deep/a.cs")
    place.writer.edit("new/deep/a.cs", Edit(1, 0, "mine"), token="0_empty", handle=handle, owner=ME)
    place.writer.unlock(handle)
    place.close()
    return calls.names


def test_wherever_the_process_ends_the_file_is_whole_or_can_be_made_again(tmp_path: Path) -> None:
    (tmp_path / "all").mkdir()
    names = create(tmp_path / "all", Failing())
    assert names.count("mkdir") == 2
    for at in range(1, len(names) + 1):
        folder = tmp_path / str(at)
        folder.mkdir()
        assert in_child(lambda: create(folder, Failing(at, kill="after"))) == 9  # noqa: B023 - called at once
        place = Place(folder)
        place.writer.recover()
        file = folder / "new/deep/a.cs"
        assert place.left_over() == []
        if file.exists():
            assert place.bytes("new/deep/a.cs") == b"mine\n"
            place.writer.undo(None, ME)
        create(folder, Failing())
        assert place.bytes("new/deep/a.cs") == b"mine\n"
        place.close()
