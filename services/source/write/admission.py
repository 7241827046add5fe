"""Write admission, the way of every change of a file: admission, the guarded write, what is remembered.

A version conflict says who changed what since it was read, and how both changes fit (SPEC section 7).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from services.errors import (
    CacheExpired,
    CodeCortexError,
    FileMissing,
    TokenInvalid,
    TokenMismatch,
    VersionConflict,
)
from services.source.atomic.step import ChangedError
from services.source.atomic.target import WriteTarget
from services.source.atomic.write import GuardedWriter, WrittenFile
from services.source.journal.actor import Owner
from services.source.journal.journal import Intent, Journal, JournaledChange, digest
from services.source.journal.locks import Locks
from services.source.read.known_lines import ContentReads, Memory
from services.source.read.token import (
    EMPTY,
    Token,
    digest_of,
    of_another,
    of_nothing,
    parse_token,
    token_from,
    token_of,
)
from services.source.text.differ import merge, unified_diff
from services.source.text.patch import MisfitError
from services.source.text.placeholder import refuse_placeholders
from services.source.text.ranges import Lines, covers, joined
from services.source.write.draft import Admitted, MakeBytes, WriteDraft
from services.workspace.files.root import Root
from services.workspace.text import Text, decode

_RESOLUTION = "Read the lines again with getObjectSourceV2, decide, and write with the new token."
_THERE = "The file already says what this change would make it say: nothing is left to write."
_REBASED = "Both changes go together: look at `rebased`, a diff of the file as it is now; apply it with currentToken."
_HUNKS = "Both sides changed the same lines: `hunks` shows them. Decide, and write with currentToken."
_MOST_HUNKS = 20


class CurrentFile(msgspec.Struct, frozen=True):
    """A file as it is now. `data` is None where it is gone; `changed_by`: as well as it is known."""

    path: str
    data: bytes | None
    mtime_ns: int
    changed_by: str

    @property
    def token(self) -> str | None:
        """Its token; None for no file."""
        return None if self.data is None else token_of(self.data, self.mtime_ns)


def conflict(
    now: CurrentFile, expected: str | None, *, base: Text | None, mine: MakeBytes | None
) -> VersionConflict:
    """The error to raise. `base`: what the caller read, if it is still known; `mine`: makes their bytes of it."""
    gone = now.data is None
    changed = f"was changed by {now.changed_by}" if now.changed_by else "has changed"
    details: dict[str, Any] = {
        "expectedToken": expected,
        "currentToken": now.token,
        "changedBy": now.changed_by,
        "changedAt": now.mtime_ns // 1_000_000,
        "resolution": _RESOLUTION,
    }
    if base is not None and mine is not None and not gone:
        details |= _merged(now, base, mine)
    return VersionConflict(
        f"{now.path} {'has been deleted' if gone else changed} since it was read. {details['resolution']}",
        object=now.path,
        **details,
    )


def _merged(now: CurrentFile, base: Text, mine: MakeBytes) -> dict[str, Any]:
    """How both changes go together; nothing where the caller's cannot be made of `base`: a patch may be of another
    text than the token's; nor where they would delete what somebody else has changed."""
    try:
        data = mine(base)
        if data is None:
            return {}
        theirs = decode(now.data or b"", now.path, encoding=base.declared)
        ours = decode(data, now.path, encoding=base.declared)
        sides = (base.lines(), ours.lines(), theirs.lines())
    except (CodeCortexError, MisfitError, UnicodeError):
        return {}
    merged = merge(*sides)
    if not merged.conflicts:
        rebased = unified_diff(now.path, sides[2], list(merged.lines))
        return {"rebased": rebased, "resolution": _REBASED} if rebased else {"resolution": _THERE}
    hunks = [
        {
            "startLine": hunk.start,
            "base": "".join(hunk.base),
            "mine": "".join(hunk.mine),
            "theirs": "".join(hunk.theirs),
        }
        for hunk in merged.conflicts[:_MOST_HUNKS]
    ]
    return {"hunks": hunks, "resolution": _HUNKS}


_MINUTE = 60.0
_PRUNED_EVERY = 256
"""Groups after which what is too old is forgotten, however long the program runs."""


class _KnownContent(msgspec.Struct, frozen=True):
    """A content of which only the lines are known."""

    lines: Lines
    base: None = None


class WriteAdmission(msgspec.Struct, frozen=True):
    """The pieces, and what they do together."""

    root: Root
    locks: Locks
    journal: Journal
    guarded: GuardedWriter
    memory: Memory

    def current(self, path: str) -> tuple[str, Text | None, int]:
        """The canonical path, the text as it is now and its mtime in ns; None for no file, whether or not its folder is
        there. Raises PathRefused, NotText, WorkspaceError."""
        try:
            with WriteTarget.open(self.root, path) as target:
                data, mtime_ns = target.read()
                return target.path, None if data is None else self._decoded(data, target.path), mtime_ns
        except FileMissing:
            return self.root.normalise(path), None, 0

    def admit(
        self,
        path: str,
        token: str,
        lines: tuple[int, int] | None,
        *,
        handles: Sequence[str],
        mine: MakeBytes | None = None,
    ) -> Admitted:
        """Return the text that a token permits its owner to change. `lines`: (first, last) to be written; None: all.
        Raises LockRequired, TokenInvalid, TokenMismatch for lines that were not read under it, CacheExpired where no
        reads are remembered, VersionConflict, and as current.

        Raises LockRequired, TokenInvalid, TokenMismatch for lines that were not read under it, CacheExpired where
        nobody remembers any that were, VersionConflict, and as current."""
        canonical, text, mtime_ns = self.current(path)
        try:
            return self._admitted((canonical, text, mtime_ns), token, lines, mine)
        except CodeCortexError:
            # A missing lock is reported first; the write itself checks once more.
            self.locks.require(canonical, handles)
            raise

    def _admitted(
        self,
        now: tuple[str, Text | None, int],
        token: str,
        lines: tuple[int, int] | None,
        mine: MakeBytes | None,
    ) -> Admitted:
        canonical, text, mtime_ns = now
        wanted = _parsed(canonical, token, is_there=text is not None).digest
        seen: ContentReads | None = None
        try:
            seen = self._seen(canonical, token, lines)
        except CacheExpired:
            if text is not None and text.line_count and _is_read(text, None, wanted):
                raise
        base = seen.base if seen is not None else None
        if not _is_read(text, base, wanted):
            raise self.conflict(canonical, text, mtime_ns, expected=token, base=base, mine=mine)
        if seen is None or text is None:
            return Admitted(text)  # there was no line to read
        # The same bytes, with lines that are counted already.
        text = seen.base or text
        if not text.line_count:
            return Admitted(text)
        first, last = lines or (1, text.line_count)
        # Lines that do not exist are refused as such by what is about to use them.
        exist = 1 <= first <= last + 1 <= text.line_count + 1
        known = seen.lines
        if exist and not covers(known, first, last):
            known = joined(known, self.journal.known(canonical, wanted))
            if not covers(known, first, last):
                raise _unread(canonical, token, (first, last), known)
        return Admitted(text, known)

    def admit_unchecked(self, path: str, *, whole: bool = False) -> Admitted:
        """Return the present text, to be changed without a token. `whole`: whether all of it is replaced, so that no
        line needs to have been read. Raises as current."""
        canonical, text, _ = self.current(path)
        if text is None:
            return Admitted(None)
        return Admitted(text, joined((), [(1, text.line_count)]) if whole else self.known(canonical, text))

    def known(self, path: str, text: Text) -> Lines:
        """Return the lines of a text that were shown by this process."""
        with contextlib.suppress(CodeCortexError):
            return self._seen(path, token_from(digest_of(text.data), 0), None).lines
        return ()

    def change(self, path: str, text: Text | None, new: bytes | None) -> JournaledChange:
        """Return the change of a text, with the lines known of it; `new`: None where the file is to be deleted."""
        if new is None:
            return JournaledChange(path=path, base=text.data if text is not None else None, new=None)
        known = self.known(path, text) if text is not None else ()
        return WriteDraft(path, Admitted(text, known), None, new).change

    @contextlib.contextmanager
    def locked(
        self, paths: Sequence[str], owner: Owner, handles: Sequence[str], *, bound: bool = True
    ) -> Iterator[Sequence[str]]:
        """Yield handles for writing `paths`: the given ones, else that of a temporary lock. Raises LockRequired where
        another owner has one."""
        if handles:
            yield handles
            return
        handle = self.locks.lock(paths, owner, lease=_MINUTE, bound=bound).handle
        try:
            yield [handle]
        finally:
            self.locks.unlock(handle)

    def write(self, drafts: Sequence[WriteDraft], handles: Sequence[str], *, intent: Intent) -> WrittenFile:
        """All drafts as one. Raises VersionConflict where a file changed meanwhile, UsageError where a masked secret
        would be written over a real one, and as GuardedWriter.write."""
        for each in drafts:
            if each.after is not None:
                refuse_placeholders(each.path, each.text, each.after, each.same)
        return self.apply([each.change for each in drafts], handles, intent=intent, drafts=drafts)

    def apply(
        self,
        changes: Sequence[JournaledChange],
        handles: Sequence[str],
        *,
        intent: Intent,
        drafts: Sequence[WriteDraft] = (),
    ) -> WrittenFile:
        """All changes as one; as write."""
        try:
            written = self.guarded.write(changes, handles, intent=intent)
        except ChangedError as error:
            draft = next((each for each in drafts if each.path == error.path), None)
            raise self._overtaken(error, draft) from error
        if written.group % _PRUNED_EVERY == 0:
            with contextlib.suppress(CodeCortexError):
                self.journal.prune()
        texts = {each.path: each.after for each in drafts}
        for each in changes:
            if each.new is not None:
                after = texts.get(each.path) or self._decoded(each.new, each.path)
                token, mtime_ns = written.token(each.path) or "", written.mtimes[each.path]
                self.memory.wrote(each.path, after, token=token, mtime_ns=mtime_ns, lines=each.known)
        return written

    def conflict(
        self,
        path: str,
        text: Text | None,
        mtime_ns: int,
        *,
        expected: str | None,
        base: Text | None = None,
        mine: MakeBytes | None = None,
    ) -> VersionConflict:
        """The conflict between what was expected of `path` and what is there."""
        data = None if text is None else text.data
        if base is None and expected is not None and expected != EMPTY:
            kept = self.journal.base_of(path, parse_token(expected).digest)
            base = None if kept is None else self._decoded(kept, path)
        now = CurrentFile(path, data, mtime_ns, self._changer(path, data))
        return conflict(now, expected, base=base, mine=mine)

    def _decoded(self, data: bytes, path: str) -> Text:
        return decode(data, path, encoding=self.root.encoding)

    def _overtaken(self, error: ChangedError, draft: WriteDraft | None) -> CodeCortexError:
        try:
            _, text, mtime_ns = self.current(error.path)
        except CodeCortexError as other:
            return other
        if draft is None:
            return self.conflict(error.path, text, mtime_ns, expected=None)
        return self.conflict(
            error.path, text, mtime_ns, expected=draft.expected, base=draft.text, mine=draft.mine
        )

    def _changer(self, path: str, data: bytes | None) -> str:
        if data is None:
            return ""
        group = self.journal.writer_of(path, digest(data))
        if group is not None:
            return str(group.owner)
        try:
            return (self.root.path / path).owner()
        except (OSError, KeyError):
            return ""

    def _seen(self, path: str, token: str, wanted: tuple[int, int] | None) -> ContentReads:
        """Return the reads under a token, at least of the lines `wanted`, including lines known to the writer of that
        content. Raises as Memory.seen."""
        try:
            return self.memory.seen(path, token, wanted)
        except (CacheExpired, TokenMismatch) as error:
            digest16 = parse_token(token).digest
            if known := self.journal.known(path, digest16):
                return _KnownContent(known)
            owner = self.journal.path_of(digest16)
            if owner is None or isinstance(error, TokenMismatch):
                raise
            raise of_another(path, token, owner) from error


def _parsed(path: str, token: str, *, is_there: bool) -> Token:
    try:
        return parse_token(token)
    except TokenInvalid as error:
        raise error if is_there else of_nothing(path, token) from None


def _is_read(text: Text | None, base: Text | None, digest16: str) -> bool:
    """Whether the file still has the bytes that were read: compared whole where they are cached, else by their
    digest."""
    data = text.data if text is not None else b""
    return base.data == data if base is not None else digest_of(data) == digest16


def _unread(path: str, token: str, lines: tuple[int, int], known: Sequence[tuple[int, int]]) -> TokenMismatch:
    read = ", ".join(f"{first}-{last}" for first, last in known) or "none"
    reason = f"lines {lines[0]} to {lines[1]} were not read under it"
    return TokenMismatch(
        f"The token does not admit this write of {path}: {reason} (read: {read}). Read them and use that token.",
        object=path,
        token=token,
        reason=reason,
        read=[list(each) for each in known],
    )
