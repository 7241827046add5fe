"""Outcomes of a write: the change that is admitted and everything that follows from it, and the answers of locks,
writes and the history made of it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import msgspec
from msgspec.structs import replace

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
from services.source.journal.journal import Group, Hashes, JournaledChange, JournalEntry
from services.source.journal.locks import GrantedLock
from services.source.text.differ import Changed, Same, changed_lines, diff_of, shared_bytes
from services.source.text.ranges import Lines, shifted
from services.workspace.text import Text, decode

MakeBytes = Callable[[Text], bytes | None]
"""Makes the new bytes from a text; None where its file is to go."""


class Admitted(msgspec.Struct, frozen=True):
    """Text that may be changed, None for a file that does not exist yet, and the lines of it known to the caller."""

    text: Text | None
    known: Lines = ()


class WriteDraft(msgspec.Struct, frozen=True, dict=True):
    """Admitted change. `base`: the text it changes; `expected`: the token of the request; `new`: the new bytes, None
    where the file is to be deleted; `mine`: makes them from the text that was read; `kept`: how many bytes at the
    start and at the end of an existing text do not change, where that is known."""

    path: str
    base: Admitted
    expected: str | None
    new: bytes | None
    mine: MakeBytes | None = None
    kept: Same | None = None

    @property
    def text(self) -> Text | None:
        """Return the present text, None for a file that does not exist yet."""
        return self.base.text

    @functools.cached_property
    def same(self) -> Same:
        """How much of the old text stays at its start and at its end; nothing where there is none."""
        if self.text is None or self.new is None:
            return (0, 0)
        return self.kept or shared_bytes(self.text.data, self.new)

    @functools.cached_property
    def after(self) -> Text | None:
        """The new text; None where the file is to go."""
        if self.new is None:
            return None
        if self.text is None:
            return decode(self.new, self.path)
        # The functions that make new bytes of a text ensure that they decode as that text does (`check_kept`).
        after = replace(self.text, data=self.new)
        after.count_as(self.text, self.same)
        return after

    @property
    def diff(self) -> str:
        """Unified, from the text to the new one; empty where they are equal."""
        return diff_of(self.path, self.text, self.after, changed=self._changed if self.after else None)

    def hashes(self) -> Hashes:
        """SHA-256 in hex of the text and of the new one; None for no file."""
        return (_digest(self.text), _digest(self.after))

    @property
    def change(self) -> JournaledChange:
        """Return the change to be written."""
        return JournaledChange(
            path=self.path,
            base=self.text.data if self.text is not None else None,
            new=self.new,
            known=shifted(self.base.known, *self._changed) if self.after else (),
            hashes=self.hashes,
            same=self.same if self.after else None,
        )

    @functools.cached_property
    def _changed(self) -> Changed:
        return changed_lines(self.text, self.after or decode(b""), self.same)


def _digest(text: Text | None) -> str | None:
    return None if text is None else text.digest


def lock_answer(lock: GrantedLock, name: str = "") -> LockAnswer:
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
