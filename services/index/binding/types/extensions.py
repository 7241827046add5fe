"""Extension members by name, level by level as a place sees them."""

from __future__ import annotations

from collections.abc import Iterator

from services.index.binding.types.symbol import Member, Symbol
from services.index.binding.types.types import AnyType, Type
from services.index.binding.types.world import World
from services.index.compiled import home_of
from services.index.names.space import Context, Level
from services.model import Kind


class Extensions:
    """Extension members that a project sees."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._catalogue = world.workspace.catalogue
        self._numbers: dict[str, int] | None = None
        self._own: dict[str, list[tuple[str, Symbol]]] = {}
        self._levels: dict[Context, list[tuple[frozenset[str], tuple[Type, ...]]]] = {}
        self._seen: dict[tuple[Context, str], list[list[Symbol]]] = {}

    def groups(self, name: str, context: Context) -> list[list[Symbol]]:
        """Return the extension methods of a name: those of the nearest namespace first, together with those of its
        usings."""
        key = (context, name)
        known = self._seen.get(key)
        if known is None:
            known = self._seen[key] = list(self._groups(name, context))
        return known

    def _groups(self, name: str, context: Context) -> Iterator[list[Symbol]]:
        own = [each for each in self._named(name) if self._is_accessible(each[1], context)]
        sources = {space for space, _ in own}
        listed = [each for each in self._world.assemblies.extensions(name) if each[0] not in sources]
        every = [*own, *listed]
        if not every:
            return
        told: set[int] = set()
        for spaces, statics in self._of(context):
            found = [
                symbol
                for space, symbol in every
                if id(symbol) not in told and (space in spaces or _is_of(symbol, statics))
            ]
            told.update(map(id, found))
            if found:
                yield found

    def _is_accessible(self, symbol: Symbol, context: Context) -> bool:
        workspace, owner = self._world.workspace, symbol.owner.index
        may_name = owner is None or workspace.names.space.may_use_type(context, owner)
        return may_name and workspace.may_use(symbol, context)

    def _of(self, context: Context) -> list[tuple[frozenset[str], tuple[Type, ...]]]:
        """Return the levels of lookup: namespaces searched together, and types named by static usings."""
        known = self._levels.get(context)
        if known is None:
            known = self._levels[context] = []
            around = [level.namespace for level in context.levels]
            for at, level in enumerate(context.levels):
                known.append((frozenset({level.namespace}), ()))
                spaces, statics = self._named_by(level, around[at:], context)
                known.append((spaces, statics))
        return known

    def _named_by(
        self, level: Level, around: list[str], context: Context
    ) -> tuple[frozenset[str], tuple[Type, ...]]:
        spaces: set[str] = set()
        statics: list[Type] = []
        for using in level.usings:
            if using.alias:
                continue
            if using.static:
                read: AnyType | None = self._world.reader.read(using.name, context)
                statics += [read] if isinstance(read, Type) else []
                continue
            name = using.name.removeprefix("global::")
            spaces.add(name)
            spaces.update(f"{outer}.{name}" for outer in around if outer)
        return frozenset(spaces), tuple(statics)

    def _named(self, name: str) -> list[tuple[str, Symbol]]:
        known = self._own.get(name)
        if known is None:
            known = self._own[name] = list(self._find(name))
        return known

    def _find(self, name: str) -> Iterator[tuple[str, Symbol]]:
        if self._numbers is None:
            self._numbers = {text: at for at, text in enumerate(self._catalogue.names.values)}
        number = self._numbers.get(name)
        if number is None:
            return
        import numpy as np

        columns = self._catalogue.columns
        names = np.frombuffer(columns.name, np.int32)[: len(columns.dead)]
        homes: set[int] = set()
        for row in np.flatnonzero(names == number).tolist():
            if columns.dead[row]:
                continue
            record = self._world.workspace.records.record(columns.file[row])
            declaration = record.every[columns.declaration[row]] if record is not None else None
            if declaration is None or declaration.kind not in (Kind.METHOD, Kind.EXTENSION_MEMBER):
                continue
            member = Member(0, columns.file[row], columns.declaration[row], declaration)
            if member.is_extension or declaration.receiver is not None:
                homes.add(home_of(self._catalogue, columns.owner[row]))
        for home in sorted(homes):
            space = self._catalogue.types[home].fqn.partition("+")[0].rpartition(".")[0]
            for symbol in self._world.workspace.symbols(home).get(name, ()):
                if symbol.is_extension or (symbol.member and symbol.member.declaration.receiver is not None):
                    yield space, symbol


def _is_of(symbol: Symbol, types: tuple[Type, ...]) -> bool:
    return any(symbol.owner.fqn == each.fqn for each in types)
