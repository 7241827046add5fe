"""Parts of the binder of expressions, as they call each other: expressions are bound by their parts, which hold
expressions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from services.index.binding.session import Session
from services.index.binding.typenames import TypeNames
from services.index.binding.types.symbol import Candidate
from services.index.binding.types.types import AnyType
from services.index.binding.types.world import Lookup, World
from services.index.binding.values import Argument, Choice, Target, Value
from services.syntax.bodies.node import Node


class ShapeBinder(Protocol):
    """Binder of members found by shape."""

    def awaited(self, type_: AnyType | None, place: Node) -> AnyType | None:
        """Return the result type of `await`; the methods of the awaiter are noted."""
        ...

    def deconstruct(self, left: Node, type_: AnyType | None, place: Node) -> None:
        """Gives each part of a pattern its type."""
        ...

    def give(self, target: Target, type_: AnyType | None, place: Node | None = None) -> None:
        """A part gets a value of a type."""
        ...

    def target(self, node: Node) -> Target:
        """Bind a part of the left side of `=`."""
        ...

    def parts(
        self, type_: AnyType | None, count: int, place: Node | None, names: Sequence[str] = ()
    ) -> list[AnyType | None]:
        """Return the types that a value deconstructs to: elements of a tuple, or the parameters of `Deconstruct`."""
        ...

    def pattern(self, node: Node) -> Target:
        """`(x, (y, _))` of `var (…)`: all of them are declared."""
        ...

    def call(
        self, type_: AnyType | None, name: str, arguments: tuple[Argument, ...]
    ) -> tuple[Candidate, AnyType | None] | None:
        """The method, of the type or an extension, that a call by shape means, and what it gives."""
        ...

    def element(self, type_: AnyType | None, place: Node, *, waits: bool) -> AnyType | None:
        """Return the element type of `foreach`; `GetEnumerator` and `Current` are noted."""
        ...

    def filled_with(self, type_: AnyType) -> AnyType | None:
        """The type of the elements of what a collection expression makes."""
        ...


class NameBinder(Protocol):
    """Binder of names."""

    def note(self, node: Node, value: Value, kind: str = "") -> None:
        """Note the meaning of a name, unless it is a method group, which a call decides."""
        ...

    def is_foreign(self, candidate: Candidate) -> bool:
        """Whether what a member gives, of which no type is known, is none of the workspace's."""
        ...

    def name(self, node: Node, *, called: bool = False) -> Value:
        """Bind a simple name, noting nothing but its type arguments."""
        ...

    def usable(self, lookup: Lookup, arity: int = 0) -> tuple[Candidate, ...]:
        """Return the accessible members; with type arguments, the methods that take so many."""
        ...

    def of_members(
        self,
        candidates: tuple[Candidate, ...],
        node: Node,
        receiver: AnyType | None,
        lookup: Lookup,
        generic: Sequence[AnyType | None],
    ) -> Value:
        """Return the value of members of one name; of methods their group."""
        ...

    def is_constant_text(self, node: Node) -> bool:
        """Whether an expression is a string that is known while compiling."""
        ...


class AccessBinder(Protocol):
    """Binder of accesses to members."""

    def access(self, node: Node, *, called: bool = False) -> Value:
        """`receiver.name`; nothing is noted of the name."""
        ...

    def conditional(self, node: Node, *, called: bool = False) -> Value:
        """Like `access`, of what may be null."""
        ...

    def member(
        self, receiver: Value, last: Node, generic: Sequence[AnyType | None], *, called: bool = False
    ) -> Value:
        """A member of a value or a type, or a type of a namespace or a type."""
        ...


class CallBinder(Protocol):
    """Binder of calls."""

    def arguments(self, listed: Node | None) -> list[Argument]:
        """The arguments of a list, bound but for what takes its type from where they go."""
        ...

    def element(self, receiver: Value, listed: Node, *, silent: bool = False) -> Value:
        """Bind `receiver[arguments]`. `silent`: in an initialiser, where the compiler reports no indexer."""
        ...

    def settle(self, arguments: Sequence[Argument], choice: Choice) -> None:
        """Bind for good the arguments that waited for parameter types."""
        ...

    def choose(self, value: Value, arguments: list[Argument]) -> Choice:
        """The method of a group that a call means: one of the type's own, else an extension method."""
        ...

    def returned(self, choice: Choice) -> AnyType | None:
        """Return the result of a call as far as it is known."""
        ...

    def named_of(self, node: Node | None) -> Value:
        """Bind the operand of `nameof`: every member of a method group, else the one symbol."""
        ...

    def gives_foreign(self, value: Value, arguments: Sequence[Argument]) -> bool:
        """Whether what an unknown member gives is none of the workspace's."""
        ...

    def settle_group(self, value: Value, wanted: AnyType | None) -> AnyType | None:
        """Convert a method group to a delegate or function pointer, and return that."""
        ...


class CreationBinder(Protocol):
    """Binder of creations of objects."""

    def construct(self, type_: AnyType | None, arguments: list[Argument], name: Node, kind: str) -> Choice:
        """Chooses and notes the constructor of a type that a call means."""
        ...

    def initialise(self, listed: Node, type_: AnyType | None) -> None:
        """`{ A = 1, [b] = 2, { c, d }, e }` of an object of a type."""
        ...

    def member(self, name: Node, type_: AnyType | None, kind: str = "write") -> AnyType | None:
        """A property or field that is set by its name alone; its type."""
        ...


class OperatorBinder(Protocol):
    """Binder of operators."""

    def compared(self, node: Node) -> list[Value]:
        """`a < b, c > d` where the grammar sees a declaration of `d`: what each of the parts is."""
        ...

    def product(self, node: Node) -> Value:
        """`a.b * c` where the grammar sees a declaration."""
        ...

    def note_conversion(self, value: Value, wanted: AnyType | None) -> None:
        """Note the user-defined conversion that is used without a name."""
        ...


class PatternBinder(Protocol):
    """Binder of patterns."""

    def bind(self, node: Node | None, tested: AnyType | None) -> AnyType | None:
        """Bind a pattern for a value; return the type of the value where it matches, None where that is unchanged."""
        ...


class FunctionBinder(Protocol):
    """Binder of functions."""

    def attributes(self, node: Node) -> None:
        """The attributes before something."""
        ...

    def parameter(self, node: Node) -> AnyType | None:
        """The type of a parameter; what it is by default is bound, where none of the parameters is known."""
        ...

    def bind(self, node: Node) -> None:
        """Binds a local function, all of it."""
        ...

    def declare(self, node: Node) -> None:
        """Makes a local function known by its name."""
        ...


class StatementBinder(Protocol):
    """Binder of statements."""

    def bind(self, node: Node) -> None:
        """Binds a statement."""
        ...

    def block(self, node: Node) -> None:
        """A block: its local functions are known in all of it."""
        ...

    def give(self, value: Value) -> None:
        """Record a value that a function returns."""
        ...


class ExpressionBinder(Protocol):
    """Binder of the expressions of one declaration, as its parts know it."""

    session: Session
    world: World
    types: TypeNames

    @property
    def shapes(self) -> ShapeBinder:
        """Return the binder of members found by shape."""
        ...

    @property
    def names(self) -> NameBinder:
        """Return the binder of names."""
        ...

    @property
    def accesses(self) -> AccessBinder:
        """Return the binder of accesses to members."""
        ...

    @property
    def calls(self) -> CallBinder:
        """Return the binder of calls."""
        ...

    @property
    def creations(self) -> CreationBinder:
        """Return the binder of creations of objects."""
        ...

    @property
    def operators(self) -> OperatorBinder:
        """Return the binder of operators."""
        ...

    @property
    def patterns(self) -> PatternBinder:
        """Return the binder of patterns."""
        ...

    @property
    def functions(self) -> FunctionBinder:
        """Return the binder of functions."""
        ...

    @property
    def statements(self) -> StatementBinder:
        """Return the binder of statements."""
        ...

    def bind(self, node: Node | None) -> Value:
        """Bind an expression. The type of a deferred one depends on its target: `settle` it once."""
        ...

    def open(self, node: Node | None) -> Value:
        """Like `bind`, with what follows `?.` as it is where it is not null."""
        ...

    def receiver(self, node: Node | None) -> Value:
        """Bind a receiver or operand for good; otherwise like `open`."""
        ...

    def type_of(self, node: Node | None, wanted: AnyType | None = None) -> AnyType | None:
        """Return the type of an expression converted to a target type."""
        ...

    def settle(self, value: Value, wanted: AnyType | None = None) -> AnyType | None:
        """Bind for good a value whose type depends on its target, and return its type."""
        ...

    def is_missing(self, value: Value) -> bool:
        """Whether a member was accessed that neither the receiver nor an extension of it has."""
        ...
