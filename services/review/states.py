"""States of the repository that are not on disk, checked out into a scratch folder and indexed: the sides of a
commit, of a range, of a patch.

What of a state is as on disk keeps its time, and the index of the workspace is copied beside it: so only the files that
differ are read anew.
"""

from __future__ import annotations

import codecs
import hashlib
import os
import shutil
import sqlite3
import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

import msgspec

from services.concurrency.cancellation import checkpoint
from services.concurrency.exclusion import lock
from services.errors import CodeCortexError, WorkspaceError
from services.index.index import Index
from services.model import Progress
from services.review.opened import OpenedChange
from services.review.sources.source import NewSide
from services.settings import IndexSettings
from services.source.diffs.changes import ChangeSets
from services.source.diffs.listing import DiffScope
from services.workspace.files.root import Root
from services.workspace.scan.scan import scan
from services.workspace.source_kinds import PROJECT_SUFFIXES, SOURCE_SUFFIXES
from services.workspace.state import StateFolder
from services.workspace.text import decode

_MATTER = (
    *SOURCE_SUFFIXES, *PROJECT_SUFFIXES, ".config", ".rsp",
    ".gitignore", ".codecortexignore", ".editorconfig", "global.json",
)  # fmt: skip
"""Ends of the names of files that an index looks at."""
_KEPT = 3
_DATABASE = "index.db"
_LARGE = "large"
_PREFIX = "codecortex-state-"
_SETTLED = 60.0
"""Seconds after which whoever made a scratch folder has locked it."""

Overlay = Mapping[str, bytes | None]
"""Files by path as they are in a state, None where they are not there, of those that are otherwise on disk."""


class StateSources(msgspec.Struct, frozen=True):
    """Workspace services behind states. `start`: the solution or project file that was named on opening."""

    root: Root
    state: StateFolder
    changes: ChangeSets
    settings: IndexSettings
    start: str | None
    index: Index


class State:
    """A state with its index, whose names are worked out."""

    def __init__(self, root: Root, index: Index, closing: ExitStack | None = None) -> None:
        self._root = root
        self.index = index
        self._closing = closing or ExitStack()

    def lines(self, path: str, first: int, last: int) -> str:
        """Lines of a file of the state. Raises WorkspaceError."""
        return decode(self._root.read(path)[0], encoding=self._root.encoding).slice(first, last)

    def close(self) -> None:
        """Lets go of what was made for it, and removes the folder."""
        self._closing.close()


def _laid_out(workspace: StateSources, overlay: Overlay, cancel: threading.Event | None) -> State:
    """Yield a state in a folder of its own, removed afterwards."""
    with ExitStack() as undone:
        # Projects that have no file of their own are called as the folder is.
        folder = undone.enter_context(_scratch()) / (workspace.root.path.name or "root")
        folder.mkdir()
        root = undone.enter_context(Root.open(folder, encoding=workspace.root.encoding))
        _lay_out(workspace.root, root, overlay, cancel)
        state = undone.enter_context(StateFolder.temporary(root))
        _copy_index(workspace.state, state)
        index = Index(root, state, settings=workspace.settings, start=workspace.start)
        undone.callback(index.close)
        index.load()
        index.refresh(report=_silent, cancel=cancel)
        index.dependencies.relate(cancel=cancel)
        return State(root, index, undone.pop_all())


@contextmanager
def _scratch() -> Iterator[Path]:
    """Yield a scratch folder. Its lock marks it as in use; folders without a lock, left by killed processes, are
    removed."""
    _remove_abandoned()
    with tempfile.TemporaryDirectory(prefix=_PREFIX) as name, _folder(Path(name)) as descriptor:
        with suppress(OSError):  # without locks none is removed as abandoned either
            lock(descriptor)
        yield Path(name)


def _remove_abandoned() -> None:
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError), _folder(folder) as descriptor:
            told = os.fstat(descriptor)
            settled = time.time() - told.st_mtime > _SETTLED
            if settled and told.st_uid == os.getuid() and lock(descriptor, 0):
                shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _folder(path: Path) -> Iterator[int]:
    """A descriptor of a folder. Raises OSError, also for a link."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


class States:
    """Sides of changes, created on demand; the most recent are cached. Thread-safe: accesses are serialised."""

    def __init__(self, workspace: StateSources) -> None:
        self._workspace = workspace
        self._guard = threading.RLock()  # a state is not evicted while it is read
        self._kept: OrderedDict[str, State] = OrderedDict()
        self._disk = State(workspace.root, workspace.index)

    def close(self) -> None:
        """Lets go of all of them."""
        with self._guard:
            while self._kept:
                self._kept.popitem()[1].close()

    @contextmanager
    def new(self, opened: OpenedChange, cancel: threading.Event | None = None) -> Iterator[State]:
        """The new side of a change. Raises WorkspaceError where it cannot be known whole, Cancelled."""
        if opened.is_on_disk:
            yield self._disk
            return
        overlay = _that_matter(self._base(opened) | _sides(opened, new=True))
        if self._is_on_disk(overlay):
            yield self._disk
            return
        with self._guard:
            yield self._of(overlay, cancel)

    @contextmanager
    def old(self, opened: OpenedChange, cancel: threading.Event | None = None) -> Iterator[State]:
        """The old side, as `new`."""
        with self._guard:
            yield self._of(_that_matter(self._base(opened) | _sides(opened, new=False)), cancel)

    def _of(self, overlay: Overlay, cancel: threading.Event | None) -> State:
        key = _digest(self._workspace.index, overlay)
        found = self._kept.pop(key, None) or _laid_out(self._workspace, overlay, cancel)
        self._kept[key] = found
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)[1].close()
        return found

    def _is_on_disk(self, overlay: Overlay) -> bool:
        """Whether the disk has the same content apart from line endings, so that the index of the workspace has it
        too."""
        root = self._workspace.root
        for path, data in overlay.items():
            try:
                if _lines_of(root.read(path)[0]) != (None if data is None else _lines_of(data)):
                    return False
            except CodeCortexError:
                if data is not None:
                    return False
        return True

    def _base(self, opened: OpenedChange) -> dict[str, bytes | None]:
        """Return what differs on disk from the commit that the change was made from or applies to."""
        if opened.source.new_side is NewSide.DISK:
            return {}
        for commit in filter(None, (opened.set.new, opened.set.old)):
            with suppress(WorkspaceError):
                return self._of_commit(commit)
        return {}

    def _of_commit(self, commit: str) -> dict[str, bytes | None]:
        changes = self._workspace.changes
        found: dict[str, bytes | None] = {}
        for file in changes.read(DiffScope(commit)).files:
            if file.path.endswith(_MATTER) or (file.old_path or "").endswith(_MATTER):
                found[file.path] = None
                if file.old_blob:
                    found[file.old_path or file.path] = changes.blob(file.old_blob)
        return found


def _that_matter(overlay: Overlay) -> Overlay:
    return {path: data for path, data in overlay.items() if path.endswith(_MATTER)}


def _lines_of(data: bytes) -> bytes:
    return data.removeprefix(codecs.BOM_UTF8).replace(b"\r\n", b"\n").removesuffix(b"\n")


def _sides(opened: OpenedChange, *, new: bool) -> dict[str, bytes | None]:
    """The files of a change as they are on one of its sides. Raises WorkspaceError where one cannot be known."""
    found: dict[str, bytes | None] = {}
    for file in opened.analyzed:
        change = file.change
        old_path = change.old_path or change.path
        if not (file.path.endswith(_MATTER) or old_path.endswith(_MATTER)) or change.binary:
            continue
        there = change.status != "deleted" if new else change.status not in ("added", "untracked")
        text = file.new if new else file.old
        if there and text is None:
            message = (
                f"{file.path} is not known whole: what the change says of it fits no state that is here."
            )
            raise WorkspaceError(message, path=file.path)
        if change.status != "copied":
            found[old_path if new else file.path] = None
        if there and text is not None:
            found[file.path if new else old_path] = text.encode("utf-8", "surrogateescape")
    return found


def _lay_out(root: Root, to: Root, overlay: Overlay, cancel: threading.Event | None) -> None:
    """Writes the files of a state. A path that would lead out of it is left out."""
    for stamp in scan(root, suffixes=_MATTER, cancel=cancel).files:
        if stamp.path not in overlay:
            checkpoint(cancel, "Cancelled while a side of the change was laid out.")
            with suppress(CodeCortexError, OSError):
                data, now = root.read(stamp.path)
                os.utime(_write(to, stamp.path, data), ns=(now.mtime_ns, now.mtime_ns))
    for path, data in overlay.items():
        if data is not None:
            with suppress(CodeCortexError, OSError):
                _write(to, path, data)


def _write(root: Root, path: str, data: bytes) -> Path:
    file = root.path / root.normalise(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    return file


def _copy_index(kept: StateFolder, to: StateFolder) -> None:
    """The index of the workspace, to begin with. Where it cannot be copied whole, another is made."""
    source = kept.path(_DATABASE)
    if not source.exists():
        return
    to.ensure()
    try:
        with closing(sqlite3.connect(source)) as one, closing(sqlite3.connect(to.path(_DATABASE))) as other:
            one.backup(other)
        shutil.copytree(kept.path(_LARGE), to.path(_LARGE), dirs_exist_ok=True)
    except (OSError, sqlite3.Error):
        to.path(_DATABASE).unlink(missing_ok=True)


def _digest(index: Index, overlay: Overlay) -> str:
    told = hashlib.sha256(f"{index.refreshed_at}".encode())
    for path, data in sorted(overlay.items()):
        told.update(path.encode("utf-8", "surrogateescape"))
        told.update(b"\0" if data is None else hashlib.sha256(data).digest())
    return told.hexdigest()


def _silent(_: Progress) -> None:
    """Ignore a progress report."""
