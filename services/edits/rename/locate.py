"""Symbols to rename, by a place in a file or as resolved."""

from __future__ import annotations

from collections.abc import Iterator

from services.edits.declared import Declared
from services.edits.places import Problem
from services.edits.rename.family import Families
from services.edits.rename.namespaces import NamespaceTarget, is_declared, namespace_at
from services.edits.rename.targets import (
    Function,
    LocalTarget,
    MemberTarget,
    ParameterTarget,
    Target,
    TypeParameterTarget,
    TypeTarget,
    is_same,
)
from services.errors import UsageError
from services.index.binding.facts import Facts
from services.index.binding.types.symbol import Member, Symbol
from services.index.symbols.placed import FoundSymbol
from services.index.usages.bound_texts import WORD, BoundTexts, CompiledText
from services.model import TYPE_KINDS, Kind

_OF_TYPE = frozenset({Kind.CONSTRUCTOR, Kind.DESTRUCTOR})
_NAMELESS = frozenset({Kind.INDEXER, Kind.OPERATOR, Kind.CONVERSION})


class Located:
    """A symbol to rename: `targets`, all of which bear `name`; `problems`: why it cannot be."""

    def __init__(self, *targets: Target, problems: tuple[Problem, ...] = ()) -> None:
        self.targets = targets
        self.problems = problems

    @property
    def name(self) -> str:
        """The name that they bear."""
        return self.targets[0].name

    @property
    def words(self) -> frozenset[str]:
        """All names of the symbols as they may be written."""
        return frozenset().union(*(each.words for each in self.targets))

    @property
    def scope(self) -> frozenset[str] | None:
        """The files that can name them; None for all."""
        scopes = [each.scope for each in self.targets]
        return None if None in scopes else frozenset().union(*filter(None, scopes))


class Locator:
    """Finds symbols of one version of the catalogue."""

    def __init__(self, texts: BoundTexts, declared: Declared) -> None:
        self._texts = texts
        self._declared = declared
        self._families = Families(texts, declared)

    # By what was resolved

    def of(self, found: FoundSymbol) -> Located:
        """A type or a member. Raises UsageError for what has no name of its own."""
        if found.member is None:
            return self._type(found.whole.index)
        declaration = found.member.declaration
        if declaration.kind in _OF_TYPE:
            return self._type(found.whole.index)
        if declaration.kind in _NAMELESS:
            raise UsageError(f"An {declaration.kind.value} has no name that could be another.")
        member = Member(found.whole.index, found.member.file, found.member.at, declaration)
        for each in self._symbols(member.index, declaration.name):
            if each.member is not None and is_same(each.member, member):
                return self._member(each)
        raise UsageError(
            f"{declaration.name} cannot be renamed: the files have changed. Refresh and ask again."
        )

    def _symbols(self, index: int, name: str) -> list[Symbol]:
        world = self._texts.world_of(self._texts.catalogue.type(index).project)
        return world.workspace.symbols(index).get(name.lstrip("@"), [])

    def _type(self, index: int) -> Located:
        return Located(TypeTarget(self._texts.catalogue.type(index).name, index, self._declared))

    def _member(self, symbol: Symbol) -> Located:
        member = symbol.member
        assert member is not None
        if member.declaration.kind in _OF_TYPE:
            return self._type(member.index)
        family = self._families.of(symbol)
        problems = tuple(self._bound_to(each, name) for each, name in family.foreign)
        targets: list[Target] = [MemberTarget(family.members, self._declared)]
        targets += [
            ParameterTarget(each.name, Function(each.member.index), self._declared)
            for each in family.members
            if each.member is not None and self._is_positional(each.member)
        ]
        return Located(*targets, problems=problems)

    def _bound_to(self, symbol: Symbol, name: str) -> Problem:
        assert symbol.member is not None
        path = self._texts.catalogue.file(symbol.member.file).path
        owner = self._texts.catalogue.type(symbol.member.index).name
        message = f"{owner}.{symbol.name} has to stay as it is: it overrides or implements {name}."
        return Problem(path, symbol.member.declaration.start, message)

    def _is_positional(self, member: Member) -> bool:
        """Whether a member is the property that a record makes of a parameter."""
        return member.declaration.kind is Kind.PROPERTY and is_implicit(self._texts, member)

    def namespace(self, full: str) -> Located:
        """A namespace by its full name. Raises UsageError for one that this workspace does not declare."""
        if not is_declared(self._texts, full):
            raise UsageError(f"{full} is not declared in this workspace, so it cannot be renamed here.")
        return Located(NamespaceTarget(full, self._texts, self._declared))

    # By place

    def at(self, path: str, offset: int) -> Located:
        """Return the symbol named at an offset (in UTF-8) of a file. Raises UsageError where the workspace declares
        none."""
        for text in self._compiled(path):
            found = WORD.match(text.text, _start(text.text, offset))
            if found is None or text.lexed.clean[found.start() : found.end()].isspace():
                continue
            start = found.start() + found[0].startswith(b"@")
            for at, facts in self._texts.facts(text, [start]).items():
                located = self._declared_at(text, at, start) or self._used(text, (at, start), facts)
                if located is not None:
                    return located
            namespace = namespace_at(text, start, self._texts, self._declared)
            if namespace is not None:
                return Located(namespace)
            name = text.word(start, found.end())
            raise UsageError(f"What {name} means there is not known, or not declared in this workspace.")
        raise UsageError(f"No name stands at that place of {path}.")

    def _compiled(self, path: str) -> Iterator[CompiledText]:
        units = self._texts.catalogue.units
        files = [at for (_, file), at in units.items() if file == path]
        files.sort(key=lambda at: (self._texts.catalogue.file(at).shadow, at))
        yield from filter(None, map(self._texts.text, files))

    def _declared_at(self, text: CompiledText, at: int, start: int) -> Located | None:
        """Return the symbol declared at an offset in declaration `at`."""
        if at < 0:
            return None
        for each in self._sharing(text, at):
            declaration = text.record.declarations[each]
            if self._is_at(self._declared.name(text, each), start):
                return self._declaration(text, each)
            function = self._function(text, each)
            for name, place in self._declared.parameters(text, each).items():
                if self._is_at(place, start):
                    return self._parameter(function, name)
            for name, place in self._declared.type_parameters(text, each).items():
                if self._is_at(place, start) and declaration.kind not in _NAMELESS:
                    return Located(TypeParameterTarget(name, function, self._declared))
        return None

    def _sharing(self, text: CompiledText, at: int) -> Iterator[int]:
        """The declarations of one statement: `int a, b;` has two."""
        whole = text.record.declarations[at]
        for each, other in enumerate(text.record.declarations):
            if (other.start, other.end) == (whole.start, whole.end):
                yield each

    def _is_at(self, place: tuple[int, int] | None, start: int) -> bool:
        return place is not None and place[0] == start

    def _declaration(self, text: CompiledText, at: int) -> Located | None:
        declaration, home = text.record.declarations[at], self._declared.home(text, at)
        if declaration.kind in TYPE_KINDS or declaration.kind in _OF_TYPE:
            return self._type(home)
        symbol = self._symbol(text, at)
        return self._member(symbol) if symbol is not None else None

    def _symbol(self, text: CompiledText, at: int) -> Symbol | None:
        declaration, home = text.record.declarations[at], self._declared.home(text, at)
        member = Member(home, text.file, at, declaration)
        name = ".ctor" if declaration.kind is Kind.CONSTRUCTOR else declaration.name
        if declaration.kind is Kind.INDEXER:
            name = "this[]"
        for each in self._symbols(home, name):
            if each.member is not None and is_same(each.member, member):
                return each
        return None

    def _function(self, text: CompiledText, at: int) -> Function:
        home = self._declared.home(text, at)
        if text.record.declarations[at].kind in TYPE_KINDS:
            return Function(home)
        return Function(home, self._symbol(text, at))

    def _parameter(self, function: Function, name: str) -> Located:
        if function.member is None:
            for each in self._symbols(function.index, name):
                if each.member is not None and self._is_positional(each.member):
                    return self._member(each)
        return Located(ParameterTarget(name, function, self._declared))

    def _used(self, text: CompiledText, place: tuple[int, int], facts: Facts) -> Located | None:
        """Return the symbol of the name used at an offset."""
        at, start = place
        for fact in facts.facts:
            if fact.start == start and not fact.silent and fact.sure:
                if isinstance(fact.target, Symbol):
                    return self._member(fact.target)
                return self._type(fact.target)
        for use in facts.locals:
            if use.start == start:
                return self._local(text, at, (use.at, text.word(use.start, use.end)))
        for label in facts.labels:
            if label.start == start and label.symbol is not None and label.symbol.member is not None:
                name = text.word(label.start, label.end)
                return self._parameter(self._called(label.symbol), name)
        if facts.others.get(start) == "parameter":
            return self._type_parameter(text, at, start)
        return None

    def _called(self, symbol: Symbol) -> Function:
        member = symbol.member
        assert member is not None
        is_header = member.declaration.kind is Kind.CONSTRUCTOR and is_implicit(self._texts, member)
        is_delegate = self._texts.catalogue.type(member.index).kind is Kind.DELEGATE
        return Function(member.index) if is_header or is_delegate else Function(member.index, symbol)

    def _local(self, text: CompiledText, at: int, use: tuple[int, str]) -> Located | None:
        declared_at, name = use
        if at < 0:
            return None
        around = at
        while around >= 0:
            if self._declared.parameters(text, around).get(name, (-2, 0))[0] == declared_at:
                return self._parameter(self._function(text, around), name)
            home = self._declared.home(text, around)
            if declared_at in self._declared.header_places(home, name):
                return self._parameter(Function(home), name)
            around = text.record.declarations[around].parent
        if declared_at < 0:
            declaration = text.record.declarations[at]
            received = declaration.receiver.name.lstrip("@") if declaration.receiver is not None else ""
            if name == received:
                raise UsageError("The receiver of an extension block cannot be renamed yet.")
            raise UsageError(f"{name} is a word of the language there.")
        return Located(LocalTarget(name, text, (at, declared_at), self._declared))

    def _type_parameter(self, text: CompiledText, at: int, start: int) -> Located | None:
        found = WORD.match(text.text, start)
        name = text.word(*found.span()) if found is not None else ""
        node = self._declared.node(text, at) if at >= 0 else None
        for each in node.walk() if node is not None else ():
            if each.type == "local_function_statement" and each.start <= start < each.end:
                raise UsageError("A type parameter of a local function cannot be renamed yet.")
        while at >= 0:
            declaration = text.record.declarations[at]
            if name in [each.lstrip("@") for each in declaration.own_parameters]:
                return Located(TypeParameterTarget(name, self._function(text, at), self._declared))
            at = declaration.parent
        return None


def is_implicit(texts: BoundTexts, member: Member) -> bool:
    """Whether a member is implicit: its place is that of its type."""
    return (member.file, member.at) in texts.catalogue.type(member.index).parts


def _start(text: bytes, offset: int) -> int:
    """Return the start of the name around an offset."""
    while offset > 0 and (
        text[offset - 1 : offset].isalnum() or text[offset - 1] in b"_@" or text[offset - 1] > 127
    ):
        offset -= 1
    return offset
