"""Service calls of the patch editor, each a function that is called in a thread."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from msgspec import Struct

from services.errors import VersionConflict
from services.model import Draft, MergeChoice, Rebased, SourceRange

if TYPE_CHECKING:
    from services.bench import Bench


class HeldLock(Struct, frozen=True):
    """`owner`: `yours`, `free`, or who holds it; `ends`: on the monotonic clock."""

    owner: str = "free"
    handle: str = ""
    ends: float = 0.0

    @property
    def is_mine(self) -> bool:
        """Whether this editor holds it."""
        return bool(self.handle)

    @property
    def left(self) -> float:
        """Seconds until its lease ends."""
        return max(0.0, self.ends - time.monotonic())


FREE = HeldLock()


RENEW_BELOW = 60.0
"""Seconds of a lease below which it is begun again."""


class Applied(Struct, frozen=True):
    """Outcome of applying: the draft to go on with and a sentence; or, in `conflict`, what stood in the way."""

    draft: Draft | None = None
    said: str = ""
    conflict: Rebased | None = None


def begin(bench: Bench, target: str, *, after: Callable[[], object]) -> tuple[Draft, bool]:
    """Begin a draft of a symbol, or of lines of a file; return whether it is a stored one. A draft of the same file
    that was typed and not written is continued first. `after`: called before drafts are looked for."""
    lines = _lines(bench, target)
    after()
    kept = next((draft for draft in bench.patching.drafts() if draft.file == lines.file), None)
    if kept is not None:
        return bench.patching.renewed(kept), True
    return bench.patching.begin(lines.file, lines.start_line, lines.end_line), False


def _lines(bench: Bench, target: str) -> SourceRange:
    """Return the lines of a symbol or range; of a single line, those of its member."""
    place, _, line = target.rpartition(":")
    if place and line.isdigit():
        symbol = bench.lookup.resolve(target).symbol
        return bench.sources.read(symbol.id if symbol else f"{place}:{line}-{line}")
    return bench.sources.read(target)


def looked_at(bench: Bench, draft: Draft, held: HeldLock) -> tuple[Draft, bool, HeldLock]:
    """The draft with a token that lives, whether its file is as it was read, and its lock as it is now. A lock of ours
    that would soon lapse is renewed."""
    fresh = bench.sources.read(draft.file).content == draft.base
    draft = bench.patching.renewed(draft) if fresh else draft
    if held.is_mine and held.left < RENEW_BELOW:
        bench.writer.renew(held.handle)
    return draft, fresh, lock_of(bench, draft.file, held)


def lock_of(bench: Bench, file: str, held: HeldLock) -> HeldLock:
    """Return the owner of a file's lock. `held`: this editor's lock, as far as it knows."""
    lock = next((each for each in bench.writer.locks().locks if file in each.files), None)
    if lock is None:
        return FREE
    ends = time.monotonic() + lock.seconds
    if held.is_mine and bench.writer.holds(held.handle):
        return HeldLock("yours", held.handle, ends)
    return HeldLock(lock.owner, "", ends)


def lock(bench: Bench, draft: Draft) -> HeldLock:
    """Takes the lock. Raises LockRequired where somebody else holds it."""
    handle = bench.patching.lock(draft)
    return lock_of(bench, draft.file, HeldLock("yours", handle, time.monotonic() + 1))


def unlock(bench: Bench, draft: Draft, held: HeldLock) -> HeldLock:
    """Gives the lock back."""
    bench.writing.unlock(draft.file, held.handle)
    return FREE


def break_lock(bench: Bench, draft: Draft) -> HeldLock:
    """Takes another's lock away and takes it; the act is logged."""
    bench.writing.break_lock(draft.file, reason="broken in the patch editor")
    return lock(bench, draft)


def apply(bench: Bench, draft: Draft, held: HeldLock) -> Applied:
    """Write the draft, under a lock that is taken for it where this editor holds none. A file that has changed since is
    brought together with it, and nothing is written. Raises LockRequired where somebody else holds the lock."""
    with _locked(bench, draft, held.handle) as handle:
        try:
            answer, following = bench.patching.apply(draft, handle)
        except VersionConflict:
            return Applied(conflict=bench.patching.rebase(draft))
    what = "written" if answer.updated else "already as you have it"
    return Applied(draft=following, said=f"{draft.file}:{following.start}-{following.end} is {what}.")


@contextmanager
def _locked(bench: Bench, draft: Draft, handle: str) -> Iterator[str]:
    """Yield the handle of a file's lock: the present one, or a temporary one."""
    if handle:
        yield handle
        return
    taken = bench.patching.lock(draft)
    try:
        yield taken
    finally:
        bench.writing.unlock(draft.file, taken)


def write_resolved(bench: Bench, rebased: Rebased, choice: MergeChoice, handle: str) -> Applied:
    """Writes a file that both sides had changed, as a person decided."""
    with _locked(bench, rebased.draft, handle) as held:
        answer, following = bench.patching.write_resolved(rebased, choice, held)
    if not answer.updated:
        said = "stays as it was changed elsewhere."
    elif not rebased.hunks:
        said = "is written with both changes."
    else:
        whose = "your lines" if choice is MergeChoice.MINE else "the other lines"
        said = f"is written with {whose} where both sides had changed them."
    return Applied(draft=following, said=f"{rebased.draft.file} {said}")


def name_of(draft: Draft) -> str:
    """Return the key under which a draft is stored: one for each file."""
    return f"draft of {draft.file}"


def lines_of(draft: Draft) -> str:
    """The lines that the draft takes the place of, as they were, ended by line feeds."""
    lines = draft.base.replace("\r\n", "\n").split("\n")[draft.start - 1 : draft.end]
    text = "\n".join(lines)
    return f"{text}\n" if text else text
