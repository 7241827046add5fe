"""Packs of a workspace: built, listed, deleted, made active, and shown in the prompt window."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from services.bench.items.pack_items import PackItems, ids_of, text_hash
from services.bench.recorder import Recorder
from services.bench.window.curation import Curation
from services.concurrency.cancellation import current_job, job
from services.errors import CodeCortexError, UsageError, WorkspaceError
from services.index.index import Index
from services.model import Level, Omitted, Pack, PackInfo, PackType
from services.prompt.pack_files import PackBuild, PackFile, PackFiles
from services.prompt.packs import (
    NO_ROOM,
    Built,
    Material,
    PackChoice,
    Recipe,
    build,
    choose,
    content_hash,
    materials,
)
from services.prompt.tokens.tokenizers import TokenCounter
from services.workspace.state import StateFolder

MOST_BUDGET = 10_000_000


class Packs:
    """Packs by name. `counter`: that of the current model; `relate`: computes dependencies; `mask`: masks likely
    secrets in a text; `changed`: called after a pack was built or deleted; `notes`: the note on a type, with one
    section, with two, and so on."""

    def __init__(
        self,
        index: Index,
        state: StateFolder,
        *,
        counter: Callable[[], TokenCounter],
        relate: Callable[[], object],
        mask: Callable[[str], str],
        recorder: Recorder,
        changed: Callable[[], object] = lambda: None,
        notes: Callable[[str], Sequence[str]] = lambda _: (),
    ) -> None:
        self._index = index
        self._files = PackFiles(state)
        self._state = state
        self._counting = counter
        self._relate = relate
        self._mask = mask
        self._recorder = recorder
        self._changed = changed
        self._notes = notes
        self._ids: tuple[object, frozenset[str]] = (None, frozenset())

    @property
    def _counter(self) -> TokenCounter:
        return self._counting()

    def build(
        self,
        name: str,
        *,
        filter: str | None = None,  # noqa: A002
        types: Sequence[str] | None = None,
        budget: int | None = None,
    ) -> Pack:
        """Build a pack, new or again; what is None stays as it was. Nothing is written where nothing has changed.

        `types`: named by hand, beside those of the filter. Raises InvalidFilter, UsageError for a name that is none, a
        budget below 1, and a pack of nothing; WorkspaceError where its file is damaged; ReadOnly, Cancelled."""
        kept = self._files.read(name)
        asked = {
            "filter": filter if filter is None else filter.strip(),
            "types": types if types is None else tuple(types),
            "budget": budget,
        }
        wanted = _changed(kept or PackFile(), asked)
        if kept is None and not wanted.filter.strip() and not wanted.types:
            raise UsageError(f"There is no pack {name} yet. Say what is in it: a filter, as in `type:Json*`.")
        with (
            self._recorder("pack", f"Build the pack {name}", current_job()) as work,
            job(work.report, work.cancel),
        ):
            pack = self._built(name, kept, wanted)
            work.answer({"pack": name, "types": len(pack.types), "tokens": pack.tokens})
            return pack

    def _built(self, name: str, kept: PackFile | None, wanted: PackFile) -> Pack:
        self._relate()
        choice = choose(self._index, filter=wanted.filter, names=wanted.types)
        if not choice.chosen:
            left = "no pack was made." if kept is None else f"the pack {name} stays as it is."
            raise UsageError(f"Nothing matches {wanted.filter or ', '.join(wanted.types)}; {left}")
        made = materials(self._index, choice, budget=wanted.budget, notes=self._notes)
        found = [self._masked(each) for each in made]
        recipe = Recipe(filter=wanted.filter, gone=choice.gone, budget=wanted.budget)
        key = content_hash(found, recipe, tokenizer=self._counter.name)
        built = self._unchanged(name, kept, wanted, key, found)
        if built is not None:
            return self._told(name, wanted, built, choice, at=wanted.built.at, rebuilt=False)
        built = build(name, found, recipe, counter=self._counter)
        gone = self._gone(wanted, found)
        made = PackBuild(
            hash=key,
            text=text_hash(built.text),
            at=time.time_ns() // 1_000_000,
            tokens=built.tokens,
            tokenizer=self._counter.name,
            types=tuple(_row(each) for each in built.types),
        )
        self._files.write(name, msgspec.structs.replace(wanted, built=made), built.text)
        self._changed()
        return self._told(name, wanted, built, choice, at=made.at, rebuilt=True, gone=gone)

    def all(self) -> tuple[PackInfo, ...]:
        """Every pack, by name, as it was last built."""
        active = self._files.active()
        return tuple(self._info(name, name in active) for name in self._files.names())

    def delete(self, name: str) -> None:
        """Delete a pack and its text. Raises UsageError where there is none, ReadOnly."""
        if not self._files.remove(name):
            raise UsageError(self._there_is_none(name))
        self._changed()

    def activate(self, name: str, *, active: bool = True) -> PackInfo:
        """Weigh the types of a pack more in the window's recent part, or no longer. Raises UsageError where there is
        none, ReadOnly."""
        if name not in self._files:
            raise UsageError(self._there_is_none(name))
        self._files.set_active(name, active)
        return self._info(name, active)

    def text(self, name: str) -> str:
        """The text of a pack as it was last built. Raises UsageError where there is none."""
        text = self._files.text(name)
        if text is None:
            raise UsageError(self._there_is_none(name))
        return text

    def stamps(self) -> dict[str, str]:
        """Something for each pack, by name, that differs where the pack does."""
        return {name: self._stamp(name) or "" for name in self._files.names()}

    def active_types(self) -> frozenset[str]:
        """Ids of the types in active packs."""
        names = sorted(self._files.active())
        stamp = tuple((name, self._stamp(name)) for name in names)
        if self._ids[0] != stamp:
            self._ids = (stamp, frozenset(id_ for name in names for id_ in self._types_of(name)))
        return self._ids[1]

    def types_of(self, name: str) -> frozenset[str]:
        """Ids of the types in a pack as it was last built; none where there is no such pack."""
        return frozenset(self._types_of(name))

    def _masked(self, material: Material) -> Material:
        """Without likely secrets: the files of packs are shared."""
        texts = {level: self._mask(text) for level, text in material.texts.items()}
        return replace(material, texts=texts, notes=tuple(map(self._mask, material.notes)))

    # In the window

    def join(self, curation: Curation) -> None:
        """Have the window show packs, and weigh the types of active ones."""
        items = PackItems(
            self._index,
            self._files,
            curation.content,
            counter=self._counting,
            stamp=self._stamp,
            notes=self._notes,
        )
        curation.content.add_kind("pack", version=items.version, renderer=items.render, files=items.files)
        curation.unchecked.favour(self.active_types)

    def _stamp(self, name: str) -> str | None:
        try:
            stamp = self._state.shared.stamp(f"packs/{name}.md")
        except CodeCortexError:
            return None
        return None if stamp is None else f"{stamp[0]}-{stamp[1]}"

    def _types_of(self, name: str) -> list[str]:
        return ids_of(self._files, name)

    def _unchanged(
        self, name: str, kept: PackFile | None, wanted: PackFile, key: str, found: Sequence[Material]
    ) -> Built | None:
        """Return the stored pack, where it equals what would be built."""
        if kept is None or kept.built.hash != key or kept.types != wanted.types:
            return None
        text = self._files.text(name)
        if text is None or text_hash(text) != kept.built.text:
            return None
        by_id = {each.id: each for each in found}
        rows = [row.split(" ", 3) for row in kept.built.types]
        if any(len(row) < 4 or row[0] not in by_id or not row[2].isdigit() for row in rows):
            return None
        types = tuple(_type(by_id[id_], level, int(tokens)) for id_, level, tokens, _ in rows)
        there = {each.id for each in types}
        left_out = tuple(self._left_out(each) for each in found if each.id not in there)
        return Built(text, kept.built.tokens, types, left_out)

    def _left_out(self, each: Material) -> Omitted:
        cost = self._counter.count(f"{each.texts[Level.OUTLINE]}\n") if each.texts else 0
        return Omitted(key=f"type:{each.id}", label=each.fqn, tokens=cost, reason=NO_ROOM)

    def _gone(self, wanted: PackFile, found: Sequence[Material]) -> tuple[str, ...]:
        """Return types of the last build that no longer exist."""
        there = {each.id for each in found}
        rows = (row.split(" ", 3) for row in wanted.built.types)
        return tuple(
            row[-1] for row in rows if row[0] not in there and self._index.identities.find(row[0]) is None
        )

    def _told(
        self,
        name: str,
        pack: PackFile,
        built: Built,
        choice: PackChoice,
        *,
        at: int,
        rebuilt: bool,
        gone: tuple[str, ...] = (),
    ) -> Pack:
        return Pack(
            name=name,
            filter=pack.filter,
            text=built.text,
            tokens=built.tokens,
            budget=pack.budget,
            tokenizer=self._counter.name,
            types=built.types,
            omitted=built.omitted,
            gone=tuple(dict.fromkeys((*choice.gone, *gone))),
            rebuilt=rebuilt,
            built_at=at,
        )

    def _info(self, name: str, active: bool) -> PackInfo:
        try:
            pack = self._files.read(name) or PackFile()
        except WorkspaceError as error:
            return PackInfo(
                name=name, filter="", types=0, tokens=0, budget=0, active=active, problem=error.message
            )
        return PackInfo(
            name=name,
            filter=pack.filter,
            types=len(pack.built.types),
            tokens=pack.built.tokens,
            budget=pack.budget,
            built_at=pack.built.at,
            active=active,
        )

    def _there_is_none(self, name: str) -> str:
        names = ", ".join(self._files.names())
        return (
            f"There is no pack {name}. There are {names}."
            if names
            else f"There is no pack {name}, nor any other."
        )


def _changed(kept: PackFile, asked: Mapping[str, Any]) -> PackFile:
    """Return the pack file with the requested fields replaced; None leaves a field unchanged."""
    budget = asked["budget"]
    if budget is not None and not 1 <= budget <= MOST_BUDGET:
        raise UsageError(f"A pack has a budget from 1 to {MOST_BUDGET} tokens, not {budget}.")
    return msgspec.structs.replace(
        kept, **{name: value for name, value in asked.items() if value is not None}
    )


def _row(each: PackType) -> str:
    """`id level tokens name`."""
    return f"{each.id} {each.level} {each.tokens} {each.name}"


def _type(each: Material, level: str, tokens: int) -> PackType:
    return PackType(
        id=each.id, name=each.fqn, level=Level(level), tokens=tokens, chosen=each.chosen, circle=each.circle
    )
