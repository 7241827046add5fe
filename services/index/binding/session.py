"""State of binding one declaration: its context, the scope, and the facts found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from msgspec.structs import replace

from services.index.binding.choice.overloads import Overloads
from services.index.binding.facts import Fact, Facts, Label, LocalUse, Loose
from services.index.binding.inheritance import Inheritance
from services.index.binding.types.conversions import Conversions
from services.index.binding.types.extensions import Extensions
from services.index.binding.types.symbol import Bound, Candidate, Symbol
from services.index.binding.types.types import AnyType, Type, TypeParameter
from services.index.binding.types.world import World
from services.index.binding.values import Choice, Local, Scope
from services.index.names.space import Context
from services.index.names.type_text import Named, parse
from services.model import Kind
from services.syntax.bodies.node import Node


class Tools:
    """Binding state shared by the declarations of one kind of project."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.conversions = Conversions(world)
        self.extensions = Extensions(world)
        self.inheritance = Inheritance(world, self.conversions)
        self.overloads = Overloads(world, self.conversions, self.extensions)


class Session:
    """Binds nothing itself. `returns`: what `return` gives; `enclosing`: the types around, innermost first; `sees_all`:
    whether private members count everywhere, as in comments; `nameable`: locals that `nameof` alone may name;
    `checked_initialiser`: whether parameters of the primary constructor come before members."""

    def __init__(self, tools: Tools, context: Context, bounds: dict[str, Bound], *, is_static: bool) -> None:
        self.tools = tools
        self.world = tools.world
        self.conversions = tools.conversions
        self.overloads = tools.overloads
        self.context = context
        self.is_static = is_static
        self.scope = Scope(None)
        self.found = Facts()
        self.errors = 0
        self.returns: AnyType | None = None
        self.results: list[object] | None = None
        self.enclosing = [enclosing.index for enclosing in context.enclosing]
        self.bounds = bounds
        self.checked_initialiser = False
        self.sees_all = False
        self.nameable: dict[str, Local] = {}
        self.enter()

    def enter(self) -> None:
        """Make this session the context of the shared tools."""
        self.world.bounds = self.bounds
        self.world.reader.expect(self.bounds)
        self.overloads.context = self.context

    def this(self, depth: int = 0) -> Type | None:
        """The type around the place, `depth` levels out, with its own parameters."""
        if depth >= len(self.enclosing):
            return None
        return self.world.workspace.itself(self.enclosing[depth])

    def read(self, text: str) -> AnyType | None:
        """Read a type text in this context."""
        return self.world.reader.read(text, self.context)

    def target(self, path: str, *, dotted: bool = False) -> tuple[AnyType | None, str | None] | None:
        """Resolve a dotted name that is no value: a type, or a namespace."""
        node = parse(path)
        return (
            self.world.reader.target(node, self.context, dotted=dotted) if isinstance(node, Named) else None
        )

    def may_use(self, symbol: Symbol) -> bool:
        """Whether a member is accessible here."""
        return self.sees_all or self.world.workspace.may_use(symbol, self.context)

    def is_foreign(self, names: Sequence[str], context: Context | None = None) -> bool:
        """Whether a type that nothing is known of but the names in its text is none of the workspace's, nor made of
        any: one simple name that no type has, where a namespace is in sight, by default here, that is not wholly
        known."""
        workspace = self.world.workspace
        if len(names) != 1 or names[0] in workspace.type_names:
            return False
        return bool(workspace.names.binder.foreign(context or self.context))

    # What is found

    def note(self, node: Node, target: Symbol | int, kind: str = "read", *, sure: bool = True) -> None:
        """Note the symbol of a name."""
        start, end = span(node)
        reason = ""
        if isinstance(target, Symbol):
            if _is_of_object(target) and _is_simple(node):
                self.found.through_this.add(start)
            if target.member is None:
                self.found.others[start] = "foreign"
                return
            if kind == "write":
                reason = self._not_written(node, target)
        self.found.facts.append(Fact(start, end, target, kind, sure and not reason, reason=reason))

    def _not_written(self, node: Node, target: Symbol) -> str:
        """Why a property cannot be set at a place; empty where it may be, as from inside its own type."""
        declaration = target.member.declaration if target.member is not None else None
        if declaration is None or target.kind is not Kind.PROPERTY or target.owner.index in self.enclosing:
            return ""
        accessors = dict(declaration.accessors)
        if not accessors or (declaration.returns or "").startswith("ref ") or _is_filled(node):
            return ""
        access = next((accessors[name] for name in ("set", "init") if name in accessors), None)
        if access is None:
            return "cannot be set: it has no set"
        return "cannot be set here: its set is private" if access == "private" else ""

    def note_silent(self, start: int, end: int, target: Symbol | None, kind: str, reason: str = "") -> None:
        """Note the use of a symbol without a name. `reason`: why it does not fit, if there is one."""
        if target is not None and target.member is not None:
            fact = Fact(start, end, target, kind, sure=not reason, silent=True, reason=reason)
            self.found.facts.append(fact)

    def note_type(self, node: Node, type_: AnyType | None, kind: str) -> None:
        """Note the type of a name, if it is one of the workspace."""
        if isinstance(type_, Type) and type_.index is not None:
            self.note(node, type_.index, kind)
        elif type_ is not None:
            is_parameter = isinstance(type_, TypeParameter)
            self.found.others[span(node)[0]] = "parameter" if is_parameter else "foreign"

    def note_inferred(self, node: Node | None, type_: AnyType | None) -> None:
        """Note the inferred type of `var`."""
        if node is not None and isinstance(type_, Type) and type_.index is not None:
            self.found.facts.append(Fact(*span(node), type_.index, "var", silent=True))

    def note_loose(self, node: Node, kind: str, count: int | None = None, *, outside: bool = False) -> None:
        """Nothing is known of what a name means."""
        start, end = span(node)
        self.found.loose.append(Loose(start, end, simple(node), kind, count, outside))

    def note_local(self, node: Node, local: Local) -> None:
        """Note the local of a name."""
        start, end = span(node)
        self.found.locals.append(LocalUse(start, end, local.at))

    def note_label(self, node: Node, choice: Choice) -> None:
        """Note the parameter that a named argument names."""
        start, end = span(node)
        symbol = choice.best.symbol if choice.best is not None and choice.certain else None
        place = next((p.at for p in symbol.parameters if p.name == simple(node)), -1) if symbol else -1
        if place >= 0:
            self.found.locals.append(LocalUse(start, end, place))
        else:
            self.found.labels.append(Label(start, end, symbol))

    def note_choice(
        self,
        node: Node,
        choice: Choice,
        kind: str,
        why: Callable[[Candidate], str] = lambda _: "",
    ) -> None:
        """Note the member that was chosen for a name, or several possible ones. `why`: the reason why one does not
        fit, empty where it may."""
        candidates: Sequence[Candidate] = [*([choice.best] if choice.best else []), *choice.others]
        if choice.best is not None and choice.certain:
            self.note(node, choice.best.symbol, kind)
            facts = self.found.facts
            if _is_lowered(choice.best) and facts and facts[-1].target is choice.best.symbol:
                facts[-1] = replace(facts[-1], lowered=True)
            return
        for candidate in candidates:
            self.note_misfit(node, candidate.symbol, kind, why(candidate))

    def note_misfit(self, node: Node, target: Symbol | int, kind: str, reason: str) -> None:
        """Note a symbol that a name may mean but does not fit, if there is a reason."""
        self.note(node, target, kind, sure=False)
        facts = self.found.facts
        if reason and facts and facts[-1].target == target:
            facts[-1] = replace(facts[-1], reason=reason)

    def reason(self, node: Node, target: Symbol, reason: str) -> None:
        """Take back that a name, which was noted, fits its symbol, if there is a reason."""
        facts, place = self.found.facts, span(node)
        for at in range(len(facts) - 1, -1, -1) if reason else ():
            if (facts[at].start, facts[at].end) == place and facts[at].target == target:
                facts[at] = replace(facts[at], sure=False, reason=facts[at].reason or reason)
                return

    @contextmanager
    def scratch(self) -> Iterator[Facts]:
        """Collect facts separately inside the block."""
        found, errors = self.found, self.errors
        self.found, self.errors = Facts(), 0
        try:
            yield self.found
        finally:
            self.found, self.errors = found, errors

    @contextmanager
    def inner(self, scope: Scope | None = None) -> Iterator[Scope]:
        """Names declared inside are known there alone."""
        outer = self.scope
        self.scope = scope or Scope(outer)
        try:
            yield self.scope
        finally:
            self.scope = outer

    def declare(self, node: Node | None, type_: AnyType | None, *, discards: bool = True) -> Local | None:
        """A local of the name that a node is; none for a discard. `discards`: whether `_` is one there, as in patterns
        and deconstructions, and no name of its own."""
        if node is None or node.type == "discard":
            return None
        name = simple(node)
        if not name:
            return None
        local = Local(span(node)[0], type_, foreign=type_ is None and self.is_foreign(_names_of_type(node)))
        if name != "_" or not discards:
            self.scope.names[name] = local
            self.found.variables[local.at] = local
            self.note_local(node, local)
        return local


def _is_lowered(candidate: Candidate) -> bool:
    """Whether a member of an extension block is named through the class around that: it is another method there, made
    by the compiler (C# 14, extension members)."""
    member = candidate.symbol.member
    return candidate.holder is not None and member is not None and member.declaration.receiver is not None


def _is_filled(node: Node) -> bool:
    """Whether an initializer adds to the value of a name instead of setting it: `A = { 1 }`."""
    around = node.parent
    right = around.get("right") if around is not None and around.type == "assignment_expression" else None
    return right is not None and right.type == "initializer_expression"


def _is_of_object(symbol: Symbol) -> bool:
    return not symbol.is_static and symbol.kind is not Kind.CONSTRUCTOR


def _is_simple(node: Node) -> bool:
    """Whether a name is alone or before a dot, so without a receiver."""
    around = node.parent
    if around is None or node.type not in ("identifier", "generic_name"):
        return False
    if around.type in ("member_access_expression", "member_binding_expression", "qualified_name"):
        return around.type == "member_access_expression" and around.named[-1] is not node
    if around.type == "assignment_expression" and around.get("left") is node:
        outer = around.parent
        return outer is None or outer.type not in ("initializer_expression", "with_initializer")
    return around.type not in ("subpattern", "name_colon", "with_initializer", "attribute")


def _names_of_type(node: Node) -> list[str]:
    """The names in the type that a local or a parameter is declared with."""
    around = node.parent
    if around is not None and around.type == "variable_declarator":
        around = around.parent
    written = around.get("type") if around is not None else None
    return [each.text for each in written.walk() if each.type == "identifier"] if written is not None else []


def simple(node: Node) -> str:
    """The identifier of a name, without `@`."""
    if node.type == "generic_name":
        node = node.named[0]
    return node.text.lstrip("@")


def span(node: Node) -> tuple[int, int]:
    """Return the span of an identifier, without `@` and type arguments."""
    if node.type == "generic_name" and node.named:
        node = node.named[0]
    start = node.start + (1 if node.text.startswith("@") else 0)
    return start, node.end
