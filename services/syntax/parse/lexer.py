"""Lexer from C# source bytes to three views of equal length: for the parser, for hashes, and of doc comments.

Byte offsets are the coordinates of the whole syntax floor: every view keeps them, so that what is found in one is
read from another. Comments, strings and preprocessor lines are told apart by one regular expression; branches of
`#if` that the project does not take are blanked while lexing, because only the lexer knows a directive from text
in a string.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec

from services.concurrency.lazy import expression

# The first character is matched by a set of its own, before the alternatives look back at it: the expression engine
# can then skip to the next candidate at memory speed (twice as fast over real code).
# No character begins two alternatives of a loop or goes on behind it: there is one way to match a token, so that
# hostile text costs no more than its length.
_LEX = expression(
    rb"[/\"'#@$](?:"
    rb"(?<=/)(?:/(?:/(?!/)[^\n]*(?:\n[ \t]*///(?!/)[^\n]*)*|[^\n]*)|\*[^*]*(?:\*(?!/)[^*]*)*(?:\*/)?)"
    rb'|(?<=")(?!"")[^"\\\n]*(?:\\.[^"\\\n]*)*"?'
    rb"|(?<=')(?:[^'\\\n]|\\[^\n][^'\n]*)'"
    rb"|(?<=#)"
    rb'|(?<=@)"[^"]*(?:""[^"]*)*"?'
    rb'|(?<=\$)"(?!"")[^"\\{}\n]*(?:(?:\\.|\{\{|\}\}|\{[^"{}\n\']*\})[^"\\{}\n]*)*"'
    rb'|(?:(?<=\$)@|(?<=@)\$)"[^"{}]*(?:(?:""|\{\{|\}\}|\{[^"{}\']*\})[^"{}]*)*"(?!")'
    rb'|((?<=")"{2,}|(?<=(?<!\$)\$)\$*"{3,}|(?<=\$)(?:@"|")|(?<=@)\$"))'
)
_OPENING = 1  # the group that matches only the opening of a raw or interpolated string
_MAX_NESTING = 40
_DIRECTIVE = expression(rb"#[ \t]*([a-z]+)[ \t]*([^\n\r]*)")
_BRANCH = expression(rb"^[ \t]*#[ \t]*(if|elif|else|endif)\b", re.MULTILINE)
_HOLE = expression(rb"[{}\"'/$@]")
_REGULAR_STOP = expression(rb'\\.|\{\{|\{|"|\n')
_VERBATIM_STOP = expression(rb'""|\{\{|\{|"')
_INDENT = b" \t\f\v\xef\xbb\xbf"

# Line ends of C# (specification 6.3.2) that are none where lines are counted.
_OTHER_LINE_ENDS = expression(rb"\r(?!\n)|\xc2\x85|\xe2\x80[\xa8\xa9]")

_KEEP_NEWLINES = bytes(10 if c == 10 else 32 for c in range(256))
_HIDE_BLANKS = bytes.maketrans(b" \t\r\n", b"\x01\x02\x03\x04")

_SHOW_BLANKS = bytes.maketrans(b"\x01\x02\x03\x04", b" \t\r\n")

_SLASH, _APOSTROPHE, _HASH, _BACKSLASH = b"/'#\\"
_SHORTEST_IN_BRACKETS = len(b"('a')")


class Lexed(msgspec.Struct):
    """Views of one file, all of the length of `source`.

    clean: comments, directives and branches not taken are blank; strings are empty literals of the same length; every
        line end of C# is a line feed.
    code: as clean, but strings keep their content, with blanks in them replaced, for hashing.
    docs: (start, end) of each run of `///` lines or `/** */` comment.
    directives: (start, end) of the preprocessor lines in branches that are taken.
    conditional: whether an `#if` was evaluated.
    undecided: (start, end) of each `#if` to its `#endif` of which no branch is taken.
    guessed: whether the first branch of one was taken all the same.
    left_out: (start, end) of each branch that is not taken.
    """

    source: bytes
    clean: bytes = b""
    code: bytes = b""
    docs: list[tuple[int, int]] = msgspec.field(default_factory=list)
    directives: list[tuple[int, int]] = msgspec.field(default_factory=list)
    conditional: bool = False
    undecided: list[tuple[int, int]] = msgspec.field(default_factory=list)
    guessed: bool = False
    left_out: list[tuple[int, int]] = msgspec.field(default_factory=list)


def lex(source: bytes, symbols: frozenset[str] = frozenset(), forced: frozenset[int] = frozenset()) -> Lexed:
    """Lexes a file with the preprocessor `symbols` of its project. Never fails: an unterminated token ends with the
    file or its line. `forced`: where each `#if` begins whose first branch is taken whatever it asks."""
    return _Lexer(source, symbols, forced).run()


def shown_again(code: bytes) -> bytes:
    """A stretch of the `code` view with the blanks in its strings as they were."""
    return code.translate(_SHOW_BLANKS)


def with_line_feeds(source: bytes) -> bytes:
    """Return `source` with each other line end of C# replaced by line feeds of the same length: CR alone, U+0085,
    U+2028, U+2029. CR LF is unchanged."""
    has_others = source.count(b"\r") != source.count(b"\r\n") or any(
        end in source for end in (b"\xc2\x85", b"\xe2\x80\xa8", b"\xe2\x80\xa9")
    )
    return _OTHER_LINE_ENDS.sub(lambda end: b"\n".rjust(len(end[0])), source) if has_others else source


class _Branch(NamedTuple):
    """An `#if` that is open. `start`: where it begins; `taken`: whether a branch of it is; `otherwise`: where that
    begins if it is the `#else`."""

    start: int
    taken: bool
    otherwise: int = 0


class _Lexer:
    def __init__(self, source: bytes, symbols: frozenset[str], forced: frozenset[int]) -> None:
        self.source = with_line_feeds(source)
        self.forced = forced
        self.symbols = set(symbols)
        self.out = Lexed(source)
        self.clean: list[bytes] = []
        self.code: list[bytes] = []
        self.done = 0
        self.branches: list[_Branch] = []
        self.elses: list[tuple[int, int, int]] = []
        """Where each `#if` begins of which the `#else` is taken, where that begins, and where it ends."""
        self.looked = 0  # no newline between here and a `#` means that the `#` does not begin its line

    def run(self) -> Lexed:
        at: int | None = 0
        if self.source.startswith(b"\xef\xbb\xbf"):
            self._put(0, 3, b"   ", b"   ")
            at = 3
        while at is not None:
            at = self._scan(at)
        tail = self.source[self.done :]
        self.clean.append(tail)
        self.code.append(tail)
        self.out.clean = b"".join(self.clean)
        self.out.code = b"".join(self.code)
        for begin, at, end in self.elses:  # an `#else` with nothing but a comment is none
            if not self.out.clean[at:end].strip():
                self.out.undecided.append((begin, end))
        self.out.undecided.sort()
        return self.out

    def _put(self, start: int, end: int, clean: bytes, code: bytes) -> None:
        gap = self.source[self.done : start]
        self.clean += (gap, clean)
        self.code += (gap, code)
        self.done = end

    def _scan(self, at: int) -> int | None:
        """Lexes from `at` until a token that the expression alone cannot end; returns where to go on."""
        source = self.source
        for match in _LEX.finditer(source, at):
            start, end = match.span()
            first = source[start]
            if first == _SLASH:
                self._comment(start, end)
            elif match.lastindex == _OPENING:
                stop = _string_end(source, match)
                self._string(start, stop)
                return stop
            elif first == _APOSTROPHE:
                self._put(
                    start, end, _plain_character(end - start), source[start:end].translate(_HIDE_BLANKS)
                )
            elif first != _HASH:
                self._string(start, end)
            elif self._begins_line(start):
                return self._directive(start)
        return None

    def _comment(self, start: int, end: int) -> None:
        text = self.source[start:end]
        if text[1] == _SLASH:
            # A run of `///` lines is one match.
            blank = text.translate(_KEEP_NEWLINES) if b"\n" in text else b" " * (end - start)
            is_doc = text[2:3] == b"/" and text[3:4] != b"/"
        else:
            blank = text.translate(_KEEP_NEWLINES)
            is_doc = text[2:3] == b"*" and len(text) > 5
        if is_doc:
            self._doc(start, end)
        self._put(start, end, blank, blank)

    def _doc(self, start: int, end: int) -> None:
        docs = self.out.docs
        if docs and not self.source[docs[-1][1] : start].strip():
            docs[-1] = (docs[-1][0], end)
        else:
            docs.append((start, end))

    def _string(self, start: int, end: int) -> None:
        text = self.source[start:end]
        size = end - start
        if b"\n" in text:
            last = b"\n" if text.endswith(b"\n") else b'"'
            clean = b'@"' + text[2:-1].translate(_KEEP_NEWLINES) + last
        else:
            clean = b'"' + b" " * (size - 2) + b'"' if size > 1 else b" "
        self._put(start, end, clean, self.out.source[start:end].translate(_HIDE_BLANKS))

    def _begins_line(self, start: int) -> bool:
        """Whether only blanks precede the `#` at `start`. After one that does not begin its line no other on that
        line can, so the search backwards never passes the last one."""
        line = self.source.rfind(b"\n", self.looked, start)
        if line < 0 and self.looked:
            return False
        self.looked = start + 1
        return not self.source[line + 1 : start].strip(_INDENT)

    def _directive(self, start: int) -> int:
        """Remove the directive that begins at `start`; return the end."""
        end = self.source.find(b"\n", start)
        end = len(self.source) if end < 0 else end
        if self.source.endswith(b"\r", start, end):
            end -= 1
        self.looked = end
        blank = b" " * (end - start)
        self._put(start, end, blank, blank)
        self.out.directives.append((start, end))
        match = _DIRECTIVE.match(self.source, start, end)
        skipped = None if match is None else self._obey(match[1], match[2], (start, end))
        return end if skipped is None else skipped

    def _obey(self, name: bytes, rest: bytes, where: tuple[int, int]) -> int | None:
        """Acts on a directive; returns where to go on when a branch is left out."""
        start, end = where
        if name == b"define" or name == b"undef":
            word = rest.split(b"//")[0].strip().decode("utf-8", "replace")
            (self.symbols.add if name == b"define" else self.symbols.discard)(word)
        elif name == b"if":
            self.out.conditional = True
            taken = evaluate(rest.decode("utf-8", "replace"), self.symbols)
            if not taken and start in self.forced:
                taken = self.out.guessed = True
            self.branches.append(_Branch(start, taken))
            return None if taken else self._leave_out(end)
        elif name == b"elif" or name == b"else":
            return self._other_branch(name, rest, end)
        elif name == b"endif" and self.branches:
            branch = self.branches.pop()
            if not branch.taken:
                self.out.undecided.append((branch.start, end))
            elif branch.otherwise:
                self.elses.append((branch.start, branch.otherwise, end))
        return None

    def _other_branch(self, name: bytes, rest: bytes, end: int) -> int | None:
        if not self.branches:
            return None
        branch = self.branches[-1]
        if branch.taken:
            return self._leave_out(end)
        if name == b"else" or evaluate(rest.decode("utf-8", "replace"), self.symbols):
            self.branches[-1] = _Branch(branch.start, True, end if name == b"else" else 0)
            return None
        return self._leave_out(end)

    def _leave_out(self, start: int) -> int:
        """Blank out text up to the next directive of the same nesting; return its start."""
        depth = 0
        stop = len(self.source)
        for match in _BRANCH.finditer(self.source, start):
            name = match[1]
            if name == b"if":
                depth += 1
            elif depth == 0:
                stop = match.start()
                break
            elif name == b"endif":
                depth -= 1
        blank = self.source[start:stop].translate(_KEEP_NEWLINES)
        self._put(start, stop, blank, blank)
        self.out.left_out.append((start, stop))
        return stop


def _string_end(source: bytes, match: re.Match[bytes], nesting: int = 0) -> int:
    """The end of the string that `match` begins; holes of interpolated strings may hold strings of their own."""
    if match.lastindex != _OPENING:
        return match.end()
    opening = match[0]
    if opening.endswith(b'"""'):
        return _raw_end(source, match.end(), opening, nesting)
    return _interpolated_end(source, match.end(), b"@" in opening, nesting)


def _raw_end(source: bytes, at: int, opening: bytes, nesting: int) -> int:
    """The end of a raw string: as many quotes as opened it, outside holes, which open with a brace for each `$`."""
    quotes = opening.lstrip(b"$")
    brace = b"{" * (len(opening) - len(quotes))
    close = source.find(quotes, at)
    while brace and close >= 0 and (hole := source.find(brace, at, close)) >= 0:
        at = hole + len(brace)
        while source.startswith(b"{", at):
            at += 1
        at = _hole_end(source, at, nesting)
        if at > close:
            close = source.find(quotes, at)
    if close < 0:
        return len(source)
    end = close + len(quotes)
    while source.startswith(b'"', end):
        end += 1
    return end


def _plain_character(size: int) -> bytes:
    """A character literal that takes the place of one of `size` bytes, so that its node has the range of that."""
    if size < _SHORTEST_IN_BRACKETS:
        return b"'a'" if size == len(b"'a'") else rb"'\0'"
    return b"('a'" + b" " * (size - _SHORTEST_IN_BRACKETS) + b")"


def _interpolated_end(source: bytes, at: int, verbatim: bool, nesting: int) -> int:
    """The end of an interpolated string whose content begins at `at`."""
    stop = _VERBATIM_STOP if verbatim else _REGULAR_STOP
    while (found := stop.search(source, at)) is not None:
        token = found[0]
        if token == b'"' or token == b"\n":
            return found.end() if token == b'"' else found.start()
        at = _hole_end(source, found.end(), nesting) if token == b"{" else found.end()
    return len(source)


def _hole_end(source: bytes, at: int, nesting: int) -> int:
    """The offset after the `}` that closes a hole whose content begins at `at`."""
    depth = 1
    while nesting < _MAX_NESTING and (found := _HOLE.search(source, at)) is not None:
        char = found[0]
        at = found.end()
        if char == b"{":
            depth += 1
        elif char == b"}":
            depth -= 1
            if depth == 0:
                return at
        elif char == b'"' and source[found.start() - 1] == _BACKSLASH:
            continue  # of the format of a hole
        elif (token := _LEX.match(source, found.start())) is not None:
            at = _string_end(source, token, nesting + 1)
    return len(source)


# `#if` expressions: C# specification 6.5.3, over a set of defined symbols.

_TOKEN = expression(r"\s*(\|\||&&|==|!=|!|\(|\)|\w+)")


def evaluate(expression: str, symbols: frozenset[str] | set[str]) -> bool:
    """Whether `expression` holds. What is not an expression of the language counts as false, as a compiler that
    reports an error leaves the branch out."""
    tokens = _tokens(expression)
    try:
        value, rest = _either(tokens, 0, symbols)
    except (IndexError, RecursionError):
        return False
    return value and rest == len(tokens)


def _tokens(expression: str) -> list[str]:
    text = expression.split("//", 1)[0].rstrip()
    tokens: list[str] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            return [")"]
        tokens.append(match[1])
        at = match.end()
    return tokens


def _either(tokens: list[str], at: int, symbols: frozenset[str] | set[str]) -> tuple[bool, int]:
    value, at = _both(tokens, at, symbols)
    while at < len(tokens) and tokens[at] == "||":
        right, at = _both(tokens, at + 1, symbols)
        value = value or right
    return value, at


def _both(tokens: list[str], at: int, symbols: frozenset[str] | set[str]) -> tuple[bool, int]:
    value, at = _equal(tokens, at, symbols)
    while at < len(tokens) and tokens[at] == "&&":
        right, at = _equal(tokens, at + 1, symbols)
        value = value and right
    return value, at


def _equal(tokens: list[str], at: int, symbols: frozenset[str] | set[str]) -> tuple[bool, int]:
    value, at = _unary(tokens, at, symbols)
    while at < len(tokens) and tokens[at] in ("==", "!="):
        wanted = tokens[at] == "=="
        right, at = _unary(tokens, at + 1, symbols)
        value = (value == right) is wanted
    return value, at


def _unary(tokens: list[str], at: int, symbols: frozenset[str] | set[str]) -> tuple[bool, int]:
    token = tokens[at]
    if token == "!":
        value, at = _unary(tokens, at + 1, symbols)
        return not value, at
    if token == "(":
        value, at = _either(tokens, at + 1, symbols)
        if tokens[at] != ")":
            raise IndexError
        return value, at + 1
    if token in ("true", "false"):
        return token == "true", at + 1
    if not (token[0].isalpha() or token[0] == "_"):
        raise IndexError
    return token in symbols, at + 1
