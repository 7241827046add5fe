"""Hierarchies and graphs as text for a person at a shell."""

from __future__ import annotations

from services.model import GraphAnswer, HierarchyAnswer, HierarchyRow
from widgets.format.display import visible
from workbench.shell.text.render import Look, counted, number, render

_INDENT = "  "


@render.register
def _(result: HierarchyAnswer, look: Look) -> str:
    rows = "".join(_row(row, look) for row in result.rows)
    if not look.terminal:
        return rows
    head = look.bold(visible(result.symbol.path)) + f"  {result.direction}\n"
    if not result.rows:
        return head + look.dim(f"{_INDENT}none in this workspace\n")
    more = "; there are more (--limit)" if result.truncated else ""
    return head + rows + look.dim(f"{counted(len(result.rows), 'row')}, {result.elapsed_ms:.0f} ms{more}\n")


def _row(row: HierarchyRow, look: Look) -> str:
    place = f"{row.file}:{row.line}" if row.file else ""
    times = f"{row.count}×" if row.count > 1 else ""
    said = "  ".join(part for part in (times, row.note, "as above" if row.again else "", place) if part)
    return f"{_INDENT * row.depth}{visible(row.name)}" + look.dim(f"  {visible(said)}" if said else "") + "\n"


@render.register
def _(result: GraphAnswer, look: Look) -> str:
    """The text alone, for a file or a pipe; on a terminal what it is of as well."""
    text = look.source(result.text)
    if not look.terminal:
        return text
    left = f", {number(result.left_out)} left out (--limit)" if result.left_out else ""
    cost = f", {number(result.tokens)} tokens" if result.text else ""
    types = counted(len(result.nodes), "type")
    return text + look.dim(f"{types}, {counted(len(result.edges), 'edge')}{cost}{left}\n")
