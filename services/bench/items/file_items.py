"""Items of the window that are files, or lines of them."""

from __future__ import annotations

from dataclasses import replace

from services.bench.items.anchors import Anchors, LocatedItem, lines_of
from services.bench.items.symbol_items import SymbolItems
from services.index.index import Index
from services.index.resolve.resolve import FoundSymbol
from services.model import Level
from services.prompt.state.items import Rendered, Request
from services.source.read.reader import SourceReader


class FileItems:
    """Over the index as it is and the files as they are."""

    def __init__(self, index: Index, reader: SourceReader, anchors: Anchors, symbols: SymbolItems) -> None:
        self._index = index
        self._reader = reader
        self._anchors = anchors
        self._symbols = symbols

    def render_range(self, request: Request, version: str) -> Rendered | None:
        """Lines of a file where they are now, or, at a lower level, what holds them; None where they are gone."""
        now = self._anchors.lines_now(request.key, request.follows)
        if now is None:
            return None
        if request.level in (Level.SIGNATURE, Level.OUTLINE):
            holder = self._anchors.holder(now.file, now.start, now.end)
            return None if holder is None else self._around(request, [holder], now, version)
        lines = None if request.level is Level.WHOLE else (now.start, now.end)
        rendered = lines_of(self._reader, now.file, lines, now)
        return rendered and replace(rendered, version=version)

    def render_file(self, request: Request, version: str) -> Rendered | None:
        """A whole file, or, at a lower level, the types it declares; None where it is gone or declares none."""
        now = self._anchors.file_now(request.key.target, request.follows)
        if now is None:
            return None
        if request.level is Level.WHOLE:
            rendered = lines_of(self._reader, now.file, None, now)
            return rendered and replace(rendered, version=version)
        wholes = [self._index.describer.whole(at) for at in self._index.files.types_in(now.file)]
        types = [FoundSymbol(whole) for whole in wholes if whole is not None]
        return self._around(request, types, now, version) if types else None

    def _around(
        self, request: Request, symbols: list[FoundSymbol], now: LocatedItem, version: str
    ) -> Rendered | None:
        """Render lines of a file as the outlines or signatures of their symbols."""
        texts = [self._symbols.text(request, found, now) for found in symbols]
        place = now.file if request.key.kind == "file" else f"{now.file}:{now.start}-{now.end}"
        return Rendered(
            label=place,
            text="\n".join(text for text in texts if text),
            version=version,
            detail=place,
            language="csharp",
            file=now.file,
            start_line=now.start,
            end_line=now.end,
            state=now.state,
            state_detail=now.detail,
            changed=now.changed,
        )
