"""References of a range of source: the workspace types it names, and those whose members it uses."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from services.index.binding.facts import Fact, Facts
from services.index.binding.types.symbol import MemberKey, Symbol
from services.index.binding.unimplemented import left_to_generators, types_in
from services.index.catalog.catalogue import Catalogue
from services.index.catalog.records import Records
from services.index.compiled import home_of
from services.index.graph.edges import members_of, texts_of
from services.index.graph.packing import FOREIGN
from services.index.names.names import Names
from services.index.usages.places import FileFacts, declarator, sharing
from services.model import TYPE_KINDS
from services.msbuild import ProjectInfo
from services.syntax.parse.branches import lex_file
from services.syntax.parse.lexer import Lexed
from services.syntax.records.declaration import Declaration


class Mentions(msgspec.Struct, frozen=True):
    """How often each type, by its index in the catalogue, is named, and used without being named (the type of a value
    whose member is used); `members`: how often each member is used, by (file, declaration)."""

    named: Counter[int] = msgspec.field(default_factory=Counter)
    used: Counter[int] = msgspec.field(default_factory=Counter)
    members: Counter[tuple[int, int]] = msgspec.field(default_factory=Counter)

    def add(self, other: Mentions) -> None:
        """Counts in what `other` has counted."""
        self.named.update(other.named)
        self.used.update(other.used)
        self.members.update(other.members)


class BodyNames(msgspec.Struct, frozen=True):
    """Names of the bodies of a file. `words`: those of what they name or use; `types`: where the file names types, by
    declaration; `members`: where it names members and can mean nothing else; `refused`: the lines on which stands
    what the parser refuses."""

    words: set[str] = msgspec.field(default_factory=set[str])
    types: list[tuple[int, Fact]] = msgspec.field(default_factory=list[tuple[int, Fact]])
    members: list[tuple[int, MemberKey]] = msgspec.field(default_factory=list[tuple[int, MemberKey]])
    refused: set[int] = msgspec.field(default_factory=set[int])


class MentionReader:
    """Reads mentions, for one version of the catalogue. Not thread-safe. What cannot be bound is not counted."""

    def __init__(
        self,
        catalogue: Catalogue,
        records: Records,
        names: Names,
        facts: FileFacts,
        projects: tuple[ProjectInfo, ...],
    ) -> None:
        self._catalogue = catalogue
        self._records = records
        self._names = names
        self._facts = facts
        self._projects = projects

    def of_lines(self, file: int, first: int, last: int) -> Mentions:
        """Return the symbols that lines (1-based, inclusive) of a file refer to; none where the file has just
        changed."""
        text = self._records.text(file)
        return Mentions() if text is None else self._of_stretch(file, *_offsets(text, first, last))

    def of_declaration(self, file: int, at: int) -> Mentions:
        """Return the symbols that declaration `at` of a file refers to, in its signature and its body."""
        record = self._records.record(file)
        if record is None or at >= len(record.declarations):
            return Mentions()
        return self._of_stretch(file, record.every[at].start, record.declarations[at].end)

    def _of_stretch(self, file: int, begin: int, end: int) -> Mentions:
        found = Mentions()
        record, text = self._records.record(file), self._records.text(file)
        if record is None or text is None:
            return found
        lexed = lex_file(text, self._symbols(file))
        for at in _wholes(record.declarations):
            declaration = record.declarations[at]
            if declaration.start < end and declaration.end > begin:
                facts = self._facts.of(file, at, lexed).facts
                _count([each for each in facts if begin <= each.start < end and each.kind != "cref"], found)
        return found

    def in_bodies(self, file: int, names: BodyNames) -> Iterator[tuple[int, tuple[int, ...]]]:
        """(declaration, types) of what the bodies of a file name, of whose members they use without naming them, and of
        values, qualifiers and crefs outside them, and of what a generated part of a type declares. `names` gets the
        names of all of these."""
        record, text = self._records.record(file), self._records.text(file)
        if record is None or text is None:
            return
        lexed = lex_file(text, self._symbols(file))
        outside = self._facts.once(file, -1, lexed)
        names.types.extend((-1, fact) for fact in _naming(outside.facts))
        names.members.extend(_named_members(outside))
        for whole in _wholes(record.declarations):
            facts = self._facts.once(file, whole, lexed)
            names.members.extend(_named_members(facts))
            names.refused.update(lexed.source.count(b"\n", 0, start) + 1 for start in facts.refused)
            names.words.update(self._words(facts, lexed))
            for at, own in _by_declarator(record.declarations, whole, facts.facts):
                names.types.extend((at, fact) for fact in _naming(own))
                declaration = record.declarations[at]
                first, last = declaration.body
                found = Mentions()
                _count([each for each in own if _counts(each, lexed, first, last)], found)
                types = (*found.named.elements(), *(each for each in found.used if each not in found.named))
                if declaration.bases and "partial" in declaration.modifiers:
                    generated = self._in_generated(file, at, names.words)
                    names.words.update(self._catalogue.type(each).name for each in generated)
                    types += generated
                if types:
                    yield at, types

    def _words(self, facts: Facts, lexed: Lexed) -> Iterator[str]:
        """Yield the names on whose declarations the facts of a declaration depend."""
        yield from (_word_at(lexed.source, start) for start in facts.others)
        yield from (loose.name for loose in facts.loose)
        for fact in facts.facts:
            yield lexed.source[fact.start : fact.end].decode("utf-8", "replace")
            if isinstance(fact.target, int):
                yield from (self._catalogue.type(fact.target).name,) if fact.silent else ()
            elif fact.target.member is not None:
                yield members_of(self._catalogue.type(fact.target.member.index).name)

    def _in_generated(self, file: int, at: int, words: set[str]) -> tuple[int, ...]:
        """Return the members that a type has to implement and no readable part declares, reported at its first part
        that lists bases. `words` receives the names of all its base types: their members decide."""
        catalogue = self._catalogue
        owner = catalogue.columns.owner[catalogue.file(file).rows[0] + at]
        if owner < 0:
            return ()
        index = home_of(catalogue, owner)
        world = self._facts.world(catalogue.file(file).project)
        listing = (part[:2] for part in world.workspace.parts(index) if part[2].bases)
        if next(listing, None) != (file, at):
            return ()
        every, _ = world.closure(world.workspace.itself(index))
        words.update(catalogue.type(each.index).name for each in every if each.index is not None)
        return tuple(each for member in left_to_generators(world, index) for each in types_in(member))

    def _symbols(self, file: int) -> frozenset[str]:
        entry = self._catalogue.file(file)
        return self._projects[entry.project].symbols(entry.path)

    def of_declarations(self, places: Iterable[tuple[int, int, Declaration]]) -> Mentions:
        """Return the symbols named by the signatures of declarations, each (file, place in it, declaration): of
        types, their bases."""
        found = Mentions()
        names = self._names
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


_WORD = re.compile(rb"[\w\x80-\xff]+")
_ARGUMENTS = rb"<[^<>;{}]*>"
for _ in range(4):  # as deep as type arguments are nested that anybody writes
    _ARGUMENTS = rb"<[^<>;{}]*(?:" + _ARGUMENTS + rb"[^<>;{}]*)*>"
_QUALIFIES = re.compile(rb"\s*(?:" + _ARGUMENTS + rb")?\s*\.")
_BY_SHAPE = frozenset({"foreach", "await", "deconstruction", "conversion", "operator", "add"})
"""Uses by shape, conversion or operator: the language finds these, so they are no dependency that the source names or
reaches."""
_SIGNATURE = frozenset({"type", "argument", "base", "constraint", "attribute"})


def _naming(facts: Iterable[Fact]) -> Iterator[Fact]:
    """The places that name types."""
    return (fact for fact in facts if isinstance(fact.target, int) and not fact.silent)


def _wholes(declarations: Sequence[Declaration]) -> Iterator[int]:
    """Yield each declaration once; of fields that share one, the first."""
    at = 0
    while at < len(declarations):
        yield at
        at = sharing(declarations, at).stop


def _by_declarator(
    declarations: Sequence[Declaration], at: int, facts: list[Fact]
) -> Iterator[tuple[int, list[Fact]]]:
    """Yield the facts of each field that shares declaration `at`; what precedes all is the first one's."""
    shared = sharing(declarations, at)
    if len(shared) == 1:
        yield at, facts
        return
    own: dict[int, list[Fact]] = {each: [] for each in shared}
    for fact in facts:
        own[declarator(declarations, at, fact.start)].append(fact)
    yield from own.items()


def _named_members(facts: Facts) -> Iterator[tuple[int, MemberKey]]:
    """Yield the places that name a member and can mean nothing else, also one that the workspace does not declare."""
    counts = Counter(fact.start for fact in facts.facts if not fact.silent)
    counts.update(each.start for each in (*facts.loose, *facts.locals, *facts.labels))
    counts.update([*facts.others])
    for fact in facts.facts:
        member = fact.target.member if isinstance(fact.target, Symbol) else None
        if member is None or fact.silent or not fact.sure or fact.reason or fact.kind == "nameof":
            continue
        if counts[fact.start] == 1:
            yield fact.start, member.key
    for start, kind in facts.others.items():
        if kind == "foreign" and counts[start] == 1:
            yield start, FOREIGN


def _word_at(source: bytes, start: int) -> str:
    found = _WORD.match(source, start)
    return found[0].decode("utf-8", "replace") if found is not None else ""


def _counts(fact: Fact, lexed: Lexed, first: int, last: int) -> bool:
    """Whether a place is none that signatures, which are bound for themselves, name."""
    if first <= fact.start < last:
        return True
    if not isinstance(fact.target, int):
        return fact.kind not in _SIGNATURE
    return fact.kind not in _SIGNATURE or _QUALIFIES.match(lexed.clean, fact.end) is not None


def _count(facts: Iterable[Fact], found: Mentions) -> None:
    """Counts in what places use, where it is clear which type declares it."""
    doubtful: dict[int, set[Symbol]] = defaultdict(set)
    for fact in facts:
        target = fact.target
        if fact.silent and fact.kind in _BY_SHAPE:
            continue
        if isinstance(target, int):
            (found.used if fact.silent else found.named)[target] += 1
        elif not fact.sure:
            doubtful[fact.start].add(target)
        elif target.member is not None:
            found.used[target.member.index] += 1
            if not fact.silent:
                found.members[(target.member.file, target.member.at)] += 1
    for symbols in doubtful.values():
        owners = {symbol.member.index for symbol in symbols if symbol.member is not None}
        if len(owners) == 1:
            found.used.update(owners)


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
