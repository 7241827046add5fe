"""Items of the window with all types of a folder, a project or a namespace: `folder:src/X`, `project:P`,
`namespace:A.B`."""

from __future__ import annotations

from collections.abc import Iterator
from zlib import crc32

from services.bench.items.window_items import WindowItems
from services.errors import UsageError
from services.index.catalog.catalogue import Catalogue
from services.index.compiled import projects_of
from services.index.index import Index
from services.model import Level
from services.prompt.outline.csharp_outline import OutlineStyle, declaration_of, type_declared
from services.prompt.outline.outline import place_of
from services.prompt.outline.outline_members import OutlineAccess
from services.prompt.state.items import SCOPES, ItemKey, Order, Rendered, Request

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
