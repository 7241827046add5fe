"""Check of an edit in memory: it compares the meaning of every affected name before and after."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping
from itertools import accumulate

import msgspec

from services.edits.places import Plan, Problem, Replacement
from services.index.binding.facts import Fact, Facts
from services.index.binding.types.symbol import Member, Symbol
from services.index.compiled import home_of
from services.index.usages.bound_texts import WORD, BoundTexts, CompiledText
from services.index.usages.overlay import Overlay
from services.model import Kind

BY_SHAPE = {
    "GetEnumerator": "foreach", "GetAsyncEnumerator": "foreach", "MoveNext": "foreach", "MoveNextAsync": "foreach",
    "Current": "foreach", "GetAwaiter": "await", "GetResult": "await", "IsCompleted": "await", "Dispose": "using",
    "DisposeAsync": "using", "Select": "from", "SelectMany": "from", "Where": "from", "GroupBy": "from",
    "OrderBy": "from", "OrderByDescending": "from", "ThenBy": "from", "ThenByDescending": "from", "Join": "from",
    "GroupJoin": "from", "Cast": "from", "Add": "new", "Deconstruct": "",
}  # fmt: skip
"""By the name of a member, the word where the language finds it without that name."""


class Meaning(msgspec.Struct, frozen=True):
    """Meaning of a name, comparable before and after an edit. `certain`: whether it has no other meaning."""

    what: tuple[object, ...]
    certain: bool = True


class Shift:
    """Offsets of a text after its replacements."""

    def __init__(self, replacements: Collection[Replacement]) -> None:
        ordered = sorted(replacements)
        self._ends = [each.end for each in ordered]
        self._starts = [each.start for each in ordered]
        self._grown = [
            0, *accumulate(len(each.text.encode()) - (each.end - each.start) for each in ordered)
        ]  # fmt: skip
        self._ordered = ordered

    def after(self, offset: int) -> int:
        """Return the offset after the edit; one inside a replaced name becomes the start of the new name."""
        at = bisect_right(self._starts, offset)
        if at and offset < self._ends[at - 1]:
            inside = self._ordered[at - 1]
            new = inside.start + self._grown[at - 1]
            return new + inside.text.startswith("@") if inside.named else new + (offset - inside.start)
        return offset + self._grown[at]


class Check:
    """Compares one workspace before and after a plan that declares what was declared before, in the same order."""

    def __init__(
        self,
        texts: BoundTexts,
        overlay: Overlay,
        plan: Plan,
        renamed: tuple[str, str],
        scope: Collection[str] | None = None,
    ) -> None:
        """`renamed`: the old name and the new one; `scope`: the files in which the new name can count, None for all."""
        self._before, self._after = texts, overlay.texts
        self._files = overlay.files
        self._plan = plan
        self._old, self._new = renamed
        self._scope = scope
        self._edited = plan.by_path()
        self._shifts = {path: Shift(each) for path, each in self._edited.items()}
        self._types: dict[int, int] = {}

    def problems(self, words: Collection[str]) -> Iterator[Problem]:
        """Names that would mean something else. `words`: the new names. Who has an old name and means another symbol by
        it is not affected: a candidate that was not chosen is gone."""
        looked_for = frozenset({*words, *(BY_SHAPE[word] for word in {*words, self._old} & BY_SHAPE.keys())})
        for text in self._before.holding({*looked_for, self._old}):
            if self._scope is None or text.path in self._scope or text.path in self._edited:
                yield from self._of_text(text, looked_for)

    def _of_text(self, text: CompiledText, words: Collection[str]) -> Iterator[Problem]:
        replaced = [each.start + each.text.startswith("@") for each in self._edited.get(text.path, ())]
        offsets = [*replaced, *self._before.occurrences(text, words)]
        if not offsets:
            return
        after = self._after.text(self._files.get(text.file, text.file))
        if after is None or len(after.record.declarations) != len(text.record.declarations):
            yield Problem(text.path, 0, "After the edit the file would not declare what it declares now.")
            return
        worse = after.record.quality != text.record.quality
        if worse and text.path in self._shifts:
            yield Problem(text.path, 0, "After the edit the file could not be parsed as well as it is now.")
        facts = self._before.facts(text, offsets)
        shift = self._shifts.get(text.path) or Shift(())
        for at, found in facts.items():
            old = dict(self._meanings(text, found, shift))
            new = dict(self._meanings_after(after, at))
            yield from self._compared(text, old, new)

    def _compared(
        self,
        text: CompiledText,
        old: Mapping[tuple[int, object], tuple[int, Meaning]],
        new: Mapping[tuple[int, object], tuple[int, Meaning]],
    ) -> Iterator[Problem]:
        there = {key[0]: meant for key, (_, meant) in new.items() if not _is_silent(key)}
        for key, (start, meant) in old.items():
            found = new.get(key)
            if found is None:
                instead = there.get(key[0]) if not _is_silent(key) else None
                if instead is not None and meant.certain and not self._is_in_group(key):
                    yield Problem(text.path, start, self._sentence(_at(text, start), instead))
                elif meant.certain and not self._is_in_group(key):
                    yield Problem(text.path, start, f"{_at(text, start)} would mean nothing that is known.")
            elif meant.certain and (found[1].what != meant.what or not found[1].certain):
                yield Problem(text.path, start, self._sentence(_at(text, start), found[1]))
        for key, (_, meant) in new.items():
            if key not in old and meant.certain and meant.what[0] in ("type", "member"):
                yield Problem(text.path, 0, f"A name would mean {self._told(meant)} that does not now.")

    def _is_in_group(self, key: tuple[int, object]) -> bool:
        """Whether it is one of several members that `nameof` names: the others still have the name."""
        return isinstance(key[1], tuple) and key[1][-1] is not None

    def _sentence(self, name: str, found: Meaning) -> str:
        if not found.certain:
            return f"{name} would no longer be certain to mean what it means now."
        return f"{name} would mean {self._told(found)} instead."

    def _told(self, meaning: Meaning) -> str:
        kind, *rest = meaning.what
        if kind == "member" and len(rest) > 1:
            return f"another member, of {rest[1]}"
        words = {
            "type": "another type",
            "local": "another local or parameter",
            "loose": "something that is not known",
            "foreign": "something that this workspace does not declare",
            "parameter": "a type parameter",
            "namespace": "a namespace",
        }
        return words.get(str(kind), "something else")

    # Before

    def _meanings(
        self, text: CompiledText, facts: Facts, shift: Shift
    ) -> Iterator[tuple[tuple[int, object], tuple[int, Meaning]]]:
        for fact in facts.facts:
            key = (shift.after(fact.start), _sort(fact))
            yield key, (fact.start, Meaning(self._target(fact.target), fact.sure))
        for use in facts.locals:
            key = (shift.after(use.start), "local")
            own = use.at >= 0 and text.text.startswith(text.text[use.start : use.end], use.at)
            place: object = shift.after(use.at) if own else self._new_word(text.word(use.start, use.end))
            yield key, (use.start, Meaning(("local", place)))
        yield from self._others(facts, shift)

    def _others(self, facts: Facts, shift: Shift) -> Iterator[tuple[tuple[int, object], tuple[int, Meaning]]]:
        for start, kind in facts.others.items():
            yield (shift.after(start), "other"), (start, Meaning((kind,)))
        for loose in facts.loose:
            yield (shift.after(loose.start), "loose"), (loose.start, Meaning(("loose",), certain=False))
        for label in facts.labels:
            what = self._target(label.symbol) if label.symbol is not None else ("loose",)
            yield (shift.after(label.start), "label"), (label.start, Meaning(what, label.symbol is not None))

    def _new_word(self, word: str) -> str:
        return self._new if word == self._old else word

    def _target(self, target: Symbol | int) -> tuple[object, ...]:
        if not isinstance(target, Symbol):
            return "type", self._type(target)
        member = target.member
        if member is None:
            return ("foreign",)
        catalogue = self._before.catalogue
        implicit = (member.file, member.at) in catalogue.type(member.index).parts
        file = self._files.get(member.file, member.file)
        return self._key(
            self._type(member.index), catalogue.type(member.index).name, (file, member, implicit)
        )

    def _type(self, index: int) -> int:
        """The type that takes the place of one."""
        if index not in self._types:
            self._types[index] = index
            for file, at in self._before.catalogue.type(index).parts:
                if file in self._files:
                    new = self._files[file]
                    row = self._after.catalogue.file(new).rows[0] + at
                    owner = self._after.catalogue.columns.owner[row]
                    self._types[index] = home_of(self._after.catalogue, owner)
                    break
        return self._types[index]

    def _key(self, index: int, owner: str, place: tuple[int, Member, bool]) -> tuple[object, ...]:
        file, member, implicit = place
        declaration = member.declaration
        if not implicit:
            return "member", index, owner and self._new_word(owner), file, member.at
        kind: object = declaration.kind
        name = self._new_word(declaration.name) if declaration.kind is not Kind.CONSTRUCTOR else ""
        return "member", index, self._new_word(owner), kind, name, len(declaration.parameters or ())

    # After

    def _meanings_after(
        self, text: CompiledText, at: int
    ) -> Iterator[tuple[tuple[int, object], tuple[int, Meaning]]]:
        facts = self._after.facts_of(text, at)
        for fact in facts.facts:
            key = (fact.start, _sort(fact))
            yield key, (fact.start, Meaning(self._target_after(fact.target), fact.sure))
        for use in facts.locals:
            own = use.at >= 0 and text.text.startswith(text.text[use.start : use.end], use.at)
            place: object = use.at if own else text.word(use.start, use.end)
            yield (use.start, "local"), (use.start, Meaning(("local", place)))
        for start, kind in facts.others.items():
            yield (start, "other"), (start, Meaning((kind,)))
        for loose in facts.loose:
            yield (loose.start, "loose"), (loose.start, Meaning(("loose",), certain=False))
        for label in facts.labels:
            what = self._target_after(label.symbol) if label.symbol is not None else ("loose",)
            yield (label.start, "label"), (label.start, Meaning(what, label.symbol is not None))

    def _target_after(self, target: Symbol | int) -> tuple[object, ...]:
        if not isinstance(target, Symbol):
            return "type", target
        member = target.member
        if member is None:
            return ("foreign",)
        entry = self._after.catalogue.type(member.index)
        implicit = (member.file, member.at) in entry.parts
        return self._key(member.index, entry.name, (member.file, member, implicit))


def _sort(fact: Fact) -> object:
    """Return a key that distinguishes facts of one place: a type and its constructor, and the members of a group in
    `nameof`."""
    group = fact.target.member if fact.kind == "nameof" and isinstance(fact.target, Symbol) else None
    place = (group.at, len(group.parameters)) if group is not None else None
    return fact.silent, isinstance(fact.target, Symbol), fact.kind if fact.silent else "", place


def _is_silent(key: tuple[int, object]) -> bool:
    """Whether the key is for a use without a name."""
    return isinstance(key[1], tuple) and key[1][0] is True


def _at(text: CompiledText, start: int) -> str:
    found = WORD.match(text.text, start)
    return found[0].decode("utf-8", "replace") if found is not None else "What stands there"


def meanings(facts: Facts, text: CompiledText, span: tuple[int, int]) -> list[tuple[int, str, str]]:
    """(offset, name, what it means) of the members and types that a stretch names, in order."""
    found: list[tuple[int, str, str]] = []
    for fact in facts.facts:
        if not (span[0] <= fact.start < span[1]) or fact.silent or fact.kind == "cref":
            continue
        if isinstance(fact.target, int):
            meant = str(fact.target)
        else:
            member = fact.target.member
            parameters = (
                [each.type for each in member.declaration.parameters or ()] if member is not None else []
            )
            meant = f"{fact.target.owner.fqn}.{fact.target.name}({', '.join(parameters)})"
        found.append((fact.start, text.word(fact.start, fact.end), meant))
    return sorted(set(found))
