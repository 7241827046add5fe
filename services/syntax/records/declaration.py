"""Record of one file: its declarations, scopes and usings, as compact records.

The records travel from the workers as msgpack arrays and are stored as they come; their layout is part of
`SYNTAX_VERSION`. Offsets are bytes in the file, lines 1-based and inclusive.
"""

from __future__ import annotations

import msgspec

from services.concurrency.lazy import expression
from services.model import Kind, Quality

SYNTAX_VERSION = 43
"""Raised whenever a record or a rule of hashing changes: a cache of another version is rebuilt."""
_ACCESSOR_BODY = expression(rb"=>|\b(?:get|set|init|add|remove)\s*\{")


class Record(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Base of the stored records."""


CUT = "…"
"""In the place of a value or default that is too long to keep."""


class ParameterRecord(Record, frozen=True):
    """A parameter as written. `default`: its expression, cut at 40 characters, or empty."""

    type: str
    modifier: str
    name: str
    default: str


class Stretch(Record, frozen=True):
    """A part of a declaration that declares something of its own: offsets, and lines."""

    start: int
    end: int
    start_line: int
    end_line: int


class Using(Record, frozen=True):
    """A using directive. `alias` is empty without one; `name` may be a whole type for an alias."""

    name: str
    alias: str
    static: bool
    is_global: bool


class Scope(Record, frozen=True):
    """The compilation unit (first) or a namespace declaration. `namespace` is whole; `parent` -1 for the unit."""

    namespace: str
    parent: int
    usings: tuple[Using, ...]


class Declaration(Record, frozen=True):
    """A declaration.

    parent: index of the enclosing type among the file's declarations, or -1; scope: index of its scope.
    access: as declared, else the language's default. modifiers: without access, in source order.
    parameters: None for what has none. returns: type of a field, property, event, method, delegate, conversion.
    accessors: (name, own access or ""), readonly: names of those that are so for themselves.
    explicit: the interface of an explicit implementation.
    bases: base list as written. attributes: names as written, with type arguments. value: of a constant or an enum
    member, short; of a fixed buffer its size.
    start, end: the whole declaration with its attributes. body: (start, end) of what implHash reads.
    doc: (start, end) of the doc comment, (0, 0) without. structure, impl, docs: digests, empty where nothing counts.
    receiver: the receiver parameter of the extension block that holds the member, block: that block's type parameters,
    block_constraints: its `where` clauses.
    variance: `in`, `out` or "" of each type parameter; empty where none has one.
    header: of a type with a primary constructor where that stands, from the name on, then each of its parameters.
    reached: whether a private member is used by visible ones (services/syntax/parse/parsing.py).
    condition: the directive of the branch that declares it, where that is left out (`FileRecord.elsewhere`).
    """

    kind: Kind
    name: str
    parent: int
    scope: int
    access: str
    modifiers: tuple[str, ...]
    type_parameters: tuple[str, ...]
    constraints: str
    parameters: tuple[ParameterRecord, ...] | None
    returns: str | None
    accessors: tuple[tuple[str, str], ...]
    explicit: str
    bases: tuple[str, ...]
    attributes: tuple[str, ...]
    value: str
    start: int
    end: int
    start_line: int
    end_line: int
    body: tuple[int, int]
    doc: tuple[int, int]
    structure: bytes
    impl: bytes
    docs: bytes
    receiver: ParameterRecord | None
    block: tuple[str, ...] = ()
    variance: tuple[str, ...] = ()
    block_constraints: str = ""
    readonly: tuple[str, ...] = ()
    header: tuple[Stretch, ...] = ()
    reached: bool = False
    condition: str = ""

    @property
    def is_visible(self) -> bool:
        """Whether anything outside its type can use it."""
        return self.access != "private" or bool(self.explicit)

    @property
    def is_program(self) -> bool:
        """Whether it is the part of `Program` that statements outside of all types make."""
        return self.kind is Kind.CLASS and self.body == (self.start, self.end)

    def has_code(self, text: bytes) -> bool:
        """Whether a member of an interface has an implementation there. `text`: of its file."""
        start, end = self.body
        if self.kind in (Kind.PROPERTY, Kind.INDEXER, Kind.EVENT):
            start, end = (start, end) if end > start else (self.start, self.end)
            return _ACCESSOR_BODY.search(text, start, end) is not None
        return end > start

    @property
    def own_parameters(self) -> tuple[str, ...]:
        """The type parameters that its signature may name: those of its extension block before its own."""
        return (*self.block, *self.type_parameters) if self.block else self.type_parameters


def shifted(each: Declaration, shift: int, lines: int) -> Declaration:
    """Return a declaration with its bytes and lines counted from elsewhere."""

    def moved(span: tuple[int, int]) -> tuple[int, int]:
        return (span[0] + shift, span[1] + shift) if span[1] else span

    header = tuple(
        Stretch(h.start + shift, h.end + shift, h.start_line + lines, h.end_line + lines) for h in each.header
    )
    return msgspec.structs.replace(
        each,
        start=each.start + shift,
        end=each.end + shift,
        start_line=each.start_line + lines,
        end_line=each.end_line + lines,
        body=moved(each.body),
        doc=moved(each.doc),
        header=header,
    )


class FileRecord(Record, frozen=True):
    """A file. `file_hash`: SHA-256 of its text with LF line endings, 8 bytes. `friends`: InternalsVisibleTo.
    `lossy`: some bytes could not be decoded and stand as replacement characters. `signatures`: of each declaration the
    number that its id is cut from, as services/syntax/records/hashing.py packs them. `names`:
    where names stand in markup of which no more is known; `types`: where those of types do; `left_out`: the names of
    the types that branches of `#if` declare which are left out and cannot be read for themselves; `elsewhere`: what the
    others declare, numbered behind `declarations`, with the types around it, which have no `condition`."""

    quality: Quality
    file_hash: bytes
    line_count: int
    conditional: bool
    scopes: tuple[Scope, ...]
    declarations: tuple[Declaration, ...]
    friends: tuple[str, ...]
    lossy: bool = False
    signatures: bytes = b""
    names: tuple[tuple[int, int], ...] = ()
    types: tuple[tuple[int, int], ...] = ()
    left_out: tuple[str, ...] = ()
    elsewhere: tuple[Declaration, ...] = ()

    @property
    def every(self) -> tuple[Declaration, ...]:
        """Its declarations, those of another configuration behind the others."""
        return self.declarations + self.elsewhere if self.elsewhere else self.declarations
