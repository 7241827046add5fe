"""Names at places of a file: the bound facts, declaration by declaration, computed on demand and cached, and the
declarations that a name means, by the same rules as usages.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence

import msgspec

from services.concurrency.latest import LRUCache
from services.index.binding.facts import Fact, Facts
from services.index.binding.files import FileBinder
from services.index.binding.types.symbol import Member, Symbol
from services.index.binding.types.world import World
from services.index.catalog.catalogue import Catalogue
from services.index.catalog.records import Records
from services.index.names.space import Space
from services.model import Kind
from services.syntax.parse.lexer import Lexed
from services.syntax.records.declaration import Declaration, FileRecord
from services.syntax.records.words import KEYWORDS

_CONSTRUCTION = rb"(?<![\w.@])new(?=\s*\()|(?<![\w.@])(?:base|this)(?=\s*\()"
INDEX_PATTERN = re.compile(rb"\[(?<!\[\[)(?<![,;]\[)")
"""Finds brackets that may be those of an index."""
CONSTRUCTION = re.compile(_CONSTRUCTION)
"""Finds where a constructor is called without the name of its type."""
_MOST_KEPT = 250_000
"""Most declarations whose facts are cached."""


def name_pattern(names: frozenset[str], *, constructions: bool) -> re.Pattern[bytes]:
    """Finds names in source. `constructions`: also `new(`, `base(` and `this(`."""
    # The name comes first, then a lookbehind: only so is a literal searched at memory speed.
    found = b"|".join(_found(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(found + (b"|" + _CONSTRUCTION if constructions else b""))


def _found(name: str) -> bytes:
    word = re.escape(name.encode())
    before = b"(?<=@" if name in KEYWORDS else rb"(?<![\w\x80-\xff]"
    return word + before + word + rb")(?![\w\x80-\xff])"


def innermost(starts: Sequence[int], declarations: Sequence[Declaration], offset: int) -> int:
    """The innermost of a file's declarations around an offset, -1 outside all. `starts`: where each begins."""
    at = bisect_right(starts, offset) - 1
    while at >= 0 and declarations[at].end <= offset:
        at = declarations[at].parent
    if at < 0:  # in a script, types may stand between statements
        programs = (n for n, each in enumerate(declarations) if each.is_program and each.start <= offset)
        at = next((n for n in programs if offset < declarations[n].end), -1)
    return at


def declarator(declarations: Sequence[Declaration], at: int, offset: int) -> int:
    """Return the declarator at an offset among the fields or events that share the declaration `at` (`int a = F(), b
    = G();`); the first where the offset precedes all of them. Any other declaration is returned itself, -1 too."""
    if at < 0:
        return at
    shared = sharing(declarations, at)
    return shared[max(0, bisect_right(shared, offset, key=lambda each: declarations[each].body[0]) - 1)]


def sharing(declarations: Sequence[Declaration], at: int) -> range:
    """Return the fields or events that share the declaration `at`: adjacent ones of equal extent."""
    start, end = declarations[at].start, declarations[at].end
    first = bisect_left(declarations, start, 0, at, key=lambda each: each.start)
    last = bisect_right(declarations, start, at, key=lambda each: each.start)
    if declarations[first].end != end or declarations[last - 1].end != end:
        return range(at, at + 1)
    return range(first, last)


class FileFacts:
    """Facts by file and declaration, for one version of the catalogue. Not thread-safe."""

    def __init__(self, binder: FileBinder) -> None:
        self._binder = binder
        self._known: LRUCache[tuple[int, int], Facts] = LRUCache(_MOST_KEPT, lambda known: len(known.facts))

    def world(self, project: int) -> World:
        """The types that a project sees."""
        return self._binder.tools(project).world

    def of(self, file: int, at: int, lexed: Lexed) -> Facts:
        """Return the facts of a declaration of a file, including its doc comment."""
        return self._known.get((file, at), lambda: self._binder.bind(file, at, lexed))

    def once(self, file: int, at: int, lexed: Lexed) -> Facts:
        """Return facts like `of`, for a pass over every file: nothing more is cached."""
        known = self._known.peek((file, at))
        return self._binder.bind(file, at, lexed) if known is None else known

    def around(
        self,
        file: int,
        lexed: Lexed,
        record: FileRecord,
        offsets: Iterable[int],
        inside: Callable[[Declaration], bool] | None = None,
    ) -> dict[int, Facts]:
        """Return the facts of the declarations around these offsets, by declaration. `inside`: which are searched."""
        return {at: self.of(file, at, lexed) for at in declarations_around(record, offsets, inside)}


def declarations_around(
    record: FileRecord, offsets: Iterable[int], inside: Callable[[Declaration], bool] | None = None
) -> list[int]:
    """Return the declarations of a file around these offsets, each once; -1 for text outside all. `inside`: which
    count."""
    found: dict[int, None] = {}
    declarations = record.declarations
    starts = [each.start for each in declarations]
    docs = sorted((each.doc, at) for at, each in enumerate(declarations) if each.doc[1])
    for offset in offsets:
        at = _documented(docs, offset)
        if at is None:
            at = innermost(starts, declarations, offset)
        if inside is None or (at >= 0 and inside(declarations[declarator(declarations, at, offset)])):
            found[at] = None
    return [*found]


def _documented(docs: list[tuple[tuple[int, int], int]], offset: int) -> int | None:
    """The declaration whose doc comment is around an offset."""
    at = bisect_right(docs, ((offset, offset), 0)) - 1
    if at + 1 < len(docs) and docs[at + 1][0][0] == offset:
        at += 1
    return docs[at][1] if at >= 0 and offset < docs[at][0][1] else None


_WORD = re.compile(r"@?[^\W\d]\w*")


class NameMeaning(msgspec.Struct, frozen=True):
    """Meaning of a name. `declarations`: (file, declaration in it) by their indexes, the best first; `certain`:
    whether the first is the one; `local`: the offset where a local is declared; `reason`: why there are none, as a
    sentence; `itself`: the name is that of a declaration; `made`: the one, where it is an implicit member, located at
    its type."""

    declarations: tuple[tuple[int, int], ...] = ()
    certain: bool = False
    local: int | None = None
    reason: str = ""
    itself: bool = False
    made: Member | None = None


def word_at(line: str, column: int) -> tuple[int, int] | None:
    """The columns of the name at a column of a line, or the one that ends there; None where there is none."""
    for match in _WORD.finditer(line):
        if match.start() <= column <= match.end():
            return match.span()
    return None


_REASONS = {
    "foreign": "{name} is not declared in this workspace.",
    "parameter": "{name} is a type parameter.",
    "namespace": "A namespace is declared wherever something is in it.",
    "dynamic": "",
}
"""Reasons for a missing declaration; without one, symbols of that name are offered as candidates."""


class Meanings:
    """Reads meanings off facts."""

    def __init__(self, catalogue: Catalogue, records: Records, space: Space) -> None:
        self._catalogue = catalogue
        self._records = records
        self._space = space

    def of(self, around: tuple[int, Facts], span: tuple[int, int], file: int) -> NameMeaning:
        """Return the meaning of the name at these offsets. `around`: the declaration around it, and its facts."""
        at, facts = around
        start = span[0]
        found = [fact for fact in facts.facts if fact.start == start and not fact.silent]
        if found:
            return self._of_facts(found, self._catalogue.file(file).project)
        local = next((each for each in facts.locals if each.start == start), None)
        if local is not None:
            if local.at == start:
                return NameMeaning(itself=True)
            return NameMeaning(local=local.at, certain=True) if local.at >= 0 else NameMeaning(certain=True)
        if start in facts.others:
            return NameMeaning(reason=_REASONS[facts.others[start]])
        return NameMeaning(itself=self._is_declared(file, at, span))

    def _of_facts(self, found: list[Fact], project: int) -> NameMeaning:
        sure = [fact for fact in found if fact.sure]
        members = [fact.target for fact in (sure or found) if isinstance(fact.target, Symbol)]
        types = [fact.target for fact in (sure or found) if isinstance(fact.target, int)]
        written = [symbol for symbol in members if self._is_written(symbol)]
        if not written and types:
            compiled = self._catalogue.types[self._space.compiled_for(project, types[0])]
            return NameMeaning(tuple(compiled.parts), certain=bool(sure))
        if not written and members:
            places = tuple(
                dict.fromkeys((m.member.file, m.member.at) for m in members if m.member is not None)
            )
            return NameMeaning(places, certain=bool(sure))
        places = tuple(dict.fromkeys((s.member.file, s.member.at) for s in written if s.member is not None))
        certain = bool(sure) and len(places) == 1  # `nameof` names all methods of a group
        first = written[0].member
        made = first is not None and places[0] in self._catalogue.types[first.index].parts
        return NameMeaning(places, certain=certain, made=first if made and certain else None)

    def _is_written(self, symbol: Symbol) -> bool:
        """Whether a member has a declaration of its own: an implicit constructor is located at its type."""
        member = symbol.member
        if member is None:
            return False
        return symbol.kind is not Kind.CONSTRUCTOR or (
            (member.file, member.at) not in self._catalogue.types[member.index].parts
        )

    def _is_declared(self, file: int, at: int, span: tuple[int, int]) -> bool:
        """Whether a name is that of the declaration around it."""
        record = self._records.record(file)
        if record is None or at < 0:
            return False
        text = self._records.text(file) or b""
        name = text[span[0] : span[1]].decode("utf-8", "replace")
        declaration = record.every[at]
        return name == declaration.name.lstrip("@") or name in declaration.type_parameters


def offsets(text: bytes, line: int, columns: tuple[int, int]) -> tuple[int, int]:
    """Byte offsets of characters of a line (from 1) of UTF-8 text."""
    starts = _line_start(text, line)
    end = text.find(b"\n", starts)
    shown = text[starts : end if end >= 0 else len(text)].decode("utf-8", "replace")
    first, last = columns
    return starts + len(shown[:first].encode()), starts + len(shown[:last].encode())


def line_text(text: bytes, line: int) -> str:
    """A line (from 1), empty where there is none."""
    if text.count(b"\n") < line - 1:
        return ""
    start = _line_start(text, line)
    end = text.find(b"\n", start)
    return text[start : end if end >= 0 else len(text)].decode("utf-8", "replace")


def _line_start(text: bytes, line: int) -> int:
    at = 0
    if line == 1 and text.startswith(b"\xef\xbb\xbf"):
        return 3  # the mark of UTF-8 is no character of the line
    for _ in range(line - 1):
        at = text.find(b"\n", at) + 1
    return at


def line_of(text: bytes, offset: int) -> int:
    """The line (from 1) of a byte offset."""
    return text.count(b"\n", 0, offset) + 1
