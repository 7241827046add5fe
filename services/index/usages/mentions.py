"""What a stretch of source refers to: the workspace types it names, and those whose members it uses."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from services.index.catalog.catalogue import Catalogue
from services.index.catalog.records import Records
from services.index.graph.edges import texts_of
from services.index.names.type_text import Named, attribute_classes, parse
from services.index.usages import crefs
from services.index.usages.infer.typer import Typer
from services.index.usages.places import NOWHERE, innermost, reading_of
from services.index.usages.types.member import Lookup, Member
from services.index.usages.types.typed import Tools
from services.index.usages.types.types import Type
from services.model import TYPE_KINDS
from services.msbuild import ProjectInfo
from services.syntax.bodies import Body
from services.syntax.bodies.crefs import crefs_in
from services.syntax.bodies.expressions import Hit
from services.syntax.parse.lexer import Lexed, lex, shown_again
from services.syntax.records.declaration import Declaration, FileRecord

_IDENTIFIER = re.compile(rb"(?<![\w\x80-\xff])[A-Za-z_\x80-\xff][\w\x80-\xff]*")
_KEYWORDS = frozenset(
    b"abstract as base bool break byte case catch char checked class const continue decimal default delegate do double "
    b"else enum event explicit extern false finally fixed float for foreach goto if implicit in int interface internal "
    b"is lock long namespace new null object operator out override params private protected public readonly ref return "
    b"sbyte sealed short sizeof stackalloc static string struct switch this throw true try typeof uint ulong unchecked "
    b"unsafe ushort using virtual void volatile while".split()
)


@dataclass(frozen=True, slots=True)
class Mentions:
    """How often each type, by its index in the catalogue, is named, and used without being named (the type of a value
    whose member is used); `members`: how often each member is used, by (file, declaration)."""

    named: Counter[int] = field(default_factory=Counter)
    used: Counter[int] = field(default_factory=Counter)
    members: Counter[tuple[int, int]] = field(default_factory=Counter)

    def add(self, other: Mentions) -> None:
        """Counts in what `other` has counted."""
        self.named.update(other.named)
        self.used.update(other.used)
        self.members.update(other.members)


class MentionReader:
    """Reads mentions, for one version of the catalogue. Not thread-safe. What cannot be bound is not counted."""

    def __init__(
        self, catalogue: Catalogue, records: Records, tools: Tools, projects: tuple[ProjectInfo, ...]
    ) -> None:
        self._catalogue = catalogue
        self._records = records
        self._tools = tools
        self._projects = projects

    def of_lines(self, file: int, first: int, last: int) -> Mentions:
        """What lines (1-based, inclusive) of a file refer to; nothing where the file has just changed."""
        found = Mentions()
        record, text = self._records.record(file), self._records.text(file)
        if record is None or text is None:
            return found
        begin, end = _offsets(text, first, last)
        lexed = lex(text, self._projects[self._catalogue.file(file).project].defines)
        code = shown_again(lexed.code)
        for at, spans in self._by_declaration(record, code, begin, end).items():
            body, typer = reading_of(self._tools, lexed, (file, at), record.declarations[at])
            for start, stop in spans:
                if start < body.end:
                    name = code[start:stop].decode("utf-8", "replace")
                    self._count(body.hit(start, name), typer, found)
        return found

    def in_bodies(
        self, file: int, names: frozenset[str], words: set[str]
    ) -> Iterator[tuple[int, tuple[int, ...]]]:
        """(declaration, types) of what the bodies of a file name, and values and qualifiers outside them. `names`:
        simple names of types that are looked for, beside the file's aliases; `words` gets its identifiers."""
        record, text = self._records.record(file), self._records.text(file)
        if record is None or text is None:
            return
        project = self._catalogue.file(file).project
        lexed = lex(text, self._projects[project].defines)
        code = shown_again(lexed.code)
        usings = (*self._tools.names.global_usings(project), *(u for s in record.scopes for u in s.usings))
        aliases = frozenset(using.alias for using in usings if using.alias)
        for at, spans in self._by_declaration(record, code, 0, len(code)).items():
            told = [(start, stop, code[start:stop].decode("utf-8", "replace")) for start, stop in spans]
            words.update(name for _, _, name in told)
            told = [each for each in told if each[2] in names or each[2] in aliases]
            if told:
                yield at, tuple(self._in_body(lexed, (file, at), record.declarations[at], told))
        yield from self._in_comments(lexed, file, record, names | aliases)

    def _in_comments(
        self, lexed: Lexed, file: int, record: FileRecord, names: Collection[str]
    ) -> Iterator[tuple[int, tuple[int, ...]]]:
        """(declaration, types) of what `cref` attributes name."""
        for at, declaration in enumerate(record.declarations):
            start, end = declaration.doc
            if lexed.source.find(b"cref", start, end) < 0:
                continue
            context = self._tools.names.context(file, at, declaration.own_parameters)
            typer = Typer(self._tools, Body(lexed, 0, 0), NOWHERE, context)
            found = Mentions()
            for cref in crefs_in(lexed.source, [(start, end)]):
                for word in _IDENTIFIER.finditer(lexed.source, cref.start, cref.end):
                    if word[0].decode("utf-8", "replace") in names:
                        self._count(cref.hit(word.start()), typer, found)
            if found.named:
                yield at, tuple(found.named.elements())

    def _in_body(
        self,
        lexed: Lexed,
        place: tuple[int, int],
        declaration: Declaration,
        told: Iterable[tuple[int, int, str]],
    ) -> Iterator[int]:
        body, typer = reading_of(self._tools, lexed, place, declaration)
        for start, stop, name in told:
            if stop > body.end:
                continue
            hit = body.hit(start, name)
            in_body = declaration.body[0] <= start < declaration.body[1]
            # What else stands outside bodies is named by signatures, which are bound for themselves.
            is_qualifier = lexed.clean[stop : stop + 1] == b"."
            if in_body or is_qualifier or hit.role == "value" or hit.kind == "typeof":
                found = Mentions()
                self._count(hit, typer, found)
                yield from found.named.elements()

    def of_declarations(self, places: Iterable[tuple[int, int, Declaration]]) -> Mentions:
        """What the signatures of declarations, each (file, place in it, declaration), name: of types their bases."""
        found = Mentions()
        names = self._tools.names
        for file, at, declaration in places:
            if declaration.kind in TYPE_KINDS:
                bound = [names.bound_base(file, at, text) for text in declaration.bases]
            else:
                bound = []
            bound += [names.bound(file, at, declaration, text) for text in texts_of(declaration)]
            found.named.update(
                known.index for each in bound for known in each.types if known.index is not None
            )
        return found

    def _by_declaration(
        self, record: FileRecord, code: bytes, begin: int, end: int
    ) -> dict[int, list[tuple[int, int]]]:
        """The identifiers between two offsets by the innermost declaration they stand in."""
        starts = [declaration.start for declaration in record.declarations]
        found: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for match in _IDENTIFIER.finditer(code, begin, end):
            if match[0] not in _KEYWORDS:
                at = innermost(starts, record.declarations, match.start())
                if at >= 0:
                    found[at].append(match.span())
        return found

    def _count(self, hit: Hit, typer: Typer, found: Mentions) -> None:
        if hit.role in ("type", "creation"):
            self._count_type(hit, typer, found)
        elif hit.role == "value" and hit.expression is not None:
            typed = typer.typed(hit.expression)
            if typed is None:
                return
            if typed.what == "type" and isinstance(typed.type, Type) and typed.type.known.index is not None:
                found.named[typed.type.known.index] += 1
            elif typed.lookup is not None and not typed.local:
                self._count_member(typed.lookup, found)
        elif hit.role == "cref":
            typed, _ = crefs.meant(hit, typer)
            if typed is not None and typed.what == "type" and isinstance(typed.type, Type):
                index = typed.type.known.index
                found.named.update((index,) if index is not None else ())
        elif hit.role == "initialised" and hit.owner is not None and not hit.path:
            owner = typer.type_of(hit.owner)
            if isinstance(owner, Type) and owner.known.index is not None:
                found.used[owner.known.index] += 1

    def _count_type(self, hit: Hit, typer: Typer, found: Mentions) -> None:
        if not hit.path:
            created = typer.type_of(hit.owner) if hit.owner is not None else None
            if isinstance(created, Type) and created.known.index is not None:
                found.used[created.known.index] += 1
            return
        for written in attribute_classes(hit.path) if hit.kind == "attribute" else (hit.path,):
            node = parse(written)
            target = self._tools.names.binder.target(node, typer.context) if isinstance(node, Named) else None
            if target is not None and target.known is not None:
                if target.known.index is not None:
                    found.named[target.known.index] += 1
                return

    def _count_member(self, lookup: Lookup, found: Mentions) -> None:
        """A use of a member, where what it may be is declared by one type."""
        own = [c.member for c in lookup.candidates if isinstance(c.member, Member)]
        if len(own) != len(lookup.candidates) or len({member.index for member in own}) != 1:
            return
        found.used[own[0].index] += 1
        if len(own) == 1:
            found.members[(own[0].file, own[0].at)] += 1


def _offsets(text: bytes, first: int, last: int) -> tuple[int, int]:
    """The byte offsets at which line `first` begins and line `last` ends."""
    begin = 0
    for _ in range(first - 1):
        begin = text.find(b"\n", begin) + 1
        if not begin:
            return len(text), len(text)
    end = begin
    for _ in range(last - first + 1):
        end = text.find(b"\n", end) + 1
        if not end:
            return begin, len(text)
    return begin, end
