"""Change set under review: read once, its hunks cached until the source changes."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from functools import cached_property

from services.errors import CodeCortexError, UsageError
from services.model import ChangeSet, FileChange, Hunk
from services.review.analysis.change import ChangedFile
from services.review.placing import ShownLines
from services.review.sources.patch_changes import other_side
from services.review.sources.source import CodeChangeSource, NewSide

_CONTEXT = 3


class OpenedChange:
    """Thread-safe enough for readers: what two make at once is the same."""

    def __init__(self, source: CodeChangeSource, *, cancel: threading.Event | None = None) -> None:
        self.source = source
        self.set: ChangeSet = source.read(cancel=cancel)
        self._hunks: dict[str, tuple[Hunk, ...]] = {}
        self._shown: dict[str, ShownLines] = {}

    @property
    def title(self) -> str:
        """For people."""
        return self.set.title

    def file(self, path: str) -> FileChange:
        """A file by its path. Raises UsageError where the change has none of that name."""
        found = self._by_path.get(path) or self._by_end(path)
        if found is None:
            raise UsageError(f"The change has no file {path}.", file=path)
        return found

    def hunks(self, change: FileChange) -> tuple[Hunk, ...]:
        """The hunks of a file; none where it cannot be read."""
        if change.path not in self._hunks:
            try:
                self._hunks[change.path] = self.source.hunks(change, context=_CONTEXT)
            except CodeCortexError as error:
                if error.code == "Cancelled":
                    raise
                self._hunks[change.path] = ()
        return self._hunks[change.path]

    def shown(self, change: FileChange) -> ShownLines:
        """The lines of the new side that the change shows."""
        if change.path not in self._shown:
            self._shown[change.path] = ShownLines(self.hunks(change))
        return self._shown[change.path]

    def each(self, paths: Sequence[str] = ()) -> Iterator[tuple[FileChange, tuple[Hunk, ...]]]:
        """The files with their hunks; those of `paths` alone where there are any. Raises UsageError."""
        chosen = [self.file(path) for path in paths] if paths else self.set.files
        for change in chosen:
            yield change, self.hunks(change)

    def patch(self, paths: Sequence[str] = ()) -> bytes:
        """Return a patch from which `git apply` makes the new side, of all files or of `paths`. Raises
        WorkspaceError, UsageError."""
        chosen = [self.file(path) for path in paths] if paths else self.set.files
        return b"".join(map(self.source.patch, chosen))

    @cached_property
    def analyzed(self) -> list[ChangedFile]:
        """The files as analyses look at them, with both sides where they can be read."""
        return [self._changed(change, hunks) for change, hunks in self.each()]

    def _changed(self, change: FileChange, hunks: tuple[Hunk, ...]) -> ChangedFile:
        new = self.source.new_lines(change)
        old = other_side(new, hunks, to_new=False) if new is not None else None
        if change.status == "deleted":
            old = [line.text for hunk in hunks for line in hunk.lines if line.old is not None]
        if change.status in ("added", "untracked"):
            old = None
        return ChangedFile(change, hunks, _text(old), _text(new))

    @property
    def is_on_disk(self) -> bool:
        """Whether the index, which is of the disk, is of the new side."""
        return self.source.new_side is NewSide.DISK

    @cached_property
    def _by_path(self) -> dict[str, FileChange]:
        return {each.path: each for each in self.set.files}

    def _by_end(self, path: str) -> FileChange | None:
        """The one file that a part of a path can only mean."""
        end = path.removeprefix("./").lstrip("/")
        found = [each for each in self.set.files if end and each.path.endswith(f"/{end}")]
        return found[0] if len(found) == 1 else None


def _text(lines: Sequence[str] | None) -> str | None:
    return "".join(f"{line}\n" for line in lines) if lines is not None else None
