"""Durable writes of the program's own files: a reader sees the old bytes or the new ones, also after a crash.

What the program makes for itself holds what source says: its files and folders are their owner's alone, whatever the
mask of the process allows.
"""

from __future__ import annotations

import contextlib
import errno
import os
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from services.workspace.files.openers import PRIVATE, held

PRIVATE_FOLDER = 0o700
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_SUFFIX = ".tmp"
_ABANDONED = 3_600.0
_PIECE = 1 << 20


def replace(folder: int, name: str, data: bytes, *, synced: bool = True) -> None:
    """Replace the content of `name` in an open folder: temp file, fsync, rename, fsync of the folder. Raises OSError;
    then the old content remains and the temp file is removed. `synced`: False without fsync, for what may be lost with
    the power: it takes 10 ms of a disk.
    """
    temporary = f".{name}.{os.urandom(8).hex()}{_SUFFIX}"
    descriptor = os.open(
        temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE, dir_fd=folder
    )
    try:
        try:
            write_all(descriptor, data)
            if synced:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise
    if synced:
        os.fsync(folder)


@contextlib.contextmanager
def private_file(path: Path) -> Iterator[BinaryIO]:
    """Replace a file by the block's output, readable for its owner alone. Raises OSError; then the old file remains.

    The file is never written in place: a process that has it mapped would be killed by the system on access to a page
    that is gone."""
    beside = path.with_name(f".{path.name}.{os.urandom(8).hex()}{_SUFFIX}")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        beside.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise


def private_folder(path: Path) -> Path:
    """Make a folder, with those above it that are missing, for its owner alone; answer it. Raises OSError."""
    if not path.is_dir():
        private_folder(path.parent)
        with contextlib.suppress(FileExistsError):
            path.mkdir(PRIVATE_FOLDER)
    return path


def quarantine(folder: int, name: str) -> str:
    """Rename a damaged file in its folder; returns the new name, or an empty text for an empty file, which is
    removed. Raises OSError."""
    if not os.stat(name, dir_fd=folder, follow_symlinks=False).st_size:
        os.unlink(name, dir_fd=folder)
        return ""
    stem, dot, ending = name.rpartition(".")
    kept = f"{stem or name}.damaged-{os.urandom(4).hex()}{dot if stem else ''}{ending if stem else ''}"
    os.rename(name, kept, src_dir_fd=folder, dst_dir_fd=folder)
    return kept


def sweep(folder: int, names: list[str]) -> None:
    """Remove those of `names` that a process killed while writing left over: temp files older than an
    hour."""
    for name in names:
        if name.startswith(".") and name.endswith(_SUFFIX):
            with contextlib.suppress(OSError):
                if time.time() - os.lstat(name, dir_fd=folder).st_mtime > _ABANDONED:
                    os.unlink(name, dir_fd=folder)


_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def remedy(error: OSError) -> str:
    """Return what a person does about a write that failed, as the start of a sentence."""
    if error.errno in _NO_ROOM:
        return "Free space on its disk"
    return "Repair its disk" if error.errno == errno.EIO else "Make its folder writable"


def write_all(descriptor: int, data: bytes) -> None:
    """All of `data`, however little the system takes at a time. Raises OSError."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def read_all(descriptor: int, expected: int) -> bytes:
    """Everything from the descriptor's position on; one call where the size still holds."""
    first = os.read(descriptor, expected + 1)
    if len(first) == expected:
        return first
    chunks = [first]
    while chunk := os.read(descriptor, 1 << 20):
        chunks.append(chunk)
    return b"".join(chunks)


def probe(folder: int) -> None:
    """Raise OSError if no file can be created in an open folder."""
    name = f".probe.{os.urandom(8).hex()}{_SUFFIX}"
    os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE, dir_fd=folder))
    os.unlink(name, dir_fd=folder)


@contextlib.contextmanager
def subfolder(folder: int, parts: list[str], *, create: bool) -> Iterator[int]:
    """The folder `parts` below an open one, for the length of a block; links are not followed. Raises
    OSError.
    """
    with contextlib.ExitStack() as stack:
        for part in parts:
            if create:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(part, PRIVATE_FOLDER, dir_fd=folder)
            folder = stack.enter_context(held(part, _FOLDER, folder=folder))
        yield folder


def checksum_of(descriptor: int, before: int = 0) -> int:
    """Compute the CRC-32 of a file, continued from the checksum `before` it. The file is read rather than mapped: its
    pages would count as memory of this process."""
    at, found = 0, before
    while piece := os.pread(descriptor, _PIECE, at):
        found = zlib.crc32(piece, found)
        at += len(piece)
    return found
