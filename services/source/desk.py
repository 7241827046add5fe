"""What every change of a file goes through, whoever asks: admission, the guarded write, what is remembered."""

from __future__ import annotations

import bisect
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from services.errors import CacheExpired, CodeCortexError, TokenMismatch, VersionConflict
from services.source.cache import covers
from services.source.conflict import Now, conflict
from services.source.journal import Change, Intent, Journal, digest
from services.source.locks import Locks
from services.source.memory import Memory, shifted
from services.source.target import Target
from services.source.token import EMPTY, digest_of, parse_token
from services.source.write import ChangedError, GuardedWriter, Written
from services.workspace.root import Root
from services.workspace.text import Text, decode

Making = Callable[[Text], bytes]
"""Makes the new bytes from a text."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A change that is admitted. `text`: as it is now, None for a file that is not there yet; `expected`: the token it
    was asked with; `mine`: makes the new bytes from what was read."""

    path: str
    text: Text | None
    expected: str | None
    new: bytes
    mine: Making | None = None


@dataclass(frozen=True, slots=True)
class Desk:
    """The pieces, and what they do together."""

    root: Root
    locks: Locks
    journal: Journal
    guarded: GuardedWriter
    memory: Memory

    def current(self, path: str) -> tuple[str, Text | None, int]:
        """The canonical path, the text as it is now and its mtime in ns; None for no file. Raises PathRefused, NotText,
        WorkspaceError, FileMissing."""
        with Target.open(self.root, path) as target:
            data, mtime_ns = target.read()
            return target.path, None if data is None else decode(data, target.path), mtime_ns

    def admit(
        self,
        path: str,
        token: str,
        lines: tuple[int, int] | None,
        *,
        handles: Sequence[str],
        mine: Making | None = None,
    ) -> Text | None:
        """The text that a token lets its holder change. `lines`: (first, last) that are to be written; None: all.

        Raises LockRequired, TokenInvalid, TokenMismatch for lines that were not read under it, VersionConflict, and
        as current."""
        canonical, text, mtime_ns = self.current(path)
        self.locks.require(canonical, handles)
        wanted = parse_token(token).digest
        entry = None
        # Where nobody remembers what was read, bytes that still stand renew the token.
        with contextlib.suppress(CacheExpired):
            entry = self.memory.seen(canonical, token)
        if wanted != digest_of(text.data if text else b"") or _differs(
            entry.base if entry is not None else None, text
        ):
            base = entry.base if entry is not None else None
            raise self.conflict(canonical, text, mtime_ns, expected=token, base=base, mine=mine)
        if entry is not None and text is not None:
            first, last = lines or (1, text.line_count)
            # Lines that do not exist are refused as such by what is about to use them.
            exist = 1 <= first <= last + 1 <= text.line_count + 1
            if exist and not covers(entry.lines, first, last):
                raise _unread(canonical, token, (first, last), entry.lines)
        return text

    def write(self, drafts: Sequence[Draft], handles: Sequence[str], *, intent: Intent) -> Written:
        """All drafts as one. Raises VersionConflict where a file changed meanwhile, and as GuardedWriter.write."""
        changes = [
            Change(path=each.path, base=each.text.data if each.text else None, new=each.new)
            for each in drafts
        ]
        return self.apply(changes, handles, intent=intent, drafts=drafts)

    def apply(
        self,
        changes: Sequence[Change],
        handles: Sequence[str],
        *,
        intent: Intent,
        drafts: Sequence[Draft] = (),
    ) -> Written:
        """All changes as one; as write."""
        try:
            written = self.guarded.write(changes, handles, intent=intent)
        except ChangedError as error:
            draft = next((each for each in drafts if each.path == error.path), None)
            raise self._overtaken(error, draft) from error
        for change in changes:
            if change.new is not None and digest(change.new) != digest(change.base):
                self._remember(change, written.mtimes[change.path])
        return written

    def conflict(
        self,
        path: str,
        text: Text | None,
        mtime_ns: int,
        *,
        expected: str | None,
        base: Text | None = None,
        mine: Making | None = None,
    ) -> VersionConflict:
        """The conflict between what was expected of `path` and what is there."""
        data = None if text is None else text.data
        if base is None and expected is not None and expected != EMPTY:
            kept = self.journal.base_of(path, parse_token(expected).digest)
            base = None if kept is None else decode(kept, path)
        now = Now(path, data, mtime_ns, self._changer(path, data))
        return conflict(now, expected, base=base, mine=mine)

    def _overtaken(self, error: ChangedError, draft: Draft | None) -> CodeCortexError:
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

    def _remember(self, change: Change, mtime_ns: int) -> None:
        """The writer of a file knows the lines it wrote, and those it knew before."""
        after = decode(change.new or b"", change.path)
        before = decode(change.base, change.path) if change.base else None
        old, new = _changed_lines(before, after)
        known: Sequence[tuple[int, int]] = ()
        if before is not None:
            try:
                known = self.memory.seen(change.path, f"0_{digest_of(before.data)}").lines
            except CodeCortexError:
                known = ((1, before.line_count),)
        lines = shifted(known, old, new)
        self.memory.wrote(change.path, after.data, mtime_ns=mtime_ns, lines=lines)


def _changed_lines(before: Text | None, after: Text) -> tuple[tuple[int, int], tuple[int, int]]:
    """(first, last) line of the one stretch outside of which both texts have the same bytes, in either."""
    if before is None:
        return (1, 0), (1, after.line_count)
    one, other = before.data, after.data
    most = min(len(one), len(other))
    head = _longest(most, lambda size: one[:size] == other[:size])
    tail = _longest(most - head, lambda size: one[len(one) - size :] == other[len(other) - size :])
    first = before.line_at(head) if before.line_count else 1
    lasts = [
        text.line_at(max(len(text.data) - tail - 1, 0)) if text.line_count else 0 for text in (before, after)
    ]
    return (first, max(lasts[0], first - 1)), (first, max(lasts[1], first - 1))


def _longest(most: int, same: Callable[[int], bool]) -> int:
    """The largest number up to `most` for which `same` holds, as it does for every smaller one."""
    return bisect.bisect_left(range(1, most + 1), True, key=lambda size: not same(size))


def _differs(base: Text | None, text: Text | None) -> bool:
    """Whether the 16 digits of a token hide that the bytes are others."""
    return base is not None and text is not None and base.data != text.data


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
