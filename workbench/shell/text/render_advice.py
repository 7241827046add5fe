"""Packs, and advice on the prompt window, as text for a person at a shell."""

from __future__ import annotations

from services.model import (
    Completeness,
    Conclusion,
    Context,
    ContextItem,
    Level,
    Missing,
    Pack,
    PackInfo,
    PackList,
    Suggestions,
)
from widgets.format.display import visible
from workbench.shell.text.left_out import NOTHING_RELATED
from workbench.shell.text.render import Look, counted, number, render


@render.register
def _(result: Pack, look: Look) -> str:
    """In a pipe the text alone; on a terminal what it holds."""
    if not look.terminal:
        return look.source(result.text)
    rows = "".join(
        f"{number(each.tokens):>7}  {'' if each.chosen else '+ '}{visible(each.name)}"
        f"{look.dim(f'  {each.level}')}\n"
        for each in result.types
    )
    said = [
        f"{counted(len(result.types), 'type')}, {number(result.tokens)} of {number(result.budget)} tokens"
    ]
    said += [f"{len(result.omitted)} did not fit"] if result.omitted else []
    said += [] if result.rebuilt else ["nothing has changed"]
    gone = f"Not there: {visible(', '.join(result.gone))}.\n" if result.gone else ""
    return f"{rows}{gone}" + look.dim(f"{', '.join(said)}; + is a dependency\n")


@render.register
def _(result: PackInfo, look: Look) -> str:
    sign = "*" if result.active else " "
    said = (
        result.problem or f"{counted(result.types, 'type')}, {number(result.tokens)} tokens  {result.filter}"
    )
    return f"{sign} {look.bold(visible(result.name))}  {visible(said)}\n"


@render.register
def _(result: PackList, look: Look) -> str:
    return "".join(render(each, look) for each in result.packs)


@render.register
def _(result: Completeness, look: Look) -> str:
    rows = "".join(_missing(each, look) for each in result.missing)
    loose = "".join(
        f"{number(each.tokens):>7}  {visible(each.label)}"
        + look.dim("  nothing refers to it" + ("" if each.refers else ", nor it to anything"))
        + "\n"
        for each in result.unneeded
    )
    added = f"Pinned {len(result.added)}. " if result.added else ""
    suggested = f"; suggested (*): {number(result.suggested_tokens)} of {number(result.room)} tokens"
    members = f"{result.shown} of {counted(result.referred, 'member')} and " if result.referred else ""
    told = f"{members}{result.types_shown} of {counted(result.types, 'type')} that the window refers to are shown"
    if not (result.referred or result.types):
        told = "The window refers to nothing of the workspace"
    return rows + loose + f"{added}{told}" + (suggested if result.suggested_tokens else "") + ".\n"


def _missing(each: Missing, look: Look) -> str:
    sign = " " if each.suggested is None else "-" if each.suggested == "signature" else "*"
    place = visible(f"{each.symbol.file}:{each.symbol.start_line}")
    counts = look.dim(f"  named {each.named}, used {each.used}; {place}")
    value = f" = {visible(each.value)}" if each.value else ""
    return f"{number(each.outline):>7} {sign} {visible(each.symbol.path)}{value}{counts}\n"


@render.register
def _(result: Suggestions, look: Look) -> str:
    rows = "".join(
        f"{each.score:.2f}  {visible(each.symbol.path)}{look.dim(f'  {visible(each.reason)}')}\n"
        for each in result.suggestions
    )
    if rows or not look.terminal:
        return rows
    return NOTHING_RELATED


@render.register
def _(result: Context, look: Look) -> str:
    """On a terminal each item with its reasons below it; in a pipe a line each."""
    rows = "".join(_item(each, look) for each in result.items)
    if not look.terminal:
        return rows
    outlined = sum(each.level is not Level.SIGNATURE for each in result.items)
    told = f"{counted(len(result.items), 'type')}, the {outlined} marked * as outlines: {number(result.tokens)} of "
    told += f"{number(result.budget)} tokens; {counted(result.commits, 'commit')} read"
    places = [each for each in result.places if each.symbol is None and each.kind == "frame"]
    told += f"; {counted(len(places), 'frame')} not of this workspace" if places else ""
    told += "" if result.complete else "; not all bodies are read yet"
    return rows + look.dim(f"{told}, {result.elapsed_ms:.0f} ms\n")


def _item(each: ContextItem, look: Look) -> str:
    sign = "*" if each.level is not Level.SIGNATURE else " "
    why = "; ".join(each.reasons)
    return f"{number(each.cost):>7} {sign} {visible(each.symbol.path)}{look.dim(f'  {visible(why)}')}\n"


@render.register
def _(result: Conclusion, look: Look) -> str:
    """Print the text of its file."""
    kept = look.dim(f"kept as {visible(result.file)}\n") if look.terminal and result.file else ""
    return look.source(result.text) + kept
