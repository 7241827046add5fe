"""New names that nothing in sight has: with one of them a rename changes no meaning, and nothing need be bound again.

Were every use of a name bound, and are all of them replaced by a name that occurs nowhere, then each is found where the
old one was, and no other lookup finds it. What has the old name and means another symbol loses a candidate that was not
chosen (C# specification 12.6.4: the choice does not depend on those that lose)."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from services.edits.declared import Declared
from services.edits.values import Replacement
from services.index.binding.types.world import World
from services.index.external.table import load
from services.index.usages.bound_texts import BoundTexts, CompiledText


class Freshness:
    """Test whether a name is unused for a rename."""

    def __init__(self, texts: BoundTexts, declared: Declared) -> None:
        self._texts = texts
        self._declared = declared

    def is_fresh(
        self, names: Collection[str], edited: Iterable[tuple[CompiledText, list[Replacement]]]
    ) -> bool:
        """Whether none of `names` is a word of any file, nor that of anything of the framework or of packages which the
        edited places could find."""
        if next(self._texts.holding(names), None) is not None:
            return False
        with self._texts.lock:
            if any(next(load().extending(name), None) is not None for name in names):
                return False
            return not any(self._is_in_sight(text, each, names) for text, each in edited)

    def _is_in_sight(self, text: CompiledText, replaced: list[Replacement], names: Collection[str]) -> bool:
        world = self._texts.world_of(text.entry.project)
        around = {self._declared.home(text, at) for at in self._around(text, replaced)} - {-1}
        return any(
            self._has_member(world, index, name) for index in around for name in names
        ) or self._has_type(world, text, names)

    def _around(self, text: CompiledText, replaced: list[Replacement]) -> set[int]:
        """The declarations around places, and around these."""
        found: set[int] = set()
        for each in replaced:
            for at, declaration in enumerate(text.record.declarations):
                if declaration.start <= each.start < declaration.end:
                    found.add(at)
                elif declaration.start > each.start:
                    break
        return found

    def _has_member(self, world: World, index: int, name: str) -> bool:
        """Whether a type has a member or a nested type of a name from a base that the workspace does not declare."""
        own = world.workspace.itself(index)
        if world.find(own, name).candidates:
            return True
        space, project = world.workspace.names.space, self._texts.catalogue.type(index).project
        foreign = (base for base in world.closure(own)[0] if base.index is None)
        return any(space.nested(project, base.known, name, 0) is not None for base in foreign)

    def _has_type(self, world: World, text: CompiledText, names: Collection[str]) -> bool:
        """Whether a namespace that a file uses or declares has a type of a name."""
        every = world.workspace.names
        usings = [using for scope in text.record.scopes for using in scope.usings]
        usings += every.global_usings(text.entry.project)
        spaces = {using.name for using in usings if not using.static and not using.alias}
        for scope in text.record.scopes:
            inner = scope.namespace
            while inner:
                spaces.add(inner)
                inner = inner.rpartition(".")[0]
        project, path = text.entry.project, text.path
        return any(
            every.space.find(container, name, arity, project=project, file=path) is not None
            for container in {*spaces, ""}
            for name in names
            for arity in range(4)
        )
