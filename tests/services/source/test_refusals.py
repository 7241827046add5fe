"""What SAFETY forbids is refused with its reason, says first that nothing was written, and leaves all as it was."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from services.errors import (
    CodeCortexError,
    LineOutOfRange,
    LockRequired,
    NotText,
    PathRefused,
    ReadOnly,
    TokenInvalid,
    TokenMismatch,
    UsageError,
    VersionConflict,
)
from services.settings import CacheSettings, load
from services.source.journal.actor import acting
from services.source.text.edit import Edit
from tests.support.writing import ME, YOU, Place


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    (tmp_path / "w").mkdir()
    place = Place(tmp_path / "w")
    place.put("a.cs", b"one\ntwo\nthree\n")
    place.put("b.cs", b"eins\n")
    yield place
    place.close()


def snapshot(folder: Path) -> dict[str, Any]:
    """Names, kinds, bytes and modes of everything but the program's own state."""
    return {
        str(path.relative_to(folder)): (
            os.lstat(path).st_mode,
            path.read_bytes() if path.is_file() and not path.is_symlink() else None,
        )
        for path in folder.rglob("*")
        if ".context" not in path.parts
    }


def refused(
    place: Place, kind: type[CodeCortexError], name: str, edit: Edit | None = None, **given: Any
) -> str:
    """The message of a write that has to be refused."""
    before = snapshot(place.folder)
    given = {"token": "1_0123456789abcdef", "handle": "no handle", "owner": ME, **given}
    with pytest.raises(kind) as caught:
        place.writer.edit(name, edit or Edit(1, 1, "x"), **given)
    assert caught.value.message.startswith("Nothing was written. ")
    assert snapshot(place.folder) == before
    assert place.writer.history(None).entries == ()
    return caught.value.message


def test_a_symbolic_link_is_not_written_through(place: Place) -> None:
    (place.folder / "link.cs").symlink_to("a.cs")
    assert "symbolic link" in refused(place, PathRefused, "link.cs")
    with pytest.raises(PathRefused, match="symbolic link"):
        place.lock("link.cs")


def test_a_folder_that_is_a_symbolic_link_is_not_written_through(place: Place) -> None:
    place.put("real/c.cs", b"x\n")
    (place.folder / "alias").symlink_to("real")
    assert "symbolic link" in refused(place, PathRefused, "alias/c.cs")


def test_a_file_with_two_hard_links_is_not_written(place: Place) -> None:
    os.link(place.folder / "a.cs", place.folder / "twin.cs")
    assert "2 hard links" in refused(place, PathRefused, "a.cs")


@pytest.mark.parametrize(
    "name",
    [
        ".git/config",
        ".GIT/config",
        "git~1/config",
        "sub/.git/x.cs",
        ".context/writes.db",
        ".codecortex-state/x/writes.db",
        ".context/x.cs",
        "../x.cs",
        "/etc/passwd",
        "",
        "a\0.cs",
        ".",
    ],
)
def test_protected_places_and_places_outside_are_not_written(place: Place, name: str) -> None:
    refused(place, PathRefused, name)


@pytest.mark.parametrize("name", ["sub", "pipe"])
def test_what_is_no_file_is_not_written(place: Place, name: str) -> None:
    (place.folder / "sub").mkdir()
    os.mkfifo(place.folder / "pipe")
    refused(place, PathRefused, name)


def test_a_binary_file_is_not_written(place: Place) -> None:
    place.put("bin.cs", b"a\0b\n")
    assert "binary" in refused(place, NotText, "bin.cs")


def test_bytes_that_are_not_understood_make_a_file_read_only(place: Place) -> None:
    place.put("latin.cs", b"caf\xe9\n")
    token, handle = place.token("latin.cs"), place.lock("latin.cs")
    assert "read-only" in refused(place, ReadOnly, "latin.cs", token=token, handle=handle)


def test_content_with_a_nul_is_refused(place: Place) -> None:
    token, handle = place.token("a.cs"), place.lock("a.cs")
    refused(place, UsageError, "a.cs", Edit(1, 1, "x\0"), token=token, handle=handle)


@pytest.mark.parametrize(("start", "end"), [(0, 0), (-1, 1), (3, 1), (5, 5), (6, 5), (4, 4)])
def test_lines_that_are_not_there_are_refused(place: Place, start: int, end: int) -> None:
    token, handle = place.token("a.cs"), place.lock("a.cs")
    refused(place, LineOutOfRange, "a.cs", Edit(start, end, "x"), token=token, handle=handle)


def test_without_a_lock_nothing_is_written(place: Place) -> None:
    assert "a.cs needs a lock" in refused(place, LockRequired, "a.cs", token=place.token("a.cs"))


@pytest.mark.parametrize(
    "token", ["", "x", "1_012345678", "1_0123456789ABCDEF", "-1_0123456789abcdef", "0_empty "]
)
def test_what_is_no_token_is_refused(place: Place, token: str) -> None:
    refused(place, TokenInvalid, "a.cs", token=token, handle=place.lock("a.cs"))


@pytest.mark.parametrize("name", ["new.cs", "new/new.cs"])
def test_without_a_token_for_a_file_that_is_not_there_it_is_said_how_to_make_it(
    place: Place, name: str
) -> None:
    handle = place.lock(name)
    with pytest.raises(TokenInvalid, match=r"^Nothing was written\.") as caught:
        place.writer.edit(name, Edit(1, 0, "x"), token="", handle=handle, owner=ME)
    assert caught.value.retry_action != "getObjectSourceV2"
    create = caught.value.details["create"]
    edit = Edit(create["startLine"], create["endLine"], "x")
    assert place.writer.edit(name, edit, token=create["token"], handle=handle, owner=ME).updated
    assert place.bytes(name) == b"x\n"


def test_a_token_of_another_file_is_refused_and_says_whose_it_is(place: Place) -> None:
    token = place.token("b.cs")
    assert "b.cs" in refused(place, TokenMismatch, "a.cs", token=token, handle=place.lock("a.cs"))


@pytest.mark.parametrize(("start", "end"), [(1, 1), (1, 2), (2, 3), (3, 3), (1, 0), (4, 3)])
def test_lines_that_were_not_read_under_the_token_are_refused(place: Place, start: int, end: int) -> None:
    token = place.token("a.cs", 2, 2)
    edit = Edit(start, end, "x")
    assert "not read under it" in refused(
        place, TokenMismatch, "a.cs", edit, token=token, handle=place.lock("a.cs")
    )


@pytest.mark.parametrize(("start", "end"), [(2, 2), (2, 1), (3, 2)])
def test_lines_that_were_read_and_places_beside_them_are_written(place: Place, start: int, end: int) -> None:
    assert place.edit("a.cs", start, end, "x", token=place.token("a.cs", 2, 2)).updated


def test_a_whole_new_text_needs_every_line(place: Place) -> None:
    token = place.token("a.cs", 1, 2)
    with pytest.raises(TokenMismatch, match=r"^Nothing was written"):
        place.writer.replace("a.cs", "x", token=token, handle=place.lock("a.cs"), owner=ME)
    assert place.bytes("a.cs") == b"one\ntwo\nthree\n"


def test_a_conflict_tells_who_when_and_a_rebased_patch(place: Place) -> None:
    token, handle = place.token("a.cs"), place.lock("a.cs")
    place.put("a.cs", b"ONE\ntwo\nthree\n")
    with pytest.raises(VersionConflict, match=r"^Nothing was written\. ") as caught:
        place.writer.edit("a.cs", Edit(3, 3, "THREE"), token=token, handle=handle, owner=ME)
    details = caught.value.details
    assert details["expectedToken"] == token
    assert details["currentToken"] == place.token("a.cs")
    assert details["changedBy"]
    assert details["changedAt"] > 0
    answer = place.writer.patch(details["rebased"], {"a.cs": details["currentToken"]}, [handle], owner=ME)
    assert answer.files[0].line_count == 3
    assert place.bytes("a.cs") == b"ONE\ntwo\nTHREE\n"


def test_a_change_that_somebody_made_already_is_said_to_be_there(place: Place) -> None:
    token, handle = place.token("a.cs"), place.lock("a.cs")
    place.put("a.cs", b"one\ntwo\nTHREE\n")
    with pytest.raises(VersionConflict, match=r"nothing is left to write\.$") as caught:
        place.writer.edit("a.cs", Edit(3, 3, "THREE"), token=token, handle=handle, owner=ME)
    assert "rebased" not in caught.value.details


def test_a_conflict_of_the_same_lines_tells_both_sides(place: Place) -> None:
    token, handle = place.token("a.cs"), place.lock("a.cs")
    place.put("a.cs", b"ONE\ntwo\nthree\n")
    with pytest.raises(VersionConflict) as caught:
        place.writer.edit("a.cs", Edit(1, 1, "1"), token=token, handle=handle, owner=ME)
    (hunk,) = caught.value.details["hunks"]
    assert hunk == {"startLine": 1, "base": "one\n", "mine": "1\n", "theirs": "ONE\n"}


def test_a_file_that_is_gone_is_a_conflict(place: Place) -> None:
    token, handle = place.token("a.cs"), place.lock("a.cs")
    (place.folder / "a.cs").unlink()
    with pytest.raises(VersionConflict, match="has been deleted"):
        place.writer.edit("a.cs", Edit(1, 1, "x"), token=token, handle=handle, owner=ME)
    assert not (place.folder / "a.cs").exists()


def test_the_same_bytes_with_a_new_time_are_no_conflict(place: Place) -> None:
    token = place.token("a.cs")
    os.utime(place.folder / "a.cs", (1, 1))
    assert place.edit("a.cs", 1, 1, "x", token=token).updated


def test_an_expired_token_whose_bytes_stand_is_renewed_without_a_word(place: Place) -> None:
    token = place.token("a.cs", 1, 1)
    place.reader.cache.forget("a.cs")
    assert place.edit("a.cs", 1, 1, "x", token=token).updated


STALE = "1_0123456789abcdef"


def test_a_person_may_skip_the_check(place: Place) -> None:
    handle = place.lock("a.cs")
    refused(place, VersionConflict, "a.cs", token=STALE, handle=handle, skip_check=False)
    done = place.writer.edit("a.cs", Edit(1, 1, "x"), token=STALE, handle=handle, owner=ME, skip_check=True)
    assert done.updated
    assert place.bytes("a.cs") == b"x\ntwo\nthree\n"


def test_a_skipped_check_skips_no_lock(place: Place) -> None:
    refused(place, LockRequired, "a.cs", skip_check=True)


def test_an_agent_skips_the_check_only_where_the_settings_make_none(place: Place, tmp_path: Path) -> None:
    with acting(YOU):
        handle = place.lock("a.cs")
        refused(place, UsageError, "a.cs", token=STALE, handle=handle, skip_check=True)
        refused(place, VersionConflict, "a.cs", token=STALE, handle=handle)
    (tmp_path / "v").mkdir()
    unchecked = Place(tmp_path / "v", settings=CacheSettings(conflict_check=False))
    unchecked.put("a.cs", b"one\n")
    handle = unchecked.lock("a.cs")
    refused(unchecked, VersionConflict, "a.cs", token=STALE, handle=handle, skip_check=False)
    with acting(YOU):
        for skips in (True, None):
            edit = Edit(1, 1, f"x {skips}")
            given = {"token": STALE, "handle": handle, "owner": YOU, "skip_check": skips}
            assert unchecked.writer.edit("a.cs", edit, **given).updated
    unchecked.close()


def test_only_no_check_at_all_makes_skipping_the_default(place: Place) -> None:
    refused(place, VersionConflict, "a.cs", token=STALE, handle=place.lock("a.cs"))
    assert load(place.folder, environment={}).cache.conflict_check
    assert not load(place.folder, environment={"MCP_ENABLE_CONFLICT_CHECK": "false"}).cache.conflict_check


@pytest.mark.parametrize("lines", [(0, 0), (0, 2), (-1, 2), (1, -1), (3, 1), (9, 9)])
def test_lines_that_do_not_exist_are_out_of_range(place: Place, lines: tuple[int, int]) -> None:
    token, handle = place.token("a.cs"), place.lock("a.cs")
    refused(place, LineOutOfRange, "a.cs", Edit(*lines, "x"), token=token, handle=handle)
    refused(place, LineOutOfRange, "a.cs", Edit(*lines, "x"), handle=handle, skip_check=True)


@pytest.mark.parametrize("name", ["New.cs/", "src/New.cs/", "a.cs/", "a.cs/."])
def test_what_is_written_like_a_folder_is_no_file(place: Place, name: str) -> None:
    with pytest.raises(PathRefused, match="folder"):
        place.lock(name)
    refused(place, PathRefused, name, Edit(1, 0, "x"), token="0_empty")


def test_a_file_without_write_permission_is_not_written(place: Place) -> None:
    (place.folder / "a.cs").chmod(0o444)
    token, handle = place.token("a.cs"), place.lock("a.cs")
    assert "permissions" in refused(place, ReadOnly, "a.cs", token=token, handle=handle)


def test_a_new_file_is_made_under_its_lock_and_never_over_one_that_appeared(place: Place) -> None:
    handle = place.lock("new.cs")
    place.put("new.cs", b"theirs\n")
    with pytest.raises(VersionConflict):
        place.writer.edit("new.cs", Edit(1, 0, "mine"), token="0_empty", handle=handle, owner=ME)
    assert place.bytes("new.cs") == b"theirs\n"
    (place.folder / "new.cs").unlink()
    assert place.writer.edit("new.cs", Edit(1, 0, "mine"), token="0_empty", handle=handle, owner=ME).updated
    assert place.bytes("new.cs") == b"mine\n"


def test_the_mode_stays(place: Place) -> None:
    (place.folder / "a.cs").chmod(0o751)
    place.edit("a.cs", 1, 1, "x")
    assert (place.folder / "a.cs").stat().st_mode & 0o7777 == 0o751


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_the_owner_stays_with_bits_that_a_change_of_owner_clears(place: Place) -> None:
    os.chown(place.folder / "a.cs", 12_345, 54_321)
    (place.folder / "a.cs").chmod(0o2750)
    place.edit("a.cs", 1, 1, "x")
    now = (place.folder / "a.cs").stat()
    assert (now.st_uid, now.st_gid, now.st_mode & 0o7777) == (12_345, 54_321, 0o2750)


def test_an_edit_that_changes_nothing_writes_nothing_and_says_so(place: Place) -> None:
    before = (place.folder / "a.cs").stat()
    answer = place.edit("a.cs", 1, 1, "one")
    assert not answer.updated
    assert (place.folder / "a.cs").stat().st_mtime_ns == before.st_mtime_ns
    assert place.writer.history(None).entries == ()
