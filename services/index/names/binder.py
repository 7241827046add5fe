"""Names bound to types in the order of the C# specification (7.8): what cannot be bound stays unbound."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

import msgspec
from msgspec.structs import replace

from services.index.names.packages import Deduced, Deduction
from services.index.names.space import Bound, Context, Known, Level, Space
from services.index.names.type_text import (
    CONTEXTUAL,
    FunctionPointer,
    Named,
    Node,
    Predefined,
    Tuple,
    TypeTextSegment,
    Wrapped,
    parse,
)
from services.model import Kind
from services.syntax.records.declaration import Using

_MOST_BASES = 64
_FULL_NAME = re.compile(r"\w+(?:\.\w+)+")


class NameTarget(msgspec.Struct, frozen=True):
    """Target of a bound name. `display`: the type in C# notation in full, its outer types with their arguments;
    `known` is None for a type parameter. `within`: the other parts of an alias's target, such as type arguments.
    `namespace` is set where the name means a namespace; `inferred`, where only one namespace can contain an undeclared
    type."""

    display: str = ""
    known: Known | None = None
    within: tuple[Known, ...] = ()
    namespace: str | None = None
    inferred: Deduction | None = None


class _Work(msgspec.Struct):
    types: list[Known] = msgspec.field(default_factory=list)
    head: Known | None = None
    inferred: list[Deduction] = msgspec.field(default_factory=list)


BasesOf = Callable[[int], Sequence[Bound]]


class Binder:
    """Binds texts in contexts. `bases_of`: the bound base list of a workspace type; `parameters_of`: its type
    parameters' names; `inferred`: the inferred types of packages. Results do not depend on earlier calls."""

    def __init__(
        self,
        space: Space,
        bases_of: BasesOf,
        parameters_of: Callable[[int], tuple[str, ...]],
        inferred: Deduced,
    ) -> None:
        self._space = space
        self._bases_of = bases_of
        self._parameters_of = parameters_of
        self._deduced = inferred
        self._foreign_names: dict[tuple[int, tuple[Level, ...]], list[str | None]] = {}
        self._names: dict[tuple[Context, str, int, bool], NameTarget | None] = {}

    def bind(self, text: str, context: Context) -> Bound:
        """Binds a type text."""
        node = parse(text)
        if node is None:
            return Bound(None)
        work = _Work()
        fqn = self._node(node, context, work, outermost=True)
        return Bound(fqn, tuple(work.types), work.head, tuple(work.inferred))

    def target(self, node: Named, context: Context, *, dotted: bool = False) -> NameTarget | None:
        """Return the target of a dotted path: a type or, where `dotted` announces further names, a namespace. For its
        type arguments only their number matters."""
        if dotted and len(node.segments) == 1:
            return self._first(node.qualifier, node.segments[0], context, dotted=True)
        return self._path(node, context, [[None] * len(segment.arguments) for segment in node.segments])

    # Trees

    def _node(self, node: Node, context: Context, work: _Work, *, outermost: bool = False) -> str | None:
        if isinstance(node, Predefined):
            return self._predefined(node.name, context, work, outermost=outermost)
        if isinstance(node, Wrapped):
            inner = self._node(node.inner, context, work, outermost=outermost)
            return None if inner is None else f"{node.prefix}{inner}{node.suffix}"
        if isinstance(node, Named):
            return self._named(node, context, work, outermost=outermost)
        if isinstance(node, Tuple):
            parts = [self._node(inner, context, work) for inner, _ in node.elements]
            names = [name for _, name in node.elements]
            shown = [f"{part} {name}".rstrip() for part, name in zip(parts, names, strict=True)]
            return None if None in parts else f"({', '.join(shown)})"
        return self._pointer(node, context, work)

    def _predefined(self, name: str, context: Context, work: _Work, *, outermost: bool) -> str:
        """A word of the language, unless it is one that only counts where no type or alias of its name is in scope."""
        if name not in CONTEXTUAL:
            return name
        target = self._simple(name, 0, context, dotted=False)
        if target is None or target.known is None:
            return name
        work.types.append(target.known)
        if outermost:
            work.head = target.known
        return target.display

    def _pointer(self, node: FunctionPointer, context: Context, work: _Work) -> str | None:
        parts = [self._node(inner, context, work) for inner in node.arguments]
        head = node.head.replace(" managed", "").replace(
            "*managed", "*"
        )  # what a pointer without a word means
        return None if None in parts else f"{head}<{', '.join(map(str, parts))}>"

    def _named(self, node: Named, context: Context, work: _Work, *, outermost: bool) -> str | None:
        arguments = [
            [self._node(inner, context, work) for inner in segment.arguments] for segment in node.segments
        ]
        target = self._path(node, context, arguments)
        if target is None or target.namespace is not None:
            return None
        if target.known is not None:
            work.types.append(target.known)
            if outermost:
                work.head = target.known
        work.types += target.within
        if target.inferred is not None:
            work.inferred.append(target.inferred)
        return None if any(None in each for each in arguments) else target.display

    def _path(self, node: Named, context: Context, arguments: list[list[str | None]]) -> NameTarget | None:
        """A dotted path: its first name by the rules of scope, each further one in what the last means."""
        first, rest = node.segments[0], node.segments[1:]
        target = self._first(node.qualifier, first, context, dotted=bool(rest))
        for at, segment in enumerate((first, *rest)):
            if at:
                target = self._inside(target, segment, context)
            if target is None:
                return None
            if segment.arguments and target.namespace is None:
                target = _with_arguments(target, arguments[at])
        return target

    def _first(
        self, qualifier: str, segment: TypeTextSegment, context: Context, *, dotted: bool
    ) -> NameTarget | None:
        arity = len(segment.arguments)
        if qualifier == "global":
            return self._in_namespace(context, "", segment.name, arity, dotted=dotted)
        if qualifier:
            return self._inside(self._simple(qualifier, 0, context, dotted=True), segment, context)
        return self._simple(segment.name, arity, context, dotted=dotted)

    def _inside(
        self, target: NameTarget | None, segment: TypeTextSegment, context: Context
    ) -> NameTarget | None:
        if target is None:
            return None
        arity = len(segment.arguments)
        if target.namespace is not None:
            return self._in_namespace(context, target.namespace, segment.name, arity, dotted=True)
        if target.known is None:
            return None
        return self._nested(target, segment.name, arity, context.project)

    # Names

    def _simple(self, name: str, arity: int, context: Context, *, dotted: bool) -> NameTarget | None:
        key = (context, name, arity, dotted)
        if key not in self._names:
            self._names[key] = self._looked_up(name, arity, context, dotted=dotted)
        return self._names[key]

    def _looked_up(self, name: str, arity: int, context: Context, *, dotted: bool) -> NameTarget | None:
        if arity == 0 and name in context.own:
            return NameTarget(name)
        for enclosing in context.enclosing:
            if arity == 0 and name in enclosing.declaration.type_parameters:
                return NameTarget(name)
            own = self._own_target(enclosing.index)
            found = self._nested(own, name, arity, context.project)
            if found is not None:
                return found
        doubtful: NameTarget | None = None
        for at, level in enumerate(context.levels):
            found = self._in_namespace(context, level.namespace, name, arity, dotted=dotted)
            for target in (
                found,
                None if self._is_sure(found, context) else self._by_usings(context, at, name, arity),
            ):
                if self._is_sure(target, context):
                    return target
                doubtful = doubtful or target
        return doubtful or self._by_elimination(name, arity, context)

    def _is_sure(self, target: NameTarget | None, context: Context) -> bool:
        """Whether a target exists and no type that the project may lack: any other candidate precedes such a type."""
        return target is not None and not (
            target.known is not None and self._space.is_doubtful(context.project, target.known)
        )

    def _by_elimination(self, name: str, arity: int, context: Context) -> NameTarget | None:
        """Infer the origin of a name. The program compiles, so an undeclared name comes from an unlisted assembly.
        Where only one namespace is possible, of a using directive or around the name, it is the one: no base type is
        unknown, which might contain a nested type of that name, and no other using. Where several are possible, other
        files decide."""
        if arity == 0 and (alias := _aliased(name, context)) is not None:
            return NameTarget(alias) if _FULL_NAME.fullmatch(alias) else None
        foreign = self.foreign(context)
        if not foreign or self._may_inherit(context):
            return None
        described = self._described(name, arity, context)
        if described is not None:
            return described
        if len(foreign) == 1:
            (namespace,) = foreign
            return _deduced(namespace, name, arity) if namespace is not None else None
        fitting = self._deduced.get((context.project, name, arity), frozenset()).intersection(foreign)
        return NameTarget(f"{next(iter(fitting))}.{name}") if len(fitting) == 1 else None

    def _described(self, name: str, arity: int, context: Context) -> NameTarget | None:
        """The type of a package whose members are known, where one namespace alone that is in sight has it."""
        spaces = {level.namespace for level in context.levels}
        spaces |= {u.name for level in context.levels for u in level.usings if not (u.alias or u.static)}
        at = self._space.described
        found = [each for space in spaces if (each := at(context.project, f"{space}.", name, arity))]
        if len(found) != 1:
            return None
        return NameTarget(found[0].fqn.partition("`")[0], found[0])

    def foreign(self, context: Context) -> list[str | None]:
        """The namespaces, around the name or of usings, that are not wholly known; None for any other using that cannot
        be bound."""
        key = (context.project, context.levels)
        known = self._foreign_names.get(key)
        if known is None:
            known = self._foreign_names[key] = self._foreign_of(context)
        return known

    def _foreign_of(self, context: Context) -> list[str | None]:
        if self._space.is_blind(context.project):
            return []
        found: dict[str | None, None] = {}
        for at, level in enumerate(context.levels):
            if level.namespace and self._space.may_come_from_packages(context.project, level.namespace):
                found[level.namespace] = None
            for using in level.usings:
                if using.alias:
                    continue
                target = self._using_target(context, at, using)
                namespace = using.name if target is None else target.namespace
                if using.static:
                    if target is None:
                        found[None] = None
                elif namespace is not None and not self._space.is_whole(context.project, namespace):
                    found[namespace] = None
        return list(found)

    def _may_inherit(self, context: Context) -> bool:
        return any(self._has_unknown_base(each.index, context.project) for each in context.enclosing)

    def _has_unknown_base(self, index: int, project: int, depth: int = 0) -> bool:
        """Whether a type may derive from an unknown class: an unbound name after a known base class is an
        interface."""
        if depth > _MOST_BASES:
            return True
        heads = [base.head for base in self._bases_of(index)]
        if None in heads and not any(head and self._is_class(project, head) for head in heads):
            return True
        own = [head.index for head in heads if head is not None and head.index is not None]
        return any(self._has_unknown_base(at, project, depth + 1) for at in own)

    def _is_class(self, project: int, known: Known) -> bool:
        return self._space.kind_of(project, known.fqn) in (Kind.CLASS, Kind.RECORD)

    def _own_target(self, index: int) -> NameTarget:
        """An enclosing type as named from inside: with its own parameters as arguments."""
        known = Known(self._fqn(index), index)
        return NameTarget(self._display(index), known)

    def _fqn(self, index: int) -> str:
        return self._space.fqn_of(index)

    def _display(self, index: int) -> str:
        fqn = self._fqn(index)
        outer = fqn.rpartition("+")[0]
        around = self._space.enclosing(index)
        head = self._display(around) if around is not None else outer
        name = (fqn.rpartition("+")[2] if outer else fqn).split("`")[0]
        own = self._parameters_of(index)
        return (f"{head}." if head else "") + name + (f"<{', '.join(own)}>" if own else "")

    def _nested(self, outer: NameTarget, name: str, arity: int, project: int) -> NameTarget | None:
        """A nested type: own, else inherited through bases that are bound, nearest first."""
        assert outer.known is not None
        waiting = [outer]
        seen: set[str] = set()
        while waiting and len(seen) < _MOST_BASES:
            current = waiting.pop(0)
            if current.known is None or current.known.fqn in seen:
                continue
            seen.add(current.known.fqn)
            found = self._space.nested(project, current.known, name, arity)
            if found is not None:
                return NameTarget(f"{current.display}.{name}", found)
            waiting += self._base_targets(current.known, project)
        return None

    def _base_targets(self, known: Known, project: int) -> Iterable[NameTarget]:
        if known.index is None:
            return [NameTarget(fqn, Known(fqn)) for fqn in self._space.foreign_bases(project, known.fqn)]
        bound = (base for base in self._bases_of(known.index) if base.head is not None)
        return [NameTarget(base.fqn or "", base.head) for base in bound]

    def _in_namespace(
        self, context: Context, namespace: str, name: str, arity: int, *, dotted: bool
    ) -> NameTarget | None:
        project = context.project
        found = self._space.find(namespace, name, arity, project=project, file=context.file)
        if found is not None:
            return NameTarget(f"{namespace}.{name}" if namespace else name, found)
        inner = f"{namespace}.{name}" if namespace else name
        return NameTarget(namespace=inner) if dotted and self._space.is_namespace(project, inner) else None

    # Usings

    def _by_usings(self, context: Context, at: int, name: str, arity: int) -> NameTarget | None:
        level = context.levels[at]
        for using in level.usings:
            if using.alias == name and arity == 0:
                return self._using_target(context, at, using)
        doubtful: NameTarget | None = None
        for using in level.usings:
            target = None if using.alias else self._using_target(context, at, using)
            if target is None:
                continue
            if using.static:
                found = self._nested(target, name, arity, context.project) if target.known else None
            else:
                found = self._in_namespace(context, target.namespace or "", name, arity, dotted=False)
            if self._is_sure(found, context):
                return found
            doubtful = doubtful or found
        return doubtful

    def _using_target(self, context: Context, at: int, using: Using) -> NameTarget | None:
        """Return the target of a using directive: looked up outside the usings of its own level."""
        levels = (Level(context.levels[at].namespace), *context.levels[at + 1 :])
        node = parse(using.name)
        if node is None or (not isinstance(node, Named) and not using.alias):
            return None
        outer = Context(context.project, (), (), levels, context.file)
        work = _Work()
        if not isinstance(node, Named):
            display = self._node(node, outer, work, outermost=True)
            within = tuple(known for known in work.types if known is not work.head)
            return NameTarget(display, work.head, within) if display is not None else None
        arguments = [
            [self._node(inner, outer, work) for inner in segment.arguments] for segment in node.segments
        ]
        if not using.static and not using.alias:
            # A namespace: its first name must not be taken for a type of the same name.
            return self._namespace(node, outer)
        target = self._path(node, outer, arguments)
        if target is None:
            return self._namespace(node, outer)
        return replace(target, within=tuple(work.types)) if work.types else target

    def _namespace(self, node: Named, context: Context) -> NameTarget | None:
        name = ".".join(segment.name for segment in node.segments)
        for level in context.levels:
            full = f"{level.namespace}.{name}" if level.namespace else name
            if self._space.is_namespace(context.project, full):
                return NameTarget(namespace=full)
        return None


def _aliased(name: str, context: Context) -> str | None:
    """Return the target of an alias, as written outside all namespaces, where only full names are valid; empty for
    one that is declared elsewhere, None where there is no such alias."""
    for level in context.levels:
        for using in level.usings:
            if using.alias == name:
                return "" if level.namespace else using.name.removeprefix("global::")
    return None


def _deduced(namespace: str, name: str, arity: int) -> NameTarget:
    return NameTarget(f"{namespace}.{name}", inferred=(name, arity, namespace))


def _with_arguments(target: NameTarget, arguments: list[str | None]) -> NameTarget:
    shown = ", ".join(argument or "?" for argument in arguments)
    return NameTarget(f"{target.display}<{shown}>", target.known, inferred=target.inferred)
