"""Plan of an extracted method, and its check."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from services.edits.check import meanings
from services.edits.declared import Declared
from services.edits.extract_method import Extracted, Extraction
from services.edits.extract_region import Region, region_of
from services.edits.places import Plan, Problem
from services.errors import UsageError
from services.index.usages.bound_texts import BoundTexts, CompiledText
from services.index.usages.overlay import OverlayText
from services.model import TYPE_KINDS
from services.syntax.records.words import bare, written

if TYPE_CHECKING:
    from services.edits.rename.planner import Rebuilt


class ExtractPlanner:
    """Plans extractions of one version of the catalogue."""

    def __init__(self, texts: BoundTexts, rebuilt: Rebuilt) -> None:
        self._texts = texts
        self._rebuilt = rebuilt
        self._declared = Declared(texts)

    def plan(self, path: str, stretch: tuple[int, int], name: str) -> tuple[Plan, Extracted]:
        """The plan for the statements between two offsets (in UTF-8) of a file. Raises UsageError where there are none,
        EditConflict where they cannot be a method without changing what they do."""
        name = bare(name)
        text, at = self._member(path, stretch)
        node = self._declared.node(text, at)
        if node is None:
            raise UsageError("Statements outside of all members cannot be extracted yet.")
        region = region_of(node, *stretch)
        work = Extraction(self._texts, text, (at, node), region)
        made = work.extracted(written(name))
        plan = Plan(f"Extract {name}", texts={path: text.text}, created=made.declared)
        plan.problems += self._name_taken(text, at, name)
        plan.replacements += work.replacements(made)
        if not plan.problems:
            plan.problems += self._checked(plan, text, (at, region))
        return plan, made

    def _member(self, path: str, stretch: tuple[int, int]) -> tuple[CompiledText, int]:
        files = [file for (_, each), file in self._texts.catalogue.units.items() if each == path]
        for text in filter(None, map(self._texts.text, files)):
            declarations = text.record.declarations
            around = [
                n
                for n, each in enumerate(declarations)
                if each.start <= stretch[0] and stretch[1] <= each.end
            ]
            if around and declarations[around[-1]].kind not in TYPE_KINDS:
                return text, around[-1]
        raise UsageError(f"The stretch of {path} is not inside one member.")

    def _name_taken(self, text: CompiledText, at: int, name: str) -> Iterator[Problem]:
        home = self._declared.home(text, at)
        world = self._texts.world_of(text.entry.project)
        if world.find(world.workspace.itself(home), name).candidates:
            yield Problem(text.path, text.record.declarations[at].start, f"There is a member {name} already.")

    def _checked(self, plan: Plan, text: CompiledText, place: tuple[int, Region]) -> Iterator[Problem]:
        """Names of the statements that would mean something else in the method."""
        at, region = place
        new = plan.changed_texts()[text.path]
        overlay = self._rebuilt({text.path: OverlayText(new, text.path)})
        after = overlay.texts.text(overlay.files[text.file]) if overlay is not None else None
        if after is None:
            return
        if after.record.quality != text.record.quality:
            yield Problem(
                text.path, region.start, "After the edit the file could not be parsed as well as it is now."
            )
        if overlay is None or len(after.record.declarations) != len(text.record.declarations) + 1:
            yield Problem(
                text.path, region.start, "After the edit the file would not declare what it declares now."
            )
            return
        before = meanings(self._texts.facts_of(text, at), text, (region.start, region.end))
        moved = after.record.declarations[at + 1]
        found = meanings(overlay.texts.facts_of(after, at + 1), after, (moved.start, moved.end))
        rest = iter(found)
        for start, word, meant in before:
            if not any((word, meant) == (each[1], each[2]) for each in rest):
                yield Problem(text.path, start, f"{word} would mean something else in the method.")
                return
