"""Location of a comment: a line of the new side that the change shows, or none.

Models mix up the numbers of the two sides. So every number is checked against the code that is quoted with it; one that
is wrong is corrected where the quoted code stands at exactly one shown line, and else the comment is dropped with a
reason. A number that a deleted line had is never believed by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from services.model import DiffLine, Hunk, Value

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
