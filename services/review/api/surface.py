"""What of a project others see, each symbol with its documentation id and the facts that a change can break."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from services.index.catalog.access import widest
from services.index.catalog.catalogue import Catalogue
from services.index.catalog.file_rows import ACCESSES
from services.index.index import Index
from services.index.names.names import Names
from services.index.symbols.placed import Whole
from services.review.api.members import MemberWriter
from services.review.api.symbol import VISIBLE, ApiSymbol
from services.review.api.type_view import TypeView


class Surface:
    """Reads the public API of projects out of an index. The names of the index have to be worked out (`relate`)."""

    def __init__(self, index: Index) -> None:
        names = index.describer.names()
        if names is None:
            raise LookupError("no projects are known, so no name can be bound")
        self._index = index
        self._names: Names = names
        self._catalogue: Catalogue = index.catalogue

    def of(self, projects: Iterable[str]) -> Iterator[ApiSymbol]:
        """Everything that others see of the projects of these names."""
        wanted = frozenset(projects)
        for at, entry in self._catalogue.live_types():
            # What several projects compile may be public in one of them alone.
            if self._catalogue.projects[entry.project] in wanted and self._declared(at) in VISIBLE:
                whole = self._index.describer.whole(at)
                if whole is not None:
                    yield from self.of_type(whole)

    def _declared(self, at: int) -> str:
        """How a type is declared in its own project."""
        columns = self._catalogue.columns
        rows = [self._catalogue.file(file).rows[0] + row for file, row in self._catalogue.type(at).parts]
        return widest([ACCESSES[columns.access[row]] for row in rows])

    def of_type(self, whole: Whole) -> Iterator[ApiSymbol]:
        """A type and its members, as far as others see them."""
        if whole.access in VISIBLE and self._around(whole):
            yield from MemberWriter(TypeView(self._index, self._names, whole)).symbols()

    def _around(self, whole: Whole) -> bool:
        """Whether the types around a type are seen."""
        fqn = whole.entry.fqn
        while "+" in fqn:
            fqn = fqn.rpartition("+")[0]
            outer = self._catalogue.type_at.get((whole.entry.project, fqn))
            found = self._index.describer.whole(outer) if outer is not None else None
            if found is None or found.access not in VISIBLE:
                return False
        return True


def surface(index: Index, projects: Iterable[str]) -> Mapping[str, ApiSymbol]:
    """The public API of projects by documentation id."""
    return {symbol.id: symbol for symbol in Surface(index).of(projects)}
