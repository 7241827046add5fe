"""`.context/` in the repository: the files that a person requested there, and nothing else.

The content may have come with the repository, and so from a stranger: links are refused, sizes and counts bounded,
and every result of this module is mere text. The folder is created with the first requested file; until then nothing
in it is touched, whoever made it."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress

from services.errors import CodeCortexError, ReadOnly, WorkspaceError
from services.model import Notice
from services.workspace.files.durable import PRIVATE_FOLDER, quarantine, replace
from services.workspace.files.openers import SHARED_FOLDER, held
from services.workspace.files.root import Root
from services.workspace.folder_files import FolderFiles, name_parts

IGNORE_FILE = ".gitignore"
UNTRACKED = b"# What is worth sharing comes with the first file of it.\n*\n"
"""The ignore rules while only records are in the folder: git sees none of it."""
TRACKED = b"""# Only what is worth sharing is tracked; everything else can be made again.
/*
!/.gitignore
!/types/
!/semantic/
!/packs/
!/presets/
!/templates/
!/aliases.json
*.tmp
"""
_TRACKED = ("types", "semantic", "packs", "presets", "templates")
_MOST_RULES = 1 << 16
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_OLD = (
    "index.db", "writes.db", "ops.db", "reads.db", "window.json", "secrets.json", "measures.json",
    "previous_window.json", "packs-active.json", "chats", "drafts", "proposals", "receipts", "commands",
)  # fmt: skip
"""State that earlier versions stored in the repository."""


class SharedFolder(FolderFiles):
    """The readable files of a workspace. Thread-safe."""

    is_team = False
    """Whether notes, reviews, packs and presets are a team's."""
    largest = 32_000_000
    most = 200_000

    def __init__(self, root: Root, *, asked: Callable[[], bool], note: Callable[[], object]) -> None:
        """Create the folder. `asked`: whether a person has requested a file here before, in any process; `note`:
        records that."""
        super().__init__(root.path / SHARED_FOLDER)
        self._root = root
        self._was_asked = asked
        self._note = note
        self._asked = False

    @property
    def is_kept(self) -> bool:
        """Whether a person has requested files here, which are then updated, and they still exist."""
        self._asked = self._asked or self._was_asked()
        return self._asked and self.where.is_dir()

    def read(self, name: str) -> bytes | None:
        """All bytes of `name`; None if there is no such regular file, or a link is on the way to it. Raises
        WorkspaceError if it cannot be read or is too large, UsageError."""
        try:
            return super().read(name)
        except OSError as error:
            path = f"{SHARED_FOLDER}/{name}"
            message = f"{path} cannot be read: {error.strerror}."
            raise WorkspaceError(message, path=path, reason=str(error.strerror)) from error

    def names(self, folder: str) -> tuple[str, ...]:
        """List names like FolderFiles.names; none where the folder cannot be read."""
        try:
            return super().names(folder)
        except OSError:
            return ()

    def write(self, name: str, data: bytes, *, synced: bool = True) -> None:
        """Write a file that a person requested. Raises as FolderFiles.write."""
        try:
            with self._top(create=True) as top:
                self._ignore(top, is_tracked=name.split("/", maxsplit=1)[0] in _TRACKED)
        except OSError as error:
            raise self._refused(name, "written", error) from error
        super().write(name, data, synced=synced)
        if not self._asked:
            self._asked = True
            self._note()

    def record(self, name: str, data: bytes) -> None:
        """Update or add a file, where a person has requested files here. Write errors are ignored: it is a copy."""
        with suppress(CodeCortexError, OSError):
            if self.is_kept:
                super().write(name, data)

    def discard(self, name: str) -> bool:
        """Remove a file that was recorded; whether there was one."""
        with suppress(CodeCortexError, OSError):
            return self.is_kept and self.remove(name)
        return False

    def share(self, name: str) -> None:
        """Make git see a file of the folder, which is otherwise untracked. Raises ReadOnly."""
        line = f"!/{name}".encode()
        try:
            with self._top(create=True) as top:
                self._ignore(top, is_tracked=True)
                rules = self._rules(top)
                if rules is not None and len(rules) < _MOST_RULES and line not in rules.splitlines():
                    replace(top, IGNORE_FILE, rules + b"\n" * (not rules.endswith(b"\n")) + line + b"\n")
        except OSError as error:
            raise self._refused(IGNORE_FILE, "written", error) from error

    def notices(self) -> tuple[Notice, ...]:
        """Return what a person should know of the files."""
        return ()

    def set_aside(self, name: str) -> None:
        """Rename a file that is in the way of another. Where that fails, it is replaced."""
        *folders, last = name_parts(name)
        with suppress(OSError), self._folder(folders) as folder:
            quarantine(folder, last)

    def leftovers(self) -> tuple[str, ...]:
        """Names of files from an earlier version, which this one does not use."""
        with suppress(OSError), self._top(create=False) as top:
            return tuple(name for name in _OLD if _is_there(top, name))
        return ()

    @contextlib.contextmanager
    def _opened(self, *, create: bool) -> Iterator[int]:
        root = self._root.descriptor
        if create:
            self._root.require_in_place()
            with suppress(FileExistsError):
                os.mkdir(SHARED_FOLDER, PRIVATE_FOLDER, dir_fd=root)
        with held(SHARED_FOLDER, _FOLDER, folder=root) as descriptor:
            yield descriptor

    def _top(self, *, create: bool) -> AbstractContextManager[int]:
        return self._opened(create=create)

    def _ignore(self, top: int, *, is_tracked: bool) -> None:
        """Give a new folder its rules for git. Those that somebody else wrote stay, and so does a folder that somebody
        else filled without any."""
        rules = self._rules(top)
        if rules is None and os.listdir(top):
            return
        wanted = TRACKED if is_tracked else UNTRACKED
        if rules is None or (rules == UNTRACKED and wanted != UNTRACKED):
            replace(top, IGNORE_FILE, wanted)

    def _rules(self, top: int) -> bytes | None:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
        with suppress(FileNotFoundError), held(IGNORE_FILE, flags, folder=top) as file:
            return os.read(file, _MOST_RULES)
        return None

    def _refused(self, name: str, done: str, error: OSError) -> ReadOnly:
        if error.errno not in (errno.ENOTDIR, errno.ELOOP):
            return super()._refused(name, done, error)
        message = (
            f"{self.path(name)} was not {done}: a link or a file is in the way. Rename it, then try again."
        )
        return ReadOnly(message, path=str(self.path(name)), reason=str(error.strerror))


def _is_there(folder: int, name: str) -> bool:
    with suppress(OSError):
        os.lstat(name, dir_fd=folder)
        return True
    return False
