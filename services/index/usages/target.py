"""Target of a usage search: the names that may refer to a symbol, and the grade of each place."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.errors import UsageError
from services.index.binding.choice.overloads import is_callable
from services.index.binding.facts import UNREAD, Fact, Loose
from services.index.binding.types.symbol import INDEXER, Candidate, Member, Symbol
from services.index.binding.types.types import AnyType, Type, plain
from services.index.binding.types.world import World
from services.index.names.names import Names
from services.index.symbols.placed import FoundSymbol
from services.index.usages.places import CONSTRUCTION, INDEX_PATTERN, name_pattern
from services.model import Grade, Kind
from services.syntax.records.declaration import Declaration, Using

_NAMELESS = frozenset({Kind.OPERATOR, Kind.CONVERSION})
_BY_SHAPE = {
    rb"\bforeach\b": "GetEnumerator GetAsyncEnumerator MoveNext MoveNextAsync Current",
    rb"\bawait\b": "GetAwaiter IsCompleted GetResult",
    rb"=|\b(?:is|case|switch|foreach)\b": "Deconstruct",
    rb"\bnew\b|=": "Add",
    rb"\bfrom\b": (
        "Select SelectMany Where OrderBy OrderByDescending ThenBy ThenByDescending GroupBy Join GroupJoin Cast"
    ),
}
_SHAPES = {name: text for text, names in _BY_SHAPE.items() for name in names.split()}
"""Syntax by which the language uses a member implicitly, by its name."""


class UsageTarget:
    """Symbol whose usages are searched. `nameless`: whether places without its name count, as they always do for
    operators and conversions; `crefs`: whether names in documentation comments count. Raises UsageError for a
    destructor, which nothing uses."""

    def __init__(
        self, found: FoundSymbol, names: Names, world: World, *, nameless: bool = False, crefs: bool = True
    ) -> None:
        self._nameless = nameless
        self._crefs = crefs
        self._trigger: re.Pattern[bytes] | None = None
        self._names = names
        self._world = world
        self._index = found.whole.index
        self._construct = self._indexes = False
        self._type_name = found.whole.entry.name
        self.kind = found.whole.entry.kind if found.member is None else found.member.declaration.kind
        self._member: Member | None = None
        self._symbol: Symbol | None = None
        self._relations: Relations | None = None
        if found.member is None:
            self._simple = _with_short(self._type_name)
        else:
            self._of_member(found)
        self._of_types = found.member is None or self._construct
        self.is_elsewhere = found.whole.entry.is_elsewhere
        """Whether only another configuration declares it, so that nothing can be bound to it."""
        self._words: dict[int, list[bytes]] = {}
        self._patterns: dict[frozenset[str], re.Pattern[bytes]] = {}

    def _of_member(self, found: FoundSymbol) -> None:
        assert found.member is not None
        declaration = found.member.declaration
        if declaration.kind is Kind.DESTRUCTOR:
            raise UsageError("A destructor is called by the runtime alone: it has no usages.")
        self._nameless = self._nameless or declaration.kind in _NAMELESS
        if self._nameless and (text := _trigger(declaration)) is not None:
            self._trigger = re.compile(text)
        self._member = Member(self._index, found.member.file, found.member.at, declaration)
        self._symbol = self._world.workspace.symbol(self._member)
        self._relations = Relations(self._symbol, self._world)
        self._construct = declaration.kind is Kind.CONSTRUCTOR
        self._indexes = declaration.name == "this[]"
        name = declaration.name.lstrip("@")
        self._simple = _with_short(self._type_name) if self._construct else frozenset({name})

    @property
    def is_type(self) -> bool:
        """Whether it is a type rather than a member."""
        return self._member is None

    # Where to look

    def may_be_in(self, data: bytes, project: int) -> bool:
        """Whether a file of the project contains any of the names, or syntax that uses the symbol."""
        if self._trigger is not None and self._trigger.search(data) is not None:
            return True
        words = self._words.get(project)
        if words is None:
            names = {"["} if self._indexes else self._of_project(project)
            words = self._words[project] = [name.encode() for name in names]
        return any(word in data for word in words)

    def may_construct(self, data: bytes) -> bool:
        """Whether a file may construct the type without naming it, by `new()`."""
        return self._construct and CONSTRUCTION.search(data) is not None

    def pattern(self, project: int, usings: Sequence[Using]) -> re.Pattern[bytes]:
        """Return a pattern that finds the names in a file with these using directives."""
        if self._indexes:
            return INDEX_PATTERN
        names = self._of_project(project) | self._aliases(usings)
        if names not in self._patterns:
            found = name_pattern(names, constructions=self._construct)
            if self._trigger is not None:
                found = re.compile(found.pattern + b"|" + self._trigger.pattern)
            self._patterns[names] = found
        return self._patterns[names]

    def names(self, project: int, usings: Sequence[Using]) -> re.Pattern[bytes] | None:
        """Return the pattern that finds the names alone; None for an indexer, which has none."""
        if self._indexes:
            return None
        return name_pattern(self._of_project(project) | self._aliases(usings), constructions=False)

    def _of_project(self, project: int) -> frozenset[str]:
        return self._simple | self._aliases(self._names.global_usings(project))

    def _aliases(self, usings: Sequence[Using]) -> frozenset[str]:
        if not self._of_types:
            return frozenset()
        found = {u.alias for u in usings if u.alias and self._type_name in u.name}
        return frozenset(found | {alias.removesuffix("Attribute") for alias in found} - {""})

    # What a place is

    def grade(self, fact: Fact) -> Grade | None:
        """Grade a place as a usage of the symbol; None for no usage."""
        target = fact.target
        if (fact.silent and not self._nameless) or (fact.kind == "cref" and not self._crefs):
            return None
        if self._member is None:
            same = target == self._index and not fact.silent
            return (Grade.BOUND if fact.sure else Grade.NAME_MATCH) if same else None
        if not isinstance(target, Symbol) or target.member is None:
            return None
        if target.member.same(self._member):
            bound = Grade.RELATED if fact.lowered else Grade.BOUND
            return bound if fact.sure else Grade.NAME_MATCH
        assert self._relations is not None
        return Grade.RELATED if fact.sure and self._relations.has(target) else None

    def may_be(self, loose: Loose) -> bool:
        """Whether an unresolved name may refer to the symbol."""
        symbol = self._symbol
        if symbol is None or self._construct:
            return loose.kind == UNREAD and loose.name in self._simple
        if loose.name != symbol.name or (loose.outside and not symbol.is_extension):
            return False
        if symbol.name == INDEXER or loose.count is None:
            return True
        if not symbol.is_method:
            return self._can_be_invoked(symbol)
        skipped = int(symbol.is_extension)
        return is_callable(symbol, loose.count) or is_callable(symbol, loose.count + skipped)

    def _can_be_invoked(self, symbol: Symbol) -> bool:
        type_ = symbol.returns
        return not isinstance(type_, Type) or self._world.kind(type_) in ("delegate", "")


def _trigger(declaration: Declaration) -> bytes | None:
    """Return the syntax that uses a member without its name; None where there is none."""
    if declaration.kind is Kind.CONVERSION:
        return rb"[=(,<>+]|\b(?:return|in)\b"
    if declaration.kind is Kind.OPERATOR:
        sign = declaration.name.removeprefix("operator ").removeprefix("checked ")
        return rb"\b(?:if|while|for|do)\b|[?&|]" if sign.isalpha() else re.escape(sign.encode())
    return _SHAPES.get(declaration.name)


def _with_short(name: str) -> frozenset[str]:
    """The name of a type, and what an attribute is written as."""
    short = name.removesuffix("Attribute")
    return frozenset({name, short} if short else {name})


class Relations:
    """Members related to the target."""

    def __init__(self, target: Symbol, world: World) -> None:
        self._target = target
        self._world = world
        self._known: dict[Symbol, bool] = {}

    def has(self, symbol: Symbol) -> bool:
        """Whether a member overrides or implements the target, or the target it."""
        known = self._known.get(symbol)
        if known is None:
            known = self._known[symbol] = self._is_related(symbol, self._target) or self._is_related(
                self._target, symbol
            )
        return known

    def _is_related(self, symbol: Symbol, target: Symbol) -> bool:
        """Whether a member overrides another, or implements it."""
        if not _alike(symbol, target):
            return False
        in_interface = self._world.kind(target.owner) == "interface"
        if not in_interface and "override" not in symbol.flags:
            return False
        if in_interface and not self._may_implement(symbol):
            return False
        bases = [base for base in self._world.closure(symbol.owner)[0] if base.fqn == target.owner.fqn]
        if "explicit" in symbol.flags:
            said = self._said(symbol)
            bases = [base for base in bases if said is None or plain(said) == plain(base)]
        return any(self._same_types(symbol, target, base) for base in bases)

    def _may_implement(self, symbol: Symbol) -> bool:
        """Whether a member can implement one of an interface."""
        if "explicit" in symbol.flags:
            return True
        is_class = self._world.kind(symbol.owner) != "interface"
        return is_class and not symbol.is_static and symbol.access == "public"

    def _said(self, symbol: Symbol) -> AnyType | None:
        """The interface that an explicit member names, where that is known."""
        member = symbol.member
        if member is None:
            return None
        workspace = self._world.workspace
        context = workspace.names.context(member.file, member.at, member.declaration.own_parameters)
        return workspace.reader.read(member.declaration.explicit, context)

    def _same_types(self, symbol: Symbol, target: Symbol, base: Type) -> bool:
        """Whether the types of a member are the target's, as `base` has them."""
        its = Candidate(target, base, self._world.assigned(base))
        pairs = zip(symbol.parameters, target.parameters, strict=True)
        if not all(p.way == q.way and plain(p.type) == plain(its.type(q.type)) for p, q in pairs):
            return False
        if self._world.kind(base) != "interface":
            return True
        return plain(symbol.returns) == plain(its.returns)


def _alike(symbol: Symbol, target: Symbol) -> bool:
    """Whether two members of different types agree in name, kind and the numbers of their parameters."""
    return (
        symbol.owner.fqn != target.owner.fqn
        and symbol.name == target.name
        and symbol.is_method == target.is_method
        and len(symbol.parameters) == len(target.parameters)
        and symbol.arity == target.arity
    )
