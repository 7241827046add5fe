"""Anchors: where what is in the window stood when it was chosen, where it is now, and what changed of it.

A symbol is followed by its id, and through renames by `aliases.json`; lines of a file are followed within the symbol
that holds them, by what they say and by their distance from its ends.
"""

from __future__ import annotations

import msgspec

from services.bench.items.identity import Identity, block_at, hash_of, hashes, named, split_lines
from services.errors import CodeCortexError
from services.index.index import Index
from services.index.resolve.resolve import FoundSymbol
from services.index.symbols.describe import Placed
from services.model import ItemState
from services.prompt.items import Anchor, ItemKey, Rendered
from services.source.read.reader import SourceReader
from services.workspace.text import Text

_LOOKED_AT = 200
_FURTHEST = 20_000
"""Lines from where they stood up to which lines are looked for: a file may have millions."""


class LocatedItem(msgspec.Struct, frozen=True, kw_only=True):
    """Current location of an item. `changed`: its lines differ from those that were pinned."""

    file: str
    start: int
    end: int
    state: ItemState = ItemState.FRESH
    detail: str = ""
    changed: bool = False


class Anchors:
    """Over the index as it is and the files as they are."""

    def __init__(self, index: Index, reader: SourceReader) -> None:
        self._index = index
        self._reader = reader
        self._identity = Identity(lambda placed: self._text(self._path(placed)))

    def found(self, id_: str) -> FoundSymbol | None:
        """The symbol of an id, or the one that took its place."""
        resolution = self._index.resolve(id_) if id_ else None
        return resolution.found[0] if resolution is not None and resolution.found else None

    def followed(self, anchor: Anchor | None, id_: str = "") -> FoundSymbol | None:
        """The symbol of an anchor: by its id, or, of a member, by its name where its signature changed, and by all else
        where its name did; never one of several. `id_`: for want of an anchor."""
        found = self.found(anchor.symbol if anchor is not None else id_)
        if found is not None or anchor is None or not anchor.name:
            return found
        owner = self.found("_".join(anchor.symbol.split("_")[:2]))
        if owner is None:
            return None
        overloads = [each for each in named(owner.whole, anchor.name) if each.id not in anchor.overloads]
        left = overloads or self._identity.alike(owner.whole, anchor)
        return FoundSymbol(owner.whole, left[0]) if len(left) == 1 else None

    def lines_of(self, found: FoundSymbol, file: str = "", line: int = 0) -> tuple[str, int, int]:
        """(file, first, last line) of a symbol. `file`, `line`: of a partial type the part there, if there is one."""
        placed = found.member or found.whole.primary
        if found.member is None and file:
            parts = [part for part in found.whole.parts if self._path(part) == file]
            placed = next((part for part in parts if _holds(part, line)), (parts or [placed])[0])
        declaration = placed.declaration
        return self._path(placed), declaration.start_line, declaration.end_line

    def of_symbol(self, found: FoundSymbol) -> Anchor:
        """Return the anchor of a symbol at its current location."""
        file, start, end = self.lines_of(found)
        return Anchor(file=file, start=start, end=end, **self._identity.of(found))

    def of_lines(self, file: str, start: int, end: int) -> Anchor | None:
        """Return the anchor of lines of a file in the innermost enclosing symbol. None where the lines do not
        exist."""
        text = self._text(file)
        if text is None or start > text.line_count:
            return None
        end = min(end, text.line_count)
        content = hash_of(split_lines(text.slice(start, end)))
        anchor = Anchor(file=file, start=start, end=end, content=content)
        holder = self.holder(file, start, end)
        if holder is None:
            return anchor
        _, first, last = self.lines_of(holder, file, start)
        return Anchor(
            file=file,
            start=start,
            end=end,
            offset=start - first,
            tail=last - end,
            content=anchor.content,
            **self._identity.of(holder),
        )

    def of_file(self, file: str) -> Anchor | None:
        """Return the anchor of a file with its current content. None where there is no file."""
        try:
            entry, text = self._reader.content(file)
        except CodeCortexError:
            return None
        content = entry.token.rpartition("_")[2]
        return Anchor(file=file, start=1, end=text.line_count, content=content, symbol=self.lead(file))

    def lead(self, file: str) -> str:
        """The id of what leads to a file when it has another name: the first type that it alone declares or, of types
        that other files hold parts of too, the first member; empty where it has neither."""
        types = map(self._index.describer.whole, self._index.files.types_in(file))
        wholes = [whole for whole in types if whole is not None]
        alone = (whole.id for whole in wholes if all(self._path(part) == file for part in whole.parts))
        members = (
            member.id
            for whole in wholes
            for member in whole.members
            if not member.implicit and self._path(member) == file
        )
        return next(alone, "") or next(members, "")

    def holder(self, file: str, start: int, end: int) -> FoundSymbol | None:
        """The innermost symbol that holds lines of a file, or its type; else the first that begins among them, as a
        member does that was chosen with its documentation."""
        first = next((ref for n in _some(start, end) if (ref := self._index.files.enclosing(file, n))), None)
        if first is None:
            return None
        found = [each for id_ in _with_type(first.id) if (each := self.found(id_)) is not None]
        for each in found:
            _, its_first, its_last = self.lines_of(each, file, start)
            if its_first <= start and end <= its_last:
                return each
        return found[-1] if found else None

    def symbol_now(self, anchor: Anchor | None, found: FoundSymbol) -> LocatedItem:
        """Return the current location of a symbol and its changes since the anchor was taken."""
        file, start, end = self.lines_of(found)
        if anchor is None:
            return LocatedItem(file=file, start=start, end=end)
        moves = []
        name = found.member.declaration.name if found.member is not None else ""
        if anchor.name and name != anchor.name:
            state, said = ItemState.FRESH, []  # known again by all but its name
            moves.append(f"It was renamed from {anchor.name} to {name}.")
        else:
            state, said = _compared(anchor, found)
        if _is_renamed(anchor, found):
            moves.append(f"It was renamed or moved: {anchor.symbol} is now {found.id}.")
        if file != anchor.file:
            moves.append(f"It moved from {anchor.file} to {file}.")
        elif start != anchor.start:
            moves.append(f"It moved from line {anchor.start} to {start}.")
        if moves and state is ItemState.FRESH:
            state = ItemState.MOVED
        return LocatedItem(file=file, start=start, end=end, state=state, detail=" ".join((*said, *moves)))

    def lines_now(self, key: ItemKey, anchor: Anchor | None) -> LocatedItem | None:
        """Return the current location of lines of a file. None where they, and their enclosing symbol, are gone."""
        path, start, end = key.lines()
        if anchor is None:
            detail = "Whether these lines have moved is not known: they were chosen by an older version."
            return LocatedItem(file=path, start=start, end=end, detail=detail, changed=True)
        found = self.followed(anchor)
        within = self.lines_of(found, anchor.file, anchor.start) if found is not None else None
        place = self._same_lines(anchor, within)
        if place is not None:
            return _moved(anchor, *place, renamed=found is not None and _is_renamed(anchor, found))
        if found is None or within is None:
            return self._as_numbered(anchor) if not anchor.symbol else None
        state, _ = _compared(anchor, found)
        file, first, last = within
        start = max(1, min(first + anchor.offset, last))
        # An edit inside the lines leaves what is before and behind them as it was.
        end = max(start, last - anchor.tail)
        detail = "These lines have changed since they were chosen."
        if state is ItemState.SIGNATURE_CHANGED:
            detail += " So has the signature of what holds them."
        state = ItemState.BODY_CHANGED if state is ItemState.FRESH else state
        return LocatedItem(file=file, start=start, end=end, state=state, detail=detail, changed=True)

    def file_now(self, file: str, anchor: Anchor | None) -> LocatedItem | None:
        """A whole file now; where there is none of its name any more, the one that declares what leads to it. None
        where that is gone too."""
        now, came = self.of_file(file), file
        if now is None and anchor is not None and (found := self.found(anchor.symbol)) is not None:
            came = self.lines_of(found)[0]
            now = self.of_file(came)
        if now is None:
            return None
        state, said = ItemState.FRESH, list[str]()
        if came != file:
            state, said = ItemState.MOVED, [f"The file moved from {file} to {came}."]
        if anchor is not None and anchor.content != now.content:
            state = ItemState.BODY_CHANGED
            said.insert(0, "The file has changed since it was chosen; this is what it says now.")
        return LocatedItem(file=came, start=1, end=now.end, state=state, detail=" ".join(said))

    def text_lines(self, file: str) -> list[str] | None:
        """The lines of a file without their endings; None where it cannot be read."""
        text = self._text(file)
        return None if text is None else split_lines(text.content)

    def _text(self, file: str) -> Text | None:
        try:
            return self._reader.content(file)[1]
        except CodeCortexError:
            return None

    def _same_lines(self, anchor: Anchor, within: tuple[str, int, int] | None) -> tuple[str, int, int] | None:
        """Return the location of an anchor's lines, verbatim: in its symbol, else elsewhere in its file."""
        count = anchor.end - anchor.start + 1
        for file, first, last in (*([within] if within is not None else []), (anchor.file, 1, 0)):
            text = self._text(file)
            if text is None:
                continue
            # Lines before and behind the symbol were chosen with it where these are negative.
            top = max(1, first + min(anchor.offset, 0)) if last else 1
            bottom = min(last - min(anchor.tail, 0) if last else text.line_count, text.line_count)
            near = first + anchor.offset if last else anchor.start
            top, bottom = max(top, near - _FURTHEST), min(bottom, near + count + _FURTHEST)
            if top > bottom:
                continue
            at = block_at(split_lines(text.slice(top, bottom)), anchor.content, count, near=near - top)
            if at is not None:
                return file, top + at, top + at + count - 1
        return None

    def _as_numbered(self, anchor: Anchor) -> LocatedItem | None:
        """The lines of the old numbers, of a file that no symbol leads through."""
        text = self._text(anchor.file)
        if text is None or anchor.start > text.line_count:
            return None
        detail = "These lines have changed since they were chosen; the line numbers are those of then."
        end = min(anchor.end, text.line_count)
        state = ItemState.BODY_CHANGED
        return LocatedItem(
            file=anchor.file, start=anchor.start, end=end, state=state, detail=detail, changed=True
        )

    def _path(self, placed: Placed) -> str:
        return self._index.catalogue.file(placed.file).path


def _some(start: int, end: int) -> range:
    """Lines to look for a symbol at; not all of a long stretch."""
    return range(start, min(end, start + _LOOKED_AT) + 1)


def _with_type(id_: str) -> tuple[str, ...]:
    """An id and, of a member, that of its type."""
    type_id = "_".join(id_.split("_")[:2])
    return (id_,) if id_ == type_id else (id_, type_id)


def _holds(part: Placed, line: int) -> bool:
    return part.declaration.start_line <= line <= part.declaration.end_line


def _is_renamed(anchor: Anchor, found: FoundSymbol) -> bool:
    """Whether aliases.json led to the symbol; another signature gives a member another id of the same type."""
    of_type = "_".join(anchor.symbol.split("_")[:2])
    return found.whole.id != of_type


def _compared(anchor: Anchor, found: FoundSymbol) -> tuple[ItemState, list[str]]:
    """Return the state of a symbol and its changes, apart from location and name, which is part of the type's
    structure."""
    structure, impl = hashes(found)
    is_renamed = _is_renamed(anchor, found)
    # What nobody else sees has no structure of its own, but its id is made from its signature.
    another = found.member is not None and not is_renamed and found.id != anchor.symbol
    if another or (structure != anchor.structure and not (is_renamed and found.member is None)):
        what = "Its signature" if found.member is not None else "Its own signature or a member's"
        return ItemState.SIGNATURE_CHANGED, [f"{what} has changed since it was chosen."]
    if impl != anchor.impl:
        body = "Its body has" if found.member is not None else "A body in it has"
        return ItemState.BODY_CHANGED, [f"{body} changed since it was chosen."]
    return ItemState.FRESH, []


def _moved(anchor: Anchor, file: str, start: int, end: int, *, renamed: bool) -> LocatedItem:
    """Return the location of unchanged lines that moved."""
    here = (file, start) == (anchor.file, anchor.start)
    moves = [] if here else [f"These lines moved from {anchor.file}:{anchor.start} to {file}:{start}."]
    if renamed:
        moves.append("What holds them was renamed or moved.")
    state = ItemState.MOVED if moves else ItemState.FRESH
    return LocatedItem(file=file, start=start, end=end, state=state, detail=" ".join(moves))


def lines_of(
    reader: SourceReader, path: str, lines: tuple[int, int] | None, now: LocatedItem
) -> Rendered | None:
    """Lines of a file, or all of it; None where it cannot be read."""
    start, end = lines or (None, None)
    try:
        read = reader.read(path, start=start, end=end)
    except CodeCortexError:
        return None
    return Rendered(
        label=path if lines is None else f"{path}:{read.start_line}-{read.end_line}",
        text=read.content,
        version="",
        detail=f"{path}:{read.start_line}-{read.end_line}",
        language="cs" if path.lower().endswith(".cs") else "",
        file=path,
        start_line=read.start_line,
        end_line=read.end_line,
        is_source=True,
        state=now.state,
        state_detail=now.detail,
        changed=now.changed,
    )
