"""How types hang together, as a graph: those of the window, or those around a symbol."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from services.bench.queries.lookup import Lookup
from services.index.index import Index
from services.index.symbols.describe import TypeWithMembers
from services.model import GraphAnswer, GraphEdge, GraphFormat, GraphNode, Kind
from services.prompt.diagram_svg import svg
from services.prompt.outline.names import short_names
from services.prompt.tokens.tokenizers import TokenCounter

_WORD = re.compile(r"\W+")
_ARROWS = {"inherits": "<|--", "implements": "<|.."}


def mermaid(nodes: tuple[GraphNode, ...], edges: tuple[GraphEdge, ...], lacks: str = "") -> str:
    """A class diagram: bases first, then who uses what, with how often where that is more than once. `lacks`: what of
    it may be missing."""
    ids = _identifiers(nodes)
    lines = ["classDiagram", *([f"  %% {lacks}"] if lacks else ())]
    for node in nodes:
        label = f'["{node.name}"]' if ids[node.id] != node.name else ""
        mark = {"interface": "<<interface>>", "enum": "<<enumeration>>"}.get(node.kind)
        if label or mark or not any(node.id in (edge.source, edge.target) for edge in edges):
            lines.append(f"  class {ids[node.id]}{label}")
        if mark:
            lines.append(f"  {mark} {ids[node.id]}")
    for edge in edges:
        if arrow := _ARROWS.get(edge.relation):
            lines.append(f"  {ids[edge.target]} {arrow} {ids[edge.source]}")
        else:
            times = f" : {edge.count}" if edge.count > 1 else ""
            lines.append(f"  {ids[edge.source]} ..> {ids[edge.target]}{times}")
    return "\n".join(lines) + "\n"


def dot(nodes: tuple[GraphNode, ...], edges: tuple[GraphEdge, ...], lacks: str = "") -> str:
    """Render a graph for Graphviz, from users at the top to what they use. `lacks`: a note about what may be
    missing."""
    label = [f"  label={_quoted(lacks)};"] if lacks else []
    lines = ["digraph types {", *label, '  node [shape=box, fontname="Helvetica"];']
    for node in nodes:
        style = "" if node.shown else ", style=dashed"
        lines.append(
            f"  {_quoted(node.id)} [label={_quoted(node.name)}, tooltip={_quoted(node.path)}{style}];"
        )
    for edge in edges:
        looks = {"inherits": "arrowhead=empty", "implements": "arrowhead=empty, style=dashed"}.get(
            edge.relation, f'arrowhead=open, style=dotted, label="{edge.count}"'
        )
        lines.append(f"  {_quoted(edge.source)} -> {_quoted(edge.target)} [{looks}];")
    return "\n".join([*lines, "}"]) + "\n"


def _identifiers(nodes: tuple[GraphNode, ...]) -> dict[str, str]:
    """Return unique identifiers valid in Mermaid."""
    given: dict[str, str] = {}
    taken: set[str] = set()
    for node in nodes:
        name = base = _WORD.sub("_", node.name).strip("_") or "type"
        number = 1
        while name in taken:
            number += 1
            name = f"{base}_{number}"
        taken.add(name)
        given[node.id] = name
    return given


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


_WRITERS = {GraphFormat.MERMAID: mermaid, GraphFormat.DOT: dot, GraphFormat.SVG: svg}


class Pictures:
    """The graphs of one workspace. `window`: ids of the types that the window shows, best first; `relate`:
    works out which types name which, in signatures and bodies."""

    def __init__(
        self,
        index: Index,
        lookup: Lookup,
        *,
        window: Callable[[], Sequence[str]],
        counter: Callable[[], TokenCounter],
        relate: Callable[[], object],
    ) -> None:
        self._index = index
        self._lookup = lookup
        self._window = window
        self._counter = counter
        self._relate = relate

    def picture(
        self,
        path: str | None = None,
        *,
        format: str = GraphFormat.MERMAID,  # noqa: A002
        depth: int = 1,
        limit: int = 40,
    ) -> GraphAnswer:
        """The types of the window, or, with `path`, those at most `depth` steps from a symbol, at most `limit` of them,
        the most related first. Raises SymbolNotFound, AmbiguousSymbol."""
        self._relate()
        find = self._index.identities.find
        if path is None:
            own = list(dict.fromkeys(at for id_ in self._window() if (at := find(id_)) is not None))
            ranked = own
        else:
            own = [self._lookup.found(path).whole.index]
            ranked = self._around(own, depth)
        wholes = [whole for at in ranked if (whole := self._index.describer.whole(at)) is not None]
        return self._drawn(wholes[:limit], frozenset(own), format, left_out=max(0, len(wholes) - limit))

    def _around(self, own: Sequence[int], depth: int) -> list[int]:
        """Types by steps from `own`, in each step those that are named most often first."""
        found = dict.fromkeys(own)
        edge: Iterable[int] = own
        for _ in range(depth):
            counts: dict[int, int] = {}
            for at in edge:
                users, used = self._index.graph().neighbours(at)
                for other, count in (*users.items(), *used.items()):
                    counts[other] = counts.get(other, 0) + count
            edge = [at for at in sorted(counts, key=lambda at: (-counts[at], at)) if at not in found]
            found |= dict.fromkeys(edge)
        return list(found)

    def _drawn(
        self,
        wholes: Sequence[TypeWithMembers],
        own: frozenset[int],
        format: str,  # noqa: A002
        *,
        left_out: int,
    ) -> GraphAnswer:
        names = short_names(tuple(whole.entry.fqn for whole in wholes))
        refs = {whole.id: self._index.describer.refs.type_ref(whole) for whole in wholes}
        nodes = tuple(
            GraphNode(
                id=whole.id,
                name=names.get(whole.entry.fqn, refs[whole.id].label),
                path=refs[whole.id].path,
                kind=str(whole.entry.kind),
                shown=whole.index in own,
            )
            for whole in wholes
        )
        edges = tuple(
            edge for whole in wholes for edge in self._edges(whole, {each.index: each for each in wholes})
        )
        counter = self._counter()
        drawn = GraphAnswer(
            nodes=nodes, edges=edges, format=format, approximate=not counter.exact, left_out=left_out,
            unread=self._unread(wholes),
        )  # fmt: skip
        if (write := _WRITERS.get(GraphFormat(format))) is None:
            return drawn
        text = write(nodes, edges, drawn.lacks)
        return replace(drawn, text=text, tokens=counter.count(text))

    def _unread(self, wholes: Sequence[TypeWithMembers]) -> int:
        """How many files of types have bodies of which it is not known yet what they name."""
        graph = self._index.graph()
        if not graph.has_unread:
            return 0
        return len({part.file for whole in wholes for part in whole.parts}.intersection(graph.unread()))

    def _edges(self, whole: TypeWithMembers, others: dict[int, TypeWithMembers]) -> list[GraphEdge]:
        bases = {base.type_id for base in self._index.describer.type_symbol(whole).bases or ()}
        found: list[GraphEdge] = []
        named = self._index.graph().dependencies(whole.index)
        for at, (signatures, bodies) in sorted(named.items(), key=lambda pair: (-sum(pair[1]), pair[0])):
            other = others.get(at)
            if other is None or other is whole:
                continue
            relation = "uses"
            if other.id in bases:
                of_one_kind = (other.entry.kind is Kind.INTERFACE) == (whole.entry.kind is Kind.INTERFACE)
                relation = "inherits" if of_one_kind else "implements"
            found.append(
                GraphEdge(source=whole.id, target=other.id, relation=relation, count=signatures + bodies)
            )
        return found
