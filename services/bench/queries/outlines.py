"""Cached outlines of types and members, and their costs."""

from __future__ import annotations

from collections.abc import Callable

from services.bench.items.window_items import WindowItems
from services.bench.queries.lookup import Lookup, of_one_revision, resolved
from services.concurrency.latest import CachedAnswers
from services.errors import SymbolNotFound
from services.index.index import Index
from services.index.resolve.resolve import FoundSymbol
from services.measures import OUTLINES, OUTLINES_KEPT, Measures
from services.model import Level, OutlineAnswer, Resolved, SymbolRef, TypeDetail
from services.prompt.items import ItemKey, Request
from services.prompt.outline.csharp_outline import OutlineStyle
from services.prompt.tokens.tokenizers import TokenCounter
from services.source.journal.actor import agent


class Outlines:
    """Outlines of one workspace. `counter`: for the model in use; `patience`: seconds that an outline waits for
    dependencies, None for no limit."""

    def __init__(
        self,
        index: Index,
        content: WindowItems,
        lookup: Lookup,
        *,
        counter: Callable[[], TokenCounter],
        measures: Measures,
        patience: float | None,
        relate: Callable[[], object],
    ) -> None:
        self._index = index
        self._content = content
        self._lookup = lookup
        self._counter = counter
        self._measures = measures
        self._patience = patience
        self._relate = relate
        self._kept: CachedAnswers[tuple[str, int]] = CachedAnswers(lambda: None)

    @of_one_revision
    def outline(self, path: str, *, ids: bool | None = None) -> OutlineAnswer:
        """The outline of a type or member. `ids`: with a line of ids and hashes, by default for agents. Raises
        SymbolNotFound, AmbiguousSymbol."""
        self._relate_at_once()
        found = self._lookup.found(path)
        relating = self._patience is not None and not self._index.is_related
        counter = self._counter()
        with self._measures.timed("outline.gen.ms"):
            version = self._content.item_version(_outline_of(found.id))
            style = OutlineStyle(ids=agent() is not None if ids is None else ids)
            question = (found.id, counter.name, style.ids)
            made: list[str] = []

            def make() -> tuple[str, int]:
                made.append(path)
                return self._outlined(found, path, style, counter)

            text, tokens = self._kept.get(question, make, version=version)
            self._measures.count(OUTLINES if made else OUTLINES_KEPT)
        return OutlineAnswer(
            resolved=resolved(found),
            symbol=self._lookup.ref(found),
            text=text,
            tokens=tokens,
            approximate=not counter.exact,
            relating=relating,
        )

    def priced(self, symbol: SymbolRef, resolved_: Resolved, text: str) -> OutlineAnswer:
        """Return an outline that was made elsewhere, with its cost for the model in use."""
        counter = self._counter()
        return OutlineAnswer(
            resolved=resolved_,
            symbol=symbol,
            text=text,
            tokens=counter.count(text),
            approximate=not counter.exact,
        )

    @of_one_revision
    def detail(self, path: str) -> TypeDetail:
        """A type, or the type that declares a member. Raises SymbolNotFound, AmbiguousSymbol."""
        detail = self._index.detail(self._lookup.found(path).whole.index)
        if detail is None:
            raise _gone(path)
        return detail

    def _outlined(
        self, found: FoundSymbol, path: str, style: OutlineStyle, counter: TokenCounter
    ) -> tuple[str, int]:
        """The text of an outline and its tokens. Raises SymbolNotFound."""
        outlined = self._content.symbols.outline(found, style)
        if outlined is None:
            raise _gone(path)
        return outlined, counter.count(outlined)

    def _relate_at_once(self) -> None:
        """Compute dependencies, at most for the configured time: then the known ones are shown, and the rest later."""
        if self._patience is None:
            self._relate()
        elif self._patience:
            self._index.dependencies.relate_within(self._patience)


def _gone(path: str) -> SymbolNotFound:
    return SymbolNotFound(f"{path!r} has just gone. Refresh and search again.", suggestions=[])


def _outline_of(id_: str) -> Request:
    return Request(key=ItemKey.of_symbol(id_), level=Level.OUTLINE)
