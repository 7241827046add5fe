"""Relations among types as a graph, and as a drawing for browsers: of those of the window, or those around a symbol."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape

from msgspec.structs import replace

from services.bench.queries.lookup import Lookup
from services.index.index import Index
from services.index.symbols.describe import TypeWithMembers
from services.model import GraphAnswer, GraphEdge, GraphFormat, GraphNode, Kind
from services.prompt.outline.names import short_names
from services.prompt.tokens.tokenizers import TokenCounter

_WIDE, _HIGH, _GAP, _LAYER = 8, 28, 24, 84
"""Pixels: of a letter, of a box, between boxes of a layer, from layer to layer."""
_MARGIN, _ROUNDS = 24, 6
_STYLE = (
    "text{font:13px sans-serif;text-anchor:middle;dominant-baseline:central;fill:#222}"
    "rect{fill:#fff;stroke:#456;stroke-width:1.2}rect.around{stroke-dasharray:4 3}"
    "path{fill:none;stroke:#456;stroke-width:1.2}path.uses{stroke:#99a;stroke-dasharray:2 3}"
    "path.implements{stroke-dasharray:6 4}"
)
_HEADS = (
    '<marker id="base" viewBox="0 0 10 10" refX="10" refY="5" markerWidth="11" markerHeight="11" orient="auto">'
    '<path d="M0 0 L10 5 L0 10 z" style="fill:#fff"/></marker>'
    '<marker id="use" viewBox="0 0 10 10" refX="10" refY="5" markerWidth="8" markerHeight="8" orient="auto">'
    '<path d="M0 1 L10 5 L0 9"/></marker>'
)


def svg(nodes: Sequence[GraphNode], edges: Sequence[GraphEdge], lacks: str = "") -> str:
    """The whole drawing. Its titles name each type in full. `lacks`: what of it may be missing, below it."""
    layers = _layers([node.id for node in nodes], [(edge.source, edge.target) for edge in edges])
    widths = {node.id: _WIDE * len(node.name) + 20 for node in nodes}
    places = _places(layers, widths)
    width = max((x + widths[id_] // 2 for id_, (x, _) in places.items()), default=0) + _MARGIN
    height = len(layers) * _LAYER + _MARGIN
    drawn = [_edge(edge, places) for edge in edges if edge.source != edge.target]
    drawn += [_box(node, places[node.id], widths[node.id]) for node in nodes]
    if lacks:
        width, height = max(width, _WIDE * len(lacks)), height + _MARGIN
        drawn.append(f'<text x="{width // 2}" y="{height - _MARGIN // 2}">{escape(lacks)}</text>')
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n<style>{_STYLE}</style><defs>{_HEADS}</defs>'
    return "\n".join([head, *drawn, "</svg>"]) + "\n"


def _layers(ids: Sequence[str], pairs: Sequence[tuple[str, str]]) -> list[list[str]]:
    """Ids by layer: each below all that lead to it, but for the pairs that close a circle."""
    following: dict[str, list[str]] = {id_: [] for id_ in ids}
    for source, target in pairs:
        if source != target and target not in following[source]:
            following[source].append(target)
    depth = _depths(ids, _without_circles(ids, following))
    layers: list[list[str]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for id_ in ids:
        layers[depth[id_]].append(id_)
    around: dict[str, list[str]] = {id_: list(following[id_]) for id_ in ids}
    for source, targets in following.items():
        for target in targets:
            around[target].append(source)
    for _ in range(_ROUNDS):
        where = {id_: at / max(1, len(layer)) for layer in layers for at, id_ in enumerate(layer)}
        for layer in layers:
            layer.sort(key=lambda id_: _mean([where[each] for each in around[id_]], where[id_]))
    return layers


def _without_circles(ids: Sequence[str], following: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Return the graph without edges that close a cycle."""
    kept: dict[str, list[str]] = {id_: [] for id_ in ids}
    done: set[str] = set()
    for first in ids:
        path, open_ = [(first, iter(following[first]))], {first}
        while path and first not in done:
            id_, rest = path[-1]
            target = next(rest, None)
            if target is None:
                path.pop()
                open_.discard(id_)
                done.add(id_)
            elif target not in open_:
                kept[id_].append(target)
                if target not in done:
                    path.append((target, iter(following[target])))
                    open_.add(target)
    return kept


def _depths(ids: Sequence[str], following: Mapping[str, list[str]]) -> dict[str, int]:
    """The longest path to each."""
    waiting = dict.fromkeys(ids, 0)
    for targets in following.values():
        for target in targets:
            waiting[target] += 1
    depth = dict.fromkeys(ids, 0)
    ready = [id_ for id_ in ids if not waiting[id_]]
    while ready:
        id_ = ready.pop()
        for target in following[id_]:
            depth[target] = max(depth[target], depth[id_] + 1)
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)
    return depth


def _places(layers: Sequence[Sequence[str]], widths: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """Return the centre of each box; layers are centred."""
    spans = [sum(widths[id_] + _GAP for id_ in layer) - _GAP for layer in layers]
    places: dict[str, tuple[int, int]] = {}
    for at, (layer, span) in enumerate(zip(layers, spans, strict=True)):
        x = _MARGIN + (max(spans) - span) // 2
        for id_ in layer:
            places[id_] = (x + widths[id_] // 2, _MARGIN + _HIGH // 2 + at * _LAYER)
            x += widths[id_] + _GAP
    return places


def _box(node: GraphNode, place: tuple[int, int], width: int) -> str:
    x, y = place
    around = "" if node.shown else ' class="around"'
    return (
        f"<g><title>{escape(node.path)}</title>"
        f'<rect x="{x - width // 2}" y="{y - _HIGH // 2}" width="{width}" height="{_HIGH}" rx="4"{around}/>'
        f'<text x="{x}" y="{y}">{escape(node.name)}</text></g>'
    )


def _edge(edge: GraphEdge, places: Mapping[str, tuple[int, int]]) -> str:
    (x0, y0), (x1, y1) = places[edge.source], places[edge.target]
    half = _HIGH // 2 if y1 >= y0 else -_HIGH // 2
    start, end = (y0 + half, y1 - half) if y0 != y1 else (y0 + half, y1 + half)
    bend = (end - start) // 2 or _LAYER // 2
    head = "use" if edge.relation == "uses" else "base"
    return (
        f'<path class="{edge.relation}" marker-end="url(#{head})" '
        f'd="M{x0} {start} C{x0} {start + bend} {x1} {end - bend if y0 != y1 else end + bend} {x1} {end}"/>'
    )


def _mean(numbers: Sequence[float], otherwise: float) -> float:
    return sum(numbers) / len(numbers) if numbers else otherwise


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
