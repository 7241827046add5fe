"""Unified diffs as models write them: numbers that are wrong or missing, counts that do not fit, names without `a/`.

`services/source/text/patch.py` reads a diff strictly; here whatever can be understood is read, and nothing is believed:
where a hunk belongs is found later.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from services.edits.paste.forms.pieces import (
    FilePiece,
    HunkNumbers,
    PastedHunk,
    PathHint,
    SignedLine,
    WholeChange,
)
from services.source.text.patch import unquoted_path

_HEAD = re.compile(r"@@+ *-(\d{1,9})(?:,(\d{1,9}))? +\+(\d{1,9})(?:,(\d{1,9}))? *@@+ ?(.*)")
_BARE_HEAD = re.compile(r"@@(?:[ .…\d,+-]*@@)? ?(.*)")
_GIT = "diff --git "
_NULL = ("/dev/null", "dev/null", "NUL")
_EXTENDED = (
    "index ", "similarity index ", "dissimilarity index ", "new file mode ", "deleted file mode ", "old mode ",
    "new mode ", "rename from ", "rename to ", "copy from ", "copy to ",
)  # fmt: skip
_REFUSED = (
    (("old mode ", "new mode "), "it changes the mode of a file"),
    (("copy from ", "copy to "), "it copies a file"),
    (("GIT binary patch", "Binary files "), "it is a binary patch"),
    (("diff --cc ", "diff --combined ", "@@@ "), "it is a combined diff of a merge"),
)


class _File(msgspec.Struct):
    line: int
    old: str | None = None
    new: str | None = None
    creates: bool = False
    deletes: bool = False
    renames: bool = False
    refusal: str = ""
    git: bool = False
    hunks: list[PastedHunk] = msgspec.field(default_factory=list)


def looks_like_diff(lines: Sequence[str]) -> bool:
    """Whether the lines contain files or hunks of a diff."""
    return any(
        line.startswith((_GIT, "@@"))
        or (line.startswith("--- ") and at + 1 < len(lines) and lines[at + 1].startswith("+++ "))
        for at, line in enumerate(lines)
    )


def signed_only(lines: Sequence[str]) -> bool:
    """Whether all lines carry the signs of a hunk, and some change something."""
    said = [line for line in lines if line.strip()]
    return any(line[0] in "+-" for line in said) and all(line[0] in " +-\\" for line in said)


def diff_pieces(lines: Sequence[str], first: int, hint: PathHint) -> list[FilePiece]:
    """Return the files of a diff. `first`: number in the answer of its first line; `hint`: the file of hunks that
    precede any name."""
    return _Reader(lines, first, hint).read()


class _Reader:
    def __init__(self, lines: Sequence[str], first: int, hint: PathHint) -> None:
        self._lines = lines
        self._first = first
        self._hint = hint
        self._at = 0
        self._files: list[_File] = []

    def read(self) -> list[FilePiece]:
        """File by file."""
        while self._at < len(self._lines):
            self._step()
        return [piece for file in self._files if (piece := self._piece(file)) is not None]

    def _step(self) -> None:
        line = self._lines[self._at]
        if line.startswith(_GIT):
            self._begin()
            self._files[-1].git = True
            self._files[-1].old, self._files[-1].new = _sides(line.removeprefix(_GIT))
        elif self._is_name():
            self._name()
        elif line.startswith(_EXTENDED) and self._files:
            self._extended(line)
        elif line.startswith("@@") and not line.startswith("@@@"):
            self._hunk()
            return
        elif not self._files and signed_only(rest := self._lines[self._at :]):
            self._begin()
            self._files[-1].hunks.append(_hunk_of(rest, self._first + self._at, None, ()))
            self._at = len(self._lines)
            return
        for starts, reason in _REFUSED:
            if line.startswith(starts):
                self._begin(fresh=not self._files)
                self._files[-1].refusal = reason
        self._at += 1

    def _begin(self, *, fresh: bool = True) -> None:
        if fresh:
            self._files.append(_File(self._first + self._at))

    def _is_name(self) -> bool:
        line, after = self._lines[self._at], self._lines[self._at + 1 : self._at + 2]
        return line.startswith("--- ") and bool(after) and after[0].startswith("+++ ")

    def _name(self) -> None:
        old, new = (_path(line[4:]) for line in self._lines[self._at : self._at + 2])
        if not self._files or self._files[-1].hunks or not self._is_headed():
            self._begin()
        file = self._files[-1]
        file.creates = file.creates or old in _NULL
        file.deletes = file.deletes or new in _NULL
        if not file.renames:
            file.old = None if old in _NULL else old
            file.new = None if new in _NULL else new
        self._at += 1

    def _is_headed(self) -> bool:
        """Whether the lines before belong to the same file: those of `diff --git`."""
        before = self._at - 1
        while before >= 0 and self._lines[before].startswith(_EXTENDED):
            before -= 1
        return before >= 0 and self._lines[before].startswith(_GIT)

    def _extended(self, line: str) -> None:
        file = self._files[-1]
        if line.startswith("rename "):
            file.renames = True
            path = _path(line.split(" ", 2)[2])
            if line.startswith("rename from "):
                file.old = path
            else:
                file.new = path
        file.creates = file.creates or line.startswith("new file mode ")
        file.deletes = file.deletes or line.startswith("deleted file mode ")
        if line.startswith(("index ", "new file mode ", "deleted file mode ")) and line.endswith(
            ("120000", "160000")
        ):
            file.refusal = "it changes a symbolic link or a submodule"

    def _hunk(self) -> None:
        if not self._files:
            self._begin()
        head, at = self._lines[self._at], self._at + 1
        numbers, heading = _numbers(head)
        end = _counted_end(self._lines, at, numbers) or _open_end(self._lines, at)
        headings = (heading,) if heading else ()
        hunk = _hunk_of(self._lines[at:end], self._first + self._at, numbers, headings)
        if hunk.ops:
            self._files[-1].hunks.append(hunk)
        self._at = end

    def _piece(self, file: _File) -> FilePiece | None:
        if file.refusal:
            return FilePiece(self._of(file.old or file.new), file.line, refusal=file.refusal)
        if file.creates or file.deletes:
            change = WholeChange.CREATE if file.creates else WholeChange.DELETE
            path = file.new if file.creates else file.old
            return FilePiece(self._of(path or file.old), file.line, change, tuple(file.hunks))
        differ = file.old is not None and file.new is not None and _moved(file.old, file.new)
        if file.renames or (differ and (file.git or _is_prefixed(file.old, file.new))):
            return FilePiece(
                self._of(file.old), file.line, WholeChange.RENAME, tuple(file.hunks), file.new or ""
            )
        if not file.hunks:
            return None
        paths = tuple(dict.fromkeys(path for path in (file.new, file.old) if path))
        hint = PathHint(paths, certain=True) if paths else self._hint
        return FilePiece(hint, file.line, WholeChange.EDIT, tuple(file.hunks))

    def _of(self, path: str | None) -> PathHint:
        return PathHint((path,), certain=True) if path else self._hint


def _numbers(head: str) -> tuple[HunkNumbers | None, str]:
    if match := _HEAD.fullmatch(head):
        old, old_count, new, new_count = (1 if each is None else int(each) for each in match.groups()[:4])
        return HunkNumbers(old, old_count, new, new_count), match[5].strip()
    bare = _BARE_HEAD.fullmatch(head)
    return None, bare[1].removesuffix("@@").strip() if bare else ""


def _counted_end(lines: Sequence[str], at: int, numbers: HunkNumbers | None) -> int | None:
    """Return the end of a hunk according to its counts; None where they do not fit."""
    if numbers is None:
        return None
    old, new = numbers.old_count, numbers.new_count
    while at < len(lines) and (old > 0 or new > 0):
        sign = lines[at][:1] or " "
        if sign not in " +-\\":
            return None
        old -= sign in " -"
        new -= sign in " +"
        at += 1
    while at < len(lines) and lines[at].startswith("\\"):
        at += 1
    fits = old == new == 0 and (at == len(lines) or _ends_hunk(lines, at) or not lines[at].strip())
    return at if fits else None


def _open_end(lines: Sequence[str], at: int) -> int:
    """Return the end of a hunk with wrong counts: before the next hunk or file."""
    while at < len(lines) and not _ends_hunk(lines, at):
        at += 1
    return at


def _ends_hunk(lines: Sequence[str], at: int) -> bool:
    line = lines[at]
    is_name = line.startswith("--- ") and at + 1 < len(lines) and lines[at + 1].startswith("+++ ")
    return is_name or line.startswith(("@@", _GIT, "*** End")) or _is_signature(lines, at)


def _is_signature(lines: Sequence[str], at: int) -> bool:
    """Whether the signature of a mail begins: two dashes, and a version of git."""
    after = lines[at + 1 : at + 2]
    return lines[at].rstrip() == "--" and bool(after) and re.match(r"\d+\.\d", after[0]) is not None


def _hunk_of(
    lines: Sequence[str], line: int, numbers: HunkNumbers | None, headings: tuple[str, ...]
) -> PastedHunk:
    """The hunk of its lines. What bears no sign is context whose blank got lost."""
    counted = numbers is not None and _counted_end(lines, 0, numbers) == len(lines)
    ops: list[SignedLine] = []
    open_old: bool | None = None
    open_new: bool | None = None
    for text in lines if counted else _without_blank_end(lines):
        if text.startswith("\\"):
            sign = ops[-1].sign if ops else " "
            open_old = True if sign in " -" else open_old
            open_new = True if sign in " +" else open_new
        elif text[:1] in ("+", "-", " "):
            ops.append(SignedLine(text[0], text[1:]))
        else:
            ops.append(SignedLine(" ", text))
    if open_old is not None or open_new is not None:
        open_old, open_new = bool(open_old), bool(open_new)
    return PastedHunk(tuple(ops), line, numbers, headings, False, open_old, open_new, counted)


def _without_blank_end(lines: Sequence[str]) -> Sequence[str]:
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return lines[:end]


def _path(text: str) -> str:
    """The path of a name line; what follows a tab is a time stamp."""
    text = text.strip() if text.startswith('"') else text.split("\t", maxsplit=1)[0].strip()
    return (unquoted_path(text) or text.strip('"')) if text.startswith('"') else text


def _sides(names: str) -> tuple[str | None, str | None]:
    """Return the two paths of `diff --git`; since both are alike, blanks in them can be recognized."""
    half = len(names) // 2
    if (
        names[half : half + 1] == " "
        and names[:half].rsplit("/", maxsplit=1)[-1] == names[half + 1 :].rsplit("/", maxsplit=1)[-1]
    ):
        return _path(names[:half]), _path(names[half + 1 :])
    old, _, new = names.partition(" ")
    return _path(old), _path(new) or None


def _is_prefixed(old: str | None, new: str | None) -> bool:
    return old is not None and new is not None and old.startswith("a/") and new.startswith("b/")


def _moved(old: str, new: str) -> bool:
    """Whether two names of one diff differ by more than their prefixes."""
    first, second = old.split("/"), new.split("/")
    if first[-1] != second[-1]:
        return True
    shorter, longer = sorted((first[1:], second[1:]), key=len)
    return bool(shorter) and longer[len(longer) - len(shorter) :] != shorter and first[1:] != second[1:]
