"""The values that locks, writes and the history answer, made from what the services know."""

from __future__ import annotations

from collections.abc import Sequence

from services.model.writes import (
    ChangeAnswer,
    FileChange,
    HistoryAnswer,
    HistoryEntry,
    LockAnswer,
    WriteAnswer,
)
from services.source.atomic.write import WrittenFile
from services.source.journal.database import now_ms
from services.source.journal.journal import Group, JournalEntry
from services.source.journal.locks import Lock
from services.source.text.differ import diff_of
from services.source.write.draft import WriteDraft
from services.workspace.text import Text


def lock_answer(lock: Lock, name: str = "") -> LockAnswer:
    """A lock; `name`: the object as it was named, its first file if none."""
    return LockAnswer(
        object=name or lock.keys[0],
        lock_handle=lock.handle or None,
        files=lock.keys,
        owner=str(lock.owner),
        taken_at=lock.taken_at,
        lease_end=now_ms() + int(lock.seconds * 1000),
        seconds=round(lock.seconds, 3),
        fence=lock.fence,
    )


def write_answer(
    done: tuple[WriteDraft, str | None], old: tuple[int, int], new: tuple[int, int]
) -> WriteAnswer:
    """A write of one file."""
    draft, token = done
    after = draft.after
    return WriteAnswer(
        object=draft.path,
        file=draft.path,
        updated=token is not None,
        line_count=after.line_count if after is not None else 0,
        old_range=old,
        new_range=new,
        timestamp=now_ms(),
        token=draft.expected or "" if token is None else token,
        diff=draft.diff,
    )


def patch_answer(drafts: Sequence[WriteDraft], written: WrittenFile | None) -> ChangeAnswer:
    """Files written as one, or that would be written."""
    files = tuple(_file_change(written, each.path, each.after, each.diff) for each in drafts)
    group = written.group if written is not None else 0
    return ChangeAnswer(kind="edit", group=group, timestamp=now_ms(), files=files)


def back_answer(
    kind: str,
    written: WrittenFile | None,
    changes: Sequence[tuple[str, Text | None, Text | None]],
    *,
    group: int,
) -> ChangeAnswer:
    """Files that an undo or a redo wrote, or would write: (path, before, after). `group`: as ChangeAnswer."""
    return ChangeAnswer(kind=kind, group=group, timestamp=now_ms(), files=_files(written, changes))


def made_answer(group: Group, changes: Sequence[tuple[str, Text | None, Text | None]]) -> ChangeAnswer:
    """Convert a write of the history to an answer: (path, before, after)."""
    return ChangeAnswer(kind=group.kind, group=group.id, timestamp=group.at, files=_files(None, changes))


def history_answer(
    file: str | None, found: Sequence[tuple[Group, tuple[JournalEntry, ...]]]
) -> HistoryAnswer:
    """Convert the history to an answer."""
    return HistoryAnswer(file=file, entries=tuple(history_entry(*each) for each in found))


def history_entry(group: Group, entries: Sequence[JournalEntry]) -> HistoryEntry:
    """Group of entries written as one."""
    return HistoryEntry(
        group=group.id,
        kind=group.kind,
        at=group.at,
        owner=str(group.owner),
        files=tuple(entry.path for entry in entries),
        undone=group.undone_by is not None,
    )


def _files(
    written: WrittenFile | None, changes: Sequence[tuple[str, Text | None, Text | None]]
) -> tuple[FileChange, ...]:
    return tuple(
        _file_change(written, path, after, diff_of(path, before, after)) for path, before, after in changes
    )


def _file_change(written: WrittenFile | None, path: str, after: Text | None, diff: str) -> FileChange:
    return FileChange(
        file=path,
        token=written.token(path) if written is not None else None,
        line_count=after.line_count if after is not None else 0,
        diff=diff,
    )
