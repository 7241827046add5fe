"""Declarations of a fence, matched to those of a file."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from services.edits.paste.elisions import filled_in, marks_in
from services.edits.paste.hunks import Misfit
from services.edits.paste.matching import indent_of
from services.edits.paste.shapes import CodeLines, DeclarationLines, Form, forgotten

DIRECTIVE = re.compile(r"\s*#\s*(?:if|elif|else|endif)\b")
_MULTILINE = re.compile(r'\$*"""[\s\S]*?"""|(?:\$@|@\$?)"(?:[^"]|"")*"')


class Splice(msgspec.Struct, frozen=True):
    """Lines `start` to before `end`, from 0, become `new`. `line`: of the answer."""

    start: int
    end: int
    new: tuple[str, ...]
    line: int


class Fit(msgspec.Struct, frozen=True):
    """Declarations of a file that match those of a fence. `exact`: their signatures are equal."""

    pairs: tuple[tuple[DeclarationLines, DeclarationLines], ...]
    exact: bool


class Pasted(msgspec.Struct, frozen=True):
    """A fence. `line`: of the answer where it begins; `about`: the words around it."""

    source: CodeLines
    line: int
    about: str = ""

    @property
    def lines(self) -> tuple[str, ...]:
        """Its lines."""
        return self.source.lines


def fits_of(pasted: CodeLines, base: CodeLines) -> list[Fit]:
    """Return the places in a file that match the outermost declarations of a fence, all in one container; only exact
    ones if there are any."""
    groups = [group for group in _containers(base) if group]
    found = [fit for group in groups if (fit := _fit(pasted.nodes, group)) is not None]
    exact = [fit for fit in found if fit.exact]
    return exact or found


def _containers(base: CodeLines) -> list[tuple[DeclarationLines, ...]]:
    types = [node for node in base.all() if node.is_type]
    return [base.nodes, *(node.inner for node in types)]


def _fit(shown: Sequence[DeclarationLines], there: Sequence[DeclarationLines]) -> Fit | None:
    pairs = [(node, other) for node, other in paired(shown, there) or () if other is not None]
    if not pairs or len(pairs) < len(shown):
        return None
    exact = all(node.is_type or node.key == other.key for node, other in pairs)
    starts = {other.first for _, other in pairs}
    return Fit(tuple(pairs), exact) if len(starts) == len({node.first for node in shown}) else None


def paired(
    shown: Sequence[DeclarationLines], there: Sequence[DeclarationLines]
) -> list[tuple[DeclarationLines, DeclarationLines | None]] | None:
    """Each declaration shown with the one of the file of its signature, or with the only one of its name; with None
    where the file has none. None where several may be meant."""
    pairs: list[tuple[DeclarationLines, DeclarationLines | None]] = []
    for node in shown:
        alike = [other for other in there if other.name == node.name and other.is_type == node.is_type]
        same = [other for other in alike if other.key == node.key]
        named = [other for other in shown if other.name == node.name and other.is_type == node.is_type]
        taken = {other.key for other in named}
        left = [other for other in alike if other.key not in taken]
        if len(same) == 1:
            pairs.append((node, same[0]))
        elif same or (left and (len(left) > 1 or len(alike) > 1 or len(named) > 1)):
            return None
        else:
            pairs.append((node, left[0] if left else None))
    return pairs


def replaced(
    pasted: Pasted, shown: DeclarationLines, base: CodeLines, there: DeclarationLines
) -> Splice | Misfit:
    """A declaration in the place of another."""
    line = pasted.line + shown.first
    if reason := _beside_others(base, there):
        return Misfit(reason, line, (there.first + 1,))
    first, start = (shown.top, there.top) if shown.has_docs else (shown.first, there.first)
    marks = marks_in(pasted.lines[shown.first : shown.end], base.lines[there.first : there.end])
    if there.attributes and not shown.attributes:
        if not marks or (signature := _past_attributes(base.lines, there)) is None:
            return Misfit(
                f"`{there.name}` has attributes in the file, and none here.", line, (there.first + 1,)
            )
        start = signature
    if marks and set(there.bases) - set(shown.bases):
        return Misfit(
            f"`{there.name}` has other bases in the file, and not all is shown.", line, (start + 1,)
        )
    lines = indented_like(pasted.lines[first : shown.end], pasted.lines[shown.first], base.lines[there.first])
    if lines is None or _is_torn(pasted.lines[first : shown.end], lines, base.lines[start : there.end]):
        return Misfit("It is not certain how far its lines are indented.", line, (there.first + 1,))
    if marks := marks_in(lines, base.lines[there.first : there.end]):
        made = filled_in(lines, marks, base.lines[start : there.end], pasted.line + first)
        if isinstance(made, Misfit):
            at = tuple(place + start for place in made.places)
            return Misfit(made.reason, made.line, at, is_ambiguous=made.is_ambiguous)
        return Splice(start, there.end, tuple(made), line)
    if reason := _lacking_in(pasted, shown, base, there):
        return Misfit(reason, line, (there.first + 1,))
    return Splice(start, there.end, tuple(lines), line)


def _beside_others(base: CodeLines, node: DeclarationLines) -> str:
    """Why the lines of a declaration are not its own."""
    holds = [other for other in base.all() if other.first < node.end and node.first < other.end]
    around = [
        o for o in holds if o.first <= node.first and node.end <= o.end and any(node is i for i in o.all())
    ]
    inner = {id(each) for each in node.all()}
    same = [o for o in holds if (o.first, o.end) == (node.first, node.end)]
    others = [o for o in holds if id(o) not in inner and o not in around and o not in same]
    tight = [o for o in around if o is not node and (o.first == node.first or o.end == node.end)]
    return f"`{node.name}` shares its lines with other declarations." if others or tight else ""


def _past_attributes(lines: Sequence[str], node: DeclarationLines) -> int | None:
    """Return the line after a declaration's attributes, where these have lines of their own."""
    at = node.first
    while at < node.end and lines[at].strip().startswith("["):
        if not lines[at].strip().endswith("]"):
            return None
        at += 1
    return at if node.first < at < node.end else None


def indented_like(lines: Sequence[str], shown: str, there: str) -> list[str] | None:
    """The lines as far in as the file has them, by the first line of both."""
    old, new = indent_of(shown), indent_of(there)
    if old == new:
        return list(lines)
    if "\t" in new and "\t" not in "".join(map(indent_of, lines)):
        lines = [_with_tabs(line) for line in lines]
        old = _with_tabs(old + "x")[:-1]
    made: list[str] = []
    for line in lines:
        if not line.strip():
            made.append(line if line.startswith(new) else "")
        elif line.startswith(old):
            made.append(new + line[len(old) :])
        else:
            return None
    return made


def _with_tabs(line: str) -> str:
    indent = indent_of(line)
    return indent.replace("    ", "\t") + line[len(indent) :]


def _is_torn(before: Sequence[str], after: Sequence[str], there: Sequence[str]) -> bool:
    """Whether lines within a string were moved that the file does not have so."""
    if list(before) == list(after):
        return False
    known = {*there}
    strings = [match[0] for match in _MULTILINE.finditer("\n".join(after)) if "\n" in match[0]]
    return any(line not in known for string in strings for line in string.split("\n")[1:-1] if line.strip())


def _lacking_in(pasted: Pasted, shown: DeclarationLines, base: CodeLines, there: DeclarationLines) -> str:
    """Why one declaration is not whole; empty if it is."""
    one = CodeLines(base.lines, Form.TYPES, (there,), whole=False, readable=True)
    two = CodeLines(pasted.lines, Form.TYPES, (shown,), whole=False, readable=True)
    if names := forgotten(one, two, pasted.about):
        return told(names)
    old = sum(bool(DIRECTIVE.match(line)) for line in base.lines[there.first : there.end])
    now = sum(bool(DIRECTIVE.match(line)) for line in pasted.lines[shown.first : shown.end])
    return "It leaves out `#if` parts, and does not say that they are to go." if now < old else ""


def told(names: Sequence[str]) -> str:
    """The refusal of what leaves out declarations."""
    shown = ", ".join(f"`{name}`" for name in names[:5]) + (
        f" and {len(names) - 5} more" if len(names) > 5 else ""
    )
    return f"It leaves out {shown}, and does not say that {'it is' if len(names) == 1 else 'they are'} to go."
