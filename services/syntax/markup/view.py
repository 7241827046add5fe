"""View of a file that contains C# among other text: how it is written, and where C# in other text ends."""

from __future__ import annotations

import re

import msgspec

_BLANK = bytes(10 if c == 10 else 32 for c in range(256))
_WORD = re.compile(rb"@?[A-Za-z_\x80-\xff][\w\x80-\xff]*")


class GeneratedMember(msgspec.Struct, frozen=True):
    """A member that markup declares: an injected property, a named element. `code`: as C# would write it; `start`,
    `end`: where its name stands."""

    code: str
    start: int
    end: int


class View(msgspec.Struct):
    """C# of a file. `text`: of the file's length, everything else blank; `name`: of the class that the file is a part
    of, empty where it declares what it says itself (`text` is then a compilation unit); `namespace`: of the class, None
    where the folder says it; `usings`: what `using` directives name; `blocks`: (start, end) of members; `members`:
    those that no C# declares; `names`: where names stand of which nothing more is known; `types`: where those of types
    do; `is_imports`: whether the usings count in every file of its folder and below."""

    text: bytes
    name: str = ""
    namespace: str | None = None
    type_parameters: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()
    usings: list[str] = msgspec.field(default_factory=list[str])
    blocks: list[tuple[int, int]] = msgspec.field(default_factory=list[tuple[int, int]])
    members: list[GeneratedMember] = msgspec.field(default_factory=list[GeneratedMember])
    names: list[tuple[int, int]] = msgspec.field(default_factory=list[tuple[int, int]])
    types: list[tuple[int, int]] = msgspec.field(default_factory=list[tuple[int, int]])
    is_imports: bool = False


class ViewWriter:
    """Writer of a view: it copies stretches of C# and ends statements at other text."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.names: list[tuple[int, int]] = []
        self.types: list[tuple[int, int]] = []
        self.keeps_names_alone = False
        """Whether of code only the names are copied: it stands where no statement can."""
        self._text = bytearray(source.translate(_BLANK))
        self._open = -1

    def keep(self, start: int, end: int) -> None:
        """Copy a stretch without Razor's comments; an unfinished statement before it is ended."""
        if self.keeps_names_alone:
            self._names_in(start, end)
            return
        if self._open >= 0:
            self._end(start)
        self._text[start:end] = self.source[start:end]
        if self.source.find(_COMMENT, start, end) >= 0:
            for token in _TOKEN.finditer(self.source, start, end):
                if token[0].startswith(_COMMENT):
                    self._text[token.start() : token.end()] = token[0].translate(_BLANK)

    def statement(self, start: int, end: int) -> None:
        """Copy an expression as a statement of its own: its value is discarded."""
        self.keep(start, end)
        if self.keeps_names_alone:
            return
        at = self._text.rfind(b"  ", max(0, start - 400), start)
        if at >= 0 and not self._text[at:start].strip():
            self._text[at : at + 2] = b"_="
        self._open = end

    def type(self, start: int, end: int) -> None:
        """Copy the name of a type."""
        self._text[start:end] = self.source[start:end]
        self.types.append((start, end))

    def name(self, start: int, end: int) -> None:
        """Copy the names in a stretch: their meaning is unknown."""
        for word in _WORD.finditer(self.source, start, end):
            self._text[word.start() : word.end()] = word[0]
            self.names.append(word.span())

    def value(self, at: int) -> None:
        """Write a value in place of one character."""
        self._text[at] = 0x30

    def _names_in(self, start: int, end: int) -> None:
        """Copy the names outside of strings and comments."""
        for token in _TOKEN.finditer(self.source, start, end):
            self.name(start, token.start())
            start = token.end()
        self.name(start, end)

    def finish(self, view: View) -> None:
        """Fill in what was written."""
        if self._open >= 0:
            self._end(len(self._text))
        view.text = bytes(self._text)
        view.names, view.types = sorted(self.names), sorted(self.types)

    def _end(self, before: int) -> None:
        """End the open statement at the first blank behind it."""
        for at in range(self._open, min(before, self._open + 400)):
            if self._text[at] == 0x20:
                self._text[at] = 0x3B
                break
        self._open = -1


LITERALS = (
    rb'"{3,}.*?(?:"{3,}|\Z)|\$?@\$?"(?:[^"]|"")*(?:"|\Z)|\$?"(?:\\.|[^"\\\r\n])*"|\'(?:\\.|[^\'\\\r\n])+\''
    rb"|//[^\r\n]*|/\*.*?(?:\*/|\Z)|@\*.*?(?:\*@|\Z)"
)
"""What hides brackets: strings, characters and comments. One that is not closed ends with the text, so that nothing is
read again from each of many beginnings."""
_TOKEN = re.compile(LITERALS + rb"|[()\[\]{}]", re.DOTALL)
_COMMENT = b"@*"
_OPENS, _CLOSES = b"([{", b")]}"
_NAME = re.compile(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*")
_GOES_ON = re.compile(rb"!?\??\.(?=[A-Za-z_\x80-\xff])|!?(?=[(\[])|\?(?=\[)")


class Brackets:
    """Finds where brackets close, with an effort that is bounded by the length of the text."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._effort = 2 * len(source) + 10_000

    def closing(self, at: int) -> int:
        """Behind the bracket that closes the one at `at`; -1 where none does."""
        depth = 0
        for token in _TOKEN.finditer(self._source, at):
            self._effort -= token.end() - at
            at = token.end()
            if self._effort < 0:
                return -1
            if token[0] in _OPENS:
                depth += 1
            elif token[0] in _CLOSES:
                depth -= 1
                if depth <= 0:
                    return token.end()
        self._effort -= len(self._source) - at
        return -1

    def implicit(self, at: int) -> int:
        """Behind the expression that begins with a name at `at`, as far as Razor reads it: members, calls and indexes;
        `at` itself where no name stands there."""
        name = _NAME.match(self._source, at)
        end = name.end() if name is not None else at
        while name is not None and (more := _GOES_ON.match(self._source, end)) is not None:
            if self._source[more.end() : more.end() + 1] in (b"(", b"["):
                closed = self.closing(more.end())
                if closed < 0:
                    return end
                end = closed
            else:
                name = _NAME.match(self._source, more.end())
                end = name.end() if name is not None else end
        return end
