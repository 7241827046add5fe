"""The private state of one workspace: a folder of the person's own, never in the repository (SPEC section 4).

What acts or is private lies here. What is readable lies in `.context/` of the repository, by way of `shared`.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import ParamSpec, Self, TypeVar

from services.concurrency.exclusion import lock
from services.errors import Busy, ReadOnly
from services.model import Notice
from services.workspace.files.durable import PRIVATE_FOLDER, private_folder, quarantine, remedy, subfolder
from services.workspace.files.openers import PRIVATE, SHARED_FOLDER
from services.workspace.files.root import Root
from services.workspace.folder_files import FolderFiles, name_parts
from services.workspace.shared import SharedFolder
from services.workspace.state_home import ClaimedState, NoStateError, StateHome, StateRow

P = ParamSpec("P")
T = TypeVar("T")
_ASKED = "shares"
"""The marker file of a workspace in which a person has requested a readable file."""


class StateFolder(FolderFiles):
    """The program's files of one workspace. Thread-safe; names are relative, with `/` for folders inside.

    `where`: the folder; `shared`: the readable files in the repository; `is_temporary`: the folder is removed with
    this object."""

    def __init__(self, root: Root, where: Path, descriptor: int, *, use: int = -1) -> None:
        """`use`: a descriptor to be closed with the folder, whose lock marks it as in use."""
        super().__init__(where)
        self.shared = SharedFolder(root, asked=self.was_asked, note=self.note_asked)
        self.is_temporary = use < 0
        self._notices: dict[str, Notice] = {}
        self._descriptor = descriptor
        self._use = use

    @classmethod
    def open(cls, root: Root, *, user_folder: Path | None = None) -> Self:
        """The state of the workspace at `root`, created where there is none yet.

        `user_folder`: the person's state folder of this program (default: the platform's). Never fails for want
        of a place; raises OSError only if not even a temporary folder can be made."""
        try:
            home = StateHome(user_folder) if user_folder is not None else StateHome.of_person()
        except NoStateError as error:
            return cls._instead(root, str(error), error.advice)
        try:
            claimed = home.claim(root)
        except NoStateError as error:
            return cls._instead(root, f"{home.folder} cannot be used: {error}", error.advice)
        except OSError as error:
            advice = f"{remedy(error)}, or set XDG_STATE_HOME to another one."
            return cls._instead(root, f"{home.folder} cannot be used: {error.strerror}", advice)
        state = cls(root, claimed.where, claimed.descriptor, use=claimed.use)
        if claimed.is_new:
            for notice in (*_of_another_root(claimed), *state.ignored(), *map(_pruned, home.prune())):
                state.note(notice)
        return state

    @classmethod
    def temporary(cls, root: Root) -> Self:
        """Create a state in a folder that is removed with this object. Raises OSError."""
        where = _temporary_folder()
        return cls(root, where, os.open(where, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))

    @classmethod
    def _instead(cls, root: Root, why: str, advice: str) -> Self:
        state = cls.temporary(root)
        message = f"The state goes to a temporary folder, and is lost on closing: {why}."
        state.note(Notice(severity="warning", message=message, what_to_do=advice))
        return state

    def close(self) -> None:
        """Close the folder, and remove it if it is temporary; a second call has no effect."""
        for descriptor in (self._descriptor, self._use):
            if descriptor >= 0:
                os.close(descriptor)
        if self._descriptor >= 0 and self.is_temporary:
            import shutil

            shutil.rmtree(self.where, ignore_errors=True)
        self._descriptor = self._use = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def was_asked(self) -> bool:
        """Whether a person has requested a readable file in the repository before, in any process."""
        return self.path(_ASKED).exists()

    def note_asked(self) -> None:
        """Record that a person has. Raises ReadOnly."""
        self.write(_ASKED, b"")

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Return the notices: that state is temporary, which earlier state is not used, what was damaged."""
        return tuple(self._notices.values())

    def note(self, notice: Notice) -> None:
        """Add a notice, once."""
        self._notices.setdefault(notice.message, notice)

    def ignored(self) -> tuple[Notice, ...]:
        """Return a notice where the repository contains state of an earlier version."""
        names = self.shared.leftovers()
        if not names:
            return ()
        listed = ", ".join(names[:2]) + (f" and {len(names) - 2} more" if len(names) > 2 else "")
        message = (
            f"{SHARED_FOLDER}/ holds state of an earlier version ({listed}), which is ignored, as any repository can "
            f"bring such files along: state is kept in {self.where}."
        )
        advice = "Nothing was deleted. Delete them yourself if they are yours and nothing in them is wanted."
        return (Notice(severity="information", message=message, what_to_do=advice),)

    def quarantine(self, name: str, what: str) -> None:
        """Rename a damaged file, and add a notice about it once. `what`: its content, as the start of a sentence.

        Where writing is impossible it stays where it is. Raises UsageError for a name that leaves the folder."""
        *folders, last = name_parts(name)
        kept = name
        with (
            contextlib.suppress(OSError),
            subfolder(self._descriptor, folders, create=False) as folder,
        ):
            kept = quarantine(folder, last)
        where = f"kept as {'/'.join((*folders, kept))}" if kept else "empty"
        message = f"{what} cannot be read: {name} was damaged, and is {where}."
        advice = (
            "What was in it is as if it had never been said; repair the file that was kept to have it back."
        )
        self.note(Notice(severity="warning", message=message, what_to_do=advice))

    @contextlib.contextmanager
    def _opened(self, *, create: bool) -> Iterator[int]:
        if create:
            self._remade(self._require)
        yield self._descriptor

    def _require(self) -> None:
        """Raise FileNotFoundError unless the folder that is open is the one that is there."""
        if not os.path.samestat(self.where.stat(), os.fstat(self._descriptor)):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(self.where))

    def _top(self, *, create: bool) -> AbstractContextManager[int]:
        return self._opened(create=create)

    def _remade(self, make: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call `make` in the folder, which is created again where it was deleted while it was open. The descriptor
        retains its number, so that other threads continue with the new folder."""
        try:
            return make(*args, **kwargs)
        except FileNotFoundError:
            if self._descriptor < 0:
                raise
        private_folder(self.where)
        descriptor = os.open(self.where, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            os.dup2(descriptor, self._descriptor, inheritable=False)
        finally:
            os.close(descriptor)
        return make(*args, **kwargs)

    def ensure(self) -> None:
        """Create the folder again where it has been deleted meanwhile, for callers that use `path`. Raises ReadOnly."""
        try:
            self._remade(self._require)
        except OSError as error:
            message = f"{self.where} cannot be made again: {error.strerror}."
            raise ReadOnly(message, path=str(self.where), reason=str(error.strerror)) from error

    @contextlib.contextmanager
    def locked(self, name: str, *, timeout: float | None = None) -> Iterator[None]:
        """Hold the lock `name` against other threads and processes; it ends with the process. Not re-entrant.

        `timeout`: seconds to wait (None: for ever; 0: only try). Raises Busy if it is not to be had,
        ReadOnly."""
        (file,) = name_parts(f"{name}.lock")
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            descriptor = self._remade(os.open, file, flags, PRIVATE, dir_fd=self._descriptor)
        except OSError as error:
            message = f"The lock {self.path(file)} cannot be made: {error.strerror}. Check its permissions."
            raise ReadOnly(message, path=str(self.path(file)), reason=str(error.strerror)) from error
        try:
            try:
                is_held = lock(descriptor, timeout)
            except OSError as error:
                message = f"{self.path(file)} cannot be locked: {error.strerror}. Set XDG_STATE_HOME to a local disk."
                raise ReadOnly(message, path=str(self.path(file)), reason=str(error.strerror)) from error
            if not is_held:
                raise Busy(f"Another process holds {name!r}. Try again when it is done.", lock=name)
            yield
        finally:
            os.close(descriptor)


def _of_another_root(claimed: ClaimedState) -> tuple[Notice, ...]:
    """How to have the state of a root back that is gone, and may have been this one."""
    earlier = claimed.earlier
    if earlier is None:
        return ()
    message = f"State is kept of {earlier.path}, which is gone and may have been this folder."
    advice = f"To have it back: codecortex state move {earlier.name} ."
    return (Notice(severity="information", message=message, what_to_do=advice),)


def _pruned(row: StateRow) -> Notice:
    message = f"The state of {row.path} was removed: the folder is gone, and nobody used it for 90 days."
    return Notice(
        severity="information", message=message, what_to_do="`codecortex state` lists what is kept."
    )


def _temporary_folder() -> Path:
    """An empty folder of our own. Where the disk is full, `tempfile` finds no place, since it writes to those it tries;
    a folder may still be made there, or in memory. Raises OSError."""
    import tempfile

    try:
        return Path(tempfile.mkdtemp(prefix="codecortex-"))
    except FileNotFoundError:
        for place in ("/dev/shm", os.environ.get("TMPDIR") or "/tmp", "/var/tmp"):  # noqa: S108 (the name is random)
            folder = Path(place) / f"codecortex-{os.urandom(8).hex()}"
            with contextlib.suppress(OSError):
                folder.mkdir(PRIVATE_FOLDER)
                return folder
        raise
