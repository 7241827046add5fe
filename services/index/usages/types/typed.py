"""What expressions are: the values that typing them gives, and what it needs."""

from __future__ import annotations

from dataclasses import dataclass

from services.index.names.names import Names
from services.index.names.type_text import Named
from services.index.usages.types.conversions import Conversions
from services.index.usages.types.delegates import Delegates
from services.index.usages.types.extensions import Extensions
from services.index.usages.types.member import Lookup
from services.index.usages.types.members import TypeMembers
from services.index.usages.types.types import AnyType
from services.syntax.bodies.expressions import Access, Call, Name, New


@dataclass(frozen=True, slots=True)
class Typed:
    """What an expression is. what: `value` (`type` None where it is not known), `type`, `namespace`, or `methods`.

    `path`: the dotted name, of a type or namespace; `lookup`: the members that a name was found among; `receiver`: the
    type they were looked for in; `local`: whether the name is that of a local."""

    what: str
    type: AnyType | None = None
    path: Named | None = None
    lookup: Lookup | None = None
    receiver: AnyType | None = None
    local: bool = False


@dataclass(frozen=True, slots=True)
class Tools:
    """What typers of all places share."""

    names: Names
    members: TypeMembers
    extensions: Extensions
    delegates: Delegates
    conversions: Conversions


def called(call: Call) -> str:
    """The name that is called, empty where it is none."""
    function = call.function
    return (
        function.name if isinstance(function, Access) else function.text if isinstance(function, Name) else ""
    )


def written(call: Call | New) -> tuple[str, ...]:
    """The texts of the type arguments that a call has."""
    function = call.function if isinstance(call, Call) else None
    return function.arguments if isinstance(function, Access | Name) else ()
