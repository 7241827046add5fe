"""What every change of a file goes through, whoever asks: admission, the guarded write, what is remembered."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from services.errors import CacheExpired, CodeCortexError, TokenMismatch, VersionConflict
from services.source.cache import covers
from services.source.changed import Same, changed_lines, shared_bytes
from services.source.conflict import Now, conflict
from services.source.journal import Change, Intent, Journal, digest
from services.source.locks import Locks
from services.source.memory import Memory, Seen, shifted
from services.source.placeholder import refuse_placeholders
from services.source.target import Target
from services.source.token import EMPTY, digest_of, parse_token
from services.source.write import ChangedError, GuardedWriter, Written
from services.workspace.root import Root
from services.workspace.text import Text, decode

_PRUNED_EVERY = 32
"""Groups after which what is too old is forgotten, however long the program runs."""

Making = Callable[[Text], bytes]
"""Makes the new bytes from a text."""


@dataclass(frozen=True)
class Draft:
    """A change that is admitted. `text`: as it is now, None for a file that is not there yet; `expected`: the token it
    was asked with; `mine`: makes the new bytes from what was read; `kept`: how many bytes of a text that is there
    stay at its start and at its end, where that is known."""

    path: str
    text: Text | None
    expected: str | None
    new: bytes
    mine: Making | None = None
    kept: Same | None = None

    @functools.cached_property
    def same(self) -> Same:
        """How much of the old text stays at its start and at its end; nothing where there is none."""
        if self.text is None:
            return (0, 0)
        return self.kept or shared_bytes(self.text.data, self.new)

    @functools.cached_property
    def after(self) -> Text:
        """The new text."""
        if self.text is None:
            return decode(self.new, self.path)
        # Whatever makes new bytes of a text sees to it that they are read as that text is (`check_kept`).
        after = replace(self.text, data=self.new)
        after.count_as(self.text, self.same)
        return after


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
            return target.path, None if data is None else self._decoded(data, target.path), mtime_ns

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

        Raises LockRequired, TokenInvalid, TokenMismatch for lines that were not read under it, CacheExpired where
        nobody remembers any that were, VersionConflict, and as current."""
        canonical, text, mtime_ns = self.current(path)
        self.locks.require(canonical, handles)
        wanted = parse_token(token).digest
        seen: Seen | None = None
        try:
            seen = self.memory.seen(canonical, token)
        except CacheExpired:
            if text is not None and text.line_count and _is_read(text, None, wanted):
                raise
        base = seen.base if seen is not None else None
        if not _is_read(text, base, wanted):
            raise self.conflict(canonical, text, mtime_ns, expected=token, base=base, mine=mine)
        if seen is None or text is None:
            return text  # there was no line to read
        # The same bytes, with lines that are counted already.
        text = seen.base or text
        if not text.line_count:
            return text
        first, last = lines or (1, text.line_count)
        # Lines that do not exist are refused as such by what is about to use them.
        exist = 1 <= first <= last + 1 <= text.line_count + 1
        if exist and not covers(seen.lines, first, last):
            raise _unread(canonical, token, (first, last), seen.lines)
        return text

    def write(self, drafts: Sequence[Draft], handles: Sequence[str], *, intent: Intent) -> Written:
        """All drafts as one. Raises VersionConflict where a file changed meanwhile, UsageError where a masked secret
        would be written over a real one, and as GuardedWriter.write."""
        for each in drafts:
            refuse_placeholders(each.path, each.text, each.after, each.same)
        changes = [
            Change(
                path=each.path,
                base=each.text.data if each.text else None,
                new=each.new,
                hashes=(each.text.digest if each.text else None, each.after.digest),
                same=each.same,
            )
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
        if written.group % _PRUNED_EVERY == 0:
            with contextlib.suppress(CodeCortexError):
                self.journal.prune()
        for change in changes:
            if change.new is not None:
                draft = next((each for each in drafts if each.path == change.path), None)
                before = draft.text if draft else change.base and self._decoded(change.base, change.path)
                after = draft.after if draft else self._decoded(change.new, change.path)
                is_whole = draft is not None and draft.expected is None
                stretch = changed_lines(before or None, after, draft.same if draft else None)
                self._remember(change.path, (before or None, after), stretch, written, is_whole=is_whole)
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
            base = None if kept is None else self._decoded(kept, path)
        now = Now(path, data, mtime_ns, self._changer(path, data))
        return conflict(now, expected, base=base, mine=mine)

    def _decoded(self, data: bytes, path: str) -> Text:
        return decode(data, path, encoding=self.root.encoding)

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

    def _remember(
        self,
        path: str,
        texts: tuple[Text | None, Text],
        stretch: tuple[tuple[int, int], tuple[int, int]],
        written: Written,
        *,
        is_whole: bool,
    ) -> None:
        """The writer of a file knows the lines it wrote, and those it knew before; all, if it gave a whole text."""
        before, after = texts
        known: Sequence[tuple[int, int]] = (
            ((1, before.line_count),) if before is not None and is_whole else ()
        )
        if before is not None and not is_whole:
            with contextlib.suppress(CodeCortexError):
                known = self.memory.seen(path, f"0_{(written.before[path] or '')[:16]}").lines
        lines = shifted(known, *stretch)
        token = written.token(path) or ""
        self.memory.wrote(path, after, token=token, mtime_ns=written.mtimes[path], lines=lines)


def _is_read(text: Text | None, base: Text | None, digest16: str) -> bool:
    """Whether the file still has the bytes that were read: compared whole where they are kept, else by their digest."""
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
