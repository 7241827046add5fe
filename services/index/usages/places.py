"""The places of a name in one file, each with the declaration that it stands in, judged."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from services.index.names.context import Context, Level
from services.index.names.type_text import Named, parse
from services.index.usages.infer.typer import Typer
from services.index.usages.judge import GRADES, Judge, TypeJudge
from services.index.usages.types.typed import Tools
from services.model import TYPE_KINDS, Grade, Kind
from services.syntax.bodies import Body
from services.syntax.bodies.body import header_end
from services.syntax.bodies.crefs import Cref, crefs_in
from services.syntax.bodies.expressions import Hit
from services.syntax.parse.lexer import Lexed, lex, shown_again
from services.syntax.records.declaration import Declaration, FileRecord
from services.syntax.records.words import KEYWORDS

_CONSTRUCTION = rb"(?<![\w.@])new(?=\s*\()|(?<![\w.@])(?:base|this)(?=\s*\()"
INDEX_PATTERN = re.compile(rb"\[(?<!\[\[)(?<![,;]\[)")
"""Finds brackets that may be those of an index."""
_DOTTED = re.compile(rb"[\w\x80-\xff.:]*$")
# Bounded, so that what never closes is not read again from each beginning.
_BLOCK_HEADER = re.compile(
    rb"(?<![\w@.])extension\s*(?:<(?P<own>[^(){}]{0,999})>\s*)?"
    rb"\((?:\s*(?P<nameless>[\w\x80-\xff.]+)\s*\)|[^{};]{0,999}\))[^{};]{0,999}(?=\{)"
)
_WORD = re.compile(rb"[\w\x80-\xff]+(?=\s*(?:,|$))")
_NAMESPACE = re.compile(rb"\bnamespace\s+[\w\x80-\xff]")
NOWHERE = Declaration(
    Kind.CLASS, "", -1, 0, "", (), (), "", None, None, (), "", (), (), "",
    0, 0, 0, 0, (0, 0), (0, 0), b"", b"", b"", None,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """A place. `start`, `end`: its name's offsets; `declaration`: what it stands in, -1 outside."""

    start: int
    end: int
    kind: str
    grade: Grade
    declaration: int


def name_pattern(names: frozenset[str], *, constructions: bool) -> re.Pattern[bytes]:
    """Finds names in source. `constructions`: also `new(`, `base(` and `this(`."""
    # The name comes first, what may not stand before it after it: only so is a literal looked for at memory speed.
    found = b"|".join(_found(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(found + (b"|" + _CONSTRUCTION if constructions else b""))


def _found(name: str) -> bytes:
    word = re.escape(name.encode())
    before = b"(?<=@" if name in KEYWORDS else rb"(?<![\w\x80-\xff]"
    return word + before + word + rb")(?![\w\x80-\xff])"


def reading_of(
    tools: Tools, lexed: Lexed, place: tuple[int, int], declaration: Declaration
) -> tuple[Body, Typer]:
    """A member, or the header of a type, parsed, with what types its expressions. `place`: (file, declaration)."""
    is_header = declaration.kind in TYPE_KINDS and declaration.kind is not Kind.DELEGATE
    end = header_end(lexed, declaration.start, declaration.end) if is_header else declaration.end
    wrapped = "type" if is_header else "enum" if declaration.kind is Kind.ENUM_MEMBER else "member"
    body = Body(lexed, declaration.start, end, wrapped=wrapped)
    names = tools.names
    if is_header:
        context = names.base_context(*place)
    else:
        context = names.context(*place, declaration.own_parameters)
    return body, Typer(tools, body, declaration, context)


def innermost(starts: Sequence[int], declarations: Sequence[Declaration], offset: int) -> int:
    """The innermost of a file's declarations around an offset, -1 outside all. `starts`: where each begins."""
    at = bisect_right(starts, offset) - 1
    while at >= 0 and declarations[at].end <= offset:
        at = declarations[at].parent
    return at


def _block_headers(lexed: Lexed, start: int, end: int) -> tuple[re.Match[bytes], ...]:
    """What stands before the bodies of extension blocks: `own`: type parameters; `nameless`: a type without a name."""
    return tuple(_BLOCK_HEADER.finditer(lexed.clean, start, end))


class FilePlaces:
    """Judges one file. `file`: its index in the catalogue."""

    def __init__(self, tools: Tools, judge: Judge, file: int, record: FileRecord, project: int) -> None:
        self._tools = tools
        self._judge = judge
        self._file = file
        self._record = record
        self._project = project
        self._starts = [d.start for d in record.declarations]
        self._docs: list[tuple[tuple[int, int], int]] | None = None

    def find(self, text: bytes, symbols: frozenset[str], pattern: re.Pattern[bytes]) -> Iterator[Place]:
        """The places of the pattern that use the symbol, or may, in order."""
        lexed = lex(text, symbols)
        yield from self.judged(lexed, [match.span() for match in pattern.finditer(shown_again(lexed.code))])
        if b"cref" in text:
            for cref in crefs_in(lexed.source, lexed.docs):
                for match in pattern.finditer(lexed.source, cref.start, cref.end):
                    yield from self.in_cref(lexed, cref, match.span())

    def in_cref(self, lexed: Lexed, cref: Cref, span: tuple[int, int]) -> Iterator[Place]:
        """The name at these offsets, in a `cref`, if it uses the symbol or may."""
        at = self._documented(cref.start)
        if at is None:
            return
        declaration = self._record.declarations[at]
        context = self._tools.names.context(self._file, at, declaration.own_parameters)
        # What a comment names is none of the locals and parameters of what it documents.
        typer = Typer(self._tools, Body(lexed, 0, 0), NOWHERE, context)
        yield from self._judged_hit(lexed, typer, cref.hit(span[0]), span, at)

    def _documented(self, offset: int) -> int | None:
        """The declaration whose doc comment is around an offset."""
        if self._docs is None:
            docs = ((each.doc, at) for at, each in enumerate(self._record.declarations) if each.doc[1])
            self._docs = sorted(docs)
        at = bisect_right(self._docs, ((offset, offset), 0)) - 1
        return self._docs[at][1] if at >= 0 and offset < self._docs[at][0][1] else None

    def judged(self, lexed: Lexed, names: Sequence[tuple[int, int]]) -> Iterator[Place]:
        """Those of the names at these offsets that use the symbol, or may, in order of their declarations."""
        around: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for span in names:
            around[innermost(self._starts, self._record.declarations, span[0])].append(span)
        for at in sorted(around):
            spans = around[at]
            if at < 0:
                yield from self._outside(lexed, spans)
            else:
                yield from self._inside(lexed, at, spans)

    def _inside(self, lexed: Lexed, at: int, spans: list[tuple[int, int]]) -> Iterator[Place]:
        body, typer = reading_of(self._tools, lexed, (self._file, at), self._record.declarations[at])
        end = body.end
        headers = _block_headers(lexed, end, self._record.declarations[at].end) if spans[-1][0] >= end else ()
        for start, stop in spans:
            header = next((each for each in headers if each.start() <= start < each.end()), None)
            if start < end:
                yield from self._judged(lexed, typer, body, (start, stop), at)
            elif header is not None and self._is_in(header.start(), at):
                yield from self._in_block_header(lexed, header, (start, stop), at)
            else:
                yield from self._unread(lexed, start, stop, at)

    def _is_in(self, offset: int, at: int) -> bool:
        """Whether an offset is in a declaration and in none inside it."""
        return innermost(self._starts, self._record.declarations, offset) == at

    def _in_block_header(
        self, lexed: Lexed, header: re.Match[bytes], span: tuple[int, int], at: int
    ) -> Iterator[Place]:
        """Places before the body of an extension block: types, since no member is used there."""
        start, stop = span
        body = Body(lexed, header.start(), header.end(), wrapped="block")
        name = lexed.source[start:stop].decode("utf-8", "replace")
        hit = body.hit(start, name)
        if header.start("nameless") <= start < header.end("nameless"):
            before = lexed.clean[header.start("nameless") : start].decode("utf-8", "replace")
            hit = Hit(start, "type", "type", path=f"{before}{name}")
        own = tuple(word.decode("utf-8", "replace") for word in _WORD.findall(header["own"] or b""))
        context = self._tools.names.context(self._file, at, own)
        if hit.role != "unknown" or isinstance(self._judge, TypeJudge):
            typer = Typer(self._tools, body, self._record.declarations[at], context)
            yield from self._judged_hit(lexed, typer, hit, span, at)

    def _judged(
        self, lexed: Lexed, typer: Typer, body: Body, span: tuple[int, int], at: int
    ) -> Iterator[Place]:
        start, stop = span
        hit = body.hit(start, lexed.source[start:stop].decode("utf-8", "replace"))
        yield from self._judged_hit(lexed, typer, hit, span, at)

    def _judged_hit(
        self, lexed: Lexed, typer: Typer, hit: Hit, span: tuple[int, int], at: int
    ) -> Iterator[Place]:
        start, stop = span
        if hit.role == "unknown":
            yield from self._unread(lexed, start, stop, at)
            return
        verdict = self._judge.verdict(hit, typer)
        if (grade := GRADES.get(verdict)) is not None:
            yield Place(start, stop, hit.kind, grade, at)

    def _unread(self, lexed: Lexed, start: int, stop: int, at: int) -> Iterator[Place]:
        """A place that the grammar does not tell: code, where it is not in a string."""
        text = lexed.source[start:stop]
        if lexed.clean[start:stop] == text and text not in (b"new", b"base", b"this"):
            yield Place(start, stop, "unknown", Grade.NAME_MATCH, at)

    def _outside(self, lexed: Lexed, spans: list[tuple[int, int]]) -> Iterator[Place]:
        """Places in using directives and attributes of the assembly."""
        end = min(self._starts, default=len(lexed.source))
        found = _NAMESPACE.search(lexed.clean, 0, end)
        end = found.start() if found is not None else end
        context = self._tools.names.file_context(self._file)
        body: Body | None = None
        for start, stop in spans:
            line = lexed.clean[lexed.clean.rfind(b"\n", 0, start) + 1 : start]
            if line.lstrip().startswith((b"using ", b"global using ")):
                yield from self._in_using(line, lexed, start, stop)
            elif start < end:
                body = body or Body(lexed, 0, end, wrapped="unit")
                yield from self._judged(
                    lexed, Typer(self._tools, body, NOWHERE, context), body, (start, stop), -1
                )

    def _in_using(self, line: bytes, lexed: Lexed, start: int, stop: int) -> Iterator[Place]:
        if not isinstance(self._judge, TypeJudge):
            return
        arity = 0
        after = re.match(rb"\s*<([^<>]*)>", lexed.clean[stop:])
        if after is not None:
            arity = after[1].count(b",") + 1
        found = _DOTTED.search(line)
        before = found[0].decode("utf-8", "replace") if found is not None else ""
        name = lexed.source[start:stop].decode("utf-8", "replace")
        path = f"{before}{name}" + (f"<{', '.join(['int'] * arity)}>" if arity else "")
        namespaces = dict.fromkeys(scope.namespace for scope in reversed(self._record.scopes))
        context = Context(self._project, (), (), tuple(Level(n) for n in (*namespaces, "")))
        node = parse(path)
        target = self._tools.names.binder.target(node, context) if isinstance(node, Named) else None
        if target is not None and target.known is not None and target.known.index == self._judge.index:
            yield Place(start, stop, "using", Grade.BOUND, -1)
