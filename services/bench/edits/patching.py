"""Editing lines of a file by hand: what the patch editor of the workbench does, without its screen.

A draft is bound to the content it was begun on, and kept in the state folder until it is written or thrown away, so
that what was typed outlives the program.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Collection
from contextlib import suppress

import msgspec

from services.bench.edits.writing import Writing
from services.errors import CodeCortexError, LockRequired, UsageError
from services.model import ConflictHunk, Draft, MergeChoice, Rebased, SourceRange
from services.model.writes import WriteAnswer
from services.source.read.reader import SourceReader
from services.source.text.differ import matching_blocks, merge, unified_diff
from services.source.text.edit import Edit, apply_edit
from services.source.text.patch import MisfitError, apply_patch, parse_patch
from services.syntax.parse.parsing import new_error_line
from services.workspace import json_files
from services.workspace.state import StateFolder
from services.workspace.text import Text, decode

FOLDER = "drafts"
PURPOSE = "patch editor"
_KEPT = 20


class Patching:
    """Store of the drafts of a workspace. Nothing is cached in memory: any number of processes may edit."""

    def __init__(self, state: StateFolder, reader: SourceReader, writing: Writing) -> None:
        self._state = state
        self._reader = reader
        self._writing = writing

    def begin(self, path: str, start: int, end: int) -> Draft:
        """Return a draft of lines `start` to `end` of a file, as they are now. It is stored once it changes.

        Raises LineOutOfRange, PathRefused, FileMissing, NotText, and UsageError for a file that cannot be written."""
        whole = self._reader.read(path)
        if not whole.writable:
            raise UsageError(
                f"{path} cannot be edited: it is {whole.encoding}, which is shown, never written."
            )
        lines = self._reader.read(path, start=start, end=end)
        return Draft(
            file=whole.file,
            start=lines.start_line,
            end=lines.end_line,
            token=whole.token,
            base=whole.content,
            text=lines.content,
            expires_at=lines.expires_at,
        )

    def diff(self, draft: Draft) -> str:
        """Return a unified diff between the file as the draft knows it and the edited text; empty where nothing
        changes.

        Raises UsageError, NotText for a text that cannot be written."""
        before = _text(draft.base)
        after = decode(_edited(draft, before), draft.file)
        return unified_diff(draft.file, before.lines(), after.lines())

    def unparsable(self, draft: Draft) -> str:
        """A sentence about the first line that would not parse any more; empty where all does, or did not before."""
        if not draft.file.endswith(".cs"):
            return ""
        line = new_error_line(draft.base.encode("utf-8", "replace"), _mine(draft).encode("utf-8", "replace"))
        return f"Line {line} would not parse." if line is not None else ""

    def unparsable_after(self, diff: str, left_out: Collection[int] = ()) -> str:
        """A sentence about the first line that would not parse any more with a diff; empty where all does, did not
        before, or the diff fits no file as it is now. `left_out`: its hunks that are not written, counted from 0."""
        hunk = 0
        with suppress(CodeCortexError, MisfitError):
            for patch in parse_patch(diff):
                numbered = enumerate(patch.hunks, hunk)
                hunk += len(patch.hunks)
                kept = tuple(each for at, each in numbered if at not in left_out)
                if not kept or patch.creates or patch.deletes or not patch.path.endswith(".cs"):
                    continue
                before = _text(self._reader.read(patch.path).content)
                after = apply_patch(before, msgspec.structs.replace(patch, hunks=kept)) or b""
                if (line := new_error_line(before.data, after)) is not None:
                    return f"Line {line} of {patch.path} would not parse."
        return ""

    def apply(self, draft: Draft, handle: str) -> tuple[WriteAnswer, Draft]:
        """Writes a draft; the draft to go on with. Raises the 4000s: VersionConflict leads to `rebase`."""
        # Whoever edits a draft counts its lines as it was begun: it is compared whatever the settings make the default.
        answer = self._writing.edit(
            draft.file,
            Edit(draft.start, draft.end, draft.text),
            token=draft.token,
            handle=handle,
            skip=False,
        )
        self.forget(draft)
        return answer, self._next(draft.file, answer.new_range)

    def rebase(self, draft: Draft) -> Rebased:
        """A draft whose file has changed since it was begun, and the file as it is now, brought together.

        Raises FileMissing where the file is gone."""
        now = self._reader.read(draft.file)
        sides = (_lines(draft.base), _lines(_mine(draft)), _lines(now.content))
        hunks = merge(*sides).conflicts
        return Rebased(
            draft=draft,
            theirs=now.content,
            token=now.token,
            hunks=tuple(
                ConflictHunk(
                    start_line=hunk.start,
                    base="".join(hunk.base),
                    mine="".join(hunk.mine),
                    theirs="".join(hunk.theirs),
                )
                for hunk in hunks
            ),
        )

    def resolved(self, rebased: Rebased, choice: MergeChoice) -> tuple[str, str]:
        """(the whole file's new text, its diff from the file as it is now). Where only one side changed lines, that
        side is taken; `choice` says whose where both did."""
        draft = rebased.draft
        base, mine, theirs = _lines(draft.base), _lines(_mine(draft)), _lines(rebased.theirs)
        if choice is MergeChoice.THEIRS:
            lines = merge(base, mine, theirs).lines
        else:
            lines = merge(base, theirs, mine).lines
        return "".join(lines), unified_diff(draft.file, theirs, list(lines))

    def write_resolved(self, rebased: Rebased, choice: MergeChoice, handle: str) -> tuple[WriteAnswer, Draft]:
        """Writes what `resolved` shows; the draft to go on with. Raises VersionConflict where the file has changed
        once more, LockRequired."""
        text, _ = self.resolved(rebased, choice)
        draft = rebased.draft
        lines = draft.start, draft.start + max(0, len(_lines(draft.text)) - 1)
        answer = self._writing.replace(draft.file, text, handle=handle, token=rebased.token)
        self.forget(draft)
        return answer, self._next(draft.file, _moved(_lines(_mine(draft)), _lines(text), lines))

    def onto(self, rebased: Rebased) -> Draft:
        """The draft's text over the file as it is now, to be edited on."""
        draft = rebased.draft
        start, end = _moved(_lines(draft.base), _lines(rebased.theirs), (draft.start, draft.end))
        return msgspec.structs.replace(
            draft, base=rebased.theirs, token=rebased.token, start=start, end=max(end, start - 1)
        )

    def keep(self, draft: Draft) -> None:
        """Store the edited text. Raises ReadOnly."""
        kept = msgspec.structs.replace(draft, kept_at=time.time_ns() // 1_000_000)
        self._state.write(_file(draft.file), json_files.encode(kept, indent=1))

    def forget(self, draft: Draft) -> None:
        """Delete the stored draft."""
        with suppress(CodeCortexError, OSError):
            self._state.remove(_file(draft.file))

    def drafts(self) -> tuple[Draft, ...]:
        """The drafts that were neither written nor thrown away, the last one first."""
        found = []
        for name in self._state.names(FOLDER):
            with suppress(msgspec.MsgspecError, OSError):
                if data := self._state.read(f"{FOLDER}/{name}"):
                    found.append(json_files.decode(data, Draft))
        return tuple(sorted(found, key=lambda draft: -draft.kept_at)[:_KEPT])

    def renewed(self, draft: Draft) -> Draft:
        """The draft with a token that is remembered again, where its file still is as it was. Raises VersionConflict
        by way of `apply` else; here it only stays as it is."""
        with suppress(CodeCortexError):
            now: SourceRange = self._reader.read(draft.file)
            if now.content == draft.base:
                return msgspec.structs.replace(draft, token=now.token, expires_at=now.expires_at)
        return draft

    def _next(self, path: str, lines: tuple[int, int]) -> Draft:
        """A draft of lines as they are now; of the line before where nothing is left of them."""
        count = self._reader.read(path).line_count
        start = max(1, min(lines[0], count))
        return self.begin(path, start, max(start, min(lines[1], count)))

    def lock(self, draft: Draft) -> str:
        """Locks the file; the handle. Raises LockRequired where somebody else holds it."""
        answer = self._writing.lock(draft.file, purpose=PURPOSE)
        if answer.lock_handle is None:
            raise LockRequired(f"{draft.file} could not be locked.", object=draft.file, owner=None)
        return answer.lock_handle


def _mine(draft: Draft) -> str:
    return decode(_edited(draft, _text(draft.base)), draft.file).content


def _edited(draft: Draft, before: Text) -> bytes:
    return apply_edit(before, Edit(draft.start, draft.end, draft.text), path=draft.file).data


def _text(content: str) -> Text:
    return decode(content.encode("utf-8", "surrogateescape"))


def _lines(content: str) -> list[str]:
    return _text(content).lines()


def _moved(old: list[str], new: list[str], lines: tuple[int, int]) -> tuple[int, int]:
    """Return the positions in `new` of the first and last line of `old`; those of their replacement where they are
    gone."""
    blocks = matching_blocks(old, new)
    first = next((b.b + max(0, lines[0] - 1 - b.a) for b in blocks if b.a + b.size >= lines[0]), len(new))
    after = next((b.b + max(0, lines[1] - b.a) for b in blocks if b.a + b.size > lines[1]), len(new))
    return first + 1, after


def _file(path: str) -> str:
    return f"{FOLDER}/{hashlib.sha256(path.encode('utf-8', 'surrogateescape')).hexdigest()[:16]}.json"
