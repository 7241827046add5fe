"""Results as text for a person at a shell."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import singledispatch
from importlib import import_module
from typing import Any, TextIO

import msgspec

from services.model import (
    ExportAnswer,
    GrepMatch,
    ModelUse,
    SourcePiece,
    Status,
    Symbol,
    SymbolRef,
    Window,
)
from services.model.writes import ChangeAnswer, HistoryAnswer, LockAnswer, LocksAnswer, WriteAnswer
from services.operations.source import GrepResult, ReadAnswer, StructureAnswer
from services.operations.window import WindowChange
from services.prompt.outline.names import type_name
from widgets.format.display import expand_tabs, visible, visible_lines
from widgets.format.display_line import DisplayLine
from widgets.format.shorten import noun
from workbench.shell.text.left_out import EMPTY_WINDOW
from workbench.shell.text.status_text import elapsed, notice_lines, project_rows


class Look(msgspec.Struct, frozen=True):
    """Properties of the output. Source text is made visible: there may be a terminal at the end of a pipe as well.
    There tabs and the ends of lines are unchanged."""

    terminal: bool
    colour: bool

    @classmethod
    def of(cls, stream: TextIO) -> Look:
        """Return the look of a stream: colours on a terminal, unless NO_COLOR forbids them (no-color.org)."""
        terminal = stream.isatty()
        return cls(terminal, terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb")

    def dim(self, text: str) -> str:
        """Less important."""
        return f"\x1b[2m{text}\x1b[0m" if self.colour else text

    def bold(self, text: str) -> str:
        """More important."""
        return f"\x1b[1m{text}\x1b[0m" if self.colour else text

    def marked(self, text: str, spans: Iterable[tuple[int, int]]) -> str:
        """A line of source with stretches (start, end) of its characters set off, where there are colours."""
        if not self.colour:
            return self.source(text)
        line, done, shown = DisplayLine(text.removesuffix("\r")), 0, ""
        for start, end in spans:
            shown += line.shown(done, start) + f"\x1b[1;31m{line.shown(start, end)}\x1b[0m"
            done = end
        return shown + line.shown(done, len(line.text))

    def source(self, text: str) -> str:
        """Return source text that was requested itself."""
        if not self.terminal:
            return visible_lines(text)
        return "\n".join(visible(expand_tabs(line.removesuffix("\r"))) for line in text.split("\n"))


_OTHERS = (
    *("render_symbols", "render_advice", "render_edits", "render_copying", "render_reviews"),
    *("render_notes", "render_asking", "render_systems"),
)
"""Modules that register further types: each imports what declares them, and is imported when a result needs it."""


@singledispatch
def render(result: Any, look: Look) -> str:
    """`result` as text that ends its last line. Raises TypeError for a type that has no text."""
    unknown = render.dispatch(object)
    for name in _OTHERS:
        import_module(f"workbench.shell.text.{name}")
        if (known := render.dispatch(type(result))) is not unknown:
            return known(result, look)
    raise TypeError(f"{type(result).__name__} has no text for {look}")


@render.register
def _(result: ReadAnswer, look: Look) -> str:
    if not look.terminal:
        return look.source(result.content)
    lines = ended(look.source(result.content)).split("\n")[:-1] if result.content else []
    numbers = [
        number
        for piece in result.pieces or (result,)
        for number in range(piece.start_line, piece.end_line + 1)
    ]
    width = len(str(max(numbers, default=0)))
    shown = (
        f"{look.dim(f'{number:>{width}}')}  {line}\n" for number, line in zip(numbers, lines, strict=False)
    )
    return "".join(_headed(shown, [piece for piece in result.pieces for _ in _piece_lines(piece)], look))


@render.register
def _(result: GrepResult, look: Look) -> str:
    """Print like ripgrep: on a terminal files are headings, in a pipe every line names its file."""
    shown: list[str] = []
    last: tuple[str, int] | None = None
    has_context = any(each.context_before or each.context_after for each in result.matches)
    for match in result.matches:
        if look.terminal and (last is None or last[0] != match.file):
            shown.append(("\n" if shown else "") + look.bold(visible(match.file)) + "\n")
        first = match.line_number - len(match.context_before)
        if has_context and last is not None and last != (match.file, first - 1):
            shown += ["--\n"] if not look.terminal or last[0] == match.file else []
        shown += _match_lines(match, first, look)
        last = (match.file, match.line_number + len(match.context_after))
    if not look.terminal:
        return "".join(shown)
    more = ", more were left out" if result.truncated else ""
    more = ", and then the time was up" if result.timed_out else more
    found = f"{counted(result.match_count, 'matching line')}{more}" if result.matches else "nothing"
    return "".join(shown) + look.dim(f"{found}; {counted(result.searched, 'file')} searched\n")


@render.register
def _(result: StructureAnswer, look: Look) -> str:
    place = f"{result.file}:{result.start_line}-{result.end_line}"
    facts = {
        "object": result.object,
        "kind": result.object_type,
        "lines": place,
        "token": result.token,
        "changed": f"by {result.changed_by}" if result.changed_by else "",
    }
    parts = {
        part.include_type: ", ".join(
            f"{piece.file}:{piece.start_line}-{piece.end_line}" for piece in part.pieces
        )
        for part in result.includes
    }
    rows = "".join(symbol_row(member, look) for member in result.members)
    return (
        look.bold(visible(result.name)) + "\n" + _table(facts | parts | dict(result.facts or {}), look) + rows
    )


@render.register
def _(result: LockAnswer, look: Look) -> str:
    """Print the handle alone in a pipe, for a script to store."""
    if result.lock_handle and not look.terminal:
        return result.lock_handle + "\n"
    handle = f"  handle {result.lock_handle}" if result.lock_handle else ""
    files = ", ".join(map(visible, result.files))
    left = visible(result.recorded) or f"{result.seconds:.0f} s left, fence {result.fence}"
    return f"{look.bold(files)}  {visible(result.owner)}, {left}{handle}\n"


@render.register
def _(result: LocksAnswer, look: Look) -> str:
    return "".join(render(lock, look) for lock in result.locks) or look.dim("Nothing is locked.\n")


@render.register
def _(result: WriteAnswer, look: Look) -> str:
    done = "Written" if result.updated else "Already so"
    lines = f"lines {result.new_range[0]}-{result.new_range[1]} of {number(result.line_count)}"
    return f"{look.source(result.diff)}{done}: {look.bold(visible(result.file))}, {lines}, token {result.token}\n"


@render.register
def _(result: ChangeAnswer, look: Look) -> str:
    rows = [
        f"{look.source(file.diff)}{result.kind}: {look.bold(visible(file.file))}, "
        f"{f'token {file.token}' if file.token else 'which is gone'}\n"
        for file in result.files
    ]
    return "".join(rows)


@render.register
def _(result: HistoryAnswer, look: Look) -> str:
    rows = [
        f"{look.dim(f'{entry.group:>6}')}  {datetime.fromtimestamp(entry.at / 1000).astimezone():%Y-%m-%d %H:%M:%S}"
        f"  {entry.kind:<4}  {visible(', '.join(entry.files))}  {look.dim(visible(entry.owner))}"
        f"{'  undone' if entry.undone else ''}\n"
        for entry in result.entries
    ]
    return "".join(rows) or look.dim("Nothing was written yet.\n")


@render.register
def _(result: Window, look: Look) -> str:
    if not result.text and look.terminal:
        return EMPTY_WINDOW
    return ended(look.source(result.text))


@render.register
def _(result: WindowChange, look: Look) -> str:
    name = visible(type_name(result.resolved.path) if result.resolved else result.path)
    used = f"{tokens(result.tokens, result.approximate)} of {number(result.budget)} tokens"
    pins = f"pins {number(result.pinned_tokens)} of {number(result.soft_budget)}"
    less = {"shown with less detail": len(result.lowered), "left out": len(result.omitted)}
    said = "".join(f", {number(count)} {what}" for what, count in less.items() if count)
    return f"{result.change.capitalize()} {look.bold(name)}: window {used}, {pins}{said}.\n"


@render.register
def _(result: Symbol, look: Look) -> str:
    return _line(result.kind, result.fqn, f"{result.file}:{result.start_line}", look)


@render.register
def _(result: Status, look: Look) -> str:
    facts = {
        "root": result.root,
        "index": result.state,
        "branch": result.branch or "none",
        "projects": number(len(result.projects)),
        "files": number(result.files),
        "types": number(result.types),
        "members": number(result.members),
        "quality": ", ".join(f"{number(count)} {name}" for name, count in result.quality.items()),
        "watching": result.watching,
        "memory": f"{result.memory_mb:.0f} MB",
        "up": elapsed(result.uptime_sec),
        **{f"asked today: {each.profile}": _asked(each) for each in result.models},
        **{name: _figures(value) for name, value in result.measures.items()},
        "version": result.version,
    }
    projects = "".join(
        f"  {visible(name)}  {look.dim(visible(facts))}\n" for name, facts in project_rows(result)
    )
    said = (*result.alarms, *result.notices)
    notices = "".join(visible(notice) + "\n" for notice in notice_lines(said))
    return _table(facts, look) + projects + notices


def _asked(use: ModelUse) -> str:
    cost = "" if use.cost is None else f", {use.cost:.4f} {use.currency}"
    return f"{number(use.sent)} tokens sent, {number(use.received)} received{cost}"


@render.register
def _(result: ExportAnswer, look: Look) -> str:  # noqa: ARG001
    what = f"{counted(result.types, 'type')} of {counted(result.projects, 'project')}"
    lines = [f"{visible(result.file)}: {what}{'' if result.changed else ', as before'}.\n"]
    if result.outlines or result.removed:
        gone = f", {number(result.removed)} of types that are gone removed" if result.removed else ""
        lines.append(f"{counted(result.outlines, 'outline')}{gone}.\n")
    return "".join(lines)


def _match_lines(match: GrepMatch, first: int, look: Look) -> Iterable[str]:
    """A match with its context. `:` follows the number of a matching line, `-` that of another."""
    for at, line in enumerate(match.context_before):
        yield _numbered(match.file, first + at, "-", look) + look.source(line) + "\n"
    yield _numbered(match.file, match.line_number, ":", look) + look.marked(match.content, match.spans) + "\n"
    for at, line in enumerate(match.context_after, match.line_number + 1):
        yield _numbered(match.file, at, "-", look) + look.source(line) + "\n"


def _numbered(file: str, line: int, sign: str, look: Look) -> str:
    return look.dim(f"{line}{sign}") if look.terminal else f"{visible(file)}{sign}{line}{sign}"


def _piece_lines(piece: SourcePiece) -> range:
    return range(piece.start_line, piece.end_line + 1)


def _headed(lines: Iterable[str], pieces: list[SourcePiece], look: Look) -> Iterable[str]:
    """Lines with the name of their file above, where they are of several."""
    several = len({piece.file for piece in pieces}) > 1
    last = ""
    for at, line in enumerate(lines):
        if several and pieces[at].file != last:
            last = pieces[at].file
            yield look.bold(visible(last)) + "\n"
        yield line


def number(value: int) -> str:
    """`12 345`."""
    return f"{value:,}".replace(",", " ")


def counted(value: int, what: str, many: str | None = None) -> str:
    """`1 item`, `2 items`; `many`: a plural that is not made with an s."""
    return f"{number(value)} {noun(value, what, many)}"


def tokens(count: int, approximate: bool) -> str:
    """A count, marked `≈` where the tokenizer is approximated."""
    return ("≈ " if approximate else "") + number(count)


def symbol_row(symbol: SymbolRef, look: Look) -> str:
    """Return a symbol and its location; its label distinguishes overloads."""
    name = symbol.full
    place = f"{symbol.file}:{symbol.start_line}" if symbol.file else ""
    place += f"  ({symbol.condition})" if symbol.condition else ""
    return _line(symbol.kind, name, place, look)


def _line(kind: str, name: str, place: str, look: Look) -> str:
    return f"{look.dim(f'{kind:<12}')} {look.bold(visible(name))}  {look.dim(visible(place))}\n"


def _table(facts: dict[str, str], look: Look) -> str:
    width = max(map(len, facts))
    shown: Iterable[tuple[str, str]] = ((name, value) for name, value in facts.items() if value)
    return "".join(f"{look.dim(f'{name:<{width}}')}  {visible(value)}\n" for name, value in shown)


def _figures(value: Any) -> str:
    if not isinstance(value, Mapping):
        return str(value)
    return ", ".join(f"{name} {figure}" for name, figure in value.items())


def ended(text: str) -> str:
    """Text that ends its last line."""
    return text if text.endswith("\n") or not text else text + "\n"
