"""All types that a project sees, of the workspace and of assemblies: what they are, derive from, and have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec
from msgspec.structs import replace

from services.index.binding.types.assemblies import Assemblies
from services.index.binding.types.reader import TypeReader
from services.index.binding.types.symbol import CONSTRUCTOR, Bound, Candidate, Symbol
from services.index.binding.types.types import (
    ANONYMOUS,
    DYNAMIC,
    EXTERNAL,
    IN_METHOD,
    OBJECT,
    AnyType,
    Assigned,
    TupleType,
    Type,
    TypeParameter,
    is_array,
    is_dynamic,
    named,
    plain,
    substituted,
)
from services.index.binding.types.workspace import Workspace
from services.model import Kind

_MOST_BASES = 80
_INLINE = "System.Runtime.CompilerServices.InlineArray"
_LISTS = "System.Collections.Generic."
_OF_ARRAYS = tuple(
    f"{_LISTS}{name}`1"
    for name in ("IList", "IReadOnlyList", "ICollection", "IReadOnlyCollection", "IEnumerable")
)
_KINDS = {
    Kind.CLASS: "class",
    Kind.RECORD: "class",
    Kind.STRUCT: "struct",
    Kind.RECORD_STRUCT: "struct",
    Kind.UNION: "struct",
    Kind.INTERFACE: "interface",
    Kind.ENUM: "enum",
    Kind.DELEGATE: "delegate",
}
_IMPLIED = {
    "class": OBJECT,
    "struct": "System.ValueType",
    "enum": "System.Enum",
    "delegate": "System.MulticastDelegate",
}
_NOTHING = Bound()


class Lookup(msgspec.Struct, frozen=True):
    """`candidates`: nearest type first; `whole`: every base that could have hidden or added one is known."""

    candidates: tuple[Candidate, ...]
    whole: bool


class World:
    """Types visible to a project. Holds what it has found; `bounds`: the constraints of type parameters of the method
    that is bound just now."""

    def __init__(self, workspace: Workspace, assemblies: Assemblies) -> None:
        self.workspace = workspace
        self.assemblies = assemblies
        self.reader = TypeReader(workspace.names, workspace, self.is_value)
        self.bounds: Mapping[str, Bound] = {}
        self._bases: dict[Type, tuple[tuple[Type, ...], bool]] = {}
        self._closures: dict[AnyType, tuple[tuple[Type, ...], bool]] = {}
        self._found: dict[tuple[Type, str, bool], Lookup] = {}

    # What types are

    def kind(self, type_: AnyType | None) -> str:
        """class, struct, interface, enum, delegate; empty for what is none of these, or not known."""
        if isinstance(type_, TupleType):
            return "struct"
        if not isinstance(type_, Type):
            return ""
        if type_.index is not None:
            return _KINDS.get(self.workspace.kind_of(type_.index), "")
        if type_.fqn[0] == "[" or type_.fqn.startswith(ANONYMOUS):
            return "class"
        return self.assemblies.kind_of(type_.fqn)

    def is_value(self, type_: AnyType | None) -> bool:
        """Whether a type is a value type, as far as is known."""
        if isinstance(type_, TypeParameter):
            kinds = self.bound_of(type_).kinds
            return "struct" in kinds or "unmanaged" in kinds
        return self.kind(type_) in ("struct", "enum")

    def is_reference(self, type_: AnyType | None) -> bool:
        """Whether a type is surely a reference type."""
        if isinstance(type_, TypeParameter):
            bound = self.bound_of(type_)
            return "class" in bound.kinds or any(self.kind(each) == "class" for each in bound.types)
        return self.kind(type_) in ("class", "interface", "delegate")

    def is_unknown(self, type_: AnyType | None) -> bool:
        """Whether nothing but the name of a type is known."""
        return type_ is None or (
            isinstance(type_, Type)
            and type_.index is None
            and type_.fqn[0] not in "[*d<"
            and not self.assemblies.knows_members(type_.fqn)
        )

    def is_static(self, type_: AnyType | None) -> bool:
        """Whether a type is a static class."""
        if not isinstance(type_, Type):
            return False
        if type_.index is not None:
            return self.workspace.is_static(type_.index)
        return self.assemblies.is_static(type_.fqn)

    def is_handler(self, type_: Type) -> bool:
        """Whether a type handles interpolated strings."""
        if type_.index is None:
            return "InterpolatedStringHandler" in type_.fqn
        parts = self.workspace.parts(type_.index)
        return any("InterpolatedStringHandler" in text for _, _, part in parts for text in part.attributes)

    def inline_element(self, type_: AnyType | None) -> AnyType | None:
        """The type of the elements of an inline array (C# 12): that of the only field of its structure."""
        if not isinstance(type_, Type):
            return None
        if type_.index is None:
            return type_.arguments[0] if type_.fqn.startswith(_INLINE) and type_.arguments else None
        parts = self.workspace.parts(type_.index)
        if not any(_is_inline(text) for _, _, part in parts for text in part.attributes):
            return None
        for symbols in self.workspace.symbols(type_.index).values():
            for symbol in symbols:
                if symbol.kind is Kind.FIELD and not symbol.is_static:
                    return substituted(symbol.returns, self.assigned(type_))
        return None

    def is_sealed(self, type_: AnyType | None) -> bool:
        """Whether nothing derives from a type."""
        if self.kind(type_) in ("struct", "enum", "delegate") or is_array(type_):
            return True
        if not isinstance(type_, Type):
            return False
        if type_.index is None:
            return self.assemblies.is_sealed(type_.fqn)
        return any("sealed" in part.modifiers for _, _, part in self.workspace.parts(type_.index))

    def bound_of(self, parameter: TypeParameter) -> Bound:
        """The constraints of a type parameter."""
        if parameter.owner >= 0:
            return self.workspace.bounds_of(parameter)
        return self.bounds.get(parameter.name, _NOTHING) if parameter.owner == IN_METHOD else _NOTHING

    def assigned(self, type_: Type) -> Assigned:
        """The arguments of a type by its type parameters."""
        if type_.index is not None:
            return self.workspace.assigned(type_)
        return dict(zip(EXTERNAL, type_.arguments, strict=False)) if type_.arguments else {}

    # Bases

    def bases(self, type_: Type) -> tuple[tuple[Type, ...], bool]:
        """The direct bases with their arguments, the class first; whether all of them are known."""
        known = self._bases.get(type_)
        if known is None:
            known = self._bases[type_] = self._direct(type_)
        return known

    def _direct(self, type_: Type) -> tuple[tuple[Type, ...], bool]:
        if is_array(type_):
            lists = _OF_ARRAYS if type_.fqn == "[]" else ()
            return (named("System.Array"), *(named(name, *type_.arguments) for name in lists)), True
        if type_.fqn.startswith(ANONYMOUS) or type_.fqn == DYNAMIC:
            return (named(OBJECT),), True
        if type_.index is not None:
            listed, whole = self.workspace.bases(type_.index)
            # What another part begins with is an interface where one part names the class.
            whole = whole or any(self.kind(base) == "class" for base in listed)
        else:
            listed, whole = self.assemblies.bases(type_.fqn)
        assigned = self.assigned(type_)
        found = [base for base in (substituted(each, assigned) for each in listed) if isinstance(base, Type)]
        kind = self.kind(type_)
        implied = _IMPLIED.get(kind)
        if type_.index is not None and self.workspace.kind_of(type_.index) in (
            Kind.RECORD,
            Kind.RECORD_STRUCT,
        ):
            found.append(named("System.IEquatable`1", type_))
        if implied is not None and implied != type_.fqn and whole and not self._has_class(found):
            found.insert(0, named(implied))
        return tuple(dict.fromkeys(found)), whole

    def _has_class(self, bases: Iterable[Type]) -> bool:
        """Whether one of the bases is a class. Of what nothing is known, the first may be one."""
        first = True
        for base in bases:
            kind = self.kind(base)
            if kind == "class" or (not kind and first and not _looks_like_interface(base.fqn)):
                return True
            first = False
        return False

    def closure(self, type_: AnyType | None) -> tuple[tuple[Type, ...], bool]:
        """A type and all that it derives from or implements, nearest first; whether all of them are known."""
        if type_ is None:
            return (), False
        known = self._closures.get(type_)
        if known is None:
            known = self._closed(type_)
            if not isinstance(type_, TypeParameter):
                self._closures[type_] = known
        return known

    def _closed(self, type_: AnyType) -> tuple[tuple[Type, ...], bool]:
        waiting: list[Type] = list(self.roots(type_))
        found: dict[Type, None] = {}
        whole = bool(waiting)
        while waiting and len(found) < _MOST_BASES:
            current = waiting.pop(0)
            if current in found:
                continue
            found[current] = None
            bases, known = self.bases(current)
            whole = whole and known
            waiting += bases
        return tuple(found), whole

    def base_of(self, type_: AnyType | None, fqn: str) -> Type | None:
        """The base of a type, or itself, that has a full name."""
        return next((base for base in self.closure(type_)[0] if base.fqn == fqn), None)

    def roots(self, type_: AnyType | None) -> tuple[Type, ...]:
        """The types whose members a value of a type has: those of its constraints for a type parameter."""
        if isinstance(type_, Type):
            return (type_,)
        if isinstance(type_, TupleType):
            return (named(f"System.ValueTuple`{len(type_.elements)}", *type_.elements),)
        if type_ is None:
            return ()
        found: list[Type] = []
        waiting, seen = [type_], {type_}
        while waiting:
            for bound in self.bound_of(waiting.pop()).types:
                if isinstance(bound, TypeParameter):
                    if bound not in seen:
                        seen.add(bound)
                        waiting.append(bound)
                else:
                    found += self.roots(bound)
        found.sort(key=lambda each: self.kind(each) != "class")
        return (*found, named(OBJECT))

    # Members

    def declared(self, type_: Type, name: str) -> list[Symbol]:
        """The members of that name that a type itself declares."""
        if type_.index is not None:
            return self.workspace.symbols(type_.index).get(name, [])
        if type_.fqn.startswith(ANONYMOUS):
            return []
        return self.assemblies.symbols("System.Array" if is_array(type_) else type_.fqn).get(name, [])

    def find(self, type_: AnyType | None, name: str, *, called: bool = False) -> Lookup:
        """Look up members of a name as the language does, accessible or not. `called`: only invocable
        ones."""
        roots = self.roots(type_)
        if len(roots) == 1:
            known = self._found.get((roots[0], name, called))
            if known is None:
                known = self._found[(roots[0], name, called)] = self._find(roots, name, called=called)
            return known
        return self._find(roots, name, called=called)

    def _can_be_called(self, symbol: Symbol, assigned: Assigned) -> bool:
        """Whether a member is a method, or of a type that a call may be made of."""
        if symbol.is_method:
            return True
        type_ = substituted(symbol.returns, assigned)
        return (
            type_ is None
            or isinstance(type_, TypeParameter)
            or self.kind(type_) in ("delegate", "")
            or is_dynamic(type_)
        )

    def _find(self, roots: tuple[Type, ...], name: str, *, called: bool) -> Lookup:
        found: list[Candidate] = []
        level, waiting, seen = 0, list(roots), set[Type]()
        whole = bool(roots)
        while waiting and len(seen) < _MOST_BASES:
            current = waiting.pop(0)
            if current in seen:
                continue
            seen.add(current)
            level += 1
            own = [s for s in self.declared(current, name) if "explicit" not in s.flags]
            if called:
                own = [symbol for symbol in own if self._can_be_called(symbol, self.assigned(current))]
            if own:
                self._take(found, own, current, level)
            if name == CONSTRUCTOR:
                return Lookup(tuple(found), not self.is_unknown(current))
            if any(_hides_all(symbol) for symbol in own):
                break
            bases, known = self.bases(current)
            whole = whole and known and not self.is_unknown(current)
            if self.kind(current) == "interface":
                waiting += [*bases, named(OBJECT)]
            else:
                waiting += [base for base in bases if self.kind(base) != "interface"]
        return Lookup(tuple(found), whole)

    def _take(self, found: list[Candidate], own: list[Symbol], holder: Type, level: int) -> None:
        """Add members of a type to those of nearer types. A member that overrides or hides another replaces it,
        except that private ones do so only where they are accessible."""
        assigned = self.assigned(holder)
        for symbol in own:
            candidate = Candidate(symbol, holder, assigned, level)
            hidden = False
            for at, nearer in enumerate(found):
                if nearer.level < level and _hides(nearer, candidate):
                    hidden = nearer.symbol.access != "private"
                    if "override" in nearer.symbol.flags:
                        found[at] = replace(nearer, level=level)
            if not hidden:
                found.append(candidate)

    def delegate(self, type_: AnyType | None) -> Candidate | None:
        """The `Invoke` of a delegate type, or of an expression tree of one."""
        from services.index.binding.types.types import EXPRESSION

        if not isinstance(type_, Type):
            return None
        if type_.fqn == EXPRESSION:
            return self.delegate(type_.arguments[0]) if type_.arguments else None
        if self.kind(type_) != "delegate":
            return None
        found = self.declared(type_, "Invoke")
        return Candidate(found[0], type_, self.assigned(type_)) if found else None


def _is_inline(attribute: str) -> bool:
    name = attribute.partition("(")[0].rpartition(".")[2].strip()
    return name in ("InlineArray", "InlineArrayAttribute")


def _hides_all(symbol: Symbol) -> bool:
    """Whether a member hides all of its name that are further up."""
    return not symbol.is_method and not symbol.parameters and symbol.access != "private"


def _hides(nearer: Candidate, other: Candidate) -> bool:
    one, its = nearer.symbol, other.symbol
    if one.arity != its.arity or len(one.parameters) != len(its.parameters):
        return False
    return all(
        p.way == q.way and plain(nearer.type(p.type)) == plain(other.type(q.type))
        for p, q in zip(one.parameters, its.parameters, strict=True)
    )


def _looks_like_interface(fqn: str) -> bool:
    name = fqn.rpartition(".")[2].rpartition("+")[2]
    return name[:1] == "I" and name[1:2].isupper()
