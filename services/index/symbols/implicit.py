"""Members that the compiler adds and callers use: flagged `implicit`, located at their type (CSHARP.md)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

import msgspec

from services.index.catalog.naming import for_people
from services.index.symbols.placed import TypeWithMembers
from services.model import Base, Kind
from services.syntax.records.declaration import Declaration, ParameterRecord, Stretch

_CLASSES = frozenset({Kind.CLASS, Kind.RECORD})
_STRUCTS = frozenset({Kind.STRUCT, Kind.RECORD_STRUCT, Kind.UNION})
_RECORDS = frozenset({Kind.RECORD, Kind.RECORD_STRUCT})
_UNION = "System.Runtime.CompilerServices.IUnion"
_BUILDER = (ParameterRecord("System.Text.StringBuilder", "", "builder", ""),)
_INTERFACE = re.compile(r"(?:[\w.]+[.:])?I[A-Z]\w*(?:<|\Z)")


def implicit_members(
    type_: Declaration, modifiers: frozenset[str], members: list[Declaration]
) -> list[Declaration]:
    """The implicit members of a type. `type_`: its primary part, with the primary constructor's parameters if there
    is one; `modifiers`: of all parts; `members`: all declared ones."""
    made = list(_constructors(type_, modifiers, members))
    if type_.kind is Kind.DELEGATE:
        made.append(_made(type_, Kind.METHOD, "Invoke", type_.returns, type_.parameters or (), ("virtual",)))
    if type_.kind in _RECORDS:
        made += _record_members(type_, modifiers, members)
    if type_.kind is Kind.UNION:
        value = _made(type_, Kind.PROPERTY, "Value", "object?", None)
        made.append(msgspec.structs.replace(value, accessors=(("get", ""),)))
    return made


def implicit_bases(whole: TypeWithMembers, known: Collection[str | None]) -> Iterator[Base]:
    """The interface that a record or a union implements for itself. `known`: full names of the written bases."""
    if whole.entry.kind is Kind.UNION and _UNION not in known:
        yield Base(text="IUnion", fqn=_UNION, implicit=True)
    if whole.entry.kind not in _RECORDS:
        return
    parameters = whole.primary.declaration.type_parameters
    fqn = f"System.IEquatable<{for_people(whole.entry.fqn, parameters)}>"
    if fqn not in known:
        own = whole.entry.name + (f"<{', '.join(parameters)}>" if parameters else "")
        yield Base(text=f"IEquatable<{own}>", fqn=fqn, implicit=True)


def _constructors(
    type_: Declaration, modifiers: frozenset[str], members: list[Declaration]
) -> Iterator[Declaration]:
    if type_.kind not in _CLASSES | _STRUCTS or "static" in modifiers:
        return
    declared = [m for m in members if m.kind is Kind.CONSTRUCTOR and "static" not in m.modifiers]
    if type_.kind is Kind.UNION:
        for case in type_.parameters or ():
            yield _made(type_, Kind.CONSTRUCTOR, type_.name, None, (_parameter(case.type, "value"),))
    elif type_.parameters is not None:
        hidden = type_.kind in _CLASSES and "abstract" in modifiers
        access = "protected" if hidden else "public"
        made = _made(type_, Kind.CONSTRUCTOR, type_.name, None, type_.parameters, access=access)
        yield _placed(made, type_.header[:1])
    if type_.kind in _STRUCTS:
        if not any(not m.parameters for m in declared) and type_.parameters != ():
            yield _made(type_, Kind.CONSTRUCTOR, type_.name, None, ())
    elif not declared and type_.parameters is None:
        access = "protected" if "abstract" in modifiers else "public"
        yield _made(type_, Kind.CONSTRUCTOR, type_.name, None, (), access=access)


def _record_members(
    type_: Declaration, modifiers: frozenset[str], members: list[Declaration]
) -> Iterator[Declaration]:
    taken = {_key(m) for m in members}
    for made in _all_record_members(type_, modifiers, members):
        if _key(made) not in taken:
            yield made


def _key(member: Declaration) -> tuple[str, tuple[str, ...]]:
    if member.kind in (Kind.PROPERTY, Kind.FIELD):
        return member.name, ()
    return member.name, tuple(p.type.removesuffix("?").rpartition(".")[2] for p in member.parameters or ())


def _all_record_members(
    type_: Declaration, modifiers: frozenset[str], members: list[Declaration]
) -> Iterator[Declaration]:
    own = type_.name + (f"<{', '.join(type_.type_parameters)}>" if type_.type_parameters else "")
    is_class = type_.kind is Kind.RECORD
    nullable = own + "?" if is_class else own
    inherited = ("virtual",) if is_class and "sealed" not in modifiers else ()
    # Members of a struct are readonly where the members they read are; those of a readonly struct need not declare
    # it.
    fixed = () if is_class or "readonly" in modifiers else ("readonly",)
    printed = fixed if _reads_alone(members) else ()
    yield from _positional(type_, modifiers, fixed)
    yield _made(type_, Kind.METHOD, "ToString", "string", (), ("override", *printed))
    yield _made(type_, Kind.METHOD, "GetHashCode", "int", (), ("override", *fixed))
    yield _made(type_, Kind.METHOD, "Equals", "bool", (_parameter("object?", "obj"),), ("override", *fixed))
    other = (_parameter(nullable, "other"),)
    yield _made(type_, Kind.METHOD, "Equals", "bool", other, inherited or fixed)
    for sign in ("==", "!="):
        sides = (_parameter(nullable, "left"), _parameter(nullable, "right"))
        yield _made(type_, Kind.OPERATOR, f"operator {sign}", "bool", sides, ("static",))
    if is_class:
        yield from _class_only(type_, own, modifiers)
    else:
        yield _made(type_, Kind.METHOD, "PrintMembers", "bool", _BUILDER, printed, access="private")


def _reads_alone(members: list[Declaration]) -> bool:
    """Whether no public property seems to have code, which may change its struct. A get-only property without an
    auto-implementation is nearly always computed."""
    return not any(
        each.kind is Kind.PROPERTY
        and each.access == "public"
        and not each.explicit
        and each.accessors == (("get", ""),)
        and {"static", "override", "readonly"}.isdisjoint(each.modifiers)
        for each in members
    )


def _class_only(type_: Declaration, own: str, modifiers: frozenset[str]) -> Iterator[Declaration]:
    base = record_base(type_.bases)
    is_sealed = "sealed" in modifiers
    hidden = "private" if is_sealed and base is None else "protected"
    way = ("override",) if base is not None else () if is_sealed else ("virtual",)
    cloning = way
    if "abstract" in modifiers:
        cloning = ("abstract", *(word for word in way if word == "override"))
    if base is not None:
        as_base = (_parameter(base + "?", "other"),)
        yield _made(type_, Kind.METHOD, "Equals", "bool", as_base, ("override", "sealed"))
    yield _made(type_, Kind.METHOD, "<Clone>$", own, (), cloning)
    yield _made(type_, Kind.METHOD, "PrintMembers", "bool", _BUILDER, way, access=hidden)
    copied = (_parameter(own, "original"),)
    heirs = "private" if is_sealed else "protected"
    yield _made(type_, Kind.CONSTRUCTOR, type_.name, None, copied, access=heirs)
    contract = _made(type_, Kind.PROPERTY, "EqualityContract", "System.Type", None, way, access=hidden)
    yield msgspec.structs.replace(contract, accessors=(("get", ""),))


def record_base(bases: tuple[str, ...]) -> str | None:
    """Return the record that a record with these bases derives from, as written. It is the first; an interface in its
    place is recognised by its name."""
    return bases[0] if bases and _INTERFACE.match(bases[0]) is None else None


def _positional(
    type_: Declaration, modifiers: frozenset[str], fixed: tuple[str, ...]
) -> Iterator[Declaration]:
    if not type_.parameters:
        return
    settable = type_.kind is Kind.RECORD_STRUCT and "readonly" not in modifiers
    for at, parameter in enumerate(type_.parameters, 1):
        made = _made(type_, Kind.PROPERTY, parameter.name, parameter.type, None)
        made = msgspec.structs.replace(made, accessors=(("get", ""), ("set" if settable else "init", "")))
        yield _placed(made, type_.header[at : at + 1])
    outs = tuple(ParameterRecord(p.type, "out", p.name, "") for p in type_.parameters)
    yield _made(type_, Kind.METHOD, "Deconstruct", "void", outs, fixed)


def _placed(made: Declaration, where: tuple[Stretch, ...]) -> Declaration:
    """Make a member located in the header of its type."""
    for start, end, first, last in (msgspec.structs.astuple(each) for each in where):
        return msgspec.structs.replace(made, start=start, end=end, start_line=first, end_line=last)
    return made


def _parameter(type_: str, name: str) -> ParameterRecord:
    return ParameterRecord(type_, "", name, "")


def _made(
    type_: Declaration,
    kind: Kind,
    name: str,
    returns: str | None,
    parameters: tuple[ParameterRecord, ...] | None,
    modifiers: tuple[str, ...] = (),
    *,
    access: str = "public",
) -> Declaration:
    return msgspec.structs.replace(
        type_,
        kind=kind,
        name=name,
        access=access,
        modifiers=modifiers,
        type_parameters=(),
        constraints="",
        parameters=parameters,
        returns=returns,
        accessors=(),
        explicit="",
        bases=(),
        attributes=(),
        doc=(0, 0),
        body=(0, 0),
        end_line=type_.header[0].end_line if type_.header else type_.start_line,
        structure=b"",
        impl=b"",
        docs=b"",
        variance=(),
        header=(),
    )
