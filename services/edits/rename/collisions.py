"""Names that a new name would collide with where the symbol is declared: the language takes no two of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from services.edits.declared import Declared
from services.edits.places import Problem
from services.edits.rename.namespaces import NamespaceTarget
from services.edits.rename.targets import (
    LocalTarget,
    MemberTarget,
    ParameterTarget,
    Target,
    TypeParameterTarget,
    TypeTarget,
)
from services.index.binding.types.symbol import Symbol
from services.index.binding.types.types import plain
from services.index.usages.bound_texts import BoundTexts, CompiledText
from services.model import TYPE_KINDS, Kind
from services.syntax.bodies.node import Node
from services.syntax.records.hashing import simple

_SCOPES = frozenset(
    """block for_statement foreach_statement using_statement fixed_statement switch_section switch_body catch_clause
    lambda_expression anonymous_method_expression local_function_statement query_expression""".split()  # noqa: SIM905
)
_RANGES = ("..", "[^", "is [", "not [", "case [", "] =>")
_RANGE = re.compile(rb"\.\.(?!\.)|\[\s*\^|\b(?:is|not|case|or|and)\s*\[|\]\s*=>")
_DISPOSED = re.compile(rb"\busing\s*\(|\busing\s+[^;={}()]*\s\w+\s*=|\bawait\s+foreach\b")


class Collisions:
    """Finds collisions in one version of the catalogue."""

    def __init__(self, texts: BoundTexts, declared: Declared) -> None:
        self._texts = texts
        self._catalogue = texts.catalogue
        self._declared = declared

    def of(self, target: Target, new: str) -> Iterator[Problem]:
        """Yield the collisions of a symbol's new name."""
        if isinstance(target, TypeTarget):
            yield from self._of_type(target, new)
        elif isinstance(target, MemberTarget):
            for symbol in target.family:
                yield from self._of_member(symbol, new)
            yield from self._in_heirs(target, new)
            yield from self._found_by_language(target)
        elif isinstance(target, NamespaceTarget):
            yield from target.collisions(new)
        elif isinstance(target, LocalTarget):
            if new == "_":
                path = next(iter(target.scope or ()), "")
                yield Problem(path, target.start, "A variable called _ would take the place of discards.")
            yield from self._of_local(target, new)
        elif isinstance(target, ParameterTarget | TypeParameterTarget):
            yield from self._of_parameter(target, new)

    # Types

    def _of_type(self, target: TypeTarget, new: str) -> Iterator[Problem]:
        entry = self._catalogue.type(target.index)
        cut = max(entry.fqn.rfind("."), entry.fqn.rfind("+")) + 1
        fqn = entry.fqn[:cut] + simple(new, entry.arity)
        for other in self._catalogue.by_fqn.get(fqn, ()):
            there = self._catalogue.type(other)
            if there.parts and there.local in ("", entry.local) and self._meet(there.project, entry.project):
                yield self._declared_as(there.parts[0], f"There is a type {new} here already.")
        own = self._at_type(target.index)
        world = self._texts.world_of(entry.project)
        outer = self._catalogue.enclosing(entry)
        if outer is not None:
            yield from self._beside(outer, new, own)
        for name, symbols in world.workspace.symbols(target.index).items():
            if name == new and symbols[0].member is not None:
                yield self._of_symbol(symbols[0], f"A member {new} would have the name of its type.")
        if new in world.workspace.parameters_of(target.index):
            yield Problem(*own, f"{new} is a type parameter of the type.")
        for other in self._attributes_beside(target, entry.fqn[:cut], new):
            yield Problem(
                *own, f"Which of {new} and {self._catalogue.type(other).name} an attribute means is open."
            )
        if world.workspace.names.space.is_namespace(entry.project, entry.fqn[:cut] + new):
            yield Problem(*own, f"{new} is a namespace here already.")

    def _attributes_beside(self, target: TypeTarget, before: str, new: str) -> Iterator[int]:
        """The attributes that `[Name]` may mean as well as one of the new name: those of its short or long name."""
        if len(target.words) == 1:
            return
        entry = self._catalogue.type(target.index)
        world = self._texts.world_of(entry.project)
        for name in {*(target.rewritten(word, new) for word in target.words), f"{new}Attribute"} - {new}:
            for other in self._catalogue.by_fqn.get(before + simple(name, entry.arity), ()):
                bases = world.closure(world.workspace.itself(other))[0]
                is_near = self._meet(self._catalogue.type(other).project, entry.project)
                if (
                    is_near
                    and other != target.index
                    and any(base.fqn == "System.Attribute" for base in bases)
                ):
                    yield other

    def _meet(self, one: int, other: int) -> bool:
        """Whether two projects are one, or one sees the types of the other."""
        sees = self._texts.world_of(one).workspace.names.space.sees
        return one == other or sees(one, other) or sees(other, one)

    def _beside(self, outer: int, new: str, own: tuple[str, int]) -> Iterator[Problem]:
        """Members of the type around a type."""
        entry = self._catalogue.type(outer)
        if entry.name == new:
            yield Problem(*own, f"The type around it is called {new}.")
        symbols = self._texts.world_of(entry.project).workspace.symbols(outer).get(new, ())
        for each in symbols:
            yield self._of_symbol(each, f"{entry.name} has a member {new} already.")

    # Members

    def _of_member(self, symbol: Symbol, new: str) -> Iterator[Problem]:
        member = symbol.member
        assert member is not None
        entry = self._catalogue.type(member.index)
        world = self._texts.world_of(entry.project)
        explicit = bool(member.declaration.explicit)
        if entry.name == new and not explicit:
            yield self._of_symbol(symbol, f"A member cannot have the name of its type {new}.")
        if new in world.workspace.parameters_of(member.index):
            yield self._of_symbol(symbol, f"{new} is a type parameter of {entry.name}.")
        symbols = [each for every in world.workspace.symbols(member.index).values() for each in every]
        mine = _reserved(symbol, new)
        for other in symbols:
            if (symbol.is_method and (new, len(symbol.parameters)) in _reserved(other, other.name)) or (
                other.is_method and (other.name, len(other.parameters)) in mine
            ):
                yield self._of_symbol(other, f"{entry.name} has a member that the compiler names so already.")
        for nested in self._nested(member.index, new):
            yield self._declared_as(nested, f"{entry.name} has a type {new} already.")
        for other in world.workspace.symbols(member.index).get(new, ()):
            if not explicit and "explicit" not in other.flags and _collide(symbol, other):
                yield self._of_symbol(other, f"{entry.name} has a member {new} already.")
        for base in world.closure(symbol.owner)[0][1:]:
            for other in world.declared(base, new):
                if not explicit and other.access != "private" and _collide(symbol, other):
                    yield self._of_symbol(symbol, f"It would hide {base.fqn}.{new}, or implement it.")

    def _nested(self, index: int, new: str) -> Iterator[tuple[int, int]]:
        entry = self._catalogue.type(index)
        for arity in range(4):
            for other in self._catalogue.by_fqn.get(f"{entry.fqn}+{simple(new, arity)}", ()):
                yield from self._catalogue.type(other).parts[:1]

    def _in_heirs(self, target: MemberTarget, new: str) -> Iterator[Problem]:
        """Members of derived types that have the new name already."""
        owners = {each.member.index for each in target.family if each.member is not None}
        for text in self._texts.holding([new]):
            for at, each in enumerate(text.record.declarations):
                if each.name.lstrip("@") != new or each.kind in TYPE_KINDS or each.explicit:
                    continue
                home = self._declared.home(text, at)
                if home < 0 or home in owners:
                    continue
                world = self._texts.world_of(text.entry.project)
                bases = {base.index for base in world.closure(world.workspace.itself(home))[0]}
                others = world.workspace.symbols(home).get(new, ())
                if bases & owners and any(_collide(s, o) for s in target.family for o in others):
                    message = f"{self._catalogue.type(home).name}.{new} would hide it, or be taken for it."
                    yield Problem(text.path, each.start, message)

    def _found_by_language(self, target: MemberTarget) -> Iterator[Problem]:
        """Where the language finds a member by its name alone and its receiver is not bound: ranges, indexes from the
        end, list patterns, and `using` of what has no interface."""
        for symbol in target.family:
            words, pattern = self._shape(symbol)
            for text in self._texts.holding(words) if words else ():
                found = pattern.search(text.lexed.clean)
                if found is not None:
                    message = (
                        f"The language finds {symbol.name} by its name: it is not known whether it does here."
                    )
                    yield Problem(text.path, found.start(), message)
                    return

    def _shape(self, symbol: Symbol) -> tuple[Sequence[str], re.Pattern[bytes]]:
        member = symbol.member
        assert member is not None
        world = self._texts.world_of(self._catalogue.type(member.index).project)
        count = len(symbol.parameters)
        if symbol.name in ("Length", "Count") and symbol.kind is Kind.PROPERTY:
            is_indexed = "this[]" in world.workspace.symbols(member.index)
            return (_RANGES, _RANGE) if is_indexed else ((), _RANGE)
        if symbol.name == "Slice" and symbol.is_method and count == 2:
            return _RANGES, _RANGE
        if symbol.is_method and not count and symbol.name in ("Dispose", "DisposeAsync"):
            parts = (
                self._texts.records.declaration(*each) for each in self._catalogue.type(member.index).parts
            )
            is_ref = any("ref" in each.modifiers for each in parts if each is not None)
            if is_ref or symbol.name == "DisposeAsync":
                return ("using", "foreach"), _DISPOSED
        return (), _RANGE

    # What belongs to one declaration

    def _of_parameter(self, target: ParameterTarget | TypeParameterTarget, new: str) -> Iterator[Problem]:
        for text in self._texts.holding(target.words, within=target.scope):
            for at, declaration in enumerate(text.record.declarations):
                if not target.declares(text, at):
                    continue
                names = [each.name.lstrip("@") for each in declaration.parameters or ()]
                if new in (*names, *declaration.own_parameters):
                    yield Problem(text.path, declaration.start, f"There is a parameter {new} already.")
                if declaration.kind in TYPE_KINDS:
                    index = self._declared.home(text, at)
                    if isinstance(target, TypeParameterTarget):
                        yield from self._beside(index, new, (text.path, declaration.start))
                    continue
                yield from self._declared_inside(text, at, new)

    def _declared_inside(self, text: CompiledText, at: int, new: str) -> Iterator[Problem]:
        for use in self._texts.facts_of(text, at).locals:
            if use.start == use.at and text.word(use.start, use.end) == new:
                yield Problem(text.path, use.start, f"{new} is declared inside already.")

    def _of_local(self, target: LocalTarget, new: str) -> Iterator[Problem]:
        for text in self._texts.holding(target.words, within=target.scope):
            node = self._declared.node(text, target.at)
            names = self._declared.parameters(text, target.at)
            if new in names:
                yield Problem(text.path, names[new][0], f"{new} is a parameter already.")
            for use in self._texts.facts_of(text, target.at).locals:
                if use.start != use.at or text.word(use.start, use.end) != new:
                    continue
                if node is None or _overlap(node, use.start, target.start):
                    yield Problem(
                        text.path, use.start, f"{new} is declared in the same scope, or in one inside."
                    )

    # Places

    def _at_type(self, index: int) -> tuple[str, int]:
        file, at = self._catalogue.type(index).parts[0]
        declaration = self._texts.records.declaration(file, at)
        return self._catalogue.file(file).path, declaration.start if declaration is not None else 0

    def _declared_as(self, part: tuple[int, int], message: str) -> Problem:
        declaration = self._texts.records.declaration(*part)
        path = self._catalogue.file(part[0]).path
        return Problem(path, declaration.start if declaration is not None else 0, message)

    def _of_symbol(self, symbol: Symbol, message: str) -> Problem:
        member = symbol.member
        if member is None:
            return Problem("", 0, message)
        return Problem(self._catalogue.file(member.file).path, member.declaration.start, message)


def _reserved(symbol: Symbol, name: str) -> frozenset[tuple[str, int]]:
    """The methods, by name and number of parameters, that the compiler makes of a member of a name (C# specification
    15.3.10)."""
    if symbol.kind is Kind.DESTRUCTOR:
        return frozenset({("Finalize", 0)})
    if symbol.kind is Kind.PROPERTY:
        return frozenset({(f"get_{name}", 0), (f"set_{name}", 1)})
    if symbol.kind is Kind.EVENT:
        return frozenset({(f"add_{name}", 1), (f"remove_{name}", 1)})
    return frozenset()


def _collide(symbol: Symbol, other: Symbol) -> bool:
    """Whether two members of one name cannot coexist, or one hides the other."""
    if not (symbol.is_method and other.is_method):
        return symbol.kind is not Kind.INDEXER and other.kind is not Kind.INDEXER
    if symbol.arity != other.arity or len(symbol.parameters) != len(other.parameters):
        return False
    return all(
        plain(p.type) == plain(q.type) and bool(p.way) == bool(q.way)
        for p, q in zip(symbol.parameters, other.parameters, strict=True)
    )


def _overlap(node: Node, one: int, other: int) -> bool:
    """Whether one of two scopes, by offsets of names declared in them, is inside the other."""
    first, second = _scope(node, one), _scope(node, other)
    return (first[0] <= second[0] and second[1] <= first[1]) or (
        second[0] <= first[0] and first[1] <= second[1]
    )


def _scope(node: Node, offset: int) -> tuple[int, int]:
    """The innermost scope around an offset."""
    found = node.start, node.end
    for each in node.walk():
        if (
            each.type in _SCOPES
            and each.start <= offset < each.end
            and each.end - each.start < found[1] - found[0]
        ):
            found = each.start, each.end
    return found
