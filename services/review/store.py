"""Reviews as files: `reviews/<id>.json` in the state folder, and in `.context/` a copy of each with its Markdown, which
is never read back: what is published, and where, is the person's own."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

import msgspec

from services.errors import Busy, CodeCortexError, UsageError
from services.model import Value
from services.model.review import CommentState, Review, ReviewComment
from services.review.look import ReviewedState
from services.review.markdown import review_markdown
from services.syntax.records.hashing import base32, is_base32, random_base32
from services.workspace import json_files
from services.workspace.folder_files import FolderFiles
from services.workspace.state import StateFolder

FOLDER = "reviews"
_TRIES = 5
_T = TypeVar("_T", bound=Value)


class Reviews:
    """Store of the reviews of a workspace. Safe for threads and for several processes."""

    def __init__(self, state: StateFolder) -> None:
        self._state = state
        self._files: FolderFiles = state.shared if state.shared.is_team else state

    def of(self, change: str, *, title: str, signature: str) -> Review:
        """Return the review of a change by its name; a new unsaved one where there is none."""
        id_ = id_of(change)
        found = self._read(f"{FOLDER}/{id_}.json", Review)
        now = _now()
        return found or Review(
            id=id_, change=change, title=title, signature=signature, created_at=now, updated_at=now
        )

    def has(self, change: str) -> bool:
        """Whether anything is stored for a change."""
        return self._files.stamp(f"{FOLDER}/{id_of(change.strip())}.json") is not None

    def get(self, id_: str) -> Review:
        """Return a review. Raises UsageError for an unknown id or a damaged file."""
        found = self._read(f"{FOLDER}/{id_}.json", Review) if _is_id(id_) else None
        if found is None:
            raise UsageError(f"There is no review {id_}, or its file is damaged.", review=id_)
        return found

    def listed(self) -> tuple[Review, ...]:
        """All of them, the last one that was changed first."""
        names = []
        with suppress(OSError):
            names = [
                name.removesuffix(".json") for name in self._files.names(FOLDER) if name.endswith(".json")
            ]
        found = [self._read(f"{FOLDER}/{name}.json", Review) for name in names if _is_id(name)]
        return tuple(sorted((each for each in found if each), key=lambda each: -each.updated_at))

    def change(self, review: Review, make: Callable[[Review], Review]) -> Review:
        """Apply `make` to the current state of a review and store the result, under a lock. Raises ReadOnly, Busy,
        and what `make` raises, which leaves the review as it was."""
        for _ in range(_TRIES):
            # Somebody on another machine may have changed it meanwhile.
            with suppress(Busy):
                return self._change(review, make)
        return self._change(review, make)

    def _change(self, review: Review, make: Callable[[Review], Review]) -> Review:
        with self._state.locked(FOLDER):
            now = self._read(f"{FOLDER}/{review.id}.json", Review) or review
            made = make(now)
            if made == now and now is not review:
                return now
            made = msgspec.structs.replace(made, updated_at=_now())
            data = json_files.encode(made)
            self._files.write(f"{FOLDER}/{made.id}.json", data)
            with suppress(CodeCortexError):  # copies, for people to read
                if self._files is not self._state.shared:
                    self._state.shared.write(f"{FOLDER}/{made.id}.json", data)
                markdown = review_markdown(made).encode("utf-8", "replace")
                self._state.shared.write(f"{FOLDER}/{made.id}.md", markdown)
            return made

    def look(self, review: Review) -> ReviewedState | None:
        """The change as it was last looked at."""
        return self._read(f"{FOLDER}/{review.id}.look.json", ReviewedState)

    def keep_look(self, review: Review, look: ReviewedState) -> None:
        """Store the current version of a change as viewed. Raises ReadOnly."""
        self._state.write(f"{FOLDER}/{review.id}.look.json", json_files.encode(look, indent=None))

    def _read(self, name: str, kind: type[_T]) -> _T | None:
        """Return the content of a file; None where there is none. A damaged file is set aside with a warning."""
        files = self._files if kind is Review else self._state
        if (data := files.read(name)) is None:
            return None
        try:
            return json_files.decode(data, kind)
        except ValueError:
            self._state.quarantine(name, "A review" if kind is Review else "What was looked at of a review")
            return None


def id_of(change: str) -> str:
    """The id of the review of a change: always the same, so that it is found again."""
    return "R_" + base32(hashlib.sha256(change.encode("utf-8", "surrogatepass")).digest(), 8)


def comment_of(review: Review, id_: str) -> ReviewComment:
    """A comment by its id. Raises UsageError."""
    found = next((each for each in review.comments if each.id == id_), None)
    if found is None:
        message = f"The review has no comment {id_}. Show the review to see those it has."
        raise UsageError(message, comment=id_)
    return found


def unpublished(review: Review, id_: str) -> ReviewComment:
    """A comment that can be changed here. Raises UsageError."""
    found = comment_of(review, id_)
    if found.state is CommentState.PUBLISHED:
        message = f"Comment {id_} is published: it is changed where it was published."
        raise UsageError(message, comment=id_)
    return found


def own(review: Review, id_: str, by: tuple[str, str]) -> ReviewComment:
    """Return a comment that the actor (name and kind) may change: a person any, an agent its own. Raises
    UsageError."""
    found = unpublished(review, id_)
    if by[1] != "person" and (found.author, found.author_kind) != by:
        raise UsageError(f"Comment {id_} is not yours.", comment=id_)
    return found


def _is_id(text: str) -> bool:
    return len(text) == 10 and text.startswith("R_") and is_base32(text[2:])


def new_comment_id() -> str:
    """An id that no comment has."""
    return "C_" + random_base32(8)


def _now() -> int:
    return time.time_ns() // 1_000_000
