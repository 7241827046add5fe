"""From what somebody names to the one symbol that it is (SPEC section 5), with answers for what is none or several,
about one revision of the index.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

import msgspec
from msgspec.structs import replace

from services.bench.items.window_items import WindowItems
from services.errors import AmbiguousSymbol, CodeCortexError, FileMissing, SymbolNotFound
from services.index.catalog.naming import for_people
from services.index.index import Index
from services.index.resolve.resolve import FoundSymbol, Resolution
from services.index.resolve.routes import AskedRoute, RouteTable, asked_route
from services.measures import RESOLVE, Measures
from services.model import ResolveAnswer, Resolved, SymbolRef
from services.source.read.reader import FileLocation, SourceReader, is_written_like_file, parse_location
from services.workspace.files.root import Root


class RevisionReader(Protocol):
    """Service that queries an index."""

    _index: Index


S = TypeVar("S", bound=RevisionReader)
P = ParamSpec("P")
T = TypeVar("T")


def of_one_revision(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Decorate a method so that all its queries use one revision of the index."""

    @wraps(method)
    def asked(self: S, *arguments: P.args, **named: P.kwargs) -> T:
        with self._index.reading():
            return method(self, *arguments, **named)

    return asked


_CANDIDATES = 50
_LAST_NAME = re.compile(r"(\w+)(?:[(<`].*)?$")
_SUGGESTED = 5
_ALIKE = 80
"""How much alike, of a hundred, a path is that may have been meant."""


class Lookup:
    """Symbols by path, by id, or by a place in a file, each looked at again before it is used."""

    def __init__(
        self,
        root: Root,
        index: Index,
        content: WindowItems,
        reader: SourceReader,
        *,
        measures: Measures,
        refresh: Callable[[], object],
    ) -> None:
        self._root = root
        self._index = index
        self._content = content
        self._reader = reader
        self._measures = measures
        self._refresh = refresh
        self._routes: tuple[object, RouteTable] | None = None

    @of_one_revision
    def resolve(self, path: str) -> ResolveAnswer:
        """Resolve a symbol path. A miss returns suggestions; one inside a member, its overloads as candidates.
        Raises LineOutOfRange."""
        resolution = self._resolution(path)
        if resolution.namespace:
            return self._of_namespace(path, resolution)
        found = resolution.one
        if found is not None:
            return ResolveAnswer(
                query=path,
                how=resolution.how,
                resolved=resolved(_marked(found, resolution)),
                symbol=self.ref(found),
            )
        return ResolveAnswer(
            query=path,
            how=resolution.how,
            candidates=tuple(map(self.ref, resolution.found[:_CANDIDATES])),
            suggestions=resolution.suggestions,
        )

    def found(self, path: str, *, source: bool = False, sure: bool = False) -> FoundSymbol:
        """The one symbol of a path, its files looked at again first. `source`: its text alone is wanted, which is the
        same in all projects that compile the same files; `sure`: a guess is answered as AmbiguousSymbol. Raises
        SymbolNotFound, FileMissing for what is written like a file, LineOutOfRange, AmbiguousSymbol, Busy."""
        resolution = self._resolution(path)
        files = {
            file
            for found in resolution.found[:_CANDIDATES]
            for file in self._content.files_of_symbol(found.id)
        }
        if self._index.files.are_stale(files):
            self._refresh()
            resolution = self._resolution(path)
        return self._only(path, resolution, source=source, sure=sure)

    def sure(self, path: str) -> FoundSymbol:
        """Resolve as `found`, without guessing: for symbols to lock, write, pin or copy."""
        return self.found(path, sure=True)

    def sure_source(self, path: str) -> FoundSymbol:
        """Resolve as `sure`, for source text."""
        return self.found(path, source=True, sure=True)

    def source(self, path: str) -> FoundSymbol:
        """Resolve as `found`, for source text."""
        return self.found(path, source=True)

    def named(self, name: str) -> tuple[SymbolRef, ...]:
        """Symbols of a simple name."""
        resolution = self._resolution(name)
        return tuple(map(self.ref, resolution.found)) if resolution.how in ("exact", "suffix") else ()

    def ref(self, found: FoundSymbol) -> SymbolRef:
        """How a symbol is shown in lists."""
        describer = self._index.describer
        if found.member is None:
            return describer.refs.type_ref(found.whole)
        return describer.refs.member_ref(found.whole, found.member)

    def _resolution(self, path: str) -> Resolution:
        """Resolve a path, also of a file, or of lines of one. Raises LineOutOfRange."""
        with self._measures.timed(RESOLVE):
            if (route := asked_route(path)) is not None:
                return self._answering(route)
            place = parse_location(path)
            if not self._reader.is_file(place.path):
                return self._unless_a_file(place.path, self._index.resolve(path))
            file = self._root.normalise(place.path)
            return self._declared_in(file) if place.start is None else self._at(file, place)

    def _answering(self, route: AskedRoute) -> Resolution:
        """Resolve a route such as `GET /playlists/{id}` to the methods that answer it."""
        with self._index.reading():
            catalogue = self._index.catalogue
            key = (catalogue.numbering, catalogue.version)
            if self._routes is None or self._routes[0] != key:
                self._routes = (key, RouteTable(catalogue, self._index.records))
            refs = [self._index.files.declared(*place) for place in self._routes[1].find(route)]
        found = [one for ref in refs if ref is not None and (one := self._index.resolve(ref.id).one)]
        return Resolution(tuple(found), "exact" if found else None)

    def _unless_a_file(self, path: str, resolution: Resolution) -> Resolution:
        """Resolve a path with a file extension to files only: a missing file is not a symbol with a similar name.
        Suggests files whose paths end so, or else similar names."""
        if not is_written_like_file(path) or resolution.how in ("exact", "suffix"):
            return resolution
        ending = f"/{path.lower().lstrip('/')}"
        files = [file for file in self._index.paths() if f"/{file}".lower().endswith(ending)]
        return Resolution(suggestions=tuple(sorted(files)[:_SUGGESTED] or self._files_like(path)))

    def _files_like(self, path: str) -> list[str]:
        from rapidfuzz import fuzz, process

        depth = path.count("/") + 1
        endings = {file: "/".join(file.split("/")[-depth:]).lower() for file in self._index.paths()}
        found = process.extract(
            path.lower(), endings, scorer=fuzz.ratio, score_cutoff=_ALIKE, limit=_SUGGESTED
        )
        return [file for _, _, file in found]

    def _declared_in(self, file: str) -> Resolution:
        """The outermost types of a file."""
        ids = map(self._index.identities.type_id, self._index.files.types_in(file))
        found = [one for id_ in ids if (one := self._index.resolve(id_).one) is not None]
        return Resolution(tuple(found), "exact" if found else None)

    def _at(self, file: str, place: FileLocation) -> Resolution:
        """The innermost symbol around lines of a file. Raises LineOutOfRange."""
        self._reader.bounds(file, start=place.start, end=place.end)
        ref = self._index.files.enclosing(file, place.start or 1, place.end)
        return self._index.resolve(ref.id) if ref is not None else Resolution()

    def _of_namespace(self, path: str, resolution: Resolution) -> ResolveAnswer:
        name = resolution.namespace
        ref = self._index.namespace_ref(name)
        found = Resolved(path=name, type_id=ref.id)
        return ResolveAnswer(query=path, how=resolution.how, resolved=found, symbol=ref)

    def _only(self, path: str, resolution: Resolution, *, source: bool, sure: bool) -> FoundSymbol:
        """The one symbol of a path. Raises SymbolNotFound, FileMissing, AmbiguousSymbol."""
        one = resolution.one
        if one is None and source and resolution.how is not None and self._is_one_text(resolution.found):
            one = resolution.found[0]
        if one is not None and not (sure and resolution.is_guess):
            return _marked(one, resolution)
        if resolution.found:
            raise self._ambiguous(path, resolution)
        raise self._missed(path, resolution)

    def _ambiguous(self, path: str, resolution: Resolution) -> AmbiguousSymbol:
        found = resolution.found
        candidates = _candidates([self.ref(each) for each in found[:_CANDIDATES]])
        if resolution.how is None:
            why = f"No overload is {path!r}. There {_are(len(found))} of that name."
        elif resolution.one is not None:
            why = f"{path!r} not found. {candidates[0]['path']} is a guess, and nothing was done."
        else:
            why = f"{path!r} may mean {len(found)} symbols."
        return AmbiguousSymbol(f"{why} Name one by its id, or write more of its path.", candidates=candidates)

    def _missed(self, path: str, resolution: Resolution) -> CodeCortexError:
        if resolution.namespace:
            inside = self._index.types_of(resolution.namespace)
            what = "a namespace, and a folder" if self._is_folder(path) else "a namespace"
            message = f"{path!r} is {what}. Name a type in it, such as {', '.join(inside[:3])}."
            return SymbolNotFound(message, suggestions=inside)
        if asked_route(path) is not None:
            message = (
                f"No action answers {path}: routes are read from attributes, not from calls such as MapGet."
            )
            return SymbolNotFound(message, suggestions=[])
        file = parse_location(path).path
        if "/" in path:
            self._root.stat(file)
        if self._reader.is_file(file):
            message = (
                f"{path!r} is a place in a file, and no symbol. Name a type or member that the file declares."
            )
            inside = [self.ref(each).path for each in self._declared_in(self._root.normalise(file)).found]
            return SymbolNotFound(message, suggestions=inside)
        with suppress(FileMissing):  # a folder is said to be one
            self._root.stat(file)
        close = list(resolution.suggestions)
        return SymbolNotFound(f"{path!r} not found.{self.hint(path, close)}", suggestions=close)

    def hint(self, path: str, close: Sequence[str]) -> str:
        """Return the sentence that follows where a path was not found: what was meant, or why it is not there."""
        name = _LAST_NAME.search(path)
        branches = self._index.files.left_out(name[1]) if name is not None else []
        if branches and name is not None:
            return f" {name[1]} is declared only in a branch of #if that no configuration here takes: {branches[0]}."
        return f" Did you mean {', '.join(close[:3])}?" if close else " Search for a part of its name."

    def _is_folder(self, path: str) -> bool:
        try:
            self._root.stat(path)
        except FileMissing:
            return False
        except CodeCortexError:
            return True
        return False

    def _is_one_text(self, several: Sequence[FoundSymbol]) -> bool:
        """Whether all symbols are declared on equal lines of the same files."""
        refs = map(self.ref, several)
        places = {(ref.full, ref.start_line, self._content.files_of_symbol(ref.id)) for ref in refs}
        return len(places) == 1


def resolved(found: FoundSymbol) -> Resolved:
    """The path and the ids of a symbol, as answers have them."""
    path = for_people(found.whole.entry.fqn, found.whole.primary.declaration.type_parameters)
    guessed = True if found.guessed else msgspec.UNSET
    if found.member is None:
        return Resolved(path=path, type_id=found.whole.id, guessed=guessed)
    name = found.member.declaration.name
    return Resolved(path=f"{path}.{name}", type_id=found.whole.id, member_id=found.member.id, guessed=guessed)


def _marked(found: FoundSymbol, resolution: Resolution) -> FoundSymbol:
    return replace(found, guessed=True) if resolution.is_guess else found


def _are(number: int) -> str:
    return f"are {number}" if number != 1 else "is one"


def _candidates(refs: Sequence[SymbolRef]) -> list[dict[str, str]]:
    """Return candidates with their ids; those that differ only by location include it."""
    paths = Counter(ref.full for ref in refs)
    return [_candidate(ref, placed=paths[ref.full] > 1) for ref in refs]


def _candidate(ref: SymbolRef, *, placed: bool) -> dict[str, str]:
    type_id, _, member = ref.id[2:].partition("_")
    answer = {"path": ref.full, "typeId": f"T_{type_id}"}
    answer |= {"memberId": ref.id} if member else {}
    return answer | ({"place": f"{ref.file}:{ref.start_line}"} if placed else {})
