"""The public API of both sides of a changed file, without an index of the old side.

What a side declares is parsed from its text and put in the place of what the index has of that file; names are bound as
the index binds them there. A type that the index does not have keeps its names as they are written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from services.index.catalog.access import widest
from services.index.catalog.catalogue import Catalogue, TypeEntry
from services.index.catalog.file_rows import ACCESSES
from services.index.index import Index
from services.index.names.names import Names
from services.index.names.space import Bound
from services.index.symbols.implicit import implicit_members
from services.index.symbols.partials import joined, primary_of
from services.index.symbols.placed import Placed, TypeWithMembers
from services.model import TYPE_KINDS
from services.review.api.members import MemberWriter
from services.review.api.symbol import VISIBLE, ApiSymbol
from services.review.api.type_view import DeclaringText, TypeView
from services.syntax.markup.reading import read_source_file, source_text
from services.syntax.records.declaration import FileRecord


class _Unbound:
    """Names that nothing is known of."""

    space: Any

    def __init__(self) -> None:
        self.space = self

    def bound(self, *_: object) -> Bound:
        return Bound(None)

    bound_base = bound

    def bases(self, _: int) -> tuple[Bound, ...]:
        return ()

    def kind_of(self, *_: object) -> None:
        return None


class FileSides:
    """Reads sides of files. The names of the index have to be worked out (`relate`)."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._surface = Surface(index)
        names = index.describer.names()
        if names is None:
            raise LookupError("no projects are known, so no name can be bound")
        self._names = names

    def symbols(self, path: str, text: str | None, *, known_as: str | None = None) -> dict[str, ApiSymbol]:
        """Return the visible symbols of one side of a file. `text`: None where the file does not exist; `known_as`:
        its path in the index."""
        if text is None:
            return {}
        types = self._index.files.types_in(known_as or path, nested=True)
        wholes = {
            whole.entry.fqn: whole for at in types if (whole := self._index.describer.whole(at)) is not None
        }
        file = _file_of(wholes, self._index, known_as or path)
        project = next((whole.entry.project for whole in wholes.values()), 0)
        data = text.encode("utf-8", "surrogatepass")
        record = read_source_file(path, data, self._index.defines(project, known_as or path))
        written = DeclaringText(path, source_text(path, data), file)
        found: dict[str, ApiSymbol] = {}
        for at, fqn in _types(record):
            if self._is_seen(record, at):
                found |= {each.id: each for each in self._of_type(record, at, wholes.get(fqn), fqn, written)}
        return found

    def _of_type(
        self, record: FileRecord, at: int, whole: TypeWithMembers | None, fqn: str, written: DeclaringText
    ) -> Iterator[ApiSymbol]:
        names: Any = self._names if whole is not None else _Unbound()
        view = TypeView(self._index, names, _as_written(record, at, whole, fqn, written.file), written)
        return MemberWriter(view).symbols()

    def _is_seen(self, record: FileRecord, at: int) -> bool:
        while at >= 0:
            if record.declarations[at].access not in VISIBLE:
                return False
            at = record.declarations[at].parent
        return True


def _types(record: FileRecord) -> Iterator[tuple[int, str]]:
    """Every type of a file with its full name, as the catalogue has it."""
    names: dict[int, str] = {}
    for at, each in enumerate(record.declarations):
        if each.kind not in TYPE_KINDS:
            continue
        own = each.name + (f"`{len(each.type_parameters)}" if each.type_parameters else "")
        if each.parent >= 0:
            names[at] = f"{names.get(each.parent, '')}+{own}"
        else:
            namespace = record.scopes[each.scope].namespace
            names[at] = f"{namespace}.{own}" if namespace else own
        yield at, names[at]


def _as_written(
    record: FileRecord, at: int, whole: TypeWithMembers | None, fqn: str, file: int
) -> TypeWithMembers:
    """Return a type whose part in one file is replaced by what a text declares."""
    declaration = record.declarations[at]
    others = [part for part in whole.parts if part.file != file] if whole is not None else []
    # Names are bound where the type stands in the index.
    stands = next((part.at for part in whole.parts if part.file == file), 0) if whole is not None else 0
    parts = [*others, Placed(file, stands, declaration)]
    kept = [m for m in whole.members if m.file != file and not m.implicit] if whole is not None else []
    own = [
        Placed(file, stands, each)
        for each in record.declarations
        if each.parent == at and each.kind not in TYPE_KINDS
    ]
    members = joined([*kept, *own])
    primary = primary_of(parts)
    modifiers = frozenset(word for part in parts for word in part.declaration.modifiers)
    made = implicit_members(primary.declaration, modifiers, [each.declaration for each in members])
    members += [Placed(primary.file, primary.at, each, True) for each in made]
    arity = len(declaration.type_parameters)
    entry = TypeEntry(fqn, declaration.name, arity, declaration.kind, whole.entry.project if whole else 0, ())
    return TypeWithMembers(
        whole.index if whole else -1, entry, whole.id if whole else "", parts, primary,
        widest([part.declaration.access for part in parts]), tuple(sorted(modifiers)), False, members, [],
    )  # fmt: skip


def _file_of(wholes: dict[str, TypeWithMembers], index: Index, path: str) -> int:
    for whole in wholes.values():
        for part in whole.parts:
            if index.catalogue.file(part.file).path == path:
                return part.file
    return -1


class Surface:
    """Reads the public API of projects out of an index. The names of the index have to be worked out (`relate`)."""

    def __init__(self, index: Index) -> None:
        names = index.describer.names()
        if names is None:
            raise LookupError("no projects are known, so no name can be bound")
        self._index = index
        self._names: Names = names
        self._catalogue: Catalogue = index.catalogue

    def of(self, projects: Iterable[str]) -> Iterator[ApiSymbol]:
        """Everything that others see of the projects of these names."""
        wanted = frozenset(projects)
        for at, entry in self._catalogue.live_types():
            # What several projects compile may be public in one of them alone.
            there = self._catalogue.projects[entry.project] in wanted and not entry.is_elsewhere
            if there and self._declared(at) in VISIBLE:
                whole = self._index.describer.whole(at)
                if whole is not None:
                    yield from self.of_type(whole)

    def _declared(self, at: int) -> str:
        """How a type is declared in its own project."""
        columns = self._catalogue.columns
        rows = [self._catalogue.file(file).rows[0] + row for file, row in self._catalogue.type(at).parts]
        return widest([ACCESSES[columns.access[row]] for row in rows])

    def of_type(self, whole: TypeWithMembers) -> Iterator[ApiSymbol]:
        """A type and its members, as far as others see them."""
        if whole.access in VISIBLE and self._around(whole):
            yield from MemberWriter(TypeView(self._index, self._names, whole)).symbols()

    def _around(self, whole: TypeWithMembers) -> bool:
        """Whether the types around a type are seen."""
        while "+" in whole.entry.fqn:
            outer = self._catalogue.enclosing(whole.entry)
            found = self._index.describer.whole(outer) if outer is not None else None
            if found is None or found.access not in VISIBLE:
                return False
            whole = found
        return True


def surface(index: Index, projects: Iterable[str]) -> Mapping[str, ApiSymbol]:
    """The public API of projects by documentation id."""
    return {symbol.id: symbol for symbol in Surface(index).of(projects)}
