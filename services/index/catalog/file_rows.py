"""A file's symbols as the catalogue takes them in, with the labels of their rows: made where the file is read, so
that the process that takes in all files has little left to do for each row.

A label is one text that columns can store. For a type, it also lists the members that the compiler may add, since
they affect the ids of the written ones.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from typing import TypeVar

import msgspec

from services.index.catalog.naming import label, types_of
from services.model import TYPE_KINDS, Kind, Quality
from services.syntax.records.declaration import Declaration, FileRecord
from services.syntax.records.hashing import constructor_signature

UNKNOWN_REST = -1
"""In the place of a rest: it takes the declaration to know the row."""

MOST_LINES = 0xFFFF
_WHOLE = "\0"
"""Before a label that does not begin with the name."""

_MADE = "\1"
"""Behind the rest of a type's label: before the types of its primary constructor's parameters."""

_MANY = "\2"
"""There, of a record: as many members are made of it as takes its declaration to know."""

_RECORDS = frozenset({Kind.RECORD, Kind.RECORD_STRUCT, Kind.UNION})
_OTHERS = _RECORDS | {Kind.INDEXER, Kind.CONVERSION}
_TYPES = TYPE_KINDS - {Kind.DELEGATE}
_SHAPES = bytes(0 if kind in _OTHERS else 2 if kind in _TYPES else 1 for kind in Kind)
"""Form of the label by kind: 1 for name and parameters, 2 for the same unless there are parameters, 0 for others."""


def rests_of(declarations: Sequence[Declaration], kinds: Sequence[int]) -> list[str]:
    """Return the label of each declaration after its name. `kinds`: the index of each kind, which is quicker to look
    up."""
    found: list[str] = []
    for declaration, shape in zip(declarations, map(_SHAPES.__getitem__, kinds), strict=True):
        parameters = declaration.parameters
        if not shape or declaration.type_parameters or declaration.explicit:
            found.append(_rest_of(declaration))
        elif parameters is None:
            found.append("")
        elif shape == 1:
            found.append(f"({types_of(parameters)})")
        else:
            found.append(_rest_of(declaration))
    return found


def _rest_of(declaration: Declaration) -> str:
    text, name = label(declaration), declaration.name
    rest = text[len(name) :] if text.startswith(name) else _WHOLE + text
    return rest + _makes(declaration) if declaration.kind in TYPE_KINDS else rest


def _makes(type_: Declaration) -> str:
    if type_.kind in _RECORDS:
        return _MANY
    is_primary = type_.parameters is not None and type_.kind is not Kind.DELEGATE
    return _MADE + types_of(type_.parameters or ()) if is_primary else ""


def label_of(name: str, rest: str) -> str:
    """The label of a row."""
    shown = rest.rstrip(_MANY).partition(_MADE)[0]
    return shown[1:] if shown.startswith(_WHOLE) else name + shown


def type_parameters_in(rest: str) -> tuple[str, ...]:
    """The type parameters of a type, joined as they are shown; none where it has none."""
    return (rest[1 : rest.index(">")],) if rest.startswith("<") else ()


def made_signatures(fqn: str, name: str, rest: str) -> tuple[str, ...] | None:
    """The canonical signatures of all members that might be made of a type; None where it takes its declaration."""
    if rest.endswith(_MANY):
        return None
    _, primary, types = rest.partition(_MADE)
    lists = ("", types) if primary else ("",)
    return tuple(
        constructor_signature(access, fqn, name, each) for each in lists for access in ("public", "protected")
    )


T = TypeVar("T")
KINDS = tuple(Kind)
ACCESSES = ("public", "protected internal", "protected", "internal", "private protected", "private", "file")
_KIND_CODE = {kind: code for code, kind in enumerate(KINDS)}
_TYPE_CODES = frozenset(_KIND_CODE[kind] for kind in TYPE_KINDS)
_ACCESS_CODE = {access: code for code, access in enumerate(ACCESSES)}
_FILE = _ACCESS_CODE["file"]
_WORD = re.compile(r"[^\W\d]\w*")


class FileRows(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """Rows of one file. Columns have one entry a declaration, in the machine's order; those called `_of` are indexes
    into the list before them.

    telling, leaves_out: as of a FileEntry. types: (declaration, arity) of each type. places: containers of
    declarations: the declaration of a type, or -1 and below the scopes. names: of each declaration. rests: the labels
    after names in lists, UNTOLD where the record is needed. line: the first, 1-based; lines: how many follow it,
    MOST_LINES at most. mentions: the words of type texts, once each, but for the names of the file's own types.
    elsewhere: where the declarations of another configuration begin, -1 without any; unseen: those that only stand
    around some.
    """

    quality: Quality
    line_count: int
    telling: bool
    lossy: bool
    namespaces: tuple[str, ...]
    types: tuple[tuple[int, int], ...]
    places: tuple[int, ...]
    places_of: bytes
    names: list[str]
    rests: list[str]
    rests_of: bytes
    kind: bytes
    access: bytes
    line: bytes
    lines: bytes
    signature: bytes
    leaves_out: bool = False
    mentions: tuple[str, ...] = ()
    elsewhere: int = -1
    unseen: tuple[int, ...] = ()


def file_rows(record: FileRecord) -> FileRows:
    """The rows of a record."""
    declarations = record.every
    kinds = [_KIND_CODE[each.kind] for each in declarations]
    accesses = [_ACCESS_CODE.get(each.access, _FILE) for each in declarations]
    lines = [each.end_line - each.start_line for each in declarations]
    places, places_of = _numbered(
        [each.parent if each.parent >= 0 else -1 - each.scope for each in declarations]
    )
    rests, found = _numbered(rests_of(declarations, kinds))
    for at in _untold(record, accesses, lines):
        found[at] = UNKNOWN_REST
    return FileRows(
        quality=record.quality,
        line_count=record.line_count,
        telling=bool(record.friends) or any(using.is_global for using in record.scopes[0].usings),
        lossy=record.lossy,
        leaves_out=bool(record.left_out),
        namespaces=tuple([scope.namespace for scope in record.scopes]),
        types=tuple(
            [
                (at, len(declarations[at].type_parameters))
                for at, kind in enumerate(kinds)
                if kind in _TYPE_CODES
            ]
        ),
        places=tuple(places),
        places_of=array("i", places_of).tobytes(),
        names=[each.name for each in declarations],
        rests=rests,
        rests_of=array("i", found).tobytes(),
        kind=bytes(kinds),
        access=bytes(accesses),
        line=array("i", [each.start_line for each in declarations]).tobytes(),
        lines=array("H", [min(count, MOST_LINES) for count in lines]).tobytes(),
        signature=record.signatures,
        mentions=_mentions(record.declarations),
        elsewhere=len(record.declarations) if record.elsewhere else -1,
        unseen=tuple(
            at for at, each in enumerate(record.elsewhere, len(record.declarations)) if not each.condition
        ),
    )


def _mentions(declarations: Sequence[Declaration]) -> tuple[str, ...]:
    """Return the words in the bases, signatures and attributes of a file. Which of them are names of types is known
    only where all files are."""
    texts: set[str] = set()
    for each in declarations:
        texts.update(
            (each.returns or "", each.constraints), each.bases, (p.type for p in each.parameters or ())
        )
        texts.update(*((written, f"{written}Attribute") for written in each.attributes))
        if each.receiver is not None:
            texts.add(each.receiver.type)
    own = {each.name for each in declarations if each.kind in TYPE_KINDS}
    return tuple(sorted({*_WORD.findall("\n".join(texts))} - own))


def numbers(column: bytes) -> array[int]:
    """A column of indexes."""
    found = array("i")
    found.frombytes(column)
    return found


def _numbered(values: Sequence[T]) -> tuple[list[T], list[int]]:
    """Each value once, and where each of them is among these."""
    known = {value: at for at, value in enumerate(dict.fromkeys(values))}
    return [*known], [known[value] for value in values]


def _untold(record: FileRecord, accesses: list[int], lines: list[int]) -> Iterator[int]:
    """The declarations whose access or end does not fit into the columns."""
    if max(lines, default=0) >= MOST_LINES:
        yield from (at for at, count in enumerate(lines) if count >= MOST_LINES)
    if _FILE in accesses:
        yield from (at for at, each in enumerate(record.every) if each.access not in _ACCESS_CODE)
