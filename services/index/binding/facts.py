"""Bound facts of a declaration: the symbol of each of its names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from services.index.binding.types.symbol import Symbol

UNREAD = "unknown"
"""The kind of a name in what the parser refuses."""

if TYPE_CHECKING:
    from services.index.binding.values import Local


class Fact(msgspec.Struct, frozen=True):
    """A place that uses a symbol. `start`, `end`: offsets of its name in the file; `target`: a member, or the index
    of a type; `kind`: what the place does; `sure`: whether it is this symbol that is meant, and no other; `silent`:
    whether no name stands there; `reason`: why the place does not fit the symbol, which then would not compile;
    `lowered`: whether it is the static method that the compiler makes of a member of an extension block."""

    start: int
    end: int
    target: Symbol | int
    kind: str
    sure: bool = True
    silent: bool = False
    reason: str = ""
    lowered: bool = False


class Loose(msgspec.Struct, frozen=True):
    """A name of which nothing is known but how it is used. `count`: arguments, None where it is not called; `outside`:
    whether it is asked of a type of which no more is known than that the workspace does not declare what it has: then
    it may be that of an extension member alone."""

    start: int
    end: int
    name: str
    kind: str
    count: int | None = None
    outside: bool = False


class LocalUse(msgspec.Struct, frozen=True):
    """A name that means a local declared at `at`."""

    start: int
    end: int
    at: int


class Label(msgspec.Struct, frozen=True):
    """The name of an argument, and the member or local function whose parameter it names; None where that is not
    certain."""

    start: int
    end: int
    symbol: Symbol | None


class Facts(msgspec.Struct):
    """Facts found in a declaration. `others`: places of names that the workspace does not declare: `foreign`,
    `parameter` (of a type), `namespace`; `variables`: locals and parameters by the place of their declaration;
    `through_this`: places of simple names of instance members, which belong to `this`; `refused`: where the parser's
    first error begins."""

    facts: list[Fact] = msgspec.field(default_factory=list[Fact])
    loose: list[Loose] = msgspec.field(default_factory=list[Loose])
    locals: list[LocalUse] = msgspec.field(default_factory=list[LocalUse])
    others: dict[int, str] = msgspec.field(default_factory=dict[int, str])
    labels: list[Label] = msgspec.field(default_factory=list[Label])
    variables: dict[int, Local] = msgspec.field(default_factory=dict[int, "Local"])
    through_this: set[int] = msgspec.field(default_factory=set[int])
    refused: list[int] = msgspec.field(default_factory=list[int])

    def extend(self, other: Facts) -> None:
        """Takes those of another."""
        self.facts += other.facts
        self.loose += other.loose
        self.locals += other.locals
        self.others.update(other.others)
        self.labels += other.labels
        self.variables.update(other.variables)
        self.through_this |= other.through_this
        self.refused += other.refused
