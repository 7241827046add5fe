"""Change set under review: read once, its hunks cached until the source changes; the lines of the new side that it
made, as analyses look at it, and the locations that a comment may have.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import groupby

import msgspec

from services.errors import CodeCortexError, UsageError
from services.model import ChangeSet, DiffLine, FileChange, Hunk, Value
from services.review.sources.source import CodeChangeSource, NewSide, other_side
from services.syntax.markup.reading import read_source_file
from services.syntax.records.declaration import Declaration
from services.workspace.source_kinds import is_generated, is_source


class ChangedFile(msgspec.Struct, frozen=True, dict=True):
    """A file of a change. `old`, `new`: its sides, whole, None where they cannot be read or are not there."""

    change: FileChange
    hunks: Sequence[Hunk]
    old: str | None = None
    new: str | None = None

    @property
    def path(self) -> str:
        """Its path on the new side."""
        return self.change.path

    @cached_property
    def added(self) -> dict[int, DiffLine]:
        """The lines that the change made, by new number."""
        return {
            line.new: line
            for hunk in self.hunks
            for line in hunk.lines
            if line.new is not None and line.old is None
        }

    @cached_property
    def touched(self) -> frozenset[int]:
        """New lines that were made, and those around what was taken away with nothing in its place."""
        found = set(self.added)
        for hunk in self.hunks:
            last = hunk.new_start - (1 if hunk.new_count else 0)
            for _, run in groupby(hunk.lines, lambda line: line.sign == " "):
                numbers = [line.new for line in run if line.new is not None]
                if not numbers:
                    found |= {max(1, last), last + 1}
                last = numbers[-1] if numbers else last
        return frozenset(found)

    def new_line_of(self, old: int) -> int | None:
        """The number that a line of the old side has on the new one; None where it is gone."""
        if self.change.status == "deleted":
            return None
        moved = 0
        for hunk in self.hunks:
            if old < hunk.old_start + (not hunk.old_count):
                break
            if old < hunk.old_start + hunk.old_count:
                return next((line.new for line in hunk.lines if line.old == old), None)
            moved = hunk.new_start + hunk.new_count + (not hunk.new_count)
            moved -= hunk.old_start + hunk.old_count + (not hunk.old_count)
        return old + moved

    def line_after(self, old: int) -> int | None:
        """The number of the first line of the new side that was not before a line of the old one; None for the end."""
        last = max((hunk.old_start + hunk.old_count for hunk in self.hunks), default=old)
        found = next((new for at in range(old, last + 1) if (new := self.new_line_of(at)) is not None), None)
        count = len((self.new or "").splitlines())
        return found if found is None or found <= count else None

    @property
    def is_code(self) -> bool:
        """Whether the index reads it: C#, or markup that holds some."""
        return is_source(self.path)

    @cached_property
    def is_generated(self) -> bool:
        """Whether a tool wrote the new side, by the marks that Roslyn's analyzers go by: the end of its name, or the
        comment that it begins with."""
        return is_generated(self.path, self.new or "")


_MARK = re.compile(r"^\s*(?:NEW_LINE_\d+:|DELETED \(was line \d+\):)? ?(?:[+-] )?")
_LEAST = 4
"""Characters of a quotation, blanks aside, from which it may be a part of a line."""


class CommentLocation(Value, kw_only=True, frozen=True):
    """Location of a comment. `line` is None where it was dropped; `reason`: why it was corrected or dropped, empty
    where the given line is right; `quoted`: the lines found there."""

    line: int | None = None
    end_line: int | None = None
    reason: str = ""
    quoted: str = ""

    @property
    def corrected(self) -> bool:
        """Whether the comment has a location other than the given one."""
        return self.line is not None and bool(self.reason)


class ShownLines:
    """The lines of a file's new side that a diff shows, and the deleted ones."""

    def __init__(self, hunks: Sequence[Hunk]) -> None:
        self.new: dict[int, DiffLine] = {}
        self.gone: dict[int, DiffLine] = {}
        for line in (line for hunk in hunks for line in hunk.lines):
            if line.new is not None:
                self.new[line.new] = line
            elif line.old is not None:
                self.gone[line.old] = line

    @cached_property
    def _squeezed(self) -> dict[int, str]:
        return {number: squeezed(line.text) for number, line in self.new.items()}

    def find_new_line_number(
        self, line: int | None, quoted: str = "", *, end_line: int | None = None
    ) -> CommentLocation:
        """Return the location for a comment on `line` (or `line` to `end_line`) that quotes code."""
        quote = quotation(quoted)
        if not quote:
            return self._by_number(line, end_line)
        standing = list(self._standing(quote))
        if line in standing:
            return self._placed(line, self._last(line, end_line, len(quote)))
        if len(standing) == 1:
            found, length = standing[0], 0 if end_line is None or line is None else end_line - line
            last = self._last(found, found + length, len(quote))
            return self._placed(found, last, f"{_named(line)} does not say that; line {found} does.")
        return CommentLocation(reason=self._why_not(line, quote, standing))

    def _by_number(self, line: int | None, end_line: int | None) -> CommentLocation:
        if line is None:
            return CommentLocation(reason="It names no line and quotes no code.")
        if line not in self.new:
            return CommentLocation(reason=self._not_shown(line))
        if line in self.gone:
            reason = f"Line {line} is a new line, and a deleted line had that number: quote the code that is meant."
            return CommentLocation(reason=reason)
        return self._placed(line, self._last(line, end_line, 1))

    def _not_shown(self, line: int) -> str:
        if line in self.gone:
            return f"Line {line} was deleted: that is a number of the old side."
        return f"Line {line} is not among the lines of the new side that are shown."

    def _why_not(self, line: int | None, quote: Sequence[str], standing: Sequence[int]) -> str:
        if standing:
            several = ", ".join(map(str, standing[:5]))
            return f"{_named(line)} does not say that, and several lines do: {several}."
        if any(_says(squeezed(each.text), quote[0]) for each in self.gone.values()):
            return "The code that it quotes was deleted."
        return "The code that it quotes stands at no line of the new side that is shown."

    def _standing(self, quote: Sequence[str]) -> Iterator[int]:
        """Yield the shown lines at which a quotation begins: lines equal to it, else lines that contain it."""
        for fits in (str.__eq__, _says):
            found = [
                number
                for number in self._squeezed
                if all(
                    number + ahead in self._squeezed and fits(self._squeezed[number + ahead], part)
                    for ahead, part in enumerate(quote)
                )
            ]
            if found:
                yield from found
                return

    def _last(self, first: int, last: int | None, quoted: int) -> int:
        """The last line of a range, cut where lines are not shown."""
        wanted = max(first + quoted - 1, last or first)
        end = first
        while end < wanted and end + 1 in self.new:
            end += 1
        return end

    def _placed(self, line: int, end: int, reason: str = "") -> CommentLocation:
        quoted = "\n".join(self.new[number].text for number in range(line, end + 1))
        return CommentLocation(line=line, end_line=end if end > line else None, reason=reason, quoted=quoted)


def find_new_line_number(
    hunks: Sequence[Hunk], line: int | None, quoted: str = "", *, end_line: int | None = None
) -> CommentLocation:
    """Return the location for a comment on a line of a file (SPEC section 11)."""
    return ShownLines(hunks).find_new_line_number(line, quoted, end_line=end_line)


def quotation(text: str) -> tuple[str, ...]:
    """Return the significant lines of quoted code, with blanks collapsed and without the markers of a numbered
    diff."""
    lines = (squeezed(_MARK.sub("", line)) for line in text.strip("`\n").split("\n"))
    whole = [squeezed(line) for line in text.strip("`\n").split("\n")]
    marked = any(line.lstrip().startswith(("NEW_LINE_", "DELETED (was")) for line in text.split("\n"))
    found = list(lines) if marked else whole
    while found and not found[-1]:
        found.pop()
    while found and not found[0]:
        found.pop(0)
    return tuple(found)


def squeezed(text: str) -> str:
    """Text with its blanks made one each."""
    return " ".join(text.split())


def _says(line: str, part: str) -> bool:
    return line == part or (len(part.replace(" ", "")) >= _LEAST and part in line)


def _named(line: int | None) -> str:
    return "The comment" if line is None else f"Line {line}"


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
