"""From what somebody names to the one symbol that it is (SPEC section 5), with answers for what is none or several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from services.bench.items.content import Content
from services.bench.queries.sources import Sources
from services.errors import AmbiguousSymbol, FileMissing, SymbolNotFound
from services.index.index import Index
from services.index.resolve.resolve import Found, Resolution
from services.measures import Measures
from services.model import ResolveAnswer, Resolved, SymbolRef
from services.source.read.reader import place_of
from services.workspace.files.root import Root

_CANDIDATES = 50


class Lookup:
    """Symbols by path, by id, or by a place in a file, each looked at again before it is used."""

    def __init__(
        self,
        root: Root,
        index: Index,
        content: Content,
        sources: Sources,
        *,
        measures: Measures,
        refresh: Callable[[], object],
    ) -> None:
        self._root = root
        self._index = index
        self._content = content
        self._sources = sources
        self._measures = measures
        self._refresh = refresh

    def resolve(self, path: str) -> ResolveAnswer:
        """Where a symbol path leads. A miss answers suggestions."""
        resolution = self._resolution(path)
        if len(resolution.found) == 1:
            found = resolution.found[0]
            return ResolveAnswer(
                query=path, how=resolution.how, resolved=resolved(found), symbol=self.ref(found)
            )
        return ResolveAnswer(
            query=path,
            how=resolution.how,
            candidates=tuple(map(self.ref, resolution.found[:_CANDIDATES])),
            suggestions=resolution.suggestions,
        )

    def found(self, path: str, *, source: bool = False) -> Found:
        """The one symbol of a path, its files looked at again first. `source`: its text alone is wanted, which is the
        same in all projects that compile the same files. Raises SymbolNotFound, FileMissing for what is written like a
        file, AmbiguousSymbol, Busy."""
        found = self._only(path, source=source)
        if any(map(self._index.is_stale, self._content.files_of_symbol(found.id))):
            self._refresh()
            found = self._only(path, source=source)
        return found

    def source(self, path: str) -> Found:
        """As found, for source text."""
        return self.found(path, source=True)

    def named(self, name: str) -> tuple[SymbolRef, ...]:
        """Symbols of a simple name."""
        resolution = self._resolution(name)
        return tuple(map(self.ref, resolution.found)) if resolution.how in ("exact", "suffix") else ()

    def ref(self, found: Found) -> SymbolRef:
        """How a symbol is shown in lists."""
        describer = self._index.describer
        if found.member is None:
            return describer.type_ref(found.whole)
        return describer.member_ref(found.whole, found.member)

    def _resolution(self, path: str) -> Resolution:
        with self._measures.timed("symbol.resolve.ms"):
            place = place_of(path)
            if place.start is not None and self._sources.is_file(place.path):
                ref = self._index.enclosing(self._root.normalise(place.path), place.start)
                return self._index.resolve(ref.id) if ref is not None else Resolution()
            return self._index.resolve(path)

    def _only(self, path: str, *, source: bool) -> Found:
        """The one symbol of a path, as indexed. Raises SymbolNotFound, FileMissing, AmbiguousSymbol."""
        resolution = self._resolution(path)
        if len(resolution.found) == 1 or (source and self._is_one_text(resolution.found)):
            return resolution.found[0]
        if resolution.found:
            candidates = [_candidate(self.ref(found)) for found in resolution.found[:_CANDIDATES]]
            raise AmbiguousSymbol(
                f"{path!r} may mean {len(resolution.found)} symbols. Name one by its id, or write more of its path.",
                candidates=candidates,
            )
        file = place_of(path).path
        if "/" in path:
            self._root.stat(file)
        if self._sources.is_file(file):
            message = (
                f"{path!r} is a place in a file, and no symbol. Name a type or member that the file declares."
            )
            raise SymbolNotFound(message, suggestions=[])
        with suppress(FileMissing):  # a folder is said to be one
            self._root.stat(file)
        close = list(resolution.suggestions)
        hint = f" Did you mean {', '.join(close[:3])}?" if close else " Search for a part of its name."
        raise SymbolNotFound(f"{path!r} not found.{hint}", suggestions=close)

    def _is_one_text(self, several: Sequence[Found]) -> bool:
        """Whether all stand in the same lines of the same files."""
        refs = map(self.ref, several)
        places = {(ref.full, ref.start_line, self._content.files_of_symbol(ref.id)) for ref in refs}
        return len(places) == 1


def resolved(found: Found) -> Resolved:
    """The path and the ids of a symbol, as answers have them."""
    path = found.whole.entry.fqn
    if found.member is None:
        return Resolved(path=path, type_id=found.whole.id)
    return Resolved(
        path=f"{path}.{found.member.declaration.name}", type_id=found.whole.id, member_id=found.member.id
    )


def _candidate(ref: SymbolRef) -> dict[str, str]:
    type_id, _, member = ref.id[2:].partition("_")
    answer = {"path": ref.full, "typeId": f"T_{type_id}"}
    return answer | ({"memberId": ref.id} if member else {})
