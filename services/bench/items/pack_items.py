"""Items of the window that hold many types: a pack, or all types of a folder, a project or a namespace."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from zlib import crc32

from services.bench.items.window_items import WindowItems
from services.errors import CodeCortexError, UsageError
from services.index.catalog.catalogue import Catalogue
from services.index.compiled import projects_of
from services.index.index import Index
from services.model import ItemState, Level
from services.prompt.items import SCOPES, ItemKey, Order, Rendered, Request
from services.prompt.outline.csharp_outline import OutlineStyle, declaration_of, type_declared
from services.prompt.outline.outline import place_of
from services.prompt.outline.outline_members import OutlineAccess
from services.prompt.pack_files import PackFile, PackFiles
from services.prompt.packs import Built, PackChoice, Recipe, build, choose, content_hash, materials
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


MOST_TYPES = 2_000


class ScopeItems:
    """Over the types of an index, those of a file next to each other. Nested types are part of those around them."""

    def __init__(self, index: Index, content: WindowItems) -> None:
        self._index = index
        self._content = content
        self._known: dict[ItemKey, tuple[object, list[str]]] = {}
        for kind in SCOPES:
            content.add_kind(kind, version=self.version, renderer=self.render, files=self.files)

    def types_of(self, key: ItemKey) -> list[str]:
        """The ids of its types, by file and line."""
        catalogue = self._index.catalogue
        known = self._known.get(key)
        if known is None or known[0] is not catalogue:
            ids = [self._index.identities.type_id(at) for at in dict.fromkeys(self._types(key))]
            known = self._known[key] = (catalogue, list(dict.fromkeys(ids)))
        return known[1]

    def require(self, key: ItemKey) -> None:
        """Raise UsageError where it has no types, or more than can be shown as one item."""
        count = len(self.types_of(key))
        if not count:
            raise UsageError(f"There are no types in the {key.kind} {key.target}.", key=str(key))
        if count > MOST_TYPES:
            raise UsageError(
                f"The {key.kind} {key.target} has {count} types; {MOST_TYPES} is the most for one item.",
                key=str(key),
            )

    def around(self, at: int, file: str) -> Iterator[tuple[ItemKey, int]]:
        """Yield the namespaces, folder and projects of a type, by its index, in a file, the innermost
        first, each with its number of types."""
        catalogue = self._index.catalogue
        namespace = _namespace(catalogue, at)
        while namespace:
            yield self._counted("namespace", namespace)
            namespace = namespace.rpartition(".")[0]
        yield self._counted("folder", file.rpartition("/")[0] or ".")
        for project in sorted(projects_of(catalogue, at)):
            yield self._counted("project", project)

    def _counted(self, kind: str, target: str) -> tuple[ItemKey, int]:
        key = ItemKey(kind, target)
        return key, len(self.types_of(key))

    def version(self, request: Request) -> str | None:
        """Differs where one of its types does, or which these are."""
        ids = self.types_of(request.key)
        requests = [Request(key=ItemKey.of_symbol(id_), level=request.level) for id_ in ids]
        return f"{crc32(repr(self._content.item_versions(requests)).encode()):x}" if ids else None

    def files(self, request: Request) -> tuple[str, ...]:
        """The files that declare its types."""
        found = (file for id_ in self.types_of(request.key) for file in self._content.files_of_symbol(id_))
        return tuple(dict.fromkeys(found))

    def render(self, request: Request, version: str) -> Rendered | None:
        """Its types at a level, one below the other."""
        key = request.key
        text = "\n".join(self._texts(key, request.level))
        if not text:
            return None
        return Rendered(
            label=f"{key.kind} {key.target}",
            text=text,
            version=version,
            detail=key.target,
            language="cs",
            order=Order.USER,
        )

    def _texts(self, key: ItemKey, level: Level) -> Iterator[str]:
        access = OutlineAccess.ALL if level is Level.DECLARATIONS else OutlineAccess.PUBLIC
        for id_ in self.types_of(key):
            at = self._index.index_of(id_)
            detail = None if at is None else self._index.detail(at, bound=False)
            if detail is None:
                continue
            if level is Level.SIGNATURE:
                yield f"{declaration_of(detail.symbol)}; // {place_of(detail.symbol)}"
            else:
                yield type_declared(detail, OutlineStyle(access=access))

    def _types(self, key: ItemKey) -> Iterator[int]:
        is_folder = key.kind == "folder"
        for path in sorted(self._index.paths()):
            if is_folder and key.target != "." and not path.startswith(f"{key.target}/"):
                continue
            for at in self._index.files.types_in(path):
                if is_folder or self._is_in(key, at):
                    yield at

    def _is_in(self, key: ItemKey, at: int) -> bool:
        if key.kind == "project":
            return key.target in projects_of(self._index.catalogue, at)
        return f"{_namespace(self._index.catalogue, at)}.".startswith(f"{key.target}.")


def _namespace(catalogue: Catalogue, at: int) -> str:
    return catalogue.type(at).fqn.partition("+")[0].rpartition(".")[0]
