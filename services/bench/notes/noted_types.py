"""Types as notes see them: hashes, circles of dependencies, source with likely secrets masked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from services.errors import CodeCortexError, SymbolNotFound
from services.index.graph.components import components
from services.index.index import Index
from services.model import TypeDetail
from services.prompt.secrets.masking import Masker
from services.semantic.generation import Planned, Weight
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

    def mask(self, text: str) -> str:
        """A text without likely secrets."""
        return self._masker().text(text)

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

    def plan(self, type_ids: Sequence[str]) -> list[Planned]:
        """The notes of types, those that depend on each other in a circle sharing one, with how much depends on them.
        Raises SymbolNotFound."""
        self._relate()
        graph, identities = self._index.graph(), self._index.identities
        references, depths, forward = graph.references(), graph.depths(), graph.forward()
        circles = {at: group for group in components(forward) if len(group) > 1 for at in group}
        planned: dict[tuple[str, ...], Planned] = {}
        for type_id in type_ids:
            at = identities.find(type_id)
            if at is None:
                raise SymbolNotFound(f"There is no type {type_id} any more.", suggestions=[])
            members = circles.get(at, [at])
            group = tuple(sorted(map(identities.type_id, members)))
            if group not in planned:
                weights = (Weight(references.get(each, 0), depths.get(each, 0)) for each in members)
                priority = max(weight.priority for weight in weights)
                planned[group] = Planned(group, self._called(members), priority)
        return list(planned.values())

    def _called(self, members: Sequence[int]) -> str:
        names = sorted(self._index.catalogue.types[at].fqn for at in members)
        return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
