"""What the prompt window shows: items by key, rendered from the index and the disk."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

from services.bench.anchors import Anchors, Located
from services.bench.carried import Carried
from services.bench.stamps import Stamps
from services.errors import CodeCortexError
from services.index.index import Index
from services.index.resolve import Found
from services.model import Level, Symbol, TypeDetail
from services.prompt.items import Anchor, ItemKey, Rendered, Request
from services.prompt.outline import member_outline, type_outline
from services.prompt.secrets.known import Known, known_in, those_in
from services.prompt.signature import signature_of
from services.source.reader import Reader
from services.source.reading import withheld
from services.workspace.root import Root

_KNOWN_OF = 5_000
"""Files of which it is kept what secrets they have."""
Renderer = Callable[[Request, str], Rendered | None]
"""Makes an item of a version; None where there is nothing to show at the level asked for."""


class Content:
    """The window's catalogue. A version names the content of the files that an item is made from."""

    def __init__(self, index: Index, root: Root, reader: Reader) -> None:
        self._index = index
        self._root = root
        self._reader = reader
        self.anchors = Anchors(index, reader)
        self._stamps = Stamps(index)
        self._asking = threading.RLock()  # the version of a pack asks for others
        self._carried = Carried(self.anchors)
        self._known: dict[str, tuple[Known, ...]] = {}
        self._versions: dict[str, Callable[[Request], str | None]] = {}
        self._renderers: dict[str, Renderer] = {
            "type": self._symbol,
            "member": self._symbol,
            "range": self._range,
            "file": self._file,
            "grep": self._carried.render,
            "hunk": self._carried.render,
            "note": self._carried.render,
        }

    def add_kind(self, name: str, *, version: Callable[[Request], str | None], renderer: Renderer) -> None:
        """Have items of a kind of KINDS versioned and rendered by others."""
        self._versions[name] = version
        self._renderers[name] = renderer

    def item_version(self, request: Request) -> str | None:
        """The version of an item, or None where it has vanished. Costs no reading of files."""
        return self.item_versions((request,))[0]

    def item_versions(self, requests: Sequence[Request]) -> list[str | None]:
        """Each as `item_version`, every file looked at once for all of them."""
        stamps = cache(self._stamp)
        with self._asking:
            self._stamps.follow()
            return [self._version(request, stamps) for request in requests]

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

    def known_in(self, file: str) -> tuple[Known, ...]:
        """The likely secrets of a whole file; none of one that cannot be read."""
        try:
            entry, text = self._reader.content(file)
        except CodeCortexError:
            return ()
        known = self._known.get(entry.digest)
        if known is None:
            if len(self._known) >= _KNOWN_OF:
                self._known.clear()
            known = self._known[entry.digest] = known_in(text.content)
        return known

    def anchor(self, key: ItemKey, before: Anchor | None = None) -> Anchor | None:
        """Where an item stands now, followed from where it stood before."""
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
        with self._asking:
            self._stamps.follow()
            return {file for request in requests for file in self._files(request)}

    def _files(self, request: Request) -> tuple[str, ...]:
        key = request.key
        if key.is_symbol:
            return self._files_of_symbol(key.target)
        if key.kind == "range":
            holder = request.follows.symbol if request.follows is not None else ""
            return (key.lines()[0], *self._files_of_symbol(holder))
        return (key.target,) if key.kind == "file" else self._carried.files_of(request)

    def files_of_symbol(self, id_: str) -> tuple[str, ...]:
        """The files that declare the type of a type or member id."""
        with self._asking:
            self._stamps.follow()
            return self._files_of_symbol(id_)

    def _files_of_symbol(self, id_: str) -> tuple[str, ...]:
        stamped = self._stamps.known(id_)
        return stamped.files if stamped is not None else ()

    def outline(self, found: Found) -> tuple[TypeDetail, str] | None:
        """The type and the outline of what was found."""
        made = self._detail(found)
        if made is None:
            return None
        detail, symbol = made
        if found.member is None:
            return detail, type_outline(detail)
        said = self._index.describer.documentation(found.whole, found.member)
        return detail, member_outline(symbol, detail, said=said)

    def _detail(self, found: Found) -> tuple[TypeDetail, Symbol] | None:
        """The type of what was found, and the type or member itself."""
        detail = self._index.detail(found.whole.index, bound=False)
        if detail is None or found.member is None:
            return None if detail is None else (detail, detail.symbol)
        symbol = next((m for m in detail.members if m.id == found.id), None)
        return None if symbol is None else (detail, symbol)

    def _version(self, request: Request, stamp: Callable[[str], str | None]) -> str | None:
        kind, target = request.key.kind, request.key.target
        if kind in self._versions:
            return self._versions[kind](request)
        if request.key.is_symbol:
            return self._symbol_version(target)
        if kind == "file":
            return stamp(target)
        if kind == "range":
            holder = request.follows.symbol if request.follows is not None else ""
            stamps = [self._symbol_version(holder), stamp(request.key.lines()[0])]
            return "+".join(each for each in stamps if each) or None
        if kind not in self._renderers:
            return None
        return "+".join(stamp(file) or "-" for file in self._carried.files_of(request)) or "-"

    def _symbol_version(self, id_: str) -> str | None:
        stamped = self._stamps.known(id_)
        return stamped.version if stamped is not None else None

    def _stamp(self, path: str) -> str | None:
        try:
            stamp = self._root.stat(path)
        except CodeCortexError:
            return None
        return f"{stamp.mtime_ns}-{stamp.size}"

    def _symbol(self, request: Request, version: str) -> Rendered | None:
        found = self.anchors.followed(request.follows, request.key.target)
        if found is None:
            return None
        now = self.anchors.symbol_now(request.follows, found)
        if request.level is Level.WHOLE:
            whole = self._lines(now.file, None, now)
            return whole and replace(whole, version=version, label=self._label(found), symbol_id=found.id)
        text = self._symbol_text(request, found, now)
        if text is None:
            return None
        is_member_source = found.member is not None and request.level is Level.BODIES
        return Rendered(
            label=self._label(found),
            text=text,
            version=version,
            detail=f"{now.file}:{now.start}-{now.end}",
            language="csharp" if request.level is not Level.OUTLINE and not request.members else "",
            symbol_id=found.id,
            file=now.file,
            start_line=now.start,
            end_line=now.end,
            is_source=is_member_source,
            state=now.state,
            state_detail=now.detail,
        )

    def _symbol_text(self, request: Request, found: Found, now: Located) -> str | None:
        if request.level is Level.SIGNATURE:
            made = self._detail(found)
            return None if made is None else signature_of(made[1])
        if request.level is Level.OUTLINE:
            outlined = self.outline(found)
            return None if outlined is None else outlined[1]
        if found.member is not None:
            return self._text_of(now.file, now.start, now.end)
        return self._bodies(request, found) if request.level is Level.BODIES else self._parts(found)

    def _bodies(self, request: Request, found: Found) -> str | None:
        """The outline of a type with the source of the members that were chosen."""
        outlined = self.outline(found)
        members = [each for id_ in request.members if (each := self.anchors.found(id_)) is not None]
        if outlined is None or not members:
            return None
        sources = [self._with_place(*self.anchors.lines_of(each)) for each in members]
        return "\n".join([outlined[1], *sources])

    def _parts(self, found: Found) -> str:
        """The source of a type, all its parts."""
        parts = sorted(found.whole.parts, key=lambda part: part is not found.whole.primary)
        places = [
            (
                self._index.catalogue.file(part.file).path,
                part.declaration.start_line,
                part.declaration.end_line,
            )
            for part in parts
        ]
        return "\n".join(self._with_place(*place) for place in places)

    def _with_place(self, file: str, start: int, end: int) -> str:
        return f"// {file}:{start}-{end}\n{self._text_of(file, start, end)}"

    def _text_of(self, file: str, start: int, end: int) -> str:
        try:
            text = self._reader.read(file, start=start, end=end).content
        except CodeCortexError as error:
            return f"// {error.message}\n"
        return text if text.endswith("\n") else f"{text}\n"

    def _label(self, found: Found) -> str:
        describer = self._index.describer
        if found.member is None:
            return describer.type_ref(found.whole).label
        return f"{found.whole.entry.name}.{describer.member_ref(found.whole, found.member).label}"

    def _range(self, request: Request, version: str) -> Rendered | None:
        now = self.anchors.lines_now(request.key, request.follows)
        if now is None:
            return None
        if request.level in (Level.SIGNATURE, Level.OUTLINE):
            holder = self.anchors.holder(now.file, now.start, now.end)
            return None if holder is None else self._around(request, [holder], now, version)
        lines = None if request.level is Level.WHOLE else (now.start, now.end)
        rendered = self._lines(now.file, lines, now)
        return rendered and replace(rendered, version=version)

    def _file(self, request: Request, version: str) -> Rendered | None:
        now = self.anchors.file_now(request.key.target, request.follows)
        if now is None:
            return None
        if request.level is Level.WHOLE:
            rendered = self._lines(now.file, None, now)
            return rendered and replace(rendered, version=version)
        wholes = [self._index.describer.whole(at) for at in self._index.types_in(now.file)]
        types = [Found(whole) for whole in wholes if whole is not None]
        return self._around(request, types, now, version) if types else None

    def _around(self, request: Request, symbols: list[Found], now: Located, version: str) -> Rendered | None:
        """Lines of a file told by the outlines or signatures of the symbols that they belong to."""
        texts = [self._symbol_text(request, found, now) for found in symbols]
        place = now.file if request.key.kind == "file" else f"{now.file}:{now.start}-{now.end}"
        return Rendered(
            label=place,
            text="\n".join(text for text in texts if text),
            version=version,
            detail=place,
            language="csharp" if request.level is Level.SIGNATURE else "",
            file=now.file,
            start_line=now.start,
            end_line=now.end,
            state=now.state,
            state_detail=now.detail,
            changed=now.changed,
        )

    def _lines(self, path: str, lines: tuple[int, int] | None, now: Located) -> Rendered | None:
        """Lines of a file, or all of it."""
        start, end = lines or (None, None)
        try:
            read = self._reader.read(path, start=start, end=end)
        except CodeCortexError:
            return None
        return Rendered(
            label=path if lines is None else f"{path}:{read.start_line}-{read.end_line}",
            text=read.content,
            version="",
            detail=f"{path}:{read.start_line}-{read.end_line}",
            language="csharp" if path.lower().endswith(".cs") else "",
            file=path,
            start_line=read.start_line,
            end_line=read.end_line,
            is_source=True,
            state=now.state,
            state_detail=now.detail,
            changed=now.changed,
        )
