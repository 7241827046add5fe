"""A graph of types as a drawing that every browser shows: in layers, from who uses to what is used (Sugiyama, Tagawa
and Toda 1981: cycles broken, layers by longest path, order by barycentres)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from services.model import GraphEdge, GraphNode

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
