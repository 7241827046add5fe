"""The one way to a file of the workspace: below one open descriptor of its root (SAFETY, Paths).

A path is normalised as text, links that may be followed are resolved name by name, and what is
left, which has no link in it, is opened so that the kernel refuses any that appears meanwhile. Names are
checked on what is really opened, so a harmless name that links to a protected one is refused too.

What a file looked like when it was last looked at, without reading it.
"""

from __future__ import annotations

import errno
import os
import stat
from collections import deque
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from services.errors import CodeCortexError, FileMissing, PathRefused, WorkspaceError
from services.workspace import programs
from services.workspace.files.durable import read_all
from services.workspace.files.openers import PATH_ONLY, Opener, best_opener, is_utf8, protected

Sign = tuple[int, int, int] | None
"""Signature of a file or folder, which changes when it is replaced or written to, or when an entry is added or
removed; None where it is missing."""


class FileStamp(NamedTuple):
    """State of a regular file. Tens of thousands are made, hence a plain tuple; sorts by path.

    `path`: relative to the root, with `/`; `size`: bytes; `mtime_ns`: nanoseconds since 1970. Two equal stamps mean
    that no change is known, not that there was none: writers compare bytes."""

    path: str
    size: int
    mtime_ns: int


def sign(path: Path) -> Sign:
    """That of a path, links followed."""
    with suppress(OSError):
        found = path.stat()
        return found.st_mtime_ns, found.st_size, found.st_ino
    return None


LARGEST_FILE = 100_000_000
"""Bytes of the largest file that is read whole, searched, or written."""
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY
_ATTEMPTS = 8
_ABSENT = (errno.ENOENT, errno.ENOTDIR)
_LISTED = 2_000
_NORMALISED_KEPT = 4_096


class Root:
    """Root folder of a workspace, open. Thread-safe; close it after the last read.

    `path`: the folder with its own links resolved; `descriptor`: for the calls of this package that take a `dir_fd`;
    `encoding`: the declared encoding of files that are not Unicode."""

    def __init__(
        self,
        path: Path,
        descriptor: int,
        opener: Opener,
        *,
        alias: str = "",
        encoding: str | None = None,
    ) -> None:
        self.path = path
        self.encoding = encoding
        self.descriptor = descriptor
        self._opener = opener
        self._prefixes = {os.fspath(path).rstrip("/") + "/", (alias or os.fspath(path)).rstrip("/") + "/"}
        self._normal = lru_cache(_NORMALISED_KEPT)(
            self._normalised
        )  # the same files are requested all the time

    @classmethod
    def open(cls, path: str | Path, *, opener: Opener | None = None, encoding: str | None = None) -> Self:
        """Hold the folder `path`. `opener`: how to open below it (default: the best this kernel has); `encoding`:
        declared for files that are not Unicode.

        Raises WorkspaceError if it is missing, no folder, or may not be listed.
        """
        try:
            real = Path(os.path.realpath(path, strict=True))
            descriptor = os.open(real, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            message = (
                f"The folder {os.fspath(path)!r} cannot be opened: {why}. Name a folder that can be read."
            )
            raise WorkspaceError(message, path=os.fspath(path), reason=str(why)) from error
        if not is_utf8(str(real)):
            os.close(descriptor)
            raise WorkspaceError(
                f"The folder {os.fspath(path)!r} has a path that is not UTF-8. Rename it, or open a copy of it.",
                path=repr(os.fspath(path)),
                reason="it is not UTF-8",
            )
        programs.leave_out(real)
        alias = os.path.abspath(path)  # noqa: PTH100
        return cls(real, descriptor, opener or best_opener(), alias=alias, encoding=encoding)

    def is_in_place(self) -> bool:
        """Whether its path still leads to this folder: it may have been moved, deleted, or made anew."""
        try:
            return os.path.samestat(os.stat(self.path), os.fstat(self.descriptor))  # noqa: PTH116 - at each call
        except OSError:
            return False

    def place(self) -> Path:
        """Return its path, for programs, which take no descriptor. Raises WorkspaceError as `require_in_place`."""
        self.require_in_place()
        return self.path

    def require_in_place(self) -> None:
        """Raise WorkspaceError where the path leads elsewhere: what is known is of the folder that was opened."""
        if not self.is_in_place():
            message = (
                f"The folder {os.fspath(self.path)!r} was moved, deleted or made anew since it was opened. "
                "Put it back, or start again on the folder that is meant."
            )
            raise WorkspaceError(message, path=os.fspath(self.path), reason="it is another folder now")

    def close(self) -> None:
        """Close the folder; a second call has no effect."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def normalise(self, user_path: str) -> str:
        """The path as the program writes it: relative to the root, `/`, no `.` or `..`; the root itself is
        `.`.

        `..` may go anywhere inside; an absolute path is accepted if it lies under the root. Nothing is
        trimmed: blanks are part of a name. Raises PathRefused: empty, NUL, unencodable, outside, protected, and
        written like a folder's (`src/New.cs/`), which no file's path is.
        """
        return self._normal(user_path)

    def _normalised(self, user_path: str) -> str:
        parts: list[str] = []
        names = self._relative(user_path).split("/")
        for part in names:
            if part == "..":
                if not parts:
                    raise _refused(user_path, "it leaves the workspace", "Name a file inside the workspace.")
                parts.pop()
            elif part not in ("", "."):
                parts.append(part)
        for part in parts:
            if reason := protected(part):
                raise _refused(user_path, reason, "Name a source file instead.")
        if parts and names[-1] in ("", "."):
            raise _refused(user_path, "it is written like a folder's", "Name a file, without a / at its end.")
        return "/".join(parts) or "."

    def open_read(self, rel: str) -> int:
        """A descriptor for reading the regular file `rel`; the caller closes it. Never blocks on what is no
        file.

        Raises PathRefused; FileMissing; WorkspaceError if the system will not open it.
        """
        return self._open(rel, _READ)[0]

    def read(self, rel: str, *, limit: int = LARGEST_FILE) -> tuple[bytes, FileStamp]:
        """All bytes of `rel`, and its stamp as it was before the first byte was read.

        A file larger than `limit` is refused (WorkspaceError, `details`: size, limit) instead of read in part.
        Otherwise raises as open_read.
        """
        descriptor, stamp = self._open(rel, _READ)
        try:
            if stamp.size > limit:
                raise _too_large(stamp, limit)
            # The stamp is the older of the two: a change during the read makes the next comparison differ.
            return read_all(descriptor, stamp.size), stamp
        except OSError as error:
            raise _failed(rel, error) from error
        finally:
            os.close(descriptor)

    def stat(self, rel: str) -> FileStamp:
        """The stamp of the regular file `rel`, which need not be readable. Raises as open_read."""
        descriptor, stamp = self._open(rel, PATH_ONLY or _READ)
        os.close(descriptor)
        return stamp

    def has(self, rel: str) -> bool:
        """Whether `rel` is a regular file that could be opened; for texts that are mostly none, as nothing is made up
        for a person to read."""
        try:
            path = self.normalise(rel)
            descriptor = self._opener.open(self.descriptor, path, PATH_ONLY or _READ)
        except PathRefused:
            return False
        except OSError as error:
            return error.errno not in _ABSENT and self._has_behind_links(rel)
        try:
            return stat.S_ISREG(os.fstat(descriptor).st_mode)
        finally:
            os.close(descriptor)

    def _has_behind_links(self, rel: str) -> bool:
        try:
            self.stat(rel)
        except CodeCortexError:
            return False
        return True

    def followed(self, rel: str) -> str:
        """`rel` (normalised) with its links replaced by what they lead to. Raises PathRefused where that is outside or
        protected, OSError where there is nothing."""
        return resolve_links(self.descriptor, rel, self._opener)

    def open_folder(self, rel: str) -> int:
        """Open the folder `rel` (normalised; `.` is the root) for `*at` calls. Follows no link at all.

        Raises OSError: this is for code of this package that inspects many folders and expects some to be missing."""
        return self._opener.open(self.descriptor, rel, os.O_RDONLY | os.O_DIRECTORY)

    def _relative(self, user_path: str) -> str:
        """The text checked as text, and without the root in front of it."""
        if not user_path:
            raise _refused(user_path, "it is empty", "Name a file.")
        if "\0" in user_path:
            raise _refused(user_path, "it contains a NUL character", "Name a file without one.")
        try:
            os.fsencode(user_path)
        except UnicodeEncodeError as error:
            raise _refused(user_path, "it cannot be a file name", "Name a file as it is listed.") from error
        if not user_path.startswith("/"):
            return user_path
        for prefix in self._prefixes:
            if (user_path + "/").startswith(prefix):
                return user_path[len(prefix) :]
        raise _refused(user_path, "it lies outside the workspace", "Name a file inside the workspace.")

    def _open(self, rel: str, flags: int) -> tuple[int, FileStamp]:
        """Open the file, following links within the root, and stamp it by the same descriptor."""
        path = self.normalise(rel)
        for attempt in range(_ATTEMPTS):
            try:
                target = resolve_links(self.descriptor, path, self._opener) if attempt else path
                descriptor = self._opener.open(self.descriptor, target, flags)
            except OSError as error:
                if error.errno != errno.ELOOP:
                    raise self._explained(path, error) from error
            else:
                return descriptor, _stamp(path, descriptor)
        raise _refused(rel, "its links change while they are followed", "Try again when nothing moves it.")

    def _explained(self, path: str, error: OSError) -> WorkspaceError:
        """The error a person gets for one of the system's."""
        if error.errno in _ABSENT:
            close = self._close_names(path)
            hint = (
                f"Close to it: {', '.join(close)}." if close else "Check the path against the list of files."
            )
            return FileMissing(f"There is no file {path!r}. {hint}", path=path, suggestions=close)
        if error.errno in (errno.ENXIO, errno.ENODEV):
            return _refused(path, "it is not a regular file", "Name a regular file.")
        if error.errno == errno.ENAMETOOLONG:
            return _refused(path, "a name in it is too long", "Name a file as it is listed.")
        return _failed(path, error)

    def _close_names(self, path: str) -> list[str]:
        """Return up to three similar paths of the same folder; none if the folder is huge."""
        folder, _, name = path.rpartition("/")
        try:
            descriptor = self.open_folder(folder or ".")
        except OSError:
            return []
        try:
            names = os.listdir(descriptor)  # noqa: PTH208 - pathlib knows no descriptors
        finally:
            os.close(descriptor)
        if len(names) > _LISTED:
            return []
        import difflib

        open_to_doors = [each for each in names if not protected(each)]
        return [
            f"{folder}/{each}" if folder else each for each in difflib.get_close_matches(name, open_to_doors)
        ]


def _stamp(path: str, descriptor: int) -> FileStamp:
    """The stamp of an open file; closes it and raises PathRefused if it is not a regular one."""
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode):
        return FileStamp(path, status.st_size, status.st_mtime_ns)
    os.close(descriptor)
    what = "it is a folder" if stat.S_ISDIR(status.st_mode) else "it is not a regular file"
    raise _refused(path, what, "Name a regular file.")


def _refused(path: str, reason: str, what_to_do: str) -> PathRefused:
    return PathRefused(f"The path {path!r} was refused: {reason}. {what_to_do}", path=path, reason=reason)


def _too_large(stamp: FileStamp, limit: int) -> WorkspaceError:
    message = (
        f"The file {stamp.path!r} has {stamp.size} bytes; at most {limit} are read. Name a smaller file."
    )
    return WorkspaceError(message, path=stamp.path, size=stamp.size, limit=limit)


def _failed(path: str, error: OSError) -> WorkspaceError:
    message = f"The file {path!r} cannot be read: {error.strerror}. Check its permissions."
    return WorkspaceError(message, path=path, reason=str(error.strerror))


# Where symlinks inside the root lead, worked out name by name so that every name passed can be checked.
_MOST_LINKS = 40
"""The kernel's own limit of links in a path (path_resolution(7))."""


def resolve_links(root: int, path: str, opener: Opener) -> str:
    """`path` (normalised) with its links replaced by what they name; the answer has none, unless one appears
    later.

    Raises PathRefused for an absolute target, one that leaves the root or passes a protected name, and for a
    loop; OSError for a component that is missing.
    """
    waiting = deque(path.split("/"))
    done: list[str] = []
    links = 0
    while waiting:
        name = waiting.popleft()
        if name in ("", "."):
            continue
        if name == "..":
            if not done:
                raise _links_refused(path, "it is a link that leads out of the workspace")
            done.pop()
            continue
        if reason := protected(name):
            raise _links_refused(path, f"it is a link into a protected place: {reason}")
        target = _target(root, done, name, opener)
        if target is None:
            done.append(name)
            continue
        links += 1
        if links > _MOST_LINKS:
            raise _links_refused(path, "its links lead round in a circle")
        if target.startswith("/"):
            raise _links_refused(path, "it is a link to an absolute path")
        waiting.extendleft(reversed(target.split("/")))
    return "/".join(done) or "."


def _target(root: int, folder: list[str], name: str, opener: Opener) -> str | None:
    """Read the link `name` in `folder`; None if it is no link. Raises OSError if it is missing."""
    descriptor = opener.open(root, "/".join(folder) or ".", PATH_ONLY | os.O_DIRECTORY)
    try:
        return os.readlink(name, dir_fd=descriptor)
    except OSError as error:
        if error.errno == errno.EINVAL:
            return None
        raise
    finally:
        os.close(descriptor)


def _links_refused(path: str, reason: str) -> PathRefused:
    message = f"The path {path!r} was refused: {reason}. Name the file itself."
    return PathRefused(message, path=path, reason=reason)
