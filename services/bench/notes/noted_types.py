"""Types as notes see them: hashes, circles of dependencies, source with likely secrets masked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from services.errors import CodeCortexError, SymbolNotFound
from services.index.index import Index
from services.model import TypeDetail
from services.prompt.secrets.masking import Masker
from services.semantic.generation import Weight
from services.semantic.staleness import TypeFacts
from services.source.read.objects import tests_of
from services.source.read.reader import Reader


class NotedTypes:
    """The types of one workspace, as `services.semantic.notes.Types` has them."""

    def __init__(
        self, index: Index, reader: Reader, *, relate: Callable[[], object], masker: Callable[[], Masker]
    ) -> None:
        """`relate`: works out which types name which, where that is not known yet."""
        self._index = index
        self._reader = reader
        self._relate = relate
        self._masker = masker

    def facts(self, type_id: str) -> TypeFacts | None:
        """A type as it is now; None where it is gone."""
        at = self._index.identities.find(type_id)
        detail = None if at is None else self._index.detail(at, bound=False)
        if at is None or detail is None:
            return None
        self._relate()
        graph, id_of = self._index.graph(), self._index.identities.type_id
        group = sorted(id_of(each) for each in graph.group_of(at))
        return TypeFacts(
            type_id=type_id,
            fqn=detail.symbol.fqn,
            structure_hash=detail.hashes["structure"],
            impl_hash=detail.hashes["impl"],
            xml_doc_hash=detail.hashes["doc"],
            dependencies=tuple(sorted(id_of(each) for each, _ in graph.depends_on(at) if each != at)),
            group=tuple(group) or (type_id,),
        )

    def current(self, type_id: str) -> str | None:
        """The id that a type has now which once had this one."""
        at = self._index.index_of(type_id)
        return None if at is None else self._index.identities.type_id(at)

    def detail(self, type_id: str) -> TypeDetail:
        """A type with its members and who names it. Raises SymbolNotFound."""
        self._relate()
        at = self._index.identities.find(type_id)
        detail = None if at is None else self._index.detail(at)
        if detail is None:
            raise SymbolNotFound(f"There is no type {type_id} any more.", suggestions=[])
        return detail

    def source(self, type_id: str) -> str:
        """The source of a type's declarations, likely secrets masked; without what cannot be read any more."""
        texts: list[str] = []
        for part in self.detail(type_id).parts:
            with suppress(CodeCortexError):
                lines = self._reader.read(part.file, start=part.start_line, end=part.end_line)
                texts.append(lines.content.rstrip("\n"))
        return self._masker().text("\n\n".join(texts))

    def tests(self, type_id: str) -> Sequence[str]:
        """The full names of types that test it."""
        at = self._index.identities.find(type_id)
        whole = None if at is None else self._index.describer.whole(at)
        return (
            [] if whole is None else [each.entry.fqn for each in tests_of(self._index, whole, self._reader)]
        )

    def weigh(self, type_id: str) -> Weight:
        """How much depends on a type."""
        self._relate()
        at = self._index.identities.find(type_id)
        graph = self._index.graph()
        return (
            Weight(0, 0) if at is None else Weight(graph.references().get(at, 0), graph.depths().get(at, 0))
        )
