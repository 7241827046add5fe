"""Unified diffs: a strict parser that refuses anything not understood, with its line, and the application of hunks
at exactly the lines they name (SAFETY, Paths).

The program reads and applies patches itself. A diff with LF fits a file with CRLF; a hunk applies at the lines it
names, or not at all: another place where it fits is reported, and used only on a second request.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from services.concurrency.lazy import expression
from services.errors import UsageError, VersionConflict
from services.source.text.differ import unified_diff
from services.source.text.edit import Edit, apply_edits, bare_lines, edits_between
from services.workspace.text import Text, decode

_HUNK = expression(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@(?: .*)?")
_NO_MORE = expression(r"-- ?|(?:`{3,}|~{3,})\w*")
"""After a diff: a mail's signature, or the end of a fence around it. Any words may follow, as before a diff."""
_QUOTED = expression(rb'"((?:[^"\\]|\\.)*)"')
_ESCAPE = expression(rb"\\([0-3][0-7]{2}|.)")
_ESCAPED = {
    b"a": b"\a",
    b"b": b"\b",
    b"t": b"\t",
    b"n": b"\n",
    b"v": b"\v",
    b"f": b"\f",
    b"r": b"\r",
    b'"': b'"',
    b"\\": b"\\",
}
_REFUSED = (
    (("old mode ", "new mode "), "it changes a file's mode"),
    (("rename from ", "rename to "), "it renames a file"),
    (("copy from ", "copy to "), "it copies a file"),
    (("similarity index ", "dissimilarity index "), "it renames or copies a file"),
    (("GIT binary patch", "Binary files "), "it is a binary patch"),
    (("diff --cc ", "diff --combined ", "@@@ "), "it is a combined diff of a merge"),
    (("Only in ", "Index: "), "it is not in the form of git diff or diff -u"),
)
_REGULAR = ("100644", "100755")
_NAMES = "diff --git "
_PREAMBLE = (_NAMES, "index ", "new file mode ", "deleted file mode ")
_COMES_OR_GOES = ("new", "deleted")
_NULL = "/dev/null"
MOST_BYTES = 20_000_000


class PatchHunk(msgspec.Struct, frozen=True):
    """`start`: 1-based first line in the old file (the line before, where it takes none away). `old`, `new`: lines
    without endings, context in both; `line`: of the patch; `open_old`, `open_new`: the last line has no ending."""

    start: int
    old: tuple[str, ...]
    new: tuple[str, ...]
    line: int
    open_old: bool = False
    open_new: bool = False


class FilePatch(msgspec.Struct, frozen=True):
    """Hunks of one file, in order, one at least: that of an empty file that is created or deleted has no lines.
    `creates`: the file must not exist yet; `deletes`: its one hunk removes all lines, and the file is deleted."""

    path: str
    hunks: tuple[PatchHunk, ...]
    creates: bool = False
    deletes: bool = False


class _PatchLines(msgspec.Struct):
    """The patch and how far it is read."""

    lines: list[str]
    at: int = 0

    @property
    def here(self) -> str | None:
        return self.lines[self.at] if self.at < len(self.lines) else None

    def take(self) -> str:
        self.at += 1
        return self.lines[self.at - 1]


class _Body(msgspec.Struct):
    old: list[str] = msgspec.field(default_factory=list)
    new: list[str] = msgspec.field(default_factory=list)
    open_old: bool = False
    open_new: bool = False


def parse_patch(text: str) -> tuple[FilePatch, ...]:
    """The files a unified diff changes. Raises UsageError (`details`: line, reason) for anything else than changed,
    new and deleted regular files, for a damaged patch, and for one that names a file twice."""
    if len(text) > MOST_BYTES:
        raise _bad(1, f"it is longer than {MOST_BYTES} characters")
    lines = _PatchLines([line.removesuffix("\r") for line in text.split("\n")])
    if lines.lines[-1] == "":
        lines.lines.pop()
    patches: list[FilePatch] = []
    while lines.here is not None:
        patches += _preamble(lines, words=not patches)
        if lines.here is not None:
            patches.append(_file(lines))
    if not patches:
        raise _bad(1, "there is no diff in it")
    paths = [patch.path for patch in patches]
    for path in paths:
        if paths.count(path) > 1:
            raise _bad(1, f"it changes {path} twice")
    return tuple(patches)


def _preamble(lines: _PatchLines, *, words: bool) -> list[FilePatch]:
    """Read up to the `---` of the next file; returns the empty files created or deleted before it, for which git
    prints no lines. `words`: a person's own text may precede it."""
    empty: list[FilePatch] = []
    begun = 0  # the number of the line that names a file
    while (line := lines.here) is not None and not line.startswith("--- "):
        if _NO_MORE.fullmatch(line):
            empty += [_empty(lines, begun)] if begun else []
            begun, words = 0, True
        known = line.startswith(_PREAMBLE)
        if reason := _refusal(line):
            raise _bad(lines.at + 1, reason)
        if not known and (not words or begun) and line.strip():
            raise _bad(lines.at + 1, "this line belongs to no hunk")
        if line.startswith(_NAMES):
            empty += [_empty(lines, begun)] if begun else []
            begun = lines.at + 1
        lines.take()
    if begun and lines.here is None:
        empty.append(_empty(lines, begun))
    return empty


def _empty(lines: _PatchLines, begun: int) -> FilePatch:
    """Return the empty file that is created or deleted by the lines from number `begun` to here."""
    head = lines.lines[begun - 1 : lines.at]
    creates, deletes = (
        any(line.startswith(f"{word} file mode ") for line in head) for word in _COMES_OR_GOES
    )
    if creates == deletes:
        raise _bad(begun, "a file is named without a change to its lines")
    return FilePatch(_path_of(head[0], begun), (PatchHunk(0, (), (), begun),), creates, deletes)


def _path_of(line: str, number: int) -> str:
    """The one path that a line names twice: blanks in it are not quoted."""
    names = line.removeprefix(_NAMES)
    half = len(names) // 2
    first, second = names[:half], names[half + 1 :]
    if first.startswith('"'):
        first, second = unquoted_path(first) or "", unquoted_path(second) or ""
    path = first.removeprefix("a/")
    if not path.strip() or path != second.removeprefix("b/"):
        raise _bad(number, "it does not name one file twice")
    return path


def _refusal(line: str) -> str:
    """Return why a line before a file's hunks makes the whole patch inapplicable; empty if it does not."""
    for starts, reason in _REFUSED:
        if line.startswith(starts):
            return reason
    if (
        line.startswith(("new file mode ", "deleted file mode "))
        and line.rsplit(maxsplit=1)[-1] not in _REGULAR
    ):
        return "it makes or deletes a symbolic link or a submodule"
    if line.startswith("index ") and line.rsplit(maxsplit=1)[-1] in ("120000", "160000"):
        return "it changes a symbolic link or a submodule"
    return "a hunk stands before the name of its file" if line.startswith("@@") else ""


def _file(lines: _PatchLines) -> FilePatch:
    old = _name(lines, "--- ", "a/")
    if lines.here is None or not lines.here.startswith("+++ "):
        raise _bad(lines.at + 1, "a line with +++ must follow the one with ---")
    new = _name(lines, "+++ ", "b/")
    creates, deletes = old == _NULL, new == _NULL
    if creates and deletes:
        raise _bad(lines.at, "it names no file")
    if not creates and not deletes and old != new:
        raise _bad(lines.at, "it renames a file")
    hunks: list[PatchHunk] = []
    while lines.here is not None and lines.here.startswith("@@ "):
        hunks.append(_hunk(lines))
        _in_order(hunks)
    if not hunks:
        raise _bad(lines.at, "there is no hunk for this file")
    if creates and (len(hunks) > 1 or hunks[0].old):
        raise _bad(hunks[0].line, "a new file has no old lines")
    if deletes and (len(hunks) > 1 or hunks[0].new):
        raise _bad(hunks[0].line, "a deleted file has no new lines")
    return FilePatch(old if deletes else new, tuple(hunks), creates, deletes)


def _in_order(hunks: Sequence[PatchHunk]) -> None:
    if len(hunks) > 1 and hunks[-1].start < hunks[-2].start + len(hunks[-2].old):
        raise _bad(hunks[-1].line, "its hunks overlap or are out of order")


def _name(lines: _PatchLines, mark: str, prefix: str) -> str:
    """The path; what follows a tab is a time stamp."""
    name = lines.take().removeprefix(mark)
    if name.startswith('"'):
        unquoted = unquoted_path(name)
        if unquoted is None:
            raise _bad(lines.at, "a quoted path is damaged")
        name = unquoted
    else:
        name = name.split("\t")[0]
        if name == _NULL:
            return name
    name = name.removeprefix(prefix)
    if not name.strip():
        raise _bad(lines.at, "a path is empty")
    return name


def unquoted_path(text: str) -> str | None:
    """A path that git put in quotes (core.quotePath: bytes as octal numbers); None where the quotes do not end or its
    bytes are no UTF-8."""
    found = _QUOTED.match(text.encode("utf-8", "replace"))
    if found is None:
        return None
    try:
        return _ESCAPE.sub(_unescaped, found[1]).decode()
    except (KeyError, UnicodeDecodeError):
        return None


def _unescaped(escape: re.Match[bytes]) -> bytes:
    code = escape[1]
    return bytes([int(code, 8)]) if len(code) == 3 else _ESCAPED[code]


def _hunk(lines: _PatchLines) -> PatchHunk:
    at = lines.at + 1
    match = _HUNK.fullmatch(lines.take())
    if match is None:
        raise _bad(at, "a hunk begins like @@ -1,2 +1,3 @@")
    start, old_count, _, new_count = (1 if group is None else int(group) for group in match.groups())
    body = _Body()
    while len(body.old) < old_count or len(body.new) < new_count:
        _body_line(lines, body, at)
    if (len(body.old), len(body.new)) != (old_count, new_count):
        raise _bad(at, "its counts of lines do not fit what follows")
    _no_newline(lines, body)
    if old_count and not start:
        raise _bad(at, "lines count from 1")
    return PatchHunk(start, tuple(body.old), tuple(body.new), at, body.open_old, body.open_new)


def _body_line(lines: _PatchLines, body: _Body, at: int) -> None:
    line = lines.here
    if line is None:
        raise _bad(at, "the patch ends within this hunk")
    if line.startswith("\\"):
        _no_newline(lines, body)
        return
    # Mailers strip the blank of an empty context line.
    sign, rest = (line[0], line[1:]) if line else (" ", "")
    if sign not in " +-":
        raise _bad(lines.at + 1, "a line of a hunk begins with a blank, + or -")
    if (sign != "+" and body.open_old) or (sign != "-" and body.open_new):
        raise _bad(lines.at + 1, "lines follow one that is said to be the last of its file")
    lines.take()
    if sign != "+":
        body.old.append(rest)
    if sign != "-":
        body.new.append(rest)


def _no_newline(lines: _PatchLines, body: _Body) -> None:
    """Read `\\ No newline at end of file`, which refers to the line before it."""
    while lines.here is not None and lines.here.startswith("\\"):
        sign = lines.lines[lines.at - 1][:1] or " "
        body.open_old = body.open_old or sign in " -"
        body.open_new = body.open_new or sign in " +"
        lines.take()


def _bad(line: int, reason: str) -> UsageError:
    return UsageError(f"The patch was refused at its line {line}: {reason}.", line=line, reason=reason)


class MisfitError(Exception):
    """Error: hunks whose old lines are not where they should be. `hunks`: those; `elsewhere`: the patch with every
    hunk where it does fit, if there is exactly one such place for each; None otherwise."""

    def __init__(self, hunks: Sequence[PatchHunk], elsewhere: FilePatch | None) -> None:
        super().__init__(len(hunks))
        self.hunks = tuple(hunks)
        self.elsewhere = elsewhere


def apply_patch(text: Text | None, patch: FilePatch) -> bytes | None:
    """Return the bytes after the patch, None where the file is deleted; `text` is None where there is no file. Raises
    MisfitError, and as apply_edit."""
    if text is None or patch.creates:
        if text is not None or not patch.creates:
            raise MisfitError(patch.hunks, None)
        return _created(patch.hunks[0])
    lines = bare_lines(text)
    misfits = [hunk for hunk in patch.hunks if not _fits(text, lines, hunk, _index(hunk))]
    if misfits:
        raise MisfitError(misfits, None if patch.deletes else _elsewhere(text, lines, patch))
    if patch.deletes:
        if len(patch.hunks[0].old) != len(lines):
            raise MisfitError(patch.hunks, None)
        return None
    edits = [edit for hunk in patch.hunks for edit in _edits(hunk)]
    data = apply_edits(text, edits, path=patch.path)
    return _with_end(text, data, patch.hunks[-1])


def _edits(hunk: PatchHunk) -> list[Edit]:
    return edits_between(hunk.old, hunk.new, first=_index(hunk) + 1)


def _index(hunk: PatchHunk) -> int:
    """0-based line where it begins; a hunk without old lines names the line before."""
    return hunk.start - 1 if hunk.old else hunk.start


def _fits(text: Text, lines: Sequence[str], hunk: PatchHunk, index: int) -> bool:
    end = index + len(hunk.old)
    if index < 0 or end > len(lines) or tuple(lines[index:end]) != hunk.old:
        return False
    if end == len(lines) and hunk.old:
        return hunk.open_old == (not text.final_newline)
    return not hunk.open_old and (not hunk.open_new or end == len(lines))


def _with_end(text: Text, data: bytes, last: PatchHunk) -> bytes:
    """Add or remove the final line ending as the last hunk demands, if it reaches the end."""
    if _index(last) + len(last.old) != text.line_count:
        return data
    after = decode(data) if not text.bom and text.encoding == "utf-8" else replace(text, data=data)
    if not after.line_count or after.final_newline != last.open_new:
        return data
    if not last.open_new:
        newline = text.ending(1) if text.line_count else ""
        return data + text.encode(newline or "\n")
    ending = after.ending(after.line_count)
    return data[: len(data) - len(text.encode(ending))]


def _elsewhere(text: Text, lines: Sequence[str], patch: FilePatch) -> FilePatch | None:
    places: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        places.setdefault(line, []).append(number)
    moved: list[PatchHunk] = []
    reached = 0
    for hunk in patch.hunks:
        found = [at for at in places.get(hunk.old[0], ()) if _fits(text, lines, hunk, at)] if hunk.old else []
        if len(found) != 1 or found[0] < reached:
            return None
        moved.append(replace(hunk, start=found[0] + 1))
        reached = found[0] + len(hunk.old)
    return replace(patch, hunks=tuple(moved))


def _created(hunk: PatchHunk) -> bytes:
    data = "".join(f"{line}\n" for line in hunk.new).encode()
    return data[:-1] if hunk.open_new else data


def misfit(path: str, text: Text | None, error: MisfitError, *, tokens: tuple[str, str]) -> VersionConflict:
    """The error to raise. `tokens`: the expected and the current one."""
    lines = ", ".join(str(hunk.line) for hunk in error.hunks)
    details: dict[str, Any] = {"expectedToken": tokens[0], "currentToken": tokens[1]}
    if text is None or (error.hunks[0].old == () and not error.elsewhere):
        what = f"The patch's hunk at its line {lines} does not fit {path}"
    else:
        what = f"{path} does not have the old lines of the hunks at lines {lines} of the patch where they say"
    resolution = "Read the file and make the patch anew."
    if error.elsewhere is not None and text is not None:
        after = decode(apply_patch(text, error.elsewhere) or b"", path, encoding=text.declared)
        details["rebased"] = unified_diff(path, text.lines(), after.lines())
        resolution = "They fit elsewhere: look at `rebased`, and apply it if it is what was meant."
    details["resolution"] = resolution
    return VersionConflict(f"{what}. {resolution}", object=path, **details)
