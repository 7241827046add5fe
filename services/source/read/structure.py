"""The structure of an object: its parts, members and links, without its source (000 section 2.1)."""

from __future__ import annotations

from services.index.compiled import homes
from services.index.index import Index
from services.index.resolve.resolve import FoundSymbol
from services.index.symbols.placed import TypeWithMembers
from services.model import Structure, StructureLink, StructurePart, SymbolRef
from services.source.read.objects import Objects
from services.source.read.reader import SourceReader


def type_structure(index: Index, objects: Objects, reader: SourceReader, found: FoundSymbol) -> Structure:
    """The structure of a type, or of the type that declares a member. Raises SymbolNotFound, WorkspaceError."""
    whole = found.whole
    primary = objects.declared(whole)[0]
    entry, text = reader.content(primary.path)
    ref = index.describer.refs.type_ref(whole)
    return Structure(
        object=whole.id,
        object_type=str(whole.entry.kind),
        name=ref.path,
        file=primary.path,
        start_line=primary.declaration.start_line,
        end_line=primary.declaration.end_line,
        line_count=text.line_count,
        token=entry.token,
        changed_at=entry.changed_at,
        changed_by=entry.changed_by,
        includes=_includes(objects, whole),
        members=tuple(
            index.describer.refs.member_ref(whole, each) for each in whole.members if not each.implicit
        ),
        links=_links(index, whole),
    )


def file_structure(index: Index, reader: SourceReader, path: str) -> Structure:
    """Return the outermost types of a file, in the order of their lines. Raises as SourceReader.content."""
    entry, text = reader.content(path)
    types = _types_in(index, entry.path)
    return Structure(
        object=entry.path,
        object_type="file",
        name=entry.path.rpartition("/")[2],
        file=entry.path,
        start_line=1,
        end_line=text.line_count,
        line_count=text.line_count,
        token=entry.token,
        changed_at=entry.changed_at,
        changed_by=entry.changed_by,
        members=types,
        links=tuple(StructureLink(rel="type", href=each.id, title=each.path) for each in types),
    )


def _includes(objects: Objects, whole: TypeWithMembers) -> tuple[StructurePart, ...]:
    return tuple(
        StructurePart(
            include_type=str(include),
            pieces=pieces,
            line_count=sum(piece.end_line - piece.start_line + 1 for piece in pieces),
        )
        for include, pieces in objects.parts(whole).items()
    )


def _links(index: Index, whole: TypeWithMembers) -> tuple[StructureLink, ...]:
    """Files that declare the type, the main one first, then its bases and nested types."""
    parts = sorted(whole.parts, key=lambda part: part is not whole.primary)
    files = dict.fromkeys(index.catalogue.file(part.file).path for part in parts)
    links = [StructureLink(rel="source", href=path, title=path) for path in files]
    bases = index.describer.type_symbol(whole).bases or ()
    links += [
        StructureLink(rel="base", href=base.type_id or base.fqn or base.text, title=base.text)
        for base in bases
        if not base.implicit
    ]
    detail = index.detail(whole.index)
    nested = detail.nested if detail is not None else ()
    return (*links, *(StructureLink(rel="nested", href=ref.id, title=ref.label) for ref in nested))


def _types_in(index: Index, path: str) -> tuple[SymbolRef, ...]:
    """Return the outermost types that a file declares, at their place in this file, also where another part is the
    canonical one."""
    catalogue = index.catalogue
    found: list[tuple[int, SymbolRef]] = []
    for at, entry in homes(catalogue):
        there = [
            part for part in entry.parts if "+" not in entry.fqn and catalogue.file(part[0]).path == path
        ]
        whole = index.describer.whole(at) if there else None
        if whole is not None:
            record = index.records.record(there[0][0])
            line = record.every[there[0][1]].start_line if record is not None else 0
            found.append((line, index.describer.refs.type_ref(whole)))
    return tuple(ref for _, ref in sorted(found, key=lambda pair: pair[0]))
