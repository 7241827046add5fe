"""Files of the program's own below one open folder: whole reads and writes by relative name, no link followed."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager
from itertools import islice
from pathlib import Path

from services.errors import ReadOnly, UsageError
from services.workspace.files.durable import read_all, remedy, replace, subfolder
from services.workspace.files.openers import held

Stamp = tuple[int, int]
"""Modification time in ns and size of a file or folder: another one where it was replaced."""
_ABSENT = (FileNotFoundError, NotADirectoryError)


class FolderFiles:
    """Base of the two folders that hold what the program writes. Names are relative, with `/` for folders inside.

    `where`: the folder; `largest`: bytes that are read of a file, None for all; `most`: entries that are listed."""

    largest: int | None = None
    most: int | None = None

    def __init__(self, where: Path) -> None:
        self.where = where

    @abstractmethod
    def _top(self, *, create: bool) -> AbstractContextManager[int]:
        """A descriptor of the folder itself. `create`: make it where it is missing. Raises OSError."""

    @contextlib.contextmanager
    def _folder(self, parts: list[str], *, create: bool = False) -> Iterator[int]:
        with self._top(create=create) as top, subfolder(top, parts, create=create) as folder:
            yield folder

    def path(self, name: str) -> Path:
        """Path of `name`, for what needs one (SQLite, mmap, messages). Raises UsageError for a name that leaves the
        folder."""
        return self.where.joinpath(*name_parts(name))

    def read(self, name: str) -> bytes | None:
        """All bytes of `name`; None if there is no such regular file. Raises OSError if it cannot be read or is too
        large, UsageError."""
        *folders, last = name_parts(name)
        try:
            with self._folder(folders) as folder:
                return _content(folder, last, self.largest)
        except _ABSENT:
            return None

    def stamp(self, name: str) -> Stamp | None:
        """The stamp of a file or folder; None where there is none. Raises UsageError."""
        *folders, last = name_parts(name)
        try:
            with self._folder(folders) as folder:
                status = os.stat(last, dir_fd=folder, follow_symlinks=False)
        except OSError:
            return None
        return None if stat.S_ISLNK(status.st_mode) else (status.st_mtime_ns, status.st_size)

    def write(self, name: str, data: bytes, *, synced: bool = True) -> None:
        """Make `data` the content of `name`, whole or not at all, and durable unless `synced` is False. Creates folders
        in the name.

        Raises ReadOnly if the system refuses (`details`: path, reason), UsageError for a name that leaves the
        folder."""
        *folders, last = name_parts(name)
        try:
            with self._folder(folders, create=True) as folder:
                replace(folder, last, data, synced=synced)
        except OSError as error:
            raise self._refused(name, "written", error) from error

    def names(self, folder: str) -> tuple[str, ...]:
        """Names of the files in a folder, sorted; none where there is no such folder.

        Temporary and hidden ones are left out. Raises OSError if it cannot be read, UsageError."""
        try:
            with self._folder(name_parts(folder)) as descriptor, os.scandir(descriptor) as entries:
                found = [
                    each.name for each in islice(entries, self.most) if each.is_file(follow_symlinks=False)
                ]
        except _ABSENT:
            return ()
        return tuple(sorted(name for name in found if not name.startswith(".")))

    def contents(self, folder: str) -> Iterator[tuple[str, bytes]]:
        """The names of the files in a folder, sorted, with all their bytes; quicker than reading them one by one.
        Raises as `names`."""
        with contextlib.suppress(*_ABSENT):
            names = self.names(folder)
            with self._folder(name_parts(folder)) as descriptor:
                for name in names:
                    with contextlib.suppress(FileNotFoundError):
                        yield name, _content(descriptor, name, self.largest) or b""

    def remove(self, name: str) -> bool:
        """Remove a file for good; False where there is none. Raises ReadOnly, UsageError."""
        *folders, last = name_parts(name)
        try:
            with self._folder(folders) as folder:
                os.unlink(last, dir_fd=folder)
                os.fsync(folder)
        except _ABSENT:
            return False
        except OSError as error:
            raise self._refused(name, "removed", error) from error
        return True

    def _refused(self, name: str, done: str, error: OSError) -> ReadOnly:
        path = str(self.path(name))
        stands = " The old content stands." if done == "written" else ""
        message = f"{path} was not {done}: {error.strerror}.{stands} {remedy(error)}, then try again."
        return ReadOnly(message, path=path, reason=str(error.strerror))


def name_parts(name: str) -> list[str]:
    """The components of a name. Raises UsageError for one that is empty or could leave the folder."""
    parts = name.split("/")
    if "\0" in name or any(part in ("", ".", "..") for part in parts):
        message = f"{name!r} is no name of a state file. Use a relative path without dots."
        raise UsageError(message, name=name)
    return parts


def _content(folder: int, name: str, largest: int | None) -> bytes | None:
    """All bytes of a file in an open folder; None for what is no regular file, a link included. Raises OSError."""
    try:
        with held(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, folder=folder) as descriptor:
            status = os.fstat(descriptor)
            if largest is not None and status.st_size > largest:
                raise OSError(errno.EFBIG, f"it is larger than {largest} bytes", name)
            return read_all(descriptor, status.st_size) if stat.S_ISREG(status.st_mode) else None
    except OSError as error:
        if error.errno == errno.ELOOP:
            return None
        raise
