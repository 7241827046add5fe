"""Plan of a rename: places, what a person decides, the check, and the file that bears the name of a type."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from services.concurrency.gc_pause import paused_collector
from services.edits.check import BY_SHAPE, Check
from services.edits.declared import Declared
from services.edits.places import Plan, Problem, Replacement
from services.edits.rename.collect import Collector, written_out
from services.edits.rename.collisions import Collisions
from services.edits.rename.locate import Located, Locator
from services.edits.rename.targets import LocalTarget, ParameterTarget, TypeTarget
from services.errors import UsageError
from services.index.binding.types.world import World
from services.index.external.table import load
from services.index.symbols.placed import FoundSymbol
from services.index.usages.bound_texts import BoundTexts, CompiledText
from services.index.usages.overlay import Overlay, OverlayText
from services.index.usages.places import declarations_around
from services.syntax.records.words import bare


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


Rebuilt = Callable[[Mapping[str, OverlayText]], Overlay | None]
"""The workspace in memory, with other texts of some files."""


class RenamePlanner:
    """Plans renames of one version of the catalogue."""

    def __init__(self, texts: BoundTexts, rebuilt: Rebuilt) -> None:
        self._texts = texts
        self._rebuilt = rebuilt
        self._declared = Declared(texts)
        self._locator = Locator(texts, self._declared)

    def of(self, found: FoundSymbol, new: str) -> Plan:
        """The plan for a type or a member. Raises UsageError."""
        name = bare(new)
        return self._plan(lambda: self._locator.of(found), name)

    def of_namespace(self, full: str, new: str) -> Plan:
        """The plan for a namespace by its full name. Raises UsageError."""
        return self._plan(lambda: self._locator.namespace(full), bare(new))

    def at(self, path: str, offset: int, new: str) -> Plan:
        """The plan for what is named at an offset (in UTF-8) of a file. Raises UsageError."""
        name = bare(new)
        return self._plan(lambda: self._locator.at(path, offset), name)

    def _plan(self, locate: Callable[[], Located], new: str) -> Plan:
        # Binding makes many objects that stay: the collector would look at all of them a third of the time.
        with paused_collector(for_good=False):
            return self._planned(locate(), new)

    def _planned(self, located: Located, new: str) -> Plan:
        if located.name == new:
            raise UsageError(f"It is called {new} already.")
        plan = Collector(self._texts, self._declared, located, new).plan()
        collisions = Collisions(self._texts, self._declared)
        plan.problems += {each: None for target in located.targets for each in collisions.of(target, new)}
        plan.replacements += list(self._written_out(plan))
        if not plan.problems:
            plan.problems += self._changed_meanings(located, plan, new)
        self._move(located, plan, new)
        return plan

    def _texts_of(self, plan: Plan) -> Iterator[tuple[CompiledText, list[Replacement]]]:
        edited = plan.by_path()
        for text in self._texts.holding(
            {each.decode("utf-8", "replace") for each in self._words(plan)}, within=edited
        ):
            yield text, list(edited[text.path])

    def _words(self, plan: Plan) -> set[bytes]:
        return {
            plan.texts[each.path][each.start : each.end].removeprefix(b"@")
            for each in plan.replacements
            if each.named
        }

    def _written_out(self, plan: Plan) -> Iterator[Replacement]:
        for text, replaced in self._texts_of(plan):
            starts = {each.start + text.text.startswith(b"@", each.start) for each in replaced}
            for at in declarations_around(text.record, starts):
                yield from written_out(text, self._declared, at, starts)

    def _changed_meanings(self, located: Located, plan: Plan, new: str) -> Iterator[Problem]:
        """Yield the names whose meaning would change; nothing is bound again for a name that is not in scope
        anywhere."""
        names = {target.rewritten(word, new) for target in located.targets for word in target.words}
        inside = all(isinstance(each, LocalTarget | ParameterTarget) for each in located.targets)
        by_shape = located.name in BY_SHAPE or new in BY_SHAPE
        if not (inside or by_shape) and Freshness(self._texts, self._declared).is_fresh(
            names, self._texts_of(plan)
        ):
            return
        overlay = self._rebuilt(
            {path: OverlayText(text, path) for path, text in plan.changed_texts().items()}
        )
        if overlay is not None:
            check = Check(self._texts, overlay, plan, (located.name, new), located.scope)
            yield from dict.fromkeys(check.problems(names))

    def _move(self, located: Located, plan: Plan, new: str) -> None:
        """Files that bear the name of the type, alone or before a dot, take the new one."""
        target = located.targets[0]
        if not isinstance(target, TypeTarget) or "+" in self._texts.catalogue.type(target.index).fqn:
            return
        there = {path for _, path in self._texts.catalogue.units}
        for path in sorted(self._declared.paths(target.index)):
            folder, name = posixpath.split(path)
            stem, dot, rest = name.partition(".")
            moved = posixpath.join(folder, f"{new}{dot}{rest}")
            if stem == located.name and path in plan.texts and moved not in there:
                plan.moves[path] = moved
