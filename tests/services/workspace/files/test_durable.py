"""Files are replaced whole or not at all, and what is private stays so."""

from __future__ import annotations

import errno
import os
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.workspace.files import databases, durable


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    descriptor = os.open(tmp_path, os.O_RDONLY)
    yield descriptor
    os.close(descriptor)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def test_content_is_replaced_and_readable_for_its_owner_alone(folder: int, tmp_path: Path) -> None:
    for data in (b"one", b"two" * 100_000, b""):
        durable.replace(folder, "a", data)
        assert (tmp_path / "a").read_bytes() == data
        assert mode(tmp_path / "a") == 0o600
    assert os.listdir(folder) == ["a"]


@pytest.mark.parametrize("fails", ["write", "fsync", "rename"])
def test_what_fails_leaves_the_old_content_and_nothing_over(
    folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    durable.replace(folder, "a", b"old")

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "full")

    with monkeypatch.context() as patch:
        patch.setattr(os, fails, full)
        with pytest.raises(OSError, match="full"):
            durable.replace(folder, "a", b"new")
    assert (tmp_path / "a").read_bytes() == b"old"
    assert os.listdir(folder) == ["a"]


def test_what_may_be_lost_with_the_power_is_not_waited_for(
    folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    durable.replace(folder, "a", b"figures", synced=False)
    assert (tmp_path / "a").read_bytes() == b"figures"
    assert not synced
    durable.replace(folder, "a", b"source")
    assert folder in synced and len(synced) == 2


def test_a_link_is_replaced_not_what_it_leads_to(folder: int, tmp_path: Path) -> None:
    (tmp_path / "real").write_text("real")
    (tmp_path / "link").symlink_to("real")
    durable.replace(folder, "link", b"new")
    assert not (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "real"


def test_a_database_is_made_private_with_what_lies_beside_it(tmp_path: Path) -> None:
    databases.make_private(tmp_path / "new.db")
    assert mode(tmp_path / "new.db") == 0o600
    for suffix in ("", "-wal", "-shm", "-other"):
        (tmp_path / f"old.db{suffix}").write_text("x")
        (tmp_path / f"old.db{suffix}").chmod(0o644)
    databases.make_private(tmp_path / "old.db")
    modes = {each.name: mode(each) for each in tmp_path.glob("old*")}
    assert modes == {"old.db": 0o600, "old.db-wal": 0o600, "old.db-shm": 0o600, "old.db-other": 0o644}
    assert (tmp_path / "old.db").read_text() == "x"


def test_nothing_is_made_private_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("x")
    (tmp_path / "real").chmod(0o644)
    (tmp_path / "a.db").symlink_to("real")
    databases.make_private(tmp_path / "a.db")
    assert mode(tmp_path / "real") == 0o644


def test_where_no_node_may_be_made_the_file_is_made_by_opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "mknod", refused)
    databases.make_private(tmp_path / "a.db")
    assert mode(tmp_path / "a.db") == 0o600
    databases.make_private(tmp_path / "gone" / "a.db")
    assert not (tmp_path / "gone").exists()


@pytest.mark.parametrize(
    ("name", "begins", "ends"),
    [("a.db", "a.damaged-", ".db"), ("a.b.db", "a.b.damaged-", ".db"), ("plain", "plain.damaged-", ""),
     (".hidden", ".hidden.damaged-", "")],
)  # fmt: skip
def test_a_damaged_file_is_kept_beside_where_it_was(
    folder: int, tmp_path: Path, name: str, begins: str, ends: str
) -> None:
    (tmp_path / name).write_text("bad")
    kept = durable.quarantine(folder, name)
    assert kept.startswith(begins)
    assert kept.endswith(ends)
    assert {each.name: each.read_text() for each in tmp_path.iterdir()} == {kept: "bad"}


def test_an_empty_file_is_not_worth_keeping(folder: int, tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    assert durable.quarantine(folder, "a") == ""
    assert os.listdir(folder) == []
    with pytest.raises(FileNotFoundError):
        durable.quarantine(folder, "a")


def test_only_old_temp_files_are_swept(folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", lambda old, new, **_: made.append(old))
        durable.replace(folder, "a", b"x")  # a process that was killed before the rename
    (temp,) = made
    young = f"{temp.removesuffix(temp[-4:])}x{temp[-4:]}"
    for name in (young, temp.removeprefix("."), ".other"):
        (tmp_path / name).write_text("x")
    for name in (temp, temp.removeprefix("."), ".other"):
        os.utime(tmp_path / name, (0, 0))
    durable.sweep(folder, [*os.listdir(folder), ".gone"])
    assert set(os.listdir(folder)) == {young, temp.removeprefix("."), ".other"}


def test_all_is_written_and_read_however_little_the_system_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = os.urandom(100)
    write, read = os.write, os.read
    with (tmp_path / "a").open("w+b", buffering=0) as file, monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda to, rest: write(to, rest[:7]))
        durable.write_all(file.fileno(), data)
        file.seek(0)
        patch.setattr(os, "read", lambda of, size: read(of, min(size, 9)))
        assert durable.read_all(file.fileno(), 100) == data


@given(st.binary(max_size=50), st.integers(0, 60))
def test_a_file_is_read_whole_whatever_size_was_expected(data: bytes, expected: int) -> None:
    read_end, write_end = os.pipe()
    try:
        os.write(write_end, data)
        os.close(write_end)
        assert durable.read_all(read_end, expected) == data
    finally:
        os.close(read_end)


def test_a_probe_leaves_nothing_and_says_where_nothing_can_be_made(folder: int, tmp_path: Path) -> None:
    durable.probe(folder)
    assert os.listdir(folder) == []
    tmp_path.joinpath("gone").mkdir()
    gone = os.open(tmp_path / "gone", os.O_RDONLY)
    tmp_path.joinpath("gone").rmdir()
    with pytest.raises(OSError, match="No such file"):
        durable.probe(gone)
    os.close(gone)


def test_a_folder_below_is_made_where_it_is_to_be_and_no_link_is_followed(
    folder: int, tmp_path: Path
) -> None:
    with pytest.raises(FileNotFoundError), durable.subfolder(folder, ["a", "b"], create=False):
        pass
    for _ in range(2):
        with durable.subfolder(folder, ["a", "b"], create=True) as inner:
            durable.replace(inner, "f", b"x")
    assert (tmp_path / "a/b/f").read_bytes() == b"x"
    (tmp_path / "link").symlink_to("a")
    with pytest.raises(OSError, match=r"."), durable.subfolder(folder, ["link", "b"], create=True):
        pass
    with durable.subfolder(folder, [], create=False) as same:
        assert same == folder


@given(st.binary(max_size=80), st.integers(0, 80))
def test_a_checksum_goes_on_from_what_comes_before(data: bytes, cut: int) -> None:
    descriptor = os.memfd_create("data")
    try:
        os.write(descriptor, data[cut:])
        assert durable.checksum_of(descriptor, zlib.crc32(data[:cut])) == zlib.crc32(data)
        assert durable.checksum_of(descriptor) == zlib.crc32(data[cut:])
    finally:
        os.close(descriptor)


@pytest.mark.parametrize(
    ("before", "within", "after"), [(None, b"", None), (None, b"x", b"x"), (b"", b"", b"")]
)
def test_a_database_that_cannot_be_opened_leaves_no_empty_file(
    tmp_path: Path, before: bytes | None, within: bytes, after: bytes | None
) -> None:
    """One that was empty before stays: somebody emptied it, and whoever opens it next says so."""
    path = tmp_path / "a.db"
    if before is not None:
        path.write_bytes(before)
    with pytest.raises(OSError, match="full"), databases.opening(path):
        path.write_bytes(within)
        raise OSError("the disk is full")
    assert (path.read_bytes() if path.exists() else None) == after
