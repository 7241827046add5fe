"""Symbols found, outlines, usages, hierarchies and graphs as text for a person at a shell."""

from __future__ import annotations

from itertools import groupby

from services.model import (
    FilesAnswer,
    Grade,
    GraphAnswer,
    HierarchyAnswer,
    HierarchyRow,
    OutlineAnswer,
    ResolveAnswer,
    SearchAnswer,
    Usage,
    UsagesAnswer,
)
from widgets.format.display import visible
from workbench.shell.text.render import Look, counted, ended, number, render, symbol_row, tokens

_INDENT = "  "


@render.register
def _(result: FilesAnswer, look: Look) -> str:
    del look
    return "".join(f"{visible(each.path)}\n" for each in result.hits)


@render.register
def _(result: SearchAnswer, look: Look) -> str:
    rows = "".join(symbol_row(hit.symbol, look) for hit in result.hits)
    if not look.terminal:
        return rows
    shown = f"{len(result.hits)} of {number(result.total)}" if result.total else "nothing"
    advice = f"{visible(result.advice)}\n" if result.advice else ""
    in_all = f"{shown} in {number(result.searched)} symbols, {result.elapsed_ms:.0f} ms\n"
    return rows + look.dim(in_all + advice)


@render.register
def _(result: UsagesAnswer, look: Look) -> str:
    lines: list[str] = []
    for file, usages in groupby(result.usages, key=lambda usage: usage.file):
        lines += (look.bold(visible(file)) + "\n", *(_usage(usage, look) for usage in usages))
    if not look.terminal:
        return "".join(lines)
    shown = f"{number(len(result.usages))} of " if result.truncated else ""
    related = f", {number(result.related)} related (≈)" if result.related else ""
    of_grades = f"{number(result.bound)} bound (=){related}, the rest by name (~)"
    found = f"{shown}{counted(result.total, 'usage')}, {of_grades}"
    return "".join(lines) + look.dim(f"{found}, {result.elapsed_ms:.0f} ms\n")


@render.register
def _(result: ResolveAnswer, look: Look) -> str:
    if result.symbol is not None:
        return (
            symbol_row(result.symbol, look)
            + look.dim(f"{result.symbol.id}  {result.how or ''}".rstrip())
            + "\n"
        )
    head = "No overload is so; there are:" if result.how is None else "Several symbols match:"
    return f"{head}\n" + "".join(symbol_row(symbol, look) for symbol in result.candidates)


@render.register
def _(result: OutlineAnswer, look: Look) -> str:
    text = ended(look.source(result.text))
    return text + look.dim(f"{tokens(result.tokens, result.approximate)} tokens\n") if look.terminal else text


@render.register
def _(result: HierarchyAnswer, look: Look) -> str:
    rows = "".join(_hierarchy_row(row, look) for row in result.rows)
    if not look.terminal:
        return rows
    head = look.bold(visible(result.symbol.path)) + f"  {result.direction}\n"
    if not result.rows:
        return head + look.dim(f"{_INDENT}none in this workspace\n")
    more = "; there are more (--limit)" if result.truncated else ""
    return head + rows + look.dim(f"{counted(len(result.rows), 'row')}, {result.elapsed_ms:.0f} ms{more}\n")


def _hierarchy_row(row: HierarchyRow, look: Look) -> str:
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
    lacks = f". {result.lacks}" if result.lacks else ""
    return text + look.dim(f"{types}, {counted(len(result.edges), 'edge')}{cost}{left}{lacks}\n")


def _usage(usage: Usage, look: Look) -> str:
    """`=` before what is bound, `≈` before what is related, `~` before what shares the name alone, with what it links
    to, the reason why it does not fit, and the target framework that alone compiles it, if there is one."""
    sign = {Grade.BOUND: "=", Grade.RELATED: "≈"}.get(Grade(usage.grade), "~")
    start = usage.snippet_start
    text = look.marked(usage.snippet, [(usage.column - start, usage.end_column - start)])
    linked = usage.kind if usage.links else ""
    notes = ", ".join(filter(None, (linked, usage.reason, usage.framework and f"{usage.framework} only")))
    reason = look.dim(f"  ({notes})") if notes else ""
    return f"{sign}{look.dim(f'{usage.line:>6}:')} {text}{reason}\n"
