"""Undo and redo of writes: each is itself a guarded write of the stored bytes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from services.errors import UsageError, VersionConflict
from services.source.atomic.write import WrittenFile
from services.source.journal.actor import Owner
from services.source.journal.journal import Group, Intent, JournaledChange, JournalEntry, digest
from services.source.write.admission import WriteAdmission

_Made = tuple[Group, tuple[JournalEntry, ...]]


class Back(NamedTuple):
    """Target of an `undo` or a `redo` (`kind`): the `group` of the history, and what that changes in files."""

    kind: str
    group: int
    changes: tuple[JournaledChange, ...]


class WriteHistory:
    """The history of a workspace's files. What was written as one is undone as one."""

    def __init__(self, admission: WriteAdmission, *, bound: bool = True) -> None:
        self._admission = admission
        self._bound = bound

    def target(self, kind: str, path: str | None, *, expected: int | None = None) -> Back:
        """Return the group that an `undo` or a `redo` would revert: the last write, or the last undo unless a write
        followed; of `path` if it is given. `expected`: the group that the caller has seen.

        Raises UsageError where there is none, VersionConflict where it is another group than expected, or where one
        of its files was changed since."""
        found = self._admission.journal.groups(path)
        each = _last_write(found) if kind == "undo" else _last_undo(found)
        if expected is not None and (each is None or each[0].id != expected):
            raise _overtaken(kind, expected, each)
        if each is None:
            raise UsageError(f"There is nothing to {kind}{f' in {path}' if path else ''}.")
        return Back(kind, each[0].id, tuple(self._change(entry) for entry in each[1]))

    def take_back(self, target: Back, owner: Owner, handles: Sequence[str]) -> WrittenFile:
        """Give the files of a target the bytes they had before.

        Without handles it takes the locks itself for as long as it needs them. Raises VersionConflict where a file was
        changed since, LockRequired, and as GuardedWriter.write."""
        intent = Intent(kind=target.kind, owner=owner, process="", undoes=target.group)
        paths = [change.path for change in target.changes]
        with self._admission.locked(paths, owner, handles, bound=self._bound) as held:
            return self._admission.apply(target.changes, held, intent=intent)

    def listed(self, path: str | None, limit: int) -> list[tuple[Group, tuple[JournalEntry, ...]]]:
        """Return the writes, latest first."""
        return self._admission.journal.groups(path, limit=limit)

    def made(self, group: int) -> tuple[Group, list[tuple[str, bytes | None, bytes | None]]]:
        """Return the files of a group, each with its bytes before and after. Raises UsageError where there is no such
        group, or its bytes are no longer stored."""
        found = next((each for each in self._admission.journal.groups(None) if each[0].id == group), None)
        if found is None:
            raise UsageError(f"Write {group} is no longer in the history.")
        return found[0], [(entry.path, self._before(entry), self._after(entry)) for entry in found[1]]

    def _before(self, entry: JournalEntry) -> bytes | None:
        base = self._admission.journal.base(entry.id)
        if digest(base) != entry.base_hash:
            raise UsageError(f"The old content of {entry.path} is no longer kept.")
        return base

    def _after(self, entry: JournalEntry) -> bytes | None:
        made = self._admission.journal.outcome(entry)
        if digest(made) == entry.new_hash:
            return made
        _, text, _ = self._admission.current(entry.path)
        if text is None or digest(text.data) != entry.new_hash:
            raise UsageError(f"What write {entry.group} made of {entry.path} is no longer kept.")
        return text.data

    def _change(self, entry: JournalEntry) -> JournaledChange:
        base = self._admission.journal.base(entry.id)
        if digest(base) != entry.base_hash:
            raise UsageError(f"The old content of {entry.path} is no longer kept, so it cannot come back.")
        path, text, mtime_ns = self._admission.current(entry.path)
        now = None if text is None else text.data
        if digest(now) != entry.new_hash:
            raise self._admission.conflict(path, text, mtime_ns, expected=None)
        return self._admission.change(path, text, base)


def _last_write(found: Iterable[_Made]) -> _Made | None:
    return next((each for each in found if each[0].kind != "undo" and each[0].undone_by is None), None)


def _last_undo(found: Iterable[_Made]) -> _Made | None:
    """The last undo; None where something was written since."""
    for group, entries in found:
        if group.kind == "edit":
            return None
        if group.kind == "undo" and group.undone_by is None:
            return group, entries
    return None


def _overtaken(kind: str, expected: int, now: _Made | None) -> VersionConflict:
    files = ", ".join(entry.path for entry in now[1]) if now is not None else ""
    instead = f"that is now write {now[0].id}, of {files}" if now is not None else "there is none any more"
    reason = f"Write {expected} is no longer what {kind} takes back: {instead}."
    return VersionConflict(
        f"{reason} Look at the history, and decide again.",
        object=files,
        reason=reason,
        expectedGroup=expected,
        currentGroup=now[0].id if now is not None else None,
    )
