"""What the prompt window shows: items by key, rendered from the index and the disk."""

from __future__ import annotations

from collections.abc import Callable

from services.errors import CodeCortexError
from services.index.index import Index
from services.index.resolve import Found
from services.model import TypeDetail
from services.prompt.items import ItemKey, Rendered
from services.prompt.outline import member_outline, type_outline
from services.source.reader import Reader
from services.workspace.root import Root


class Content:
    """The window's catalogue. A version names the content of the files that an item is made from."""

    def __init__(self, index: Index, root: Root, reader: Reader) -> None:
        self._index = index
        self._root = root
        self._reader = reader
        self._renderers: dict[str, Callable[[ItemKey, str], Rendered | None]] = {
            "type": self._type,
            "member": self._member,
            "range": self._range,
            "file": self._file,
        }

    def item_version(self, key: ItemKey) -> str | None:
        """The version of an item, or None where it has vanished. Costs no reading of files."""
        if key.kind in ("type", "member"):
            return self._symbol_version(key.target)
        path = key.lines()[0] if key.kind == "range" else key.target
        try:
            stamp = self._root.stat(path)
        except CodeCortexError:
            return None
        return f"{stamp.mtime_ns}-{stamp.size}"

    def render_item(self, key: ItemKey) -> Rendered | None:
        """The item as it is now, or None where it has vanished."""
        version = self.item_version(key)
        return None if version is None else self._renderers[key.kind](key, version)

    def files_of(self, key: ItemKey) -> tuple[str, ...]:
        """The files that an item is made from."""
        if key.kind in ("type", "member"):
            return tuple(stamp[0] for stamp in self._stamps(key.target))
        return (key.lines()[0] if key.kind == "range" else key.target,)

    def outline(self, found: Found) -> tuple[TypeDetail, str] | None:
        """The type and the outline of what was found."""
        detail = self._index.detail(found.whole.index)
        if detail is None:
            return None
        if found.member is None:
            return detail, type_outline(detail)
        symbol = next((m for m in detail.members if m.id == found.id), None)
        return None if symbol is None else (detail, member_outline(symbol, detail))

    def _symbol_version(self, id_: str) -> str | None:
        stamps = self._stamps(id_)
        return "/".join(f"{mtime_ns}-{size}" for _, size, mtime_ns in stamps) or None

    def _stamps(self, id_: str) -> list[tuple[str, int, int]]:
        return self._index.stamps_of(id_)

    def _type(self, key: ItemKey, version: str) -> Rendered | None:
        found = self._index.resolve(key.target).found
        outlined = self.outline(found[0]) if found else None
        if outlined is None:
            return None
        detail, text = outlined
        symbol = detail.symbol
        ref = self._index.describer.type_ref(found[0].whole)
        return Rendered(
            label=ref.label,
            text=text,
            version=version,
            detail=f"{symbol.file}:{symbol.start_line}-{symbol.end_line}",
            symbol_id=symbol.id,
            file=symbol.file,
            start_line=symbol.start_line,
            end_line=symbol.end_line,
        )

    def _member(self, key: ItemKey, version: str) -> Rendered | None:
        found = self._index.resolve(key.target).found
        outlined = self.outline(found[0]) if found else None
        if outlined is None or found[0].member is None:
            return None
        ref = self._index.describer.member_ref(found[0].whole, found[0].member)
        return Rendered(
            label=f"{found[0].whole.entry.name}.{ref.label}",
            text=outlined[1],
            version=version,
            detail=f"{ref.file}:{ref.start_line}-{ref.end_line}",
            symbol_id=ref.id,
            file=ref.file,
            start_line=ref.start_line,
            end_line=ref.end_line,
        )

    def _range(self, key: ItemKey, version: str) -> Rendered | None:
        path, start, end = key.lines()
        return self._source(path, version, f"{path}:{start}-{end}", (start, end))

    def _file(self, key: ItemKey, version: str) -> Rendered | None:
        return self._source(key.target, version, key.target, (None, None))

    def _source(
        self, path: str, version: str, label: str, lines: tuple[int | None, int | None]
    ) -> Rendered | None:
        try:
            read = self._reader.read(path, start=lines[0], end=lines[1])
        except CodeCortexError:
            return None
        return Rendered(
            label=label,
            text=read.content,
            version=version,
            detail=f"{path}:{read.start_line}-{read.end_line}",
            language="csharp" if path.lower().endswith(".cs") else "",
            file=path,
            start_line=read.start_line,
            end_line=read.end_line,
        )
