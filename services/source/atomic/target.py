"""Target of a write: a file whose folder is open through the root, with all checks that forbid writing it. A name
must denote one file: a path through a symbolic link, or a file with several hard links, is refused.

A name stands for one file: what is reached through a symbolic link, or has several hard links, is refused.
"""

from __future__ import annotations

import errno
import os
import stat
from hashlib import sha256
from types import TracebackType
from typing import Self

import msgspec

from services.errors import FileMissing, PathRefused, ReadOnly, WorkspaceError
from services.workspace.files.durable import read_all
from services.workspace.files.openers import held, is_utf8
from services.workspace.files.root import LARGEST_FILE, Root

OTHER = "other"
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK


class WriteTarget(msgspec.Struct, frozen=True):
    """An open folder and a name in it. Close it. `path`: canonical, relative to the root."""

    path: str
    folder: int
    name: str

    @classmethod
    def open(cls, root: Root, path: str) -> Self:
        """Hold the folder of `path`, whose name must be fit to be written or free. Raises PathRefused, FileMissing if
        the folder is not there, WorkspaceError."""
        target = cls.hold(root, path)
        try:
            target.status()
        except BaseException:
            target.close()
            raise
        return target

    @classmethod
    def name_of(cls, root: Root, path: str) -> str:
        """The canonical path of a file that may be written, or made, with its folders where they are missing. Raises as
        open, but not FileMissing."""
        try:
            with cls.open(root, path) as target:
                return target.path
        except FileMissing:
            return root.normalise(path)

    @classmethod
    def hold(cls, root: Root, path: str) -> Self:
        """Open the target like open, even if the name is no writable file."""
        canonical = named(root, path)
        if canonical == ".":
            raise refused(path, "it is a folder")
        parent, _, name = canonical.rpartition("/")
        try:
            return cls(canonical, root.open_folder(parent or "."), name)
        except OSError as error:
            raise _explained(canonical, error) from error

    def close(self) -> None:
        """Close the folder."""
        os.close(self.folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def status(self) -> os.stat_result | None:
        """Return the status of the file; None where it is missing. Raises PathRefused unless it is a regular file
        with one name."""
        try:
            status = os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _explained(self.path, error) from error
        if reason := _unfit(status):
            raise refused(self.path, reason)
        return status

    def writable(self) -> os.stat_result | None:
        """Return the status of the file. Raises ReadOnly where the file or its folder may not be written."""
        status = self.status()
        if status is not None and not (status.st_mode & 0o222 and self._allowed(self.name)):
            raise ReadOnly(f"{self.path} may not be written. Change its permissions.", path=self.path)
        if not self._allowed("."):
            raise ReadOnly(f"The folder of {self.path} may not be written.", path=self.path)
        return status

    def read(self) -> tuple[bytes | None, int]:
        """All bytes and the mtime in ns; None and 0 where there is no file. Raises PathRefused, WorkspaceError."""
        try:
            with held(self.name, _READ, folder=self.folder) as descriptor:
                status = os.fstat(descriptor)
                if reason := _unfit(status):
                    raise refused(self.path, reason)
                if status.st_size > LARGEST_FILE:
                    message = f"{self.path} has {status.st_size} bytes; at most {LARGEST_FILE} are written."
                    raise WorkspaceError(message, path=self.path, size=status.st_size, limit=LARGEST_FILE)
                return read_all(descriptor, status.st_size), status.st_mtime_ns
        except FileNotFoundError:
            return None, 0
        except OSError as error:
            self.status()  # its refusal is more specific than a failed open
            raise _explained(self.path, error) from error

    def look(self, name: str) -> str | None:
        """SHA-256 in hex of another name in the folder, however many names it has; None for nothing of that name,
        `OTHER` for something that is no regular file. Raises OSError."""
        data = self.contents(name)
        if data is not None:
            return sha256(data).hexdigest()
        try:
            os.stat(name, dir_fd=self.folder, follow_symlinks=False)
        except FileNotFoundError:
            return None
        return OTHER

    def contents(self, name: str) -> bytes | None:
        """All bytes of another name in the folder; None if there is no regular file of that name. Raises OSError."""
        data, descriptor = self.opened(name)
        if descriptor is not None:
            os.close(descriptor)
        return data

    def opened(self, name: str) -> tuple[bytes | None, int | None]:
        """Return the contents, and the descriptor they were read from, which the caller closes."""
        try:
            descriptor = os.open(name, _READ | os.O_CLOEXEC, dir_fd=self.folder)
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ELOOP, errno.ENXIO, errno.EISDIR):
                return None, None
            raise
        try:
            status = os.fstat(descriptor)
            if stat.S_ISREG(status.st_mode):
                return read_all(descriptor, status.st_size), descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
        return None, None

    def _allowed(self, name: str) -> bool:
        need = os.W_OK | os.X_OK if name == "." else os.W_OK
        try:
            return os.access(
                name, need, dir_fd=self.folder, effective_ids=os.access in os.supports_effective_ids
            )
        except OSError:
            return False


def named(root: Root, path: str) -> str:
    """The canonical path by which journal and locks know a file. Raises PathRefused."""
    canonical = root.normalise(path)
    if not is_utf8(canonical):
        raise refused(path, "its name is no UTF-8, and journal and locks go by names; rename it")
    return canonical


def refused(path: str, reason: str) -> PathRefused:
    """The refusal to write `path`, with the reason as a clause."""
    return PathRefused(f"The path {path!r} may not be written: {reason}.", path=path, reason=reason)


def _unfit(status: os.stat_result) -> str | None:
    if stat.S_ISLNK(status.st_mode):
        return "it is a symbolic link; name the file it leads to"
    if stat.S_ISDIR(status.st_mode):
        return "it is a folder"
    if not stat.S_ISREG(status.st_mode):
        return "it is not a regular file"
    if status.st_nlink > 1:
        return f"it has {status.st_nlink} hard links, and the others would keep the old text"
    return None


def _explained(path: str, error: OSError) -> WorkspaceError:
    if error.errno == errno.ELOOP:
        return refused(path, "a folder of it is a symbolic link; name the file where it really is")
    if error.errno == errno.ENOENT:
        return FileMissing(f"There is no folder for {path!r}.", path=path, suggestions=[])
    if error.errno == errno.ENOTDIR:
        return refused(path, "a folder of it is a file")
    if error.errno == errno.ENAMETOOLONG:
        return refused(path, "a name in it is too long")
    return WorkspaceError(
        f"The file {path!r} cannot be used: {error.strerror}.", path=path, reason=error.strerror
    )
