"""Graphs of types as text: Mermaid, which models and Markdown read, and DOT."""

from __future__ import annotations

import re

from services.model import GraphEdge, GraphNode

_WORD = re.compile(r"\W+")
_ARROWS = {"inherits": "<|--", "implements": "<|.."}


def mermaid(nodes: tuple[GraphNode, ...], edges: tuple[GraphEdge, ...]) -> str:
    """A class diagram: bases first, then who uses what, with how often where that is more than once."""
    ids = _identifiers(nodes)
    lines = ["classDiagram"]
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


def dot(nodes: tuple[GraphNode, ...], edges: tuple[GraphEdge, ...]) -> str:
    """A graph that Graphviz lays out, top down from who uses to what is used."""
    lines = ["digraph types {", '  node [shape=box, fontname="Helvetica"];']
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
    """What Mermaid takes for a name, no two the same."""
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
