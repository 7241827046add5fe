"""Public view of a type: its name, keywords, bases, and the scopes of its declarations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from services.index.index import Index
from services.index.names.names import Names
from services.index.names.type_text import Named, parse
from services.index.symbols.placed import Placed, TypeWithMembers
from services.model import Kind
from services.review.api.ancestry import Ancestor, Ancestry, base_of, interfaces_of
from services.review.api.symbol import VISIBLE, ApiSymbol, Constraint
from services.review.api.type_names import FOUND, PLAIN, ApiTypeNames, NameScope
from services.syntax.records.declaration import Declaration

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


@dataclass(frozen=True, slots=True)
class DeclaringText:
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
