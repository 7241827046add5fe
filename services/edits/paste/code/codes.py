"""Source in a fence applied to a file: as the whole file, or in place of the types and members of the same names."""

from __future__ import annotations

from collections.abc import Sequence

from services.edits.paste.code.declared import DIRECTIVE, Fit, Pasted, Splice, told
from services.edits.paste.code.elided import elided_file, one_in_place
from services.edits.paste.code.shapes import CodeLines, DeclarationLines, forgotten
from services.edits.paste.lines.elisions import filled_in, is_mark, marks_in
from services.edits.paste.lines.hunks import Misfit

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
