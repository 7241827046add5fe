"""Taking writes back, and making them again: each is itself a guarded write of the bytes that were kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from services.errors import UsageError
from services.source.actor import Owner
from services.source.desk import Desk
from services.source.journal import Change, Entry, Group, Intent, digest
from services.source.write import Written

_MINUTE = 60.0


class History:
    """The history of a workspace's files. What was written as one is undone as one."""

    def __init__(self, desk: Desk, *, bound: bool = True) -> None:
        self._desk = desk
        self._bound = bound

    def undo(
        self, path: str | None, owner: Owner, handles: Sequence[str]
    ) -> tuple[Written, tuple[Change, ...]]:
        """Give the files of the last write, of `path` if it is given, the bytes they had before.

        Without handles it takes the locks itself for as long as it needs them. Raises UsageError where there is nothing
        to undo, VersionConflict where a file was changed since, LockRequired, and as GuardedWriter.write."""
        found = self._desk.journal.groups(path)
        each = next(((g, e) for g, e in found if g.kind != "undo" and g.undone_by is None), None)
        if each is None:
            raise UsageError(f"There is nothing to undo{f' in {path}' if path else ''}.")
        return self._restore(
            each[1], Intent(kind="undo", owner=owner, process="", undoes=each[0].id), handles
        )

    def redo(
        self, path: str | None, owner: Owner, handles: Sequence[str]
    ) -> tuple[Written, tuple[Change, ...]]:
        """Take the last undo back, unless something was written since. Raises as undo."""
        for group, entries in self._desk.journal.groups(path):
            if group.kind == "edit":
                break
            if group.kind == "undo" and group.undone_by is None:
                intent = Intent(kind="redo", owner=owner, process="", undoes=group.id)
                return self._restore(entries, intent, handles)
        raise UsageError(f"There is nothing to redo{f' in {path}' if path else ''}.")

    def listed(self, path: str | None, limit: int) -> list[tuple[Group, tuple[Entry, ...]]]:
        """What was written, latest first."""
        return self._desk.journal.groups(path, limit=limit)

    def _restore(
        self, entries: Sequence[Entry], intent: Intent, handles: Sequence[str]
    ) -> tuple[Written, tuple[Change, ...]]:
        changes = tuple(self._change(entry) for entry in entries)
        with self._locked([change.path for change in changes], intent.owner, handles) as held:
            return self._desk.apply(changes, held, intent=intent), changes

    def _change(self, entry: Entry) -> Change:
        base = self._desk.journal.base(entry.id)
        if digest(base) != entry.base_hash:
            raise UsageError(f"The old content of {entry.path} is no longer kept, so it cannot come back.")
        path, text, mtime_ns = self._desk.current(entry.path)
        now = None if text is None else text.data
        if digest(now) != entry.new_hash:
            raise self._desk.conflict(path, text, mtime_ns, expected=None)
        return self._desk.change(path, text, base)

    @contextmanager
    def _locked(self, paths: Sequence[str], owner: Owner, handles: Sequence[str]) -> Iterator[Sequence[str]]:
        if handles:
            yield handles
            return
        locks = self._desk.locks
        handle = locks.lock(paths, owner, lease=_MINUTE, bound=self._bound).handle
        try:
            yield [handle]
        finally:
            locks.unlock(handle)
