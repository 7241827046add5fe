"""Symbols that can be renamed: the possible spellings of each, and the role of a place."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import msgspec

from services.edits.declared import Declared, Span, type_parameters_of
from services.index.binding.choice.overloads import is_callable
from services.index.binding.facts import Facts, Loose
from services.index.binding.types.symbol import Member, Symbol
from services.index.usages.bound_texts import CompiledText
from services.model import TYPE_KINDS, Kind

UNSURE = "It is not certain which of those that have the name it means."
"""Why a name is left to a person."""
DYNAMIC = "It is asked of a dynamic value: what that is shows when it runs."
_LOOSE = "The type of what it is asked of is not known: it may be {name}."
_ATTRIBUTE = "Attribute"
_ATTRIBUTES = re.compile(rb"(?:\s*\[(?:[^\[\]]|\[[^\[\]]*\])*\])+")
_LABEL = re.compile(rb"\s*:(?!:)")


class Hit(NamedTuple):
    """Name that means the symbol, or may mean it: `reason` is then why that is uncertain."""

    start: int
    end: int
    reason: str = ""


class Target(Protocol):
    """A symbol. `name`: its own, without `@`; `words`: what it may be written as; `scope`: the files that can name it,
    None for all."""

    name: str
    words: frozenset[str]
    scope: frozenset[str] | None

    def may_be_at(self, text: CompiledText, offset: int) -> bool:
        """Whether its name at an offset can mean it there, judged by the text alone."""
        ...

    def used(self, text: CompiledText, at: int, facts: Facts) -> Iterator[Hit]:
        """The names in declaration `at` of a file that mean the symbol, or may."""
        ...

    def declared(self, text: CompiledText) -> Iterator[Span]:
        """Yield the places where a file declares it."""
        ...

    def rewritten(self, written: str, new: str) -> str:
        """Return the replacement for its name as `written`, once the symbol is called `new`."""
        ...


class _Plain:
    """Symbol that is always written by its own name."""

    def __init__(self, name: str, declared: Declared) -> None:
        self.name = name
        self.words = frozenset({name})
        self._places = declared
        self.scope: frozenset[str] | None = None

    def may_be_at(self, text: CompiledText, offset: int) -> bool:
        """Anywhere."""
        del text, offset
        return True

    def rewritten(self, written: str, new: str) -> str:
        """The new name."""
        del written
        return new


class TypeTarget(_Plain):
    """A type, by its index in the catalogue: its constructors and destructor bear its name."""

    def __init__(self, name: str, index: int, declared: Declared) -> None:
        super().__init__(name, declared)
        self.index = index
        short = name.removesuffix(_ATTRIBUTE)
        self._short = short if short and short != name else ""
        self.words = frozenset({name, self._short}) if self._short else self.words

    def used(self, text: CompiledText, at: int, facts: Facts) -> Iterator[Hit]:
        """Yield the places that name the type."""
        del at
        for fact in facts.facts:
            if (
                fact.target == self.index
                and not fact.silent
                and text.word(fact.start, fact.end) in self.words
            ):
                yield Hit(fact.start, fact.end, "" if fact.sure else UNSURE)

    def declared(self, text: CompiledText) -> Iterator[Span]:
        """Each part, with its constructors and its destructor."""
        for part in self._places.parts_in(text, self.index):
            yield from filter(None, [self._places.name(text, part)])
            for at, each in enumerate(text.record.declarations):
                if each.parent == part and each.kind in (Kind.CONSTRUCTOR, Kind.DESTRUCTOR):
                    yield from filter(None, [self._places.name(text, at)])

    def rewritten(self, written: str, new: str) -> str:
        """The new name; where the short name of an attribute stood, its short name if it has one."""
        return new.removesuffix(_ATTRIBUTE) or new if self._short and written == self._short else new


class MemberTarget(_Plain):
    """A member with all that override or implement it, or that it overrides or implements."""

    def __init__(self, family: Sequence[Symbol], declared: Declared) -> None:
        super().__init__(family[0].name, declared)
        self.family = [each for each in family if each.member is not None]
        self._indexes = {each.member.index for each in self.family if each.member is not None}
        self.keys = {each.member.key for each in self.family if each.member is not None}
        self._known: dict[Symbol, bool] = {}

    def may_be_at(self, text: CompiledText, offset: int) -> bool:
        """Not where an attribute is named, as `[Test]` is before thousands of methods: that is a type."""
        clean = text.lexed.clean
        if not clean[max(0, offset - 40) : offset].rstrip().endswith(b"["):
            return True
        starts = self._places.starts(text)
        at = bisect_right(starts, offset) - 1
        if at < 0:
            return True
        lists = _ATTRIBUTES.match(clean, starts[at])
        before = clean[starts[at] : offset]
        return lists is None or offset >= lists.end() or before.count(b"(") != before.count(b")")

    def used(self, text: CompiledText, at: int, facts: Facts) -> Iterator[Hit]:
        """Yield the places that name one of them, except `nameof` of a group with other members."""
        del at
        groups = {
            fact.start
            for fact in facts.facts
            if fact.kind == "nameof" and not (isinstance(fact.target, Symbol) and self.has(fact.target))
        }
        for fact in facts.facts:
            named = text.word(fact.start, fact.end) == self.name and not fact.silent
            if fact.kind == "nameof" and fact.start in groups:
                continue
            if named and isinstance(fact.target, Symbol) and self.has(fact.target):
                yield Hit(fact.start, fact.end, "" if fact.sure else UNSURE)
        for start, kind in facts.others.items():
            end = start + len(self.name.encode())
            if kind == "dynamic" and text.word(start, end) == self.name:
                yield Hit(start, end, DYNAMIC)
        for loose in facts.loose:
            if self._may_be(loose):
                yield Hit(loose.start, loose.end, _LOOSE.format(name=self.name))

    def has(self, symbol: Symbol) -> bool:
        """Whether a member is one of the family."""
        known = self._known.get(symbol)
        if known is None:
            known = self._known[symbol] = symbol.member is not None and self._holds(symbol.member)
        return known

    def _holds(self, member: Member) -> bool:
        if member.index not in self._indexes:
            return False
        return any(is_same(member, each.member) for each in self.family if each.member is not None)

    def _may_be(self, loose: Loose) -> bool:
        if loose.name != self.name:
            return False
        for each in self.family:
            if loose.outside and not each.is_extension:
                continue
            if loose.count is None or not each.is_method:
                return True
            if is_callable(each, loose.count) or (each.is_extension and is_callable(each, loose.count + 1)):
                return True
        return False

    def declared(self, text: CompiledText) -> Iterator[Span]:
        """Every declaration of one of them, both halves of a partial one."""
        for at, each in enumerate(text.record.declarations):
            if each.kind in TYPE_KINDS or each.name.lstrip("@") != self.name:
                continue
            owner = self._places.home(text, at)
            if owner in self._indexes and self._holds(Member(owner, text.file, at, each)):
                yield from filter(None, [self._places.name(text, at)])


def is_same(one: Member, other: Member) -> bool:
    """Whether two members are one: the same declaration, or both halves of a partial one."""
    if one.same(other):
        return True
    mine, its = one.declaration, other.declaration
    return (
        one.index == other.index
        and mine.name == its.name
        and mine.kind is its.kind
        and mine.parameters is None
        and its.parameters is None
        and mine.explicit == its.explicit
    )


class Function(msgspec.Struct, frozen=True):
    """Owner of a parameter: a member, a delegate or a primary constructor. `index`: its type; `member`: None for a
    primary constructor and a delegate."""

    index: int
    member: Symbol | None = None


class ParameterTarget(_Plain):
    """A parameter of a member, a delegate or a primary constructor."""

    def __init__(self, name: str, function: Function, declared: Declared) -> None:
        super().__init__(name, declared)
        self._function = function
        self._doc = re.compile(
            rb"<(?:param|paramref)\s[^<>]*?\bname\s*=\s*[\"'](" + re.escape(name.encode()) + rb")[\"']"
        )

    def may_be_at(self, text: CompiledText, offset: int) -> bool:
        """Everywhere in files of its type, else before a colon alone."""
        if next(self._places.parts_in(text, self._function.index), None) is not None:
            return True
        return _LABEL.match(text.lexed.clean, offset + len(self.name.encode())) is not None

    def used(self, text: CompiledText, at: int, facts: Facts) -> Iterator[Hit]:
        """Yield the places that name the parameter: in the function, and as named arguments."""
        starts = self._starts(text, at)
        for use in facts.locals:
            if use.at in starts and text.word(use.start, use.end) == self.name:
                yield Hit(use.start, use.end)
        for label in facts.labels:
            if text.word(label.start, label.end) != self.name:
                continue
            if label.symbol is None:
                yield Hit(label.start, label.end, "It is not certain what is called with it.")
            elif self._is_called(label.symbol):
                yield Hit(label.start, label.end)
        if at >= 0 and self.declares(text, at):
            first, last = text.record.declarations[at].doc
            for found in self._doc.finditer(text.text, first, last):
                yield Hit(*found.span(1))

    def _is_called(self, symbol: Symbol) -> bool:
        member, own = symbol.member, self._function.member
        if member is None or member.index != self._function.index:
            return False
        if own is not None:
            return own.member is not None and is_same(member, own.member)
        return member.declaration.kind is not Kind.METHOD or member.declaration.name == "Invoke"

    def _starts(self, text: CompiledText, at: int) -> frozenset[int]:
        """Return the start of the parameter's declaration, according to its uses."""
        own = self._function
        if own.member is None:
            return self._of_header(text, at)
        if at < 0 or not self.declares(text, at):
            return frozenset()
        declaration = text.record.declarations[at]
        if declaration.receiver is not None and declaration.receiver.name.lstrip("@") == self.name:
            return frozenset({-1})
        place = self._places.parameters(text, at).get(self.name)
        return frozenset({place[0]}) if place is not None else frozenset()

    def _of_header(self, text: CompiledText, at: int) -> frozenset[int]:
        """Return the places of a primary constructor's parameter: its name, as in facts of the header, and its start,
        as in those of members."""
        if at < 0 or not self._is_inside(text, at):
            return frozenset()
        found = set(self._places.header_places(self._function.index, self.name))
        if self.declares(text, at):
            place = self._places.parameters(text, at).get(self.name)
            found.update(place[:1] if place is not None else ())
        return frozenset(found)

    def _is_inside(self, text: CompiledText, at: int) -> bool:
        """Whether a declaration is inside the type: parameters of other types may have equal places."""
        while at >= 0:
            if self._places.home(text, at) == self._function.index:
                return True
            at = text.record.declarations[at].parent
        return False

    def declares(self, text: CompiledText, at: int) -> bool:
        """Whether a declaration of a file is the function."""
        declaration, own = text.record.declarations[at], self._function
        owner = self._places.home(text, at)
        if owner != own.index:
            return False
        if own.member is None:
            return declaration.kind in TYPE_KINDS
        member = Member(owner, text.file, at, declaration)
        return own.member.member is not None and is_same(member, own.member.member)

    def declared(self, text: CompiledText) -> Iterator[Span]:
        """In the parameter list, of both halves of a partial member."""
        for at in range(len(text.record.declarations)):
            if text.record.declarations[at].parameters is not None and self.declares(text, at):
                yield from filter(None, [self._places.parameters(text, at).get(self.name)])


class LocalTarget(_Plain):
    """A local, a lambda's parameter, a local function or a range variable, by where it is declared."""

    def __init__(self, name: str, text: CompiledText, place: tuple[int, int], declared: Declared) -> None:
        """Describe a local. `place`: the declaration that contains it, and the place of its name."""
        super().__init__(name, declared)
        self._path = text.path
        self.scope: frozenset[str] | None = frozenset({text.path})
        self.at, self.start = place

    def used(self, text: CompiledText, at: int, facts: Facts) -> Iterator[Hit]:
        """Yield the places that name it."""
        if text.path != self._path or at != self.at:
            return
        for use in facts.locals:
            if use.at == self.start and text.word(use.start, use.end) == self.name:
                yield Hit(use.start, use.end)

    def declared(self, text: CompiledText) -> Iterator[Span]:
        """Its declaration is among its uses."""
        del text
        return iter(())


class TypeParameterTarget(_Plain):
    """A type parameter of a type, in all its parts, or of a member, in both halves of a partial one."""

    def __init__(self, name: str, function: Function, declared: Declared) -> None:
        super().__init__(name, declared)
        self._function = function
        self.scope: frozenset[str] | None = declared.paths(function.index)
        self._doc = re.compile(
            rb"<(?:typeparam|typeparamref)\s[^<>]*?\bname\s*=\s*[\"']("
            + re.escape(name.encode())
            + rb")[\"']"
        )

    def used(self, text: CompiledText, at: int, facts: Facts) -> Iterator[Hit]:
        """Yield the places that name it, according to the scopes of type parameters."""
        if at < 0 or self._declarer(text, at) is None:
            return
        nearer = self._nearer(text, at)
        for start, kind in facts.others.items():
            end = start + len(self.name.encode())
            if kind != "parameter" or text.word(start, end) != self.name:
                continue
            if text.text[end : end + 1].isalnum() or any(first <= start < last for first, last in nearer):
                continue
            yield Hit(start, end)
        first, last = text.record.declarations[at].doc
        for found in self._doc.finditer(text.text, first, last):
            yield Hit(*found.span(1))

    def _nearer(self, text: CompiledText, at: int) -> list[Span]:
        """Local functions that have a type parameter of the same name."""
        node = self._places.node(text, at)
        return [
            (each.start, each.end)
            for each in (node.walk() if node is not None else ())
            if each.type == "local_function_statement" and self.name in type_parameters_of(each)
        ]

    def _declarer(self, text: CompiledText, at: int) -> int | None:
        """The declaration around `at` whose type parameter the name is; None where it is another's."""
        while at >= 0:
            declaration = text.record.declarations[at]
            if self.name in [each.lstrip("@") for each in declaration.own_parameters]:
                return at if self.declares(text, at) else None
            at = declaration.parent
        return None

    def declares(self, text: CompiledText, at: int) -> bool:
        """Whether a declaration of a file lists it."""
        declaration, own = text.record.declarations[at], self._function
        if self._places.home(text, at) != own.index:
            return False
        if own.member is None or own.member.member is None:
            return declaration.kind in TYPE_KINDS
        return declaration.kind not in TYPE_KINDS and is_same(
            Member(own.index, text.file, at, declaration), own.member.member
        )

    def declared(self, text: CompiledText) -> Iterator[Span]:
        """In the type parameter list of each part."""
        for at in range(len(text.record.declarations)):
            if self.declares(text, at):
                yield from filter(None, [self._places.type_parameters(text, at).get(self.name)])
                yield from self._places.constrained(text, at, self.name)
