"""The states of all workspaces in the person's own folder: lookup by root, listing, moving, deleting.

A state is found by the canonical path and the inode of its root. A root that is reached by another path (a bind
mount, another case) has the state of its first path; a root that was deleted and created again has a new one."""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple, Self

import msgspec

from services.concurrency.exclusion import lock, unlock
from services.errors import Busy, UsageError
from services.settings.personal import NOWHERE, personal_folder
from services.workspace import json_files
from services.workspace.files.durable import PRIVATE_FOLDER, private_folder, probe, replace, sweep
from services.workspace.files.openers import STATE_FOLDER, held
from services.workspace.files.root import Root

RECORD = "root.json"
"""The file of a state that names its root; its modification time is when the state was last opened."""
USE = "use.lock"
"""The file of a state that every process which uses it holds a shared lock on, and which names the machine."""
KEPT_FOR = 90 * 86_400.0
"""Seconds after its last use at which the state of a missing root is deleted: a disk may be unplugged."""
_PATIENCE = 2.0
_POLL = 0.02
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_MOST = 65_536
_NAMED = 512
"""Bytes of a machine's name."""


class NoStateError(Exception):
    """Error: a state cannot be used. The text gives the reason, as the end of a sentence; `advice`: what to do."""

    def __init__(self, why: str, advice: str) -> None:
        super().__init__(why)
        self.advice = advice


class RootRecord(msgspec.Struct, frozen=True):
    """The root of a state as it was when it was last opened."""

    path: str
    device: int
    inode: int


class StateRow(NamedTuple):
    """A state. `name`: of its folder; `root`: `there`, `gone`, or `another` where another folder has its path now;
    `used_at`: seconds since 1970."""

    name: str
    path: str
    size: int
    used_at: float
    root: str
    in_use: bool


class ClaimedState(NamedTuple):
    """State of a root, open. `use`: the descriptor whose lock marks it as in use; `is_new`: it was made now;
    `earlier`: the state of a root that may have been this one."""

    where: Path
    descriptor: int
    use: int
    is_new: bool
    earlier: StateRow | None


class StateHome:
    """The person's folder of states. `folder`: where it lies; it is made with the first state."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / STATE_FOLDER

    @classmethod
    def of_person(cls) -> Self:
        """The one of the person that this process works for. Raises NoStateError where they have no folder."""
        folder = personal_folder("state")
        if folder == NOWHERE:
            raise NoStateError(
                "there is no home folder (HOME and XDG_STATE_HOME are unset)",
                "Set XDG_STATE_HOME to a folder that is to hold it.",
            )
        return cls(folder)

    def find_folder(self, root: Path) -> Path | None:
        """The folder of a root's state, without opening it; None where there is none yet."""
        with contextlib.suppress(OSError):
            real = os.path.realpath(root, strict=True)
            status = Path(real).stat()
            record = RootRecord(real, status.st_dev, status.st_ino)
            other = None if (self.folder / _name_of(record)).is_dir() else self._by_another_path(record)
            where = self.folder / (other[0] if other is not None else _name_of(record))
            return where if where.is_dir() else None
        return None

    def claim(self, root: Root) -> ClaimedState:
        """Open the state of a root for use, and make it where there is none. Raises OSError, NoStateError."""
        status = os.fstat(root.descriptor)
        record = RootRecord(os.fspath(root.path), status.st_dev, status.st_ino)
        self._make_folder()
        name = _name_of(record)
        if not (self.folder / name).is_dir() and (other := self._by_another_path(record)) is not None:
            name, record = other
        where = self.folder / name
        is_new = not (where / RECORD).exists()
        with contextlib.suppress(FileExistsError):
            where.mkdir(PRIVATE_FOLDER)
        with ExitStack() as undone:
            descriptor = os.open(where, _FOLDER)
            undone.callback(os.close, descriptor)
            if os.fstat(descriptor).st_mode & 0o077:
                os.fchmod(descriptor, PRIVATE_FOLDER)
            probe(descriptor)
            sweep(descriptor, os.listdir(descriptor))  # noqa: PTH208 - pathlib knows no descriptors
            use = _use(descriptor)
            undone.callback(os.close, use)
            if self._record(name) == record:
                os.utime(where / RECORD)
            else:
                self._keep(name, record)
            undone.pop_all()
        return ClaimedState(where, descriptor, use, is_new, self._earlier(record, name) if is_new else None)

    def listed(self) -> list[StateRow]:
        """All states, the last used first."""
        found = (self._row(name, record) for name, record in self._records())
        return sorted(found, key=lambda row: (-row.used_at, row.name))

    def find(self, text: str) -> StateRow:
        """A state by its name or the path of its root. Raises UsageError for none and for several."""
        rows = self.listed()
        found = [row for row in rows if row.name == text]
        path = os.path.abspath(text)  # noqa: PTH100 - of a folder that may be gone
        found = found or [row for row in rows if row.path in (text, path, os.path.realpath(text))]
        if not found:
            raise UsageError(
                f"No state is kept for {text}. `codecortex state` lists those there are.", root=text
            )
        if len(found) > 1:
            names = ", ".join(row.name for row in found)
            raise UsageError(f"Several states are kept for {text}. Name one of them: {names}.", root=text)
        return found[0]

    def delete(self, name: str) -> None:
        """Delete a state for good. Raises Busy while a process uses it, OSError."""
        import shutil

        with self._alone(name):
            gone = self.folder / f".gone-{os.urandom(8).hex()}"
            (self.folder / name).rename(gone)
        shutil.rmtree(gone)

    def move(self, name: str, root: Root) -> str | None:
        """Have a state be that of another root. One that this root had takes its place, so that nothing is lost; its
        name then, None where there was none. Raises Busy while a process uses one of them, OSError."""
        status = os.fstat(root.descriptor)
        record = RootRecord(os.fspath(root.path), status.st_dev, status.st_ino)
        to, record = self._by_another_path(record) or (_name_of(record), record)
        if to == name:
            return None
        with ExitStack() as alone:
            alone.enter_context(self._alone(name))
            before = self._record(name)
            other = to if (self.folder / to).is_dir() else None
            if other is not None:
                alone.enter_context(self._alone(to))
                between = self.folder / f"moving-{os.urandom(8).hex()}"
                (self.folder / to).rename(between)
                (self.folder / name).rename(self.folder / to)
                between.rename(self.folder / name)
                if before is not None:
                    self._keep(name, before)
            else:
                (self.folder / name).rename(self.folder / to)
            self._keep(to, record)
        return name if other is not None else None

    def prune(self, now: float | None = None) -> list[StateRow]:
        """Delete the states of missing roots that were not used for KEPT_FOR; returns the deleted ones."""
        at = time.time() if now is None else now
        gone: list[StateRow] = []
        for name, record in self._records():
            if at - self._used_at(name) <= KEPT_FOR or _is_there(record) == "there":
                continue
            row = self._row(name, record)
            with contextlib.suppress(OSError, Busy):
                self.delete(name)
                gone.append(row)
        with contextlib.suppress(OSError):
            for left in self.folder.glob(".gone-*"):  # of a process that was killed
                import shutil

                shutil.rmtree(left, ignore_errors=True)
        return gone

    def _make_folder(self) -> None:
        private_folder(self.folder)
        # A home that is a repository does not see it.
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with contextlib.suppress(OSError), held(os.fspath(self.folder / ".gitignore"), flags) as file:
            os.write(file, b"*\n")

    def _by_another_path(self, record: RootRecord) -> tuple[str, RootRecord] | None:
        """The state of the same folder under another path that leads to it too."""
        for name in self._names(lambda each: each.startswith(f"{record.inode:x}-")):
            known = self._record(name)
            if known is not None and known.path != record.path:
                with contextlib.suppress(OSError):
                    status = Path(known.path).stat()
                    if (status.st_dev, status.st_ino) == (record.device, record.inode):
                        return name, known
        return None

    def _earlier(self, record: RootRecord, own: str) -> StateRow | None:
        """Return the earlier state of a root: moved here if it has the same inode, made again if it had the same
        path."""
        ends, begins = f"-{_digest(record.path)}", f"{record.inode:x}-"
        for name in self._names(
            lambda each: each != own and (each.startswith(begins) or each.endswith(ends))
        ):
            known = self._record(name)
            if known is None or _is_there(known) == "there":
                continue
            if known.path == record.path or known.device == record.device:
                return self._row(name, known)
        return None

    def _names(self, wanted: Callable[[str], bool] = lambda _: True) -> list[str]:
        try:
            names = sorted(os.listdir(self.folder))  # noqa: PTH208 - names are all that is asked for
        except OSError:
            return []
        return [each for each in names if not each.startswith(".") and wanted(each)]

    def _records(self) -> Iterator[tuple[str, RootRecord]]:
        for name in self._names():
            if (record := self._record(name)) is not None:
                yield name, record

    def _record(self, name: str) -> RootRecord | None:
        """The root of a state; None for what is no state, or a damaged one."""
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
        with (
            contextlib.suppress(OSError, ValueError),
            held(os.fspath(self.folder / name / RECORD), flags) as file,
        ):
            return json_files.decode(os.read(file, _MOST), RootRecord)
        return None

    def _keep(self, name: str, record: RootRecord) -> None:
        with held(os.fspath(self.folder / name), _FOLDER) as folder:
            replace(folder, RECORD, json_files.encode(record) + b"\n")

    def _used_at(self, name: str) -> float:
        with contextlib.suppress(OSError):
            return (self.folder / name / RECORD).stat().st_mtime
        return 0.0

    def _row(self, name: str, record: RootRecord) -> StateRow:
        where = self.folder / name
        return StateRow(
            name, record.path, _size(where), self._used_at(name), _is_there(record), _is_in_use(where)
        )

    @contextlib.contextmanager
    def _alone(self, name: str) -> Iterator[None]:
        """Lock the state for the block: no other process uses it, nor begins to. Raises Busy, OSError."""
        with held(os.fspath(self.folder / name / USE), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW) as descriptor:
            if not lock(descriptor, 0):
                advice = "Close what is open on it (`codecortex resident stop`), then try again."
                raise Busy(f"The state {name} is in use. {advice}", lock=name)
            yield


def _digest(path: str) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:16]


def _name_of(record: RootRecord) -> str:
    """The device is left out: that of a disk, or of a network share, is another one after the next start."""
    return f"{record.inode:x}-{_digest(record.path)}"


def _is_there(record: RootRecord) -> str:
    try:
        return "there" if Path(record.path).stat().st_ino == record.inode else "another"
    except (OSError, ValueError):
        return "gone"


def _size(folder: Path) -> int:
    total = 0
    with contextlib.suppress(OSError):
        for above, _, files in os.walk(folder):
            for name in files:
                with contextlib.suppress(OSError):
                    total += os.lstat(os.path.join(above, name)).st_size  # noqa: PTH118
    return total


def _is_in_use(where: Path) -> bool:
    try:
        with held(os.fspath(where / USE), os.O_RDONLY | os.O_NOFOLLOW) as descriptor:
            return not lock(descriptor, 0)
    except OSError:
        return False


def _machine() -> bytes:
    """The name of this start of this machine: two that share a home differ in it."""
    boot = ""
    with contextlib.suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    name = f"{boot or platform.node()} {platform.node()}".encode("utf-8", "replace")
    return name.ljust(_NAMED)  # one name covers another whole


def _use(folder: int) -> int:
    """Open the use file with a shared lock. A machine that finds another one's name there replaces it if the lock is
    free. Raises NoStateError, OSError."""
    descriptor = os.open(USE, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder)
    try:
        _share(descriptor)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _share(descriptor: int) -> None:
    own, deadline = _machine(), time.monotonic() + _PATIENCE
    while True:
        is_shared = _locked(descriptor, _PATIENCE, shared=True)
        found = os.pread(descriptor, _NAMED, 0)
        if is_shared and found.split(b" ")[0] == own.split(b" ")[0]:
            return
        if is_shared and _locked(descriptor, 0):
            os.pwrite(descriptor, own, 0)
            _locked(descriptor, 0, shared=True)
            return
        unlock(descriptor)
        if time.monotonic() > deadline and not is_shared:
            raise NoStateError("it is being moved or deleted", "Start again in a moment.")
        if time.monotonic() > deadline:
            other = found.decode("utf-8", "replace").partition(" ")[2].strip()
            raise NoStateError(
                f"another machine uses it ({other or 'its name is not known'})",
                "Close it there, or set XDG_STATE_HOME to a folder of this machine's own.",
            )
        time.sleep(_POLL)


def _locked(descriptor: int, patience: float, *, shared: bool = False) -> bool:
    try:
        return lock(descriptor, patience, shared=shared)
    except OSError as error:
        raise NoStateError(
            f"files cannot be locked there ({error.strerror})",
            "Set XDG_STATE_HOME to a folder on a disk of this machine.",
        ) from error
