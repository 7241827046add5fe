"""Packs as items of the window: as they were built, or, where their types have changed since, as they would be."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from zlib import crc32

from services.bench.items.window_items import WindowItems
from services.errors import CodeCortexError
from services.index.index import Index
from services.model import ItemState, Level
from services.prompt.packs.build import Built, Recipe, build, content_hash, materials
from services.prompt.packs.choice import PackChoice, choose
from services.prompt.packs.files import PackFile, PackFiles
from services.prompt.state.items import ItemKey, Order, Rendered, Request
from services.prompt.tokens.tokenizers import TokenCounter

_CHANGED = "Types of the pack have changed since it was built; this is what they say now."


class PackItems:
    """Over the packs of a workspace. The files of a pack are left as they are: to build it again is a person's act.

    `counter`: that of the model of now; `stamp`: something that differs where a pack's file does, None where it is
    gone; `notes`: what is written on a type, as the pack is built with it."""

    def __init__(
        self,
        index: Index,
        files: PackFiles,
        content: WindowItems,
        *,
        counter: Callable[[], TokenCounter],
        stamp: Callable[[str], str | None],
        notes: Callable[[str], Sequence[str]] = lambda _: (),
    ) -> None:
        self._index = index
        self._files = files
        self._content = content
        self._counter = counter
        self._stamp = stamp
        self._notes = notes
        self._ids: dict[str, tuple[tuple[object, ...], list[str], tuple[str, ...]]] = {}

    def version(self, request: Request) -> str | None:
        """Differs where the pack's file does, one of its types, or which types it would be built of."""
        stamp = self._stamp(request.key.target)
        if stamp is None:
            return None
        types, choice = self._types(request, stamp)
        versions = self._content.item_versions([_item(id_) for id_ in types])
        return f"{stamp}~{crc32(repr((versions, choice)).encode()):x}"

    def files(self, request: Request) -> tuple[str, ...]:
        """The files that declare its types."""
        stamp = self._stamp(request.key.target)
        ids = self._types(request, stamp)[0] if stamp is not None else []
        return tuple(dict.fromkeys(file for id_ in ids for file in self._content.files_of_symbol(id_)))

    def render(self, request: Request, version: str) -> Rendered | None:
        """Its text, or the names of its types."""
        name = request.key.target
        text = self._files.text(name)
        if text is None:
            return None
        names = [row.split(" ", 3)[-1] for row in rows_of(self._files, name)]
        state, detail = ItemState.FRESH, ""
        if (built := self._built_again(name, text)) is not None:
            text, names = built.text, [each.name for each in built.types]
            state, detail = ItemState.BODY_CHANGED, _CHANGED
        if request.level is Level.SIGNATURE:
            text = f"Pack {name}: {', '.join(names)}\n"
        return Rendered(
            label=f"pack {name}",
            text=text,
            version=version,
            detail=f"packs/{name}.md",
            order=Order.USER,
            state=state,
            state_detail=detail,
        )

    def _built_again(self, name: str, text: str) -> Built | None:
        """Return the pack as it would be built; None where that equals the stored one, or cannot be built."""
        chosen = self._chosen(name)
        if chosen is None:
            return None
        pack, choice = chosen
        found = materials(self._index, choice, budget=pack.budget, notes=self._notes)
        recipe = Recipe(filter=pack.filter, gone=choice.gone, budget=pack.budget)
        if _is_as_built(pack, text, content_hash(found, recipe, tokenizer=pack.built.tokenizer)):
            return None
        return build(name, found, recipe, counter=self._counter())

    def _types(self, request: Request, stamp: str) -> tuple[list[str], tuple[str, ...]]:
        """Return the ids of the pack's types and a stamp of its inputs, recomputed when its file or the index
        changes."""
        name, index = request.key.target, self._index
        moment = (stamp, index.catalogue, index.related_at)
        known = self._ids.get(name)
        if known is None or known[0] != moment:
            choice = self._choice(name)
            types = list(dict.fromkeys((*ids_of(self._files, name), *choice)))
            known = self._ids[name] = (moment, types, choice)
        return known[1:]

    def _choice(self, name: str) -> tuple[str, ...]:
        """The ids of the types that the pack would be built of, and the names of those that are gone; none where it
        cannot be built."""
        chosen = self._chosen(name)
        if chosen is None:
            return ()
        choice, type_id = chosen[1], self._index.identities.type_id
        return (*(type_id(at) for at in (*choice.chosen, *choice.added)), *choice.gone)

    def _chosen(self, name: str) -> tuple[PackFile, PackChoice] | None:
        """A pack's file, and what it chooses; None where there is none, or it cannot be read or chosen by."""
        try:
            pack = self._files.read(name)
            return None if pack is None else (pack, choose(self._index, filter=pack.filter, names=pack.types))
        except CodeCortexError:
            return None


def rows_of(files: PackFiles, name: str) -> tuple[str, ...]:
    """`id level tokens name` of each type that a pack was built of; none where that cannot be read."""
    try:
        pack = files.read(name)
    except CodeCortexError:
        return ()
    return pack.built.types if pack is not None else ()


def ids_of(files: PackFiles, name: str) -> list[str]:
    """The ids of the types that a pack was built of."""
    return [row.partition(" ")[0] for row in rows_of(files, name)]


def text_hash(text: str) -> str:
    """Return the hash of a pack's text as its file records it."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _is_as_built(pack: PackFile, text: str, key: str) -> bool:
    return pack.built.hash == key and pack.built.text == text_hash(text)


def _item(id_: str) -> Request:
    return Request(key=ItemKey.of_symbol(id_), level=Level.OUTLINE)
