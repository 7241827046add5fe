"""Contents of the prompt window: items by key, rendered from the index and the disk; files and their lines too."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from zlib import crc32

from msgspec.structs import replace

from services.bench.items.anchors import Anchors, LocatedItem, lines_of
from services.bench.items.embedded import EmbeddedItems
from services.bench.items.symbol_items import Stamps, SymbolItems, TypeNotes
from services.errors import CodeCortexError
from services.index.index import Index
from services.index.resolve.resolve import FoundSymbol
from services.model import Level
from services.prompt.items import Anchor, ItemKey, Rendered, Request
from services.prompt.render.shown import BESIDE
from services.prompt.secrets.masking import KnownSecret, known_in, those_in
from services.source.read.known_lines import withheld
from services.source.read.reader import SourceReader
from services.workspace.files.folders import stamps_of
from services.workspace.files.root import FileStamp, Root


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
            language="cs",
            file=now.file,
            start_line=now.start,
            end_line=now.end,
            state=now.state,
            state_detail=now.detail,
            changed=now.changed,
        )


_KNOWN_OF = 5_000
"""Files of which it is kept what secrets they have."""
_SYMBOLS = ("type", "member")
_PLACES = ("range", "file")
MakeItem = Callable[[Request, str], Rendered | None]
"""Makes an item of a version; None where there is nothing to show at the level asked for."""


class WindowItems:
    """The window's catalogue. A version names the content of the files that an item is made from."""

    def __init__(
        self, index: Index, root: Root, reader: SourceReader, notes: TypeNotes | None = None
    ) -> None:
        """`notes`: what outlines of types end with; None for nothing."""
        self._notes = notes
        self._root = root
        self._reader = reader
        self.anchors = Anchors(index, reader)
        self.symbols = SymbolItems(index, reader, self.anchors, notes)
        self._index = index
        self._stamps = Stamps(index)
        self._asking = threading.RLock()  # the version of a pack asks for others
        self._embedded = EmbeddedItems(self.anchors)
        self._known: dict[tuple[str, str], tuple[KnownSecret, ...]] = {}
        self._versions: dict[str, Callable[[Request], str | None]] = {}
        self._files_by_kind: dict[str, Callable[[Request], tuple[str, ...]]] = {}
        files = FileItems(index, reader, self.anchors, self.symbols)
        self._renderers: dict[str, MakeItem] = {
            "type": self.symbols.render,
            "member": self.symbols.render,
            "range": files.render_range,
            "file": files.render_file,
            "grep": self._embedded.render,
            "hunk": self._embedded.render,
            "note": self._embedded.render,
        }

    def add_kind(
        self,
        name: str,
        *,
        version: Callable[[Request], str | None],
        renderer: MakeItem,
        files: Callable[[Request], tuple[str, ...]],
    ) -> None:
        """Have items of a kind of KINDS versioned and rendered by others. `files`: those that an item is made from."""
        self._versions[name] = version
        self._renderers[name] = renderer
        self._files_by_kind[name] = files

    def item_version(self, request: Request) -> str | None:
        """The version of an item, or None where it has vanished. Costs no reading of files."""
        return self.item_versions((request,))[0]

    def item_versions(self, requests: Sequence[Request]) -> list[str | None]:
        """Each as `item_version`, every file looked at once for all of them."""
        if not requests:
            return []
        with self._index.reading(), self._asking:
            self._stamps.follow()
            others = [each for each in requests if each.key.kind not in _SYMBOLS]
            looked = stamps_of(self._root, {file for each in others for file in self._looked_at(each)})
            rest = iter([self._version(each, looked) for each in others])
            return [
                self._version_of_symbol(each.key) if each.key.kind in _SYMBOLS else next(rest)
                for each in requests
            ]

    def _version_of_symbol(self, key: ItemKey) -> str | None:
        version = self._stamps.version(key.target)
        if version is None:
            return None
        note = self._notes.stamp(key.target) if self._notes is not None and key.kind == "type" else ""
        beside = "+" if BESIDE in version else BESIDE
        return f"{version}{beside}{note}" if note else version

    def render_item(self, request: Request) -> Rendered | None:
        """The item as it is now; None where it has vanished, or has nothing to show at its level."""
        version = self.item_version(request)
        if version is None:
            return None
        # What a rendering reads, a budget may leave out: nothing of it counts as read.
        with withheld():
            made = self._renderers[request.key.kind](request, version)
        if made is None:
            return None
        known = tuple(each for file in self.files_of(request) for each in self.known_in(file))
        return replace(made, known=those_in(made.text, known)) if known else made

    def known_in(self, file: str) -> tuple[KnownSecret, ...]:
        """The likely secrets of a whole file; none of one that cannot be read."""
        try:
            entry, text = self._reader.content(file)
        except CodeCortexError:
            return ()
        known = self._known.get((entry.digest, file))
        if known is None:
            if len(self._known) >= _KNOWN_OF:
                self._known.clear()
            known = self._known[entry.digest, file] = known_in(text.content, file)
        return known

    def anchor(self, key: ItemKey, before: Anchor | None = None) -> Anchor | None:
        """Return the current anchor of an item, followed from its previous one."""
        if key.is_symbol:
            found = self.anchors.followed(before, key.target)
            return self.anchors.of_symbol(found) if found is not None else None
        if key.kind == "range":
            now = self.anchors.lines_now(key, before) if before is not None else None
            return self.anchors.of_lines(*(key.lines() if now is None else (now.file, now.start, now.end)))
        return self.anchors.of_file(key.target) if key.kind == "file" else None

    def files_of(self, request: Request) -> tuple[str, ...]:
        """The files that an item is made from."""
        return tuple(self.files_of_all((request,)))

    def files_of_all(self, requests: Sequence[Request]) -> set[str]:
        """The files that any of these items is made from."""
        with self._index.reading(), self._asking:
            self._stamps.follow()
            return {file for request in requests for file in self._files(request)}

    def _files(self, request: Request) -> tuple[str, ...]:
        key = request.key
        if key.is_symbol:
            return self._files_of_symbol(key.target)
        if key.kind in _PLACES:
            told = (_holder(request), *self._types_told(request))
            return tuple(
                dict.fromkeys((_path_of(key), *(f for id_ in told for f in self._files_of_symbol(id_))))
            )
        others = self._files_by_kind.get(key.kind)
        return others(request) if others is not None else self._files_carried(request)

    def _files_carried(self, request: Request) -> tuple[str, ...]:
        """The files that lines were found in, and those that declare the types which were in them."""
        led = [file for id_ in self._embedded.leads_of(request) for file in self._files_of_symbol(id_)]
        return tuple(dict.fromkeys((*self._embedded.files_of(request), *led)))

    def files_of_symbol(self, id_: str) -> tuple[str, ...]:
        """The files that declare the type of a type or member id."""
        with self._index.reading(), self._asking:
            self._stamps.follow()
            return self._files_of_symbol(id_)

    def _files_of_symbol(self, id_: str) -> tuple[str, ...]:
        stamped = self._stamps.known(id_)
        return stamped.files if stamped is not None else ()

    def _looked_at(self, request: Request) -> tuple[str, ...]:
        """The files whose stamps on disk are part of the version."""
        kind = request.key.kind
        if kind in _SYMBOLS or kind in self._versions:
            return ()
        return (_path_of(request.key),) if kind in _PLACES else self._files_carried(request)

    def _version(self, request: Request, looked: Mapping[str, FileStamp | None]) -> str | None:
        """That of anything but a symbol. `looked`: the stamps of its files."""
        kind = request.key.kind
        if kind in self._versions:
            return self._versions[kind](request)
        if kind not in self._renderers:
            return None
        stamps = [_written(looked[file]) for file in self._looked_at(request)]
        if kind in _PLACES:
            stamps.insert(0, self._stamps.version(_holder(request)) or "")
            found = "+".join(each for each in stamps if each)
            told = [self._stamps.version(id_) for id_ in self._types_told(request)] if found else []
            return f"{found}{BESIDE}{crc32(repr(told).encode()):x}" if told else found or None
        return "+".join(each or "-" for each in stamps) or "-"

    def _types_told(self, request: Request) -> list[str]:
        """Return the ids of the types that extend the text of a file: they have parts, and dependants, elsewhere."""
        if request.key.kind != "file" or request.level is Level.WHOLE:
            return []
        paths = dict.fromkeys((_path_of(request.key), *self._files_of_symbol(_holder(request))))
        type_id = self._index.identities.type_id
        return [type_id(at) for path in paths for at in self._index.files.types_in(path)]


def _written(stamp: FileStamp | None) -> str:
    """A stamp as text; nothing for a file that is not there."""
    return f"{stamp.mtime_ns}-{stamp.size}" if stamp is not None else ""


@lru_cache(_KNOWN_OF)
def _path_of(key: ItemKey) -> str:
    """The file that a range or a file was chosen in."""
    return key.lines()[0] if key.kind == "range" else key.target


def _holder(request: Request) -> str:
    """The id of the symbol that leads to lines or a file where they have moved."""
    return request.follows.symbol if request.follows is not None else ""
