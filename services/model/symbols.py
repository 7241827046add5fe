"""Declared symbols, and the answers of queries about them.

Where symbols are used, and what a name at a place means.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache

import msgspec

from services.model.base import Value

_ID = re.compile(r"T_[0-9A-Z]+(?P<member>_[0-9A-Z]+(?:\.[0-9]+)?)?")
"""Ids of types and members (SPEC section 3); a number tells members of one signature apart."""


def is_symbol_id(text: str) -> bool:
    """Whether a text is written as the id of a type or of a member."""
    return _ID.fullmatch(text) is not None


def is_member_id(text: str) -> bool:
    """Whether a text is written as the id of a member."""
    match = _ID.fullmatch(text)
    return match is not None and match["member"] is not None


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
    UNION = "union"


TYPE_KINDS = frozenset(
    {
        Kind.CLASS,
        Kind.STRUCT,
        Kind.RECORD,
        Kind.RECORD_STRUCT,
        Kind.INTERFACE,
        Kind.ENUM,
        Kind.DELEGATE,
        Kind.UNION,
    }
)


class Quality(StrEnum):
    """How far the repair chain had to go before a file's declarations could be believed (CSHARP.md)."""

    EXACT = "exact"
    DIRECTIVES = "directives"
    REPAIRED = "repaired"
    BODIES_SKIPPED = "bodies-skipped"
    FAILED = "failed"


class Parameter(Value, kw_only=True, frozen=True):
    """Parameter of a member. `modifier`: this, ref, out, in, params, scoped … or None; `type_fqn`: None if
    unresolved."""

    type: str
    type_fqn: str | None = None
    modifier: str | None = None
    name: str


class Access(Value, kw_only=True, frozen=True):
    """Accessibility as declared (or the language's default) and as it counts after the enclosing types."""

    declared: str
    effective: str


class Base(Value, kw_only=True, frozen=True):
    """Entry of a base list. `fqn` and `type_id` are None where the name could not be resolved. `implicit`: the
    compiler adds it (`IEquatable` of a record)."""

    text: str
    fqn: str | None = None
    type_id: str | None = None
    implicit: bool = False


class Symbol(Value, kw_only=True, frozen=True):
    """A declared symbol, whole: one line of `codecortex symbols --jsonl` (SPEC section 10). `projects`: all that
    compile it; `project`: the first of them, whose folder holds its files; `condition`: the directive of the branch
    that declares it, where every configuration at hand leaves that out, and absent otherwise."""

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
    projects: tuple[str, ...] = ()
    signature: str
    doc_first_line: str | None = None
    bases: tuple[Base, ...] | None = None
    quality: Quality = Quality.EXACT
    condition: str | msgspec.UnsetType = msgspec.UNSET

    @property
    def is_type(self) -> bool:
        """Whether this is a type rather than a member or a namespace."""
        return self.kind in TYPE_KINDS


class SymbolRef(Value, kw_only=True, frozen=True):
    """A symbol as lists show it. `path` is for people (`Json.JsonConvert.SerializeObject`), `label` is what a row
    shows and match positions count in: `SerializeObject(object?)`, `JsonReader<T>`. `condition`: as of Symbol."""

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
    condition: str | msgspec.UnsetType = msgspec.UNSET

    @property
    def full(self) -> str:
        """Return the name that distinguishes overloads, `Json.Reader<T>.Read(int)`; `container` has no type
        parameters."""
        return f"{_owner(self.path, self.container) or self.container}.{self.label}".lstrip(".")


def _owner(path: str, container: str) -> str:
    """Return the beginning of a path that names the container, with type parameters; empty where it names another."""
    at, dot = 0, ""
    for step in container.split("."):
        if not path.startswith(dot + step, at):
            return ""
        at += len(dot) + len(step)
        dot = "."
        end = path.find(">", at) if path[at : at + 1] == "<" else -1
        if end >= 0 and path.rfind("<", at, end) == at:
            at = end + 1
    return path[:at]


class SearchHit(Value, kw_only=True, frozen=True):
    """Search result. `positions`: 0-based character offsets into `symbol.label` that matched."""

    symbol: SymbolRef
    score: float
    positions: tuple[int, ...] = ()


class SearchAnswer(Value, kw_only=True, frozen=True):
    """Results best first. `total`: how many matched before `limit`; `searched`: how many symbols there are; `advice`:
    which filter means nothing that there is, and what it could, where nothing was found for that reason."""

    query: str
    hits: tuple[SearchHit, ...]
    total: int
    searched: int
    elapsed_ms: float
    advice: str = ""


class Resolved(Value, kw_only=True, frozen=True):
    """Symbol that an answer is about (SPEC section 10). `path`: as lists show it; `guessed`: True where it is not what
    was named, but what is spelled much like it, and left out otherwise."""

    path: str
    type_id: str
    member_id: str | None = None
    guessed: bool | msgspec.UnsetType = msgspec.UNSET

    @property
    def is_guess(self) -> bool:
        """Whether something else was named."""
        return self.guessed is True


class ResolveAnswer(Value, kw_only=True, frozen=True):
    """Either `resolved` or `candidates`; a miss has `suggestions`. `how`: exact, suffix, wildcard, fuzzy."""

    query: str
    how: str | None = None
    resolved: Resolved | None = None
    symbol: SymbolRef | None = None
    candidates: tuple[SymbolRef, ...] = ()
    suggestions: tuple[str, ...] = ()


class OutlineAnswer(Value, kw_only=True, frozen=True):
    """An outline. `text` is Markdown; `tokens` counts it with the window's tokenizer; `approximate` marks `≈`.

    `relating`: which types name which is still being worked out, so that DependsOn and Used by may lack some."""

    resolved: Resolved
    symbol: SymbolRef
    text: str
    tokens: int
    approximate: bool = False
    relating: bool = False


class Grade(StrEnum):
    """How a place uses a symbol: by the rules of the language; so, but that it names what overrides or implements the
    symbol, or what the symbol overrides or implements; or perhaps, by its name, since something near is not known."""

    BOUND = "bound"
    RELATED = "related"
    NAME_MATCH = "name match"


class Usage(Value, kw_only=True, frozen=True):
    """A place where a symbol is used (SPEC section 10, FindUsages).

    `column`, `end_column`: 0-based characters of the line, end exclusive; `snippet`: the line, cut where it is very
    long; `snippet_start`: the character of the line that it begins with.
    `grade`: one of `Grade`; `kind`: call, read, write, new, type, base, attribute, cref …, or what it links the symbol
    to: `registered as Cart`, `subscribed by OnAdded`; `enclosing`: the member or type it stands in; `reason`: why the
    place does not fit the symbol, so that it would not compile, or in which branch of `#if` it is left out (`kind` is
    `left out` then); else empty; `framework`: the target framework that alone compiles the file, empty where the one
    that its project is read for does."""

    file: str
    line: int
    column: int
    end_column: int
    snippet: str
    snippet_start: int = 0
    grade: str
    kind: str
    enclosing: SymbolRef | None = None
    reason: str = ""
    framework: str = ""

    @property
    def links(self) -> bool:
        """Whether it registers the symbol in a container, or subscribes to an event."""
        return self.kind.startswith(("registered", "subscribed", "handles"))


class UsagesAnswer(Value, kw_only=True, frozen=True):
    """Usages by project, file and line, the declaring project first. `total`: how many there are of the grade that was
    asked for, `bound`, `related`: how many of them are so; `truncated`: not all of them are told."""

    resolved: Resolved
    symbol: SymbolRef
    usages: tuple[Usage, ...]
    total: int
    bound: int
    related: int = 0
    truncated: bool
    elapsed_ms: float


class Definition(Value, kw_only=True, frozen=True):
    """Definition of a name at a place. `symbols`: the one declaration where `certain`, else what it may be; `line`:
    where a local is declared; `reason`: a sentence where it could not be told, or is not declared in the workspace."""

    name: str
    symbols: tuple[SymbolRef, ...] = ()
    certain: bool = False
    line: int | None = None
    reason: str = ""


class FolderEntry(Value, kw_only=True, frozen=True):
    """Entry of a folder. `path`: from the root, with `/`; `files`: how many files a folder has below it, 0 of a
    file."""

    path: str
    files: int = 0


class FileHit(Value, kw_only=True, frozen=True):
    """A file found by a part of its path. `positions`: 0-based character offsets into `path` that matched."""

    path: str
    positions: tuple[int, ...] = ()


class FilesAnswer(Value, kw_only=True, frozen=True):
    """Files found by words of their paths, best first."""

    query: str
    hits: tuple[FileHit, ...]


_TESTS = re.compile(r"(?:Tests?|Specs|Benchmarks?)(?![a-z])")


@lru_cache(maxsize=1 << 14)
def is_of_tests(name: str) -> bool:
    """Whether a namespace or type is one of tests or benchmarks, by its full name."""
    return _TESTS.search(name) is not None
