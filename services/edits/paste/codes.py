"""Source in a fence applied to a file: as the whole file, in place of the types and members of its names, or, where
it is shown in part, declaration by declaration."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from services.edits.paste.declared import (
    DIRECTIVE,
    Fit,
    Pasted,
    Splice,
    indented_like,
    paired,
    replaced,
    told,
)
from services.edits.paste.elisions import filled_in, is_mark, marks_in
from services.edits.paste.hunks import Misfit
from services.edits.paste.shapes import CodeLines, DeclarationLines, forgotten


def one_in_place(
    pasted: Pasted, shown: DeclarationLines, base: CodeLines, there: DeclarationLines
) -> list[Splice] | Misfit:
    """A declaration in the place of another; of a type with marks between its members, those that are shown."""
    if shown.is_type and there.is_type and _is_elided(pasted, shown):
        return elided_type(pasted, shown, base, there)
    made = replaced(pasted, shown, base, there)
    return made if isinstance(made, Misfit) else [made]


def _is_elided(pasted: Pasted, shown: DeclarationLines) -> bool:
    """Whether marks separate members of a type."""
    within = {at for node in shown.inner for at in range(node.first, node.end)}
    return any(is_mark(pasted.lines[at]) for at in range(shown.first, shown.end) if at not in within)


def elided_type(
    pasted: Pasted, shown: DeclarationLines, base: CodeLines, there: DeclarationLines
) -> list[Splice] | Misfit:
    """The shown declarations of a type in the place of those of the file."""
    head = _heads(pasted, shown, base, there)
    if isinstance(head, Misfit):
        return head
    opening, opening_there, splices = head
    inside = (opening, shown.end - 1)
    inside_there = (opening_there, there.end - 1)
    made = _members(_Sides(pasted, base, shown.inner, there.inner, inside, inside_there))
    return made if isinstance(made, Misfit) else [*splices, *made]


def elided_file(pasted: Pasted, base: CodeLines) -> list[Splice] | Misfit:
    """Replace the shown types of a file, and the lines before them with the marks filled in."""
    pairs = paired(pasted.source.nodes, base.nodes)
    if pairs is None or not pairs or any(other is None for _, other in pairs):
        return Misfit("It shows types that the file does not have.", pasted.line)
    splices: list[Splice] = []
    first, first_there = pasted.source.nodes[0], base.nodes[0]
    lead, lead_there = pasted.lines[: first.top], base.lines[: first_there.top]
    before = _lead(lead, lead_there, pasted.line)
    if isinstance(before, Misfit):
        return before
    splices += before
    inside = (first.top, len(pasted.lines))
    inside_there = (first_there.top, len(base.lines))
    made = _members(_Sides(pasted, base, pasted.source.nodes, base.nodes, inside, inside_there, closes=True))
    return made if isinstance(made, Misfit) else [*splices, *made]


def _lead(lines: Sequence[str], there: Sequence[str], line: int) -> list[Splice] | Misfit:
    """Usings and the namespace."""
    marks = [at for at, one in enumerate(lines) if is_mark(one)]
    if marks:
        if all(one.strip() in {other.strip() for other in there} for one in lines if not is_mark(one)):
            return []
        made = filled_in(lines, marks, there, line)
        return made if isinstance(made, Misfit) else [Splice(0, len(there), tuple(made), line)]
    known = {one.strip() for one in lines}
    if any(one.strip() not in known for one in there if one.strip()):
        return Misfit("It leaves out lines before the first type, and no mark stands for them.", line)
    if [one.strip() for one in lines if one.strip()] == [one.strip() for one in there if one.strip()]:
        return []
    return [Splice(0, len(there), tuple(lines), line)]


def _heads(
    pasted: Pasted, shown: DeclarationLines, base: CodeLines, there: DeclarationLines
) -> tuple[int, int, list[Splice]] | Misfit:
    """Behind the braces that open both, and what changes before."""
    opening, opening_there = _opening(pasted.lines, shown), _opening(base.lines, there)
    if opening is None or opening_there is None:
        return Misfit(f"Where the body of `{shown.name}` begins is not certain.", pasted.line + shown.first)
    first = there.first
    if there.attributes and not shown.attributes:
        while first < opening_there and base.lines[first].strip().startswith("["):
            first += 1
    head, head_there = pasted.lines[shown.first : opening], base.lines[first:opening_there]
    if [one.strip() for one in head] == [one.strip() for one in head_there]:
        return opening, opening_there, []
    if set(there.bases) - set(shown.bases) or any(is_mark(one) for one in head):
        return Misfit(
            f"`{there.name}` has other bases in the file, and not all is shown.", pasted.line + shown.first
        )
    lines = indented_like(head, pasted.lines[shown.first], base.lines[there.first])
    if lines is None:
        return Misfit("It is not certain how far its lines are indented.", pasted.line + shown.first)
    return opening, opening_there, [Splice(first, opening_there, tuple(lines), pasted.line + shown.first)]


def _opening(lines: Sequence[str], node: DeclarationLines) -> int | None:
    """The index behind the line that opens the body of a type."""
    end = min((inner.top for inner in node.inner), default=node.end)
    for at in range(node.first, min(end + 1, node.end)):
        if lines[at].rstrip().endswith("{"):
            return at + 1
    return None


class _Sides(msgspec.Struct):
    """Shown declarations and those of the file, with the enclosing lines. `closes`: whether the lines after the last
    one only close the file."""

    pasted: Pasted
    base: CodeLines
    shown: Sequence[DeclarationLines]
    there: Sequence[DeclarationLines]
    inside: tuple[int, int]
    inside_there: tuple[int, int]
    closes: bool = False
    splices: list[Splice] = msgspec.field(default_factory=list)


class _Part(msgspec.Struct, frozen=True):
    """Shown declaration with its counterpart in the file. `marked`: whether a mark separates it from the one before;
    `blanks`: the number of blank lines right before it."""

    node: DeclarationLines
    other: DeclarationLines | None
    marked: bool
    blanks: int


def _members(sides: _Sides) -> list[Splice] | Misfit:
    pairs = paired(sides.shown, sides.there)
    if pairs is None:
        return Misfit("Which of several declarations of one name is meant is not certain.", sides.pasted.line)
    parts: list[_Part] = []
    at = sides.inside[0]
    for node, other in pairs:
        between = sides.pasted.lines[at : node.top]
        if node.top < at:
            continue  # the second field of a declaration
        if stray := _stray(between, sides.base):
            return _uncertain(sides, at, stray)
        blanks = len(between) - len(_without_blank_end(between))
        parts.append(_Part(node, other, any(map(is_mark, between)), blanks))
        at = node.end
    rest = sides.pasted.lines[at : sides.inside[1]]
    if stray := _stray(rest, sides.base):
        return _uncertain(sides, at, stray)
    ends_marked = any(map(is_mark, rest)) or sides.closes
    for number in range(len(parts)):
        made = _placed(sides, parts, number, ends_marked=ends_marked)
        if isinstance(made, Misfit):
            return made
        sides.splices += made
    return sides.splices


def _uncertain(sides: _Sides, at: int, stray: str) -> Misfit:
    return Misfit(f"Where the line `{stray}` belongs is not certain.", sides.pasted.line + at)


def _stray(lines: Sequence[str], base: CodeLines) -> str:
    """Return a meaningful line between declarations that is not in the file."""
    known = {line.strip() for line in base.lines}
    said = (line.strip() for line in lines if line.strip() and not is_mark(line))
    return next((line for line in said if line not in known), "")


def _without_blank_end(lines: Sequence[str]) -> Sequence[str]:
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return lines[:end]


def _placed(
    sides: _Sides, parts: Sequence[_Part], number: int, *, ends_marked: bool
) -> list[Splice] | Misfit:
    part = parts[number]
    if part.other is None:
        return _new(sides, parts, number, ends_marked=ends_marked)
    before = next((one for one in reversed(parts[:number]) if one.other is not None), None)
    is_marked = any(one.marked for one in parts[parts.index(before) + 1 if before else 0 : number + 1])
    low = before.other.end if before is not None and before.other is not None else sides.inside_there[0]
    if low > part.other.top:
        line = sides.pasted.line + part.node.first
        return Misfit(
            f"`{part.node.name}` stands in another order in the file.", line, (part.other.first + 1,)
        )
    if not is_marked and (lost := _between(sides.there, low, part.other.top)):
        return _lost(sides, part.node, lost)
    is_last = all(one.other is None for one in parts[number + 1 :])
    ends_open = ends_marked or any(one.marked for one in parts[number + 1 :])
    if is_last and not ends_open and (lost := _between(sides.there, part.other.end, sides.inside_there[1])):
        return _lost(sides, part.node, lost)
    return one_in_place(sides.pasted, part.node, sides.base, part.other)


def _between(nodes: Sequence[DeclarationLines], low: int, high: int) -> list[str]:
    return [node.name for node in nodes if low <= node.first and node.end <= high]


def _lost(sides: _Sides, node: DeclarationLines, lost: Sequence[str]) -> Misfit:
    told = ", ".join(f"`{name}`" for name in lost[:5])
    return Misfit(f"It leaves out {told}, and no mark stands for it.", sides.pasted.line + node.first)


def _new(sides: _Sides, parts: Sequence[_Part], number: int, *, ends_marked: bool) -> list[Splice] | Misfit:
    """Insert a declaration that the file does not have, next to its shown neighbour."""
    part, line = parts[number], sides.pasted.line + parts[number].node.first
    after = parts[number + 1] if number + 1 < len(parts) else None
    before = parts[number - 1] if number else None
    if not part.marked and before is not None:
        anchor = next((one for one in reversed(parts[:number]) if one.other is not None), None)
        run = parts[parts.index(anchor) + 1 : number + 1] if anchor is not None else []
        if anchor is not None and anchor.other is not None and not any(one.marked for one in run):
            return _inserted(sides, part, anchor.other.end, leads=True)
    if after is not None and not after.marked and after.other is not None:
        return _inserted(sides, part, after.other.top, leads=False, blanks=after.blanks)
    if not part.marked and before is None and sides.there:
        return _inserted(sides, part, sides.inside_there[0], leads=False, blanks=after.blanks if after else 1)
    if after is None and not ends_marked:
        at = sides.inside_there[1]
        while at and not sides.base.lines[at - 1].strip():
            at -= 1
        return _inserted(sides, part, at, leads=True)
    return Misfit(
        f"Where the new `{part.node.name}` belongs is not certain: it stands between two marks.", line
    )


def _inserted(sides: _Sides, part: _Part, at: int, *, leads: bool, blanks: int = 1) -> list[Splice] | Misfit:
    """Insert a declaration at a line. `leads`: put the blank lines before it, else after it."""
    node, line = part.node, sides.pasted.line + part.node.first
    beside = next((one for one in sides.there), None)
    indent = sides.base.lines[beside.first] if beside is not None else sides.pasted.lines[node.first]
    lines = indented_like(sides.pasted.lines[node.top : node.end], sides.pasted.lines[node.first], indent)
    if lines is None or any(map(is_mark, lines)):
        return Misfit(f"The new `{node.name}` is not whole.", line)
    made = [*([""] * part.blanks), *lines] if leads else [*lines, *([""] * blanks)]
    return [Splice(at, at, tuple(made), line)]


_KEPT = 0.5
"""The part of a file that must be in what is pasted in its place, where it is not known what it declares."""


def whole_file(pasted: Pasted, base: CodeLines, *, is_code: bool) -> list[Splice] | Misfit:
    """A whole file in the place of another. `is_code`: both are C#."""
    lines, there = pasted.lines, base.lines
    marks = marks_in(lines, there)
    if marks and is_code and pasted.source.nodes:
        return elided_file(pasted, base)
    if marks:
        made = filled_in(lines, marks, there, pasted.line)
        if isinstance(made, Misfit):
            return made
        return [Splice(0, len(there), tuple(made), pasted.line)]
    if reason := _lacking(pasted, base) if is_code else _other_text(lines, there):
        return Misfit(reason, pasted.line)
    return [Splice(0, len(there), _ended(lines, there), pasted.line)]


def _ended(lines: Sequence[str], there: Sequence[str]) -> tuple[str, ...]:
    """The lines with as many blank ones at their end as the file has: fences lose them."""
    said, kept = (len(one) - _blank_end(one) for one in (lines, there))
    return (*lines[:said], *there[kept:])


def _blank_end(lines: Sequence[str]) -> int:
    return next((at for at, line in enumerate(reversed(lines)) if line.strip()), len(lines))


def in_place(pasted: Pasted, base: CodeLines, fit: Fit) -> list[Splice] | Misfit:
    """Replace the matching declarations of a file with those of a fence."""
    splices: list[Splice] = []
    end = 0
    for shown, there in fit.pairs:
        if splices and (shown.first < end):
            continue  # two fields in one declaration
        if reason := _said_before(pasted, end, shown):
            return Misfit(reason, pasted.line + end, (there.first + 1,))
        made = one_in_place(pasted, shown, base, there)
        if isinstance(made, Misfit):
            return made
        splices += made
        end = shown.end
    rest = [line for line in pasted.lines[end:] if line.strip() and not is_mark(line)]
    if rest:
        return Misfit(f"Where `{rest[0].strip()}` belongs is not certain.", pasted.line + end, wanted=rest[0])
    return splices


def _said_before(pasted: Pasted, begin: int, shown: DeclarationLines) -> str:
    """Return the reason why the lines before a declaration in the fence have no certain place."""
    lead = [line for line in pasted.lines[begin : shown.top] if line.strip() and not is_mark(line)]
    return f"Where the line `{lead[0].strip()}` belongs is not certain." if lead else ""


def _lacking(pasted: Pasted, base: CodeLines) -> str:
    """Why a fence is not a whole C# file; empty if it is."""
    new = pasted.source
    if not new.readable and base.readable:
        return "It is not complete: its brackets do not close."
    if base.whole and not new.whole:
        return "It shows neither the usings nor the namespace of the file: whether it is all of it is not certain."
    if names := forgotten(base, new, pasted.about):
        return told(names)
    old, now = (sum(bool(DIRECTIVE.match(line)) for line in lines) for lines in (base.lines, new.lines))
    if now < old:
        return "It leaves out `#if` parts of the file, and does not say that they are to go."
    if (head := _header(base.lines)) and not set(head) & set(new.lines):
        return "It leaves out the comment that the file begins with."
    return ""


def _header(lines: Sequence[str]) -> list[str]:
    """The comment that a file begins with."""
    head: list[str] = []
    for line in lines:
        if not line.strip().startswith(("//", "/*", "*")):
            break
        head.append(line)
    return head


def _other_text(lines: Sequence[str], there: Sequence[str]) -> str:
    """Why lines are not a whole file in the place of another of which nothing is known; empty if they are."""
    said = [line.strip() for line in there if line.strip()]
    kept = {line.strip() for line in lines}
    if sum(line in kept for line in said) < len(said) * _KEPT:
        return "It has little in common with the file: whether it is all of it is not certain."
    return ""
