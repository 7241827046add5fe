"""Objects by name, which are types and members: what each is made of in the files of a version, and its structure
without its source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import nullcontext, suppress

import msgspec

from services.errors import (
    Busy,
    CodeCortexError,
    FileMissing,
    IncludeNotFound,
    LineOutOfRange,
    SymbolNotFound,
)
from services.index.build.worker import as_utf8, parsed_text
from services.index.catalog.catalogue import TypeEntry
from services.index.compiled import homes
from services.index.index import Index
from services.index.resolve.resolve import FoundSymbol
from services.index.symbols.placed import Placed, TypeWithMembers
from services.index.symbols.test_names import names_tests, test_names
from services.model import SourcePiece, SourceRange, Structure, StructureLink, StructurePart, SymbolRef
from services.source.read.parts import DeclaredPart, Include, located, part_of
from services.source.read.reader import SourceReader
from services.source.read.token import Version
from services.syntax.markup.reading import read_source_file
from services.syntax.records.hashing import text_hash

MOST = 50
"""Types found by their text. One that more of them name is no longer tested by any in particular."""


def tests_of(index: Index, whole: TypeWithMembers, reader: SourceReader) -> list[TypeWithMembers]:
    """The test types about a type, sorted by name."""
    named = [at for at, entry in _others(index, whole) if entry.name in test_names(whole.entry.name)]
    found = named or [at for at, _ in _referring(index, whole, reader)][:MOST]
    wholes = (index.describer.whole(at) for at in found)
    return sorted((each for each in wholes if each is not None), key=lambda each: each.entry.fqn)


def _others(index: Index, whole: TypeWithMembers) -> Iterator[tuple[int, TypeEntry]]:
    return ((at, entry) for at, entry in homes(index.catalogue) if at != whole.index)


def _referring(index: Index, whole: TypeWithMembers, reader: SourceReader) -> Iterator[tuple[int, TypeEntry]]:
    """Outermost types of test projects with the name in one of their declarations' files, in it as a word."""
    catalogue = index.catalogue
    tests = {at for at, name in enumerate(catalogue.projects) if names_tests(name)}
    word = re.compile(rb"\b" + re.escape(whole.entry.name.encode()) + rb"\b")
    for at, entry in _others(index, whole):
        if entry.project in tests and "+" not in entry.fqn and entry.project != whole.entry.project:
            paths = (catalogue.file(file).path for file, _ in entry.parts)
            if any(_names_it(reader, path, word) for path in paths):
                yield at, entry


def _names_it(reader: SourceReader, path: str, word: re.Pattern[bytes]) -> bool:
    try:
        text, _ = reader.text(path)
    except CodeCortexError:
        return False
    return word.search(text.data) is not None


_LOOKS = 5
"""Most attempts to read a file that is being written, before the read fails."""


class ObjectView(msgspec.Struct, frozen=True, kw_only=True):
    """How to look at an object. `include`: a part of a type, None for all of it; `start`, `end`: lines of its file."""

    include: Include | None = None
    start: int | None = None
    end: int | None = None
    version: Version = Version.WORKING


class Objects:
    """Types and members as lines of files: their declarations come from the index, the lines from the files as they
    are."""

    def __init__(self, index: Index, reader: SourceReader) -> None:
        self._index = index
        self._reader = reader

    def read(self, found: FoundSymbol, view: ObjectView) -> SourceRange:
        """The lines of a type or member: its declaration, the `view`'s part of it, or the lines of its file that the
        view names. Raises Busy, IncludeNotFound, LineOutOfRange, SymbolNotFound, and as SourceReader.read."""
        kind = str(found.whole.entry.kind if found.member is None else found.member.declaration.kind)
        if view.include is not None and found.member is None:
            pieces = self.part(found.whole, view.include, view.version)
            read = self._reader.read_pieces(pieces, start=view.start, end=view.end, version=view.version)
            return msgspec.structs.replace(read, object_type=kind, include_type=str(view.include))
        return msgspec.structs.replace(self._read(found, view), object_type=kind)

    def _read(self, found: FoundSymbol, view: ObjectView) -> SourceRange:
        """Lines and text of one state of the file, which may be written between the look at the one and the other."""
        declared = self._one(found, view.version)
        for _ in range(_LOOKS):
            start, end = view.start, view.end
            if start is None and end is None:
                start, end = declared.declaration.start_line, declared.declaration.end_line
            with suppress(LineOutOfRange) if view.start is view.end is None else nullcontext():
                read = self._reader.read(declared.path, start=start, end=end, version=view.version)
                if read.token == declared.token:
                    return read
            declared = self._one(found, view.version)
        message = f"{declared.path} is written again and again. Read it when that has ended."
        raise Busy(message, path=declared.path)

    def lines(self, found: FoundSymbol, view: ObjectView) -> tuple[SourcePiece, ...]:
        """Return the lines of an object: all declarations of a type, a part of them, or a member. Raises as `read`."""
        if found.member is not None:
            own = self._one(found, view.version)
            return (_piece(own.path, (own.declaration.start_line, own.declaration.end_line)),)
        if view.include is not None:
            return self.part(found.whole, view.include, view.version)
        declared = self.declared(found.whole, view.version)
        return tuple(
            _piece(each.path, (each.declaration.start_line, each.declaration.end_line)) for each in declared
        )

    def part(
        self, whole: TypeWithMembers, include: Include, version: Version = Version.WORKING
    ) -> tuple[SourcePiece, ...]:
        """Return the lines of a part. Raises IncludeNotFound where the type has none; its message lists the existing
        ones."""
        pieces = self._pieces(whole, include, version)
        if not pieces:
            available = [
                str(each) for each in Include if each is not include and self._pieces(whole, each, version)
            ]
            message = f"{whole.entry.fqn} has no {include}. It has: {', '.join(available)}."
            raise IncludeNotFound(
                message, object=whole.entry.fqn, includeType=str(include), available=available
            )
        return pieces

    def parts(self, whole: TypeWithMembers) -> dict[Include, tuple[SourcePiece, ...]]:
        """Every part that the type has."""
        every = {include: self._pieces(whole, include, Version.WORKING) for include in Include}
        return {include: pieces for include, pieces in every.items() if pieces}

    def declared(self, whole: TypeWithMembers, version: Version = Version.WORKING) -> list[DeclaredPart]:
        """The declarations of a type in a version, the primary one first. Raises SymbolNotFound where it has none."""
        parts = sorted(whole.parts, key=lambda part: part is not whole.primary)
        found = [each for part in parts if (each := self._declared(part, version)) is not None]
        if not found:
            raise _undeclared(whole.entry.fqn, version)
        return found

    def _one(self, found: FoundSymbol, version: Version) -> DeclaredPart:
        """Return the one declaration that represents a member or a type."""
        placed = found.member or found.whole.primary
        declared = self._declared(placed, version)
        if declared is None:
            raise _undeclared(found.whole.entry.fqn, version)
        return declared

    def _pieces(self, whole: TypeWithMembers, include: Include, version: Version) -> tuple[SourcePiece, ...]:
        if include is Include.TESTCLASSES:
            tests = tests_of(self._index, whole, self._reader)
            declared = [each for test in tests for each in self._there(test, version)]
            return tuple(
                _piece(each.path, (each.declaration.start_line, each.declaration.end_line))
                for each in declared
            )
        return tuple(_piece(path, lines) for path, lines in part_of(self.declared(whole, version), include))

    def _there(self, whole: TypeWithMembers, version: Version) -> list[DeclaredPart]:
        return [each for part in whole.parts if (each := self._declared(part, version)) is not None]

    def _declared(self, placed: Placed, version: Version) -> DeclaredPart | None:
        """A declaration in a version of its file. Where that is not what the index has read, the file is parsed
        again, with the preprocessor symbols that its project has now."""
        entry = self._index.catalogue.file(placed.file)
        path = entry.path
        known = self._index.records.record(placed.file)
        try:
            now, text = self._reader.content(path, version)
        except FileMissing:
            return None
        data = parsed_text(text.data, path, text.declared)
        if known is None:
            return None
        if known.file_hash == text_hash(data):
            return DeclaredPart(path, data, known, placed.at, now.token)
        shown, symbols = as_utf8(text.data, path, text.declared), self._index.defines(entry.project, path)
        record = read_source_file(path, shown, symbols)
        at = located(record, known, placed.at)
        return None if at is None else DeclaredPart(path, data, record, at, now.token)


def _piece(path: str, lines: tuple[int, int]) -> SourcePiece:
    return SourcePiece(file=path, start_line=lines[0], end_line=lines[1])


def _undeclared(fqn: str, version: Version) -> SymbolNotFound:
    return SymbolNotFound(f"{fqn!r} is not declared in the {version} version of its files.", suggestions=[])


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
