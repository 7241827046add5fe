"""The values that every floor shares: frozen, and the same on every way out.

A value that leaves the program is encoded with camelCase names (SPEC section 10). Lines are 1-based and
inclusive everywhere above the syntax floor; paths are relative to the workspace root, with `/`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import msgspec


class Value(msgspec.Struct, frozen=True, rename="camel"):
    """Base of the values that cross a boundary: immutable, camelCase on the wire."""


class Kind(StrEnum):
    """Kinds of symbol (SPEC section 3). The value is what people and the dump see."""

    NAMESPACE = "namespace"
    CLASS = "class"
    STRUCT = "struct"
    RECORD = "record"
    RECORD_STRUCT = "record struct"
    INTERFACE = "interface"
    ENUM = "enum"
    DELEGATE = "delegate"
    FIELD = "field"
    CONSTANT = "constant"
    PROPERTY = "property"
    INDEXER = "indexer"
    EVENT = "event"
    METHOD = "method"
    CONSTRUCTOR = "constructor"
    DESTRUCTOR = "destructor"
    OPERATOR = "operator"
    CONVERSION = "conversion"
    ENUM_MEMBER = "enum member"
    EXTENSION_MEMBER = "extension block member"


TYPE_KINDS = frozenset(
    {Kind.CLASS, Kind.STRUCT, Kind.RECORD, Kind.RECORD_STRUCT, Kind.INTERFACE, Kind.ENUM, Kind.DELEGATE}
)


class Quality(StrEnum):
    """How far the repair chain had to go before a file's declarations could be believed (CSHARP.md)."""

    EXACT = "exact"
    DIRECTIVES = "directives"
    REPAIRED = "repaired"
    BODIES_SKIPPED = "bodies-skipped"
    FAILED = "failed"


class Parameter(Value, kw_only=True, frozen=True):
    """One parameter. `modifier`: this, ref, out, in, params, scoped … or None; `type_fqn`: None if unresolved."""

    type: str
    type_fqn: str | None = None
    modifier: str | None = None
    name: str


class Access(Value, kw_only=True, frozen=True):
    """Accessibility as declared (or the language's default) and as it counts after the enclosing types."""

    declared: str
    effective: str


class Base(Value, kw_only=True, frozen=True):
    """An entry of a base list. `fqn` and `type_id` are None where the name could not be resolved."""

    text: str
    fqn: str | None = None
    type_id: str | None = None


class Symbol(Value, kw_only=True, frozen=True):
    """A declared symbol, whole: one line of `codecortex symbols --jsonl` (SPEC section 10)."""

    id: str
    kind: Kind
    fqn: str
    name: str
    arity: int = 0
    type_parameters: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] | None = None
    return_type: str | None = None
    return_type_fqn: str | None = None
    accessors: Mapping[str, str] | None = None
    accessibility: Access
    modifiers: tuple[str, ...] = ()
    declaring_type: str | None = None
    explicit_interface: str | None = None
    implicit: bool = False
    file: str
    start_line: int
    end_line: int
    project: str
    signature: str
    doc_first_line: str | None = None
    bases: tuple[Base, ...] | None = None
    quality: Quality = Quality.EXACT

    @property
    def is_type(self) -> bool:
        """Whether this is a type rather than a member or a namespace."""
        return self.kind in TYPE_KINDS


class SymbolRef(Value, kw_only=True, frozen=True):
    """A symbol as lists show it. `path` is for people (`Json.JsonConvert.SerializeObject`), `label` is what a row
    shows and match positions count in: `SerializeObject(object?)`, `JsonReader<T>`."""

    id: str
    kind: Kind
    label: str
    path: str
    container: str
    file: str
    start_line: int
    end_line: int
    project: str
    access: str


class SearchHit(Value, kw_only=True, frozen=True):
    """One result. `positions`: 0-based character offsets into `symbol.label` that matched."""

    symbol: SymbolRef
    score: float
    positions: tuple[int, ...] = ()


class SearchAnswer(Value, kw_only=True, frozen=True):
    """Results best first. `total`: how many matched before `limit`; `searched`: how many symbols there are."""

    query: str
    hits: tuple[SearchHit, ...]
    total: int
    searched: int
    elapsed_ms: float


class Resolved(Value, kw_only=True, frozen=True):
    """What an answer about a symbol was about (SPEC section 10)."""

    path: str
    type_id: str
    member_id: str | None = None


class ResolveAnswer(Value, kw_only=True, frozen=True):
    """Either `resolved` or `candidates`; a miss has `suggestions`. `how`: exact, suffix, wildcard, fuzzy."""

    query: str
    how: str | None = None
    resolved: Resolved | None = None
    symbol: SymbolRef | None = None
    candidates: tuple[SymbolRef, ...] = ()
    suggestions: tuple[str, ...] = ()


class OutlineAnswer(Value, kw_only=True, frozen=True):
    """An outline. `text` is Markdown; `tokens` counts it with the window's tokenizer; `approximate` marks `≈`."""

    resolved: Resolved
    symbol: SymbolRef
    text: str
    tokens: int
    approximate: bool = False


class SourcePiece(Value, kw_only=True, frozen=True):
    """A stretch of lines of a file that a part of a type is made of; `token` is that file's."""

    file: str
    start_line: int
    end_line: int
    token: str = ""


class SourceRange(Value, kw_only=True, frozen=True):
    """Lines of an object (SPEC section 7). `content` is text with its own line endings; times in ms since 1970.

    `pieces`: where the lines of a part stand, in the order of `content`; `file`, `token` and the line numbers are then
    those of the first file, `start_line` and `end_line` of its first and last piece."""

    object: str
    file: str
    content: str
    token: str
    line_count: int
    start_line: int
    end_line: int
    requested_start_line: int | None = None
    requested_end_line: int | None = None
    changed_at: int = 0
    changed_by: str = ""
    expires_at: int = 0
    object_type: str = "file"
    encoding: str = "utf-8"
    writable: bool = True
    version: str = "workingArea"
    include_type: str | None = None
    pieces: tuple[SourcePiece, ...] = ()


class StructurePart(Value, kw_only=True, frozen=True):
    """A part that a type has (`include_type`): where its lines stand, and how many they are."""

    include_type: str
    pieces: tuple[SourcePiece, ...]
    line_count: int


class StructureLink(Value, kw_only=True, frozen=True):
    """Something else to look at. `rel`: source (a file that declares the object), base, nested, type (declared in the
    file); `href`: what to name it by in another call."""

    rel: str
    href: str
    title: str


class Structure(Value, kw_only=True, frozen=True):
    """What an object consists of, without its source (000 section 2.1). `token`, `changed_at` (ms since 1970) and
    `changed_by` are those of `file`, its main one; `members` are in source order."""

    object: str
    object_type: str
    name: str
    file: str
    start_line: int
    end_line: int
    line_count: int
    token: str
    changed_at: int
    changed_by: str
    includes: tuple[StructurePart, ...] = ()
    members: tuple[SymbolRef, ...] = ()
    links: tuple[StructureLink, ...] = ()


class GrepMatch(Value, kw_only=True, frozen=True):
    """A matching line without its ending. `spans`: (start, end) character columns of what matched, end exclusive;
    no line is told twice: context that belongs to the match before or after is left to that."""

    file: str
    line_number: int
    content: str
    context_before: tuple[str, ...] = ()
    context_after: tuple[str, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()


class GrepFile(Value, kw_only=True, frozen=True):
    """A file with matches. `match_count` counts lines; `truncated`: the file has more than are told."""

    file: str
    matches: tuple[GrepMatch, ...]
    match_count: int
    line_count: int
    truncated: bool = False


class GrepAnswer(Value, kw_only=True, frozen=True):
    """What a grep found (SPEC section 7). `match_count`: matches told; `line_count`: lines of the files they are in, or
    of the object; `truncated`: there are more. `searched`: files looked into; `binary`: files left out as no text;
    `long_lines`: lines left out as too long."""

    pattern: str
    matches: tuple[GrepMatch, ...]
    match_count: int
    line_count: int
    truncated: bool = False
    object: str | None = None
    object_type: str = "workspace"
    include_type: str | None = None
    searched: int = 0
    binary: int = 0
    long_lines: int = 0


class ItemFlag(StrEnum):
    """What the window says of an item; a row shows `GLYPH` beside the word's first use in the legend."""

    STALE = "stale"
    CUT = "cut"
    VANISHED = "vanished"
    SECRET = "secret"


class WindowItem(Value, kw_only=True, frozen=True):
    """One item of the prompt window, as the pane lists it. `tokens`: cost as rendered now."""

    key: str
    kind: str
    label: str
    detail: str
    pinned: bool
    tokens: int
    flags: tuple[ItemFlag, ...] = ()
    symbol_id: str | None = None
    file: str | None = None
    start_line: int | None = None
    end_line: int | None = None


class Omitted(Value, kw_only=True, frozen=True):
    """Something that did not fit. `reason` is a sentence."""

    key: str
    label: str
    tokens: int
    reason: str


class Window(Value, kw_only=True, frozen=True):
    """The prompt window, rendered. `budget`, `soft_budget`, and all counts are tokens of `model`'s tokenizer."""

    text: str
    tokens: int
    budget: int
    pinned_tokens: int
    soft_budget: int
    model: str
    tokenizer: str
    approximate: bool = False
    items: tuple[WindowItem, ...] = ()
    omitted: tuple[Omitted, ...] = ()


class Notice(Value, kw_only=True, frozen=True):
    """Something a person should know. `severity`: information, warning, error; `what_to_do` is a sentence."""

    severity: str
    message: str
    what_to_do: str = ""
    file: str | None = None
    line: int | None = None


class Progress(Value, kw_only=True, frozen=True):
    """Long work. `total` is None while it is unknown; `unit`: files, bytes."""

    phase: str
    done: int
    total: int | None
    unit: str = "files"
    elapsed: float = 0.0

    @property
    def fraction(self) -> float | None:
        """0 to 1, or None while the total is unknown."""
        return None if not self.total else min(1.0, self.done / self.total)


class Project(Value, kw_only=True, frozen=True):
    """A project as the index sees it. `path`: its project file, or the folder, relative to the root."""

    name: str
    path: str
    target_framework: str | None = None
    files: int = 0
    notices: tuple[Notice, ...] = ()


class Status(Value, kw_only=True, frozen=True):
    """What `status` answers (SPEC section 10)."""

    root: str
    state: str
    projects: tuple[Project, ...]
    files: int
    types: int
    members: int
    quality: Mapping[str, int]
    branch: str | None
    memory_mb: float = msgspec.field(name="memoryMB")
    measures: Mapping[str, Any]
    watching: str
    notices: tuple[Notice, ...] = ()
    cache: Mapping[str, Any] = {}
    version: str = ""


class ChangeClass(StrEnum):
    """Why a type changed (SPEC section 6)."""

    ADDED = "added"
    REMOVED = "removed"
    MOVED = "moved"
    STRUCTURE = "structure"
    PUBLIC_BEHAVIOUR = "public behaviour"
    INTERNAL = "internal"
    DOCS = "docs"
    COSMETIC = "cosmetic"


class TypeChange(Value, kw_only=True, frozen=True):
    """One type of a change batch. `stale`: ids of types downstream of it, when its structure changed."""

    id: str
    fqn: str
    change: ChangeClass
    file: str
    stale: tuple[str, ...] = ()


class Part(Value, kw_only=True, frozen=True):
    """One declaration of a type: a partial type has several. `quality` is its file's."""

    file: str
    start_line: int
    end_line: int
    quality: Quality = Quality.EXACT


class TypeLink(Value, kw_only=True, frozen=True):
    """A type named by another. `type_id` is None for one outside the workspace; `count`: how often it is named."""

    fqn: str
    type_id: str | None = None
    count: int = 1


class TypeDetail(Value, kw_only=True, frozen=True):
    """A type with everything an outline shows. `members` are in source order, nested types in `nested`.

    `doc` is the summary as one line; a member's first doc line is in its symbol. `hashes`: structure, impl, doc."""

    symbol: Symbol
    parts: tuple[Part, ...]
    members: tuple[Symbol, ...]
    nested: tuple[SymbolRef, ...] = ()
    doc: str | None = None
    hashes: Mapping[str, str] = {}
    depends_on: tuple[TypeLink, ...] = ()
    used_by: tuple[TypeLink, ...] = ()


class Usage(Value, kw_only=True, frozen=True):
    """A place where a symbol is used (SPEC section 10, FindUsages).

    `snippet`: the line, cut where it is very long; `column`, `end_column`: 0-based characters of it, end exclusive.
    `grade`: `bound` where the name is bound to the symbol by the rules of the language, `name match` where it cannot be
    told. `enclosing`: the member or type it stands in; `kind`: call, read, write, new, type, base, attribute …"""

    file: str
    line: int
    column: int
    end_column: int
    snippet: str
    grade: str
    kind: str
    enclosing: SymbolRef | None = None


class UsagesAnswer(Value, kw_only=True, frozen=True):
    """Usages by project, file and line, the declaring project first. `total`: how many there are of the grade that was
    asked for, `bound`: how many of them are bound; `truncated`: not all of them are told."""

    resolved: Resolved
    symbol: SymbolRef
    usages: tuple[Usage, ...]
    total: int
    bound: int
    truncated: bool
    elapsed_ms: float


class Span(Value, kw_only=True, frozen=True):
    """A coloured stretch of one line. `start`, `end`: 0-based character columns, end exclusive; `style`: a name of
    services/syntax/highlight.py (`keyword`, `string`, `comment` …), never a colour."""

    start: int
    end: int
    style: str
