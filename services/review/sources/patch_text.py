"""Lenient parser of pasted patches: git diffs, `diff -u`, mails amid other text.

Nothing is applied, so more is taken than `services/source/text/patch.py` takes: renames, modes, binary files, combined
diffs and damaged hunks are told of, each with a note, and what can be read of the rest is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from services.errors import UsageError
from services.model import DiffLine, FileChange, Hunk
from services.source.diffs.hunks import line_marks
from services.source.text.patch import MOST_BYTES, unquoted_path

_HEAD = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)")
_GIT = re.compile(r'diff --git (?:"((?:[^"\\]|\\.)*)"|(\S+|.+?)) (?:"((?:[^"\\]|\\.)*)"|(.+))')
_COMBINED = re.compile(r"diff --(?:cc|combined) (.+)")
_PREFIXES = re.compile(r"[abciow12]/")
_NULL = "/dev/null"
_COMBINED_NOTE = "A combined diff of a merge: it has no one old side, so its lines are not shown."


class ParsedFile(msgspec.Struct, frozen=True):
    """A file of a patch. `text`: its part of the patch as it came, empty where none did."""

    change: FileChange
    hunks: tuple[Hunk, ...]
    text: str = ""


class _Reading(msgspec.Struct):
    """A file while it is read."""

    old: str = ""
    new: str = ""
    status: str = "modified"
    old_mode: str = ""
    new_mode: str = ""
    blobs: tuple[str, str] = ("", "")
    binary: bool = False
    note: str = ""
    hunks: list[Hunk] = msgspec.field(default_factory=list)


def parse_changes(text: str) -> tuple[ParsedFile, ...]:
    """The files of a patch. Raises UsageError where there is no diff in it, or it is too long."""
    if len(text) > MOST_BYTES:
        raise UsageError(f"The patch is longer than {MOST_BYTES} characters.")
    return tuple(_PatchParser(text.split("\n")).files())


class _PatchParser:
    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._at = 0

    def files(self) -> Iterator[ParsedFile]:
        found = False
        while self._at < len(self._lines):
            first = self._at
            reading = self._start()
            if reading is None:
                self._at += 1
                continue
            found = True
            self._headers(reading)
            self._hunks(reading)
            text = "".join(f"{line}\n" for line in self._lines[first : self._at])
            yield msgspec.structs.replace(_parsed(reading), text=text)
        if not found:
            raise UsageError("There is no diff in it. Paste what git diff prints, or a patch file.", line=1)

    @property
    def _here(self) -> str:
        return self._lines[self._at].removesuffix("\r") if self._at < len(self._lines) else ""

    def _start(self) -> _Reading | None:
        """The file that begins here."""
        line = self._here
        if combined := _COMBINED.fullmatch(line):
            path = _unquoted(combined[1])
            return _Reading(old=path, new=path, status="conflict", note=_COMBINED_NOTE)
        if git := _GIT.fullmatch(line):
            old, new = _sides(line.removeprefix("diff --git "), git)
            return _Reading(old=old, new=new)
        if line.startswith("--- ") and self._ahead(1).startswith("+++ ") and self._ahead(2).startswith("@@ "):
            return _Reading()
        return None

    def _ahead(self, by: int) -> str:
        return self._lines[self._at + by].removesuffix("\r") if self._at + by < len(self._lines) else ""

    def _headers(self, reading: _Reading) -> None:
        """Up to the first hunk, or the next file."""
        if not self._here.startswith("--- "):
            self._at += 1
        while self._at < len(self._lines):
            line = self._here
            if line.startswith("diff --") or (line.startswith("@@") and not line.startswith("@@@")):
                return
            if line.startswith("--- ") and self._ahead(1).startswith("+++ "):
                self._names(reading)
                return
            if (
                not _header(line, reading)
                and line.strip()
                and not line.startswith("@@@")
                and reading.status != "conflict"
            ):
                return
            self._at += 1

    def _names(self, reading: _Reading) -> None:
        old, new = _name(self._here), _name(self._ahead(1))
        self._at += 2
        if old == _NULL:
            reading.status, new = "added", _without_prefix(new)
            old = new
        elif new == _NULL:
            reading.status, old = "deleted", _without_prefix(old)
            new = old
        else:
            old, new = _bare_pair(old, new)
        if not reading.old or reading.status not in ("renamed", "copied"):
            reading.old, reading.new = old, new

    def _hunks(self, reading: _Reading) -> None:
        while (head := _HEAD.fullmatch(self._here)) is not None:
            at = self._at + 1
            try:
                reading.hunks.append(self._hunk(head))
            except UsageError as error:
                reading.note = error.message
                self._at = at  # it may have swallowed the head of the next file
                return
            last = reading.hunks[-2:]
            if len(last) == 2 and last[1].new_start < last[0].new_start + last[0].new_count:
                reading.hunks.pop()
                reading.note = (
                    f"The patch is damaged at its line {at}: its hunks overlap or are out of order."
                )
                return

    def _hunk(self, head: re.Match[str]) -> Hunk:
        at = self._at + 1
        old_start, old_count, new_start, new_count = (1 if n is None else int(n) for n in head.groups()[:4])
        self._at += 1
        old, new = old_start + (not old_count), new_start + (not new_count)
        ends = (old + old_count, new + new_count)
        lines: list[DiffLine] = []
        while (old, new) != ends or self._here.startswith("\\"):
            line = self._lines[self._at] if self._at < len(self._lines) else None
            sign = " " if line in ("", "\r") else line[0] if line else ""
            if line is None or sign not in " +-\\" or old > ends[0] or new > ends[1]:
                raise _damaged(at, "its counts of lines do not fit what follows")
            self._at += 1
            if sign == "\\":
                if lines:
                    lines[-1] = msgspec.structs.replace(lines[-1], ended=False)
                continue
            text = line[1:].removesuffix("\r")
            lines.append(
                DiffLine(text=text, old=old if sign != "+" else None, new=new if sign != "-" else None)
            )
            old, new = old + (sign != "+"), new + (sign != "-")
        return Hunk(
            old_start=old_start, old_count=old_count, new_start=new_start, new_count=new_count,
            lines=tuple(lines), heading=head[5].strip(),
        )  # fmt: skip


def _header(line: str, reading: _Reading) -> bool:
    """Takes an extended header; whether it is one."""
    word, _, rest = line.partition(" mode ")
    if word in ("old", "new", "deleted file", "new file") and rest:
        mode = rest.strip()
        reading.old_mode = mode if word in ("old", "deleted file") else reading.old_mode
        reading.new_mode = mode if word in ("new", "new file") else reading.new_mode
        reading.status = {"new file": "added", "deleted file": "deleted"}.get(word, reading.status)
    elif line.startswith(("rename ", "copy ")):
        way, side, path = (*line.split(" ", 2), "", "")[:3]
        reading.status = "renamed" if way == "rename" else "copied"
        if side == "from":
            reading.old = _unquoted(path)
        else:
            reading.new = _unquoted(path)
    elif line.startswith("index "):
        ids, _, mode = line[6:].partition(" ")
        old, dots, new = ids.partition("..")
        reading.blobs = (old, new) if dots else ("", "")
        if mode:
            reading.old_mode, reading.new_mode = reading.old_mode or mode, reading.new_mode or mode
    elif line.startswith(("Binary files ", "GIT binary patch")):
        reading.binary = True
    else:
        return line.startswith(("similarity ", "dissimilarity ", "Index: ", "=====")) or reading.binary
    return True


def _parsed(reading: _Reading) -> ParsedFile:
    lines = [line for hunk in reading.hunks for line in hunk.lines]
    moved = reading.status in ("renamed", "copied")
    change = FileChange(
        path=reading.new or reading.old,
        old_path=reading.old if moved else None,
        status=reading.status,
        old_mode="" if reading.status == "added" else reading.old_mode or "100644",
        new_mode="" if reading.status == "deleted" else reading.new_mode or "100644",
        added=sum(line.old is None for line in lines),
        deleted=sum(line.new is None for line in lines),
        binary=reading.binary,
        note=reading.note,
    )
    return ParsedFile(change, tuple(reading.hunks))


def _sides(rest: str, git: re.Match[str]) -> tuple[str, str]:
    """Return the two paths of `diff --git`; the boundary between paths with blanks is found by their equality."""
    half = len(rest) // 2
    if rest[half : half + 1] == " " and rest[2:half] == rest[half + 3 :]:
        old, new = rest[:half], rest[half + 1 :]
    else:
        old = git[2] if git[1] is None else _unquoted(f'"{git[1]}"')
        new = git[4] if git[3] is None else _unquoted(f'"{git[3]}"')
    return _bare_pair(old, new)


def _name(line: str) -> str:
    """The path behind `---` or `+++`; what follows a tab is a time stamp."""
    rest = line[4:]
    return _unquoted(rest) if rest.startswith('"') else rest.split("\t")[0].rstrip()


def _unquoted(text: str) -> str:
    found = unquoted_path(text) if text.startswith('"') else None
    return text if found is None else found


def _bare_pair(old: str, new: str) -> tuple[str, str]:
    """The paths without git's prefixes, where both have one: with `diff.noprefix` neither does."""
    if _PREFIXES.match(old) and _PREFIXES.match(new) and old[0] != new[0]:
        return old[2:], new[2:]
    return old, new


def _without_prefix(path: str) -> str:
    return path[2:] if _PREFIXES.match(path) else path


def _damaged(line: int, reason: str) -> UsageError:
    return UsageError(f"The patch is damaged at its line {line}: {reason}.", line=line)


def emphasized(hunk: Hunk) -> Hunk:
    """The hunk with what differs within its lines marked."""
    lines = list(hunk.lines)
    at = 0
    while at < len(lines):
        out = at
        while at < len(lines) and lines[at].new is None:
            at += 1
        start = at
        while at < len(lines) and lines[at].old is None:
            at += 1
        pairs = line_marks(*([line.text for line in side] for side in (lines[out:start], lines[start:at])))
        for ahead, marks in enumerate(pairs):
            for place, spans in zip((out + ahead, start + ahead), marks, strict=True):
                lines[place] = msgspec.structs.replace(lines[place], spans=spans)
        at = max(at, out + 1)
    return msgspec.structs.replace(hunk, lines=tuple(lines))
