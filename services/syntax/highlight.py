"""C# text to coloured spans, line by line: what the screen needs at once, before a parser has an opinion.

A lexer, not a parser: words are told by the language's keywords and by how C# is written (a PascalCase name
before a name is a type, before `(` a method). One regular expression finds the tokens of a line; what goes
on over the end of a line is a stack of `Frame`s, so that a page of a large file can be coloured from a
checkpoint. Linear in the length of the text whatever is in it: what an expression looks at behind its own
token is a run of blanks or of bounded length.

Styles: keyword, type, method, string, escape, char, number, comment, doc, preprocessor, attribute and
punctuation (the braces of a hole).

The coloured spans of a long text, worked out a block of lines at a time, as they are asked for.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Sequence
from enum import Enum, auto
from typing import NamedTuple

from services.concurrency.cancellation import checkpoint
from services.concurrency.exclusion import Guarded
from services.model import Span
from services.syntax.records.words import BEFORE_NAME, CONTEXTUAL, KEYWORDS, TYPE_FOLLOWS

Spans = tuple[Span, ...]


class Mode(Enum):
    """Mode of the lexer."""

    COMMENT = auto()
    DOC = auto()
    VERBATIM = auto()
    REGULAR = auto()
    RAW = auto()
    HOLE = auto()


class Frame(NamedTuple):
    """Something begun and not yet ended.

    `quotes`: how many end a raw string; `dollars`: how many braces open a hole, 0 where there are none;
    `braces`: those open within a hole.
    """

    mode: Mode
    quotes: int = 1
    dollars: int = 0
    braces: int = 0


State = tuple[Frame, ...]
"""What is open at the start of a line, outermost first."""

START: State = ()

_RAW_LOOK = 200
"""Characters in which the end of a raw string on one line is looked for: bounded, to stay linear."""
_MAX_DEPTH = 24
"""Strings within holes within strings; deeper ones are taken for plain text."""

_TOKENS = r"""
(?P<word>[a-z_]\w*|@[^\W\d]\w*|[^\W\dA-Z]\w*)
|(?P<upper>[A-Z]\w*)(?:
    (?P<method>(?=\s*\(|<(?:[\w\s,.?\[\]]|<[\w\s,.?\[\]]{0,40}>){0,60}>\())
    |(?P<type>(?=<|>|(?:\?|\*|\[[\],]*\])*\s+(?!(?:is|as|in|and|or|when|switch|with)\b)[^\W\d]))
    |)
|(?P<line>//.*)
|(?P<block>/\*)
|(?P<raw>\${0,9}"{3,})
|(?P<open>\$"|\$@"|@\$?")
|(?P<string>"[^"\\]*(?:\\.[^"\\]*)*(?:"(?:u8)?|\\?$))
|(?P<char>'(?:[^'\\]|\\[^ \t][0-9a-fA-F]{0,8})')
|(?P<number>\d[\w]*(?:\.\d\w*)?(?:(?<=[eE])[+-]\d+\w?)?)
"""
_FIRST = r"(?=[^\W]|[@/$\"'])"
_CODE = re.compile(rf"{_FIRST}(?:{_TOKENS})", re.VERBOSE)
_HOLE = re.compile(rf"(?=[^\W]|[@/$\"'{{}}])(?:{_TOKENS}|(?P<brace>[{{}}]))", re.VERBOSE)
_DIRECTIVE = re.compile(r"\s*#")
_ATTRIBUTE = re.compile(
    r"\s*\[(?:\s*(?:assembly|module|return|field|property|param|method|type|event)\s*:)?\s*([A-Z][\w.]*)"
)
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{1,4}|.)")
_ACCESSOR = re.compile(r"\s*(?:;|\{|=>|$)")
_BEFORE_ACCESSOR = re.compile(r"(?:^|[{};\]]|\b(?:private|protected|internal|readonly))\s*$")
_NAME_FOLLOWS = re.compile(r"\s+[\w@(\[\"$'{!-]|\s*$")

_NAMES = {"upper": None, "method": "method", "type": "type"}
_WHOLE = frozenset(("char", "number"))
_STOPS = {
    Mode.VERBATIM: re.compile(r'""|\{\{|\}\}|["{]'),
    Mode.REGULAR: re.compile(r'\\(?:u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)|\{\{|\}\}|["{]'),
    Mode.RAW: re.compile(r'"+|\{+'),
}


def highlight(text: str) -> tuple[Spans, ...]:
    """The spans of each line of `text` (lines end at LF), in order and without overlaps."""
    return highlight_lines(text.split("\n"), START)[0]


def highlight_lines(lines: Iterable[str], state: State) -> tuple[tuple[Spans, ...], State]:
    """The spans of each of `lines`, and the state after them; they begin in `state`, `START` at the head of
    a file."""
    stack = list(state)
    return tuple([_Line(line, stack).run() for line in lines]), tuple(stack)


class _Line:
    """Lexer of one line. `stack` outlives it."""

    __slots__ = ("line", "spans", "stack")

    def __init__(self, line: str, stack: list[Frame]) -> None:
        self.line = line
        self.stack = stack
        self.spans: list[Span] = []

    def run(self) -> Spans:
        line, stack, at = self.line, self.stack, 0
        if not stack:
            at = self._head()
        while at < len(line):
            at = self._text(at) if stack and stack[-1].mode is not Mode.HOLE else self._code(at)
        self._end_line()
        return tuple(self.spans)

    def _put(self, start: int, end: int, style: str) -> None:
        if end > start:
            self.spans.append(Span(start=start, end=end, style=style))

    def _head(self) -> int:
        """Lex the start of a line: a directive takes all of it, and a leading bracket is an attribute rather than an
        index."""
        line = self.line
        if _DIRECTIVE.match(line):
            self._put(0, len(line), "preprocessor")
            return len(line)
        if match := _ATTRIBUTE.match(line):
            self._put(*match.span(1), "attribute")
            return match.end()
        return 0

    def _code(self, at: int) -> int:
        """Lexes code until something opens or closes that another expression must go on with."""
        line, spans = self.line, self.spans
        type_at = -2
        for match in (_HOLE if self.stack else _CODE).finditer(line, at):
            group = match.lastgroup
            start, end = match.span()
            if group == "word":
                style = self._word(match)
                if style is not None and match.group() in TYPE_FOLLOWS:
                    type_at = end
            elif group in _NAMES:
                style = _NAMES[group]
                if start - type_at <= 1:
                    style, type_at = "type", end if line.startswith(".", end) else type_at
            elif group == "string":
                self._string(start, end)
                continue
            elif group in _WHOLE:
                style = group
            elif group == "line":
                style = "doc" if line.startswith("///", start) else "comment"
            else:
                return self._open(match)
            if style is not None:
                spans.append(Span(start=start, end=end, style=style))
        return len(line)

    def _word(self, match: re.Match[str]) -> str | None:
        word = match.group()
        if word in KEYWORDS:
            return "keyword"
        kind = CONTEXTUAL.get(word)
        if kind is None:
            return None
        line, (start, end) = match.string, match.span()
        if kind == BEFORE_NAME:
            certain = _NAME_FOLLOWS.match(line, end) is not None
        else:
            before = _BEFORE_ACCESSOR.search(line[max(0, start - 40) : start])
            certain = before is not None and _ACCESSOR.match(line, end) is not None
        return "keyword" if certain else None

    def _string(self, start: int, end: int) -> None:
        """A regular string, its escapes apart."""
        if "\\" in self.line[start:end]:
            for match in _ESCAPE.finditer(self.line, start, end):
                self._put(start, match.start(), "string")
                self._put(*match.span(), "escape")
                start = match.end()
        self._put(start, end, "string")

    def _open(self, match: re.Match[str]) -> int:
        """Begins a comment or a string that this line may not end, or counts a brace of a hole."""
        start, end = match.span()
        text, group = match.group(), match.lastgroup
        if group == "brace":
            return self._brace(text, start)
        if group == "block":
            doc = self.line.startswith("**", start + 1) and not self.line.startswith("/", start + 3)
            self.stack.append(Frame(Mode.DOC if doc else Mode.COMMENT))
            self._put(start, end, "doc" if doc else "comment")
        elif group == "raw":
            quotes, dollars = text.count('"'), text.count("$")
            self._put(start, end, "string")
            if self._may_be_raw(end, quotes):
                self.stack.append(Frame(Mode.RAW, quotes, dollars))
        else:
            self._put(start, end, "string")
            self.stack.append(Frame(Mode.VERBATIM if "@" in text else Mode.REGULAR, 1, text.count("$")))
        return end

    def _may_be_raw(self, at: int, quotes: int) -> bool:
        """A raw string with text behind its opening ends on the same line, or is none."""
        rest = self.line[at : at + _RAW_LOOK]
        return not rest.strip() or len(self.line) > at + _RAW_LOOK or '"' * quotes in rest

    def _brace(self, text: str, start: int) -> int:
        stack = self.stack
        hole = stack[-1]
        if text == "{":
            stack[-1] = hole._replace(braces=hole.braces + 1)
        elif hole.braces:
            stack[-1] = hole._replace(braces=hole.braces - 1)
        else:
            stack.pop()
            end = start
            while end - start < hole.dollars and self.line.startswith("}", end):
                end += 1
            self._put(start, end, "punctuation")
            return end
        return start + 1

    def _text(self, at: int) -> int:
        """Continue the comment or string on top of the stack: to its end, a hole, or the end of the line."""
        frame = self.stack[-1]
        if frame.mode in (Mode.COMMENT, Mode.DOC):
            return self._comment(at, "doc" if frame.mode is Mode.DOC else "comment")
        start = at
        for match in _STOPS[frame.mode].finditer(self.line, at):
            stop = match.group()
            if stop[0] == '"':
                if len(stop) == frame.quotes or (frame.mode is Mode.RAW and len(stop) > frame.quotes):
                    self.stack.pop()
                    self._put(start, match.end(), "string")
                    return match.end()
            elif stop[0] == "\\":
                if frame.mode is Mode.REGULAR:
                    self._put(start, match.start(), "string")
                    self._put(*match.span(), "escape")
                    start = match.end()
            elif self._opens_hole(stop, frame):
                hole = match.end() - frame.dollars
                self._put(start, hole, "string")
                self._put(hole, match.end(), "punctuation")
                self.stack.append(Frame(Mode.HOLE, dollars=frame.dollars))
                return match.end()
        self._put(start, len(self.line), "string")
        return len(self.line)

    def _opens_hole(self, stop: str, frame: Frame) -> bool:
        if not frame.dollars or stop[0] != "{" or len(self.stack) >= _MAX_DEPTH:
            return False
        return len(stop) >= frame.dollars if frame.mode is Mode.RAW else len(stop) == 1

    def _comment(self, at: int, style: str) -> int:
        end = self.line.find("*/", at)
        if end < 0:
            self._put(at, len(self.line), style)
            return len(self.line)
        self.stack.pop()
        self._put(at, end + 2, style)
        return end + 2

    def _end_line(self) -> None:
        """End tokens that cannot continue on the next line: a regular string, with its open holes."""
        for depth, frame in enumerate(self.stack):
            if frame.mode is Mode.REGULAR:
                del self.stack[depth:]
                return


BLOCK = 128
"""Lines that are coloured together."""


class Colours:
    """Colours of one text. The lexer state at the start of each block is cached, so that only unread blocks are lexed
    on the way to a line. Thread-safe."""

    def __init__(self, lines: Sequence[str]) -> None:
        """`lines`: without their endings."""
        self._lines = lines
        self._starts: Guarded[list[State]] = Guarded([START])

    def of(self, lines: Iterable[int], *, cancel: threading.Event | None = None) -> dict[int, Spans]:
        """The spans of some lines (numbered from 1) and of those in the same blocks, by line. Raises Cancelled."""
        blocks = sorted({(line - 1) // BLOCK for line in lines if 0 < line <= len(self._lines)})
        found: dict[int, Spans] = {}
        for block in blocks:
            found.update(enumerate(self._block(block, cancel), block * BLOCK + 1))
        return found

    def _block(self, block: int, cancel: threading.Event | None) -> Sequence[Spans]:
        with self._starts as starts:
            while len(starts) <= block:
                self._read(len(starts) - 1, starts, cancel)
            return self._read(block, starts, cancel)

    def _read(self, block: int, starts: list[State], cancel: threading.Event | None) -> Sequence[Spans]:
        checkpoint(cancel, "Colouring was cancelled.")
        lines = self._lines[block * BLOCK : (block + 1) * BLOCK]
        spans, after = highlight_lines(lines, starts[block])
        if block + 1 == len(starts):
            starts.append(after)
        return spans
