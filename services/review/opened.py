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
from services.syntax.markup.reading import read_source_file
from services.syntax.records.declaration import Declaration
from services.workspace.source_kinds import is_source

_CONTEXT = 3
_LARGEST_NAMED = 400_000
"""Characters of a file beyond which its hunks get no names: parsing it would take the time that keys need."""
_MOST_NAMED = 2
"""Members that the heading of a hunk names."""


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

    def headings(self, change: FileChange, hunks: Sequence[Hunk]) -> tuple[str, ...]:
        """Return the names of the members that each hunk changes, as `Type.Member`; empty where the file is not code or
        is too long. Raises as the source does."""
        if not hunks or not is_source(change.path):
            return ()
        old, new = self.source.texts(change)
        text = new or old
        if len(text) > _LARGEST_NAMED:
            return ()
        declared = read_source_file(change.path, text.encode(), frozenset()).declarations
        return tuple(_heading(declared, _touched(change, hunk, is_old=not new)) for hunk in hunks)

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


def _touched(change: FileChange, hunk: Hunk, *, is_old: bool) -> list[int]:
    """Return the lines that a hunk changes, by their numbers on the new side, or of what was deleted on the old one."""
    if is_old:
        return [line.old for line in hunk.lines if line.old is not None and line.new is None]
    return sorted(ChangedFile(change, (hunk,)).touched)


def _heading(declared: Sequence[Declaration], lines: Sequence[int]) -> str:
    """Return the names of the innermost declarations at some lines, in their order."""
    if not lines:
        return ""
    near = [each for each in declared if each.start_line <= lines[-1] and each.end_line >= lines[0]]
    found: dict[str, None] = {}
    for line in lines:
        around = [each for each in near if each.start_line <= line <= each.end_line]
        if around:
            found[_name(declared, min(around, key=lambda each: each.end - each.start))] = None
    names = list(found)
    more = f" +{len(names) - _MOST_NAMED}" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


def _name(declared: Sequence[Declaration], each: Declaration) -> str:
    return f"{declared[each.parent].name}.{each.name}" if each.parent >= 0 else each.name


def _text(lines: Sequence[str] | None) -> str | None:
    return "".join(f"{line}\n" for line in lines) if lines is not None else None
