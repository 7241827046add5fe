"""Parts of a type as lines of its files (SPEC section 7, includeType).

A part is a view: it copies nothing and its line numbers are the file's own, so a text that was read as a part is
written by range.

- main: the primary declaration, whole; of a partial type the canonical one.
- definitions: every line of every declaration of the type, less the lines that hold nothing but a body.
- implementations: every line that a body reaches into. A line such as `void Grow() {` is in both.
- macros: every preprocessor line inside its declarations, also of branches that are not compiled.
- testclasses: `services/source/read/objects.py`.

Bodies are those of methods, constructors, operators and of accessors that have any; initial values are definitions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum

import msgspec

from services.model import Kind
from services.syntax.parse.lexer import Lexed, lex
from services.syntax.records.declaration import Declaration, FileRecord
from services.workspace.text import Text

_WITH_BODIES = frozenset(
    {
        Kind.METHOD,
        Kind.CONSTRUCTOR,
        Kind.DESTRUCTOR,
        Kind.OPERATOR,
        Kind.CONVERSION,
        Kind.PROPERTY,
        Kind.INDEXER,
        Kind.EVENT,
        Kind.EXTENSION_MEMBER,
    }
)
_BLANK = b" \t\r\n\f\v;"
_BRANCH_LINE = re.compile(rb"#[ \t]*(?:if|elif|else)\b")
_BRACE = re.compile(rb"[{}]")
_DIRECTIVE_LINE = re.compile(rb"^[ \t]*#", re.MULTILINE)

Range = tuple[int, int]


class Include(StrEnum):
    """The parts there are; the values are the contract's."""

    MAIN = "main"
    DEFINITIONS = "definitions"
    IMPLEMENTATIONS = "implementations"
    MACROS = "macros"
    TESTCLASSES = "testclasses"


class DeclaredPart(msgspec.Struct, frozen=True):
    """Declaration of a type: `at` in the `record` that was made of exactly this `text` (UTF-8), which the file has as
    long as `token` is that of all of it."""

    path: str
    text: bytes
    record: FileRecord
    at: int
    token: str = ""

    @property
    def declaration(self) -> Declaration:
        """The type's own."""
        return self.record.every[self.at]


def main_lines(declared: DeclaredPart) -> list[Range]:
    """All its lines."""
    return [(declared.declaration.start_line, declared.declaration.end_line)]


def definition_lines(declared: DeclaredPart) -> list[Range]:
    """Its lines less those that hold nothing but a body."""
    text = _lines_of(declared)
    hidden: set[int] = set()
    for start, end in _bodies(declared):
        hidden.update(_own_lines(declared.text, text, start, end))
    own = declared.declaration
    return _ranges(each for each in range(own.start_line, own.end_line + 1) if each not in hidden)


def implementation_lines(declared: DeclaredPart) -> list[Range]:
    """Lines that a body reaches into."""
    text = _lines_of(declared)
    found: set[int] = set()
    for start, end in _bodies(declared):
        found.update(range(text.line_at(start), text.line_at(end - 1) + 1))
    return _ranges(sorted(found))


def macro_lines(declared: DeclaredPart) -> list[Range]:
    """Its preprocessor lines."""
    text = _lines_of(declared)
    own = declared.declaration
    offsets = _directives(lex(declared.text))
    return _ranges(text.line_at(offset) for offset in offsets if own.start <= offset < own.end)


def located(record: FileRecord, wanted: FileRecord, at: int) -> int | None:
    """Locate the declaration `at` of the record `wanted` in another record of the same file: same kind, namespace,
    names and arity outwards; among several, the one of the same rank."""
    name = _name(wanted, at)
    rank = sum(1 for each in range(at) if _name(wanted, each) == name)
    same = [each for each in range(len(record.every)) if _name(record, each) == name]
    return same[rank] if rank < len(same) else None


def _name(record: FileRecord, at: int) -> tuple[object, ...]:
    declaration = record.every[at]
    own = (declaration.kind, declaration.name, len(declaration.type_parameters))
    if declaration.parent >= 0:
        return (*_name(record, declaration.parent), *own)
    return (record.scopes[declaration.scope].namespace, *own)


def _lines_of(declared: DeclaredPart) -> Text:
    return Text(data=declared.text, encoding="utf-8")


def _bodies(declared: DeclaredPart) -> Iterable[Range]:
    """Byte ranges of the bodies in the type, those of nested types among them."""
    own = declared.declaration
    clean = lex(declared.text).clean
    for inner in declared.record.every[declared.at + 1 :]:
        if inner.start >= own.end:
            return
        start, end = inner.body
        # A branch that only the project's symbols compile is blank here; then the source itself has to do.
        body = clean[start:end] if clean[start:end].strip() else declared.text[start:end]
        if inner.kind in _WITH_BODIES and end > start and _does_something(inner, body):
            yield start, end


def _does_something(declaration: Declaration, body: bytes) -> bool:
    """Whether it is more than `{ get; set; }`, with or without an initial value, or a field-like event's name."""
    if declaration.kind is Kind.EVENT and not body.lstrip().startswith(b"{"):
        return False
    if not declaration.accessors or not body.lstrip().startswith(b"{"):
        return True
    inside = body.lstrip()[1:]
    brace = _BRACE.search(inside)
    return brace is not None and (brace[0] == b"{" or b"=>" in inside[: brace.start()])


def _own_lines(data: bytes, text: Text, start: int, end: int) -> range:
    """Lines that a body has to itself; a `;` after it counts as its own."""
    first, last = text.line_at(start), text.line_at(end - 1)
    head_is_shared = bool(data[text.offsets[first - 1] : start].strip(_BLANK))
    tail_is_shared = bool(data[end : text.offsets[last]].strip(_BLANK))
    if first == last and (head_is_shared or tail_is_shared):
        return range(0)
    return range(first + head_is_shared, last + 1 - tail_is_shared)


def _directives(lexed: Lexed) -> list[int]:
    """Offsets of the `#` of every preprocessor line. In a branch that is not compiled nothing but such lines has a
    meaning, so every line there that begins with `#` is one."""
    found = [start for start, _ in lexed.directives]
    ends = [*(start for start, _ in lexed.directives[1:]), len(lexed.source)]
    for (start, end), following in zip(lexed.directives, ends, strict=False):
        left_out = lexed.source[end:following].strip() and not lexed.clean[end:following].strip()
        if left_out and _BRANCH_LINE.match(lexed.source, start):
            found += [match.end() - 1 for match in _DIRECTIVE_LINE.finditer(lexed.source, end, following)]
    return sorted(found)


def _ranges(numbers: Iterable[int]) -> list[Range]:
    """Sorted numbers as the ranges they make."""
    found: list[Range] = []
    for number in numbers:
        if found and number <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(number, found[-1][1]))
        else:
            found.append((number, number))
    return found


PARTS = {
    Include.MAIN: main_lines,
    Include.DEFINITIONS: definition_lines,
    Include.IMPLEMENTATIONS: implementation_lines,
    Include.MACROS: macro_lines,
}


def part_of(declared: Sequence[DeclaredPart], include: Include) -> list[tuple[str, Range]]:
    """The lines of a part, file by file in the order given; `main` is of the first alone. Empty where there is none."""
    chosen = declared[:1] if include is Include.MAIN else declared
    return [(each.path, lines) for each in chosen for lines in PARTS[include](each)]
