"""Doors: what opens, what is refused, and that nothing outside is ever read, by both ways of opening."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.errors import FileMissing, PathRefused, WorkspaceError
from services.workspace.files.openers import KernelOpener, Opener, WalkOpener, best_opener
from services.workspace.files.root import Root

OPENERS = [WalkOpener(), *([best_opener()] if isinstance(best_opener(), KernelOpener) else [])]

FOLDER = "root"


@pytest.fixture(params=OPENERS, ids=lambda opener: type(opener).__name__)
def opener(request: pytest.FixtureRequest) -> Opener:
    return request.param


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace beside a secret."""
    (tmp_path / "secret.cs").write_text("secret")
    (tmp_path / "rooted").mkdir()
    (tmp_path / "rooted" / "secret.cs").write_text("secret")
    folder = tmp_path / FOLDER
    for name, content in {
        "a.cs": "a",
        "sub/b.cs": "b",
        "sub/deep/c.cs": "c",
        ".git/config": "git",
        "sub/.git": "gitdir: x",
        ".context/index.db": "db",
        "target/d.cs": "d",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    return folder


@pytest.fixture
def root(folder: Path, opener: Opener) -> Iterator[Root]:
    with Root.open(folder, opener=opener) as root:
        yield root


@pytest.mark.parametrize(
    ("path", "normal", "content"),
    [
        ("a.cs", "a.cs", b"a"),
        ("./a.cs", "a.cs", b"a"),
        ("sub//b.cs", "sub/b.cs", b"b"),
        ("sub/../a.cs", "a.cs", b"a"),
        ("sub/deep/../../a.cs", "a.cs", b"a"),
        ("missing/../a.cs", "a.cs", b"a"),
    ],
)
def test_a_path_inside_opens_under_its_normal_name(
    root: Root, path: str, normal: str, content: bytes
) -> None:
    data, stamp = root.read(path)
    assert (data, stamp.path, stamp.size) == (content, normal, len(content))
    assert root.stat(path) == stamp


def test_an_absolute_path_below_the_root_is_made_relative(root: Root) -> None:
    assert root.normalise(f"{root.path}/sub/../a.cs") == "a.cs"
    assert root.normalise(str(root.path)) == "."


HOSTILE = [
    "",
    "sub/deep/c.cs/",
    "sub/deep/c.cs/.",
    "sub/deep/",
    "..",
    "../secret.cs",
    "sub/../../secret.cs",
    f"../{FOLDER}/../secret.cs",
    "/etc/passwd",
    "/",
    "a.cs\0",
    "\0",
    "\ud800.cs",
    ".git/config",
    "sub/../.git/config",
    "sub/.git",
    ".GIT/config",
    ".Git/config",
    "git~1/config",
    "GIT~1/config",
    ".git./config",
    ".git /config",
    ".git . ./config",
    ".git::$INDEX_ALLOCATION/config",
    ".git:$I30:$INDEX_ALLOCATION/config",
    ".g\u200cit/config",
    ".\ufeffgit/config",
    ".git\\config",
    "sub\\.git\\x",
    ".context/index.db",
    ".Context/index.db",
    ".context./index.db",
    "sub/.context/x",
    "contex~1/index.db",
]


@pytest.mark.parametrize("path", HOSTILE)
def test_a_hostile_path_is_refused_with_what_to_do(root: Root, path: str) -> None:
    for door in (root.read, root.stat, root.open_read, root.normalise):
        with pytest.raises(PathRefused) as caught:
            door(path)
        assert caught.value.details["path"] == path
        assert caught.value.details["reason"] in caught.value.message
        assert caught.value.message.count(". ") >= 1


def test_a_neighbour_whose_name_begins_like_the_root_is_outside(root: Root) -> None:
    with pytest.raises(PathRefused, match="outside"):
        root.read(f"{root.path}ed/secret.cs")


@pytest.mark.parametrize(
    "path", [" a.cs", "a.cs ", "~/a.cs", "%61.cs", "a.cs\n", "..\\a.cs", "...", ".gitignore2"]
)
def test_nothing_is_trimmed_or_decoded(root: Root, path: str) -> None:
    with pytest.raises(FileMissing):
        root.read(path)


def test_names_that_only_resemble_protected_ones_open(root: Root) -> None:
    for name in (".gitignore", ".git2", "git", "xgit~1", ".contexts", "a.git"):
        (root.path / name).write_text("x")
        assert root.read(name)[0] == b"x"


LINKS = [
    ("link.cs", "a.cs", b"a"),
    ("sub/link.cs", "../a.cs", b"a"),
    ("sub/link.cs", "deep/../../sub/b.cs", b"b"),
    ("first.cs", "sub/second.cs", b"a"),
]


@pytest.mark.parametrize(("name", "target", "content"), LINKS)
def test_a_relative_link_that_stays_inside_is_followed(
    root: Root, name: str, target: str, content: bytes
) -> None:
    (root.path / "sub/second.cs").symlink_to("../a.cs")
    (root.path / name).symlink_to(target)
    data, stamp = root.read(name)
    assert (data, stamp.path) == (content, name)
    assert root.stat(name) == stamp


def test_a_linked_folder_is_followed(root: Root) -> None:
    (root.path / "sub/folder").symlink_to("../target", target_is_directory=True)
    assert root.read("sub/folder/d.cs")[0] == b"d"


@pytest.mark.parametrize(
    ("name", "target", "path"),
    [
        ("out.cs", "../secret.cs", "out.cs"),
        ("out.cs", "sub/../../secret.cs", "out.cs"),
        ("out", "..", "out/secret.cs"),
        ("abs.cs", "/etc/hostname", "abs.cs"),
        ("inside.cs", "{root}/a.cs", "inside.cs"),
        ("config.cs", ".git/config", "config.cs"),
        ("state.cs", ".context/index.db", "state.cs"),
        ("through.cs", ".git/../a.cs", "through.cs"),
        ("self.cs", "self.cs", "self.cs"),
        ("proc", "/proc/self/root", "proc/etc/passwd"),
    ],
)
def test_a_link_that_may_not_be_followed_is_refused(root: Root, name: str, target: str, path: str) -> None:
    (root.path / name).symlink_to(target.format(root=root.path))
    for door in (root.read, root.stat):
        with pytest.raises(PathRefused):
            door(path)


def test_a_link_to_nothing_is_a_missing_file(root: Root) -> None:
    (root.path / "dangling.cs").symlink_to("nothing.cs")
    with pytest.raises(FileMissing):
        root.read("dangling.cs")


@pytest.mark.parametrize("path", ["sub", ".", "fifo", "socket"])
def test_what_is_no_regular_file_is_refused_at_once(root: Root, path: str) -> None:
    os.mkfifo(root.path / "fifo")
    with socket.socket(socket.AF_UNIX) as listener, contextlib.chdir(root.path):
        listener.bind("socket")
        for door in (root.read, root.stat):
            with pytest.raises(PathRefused, match=r"folder|regular"):
                door(path)


def test_a_device_is_refused(root: Root) -> None:
    try:
        os.mknod(root.path / "null", 0o20666, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("devices can only be made by root")
    with pytest.raises(PathRefused, match="regular"):
        root.read("null")


def test_a_missing_file_is_said_with_close_names(root: Root) -> None:
    with pytest.raises(FileMissing, match=r"sub/b\.cs") as caught:
        root.read("sub/bb.cs")
    assert caught.value.details["suggestions"] == ["sub/b.cs"]
    with pytest.raises(FileMissing):
        root.read("a.cs/x")


def test_a_name_too_long_is_refused(root: Root) -> None:
    with pytest.raises(PathRefused, match="too long"):
        root.read("x" * 300)


def test_a_limit_refuses_instead_of_cutting(root: Root) -> None:
    assert root.read("a.cs", limit=1)[0] == b"a"
    (root.path / "big.cs").write_bytes(b"12")
    with pytest.raises(WorkspaceError) as caught:
        root.read("big.cs", limit=1)
    assert (caught.value.details["size"], caught.value.details["limit"]) == (2, 1)


def test_a_file_of_many_gigabytes_is_refused_whoever_reads_it(root: Root) -> None:
    (root.path / "huge.cs").touch()
    os.truncate(root.path / "huge.cs", 10 << 30)
    with pytest.raises(WorkspaceError, match="are read"):
        root.read("huge.cs")


def test_the_descriptor_is_readable_and_not_inherited(root: Root) -> None:
    descriptor = root.open_read("sub/b.cs")
    try:
        assert os.read(descriptor, 10) == b"b"
        assert not os.get_inheritable(descriptor)
    finally:
        os.close(descriptor)


def test_doors_leave_no_descriptor_open(root: Root) -> None:
    (root.path / "link.cs").symlink_to("sub/deep/c.cs")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for path in ("a.cs", "sub/deep/c.cs", "link.cs", "sub", "missing.cs", "sub/none/x", "../x"):
        for door in (root.read, root.stat):
            with contextlib.suppress(WorkspaceError):
                door(path)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_the_root_keeps_its_folder_when_it_is_renamed(root: Root) -> None:
    root.path.rename(root.path.parent / "elsewhere")
    assert root.read("a.cs")[0] == b"a"


@pytest.mark.parametrize("path", ["missing", "root/a.cs", "nul\0"])
def test_what_is_no_folder_cannot_be_a_root(folder: Path, path: str) -> None:
    with pytest.raises(WorkspaceError):
        Root.open(folder.parent / path)


def test_a_root_may_be_named_through_a_link(folder: Path) -> None:
    (folder.parent / "alias").symlink_to(folder)
    with Root.open(folder.parent / "alias") as root:
        assert root.path == folder.resolve()
        assert root.read("a.cs")[0] == b"a"
        assert root.normalise(f"{folder.parent}/alias/sub/b.cs") == "sub/b.cs"
        assert root.normalise(f"{root.path}/sub/b.cs") == "sub/b.cs"


@pytest.mark.parametrize("path", ["..", "../rooted", "sub/../..", "/etc", "out"])
def test_folders_outside_do_not_open_either(root: Root, path: str) -> None:
    (root.path / "out").symlink_to("..")
    with pytest.raises(OSError):
        root.open_folder(path)


def test_a_folder_swapped_for_a_link_while_reading_never_leads_outside(root: Root) -> None:
    """`swap` is by turns a folder of ours and a link out; whatever is read must be ours."""
    outside = root.path.parent / "outside"
    outside.mkdir()
    (outside / "x.cs").write_text("secret")
    (root.path / "real").mkdir()
    (root.path / "real" / "x.cs").write_text("ours")
    done = threading.Event()

    def swap() -> None:
        there, link = root.path / "swap", root.path / "link"
        while not done.is_set():
            (root.path / "real").rename(there)
            there.rename(root.path / "real")
            link.symlink_to("../outside")
            link.rename(there)
            there.unlink()

    thread = threading.Thread(target=swap)
    thread.start()
    seen: set[bytes] = set()
    try:
        for _ in range(4_000):
            with contextlib.suppress(WorkspaceError):
                seen.add(root.read("swap/x.cs")[0])
    finally:
        done.set()
        thread.join()
    assert seen <= {b"ours"}


def test_the_best_way_is_one_of_the_two() -> None:
    assert isinstance(best_opener(), KernelOpener | WalkOpener)
