"""Reasons why a member does not take the arguments of a call, in a few words as a compiler gives them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from services.index.binding.types.conversions import Fit
from services.index.binding.types.symbol import Candidate, Parameter
from services.index.binding.types.types import (
    CALLEE,
    NULLABLE,
    OF_CALLEE,
    AnyType,
    TupleType,
    Type,
    TypeParameter,
    is_array,
    mentions,
)
from services.index.binding.values import Argument, Value

if TYPE_CHECKING:
    from services.index.binding.choice.overloads import Overloads

_KEYWORDS = {
    "System.Boolean": "bool", "System.Byte": "byte", "System.SByte": "sbyte", "System.Char": "char",
    "System.Int16": "short",
    "System.UInt16": "ushort", "System.Int32": "int", "System.UInt32": "uint", "System.Int64": "long",
    "System.UInt64": "ulong", "System.Single": "float", "System.Double": "double", "System.Decimal": "decimal",
    "System.Object": "object", "System.String": "string", "System.Void": "void", "System.IntPtr": "nint",
    "System.UIntPtr": "nuint",
}  # fmt: skip
_LONGEST = 60


def misfit(
    overloads: Overloads,
    candidate: Candidate,
    arguments: Sequence[Argument],
    generic: Sequence[AnyType | None] = (),
    *,
    extending: bool = False,
) -> str:
    """Why `candidate` does not take `arguments`, as in "takes 2, given 1"; empty where it may. `extending`: whether the
    first argument is a receiver, which is not counted."""
    if overloads.takes(candidate, arguments, generic, extending=extending):
        return ""
    parameters = candidate.symbol.parameters
    if extending:
        parameters, arguments = parameters[1:], arguments[1:]
    arity = candidate.symbol.arity - candidate.symbol.signature.block
    if generic and len(generic) != arity:
        return f"takes {_counted(arity, 'type argument')}, given {len(generic)}"
    return (
        _by_count(parameters, arguments)
        or _by_argument(overloads, candidate, arguments, extending=extending)
        or ("type arguments are missing" if arity and not generic else "the arguments do not fit")
    )


def is_clear(
    overloads: Overloads,
    candidate: Candidate,
    arguments: Sequence[Argument],
    generic: Sequence[AnyType | None] = (),
) -> bool:
    """Whether no known fact rules out a call of `candidate`. Functions and other values whose types depend on much
    else are ignored."""
    parameters = candidate.symbol.parameters
    return not (
        _by_count(parameters, arguments)
        or _by_argument(overloads, candidate, arguments, plain=True)
        or (not generic and _lacks_types(candidate))
    )


def _lacks_types(candidate: Candidate) -> bool:
    """Whether a method has a type parameter that no argument can determine: without type arguments nothing can call
    it."""
    symbol = candidate.symbol
    told = [each.type for each in symbol.parameters]
    return any(not any(_holds(type_, each) for type_ in told) for each in CALLEE[: symbol.arity])


def _holds(type_: AnyType | None, parameter: TypeParameter) -> bool:
    """Whether a type parameter is in a type, or may be in one that is not known."""
    if type_ is None or type_ == parameter:
        return True
    if isinstance(type_, TypeParameter):
        return False
    parts = type_.elements if isinstance(type_, TupleType) else type_.arguments
    return any(_holds(each, parameter) for each in parts)


def count_misfit(parameters: Sequence[Parameter], given: int) -> str:
    """Why so many arguments are too few or too many; empty where they are neither."""
    least = sum(not p.optional and not p.spread for p in parameters)
    if parameters and parameters[-1].spread:
        return "" if given >= least else f"takes {least} or more, given {given}"
    if least <= given <= len(parameters):
        return ""
    takes = str(least) if least == len(parameters) else f"{least} to {len(parameters)}"
    return f"takes {takes}, given {given}"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"


def _by_count(parameters: Sequence[Parameter], arguments: Sequence[Argument]) -> str:
    found = count_misfit(parameters, len(arguments))
    names = {each.name for each in parameters}
    unknown = next((each.name for each in arguments if each.name and each.name not in names), "")
    return found or (f"has no parameter {unknown}" if unknown else "")


def _by_argument(
    overloads: Overloads,
    candidate: Candidate,
    arguments: Sequence[Argument],
    *,
    plain: bool = False,
    extending: bool = False,
) -> str:
    """Return the reason for the first argument that does not convert to its parameter's type. `plain`: consider only
    arguments whose types depend on nothing else."""
    parameters = candidate.symbol.parameters[extending:]
    places = {each.name: each for each in parameters}
    for at, argument in enumerate(arguments):
        parameter = places.get(argument.name) or parameters[min(at, len(parameters) - 1)]
        wanted = candidate.type(parameter.type)
        value = argument.value
        if mentions(wanted, OF_CALLEE) or (plain and not _is_plain(value, wanted)):
            continue
        fits = [overloads.fit(argument, parameter, wanted)]
        if parameter.spread:
            fits.append(overloads.fit(argument, parameter, overloads.element(wanted)))
        if max(fits) is not Fit.NO:
            continue
        if argument.way != parameter.way and "in" not in (argument.way, parameter.way):
            return f"argument {at + 1} is given {_way(argument.way)}, taken {_way(parameter.way)}"
        type_ = shown(value.type)
        return f"argument {at + 1} is {type_ or 'another'}, {shown(wanted)} is taken" if type_ else (
            f"argument {at + 1} does not convert to {shown(wanted)}"
        )  # fmt: skip
    return ""


def _is_plain(value: Value, wanted: AnyType | None) -> bool:
    """Whether the types of an argument and of its parameter rest on nothing else."""
    return value.deferred is None and not is_open(value.type) and not is_open(wanted)


def is_open(type_: AnyType | None) -> bool:
    """Whether a type is not known, or has a type parameter in it."""
    if type_ is None or isinstance(type_, TypeParameter):
        return True
    return any(map(is_open, type_.arguments if isinstance(type_, Type) else type_.elements))


def unassigned(overloads: Overloads, value: Value, wanted: AnyType | None) -> str:
    """Why a method, a function or a value of a known type cannot be assigned to what is of the type `wanted`; empty
    where it may."""
    is_function = value.what == "methods" or value.deferred is not None
    if is_function and overloads.world.delegate(wanted) is None:
        return ""
    if not is_function and (value.what != "value" or value.is_null or is_open(value.type) or is_open(wanted)):
        return ""
    if overloads.converts(value, wanted) is not Fit.NO:
        return ""
    given = value.name or "the function" if is_function else shown(value.type)
    return f"is of type {shown(wanted)}, to which {given} does not convert"


def _way(way: str) -> str:
    return f"by {way}" if way else "by value"


def shown(type_: AnyType | None) -> str:
    """A type as people write it, without namespaces; empty where it is not known."""
    text = _text(type_)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _text(type_: AnyType | None) -> str:
    if type_ is None:
        return ""
    if isinstance(type_, TypeParameter):
        return type_.name
    if isinstance(type_, TupleType):
        return f"({', '.join(_text(each) or '?' for each in type_.elements)})"
    if is_array(type_):
        return (_text(type_.arguments[0]) or "?") + type_.fqn
    if type_.fqn == NULLABLE:
        return (_text(type_.arguments[0]) or "?") + "?"
    return _name(type_)


def _name(type_: Type) -> str:
    if type_.fqn in _KEYWORDS:
        return _KEYWORDS[type_.fqn]
    if type_.fqn.startswith("<"):
        return "an anonymous object"
    name = type_.fqn.rpartition("+")[2].rpartition(".")[2].partition("`")[0]
    count = int(type_.fqn.rpartition("`")[2]) if type_.fqn.rpartition("`")[2].isdigit() else 0
    given = type_.arguments[len(type_.arguments) - count :] if count else ()
    return f"{name}<{', '.join(_text(each) or '?' for each in given)}>" if given else name
