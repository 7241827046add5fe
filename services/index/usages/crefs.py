"""What a `cref` means: the symbol that its name leads to from the declaration it documents."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.index.names.type_text import identifiers
from services.index.usages.infer.overloads import Choice, is_method
from services.index.usages.infer.typer import Typer
from services.index.usages.types.member import Candidate, Member
from services.index.usages.types.members import CONSTRUCTOR
from services.index.usages.types.typed import Typed
from services.index.usages.types.types import Type
from services.syntax.bodies.expressions import Access, Hit, Name
from services.syntax.records.declaration import ParameterRecord

_QUALIFIER = re.compile(r"(?:global::)?(?:\w+\s*(?:\.|::)\s*)+(?=\w)")
_PREDEFINED = {
    "Boolean": "bool", "Byte": "byte", "SByte": "sbyte", "Char": "char", "Decimal": "decimal", "Double": "double",
    "Single": "float", "Int32": "int", "UInt32": "uint", "Int64": "long", "UInt64": "ulong", "Int16": "short",
    "UInt16": "ushort", "Object": "object", "String": "string", "IntPtr": "nint", "UIntPtr": "nuint",
}  # fmt: skip
_WORD = re.compile(r"@?\b[^\W\d]\w*")


def meant(hit: Hit, typer: Typer) -> tuple[Typed | None, Choice]:
    """What the name of a `cref` is, and the members that it may mean: with parameters, the one that has them."""
    if hit.expression is None:
        return None, Choice((), False)
    found = typer.typed(hit.expression)
    if found is None:
        return None, Choice((), False)
    if found.what == "type" and hit.listed is not None and isinstance(found.type, Type):
        constructors = typer.tools.members.find((found.type,), CONSTRUCTOR).candidates
        choice = _with_parameters(constructors, hit, typer)
        return Typed("methods", receiver=found.type, lookup=None), choice
    if found.lookup is None or not found.lookup.candidates:
        return found, Choice((), False)
    candidates = found.lookup.candidates
    if not is_method(candidates[0]):
        return found, Choice(candidates[:1], True)
    if candidates[0].holder is None:
        return None, Choice((), False)  # an extension method is named by its class
    return found, _with_parameters(candidates, hit, typer)


def _with_parameters(candidates: Sequence[Candidate], hit: Hit, typer: Typer) -> Choice:
    nearest = [each for each in candidates if each.holder == candidates[0].holder]
    own = [each for each in nearest if isinstance(each.member, Member)]
    generic = _generic(hit)
    if generic:
        own = [each for each in own if len(_parameters_of_type(each)) == generic]
    if hit.listed is None:
        # Of several methods the compiler takes one, and says that it was not told which.
        plain = [each for each in own if not _parameters_of_type(each)] if not generic else own
        return Choice(tuple(own), len(own) == 1 and len(nearest) == 1 and len(plain) == 1)
    fitting = [each for each in own if _has(each, hit, typer)]
    return Choice(tuple(fitting), len(fitting) == 1)


def _generic(hit: Hit) -> int:
    expression = hit.expression
    return len(expression.arguments) if isinstance(expression, Access | Name) else 0


def _parameters_of_type(candidate: Candidate) -> tuple[str, ...]:
    member = candidate.member
    return member.declaration.type_parameters if isinstance(member, Member) else ()


def _has(candidate: Candidate, hit: Hit, typer: Typer) -> bool:
    """Whether a member has the parameters that are listed, type parameters by any name."""
    member = candidate.member
    assert isinstance(member, Member)
    parameters, listed = member.parameters, hit.listed or ()
    if len(parameters) != len(listed):
        return False
    members = typer.tools.members
    anything = {*member.declaration.own_parameters, *members.parameters_of(member.index)}
    return all(
        _plain(text) == _plain(parameter.type) or _is_alike(text, parameter, anything)
        for text, parameter in zip(listed, parameters, strict=True)
    )


def _is_alike(text: str, parameter: ParameterRecord, anything: set[str]) -> bool:
    """Whether two type texts are one but for what stands for a type parameter."""
    wanted = _plain(parameter.type)
    pattern = _WORD.sub(lambda word: r"\w+" if word[0] in anything else word[0], re.escape(wanted))
    is_generic = any(name in anything for name in identifiers(parameter.type))
    return is_generic and re.fullmatch(pattern, _plain(text)) is not None


def _plain(text: str) -> str:
    """A type text without what does not tell types apart: namespaces, nullability, blanks, how it is passed."""
    text = re.sub(r"^(?:(?:ref|out|in|params|this|scoped|readonly)\s+)+", "", text.strip())
    text = _QUALIFIER.sub("", text)
    text = re.sub(r"[\s?]", "", text)
    return _WORD.sub(lambda word: _PREDEFINED.get(word[0], word[0].lstrip("@")), text)
