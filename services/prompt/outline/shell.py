"""A type with bodies of some of its members, as one piece of source: its declaration around what a reader of those
bodies needs of it.

Fields, properties and methods of the type that a shown body names stand above the bodies, as they are declared; what
else the type has is counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from textwrap import dedent, indent

import msgspec

from services.model import Kind, Symbol, TypeDetail
from services.prompt.outline.csharp_outline import declaration_of, marks
from services.prompt.outline.outline_members import is_state, one_line

INDENT = "    "
LONGEST_VALUE = 3
"""Lines up to which a field or a constant is shown whole, with its value."""
_IDENTIFIER = re.compile(r"@?[^\W\d]\w*")
_VALUES = frozenset({Kind.FIELD, Kind.CONSTANT, Kind.ENUM_MEMBER, Kind.EVENT})
_NEVER = frozenset({Kind.DESTRUCTOR})


class Body(msgspec.Struct, frozen=True):
    """Member that is shown whole: its source, from lines `start` to `end` of `file`."""

    id: str
    name: str
    file: str
    start: int
    end: int
    text: str


class Declared(msgspec.Struct, frozen=True):
    """A member that is shown by its declaration. `text`: its source, where that is short enough to be shown."""

    symbol: Symbol
    text: str = ""


def used_by(bodies: Sequence[Body], detail: TypeDetail) -> list[Symbol]:
    """The other members of the type that a reader of the bodies needs, in the order of the source: its private state,
    and what the bodies name: overloads of a shown one too, where its name stands elsewhere than in its own
    declaration."""
    shown = {body.id for body in bodies}
    named = set().union(*map(_names_in, bodies))
    return [
        member
        for member in detail.members
        if member.id not in shown
        and not member.implicit
        and member.kind not in _NEVER
        and (is_state(member) or (member.name in named and member.name != detail.symbol.name))
    ]


def _names_in(body: Body) -> set[str]:
    """The names in a body, without the one it declares."""
    names = Counter(name.removeprefix("@") for name in _IDENTIFIER.findall(body.text))
    names[body.name] -= 1
    return {name for name, times in names.items() if times > 0}


def is_value(symbol: Symbol) -> bool:
    """Whether its declaration may contain its value: a field, a constant, an event."""
    return symbol.kind in _VALUES


def shell(detail: TypeDetail, bodies: Sequence[Body], declared: Sequence[Declared]) -> str:
    """The source: namespace, declaration, what is used, the bodies, each with its lines where they do not follow the
    one before. Ends in a line end."""
    symbol = detail.symbol
    files = {body.file for body in bodies}
    namespace = symbol.fqn.rpartition(".")[0] if symbol.declaring_type is None else ""
    head = [
        f"// {symbol.file}:{symbol.start_line}-{symbol.end_line}",
        *([f"namespace {namespace};", ""] if namespace else []),
        *([f"// in {symbol.declaring_type}"] if symbol.declaring_type else []),
        f"{marks(symbol.id, detail)}{declaration_of(symbol)}",
        "{",
    ]
    parts = [
        *(["\n".join(_declared(each) for each in declared) + "\n"] if declared else []),
        *(_placed(body, several=len(files) > 1 or body.file != symbol.file) for body in bodies),
    ]
    left_out = _left_out(detail, len(bodies) + len(declared))
    if left_out:
        parts.append(f"// {left_out}\n")
    inner = "\n".join(indent(part, INDENT) for part in parts)
    return "\n".join(head) + "\n" + inner + "}\n"


def _declared(member: Declared) -> str:
    if member.text:
        return dedented(member.text).rstrip("\n")
    line = one_line(member.symbol.signature).rstrip(";")
    return line if line.endswith("}") else f"{line};"


def _placed(body: Body, *, several: bool) -> str:
    """Return the body at the left margin, below its location."""
    lines = f"{body.start}-{body.end}" if body.start != body.end else str(body.start)
    place = f"{body.file}:" if several else "line " if body.start == body.end else "lines "
    return f"// {place}{lines}\n{dedented(body.text)}"


def dedented(text: str) -> str:
    """Lines of a file moved left as far as the first of them and all others allow, ending in a line end."""
    lines = text.replace("\r\n", "\n").split("\n")
    depth = len(lines[0]) - len(lines[0].lstrip())
    flat = dedent("\n".join(line.expandtabs(4) for line in lines) if "\t" in text else "\n".join(lines))
    if depth and flat.split("\n")[0].startswith(" "):
        flat = "\n".join(line.removeprefix(" " * depth) for line in flat.split("\n"))
    return flat.rstrip("\n") + "\n"


def _left_out(detail: TypeDetail, shown: int) -> str:
    total = sum(not member.implicit for member in detail.members)
    rest = total - shown
    return "" if rest <= 0 else f"… {rest} more {'member' if rest == 1 else 'members'}"


def in_order(bodies: Iterable[Body]) -> list[Body]:
    """Return the bodies sorted by file and line."""
    return sorted(bodies, key=lambda body: (body.file, body.start))
