"""Types and members as items of the window: signature, outline, source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec
from msgspec.structs import replace

from services.bench.items.anchors import Anchors, LocatedItem, lines_of
from services.errors import CodeCortexError
from services.index.catalog.catalogue import Catalogue, Follower
from services.index.graph.by_file import Mark
from services.index.graph.graph import Graph
from services.index.index import Index
from services.index.resolve.resolve import FoundSymbol
from services.model import Kind, Level, Symbol, TypeDetail, is_of_tests
from services.prompt.items import OUTLINES, MemberLine, Named, Order, OutlinedBase, Rendered, Request
from services.prompt.outline.csharp_outline import (
    USUAL,
    Alike,
    OutlineStyle,
    declared_alike,
    listed,
    member_declared,
    member_lines,
    type_declared,
)
from services.prompt.outline.outline import signature_of, type_outline
from services.prompt.outline.outline_members import OutlineAccess
from services.prompt.outline.shell import LONGEST_VALUE, Body, Declared, in_order, is_value, shell, used_by
from services.semantic.text import Sections
from services.source.read.reader import SourceReader

_CONTRACTS = frozenset(
    {Kind.INTERFACE, Kind.ENUM, Kind.DELEGATE, Kind.STRUCT, Kind.RECORD, Kind.RECORD_STRUCT, Kind.UNION}
)
_NOTED = (Level.OUTLINE, Level.DECLARATIONS)


class Stamped(msgspec.Struct, frozen=True):
    """A type and the `files` that declare it; `content` names what is in them."""

    index: int
    content: str
    files: tuple[str, ...]


_MOST_FOLLOWED = 500
"""Changed types up to which each is followed; beyond that everything is asked again."""


class Stamps:
    """Versions by type or member id, recomputed only for types that changed. Not thread-safe."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._catalogue: Catalogue | None = None
        self._follower = Follower()
        self._relations = _Relations(index)
        self._known: dict[str, Stamped] = {}
        self._versions: dict[str, str] = {}
        self._ids: dict[int, set[str]] = {}

    def version(self, id_: str) -> str | None:
        """Return a name of the content of the type of an id, and of what it has to do with other types, as of the last
        `follow`; None where it is gone. The first asks for the dependencies of all types."""
        known = self.known(id_)
        if known is not None and id_ not in self._versions:
            relations = self._index.dependencies.relations(known.index)
            self._versions[id_] = f"{known.content}~{relations}" if relations else known.content
        return self._versions.get(id_)

    def known(self, id_: str) -> Stamped | None:
        """Return the type of an id and its files, as of the last `follow`; None where it is gone."""
        known = self._known.get(id_)
        if known is not None:
            return known
        index = self._index.index_of(id_) if id_ else None
        stamps = self._index.stamps_of(id_) if index is not None else []
        if index is None or not stamps:
            return None
        content = "/".join(f"{mtime_ns}-{size}" for _, size, mtime_ns in stamps)
        made = Stamped(index, content, tuple(path for path, _, _ in stamps))
        self._known[id_] = made
        self._ids.setdefault(index, set()).add(id_)
        return made

    def follow(self) -> bool:
        """Lets go of what is known of types that changed since the last question; whether there may be any."""
        with self._index.reading():
            return self._follow(self._index.catalogue)

    def _follow(self, catalogue: Catalogue) -> bool:
        related = self._relations.touched()
        before, self._catalogue = self._catalogue, catalogue
        if catalogue is before and related == set():
            return False
        # A thread that holds an earlier revision may ask after one that holds a later one.
        same = (
            before is not None
            and catalogue.numbering is before.numbering
            and catalogue.version >= before.version
        )
        if not same:
            self._follower = Follower()
        touched = self._follower.touched(catalogue)
        if not same or related is None or len(touched) > _MOST_FOLLOWED:
            self._known.clear()
            self._versions.clear()
            self._ids.clear()
            return True
        # What was renamed answers to its old id until a type has that id again.
        came = {self._index.identities.type_id(index) for index in touched}
        old = {id_ for index in touched | related for id_ in self._ids.pop(index, ())}
        old |= {id_ for id_ in self._known if "_".join(id_.split("_")[:2]) in came}
        if related:  # a type that came may have taken the id of one that stays
            old |= {id_ for id_, known in self._known.items() if self._index.index_of(id_) != known.index}
        for id_ in old:
            self._known.pop(id_, None)
            self._versions.pop(id_, None)
        return True


class _Relations:
    """Types whose dependencies or dependants changed since the last query."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._graph: Graph | None = None
        self._seen = -1
        self._end: Mark | None = None

    def touched(self) -> set[int] | None:
        """Return those types; None for all. While dependencies are being computed, the previous ones are used."""
        graph, now = self._index.graph(), self._index.related_at
        before = self._graph
        same = before is not None and graph.origin is before.origin
        if same and now == self._seen:
            return set()
        is_known = same and now >= 0 and self._seen >= 0
        touched = graph.journal.since(self._end) if is_known and self._end is not None else None
        self._graph, self._seen, self._end = graph, now, graph.journal.mark
        return touched


class TypeNotes(Protocol):
    """Source of notes on types."""

    def of(self, type_id: str) -> Sections:
        """The note of a type, for the end of its outline."""
        ...

    def growing(self, type_id: str) -> list[str]:
        """The note of a type with one section, with two, and so on; nothing where there is none."""
        ...

    def stamp(self, type_id: str) -> str:
        """Something that differs where `of` does; empty where there is no note."""
        ...


class SymbolItems:
    """Over the index as it is and the files as they are. `notes`: None where outlines end without them."""

    def __init__(
        self, index: Index, reader: SourceReader, anchors: Anchors, notes: TypeNotes | None = None
    ) -> None:
        self._index = index
        self._reader = reader
        self._anchors = anchors
        self._notes = notes

    def outline(self, found: FoundSymbol, style: OutlineStyle = USUAL) -> str | None:
        """The outline of what was found, as models read it; None where it has gone."""
        made = self._detail(found)
        if made is None:
            return None
        detail, symbol = made
        if found.member is None:
            return type_declared(detail, style)
        said = self._index.describer.documentation(found.whole, found.member)
        return member_declared(symbol, detail, style, said=said)

    def file_outline(self, found: FoundSymbol) -> str | None:
        """Return the outline of a type as files contain it (004 section 3.4); None where it is gone."""
        detail = self._index.detail(found.whole.index, bound=False)
        return None if detail is None else type_outline(detail)

    def _detail(self, found: FoundSymbol) -> tuple[TypeDetail, Symbol] | None:
        """The type of what was found, and the type or member itself."""
        index = found.whole.index
        if found.member is None:
            detail = self._index.detail(index, bound=False)
            return None if detail is None else (detail, detail.symbol)
        detail = self._index.named_members(index, found.member.declaration.name)
        if detail is None:
            return None
        symbol = next((m for m in detail.members if m.id == found.id), None)
        return None if symbol is None else (detail, symbol)

    def render(self, request: Request, version: str) -> Rendered | None:
        """A type or member as it is now; None where it has gone, or has nothing at this level."""
        found = self._anchors.followed(request.follows, request.key.target)
        if found is None:
            return None
        now = self._anchors.symbol_now(request.follows, found)
        if request.level is Level.WHOLE:
            whole = lines_of(self._reader, now.file, None, now)
            return whole and replace(whole, version=version, label=self._label(found), symbol_id=found.id)
        text = self.text(request, found, now)
        if text is None:
            return None
        sections: tuple[str, ...] = ()
        if self._notes is not None and request.level in _NOTED and found.member is None:
            note, sections = self._notes.of(found.id)
            text = f"{text.rstrip()}\n\n{note}" if note else text
        is_member_source = found.member is not None and request.level is Level.BODIES
        return Rendered(
            label=self._label(found),
            text=text,
            version=version,
            detail=f"{now.file}:{now.start}-{now.end}",
            language="cs",
            symbol_id=found.id,
            file=now.file,
            start_line=now.start,
            end_line=now.end,
            is_source=is_member_source,
            spans=self._spans(request, found, now),
            state=now.state,
            state_detail=now.detail,
            sections=sections,
            order=_order(request, found),
            bases=self._bases(found) if request.level in OUTLINES else (),
            listed=self._listed(request, found),
            members=self._members(request, found),
        )

    def _listed(self, request: Request, found: FoundSymbol) -> frozenset[str]:
        """The ids of the members in the outline of a type."""
        if found.member is not None or request.level not in OUTLINES:
            return frozenset()
        detail = self._index.detail(found.whole.index, bound=False)
        return (
            frozenset() if detail is None else listed(detail, self._style(replace(request, beside=()), found))
        )

    def _members(self, request: Request, found: FoundSymbol) -> tuple[MemberLine, ...]:
        """All members of a type, at the level that lists them all."""
        if found.member is not None or request.level is not Level.DECLARATIONS:
            return ()
        detail = self._index.detail(found.whole.index, bound=False)
        return () if detail is None else member_lines(detail)

    def _bases(self, found: FoundSymbol) -> tuple[str, ...]:
        """The simple names in the base list of a type."""
        if found.member is not None:
            return ()
        bases = (base for part in found.whole.parts for base in part.declaration.bases)
        return tuple(dict.fromkeys(base.partition("<")[0].rpartition(".")[2].strip() for base in bases))

    def _spans(
        self, request: Request, found: FoundSymbol, now: LocatedItem
    ) -> tuple[tuple[str, int, int], ...]:
        """Return the line ranges whose source the requested level shows."""
        if found.member is not None:
            return ((now.file, now.start, now.end),) if request.level is Level.BODIES else ()
        if request.level is Level.BODIES:
            members = (self._anchors.found(id_) for id_ in request.members)
            return tuple(self._anchors.lines_of(each) for each in members if each is not None)
        if request.level is not Level.RANGE:
            return ()
        path = self._index.catalogue.file
        return tuple(
            (path(part.file).path, part.declaration.start_line, part.declaration.end_line)
            for part in found.whole.parts
        )

    def text(self, request: Request, found: FoundSymbol, now: LocatedItem) -> str | None:
        """Return the text of a symbol at the requested level, below that of the whole file."""
        if request.level is Level.SIGNATURE:
            made = self._detail(found)
            return None if made is None else signature_of(made[1], made[0].symbol)
        if request.level in OUTLINES:
            return self.outline(found, self._style(request, found))
        if found.member is not None:
            return self._text_of(now.file, now.start, now.end)
        return self._bodies(request, found) if request.level is Level.BODIES else self._parts(found)

    def _style(self, request: Request, found: FoundSymbol) -> OutlineStyle:
        """How the window has it at a level of declarations."""
        named = (request.named or Named()) if request.level is Level.USED else None
        everything = request.level is Level.DECLARATIONS
        return OutlineStyle(
            access=OutlineAccess.ALL if everything else OutlineAccess.PUBLIC,
            placed=not request.key.is_symbol,  # else the heading says it
            members=request.members,
            named=named,
            also=frozenset(request.also),
            elsewhere=self._declared_beside(found, request.beside),
        )

    def _declared_beside(self, found: FoundSymbol, beside: Sequence[OutlinedBase]) -> dict[str, Alike]:
        """Map the names of base types to the members that they declare alike."""
        detail = self._index.detail(found.whole.index) if beside and found.member is None else None
        bases = {base.type_id for base in detail.symbol.bases or ()} if detail is not None else set()
        told: dict[str, Alike] = {}
        for each in beside:
            other = self._anchors.found(each.id) if each.id in bases else None
            base = self._index.detail(other.whole.index) if other is not None else None
            if detail is not None and base is not None:
                bases |= {above.type_id for above in base.symbol.bases or ()}
                style = OutlineStyle(named=each.named, also=frozenset(each.also))
                if (alike := declared_alike(detail, base, style)).ids:
                    told[base.symbol.name] = alike
        return told

    def _bodies(self, request: Request, found: FoundSymbol) -> str | None:
        """The declaration of a type around the source of the members that were chosen, and what those use of it."""
        detail = self._index.detail(found.whole.index, bound=False)
        members = [each for id_ in request.members if (each := self._anchors.found(id_)) is not None]
        if detail is None or not members:
            return None
        bodies = in_order(self._body(each) for each in members if each.member is not None)
        declared = [
            Declared(member, self._value_of(member) if is_value(member) else "")
            for member in used_by(bodies, detail)
        ]
        return shell(detail, bodies, declared)

    def _body(self, found: FoundSymbol) -> Body:
        file, start, end = self._anchors.lines_of(found)
        name = found.member.declaration.name if found.member is not None else ""
        return Body(found.id, name, file, start, end, self._text_of(file, start, end))

    def _value_of(self, member: Symbol) -> str:
        """The source of a field or constant, with its value; nothing where that is long."""
        if member.end_line - member.start_line >= LONGEST_VALUE:
            return ""
        return self._text_of(member.file, member.start_line, member.end_line)

    def _parts(self, found: FoundSymbol) -> str:
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

    def _label(self, found: FoundSymbol) -> str:
        describer = self._index.describer
        if found.member is None:
            return describer.refs.type_ref(found.whole).label
        return f"{found.whole.entry.name}.{describer.refs.member_ref(found.whole, found.member).label}"


def _order(request: Request, found: FoundSymbol) -> Order:
    if request.level not in (Level.SIGNATURE, *OUTLINES):
        return Order.SOURCE
    if is_of_tests(found.whole.entry.fqn):
        return Order.TEST
    is_contract = found.member is None and found.whole.entry.kind in _CONTRACTS
    return Order.CONTRACT if is_contract else Order.USER
