"""An answer taken apart: its fences, taken out of quotes and lists of Markdown, the words between them, the
requested changes as written, and the files that their paths mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

import msgspec

from services.errors import UsageError
from services.source.text.differ import matching_blocks

_OPENING = re.compile(r"(?P<before>(?:[ \t]|>|[-*+] |\d{1,3}[.)] )*)(?P<fence>`{3,}|~{3,})(?P<info>.*)")
_QUOTE = re.compile(r" {0,3}> ?")
_NUMBER = re.compile(r" {0,9}(?P<number>\d{1,6})(?: ?\|(?: |$)|→|\t|:(?: |$))")
_DIFFS = ("diff", "patch", "udiff")
MARKDOWN = ("markdown", "md")
"""Languages of a fence that holds a text with fences."""
_MAILED = 0.8
"""The part of the lines of a text that must be quoted for all of it to count as quoted."""
_DEEPEST = 5
"""Quotes within quotes that are looked into."""


class Fence(msgspec.Struct, frozen=True):
    """Fenced block. `line`: of its first line, from 1; `info`: the text after the opening fence."""

    line: int
    info: str
    lines: tuple[str, ...]

    @property
    def language(self) -> str:
        """First word of the info string, lower case."""
        return re.split(r"[\s:{,]", self.info.strip(), maxsplit=1)[0].lower()


class Words(msgspec.Struct, frozen=True):
    """Text outside of fences. `line`: of its first line, from 1."""

    line: int
    lines: tuple[str, ...]


Block = Fence | Words


def blocks_of(lines: Sequence[str]) -> list[Block]:
    """The answer's fences and the words between them. Raises UsageError for a fence that does not end: the answer was
    cut off."""
    found: list[Block] = []
    words: list[str] = []
    at = 0
    while at < len(lines):
        opening = _OPENING.fullmatch(lines[at])
        if opening is None or "`" in opening["info"]:
            words.append(lines[at])
            at += 1
            continue
        if words:
            found.append(Words(at - len(words) + 1, tuple(words)))
            words = []
        end = _end_of(lines, at, opening)
        content = _unwrapped(lines[at + 1 : end], opening["before"])
        found.append(Fence(at + 2, opening["info"].strip(), tuple(content)))
        at = end + 1
    if words:
        found.append(Words(at - len(words) + 1, tuple(words)))
    return found


def unquoted(lines: Sequence[str]) -> list[str]:
    """The lines without the `>` of a text that is quoted as a whole, as in a mail."""
    lines = list(lines)
    for _ in range(_DEEPEST):
        said = [line for line in lines if line.strip()]
        quoted = [line for line in said if _QUOTE.match(line) and not line.startswith(">>>>")]
        if not said or len(quoted) < len(said) * _MAILED:
            break
        lines = [_without_quotes(line, 1) for line in lines]
    return lines


def unnumbered(lines: Sequence[str]) -> Sequence[str]:
    """The lines without the numbers before them, where all have one and they count up, as in what tools read."""
    found = [_NUMBER.match(line) for line in lines]
    numbers = [int(each["number"]) for each in found if each is not None]
    if len(numbers) < max(2, len(lines)) or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return lines
    return [line[each.end() :] for line, each in zip(lines, found, strict=True) if each is not None]


def _end_of(lines: Sequence[str], at: int, opening: re.Match[str]) -> int:
    """The index of the line that closes a fence."""
    fence, quotes = opening["fence"], min(opening["before"].count(">"), _DEEPEST)
    is_diff = opening["info"].strip().lower().startswith(_DIFFS)
    indent = len(opening["before"].expandtabs(4))
    for end in range(at + 1, len(lines)):
        line = _without_quotes(lines[end], quotes)
        bare = line.strip()
        if len(bare) < len(fence) or set(bare) != {fence[0]}:
            continue
        if quotes == 0 and is_diff and len(line) - len(line.lstrip()) > indent:
            continue  # context of a diff begins with a blank
        return end
    raise UsageError(
        f"The answer ends within the fence that begins at its line {at + 1}: it was cut off. Paste all of it.",
        line=at + 1,
    )


def _unwrapped(lines: Sequence[str], before: str) -> Iterable[str]:
    """Return the content of a fence without the quote marks and the indentation of its container."""
    quotes = min(before.count(">"), _DEEPEST)
    bare = [_without_quotes(line, quotes) for line in lines]
    behind = before.rpartition(">")[2] if quotes else before
    indent = len(behind.expandtabs(4)) - (1 if quotes and behind.startswith(" ") else 0)
    if indent > 0 and any(line.strip() and line[:indent].strip() for line in bare):
        indent = 0  # the fence alone is indented
    return (line[indent:] for line in bare)


def _without_quotes(line: str, depth: int) -> str:
    for _ in range(depth):
        if (quote := _QUOTE.match(line)) is None:
            break
        line = line[quote.end() :]
    return line


class SignedLine(NamedTuple):
    """A line of a hunk. `sign`: a blank for context, `-` or `+`."""

    sign: str
    text: str


class HunkNumbers(NamedTuple):
    """Line numbers of a hunk's head: first line and count, of the old side and of the new one."""

    old: int
    old_count: int
    new: int
    new_count: int


class PastedHunk(msgspec.Struct, frozen=True):
    """Lines to find and their replacement. `line`: of the answer, from 1; `numbers`: the stated position, None where
    there is none; `headings`: the lines of the file that the hunk names before it; `at_end`: whether it claims to end
    the file; `open_old`, `open_new`: whether the last line is stated to have no ending, None where nothing is stated;
    `counted`: the counts of its head fit its lines; `block`: the new lines were written separately from the old ones,
    so that only a comparison finds the common ones."""

    ops: tuple[SignedLine, ...]
    line: int
    numbers: HunkNumbers | None = None
    headings: tuple[str, ...] = ()
    at_end: bool = False
    open_old: bool | None = None
    open_new: bool | None = None
    counted: bool = False
    block: bool = False

    @property
    def old(self) -> tuple[str, ...]:
        """The lines that must be there."""
        return tuple(op.text for op in self.ops if op.sign != "+")

    @property
    def new(self) -> tuple[str, ...]:
        """The lines that are there afterwards."""
        return tuple(op.text for op in self.ops if op.sign != "-")


class WholeChange(StrEnum):
    """Change of a file as a whole."""

    EDIT = "edit"
    CREATE = "create"
    DELETE = "delete"
    RENAME = "rename"


class PathHint(msgspec.Struct, frozen=True):
    """Paths that may be meant, the best first. `certain`: the piece names its file in a place made for that; else the
    words around it mention files."""

    paths: tuple[str, ...] = ()
    certain: bool = False


class FilePiece(msgspec.Struct, frozen=True):
    """Hunks of one file. `to`: the path that a renamed file gets; `refusal`: why it is nothing to be pasted."""

    hint: PathHint
    line: int
    change: WholeChange = WholeChange.EDIT
    hunks: tuple[PastedHunk, ...] = ()
    to: str = ""
    refusal: str = ""


class CodePiece(msgspec.Struct, frozen=True):
    """Source in a fence: a whole file, a type, members, or parts of them. `language`: of the fence, lower case;
    `about`: the words around all fences; `named`: the lines at its start that only name the file, left out of `lines`.
    """

    hint: PathHint
    line: int
    lines: tuple[str, ...]
    language: str = ""
    about: str = ""
    named: tuple[str, ...] = ()


Piece = FilePiece | CodePiece


def replacing(search: Sequence[str], replace: Sequence[str], line: int) -> PastedHunk:
    """The hunk that puts lines in the place of others; what both have in common is context."""
    ops: list[SignedLine] = []
    a = b = 0
    for block in matching_blocks(search, replace):
        ops += [SignedLine("-", text) for text in search[a : block.a]]
        ops += [SignedLine("+", text) for text in replace[b : block.b]]
        ops += [SignedLine(" ", text) for text in search[block.a : block.a + block.size]]
        a, b = block.a + block.size, block.b + block.size
    return PastedHunk(tuple(ops), line, block=True)


_PATH = re.compile(r"(?:[\w@.+~#()\[\]-]+[/\\])*[\w@.+~#()\[\]-]*\.[A-Za-z][\w+-]{0,11}\b(?![/\\(])")
_NAMED = re.compile(r"(?:file|filename|file name|path|title|name)\s*[:=]\s*", re.IGNORECASE)
_STATE = r"(?:\((?:new|new file|updated|modified|changed)\))?"
_COMMENT = re.compile(
    rf"\s*(?://+|#+|--|;+|'|<!--|/\*+|@\*)\s*(?P<said>.*?)\s*(?:-->|\*+/|\*@)?\s*{_STATE}\s*"
)
_HEADING = re.compile(
    r"\s*(?:#{1,6}\s+|[-*+]\s+|\d+[.)]\s+|>\s*)*[*_`\"'(\[]*"
    r"(?:(?:new |modified |updated |changed |create |update |edit |in )?(?:the )?(?:file|filename|path)?\s*:?\s*)?"
    rf"[*_`\"'(\[]*(?P<path>[^\s`*\"']+(?: [^\s`*\"']+)*?)[*_`\"')\]]*\s*{_STATE}[*_`:\s]*",
    re.IGNORECASE,
)
_PREFIX = re.compile(r"(?:[abciow12]|old|new)/")
_MOST_WORDS = 40
"""Lines before a piece in which files may be mentioned."""
_LONGEST = 500
"""Characters of a line that may be nothing but a path."""


def hint_of(
    fence: Fence, before: Sequence[str], after: Sequence[str] = ()
) -> tuple[PathHint, tuple[str, ...]]:
    """The files a fence may be for, and its lines without one that only names the file. `before`, `after`: the words
    around it."""
    if path := _of_info(fence):
        return PathHint((path,), certain=True), fence.lines
    first = next((at for at, line in enumerate(fence.lines) if line.strip()), None)
    is_heading = fence.language in MARKDOWN and first is not None and fence.lines[first].startswith("#")
    if first is not None and not is_heading and (path := _of_comment(fence.lines[first])):
        rest = fence.lines[first + 1 :]
        return PathHint((path,), certain=True), rest[1:] if rest and not rest[0].strip() else rest
    return of_words(before, after), fence.lines


def of_words(before: Sequence[str], after: Sequence[str] = ()) -> PathHint:
    """The files that words around a piece may mean: the last line before it where that is nothing but a path."""
    said = [line for line in before if line.strip()]
    if said and (path := _of_heading(said[-1])):
        return PathHint((path,), certain=True)
    nearest = [path for line in reversed(said[-_MOST_WORDS:]) for path in paths_in(line)]
    following = [path for line in after[:_MOST_WORDS] for path in paths_in(line)]
    return PathHint(tuple(dict.fromkeys([*nearest, *following])))


def line_path(line: str) -> str:
    """Return the path of a line that contains nothing else, as words or a comment; else the empty string."""
    return _of_heading(line) or _of_comment(line)


def paths_in(text: str) -> list[str]:
    """Return all texts in a line of words that look like a path."""
    return [match[0].strip("()[]") for match in _PATH.finditer(text[: 4 * _LONGEST])]


def is_path(text: str) -> bool:
    """Whether a text is nothing but a path."""
    match = _PATH.match(text)
    return match is not None and match.end() == len(text)


def bare_path(path: str) -> str:
    """A path as it is written, with slashes, without quotes and without `./`."""
    path = path.strip().strip("`\"'").replace("\\", "/")
    while path.startswith("./"):
        path = path[2:]
    return path


def unprefixed(path: str) -> str:
    """A path as it is written, without the `a/` or `b/` of a diff."""
    bare = bare_path(path)
    return bare[2:] if bare.startswith(("a/", "b/")) else bare


def matching(path: str, known: Iterable[str]) -> list[str]:
    """The known paths that a path may mean: itself; else itself without `a/` or `b/`; else with folders before it, or
    without its own first ones as long as two names are left. All that are alike good."""
    wanted, paths = bare_path(path), [*known]
    there = set(paths)
    variants = [wanted, *([wanted[wanted.index("/") + 1 :]] if _PREFIX.match(wanted) else [])]
    for each in variants:
        if each in there:
            return [each]
    for each in variants:
        folded = [one for one in paths if one.casefold() == each.casefold()]
        if folded:
            return folded
    for names in _shorter(wanted):
        ending = "/" + names
        found = [one for one in paths if one == names or one.endswith(ending)]
        if found:
            return found
    return []


def alike(path: str, known: Iterable[str]) -> list[str]:
    """The known paths with the same last name."""
    name = bare_path(path).rpartition("/")[2].casefold()
    return [one for one in known if one.rpartition("/")[2].casefold() == name]


def _shorter(path: str) -> Iterator[str]:
    names = path.strip("/").split("/")
    yield "/".join(names)
    for start in range(1, len(names) - 1):
        yield "/".join(names[start:])


def _of_info(fence: Fence) -> str:
    """The path in an info string: `csharp title="src/A.cs"`, `csharp:src/A.cs`, `src/A.cs`."""
    rest = re.sub(r"^[\w+#-]*[:\s]?", "", fence.info, count=1) if not is_path(fence.info) else fence.info
    rest = _NAMED.sub("", rest.strip("{} ")).strip("\"'` ")
    if is_path(rest) or ("/" in rest and " " not in rest and rest):
        return rest
    found = paths_in(rest)
    return found[0] if len(found) == 1 else ""


def _of_comment(line: str) -> str:
    """The path in a line that is a comment of nothing else."""
    match = _COMMENT.fullmatch(line) if len(line) <= _LONGEST else None
    said = _NAMED.sub("", match["said"].strip("=-<> ")).strip("`\"' ") if match else ""
    return said if is_path(said) else ""


def _of_heading(line: str) -> str:
    """Return the path in a line of words that contains nothing else."""
    match = _HEADING.fullmatch(line) if len(line) <= _LONGEST else None
    path = match["path"].strip("`\"'()[]:") if match else ""
    return path if is_path(path) else ""
