"""Writer: every change of workspace files, in one place (SPEC section 7)."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from services.concurrency.latest import MadeOnce
from services.errors import CodeCortexError, UsageError
from services.model import Notice
from services.model.writes import (
    ChangeAnswer,
    HistoryAnswer,
    HistoryEntry,
    LockAnswer,
    LocksAnswer,
    OthersAnswer,
    WriteAnswer,
)
from services.settings import CacheSettings
from services.source.atomic.system_calls import SystemCalls
from services.source.atomic.target import WriteTarget, named
from services.source.atomic.write import GuardedWriter, WrittenFile
from services.source.journal.actor import Owner, agent
from services.source.journal.clock import BootClock, LeaseClock
from services.source.journal.database import Database
from services.source.journal.journal import MOST_GROUPS, Intent, Journal
from services.source.journal.locks import LEASE, Locks, SharedLeases
from services.source.read.known_lines import Memory
from services.source.text.edit import Edit
from services.source.write.admission import WriteAdmission
from services.source.write.draft import (
    WriteDraft,
    back_answer,
    history_answer,
    history_entry,
    lock_answer,
    made_answer,
    patch_answer,
    write_answer,
)
from services.source.write.file_edits import FileEdit, drafts_of, edited, patched, replaced
from services.source.write.history import Back, WriteHistory
from services.source.write.refusal import refusing
from services.workspace.files.root import Root
from services.workspace.text import Text, decode

_MOST_OF_OTHERS = 50


class WriterOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of the writer. `lasting`: whether this process outlives its locks, which then lapse with it; a single
    shell command does not, so its locks end with their lease alone. `groups`: writes the history stores; `ensure`:
    makes the journal's folder again where it was deleted; `shared`: leases of a team; `clock`, `calls`: seams for
    tests."""

    lasting: bool = True
    groups: int = MOST_GROUPS
    ensure: Callable[[], None] | None = None
    clock: LeaseClock | None = None
    shared: SharedLeases | None = None
    calls: SystemCalls | None = None


class _OpenJournal(NamedTuple):
    """Open journal, and what admits writes by it."""

    database: Database
    admission: WriteAdmission


class Writer:
    """Writer of files: locks, writes and their history. Thread-safe. The journal is opened when first needed, so that
    a read-only folder can still be read."""

    def __init__(
        self,
        root: Root,
        journal: Path,
        *,
        memory: Memory,
        settings: CacheSettings,
        options: WriterOptions | None = None,
    ) -> None:
        self._root = root
        self._path = journal
        self._memory = memory
        self._settings = settings
        self._options = options or WriterOptions()
        self._opened: MadeOnce[Path, _OpenJournal] = MadeOnce()
        self._damaged: tuple[str, ...] = ()

    def close(self, *, locks: bool = True) -> None:
        """Tidies up, and lets go of the journal; a later call opens it again. `locks`: whether those that were taken
        here stay for as long as the process."""

        def end(journal: _OpenJournal) -> None:
            with contextlib.suppress(CodeCortexError):
                if not locks:
                    journal.admission.locks.end()
                journal.admission.guarded.recovery.recover_all()
                journal.admission.journal.prune()
            journal.database.close()

        self._opened.clear(end)

    def recover(self) -> int:
        """Recover writes that dead processes left unfinished, and check the undo data for damage; returns how many
        were unfinished. Raises ReadOnly, Busy."""
        if not self._path.exists():
            return 0
        settled = self._tools().guarded.recovery.recover_all()
        self._damaged = self._tools().journal.damaged()
        return settled

    def notices(self) -> tuple[Notice, ...]:
        """Return notices about the recovery."""
        journal = self._opened.peek(self._path)
        renewed = journal.database.renewed if journal is not None else ""
        lost = Notice(
            severity="warning",
            message=f"The journal of writes was damaged ({renewed}) and put aside.",
            what_to_do="Earlier writes cannot be undone.",
        )
        return (
            *([lost] if renewed else []),
            *([_cannot_be_undone(self._damaged)] if self._damaged else []),
            *(journal.admission.guarded.recovery.notices if journal is not None else ()),
        )

    # Locks

    def lock(
        self, name: str, files: Sequence[str], owner: Owner, *, mode: str = "MODIFY", lease: float = LEASE
    ) -> LockAnswer:
        """Lock `files`, which are what `name` names. A file need not be there yet, nor its folder.

        Raises LockRequired if somebody else holds one, PathRefused, UsageError."""
        with refusing("Nothing was locked."):
            if mode != "MODIFY":
                raise UsageError(f"The access mode {mode!r} is not known. Use MODIFY.")
            keys = [WriteTarget.name_of(self._root, path) for path in files]
            lock = self._tools().locks.lock(keys, owner, lease=lease, bound=self._options.lasting)
            return lock_answer(lock, name)

    def renew(self, handle: str, *, lease: float | None = None) -> LockAnswer:
        """Begin the lease again. Raises LockRequired if the handle holds nothing any more."""
        return lock_answer(self._tools().locks.renew(handle, lease=lease))

    def unlock(self, handle: str, files: Sequence[str] = ()) -> LockAnswer:
        """Give a lock back. Raises LockRequired if the handle does not hold it."""
        lock = self._tools().locks.unlock(handle, [named(self._root, path) for path in files])
        return lock_answer(lock)

    def locks(self) -> LocksAnswer:
        """Every lock that holds."""
        if self._has_no_journal():
            return LocksAnswer(locks=())
        return LocksAnswer(locks=tuple(lock_answer(lock) for lock in self._tools().locks.list()))

    def purpose_of(self, handles: Iterable[str]) -> str:
        """Return the purpose of the lock that one of the handles owns; empty where none does."""
        return self._tools().locks.purpose_of(handles)

    def holds(self, handle: str) -> bool:
        """Whether a handle still holds its lock."""
        return self._tools().locks.is_held(handle)

    def break_lock(
        self, path: str, by: Owner, *, reason: str, fence: int | None = None, rehearse: bool = False
    ) -> LockAnswer:
        """Break another owner's lock; the act is logged. `fence`: the number of the lock that is meant, refused where
        it is another; `rehearse`: only report it. Raises LockRequired if there is none, UsageError."""
        locks, key = self._tools().locks, named(self._root, path)
        lock = locks.break_lock(key, by, reason=reason, fence=fence, rehearse=rehearse)
        return lock_answer(lock, path)

    # Writes

    def edit(
        self,
        path: str,
        edit: Edit,
        *,
        token: str,
        handle: str,
        owner: Owner,
        skip_check: bool | None = None,
        rehearse: bool = False,
    ) -> WriteAnswer:
        """Put new lines in the place of old ones.

        `skip_check`: do not compare the token, which is an agent's choice only where the settings make no check; None:
        as the settings have it; `rehearse`: check everything and answer what would be written (`updated` is False), but
        do not write. Raises the 4000s, PathRefused, FileMissing, NotText, ReadOnly, UsageError, Busy; every message
        begins with what did not happen."""
        with refusing():
            skips = self._skips(skip_check)
            draft, done = edited(self._tools(), path, edit, token=token, handle=handle, unchecked=skips)
            written = self._rehearsed(draft, handle) if rehearse else self._written(draft, handle, owner)
            return write_answer(written, done.old, done.new)

    def replace(
        self,
        path: str,
        content: str,
        *,
        token: str | None,
        handle: str,
        owner: Owner,
        rehearse: bool = False,
    ) -> WriteAnswer:
        """Replace a whole file; equal lines retain their bytes. `token`: compared where it is given, for every line;
        `rehearse` and errors: as edit."""
        with refusing():
            draft = replaced(self._tools(), path, content, token=token, handle=handle)
            before = draft.text.line_count if draft.text is not None else 0
            written = self._rehearsed(draft, handle) if rehearse else self._written(draft, handle, owner)
            after = draft.after.line_count if draft.after is not None else 0
            return write_answer(written, (1, before), (1, after))

    def patch(
        self,
        diff: str,
        tokens: Mapping[str, str],
        handles: Sequence[str],
        *,
        owner: Owner,
        rehearse: bool = False,
    ) -> ChangeAnswer:
        """Apply a unified diff to all its files, or to none. `tokens`: by path, one for each file that is there;
        `rehearse`: as edit; the answer's `group` is then 0.

        Raises UsageError for a patch that is refused or names a file without a token, VersionConflict where a hunk does
        not fit (`rebased`: where it would), and as edit."""
        with refusing():
            drafts = patched(self._tools(), diff, tokens, handles)
            if rehearse:
                return patch_answer(drafts, None)
            intent = Intent(kind="edit", owner=owner, process="")
            return patch_answer(drafts, self._tools().write(drafts, handles, intent=intent))

    def write_edits(
        self,
        edits: Sequence[FileEdit],
        owner: Owner,
        handles: Sequence[str] = (),
        *,
        rehearse: bool = False,
    ) -> ChangeAnswer:
        """Write the edits of several files as one, or none of them; what changes nothing is left out. Without handles
        the locks are taken for as long as it lasts; `rehearse`: as edit; the answer's `group` is then 0.

        Raises VersionConflict where a file is no longer what an edit was made from, and as edit."""
        with refusing():
            admission = self._tools()
            drafts = drafts_of(admission, edits)
            if rehearse or not drafts:
                return patch_answer(drafts, None)
            paths = [draft.path for draft in drafts]
            with admission.locked(paths, owner, handles, bound=self._options.lasting) as held:
                intent = Intent(kind="edit", owner=owner, process="")
                return patch_answer(drafts, admission.write(drafts, held, intent=intent))

    # History

    def undo(
        self,
        path: str | None,
        owner: Owner,
        handles: Sequence[str] = (),
        *,
        group: int | None = None,
        rehearse: bool = False,
    ) -> ChangeAnswer:
        """Undo the last write, with all its files. `group`: its number in the history, refused where another is the
        last; `rehearse`: report it, and the bytes that would be written, but do not write.

        Raises UsageError, VersionConflict, LockRequired, ReadOnly."""
        with refusing():
            target = self._back("undo", path, group)
            return self._taken_back(
                target, None if rehearse else self._history().take_back(target, owner, handles)
            )

    def redo(
        self,
        path: str | None,
        owner: Owner,
        handles: Sequence[str] = (),
        *,
        group: int | None = None,
        rehearse: bool = False,
    ) -> ChangeAnswer:
        """Make again what was undone last. `group`: the undo's number; the rest as undo."""
        with refusing():
            target = self._back("redo", path, group)
            return self._taken_back(
                target, None if rehearse else self._history().take_back(target, owner, handles)
            )

    def history(self, path: str | None, *, limit: int = 50) -> HistoryAnswer:
        """Return the writes, latest first."""
        file = None if path is None else named(self._root, path)
        if self._has_no_journal():
            return history_answer(file, ())
        return history_answer(file, self._history().listed(file, limit))

    def made(self, group: int) -> ChangeAnswer:
        """Return the changes of a write in the history, with the diff of each file. Raises UsageError where its bytes
        are no longer stored."""
        found, files = self._history().made(group)
        texts = [(path, self._text(path, before), self._text(path, after)) for path, before, after in files]
        return made_answer(found, texts)

    def keep_staged(self, group: int, before: str, after: str) -> None:
        """Store the index entry of a write's one file before and after it, as Journal.keep_staged."""
        self._tools().journal.keep_staged(group, before, after)

    def staged_before(self, group: int) -> tuple[str, str] | None:
        """(before, after) of the write that an undo or redo takes back; None where its index was left alone."""
        return self._tools().journal.staged_before(group)

    def others(self, *, since: int) -> OthersAnswer:
        """Locks that other processes hold, and what they wrote since then. Raises ReadOnly, Busy."""
        if not self._path.exists():
            return OthersAnswer()
        locks = self._tools().locks.list(of_others=True)
        return OthersAnswer(
            locks=tuple(lock_answer(lock) for lock in locks), written=self.written_by_others(since=since)
        )

    def written_by_others(self, *, since: int) -> tuple[HistoryEntry, ...]:
        """Return the writes of other processes since then (ms since 1970), latest first, at most 50. Raises ReadOnly,
        Busy."""
        if not self._path.exists():
            return ()
        admission = self._tools()
        found = admission.journal.groups_since(since, limit=_MOST_OF_OTHERS)
        mine = admission.guarded.recovery.process
        return tuple(history_entry(*each) for each in found if each[0].process != mine)

    def _back(self, kind: str, path: str | None, group: int | None) -> Back:
        self._tools().guarded.recovery.recover_all()
        file = None if path is None else named(self._root, path)
        return self._history().target(kind, file, expected=group)

    def _taken_back(self, target: Back, written: WrittenFile | None) -> ChangeAnswer:
        files = [
            (each.path, self._text(each.path, each.base), self._text(each.path, each.new))
            for each in target.changes
        ]
        return back_answer(
            target.kind, written, files, group=target.group if written is None else written.group
        )

    def _text(self, path: str, data: bytes | None) -> Text | None:
        return None if data is None else decode(data, path, encoding=self._root.encoding)

    def _written(self, draft: WriteDraft, handle: str, owner: Owner) -> tuple[WriteDraft, str | None]:
        """The draft, and its file's new token; None where nothing had to be written."""
        admission = self._tools()
        if draft.text is not None and draft.new == draft.text.data:
            admission.locks.require(draft.path, [handle])
            return draft, None
        written = admission.write([draft], [handle], intent=Intent(kind="edit", owner=owner, process=""))
        return draft, written.token(draft.path)

    def _rehearsed(self, draft: WriteDraft, handle: str) -> tuple[WriteDraft, str | None]:
        self._tools().locks.require(draft.path, [handle])
        return draft, None

    def _skips(self, asked: bool | None) -> bool:
        """Whether the token is not compared. Raises UsageError where that is not an agent's choice."""
        if asked and self._settings.conflict_check and agent() is not None:
            raise UsageError("The settings (cache.conflict_check) keep agents from skipConflictCheck.")
        return not self._settings.conflict_check if asked is None else asked

    def _has_no_journal(self) -> bool:
        """Whether nothing was written yet: to read it then needs no file, which a full disk would not hold."""
        return self._opened.peek(self._path) is None and not self._path.exists()

    def _history(self) -> WriteHistory:
        return WriteHistory(self._tools(), bound=self._options.lasting)

    def _tools(self) -> WriteAdmission:
        return self._opened.get(self._path, self._open).admission

    def _open(self) -> _OpenJournal:
        database = Database(self._path, ensure=self._options.ensure)
        locks = Locks(database, clock=self._options.clock or BootClock(), shared=self._options.shared)
        journal = Journal(database, most_groups=self._options.groups)
        guarded = GuardedWriter(self._root, database, locks=locks, journal=journal, calls=self._options.calls)
        return _OpenJournal(database, WriteAdmission(self._root, locks, journal, guarded, self._memory))


_NAMED = 5


def _cannot_be_undone(paths: Sequence[str]) -> Notice:
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    return Notice(
        severity="warning",
        message=f"Writes of {', '.join(paths[:_NAMED])}{more} cannot be undone: what was kept of them is damaged.",
        what_to_do="The files themselves are as they were written. Git may have what was there before.",
    )
