"""`Color.Red` where a value `Color` has the type `Color` (C# specification 12.8.7.2): what follows tells which."""

from __future__ import annotations

from collections.abc import Sequence

from services.index.usages.infer.typer import Typer
from services.index.usages.types.member import Candidate, Lookup, Member
from services.index.usages.types.members import TypeMembers
from services.index.usages.types.typed import Typed
from services.index.usages.types.types import OBJECT, Type, last_name
from services.syntax.bodies.expressions import Hit, Name

_STATIC_OF_OBJECT = 2
"""How many arguments the static methods of `object` take: `Equals`, `ReferenceEquals`."""


def names_type(hit: Hit, found: Typed, typer: Typer) -> bool | None:
    """Whether a name that was found to be a value stands for its type instead; None where that is not to be told."""
    name = hit.expression
    if found.what != "value" or not isinstance(name, Name) or hit.following in ("", "["):
        return False
    if found.type is None:
        return None if _may_be_of(found, name.text) else False
    if not isinstance(found.type, Type) or typer.read(name.text) != found.type:
        return False
    return _is_of_type(found.type, hit, name, typer)


def _may_be_of(found: Typed, name: str) -> bool:
    """Whether a member of unknown type is declared with a type of its own name."""
    member = (
        found.lookup.candidates[0].member if found.lookup is not None and found.lookup.candidates else None
    )
    returns = member.declaration.returns if isinstance(member, Member) else None
    return returns is not None and last_name(returns) == name


def _is_of_type(type_: Type, hit: Hit, name: Name, typer: Typer) -> bool | None:
    """Whether what follows is a static member of a type, or a type in it."""
    members = typer.tools.members
    simple = hit.following.removesuffix("()")
    lookup = members.find(typer.roots(type_), simple)
    if lookup.candidates:
        return _is_static(_called(lookup.candidates, hit, typer) or lookup.candidates)
    if hit.followed is None and typer.read(f"{name.text}.{simple}") is not None:
        return True
    return _is_unlisted(type_, lookup, members, called=hit.followed is not None)


def _is_static(candidates: Sequence[Candidate]) -> bool | None:
    found = {candidate.member.is_static for candidate in candidates}
    return found.pop() if len(found) == 1 else None


def _called(candidates: Sequence[Candidate], hit: Hit, typer: Typer) -> Sequence[Candidate]:
    """Those that may take the arguments of the call that follows, if one does."""
    arguments = hit.followed
    if arguments is None or _is_static(candidates) is not None:
        return candidates
    taking = [c for c in candidates if len(arguments) == _STATIC_OF_OBJECT or not _is_static_of_object(c)]
    return typer.calls.choose(taking, arguments, 0).candidates


def _is_static_of_object(candidate: Candidate) -> bool:
    return candidate.member.is_static and candidate.holder is not None and candidate.holder.fqn == OBJECT


def _is_unlisted(type_: Type, lookup: Lookup, members: TypeMembers, *, called: bool) -> bool | None:
    """Of what is no member that is known: a value of an enum outside the workspace, or an extension method."""
    if members.is_enum(type_):
        return not called
    return False if lookup.whole else None
