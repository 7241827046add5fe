"""Where the program keeps what it knows of a workspace: `.context/` below the root, or as near as it may
write.

A `.context` without our marker belongs to somebody else and is left alone (SPEC section 4); then, and where
the root cannot be written, the state goes to the user's state folder, and at worst to a temporary one that is
gone on closing.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import ParamSpec, Self, TypeVar

import platformdirs

from services.concurrency.filelock import lock
from services.errors import Busy, ReadOnly, UsageError
from services.model import Notice
from services.workspace.claim import IGNORE_FILE, NotOursError, claim
from services.workspace.files.durable import (
    PRIVATE_FOLDER,
    private_folder,
    quarantine,
    read_all,
    replace,
    subfolder,
)
from services.workspace.files.names import STATE_FOLDER
from services.workspace.files.openers import PRIVATE, held
from services.workspace.files.root import Root

P = ParamSpec("P")
T = TypeVar("T")


class StateFolder:
    """The program's files of one workspace. Thread-safe; names are relative, with `/` for folders inside.

    `where`: the folder; `shared`: it is the workspace's own `.context/`, which every process sees and git may
    track.
    """

    def __init__(
        self,
        where: Path,
        descriptor: int,
        *,
        shared: bool,
        notices: tuple[Notice, ...] = (),
        again: Callable[[], int] | None = None,
    ) -> None:
        """`again`: makes and opens the folder once more where somebody has deleted it meanwhile. Raises OSError.
        `is_temporary`: whether the folder goes with this object."""
        self.where = where
        self.shared = shared
        self._notices = {notice.message: notice for notice in notices}
        self._descriptor = descriptor
        self._again = again
        self.is_temporary = False

    @classmethod
    def open(cls, root: Root, *, user_folder: Path | None = None) -> Self:
        """The state of the workspace at `root`, created where there is none yet.

        `user_folder`: the user's state folder of this program (default: the platform's). Never fails for want
        of a place; raises OSError only if not even a temporary folder can be made.
        """
        damaged: list[str] = []
        try:
            make = partial(claim, root.descriptor, STATE_FOLDER)
            descriptor = make(damaged.append)
            notices = tuple(map(_damage, damaged))
            return cls(root.path / STATE_FOLDER, descriptor, shared=True, notices=notices, again=make)
        except NotOursError as error:
            why, advice = str(error), f"Rename {STATE_FOLDER} if the state should lie in the workspace."
        except OSError as error:
            why, advice = (
                f"{STATE_FOLDER} cannot be written ({error.strerror})",
                "Make the folder writable to share it.",
            )
        return cls._elsewhere(root, user_folder or platformdirs.user_state_path("codecortex"), (why, advice))

    @classmethod
    def _elsewhere(cls, root: Root, user_folder: Path, reason: tuple[str, str]) -> Self:
        """The state outside the workspace. `reason`: why it is not inside, and what to do."""
        key = hashlib.sha256(os.fsencode(root.path)).hexdigest()[:16]
        why, advice = reason
        try:
            with held(os.fspath(private_folder(user_folder)), os.O_RDONLY | os.O_DIRECTORY) as parent:
                descriptor = claim(parent, key)
        except (NotOursError, OSError) as error:
            problem = f"{why}; nor can {user_folder} ({error})"
            return cls._temporarily(_notice(problem, "a temporary folder, and is lost on closing", advice))
        notice = _notice(why, f"{user_folder / key}", advice)
        return cls(user_folder / key, descriptor, shared=False, notices=(notice,))

    @classmethod
    def _temporarily(cls, notice: Notice) -> Self:
        """The state in a folder that goes with this object."""
        where = _temporary_folder()
        descriptor = os.open(where, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        state = cls(where, descriptor, shared=False, notices=(notice,))
        state.is_temporary = True
        return state

    def close(self) -> None:
        """Let go of the folder, and remove it if it is temporary; a second call does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
            if self.is_temporary:
                shutil.rmtree(self.where, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What a person should know: where the state lies, if not in the workspace, and what of it was damaged."""
        return tuple(self._notices.values())

    def quarantine(self, name: str, what: str) -> None:
        """Keep a damaged file under another name, and say so once. `what`: what was in it, as the start of a sentence.
        Where nothing can be written it stays where it is. Raises UsageError for a name that leaves the folder."""
        *folders, last = _parts(name)
        kept = name
        with (
            contextlib.suppress(OSError),
            subfolder(self._descriptor, folders, create=False) as folder,
        ):
            kept = quarantine(folder, last)
        where = f"kept as {'/'.join((*folders, kept))}" if kept else "empty"
        message = f"{what} cannot be read: {name} was damaged, and is {where}."
        self._notices.setdefault(message, _damage(message))

    def path(self, name: str) -> Path:
        """Where `name` lies, for what needs a path (SQLite, mmap). Raises UsageError for a name that leaves
        the folder.
        """
        return self.where.joinpath(*_parts(name))

    def read(self, name: str) -> bytes | None:
        """All bytes of `name`; None if there is no such regular file. Raises OSError if it cannot be read,
        UsageError.
        """
        *folders, last = _parts(name)
        try:
            with subfolder(self._descriptor, folders, create=False) as folder:
                return _content(folder, last)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def write(self, name: str, data: bytes) -> None:
        """Make `data` the content of `name`, whole or not at all, and durable. Creates folders in the name.

        Raises ReadOnly if the system refuses (`details`: path, reason), UsageError for a name that leaves the
        folder.
        """
        *folders, last = _parts(name)
        try:
            self._anew(self._write, folders, last, data)
        except OSError as error:
            message = f"{self.path(name)} was not written: {error.strerror}. The old content stands."
            raise ReadOnly(message, path=str(self.path(name)), reason=str(error.strerror)) from error

    def _write(self, folders: list[str], last: str, data: bytes) -> None:
        with subfolder(self._descriptor, folders, create=True) as folder:
            replace(folder, last, data)

    def _anew(self, make: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What `make` makes in the folder, which is made again where it was deleted while this had it open. The
        descriptor keeps its number, so that other threads go on with the folder that is there."""
        try:
            return make(*args, **kwargs)
        except FileNotFoundError:
            if self._again is None or self._descriptor < 0:
                raise
        try:
            descriptor = self._again()
        except NotOursError as error:
            raise OSError(errno.EEXIST, str(error)) from error
        try:
            os.dup2(descriptor, self._descriptor, inheritable=False)
        finally:
            os.close(descriptor)
        return make(*args, **kwargs)

    def share(self, name: str) -> None:
        """Have git see a file of the folder that is not shared unless it is asked for. Raises ReadOnly."""
        line = f"!/{name}".encode()
        ignored = self.read(IGNORE_FILE) or b""
        if line not in ignored.splitlines():
            self.write(IGNORE_FILE, ignored + b"\n" * (not ignored.endswith(b"\n")) + line + b"\n")

    def ensure(self) -> None:
        """Makes the folder again where somebody has deleted it meanwhile, for what goes by `path`. Raises ReadOnly."""
        try:
            self._anew(os.stat, self.where)
        except OSError as error:
            message = f"{self.where} cannot be made again: {error.strerror}."
            raise ReadOnly(message, path=str(self.where), reason=str(error.strerror)) from error

    def names(self, folder: str) -> tuple[str, ...]:
        """Names of the files in a folder of the state, sorted; none where there is no such folder.

        Temporary and hidden ones are left out. Raises OSError if it cannot be read, UsageError for a name that leaves
        the state.
        """
        try:
            with subfolder(self._descriptor, _parts(folder), create=False) as descriptor:
                names = [
                    entry.name for entry in os.scandir(descriptor) if entry.is_file(follow_symlinks=False)
                ]
        except (FileNotFoundError, NotADirectoryError):
            return ()
        return tuple(sorted(name for name in names if not name.startswith(".")))

    def contents(self, folder: str) -> Iterator[tuple[str, bytes]]:
        """The names of the files in a folder of the state, sorted, with all their bytes; quicker than reading them one
        by one. Raises as `names`."""
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            names = self.names(folder)
            with subfolder(self._descriptor, _parts(folder), create=False) as descriptor:
                for name in names:
                    with contextlib.suppress(FileNotFoundError):
                        yield name, _content(descriptor, name) or b""

    def remove(self, name: str) -> bool:
        """Remove a file for good; False where there is none. Raises ReadOnly, UsageError for a name that leaves the
        folder.
        """
        *folders, last = _parts(name)
        try:
            with subfolder(self._descriptor, folders, create=False) as folder:
                os.unlink(last, dir_fd=folder)
                os.fsync(folder)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            message = f"{self.path(name)} was not removed: {error.strerror}."
            raise ReadOnly(message, path=str(self.path(name)), reason=str(error.strerror)) from error
        return True

    @contextlib.contextmanager
    def locked(self, name: str, *, timeout: float | None = None) -> Iterator[None]:
        """Hold the lock `name` against other threads and processes; it ends with the process. Not re-entrant.

        `timeout`: seconds to wait (None: for ever; 0: only try). Raises Busy if it is not to be had,
        ReadOnly.
        """
        (file,) = _parts(f"{name}.lock")
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            descriptor = self._anew(os.open, file, flags, PRIVATE, dir_fd=self._descriptor)
        except OSError as error:
            message = f"The lock {self.path(file)} cannot be made: {error.strerror}. Check its permissions."
            raise ReadOnly(message, path=str(self.path(file)), reason=str(error.strerror)) from error
        try:
            if not lock(descriptor, timeout):
                raise Busy(f"Another process holds {name!r}. Try again when it is done.", lock=name)
            yield
        finally:
            os.close(descriptor)


def _temporary_folder() -> Path:
    """An empty folder of our own. Where the disk is full, `tempfile` finds no place, since it writes to those it tries;
    a folder may still be made there, or in memory. Raises OSError."""
    try:
        return Path(tempfile.mkdtemp(prefix="codecortex-"))
    except FileNotFoundError:
        for place in ("/dev/shm", os.environ.get("TMPDIR") or "/tmp", "/var/tmp"):  # noqa: S108 (the name is random)
            folder = Path(place) / f"codecortex-{secrets.token_hex(8)}"
            with contextlib.suppress(OSError):
                folder.mkdir(PRIVATE_FOLDER)
                return folder
        raise


def _content(folder: int, name: str) -> bytes | None:
    """All bytes of a file in an open folder; None for what is no regular file, a link included. Raises OSError."""
    try:
        with held(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, folder=folder) as descriptor:
            status = os.fstat(descriptor)
            return read_all(descriptor, status.st_size) if stat.S_ISREG(status.st_mode) else None
    except OSError as error:
        if error.errno == errno.ELOOP:
            return None
        raise


def _parts(name: str) -> list[str]:
    """The components of a name. Raises UsageError for one that is empty or could leave the folder."""
    parts = name.split("/")
    if "\0" in name or any(part in ("", ".", "..") for part in parts):
        message = f"{name!r} is no name of a state file. Use a relative path without dots."
        raise UsageError(message, name=name)
    return parts


def _damage(message: str) -> Notice:
    advice = "What was in it is as if it had never been said; repair the file that was kept to have it back."
    return Notice(severity="warning", message=message, what_to_do=advice)


def _notice(why: str, place: str, advice: str) -> Notice:
    return Notice(severity="warning", message=f"{why}, so the state goes to {place}.", what_to_do=advice)
