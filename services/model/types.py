"""A type as an outline shows it, what changed of it, and how it hangs together with others."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from services.model.base import Value
from services.model.symbols import Quality, Resolved, Symbol, SymbolRef


class ChangeClass(StrEnum):
    """Class of a change of a type (SPEC section 6)."""

    ADDED = "added"
    REMOVED = "removed"
    MOVED = "moved"
    STRUCTURE = "structure"
    PUBLIC_BEHAVIOUR = "public behaviour"
    INTERNAL = "internal"
    DOCS = "docs"
    COSMETIC = "cosmetic"


class TypeChange(Value, kw_only=True, frozen=True):
    """Changed type of a change batch (004 section 3.2).

    `stale`: ids of the other types whose semantics went stale with it: those downstream of it, the nearest first, when
    its structure changed; when only what it does changed, those that depend on it and it on them in a circle."""

    id: str
    fqn: str
    change: ChangeClass
    file: str
    stale: tuple[str, ...] = ()


class TypePart(Value, kw_only=True, frozen=True):
    """Declaration of a type: a partial type has several. `quality` is its file's."""

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

    `doc` is the summary as one line; a member's first doc line is in its symbol. `hashes`: structure, impl, doc.
    `depends_on`: what bases and signatures name, `in_bodies`: what bodies and comments do, as far as they were read.
    `obsolete`: the ids that are marked so, of the type itself, its members and the types in it; `attributes`: by id,
    those of the type and its members that mean something at run time, as written: `Route("playlists/{id}")`."""

    symbol: Symbol
    parts: tuple[TypePart, ...]
    members: tuple[Symbol, ...]
    nested: tuple[SymbolRef, ...] = ()
    doc: str | None = None
    hashes: Mapping[str, str] = {}
    depends_on: tuple[TypeLink, ...] = ()
    used_by: tuple[TypeLink, ...] = ()
    in_bodies: tuple[TypeLink, ...] = ()
    obsolete: frozenset[str] = frozenset()
    attributes: Mapping[str, tuple[str, ...]] = {}


class Documentation(Value, kw_only=True, frozen=True):
    """Documentation comment, each text on one line, by the name of the parameter or exception that it is of."""

    summary: str | None = None
    type_parameters: Mapping[str, str] = {}
    parameters: Mapping[str, str] = {}
    returns: str | None = None
    exceptions: Mapping[str, str] = {}


class Direction(StrEnum):
    """Direction of a hierarchy. `derived`: types that derive from a type or implement it, members that override or
    implement a member; `bases` the other way."""

    CALLERS = "callers"
    CALLEES = "callees"
    BASES = "bases"
    DERIVED = "derived"


class GraphFormat(StrEnum):
    """Format of a graph."""

    MERMAID = "mermaid"
    DOT = "dot"
    SVG = "svg"
    JSON = "json"


class Relative(Value, kw_only=True, frozen=True):
    """A symbol that another leads to. `name`: as people write it; `symbol` is None for one outside the workspace;
    `count`: how often; `file`, `line`: where first; `note`: how it is related, `name match` where the rules of the
    language could not be followed."""

    name: str
    symbol: SymbolRef | None = None
    count: int = 1
    file: str = ""
    line: int = 0
    note: str = ""


class HierarchyRow(Relative, kw_only=True, frozen=True):
    """A row of a tree that is written top down: `depth` is 1 for what the symbol itself leads to; `again`: it stood
    higher up already, and is not unfolded a second time."""

    depth: int
    again: bool = False


class HierarchyAnswer(Value, kw_only=True, frozen=True):
    """Hierarchy of a symbol in one direction. `truncated`: there are more entries than the limit."""

    resolved: Resolved
    symbol: SymbolRef
    direction: Direction
    rows: tuple[HierarchyRow, ...]
    truncated: bool = False
    elapsed_ms: float = 0.0


class GraphNode(Value, kw_only=True, frozen=True):
    """Type in a graph. `name`: short and unique in the graph; `shown`: it is a requested type or in the window,
    rather than a neighbour."""

    id: str
    name: str
    path: str
    kind: str
    shown: bool = True


class GraphEdge(Value, kw_only=True, frozen=True):
    """From a type to one that it names, by id. `relation`: `inherits`, `implements` or `uses`; `count`: how often."""

    source: str
    target: str
    relation: str
    count: int = 1


class GraphAnswer(Value, kw_only=True, frozen=True):
    """How types hang together. `text`: as `format` has it, empty for JSON; `tokens`: what the text costs; `left_out`:
    types around it that were too many; `unread`: their files whose bodies are not read yet, so that arrows that
    come out of them may be missing."""

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    format: str
    text: str = ""
    tokens: int = 0
    approximate: bool = False
    left_out: int = 0
    unread: int = 0

    @property
    def lacks(self) -> str:
        """Sentence on what may be missing; empty where nothing is."""
        if not self.unread:
            return ""
        files = "1 file is" if self.unread == 1 else f"{self.unread} files are"
        return f"{files} still being read: arrows may be missing."
