"""Hunks as they were looked at: marks that fall where a hunk changes, and what changed between two looks."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from services.model import DiffLine, FileChange, Hunk, Value
from services.model.review import HunkMark, Interdiff, InterdiffFile, Review, ReviewProgress, Standing
from services.source.diffs.hunks import hunks_of

REVIEWED, NEW = "reviewed", "new since you looked"
"""What is said beside a hunk."""
_OPEN = "\n\\ No newline at end of file"


class LookedLine(Value, frozen=True, array_like=True):
    """A line of a hunk: its sign, its text, and whether a line end follows."""

    sign: str
    text: str
    ended: bool = True


class LookedFile(Value, frozen=True, kw_only=True):
    """The hunks of a file when they were looked at."""

    path: str
    hunks: tuple[tuple[LookedLine, ...], ...]


class ReviewedState(Value, frozen=True, kw_only=True):
    """A change set when it was looked at. `at`: ms."""

    at: int
    signature: str
    files: tuple[LookedFile, ...]


def look_at(
    changes: Iterable[tuple[FileChange, Sequence[Hunk]]], *, signature: str, at: int
) -> ReviewedState:
    """A change set as it is now."""
    files = [
        LookedFile(
            path=change.path,
            hunks=tuple(tuple(map(_looked, hunk.lines)) for hunk in hunks),
        )
        for change, hunks in changes
    ]
    return ReviewedState(at=at, signature=signature, files=tuple(files))


def digest_of(path: str, hunk: Hunk) -> str:
    """Return the digest of a hunk's lines, wherever they are; it changes with the hunk."""
    return _digest(path, map(_looked, hunk.lines))


def _looked(line: DiffLine) -> LookedLine:
    return LookedLine(line.sign, line.text, line.ended)


def looked_at(standing: Standing | None, path: str, hunk: Hunk) -> str:
    """Whether a hunk is marked as looked at, or came since the change was last looked at; empty for neither."""
    if standing is None:
        return ""
    digest = digest_of(path, hunk)
    if any(mark.file == path and mark.digest == digest for mark in standing.review.marks):
        return REVIEWED
    return NEW if standing.looked is not None and digest not in standing.looked else ""


def marked(review: Review, path: str, digests: Sequence[str], *, by: str, reviewed: bool) -> Review:
    """A review with hunks of a file marked as looked at, or with their marks taken away."""
    kept = [mark for mark in review.marks if mark.file != path or mark.digest not in digests]
    now = time.time_ns() // 1_000_000
    added = [HunkMark(file=path, digest=digest, by=by, at=now) for digest in digests] if reviewed else []
    return msgspec.structs.replace(review, marks=(*kept, *added))


def _digest(path: str, lines: Iterable[LookedLine]) -> str:
    text = "\n".join([path, *(f"{line.sign}{line.text}{'' if line.ended else _OPEN}" for line in lines)])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def progress_of(
    changes: Iterable[tuple[FileChange, Sequence[Hunk]]],
    marks: Iterable[HunkMark],
    *,
    after: tuple[str, int] | None = None,
) -> ReviewProgress:
    """How far a review is. A file without lines to show counts as one hunk. `after`: file and line behind which the
    next open hunk is looked for; from the start where there is none behind."""
    seen = {(mark.file, mark.digest) for mark in marks}
    hunks = reviewed = files = whole = 0
    first: tuple[str, int | None] | None = None
    behind: tuple[str, int | None] | None = None
    passed = False
    for change, found in changes:
        files += 1
        is_here = after is not None and change.path == after[0]
        places = [(digest_of(change.path, hunk), _changes_at(hunk)) for hunk in found] or [
            (file_digest(change), None)
        ]
        open_ = [line for digest, line in places if (change.path, digest) not in seen]
        hunks, reviewed = hunks + len(places), reviewed + len(places) - len(open_)
        whole += not open_
        further = [line for line in open_ if passed or (is_here and after and (line or 0) > after[1])]
        first = first or ((change.path, open_[0]) if open_ else None)
        behind = behind or ((change.path, further[0]) if further else None)
        passed = passed or is_here
    next_at = behind or first
    return ReviewProgress(
        hunks=hunks, reviewed=reviewed, files=files, files_reviewed=whole,
        next_file=next_at[0] if next_at else None, next_line=next_at[1] if next_at else None,
    )  # fmt: skip


def _changes_at(hunk: Hunk) -> int:
    """Return the line of the new side at which a hunk begins to differ; after a deletion, the line that follows it."""
    first = next((at for at, line in enumerate(hunk.lines) if line.old is None or line.new is None), 0)
    return next((line.new for line in hunk.lines[first:] if line.new is not None), hunk.new_range[1])


def whole_files(
    changes: Iterable[tuple[FileChange, Sequence[Hunk]]], marks: Iterable[HunkMark]
) -> frozenset[str]:
    """The paths of files of which every hunk was looked at."""
    seen = {(mark.file, mark.digest) for mark in marks}
    return frozenset(
        change.path
        for change, hunks in changes
        if all(
            (change.path, digest) in seen
            for digest in [digest_of(change.path, hunk) for hunk in hunks] or [file_digest(change)]
        )
    )


def digests_of(look: ReviewedState) -> frozenset[str]:
    """The digests of all hunks that were there."""
    return frozenset(_digest(file.path, lines) for file in look.files for lines in file.hunks)


def file_digest(change: FileChange) -> str:
    """Return the digest that represents a file without hunks."""
    told = (change.status, change.old_path or "", change.old_mode, change.new_mode, change.new_blob)
    return hashlib.sha256("\n".join(told).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def interdiff(
    before: ReviewedState | None, changes: Iterable[tuple[FileChange, Sequence[Hunk]]]
) -> Interdiff:
    """Return the difference between a change set and its last viewed version; all of it is new where there is none."""
    old: dict[str, LookedFile] = {each.path: each for each in before.files} if before is not None else {}
    found = [_file(change.path, old.pop(change.path, None), hunks) for change, hunks in changes]
    gone = [InterdiffFile(path=path, status="gone") for path in old]
    return Interdiff(looked_at=before.at if before is not None else 0, files=(*found, *gone))


def _file(path: str, before: LookedFile | None, hunks: Sequence[Hunk]) -> InterdiffFile:
    if before is None:
        return InterdiffFile(path=path, status="new", hunks_new=len(hunks))
    known = {_digest(path, lines) for lines in before.hunks}
    same = sum(digest_of(path, hunk) in known for hunk in hunks)
    unchanged = same == len(hunks) == len(before.hunks)
    lines = () if unchanged else tuple(_between(before, hunks))
    status = "same" if unchanged else "changed"
    return InterdiffFile(path=path, status=status, hunks_new=len(hunks) - same, hunks_same=same, lines=lines)


def _between(before: LookedFile, hunks: Sequence[Hunk]) -> Iterator[str]:
    """The lines of the new side that differ from those of the last look, with the numbers that they have now."""
    old = [f"{line.text}\n" for lines in before.hunks for line in lines if line.sign != "-"]
    shown = [line for hunk in hunks for line in hunk.lines if line.new is not None]
    for hunk in hunks_of(old, [f"{line.text}\n" for line in shown], context=0):
        for line in hunk.lines:
            if line.new is not None:
                yield f"NEW_LINE_{shown[line.new - 1].new}: + {line.text}"
            else:
                yield f"WAS: - {line.text}"


def shown_lines(hunks: Iterable[Hunk]) -> Mapping[int, DiffLine]:
    """The lines of the new side that hunks show, by number."""
    return {line.new: line for hunk in hunks for line in hunk.lines if line.new is not None}
