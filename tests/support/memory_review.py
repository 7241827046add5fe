"""Reviews of a workspace in memory: one of each value, with text that a terminal must not act on."""

from __future__ import annotations

from typing import Any

from services.model import ChangeSet, Commit, DiffLine, FileChange, Hunk
from services.model.review import (
    CommentsAnswer,
    DiffPack,
    DroppedComment,
    Finding,
    Interdiff,
    InterdiffFile,
    NumberedAnswer,
    Publication,
    Review,
    ReviewAnswer,
    ReviewComment,
    ReviewProgress,
    Severity,
)
from services.review.opened import OpenedChange
from services.review.sources.source import NewSide

EVIL = "Tree\x1b[31m\u202e"
FILE = FileChange(path=EVIL, status="renamed", old_path=EVIL, added=1, deleted=0, note=EVIL)
HUNK = Hunk(
    old_start=1, old_count=0, new_start=1, new_count=1, lines=(DiffLine(text=EVIL, new=1, ended=False),)
)
COMMENT = ReviewComment(id="C_1", file=EVIL, line=1, text=EVIL, author=EVIL, note=EVIL, outdated=True)
FINDING = Finding(kind="debris", severity=Severity.WARNING, file=EVIL, line=1, text=EVIL, places=(EVIL,))
DROPPED = DroppedComment(comment=COMMENT, reason=EVIL)


class MemoryChanges:
    """Commits."""

    def commits(self, **_: object) -> tuple[Commit, ...]:
        return (Commit(id="a" * 40, short="aaaa", author=EVIL, at=0, subject=EVIL, refs=EVIL),)


class _Source:
    name = EVIL
    new_side = NewSide.NONE
    remote = None

    def read(self, **_: object) -> ChangeSet:
        return ChangeSet(title=EVIL, old="a", new="b", files=(FILE,))

    def hunks(self, change: FileChange, *, context: int = 3) -> tuple[Hunk, ...]:
        return (HUNK,)

    def new_lines(self, change: FileChange) -> list[str] | None:
        return None


class MemoryReview:
    """Review service with an answer to every call."""

    def open(self, change: str) -> OpenedChange:
        return OpenedChange(_Source())

    def numbered(self, *_: object) -> NumberedAnswer:
        return NumberedAnswer(
            title=EVIL, text=f"File: {EVIL}\n", files=1, added=1, deleted=0, new_side="none"
        )

    def review(self, *_: object, **__: object) -> ReviewAnswer:
        review = Review(
            id="R_1", change=EVIL, title=EVIL, summary=EVIL, comments=(COMMENT,), dropped=(DROPPED,)
        )
        progress = ReviewProgress(hunks=2, reviewed=1, files=1, files_reviewed=0, next_file=EVIL, next_line=1)
        return ReviewAnswer(review=review, progress=progress, counts={}, findings=(FINDING,))

    decide = mark = summarize = edit = delete = proposed = review

    def comment(self, *_: object) -> ReviewComment:
        return COMMENT

    def add(self, *_: object, **__: object) -> CommentsAnswer:
        return CommentsAnswer(review="R_1", taken=(COMMENT,), dropped=(DROPPED,), total=1)

    paste = add

    def since(self, _: str) -> Interdiff:
        return Interdiff(looked_at=1, files=(InterdiffFile(path=EVIL, status="changed", lines=(EVIL,)),))

    def pack(self, *_: object, **__: Any) -> DiffPack:
        return DiffPack(text=f"{EVIL}\n", tokens=1, budget=2)

    def publish(self, *_: object, **__: Any) -> Publication:
        return Publication(target="github", text=EVIL, published=("C_1",), address=EVIL)
