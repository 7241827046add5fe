"""Public view of a type: its name, keywords, bases in the order of metadata, and the scopes of its declarations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

import msgspec
from msgspec.structs import replace

from services.index.index import Index
from services.index.names.names import Names
from services.index.names.space import Bound
from services.index.names.type_text import Named, parse
from services.index.symbols.placed import Placed, TypeWithMembers
from services.model import Kind
from services.review.api.symbol import (
    FOUND,
    PLAIN,
    TOLD,
    VISIBLE,
    ApiSymbol,
    ApiTypeNames,
    Constraint,
    Interface,
    NameScope,
)
from services.syntax.records.declaration import Declaration

_ROOTS = {
    Kind.STRUCT: "System.ValueType", Kind.RECORD_STRUCT: "System.ValueType", Kind.UNION: "System.ValueType",
    Kind.ENUM: "System.Enum", Kind.DELEGATE: "System.MulticastDelegate", Kind.INTERFACE: "",
}  # fmt: skip
_DEEPEST = 64


class Ancestor(msgspec.Struct, frozen=True):
    """Base class or interface of a type, direct or not. `told`: its name in messages; `text`: its name without
    annotations; `seen`: whether it is visible outside the assembly; `level`: 0 for types that the declaration
    names itself."""

    told: str
    text: str
    is_interface: bool
    seen: bool
    level: int


class Ancestry:
    """The ancestors of one type."""

    def __init__(self, index: Index, names: Names, types: ApiTypeNames, whole: TypeWithMembers) -> None:
        self._index, self._names, self._types, self._whole = index, names, types, whole

    def of(self, scope: NameScope) -> list[Ancestor]:
        """Depth first: each base before what it derives from and implements itself."""
        bases = [
            (text, self._names.bound_base(part.file, part.at, text))
            for part in self._whole.parts
            for text in part.declaration.bases
        ]
        return list(self._walk(bases, scope, frozenset(), 0))

    def _walk(
        self, bases: Sequence[tuple[str, Bound]], scope: NameScope, above: frozenset[int], level: int
    ) -> Iterator[Ancestor]:
        for text, bound in bases:
            index = bound.head.index if bound.head is not None else None
            fqn = bound.fqn or text
            if index is not None and index in above:
                continue
            yield Ancestor(
                self._types.display(fqn, scope, TOLD), self._types.display(fqn, scope, PLAIN),
                self._is_interface(fqn, bound, index), index is None or self._is_seen(index), level,
            )  # fmt: skip
            if index is not None and level < _DEEPEST:
                inner = replace(scope, given=self._given(index, fqn, scope))
                following = [(each.fqn or "", each) for each in self._names.bases(index) if each.fqn]
                yield from self._walk(following, inner, above | {index}, level + 1)

    def _given(self, index: int, fqn: str, scope: NameScope) -> dict[str, str]:
        """Map the type parameters of a base to the types that are substituted for them."""
        whole, node = self._index.describer.whole(index), parse(fqn)
        if whole is None or not isinstance(node, Named):
            return {}
        arguments = [self._types.display_node(each, scope) for each in node.segments[-1].arguments]
        return dict(zip(whole.primary.declaration.type_parameters, arguments, strict=False))

    def _is_interface(self, fqn: str, bound: Bound, index: int | None) -> bool:
        if index is not None:
            return self._index.catalogue.types[index].kind is Kind.INTERFACE
        name = bound.head.fqn if bound.head is not None else fqn.partition("<")[0]
        kind = self._names.space.kind_of(self._whole.entry.project, name)
        if kind is not None:
            return kind is Kind.INTERFACE
        last = name.rpartition(".")[2]
        return last[:1] == "I" and last[1:2].isupper()

    def _is_seen(self, index: int) -> bool:
        whole = self._index.describer.whole(index)
        return whole is not None and whole.access in VISIBLE


def base_of(kind: Kind, ancestors: Sequence[Ancestor]) -> str:
    """Return the base class of a type, visible or not; empty for an interface."""
    if kind in _ROOTS:
        return _ROOTS[kind]
    found = next((each for each in ancestors if not each.level and not each.is_interface), None)
    return found.told if found is not None else "object"


def interfaces_of(ancestors: Sequence[Ancestor]) -> tuple[Interface, ...]:
    """The interfaces: those that the type names with theirs, then those of what it derives from."""
    own: list[Interface] = []
    inherited: list[Interface] = []
    below = own
    for each in ancestors:
        if not each.level:
            below = own if each.is_interface else inherited
        if each.is_interface:
            below.append(Interface(text=each.told, seen=each.seen))
    return (*own, *inherited)


_CLAUSE = re.compile(r"\bwhere\s+@?(\w+)\s*:\s*((?:(?!\bwhere\s+@?\w+\s*:).)*)", re.DOTALL)
_WORDS = ("class", "struct", "unmanaged", "notnull")
_ORDER = (*_WORDS, "new()")


class Constraints:
    """Reads the clauses of one declaration. `bound`: a type text with full names."""

    def __init__(self, types: ApiTypeNames, scope: NameScope, bound: Callable[[str], str]) -> None:
        self._types, self._scope, self._bound = types, scope, bound

    def of(self, text: str) -> tuple[Constraint, ...]:
        """Return the clauses of a text; `default` is left out, since it is not visible to callers."""
        return tuple(self._one(name, _listed(listed)) for name, listed in _CLAUSE.findall(text))

    def shown(self, text: str) -> str:
        """The clauses as signatures have them."""
        told = []
        for name, listed in _CLAUSE.findall(text):
            words, types = _sorted(_listed(listed))
            parts = [each for each in _ORDER[:-1] if each in words]
            parts += [self._types.display(self._bound(each), self._scope, PLAIN) for each in types]
            parts += ["new()"] if "new()" in words else []
            told += [f"where {name} : {', '.join(parts)}"] if parts else []
        return " ".join(told)

    def _one(self, name: str, listed: Sequence[str]) -> Constraint:
        words, types = _sorted(listed)
        return Constraint(parameter=name, words=words, types=tuple(map(self._type, types)))

    def _type(self, text: str) -> tuple[str, str]:
        fqn = self._bound(text)
        node = parse(fqn)
        is_parameter = isinstance(node, Named) and len(node.segments) == 1 and fqn in self._scope.positions
        id_ = f"!:{fqn}" if is_parameter else f"T:{self._types.doc_id(fqn, self._scope)}"
        return self._types.display(fqn, self._scope, FOUND), id_


def _sorted(listed: Sequence[str]) -> tuple[frozenset[str], list[str]]:
    """The words among constraints, and the types."""
    words: set[str] = set()
    types: list[str] = []
    for each in _each(listed):
        if each in _WORDS or each == "new()":
            words.add(each)
        elif each and each != "default" and not each.startswith("allows "):
            types.append(each)
    return frozenset(words), types


def _listed(text: str) -> list[str]:
    """The constraints of a clause: commas between type arguments part none."""
    found, depth, start = list[str](), 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "<([") - (letter in ">)]")
        if letter == "," and not depth:
            found.append(text[start:at])
            start = at + 1
    return [*found, text[start:]]


def _each(listed: Sequence[str]) -> Iterator[str]:
    for each in listed:
        text = " ".join(each.split())
        word = text.removesuffix("?")
        yield word if word in _WORDS else "new()" if text.replace(" ", "") == "new()" else text


_VALUES = frozenset({Kind.STRUCT, Kind.RECORD_STRUCT, Kind.ENUM, Kind.UNION})
_CLASSES = frozenset({Kind.CLASS, Kind.RECORD})
_VALUE_CONSTRAINT = re.compile(r"where\s+@?(\w+)\s*:\s*(?:struct|unmanaged)\b")


class DeclaringText(msgspec.Struct, frozen=True):
    """A text that is not the one in the index: a side of a change. `file`: the number of its file, -1 for none."""

    path: str
    text: bytes
    file: int = -1


class TypeView:
    """Public view of one type. `written`: the text that declares it, where that differs from the index."""

    def __init__(
        self, index: Index, names: Names, whole: TypeWithMembers, written: DeclaringText | None = None
    ) -> None:
        self.index, self.names, self.whole = index, names, whole
        self.project = whole.entry.project
        self.types = ApiTypeNames(self._is_value)
        self.id = whole.entry.fqn.replace("+", ".")
        self._written = written

    def symbol(self) -> ApiSymbol:
        """The type itself."""
        whole = self.whole
        kind = whole.entry.kind
        constraints = {
            (p.file, p.at): p.declaration.constraints for p in whole.parts if p.declaration.constraints
        }
        place, text = next(iter(constraints.items()), ((whole.primary.file, whole.primary.at), ""))
        reader = self.constraints(place, whole.primary.declaration)
        return ApiSymbol(
            id=f"T:{self.id}",
            kind=kind,
            signature=joined(self.shown, reader.shown(text)),
            named=self.told,
            plain=self.told,
            access=whole.access,
            base=base_of(kind, self.ancestors),
            interfaces=interfaces_of(self.ancestors),
            underlying=self._underlying,
            constraints=reader.of(text),
            owner=f"T:{whole.entry.fqn.rpartition('+')[0].replace('+', '.')}"
            if "+" in whole.entry.fqn
            else "",
            words=self.words,
            bases=self.bases,
            derivable=self.derivable,
            symbol=whole.id,
            file=self.file(whole.primary),
            line=whole.primary.declaration.start_line,
        )

    @cached_property
    def words(self) -> frozenset[str]:
        """Its modifiers, those that go without saying too."""
        words = set(self.whole.modifiers) & {"abstract", "sealed", "static", "readonly", "ref"}
        if self.whole.entry.kind is Kind.INTERFACE:
            words.add("abstract")
        if self.whole.entry.kind in (*_VALUES, Kind.DELEGATE):
            words.add("sealed")
        return frozenset(words)

    @cached_property
    def ancestors(self) -> list[Ancestor]:
        """Return the bases and interfaces of the type, including those reached through types that are not visible."""
        scope = self.scope(self.whole.primary.declaration)
        found = Ancestry(self.index, self.names, self.types, self.whole).of(scope)
        if self.whole.entry.kind in (Kind.RECORD, Kind.RECORD_STRUCT):
            told, text = (f"System.IEquatable<{own}>" for own in (self.told, self.shown))
            found.append(Ancestor(told, text, is_interface=True, seen=True, level=0))
        return found

    @cached_property
    def bases(self) -> tuple[str, ...]:
        """The ancestors that others see."""
        return tuple(sorted({each.text for each in self.ancestors if each.seen}))

    @cached_property
    def derivable(self) -> bool:
        """Whether somebody else can derive from it: it is not sealed, and has a constructor that they see."""
        if self.whole.entry.kind is Kind.INTERFACE:
            return True
        if self.whole.entry.kind not in _CLASSES or "sealed" in self.words:
            return False
        return any(
            member.declaration.kind is Kind.CONSTRUCTOR
            and "static" not in member.declaration.modifiers
            and member.declaration.access in VISIBLE
            for member in self.whole.members
        )

    @property
    def seen(self) -> frozenset[str]:
        """The accessibilities of members that others see: what is protected, they do where they can derive."""
        return VISIBLE if self.derivable else frozenset({"public"})

    @cached_property
    def _parameters(self) -> list[tuple[str, ...]]:
        """The type parameters of the types around, outermost first, and its own."""
        found = [self.whole.primary.declaration.type_parameters]
        catalogue, entry = self.index.catalogue, self.whole.entry
        for _ in range(entry.fqn.count("+")):
            outer = catalogue.enclosing(entry)
            whole = self.index.describer.whole(outer) if outer is not None else None
            entry = catalogue.type(outer) if outer is not None else entry
            found.insert(0, whole.primary.declaration.type_parameters if whole is not None else ())
        return found

    @cached_property
    def shown(self) -> str:
        """Its full name as C# writes it, with the names of type parameters."""
        steps = self.whole.entry.fqn.split("+")
        shown = [
            step.partition("`")[0] + (f"<{', '.join(parameters)}>" if parameters else "")
            for step, parameters in zip(steps, self._parameters, strict=True)
        ]
        return ".".join(shown)

    @cached_property
    def told(self) -> str:
        """Its full name as messages have it: with the variance of its own type parameters, and of those around it."""
        steps = self.shown.split(".")
        return ".".join(_varied(step, self._variances) for step in steps) if self._variances else self.shown

    @cached_property
    def _variances(self) -> dict[str, str]:
        declaration = self.whole.primary.declaration
        pairs = zip(declaration.type_parameters, declaration.variance, strict=False)
        return {name: word for name, word in pairs if word}

    @property
    def _underlying(self) -> str:
        if self.whole.entry.kind is not Kind.ENUM:
            return ""
        return next((text for part in self.whole.parts for text in part.declaration.bases), "int")

    def constraints(self, place: tuple[int, int], declaration: Declaration) -> Constraints:
        """Reads what type parameters have to be. `place`: file and number of what names are bound at."""
        return Constraints(
            self.types,
            self.scope(declaration),
            lambda text: self.names.bound(*place, declaration, text).fqn or text,
        )

    @cached_property
    def _values(self) -> frozenset[str]:
        texts = (part.declaration.constraints for part in self.whole.parts)
        return frozenset(name for text in texts for name in _VALUE_CONSTRAINT.findall(text))

    def scope(self, declaration: Declaration) -> NameScope:
        """Return the scope in which the texts of a declaration of this type are read."""
        flat = [name for names in self._parameters for name in names]
        positions = {name: f"`{at}" for at, name in enumerate(flat)}
        values = self._values
        if declaration is not self.whole.primary.declaration:
            positions |= {name: f"``{at}" for at, name in enumerate(declaration.own_parameters)}
            text = f"{declaration.constraints} {declaration.block_constraints}"
            values |= frozenset(_VALUE_CONSTRAINT.findall(text))
        return NameScope(positions, values, self._variances)

    def _is_value(self, fqn: str) -> bool:
        kind = self.names.space.kind_of(self.project, fqn)
        head, dot, tail = fqn.rpartition(".")
        while kind is None and dot:
            # The text does not tell namespaces from outer types.
            kind = self.names.space.kind_of(self.project, f"{head}+{tail}")
            head, dot, step = head.rpartition(".")
            tail = f"{step}+{tail}"
        return kind in _VALUES

    def file(self, placed: Placed) -> str:
        """The path of the file that declares something."""
        if self._written is not None and placed.file == self._written.file:
            return self._written.path
        return self.index.catalogue.file(placed.file).path

    def text(self, placed: Placed) -> bytes:
        """The text that the offsets of a declaration count in."""
        if self._written is not None and placed.file == self._written.file:
            return self._written.text
        return self.index.records.text(placed.file) or b""


def _varied(step: str, variances: Mapping[str, str]) -> str:
    name, bracket, listed = step.partition("<")
    if not bracket:
        return step
    told = [f"{variances.get(each, '')} {each}".lstrip() for each in listed.removesuffix(">").split(", ")]
    return f"{name}<{', '.join(told)}>"


def joined(*parts: str) -> str:
    """Words that are there, with blanks between them."""
    return " ".join(part for part in parts if part)
