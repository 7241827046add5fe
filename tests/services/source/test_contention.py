"""Many writers at once: as many edits are there as were acknowledged, and nobody else's update is ever destroyed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from services.errors import CodeCortexError, LockRequired, VersionConflict
from services.source.atomic.system_calls import SystemCalls
from tests.support.contention import race
from tests.support.writing import ME, YOU, Place


def test_processes_that_fight_for_a_file_lose_no_edit(tmp_path: Path) -> None:
    (tmp_path / "log.cs").write_bytes(b"end\n")
    assert race(tmp_path, processes=4, edits=6) == [0] * 4
    lines = (tmp_path / "log.cs").read_text().splitlines()
    assert sorted(lines[:-1]) == sorted(f"{who} {number}" for who in range(4) for number in range(6))
    place = Place(tmp_path)
    assert len(place.writer.history("log.cs").entries) == 24
    assert place.left_over() == []
    place.close()


class Meddling(SystemCalls):
    """Does something before or after the first call of a name: what another program does at that very moment."""

    def __init__(self, name: str, act: Callable[[], object], *, after: bool = False) -> None:
        self.name = name
        self.act: Callable[[], object] | None = act
        self.after = after

    def run(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        act = self.act if function.__name__ == self.name else None
        if act is not None:
            self.act = None
        if act is not None and not self.after:
            act()
        result = function(*args, **kwargs)
        if act is not None and self.after:
            act()
        return result


def replaced_by(folder: Path, data: bytes) -> Callable[[], None]:
    """Another program's write by rename."""

    def act() -> None:
        (folder / "foreign").write_bytes(data)
        (folder / "foreign").replace(folder / "a.cs")

    return act


def meddled(folder: Path, calls: SystemCalls) -> Place:
    place = Place(folder, calls=calls)
    place.put("a.cs", b"one\n")
    return place


@pytest.mark.parametrize("point", ["open", "write", "fsync", "_prepare", "renameat2"])
def test_an_update_from_outside_during_a_write_stands_and_is_a_conflict(tmp_path: Path, point: str) -> None:
    place = meddled(tmp_path, Meddling(point, replaced_by(tmp_path, b"theirs\n")))
    with pytest.raises(VersionConflict, match=r"^Nothing was written\."):
        place.edit("a.cs", 1, 1, "mine")
    assert place.bytes("a.cs") == b"theirs\n"
    assert place.left_over() == []
    assert place.writer.history(None).entries == ()
    place.close()


def test_an_update_right_after_the_exchange_stands(tmp_path: Path) -> None:
    place = meddled(tmp_path, Meddling("renameat2", replaced_by(tmp_path, b"theirs\n"), after=True))
    place.edit("a.cs", 1, 1, "mine")
    assert place.bytes("a.cs") == b"theirs\n"
    assert place.left_over() == []
    place.close()


def test_two_updates_around_the_exchange_leave_the_later(tmp_path: Path) -> None:
    later = Meddling("renameat2", replaced_by(tmp_path, b"later\n"), after=True)

    class Both(SystemCalls):
        def run(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
            if function.__name__ == "renameat2" and later.act is not None:
                replaced_by(tmp_path, b"sooner\n")()
            return later.run(function, *args, **kwargs)

    place = meddled(tmp_path, Both())
    with pytest.raises(VersionConflict):
        place.edit("a.cs", 1, 1, "mine")
    assert place.bytes("a.cs") == b"later\n"
    assert place.left_over() == []
    place.close()


@pytest.mark.parametrize("point", ["open", "fsync", "_prepare"])
def test_a_lock_broken_during_a_write_stops_it(tmp_path: Path, point: str) -> None:
    def act() -> None:
        other = Place(tmp_path)
        other.writer.break_lock("a.cs", YOU, reason="too slow")
        other.lock("a.cs", YOU)
        other.close()

    place = meddled(tmp_path, Meddling(point, act))
    handle = place.lock("a.cs")
    with pytest.raises(LockRequired, match=r"^Nothing was written\. .*broken"):
        place.edit("a.cs", 1, 1, "mine", handle=handle)
    assert place.bytes("a.cs") == b"one\n"
    assert place.left_over() == []
    place.close()


def test_a_file_deleted_or_made_a_link_during_a_write_stays_that(tmp_path: Path) -> None:
    def link() -> None:
        (tmp_path / "a.cs").unlink()
        (tmp_path / "a.cs").symlink_to("elsewhere")

    for act in (link, (tmp_path / "a.cs").unlink):
        (tmp_path / "a.cs").unlink(missing_ok=True)
        place = meddled(tmp_path, Meddling("renameat2", act))
        with pytest.raises(CodeCortexError, match=r"^Nothing was written\."):
            place.edit("a.cs", 1, 1, "mine")
        assert (tmp_path / "a.cs").is_symlink() == (act is link)
        assert not (tmp_path / "a.cs").is_file()
        assert place.left_over() == []
        place.close()


def test_a_patch_of_two_files_takes_the_first_back_when_the_second_was_changed(tmp_path: Path) -> None:
    count = 0

    class Second(SystemCalls):
        def run(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
            nonlocal count
            count += function.__name__ == "renameat2"
            if count == 2 and function.__name__ == "renameat2":
                (tmp_path / "b.cs").write_bytes(b"theirs\n")
            return function(*args, **kwargs)

    place = meddled(tmp_path, Second())
    place.put("b.cs", b"two\n")
    handle = place.writer.lock("both", ["a.cs", "b.cs"], ME).lock_handle or ""
    diff = "--- a/{0}.cs\n+++ b/{0}.cs\n@@ -1 +1 @@\n-{1}\n+mine\n"
    with pytest.raises(VersionConflict):
        place.writer.patch(
            diff.format("a", "one") + diff.format("b", "two"),
            {"a.cs": place.token("a.cs"), "b.cs": place.token("b.cs")},
            [handle],
            owner=ME,
        )
    assert (place.bytes("a.cs"), place.bytes("b.cs")) == (b"one\n", b"theirs\n")
    assert place.left_over() == []
    place.close()
