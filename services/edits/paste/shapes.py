"""C# in a fence: whether it is a file, types or members, and which declarations of a file those are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum

import msgspec

from services.edits.paste.elisions import is_mark
from services.model import Kind, Quality
from services.model.symbols import TYPE_KINDS
from services.syntax.parse.lexer import lex
from services.syntax.parse.parsing import read_file
from services.syntax.records.declaration import Declaration, FileRecord

_WRAPPER = "CodeCortexPasted"
_MODIFIERS = frozenset(
    re.findall(
        r"\w+",
        "public private protected internal static readonly const sealed override virtual abstract new partial async "
        "extern unsafe volatile required event ref file fixed",
    )
)
_STATEMENTS = frozenset(
    re.findall(
        r"\w+",
        "await return throw yield goto var using if else for foreach while switch case lock try catch finally do break "
        "continue base this default checked unchecked",
    )
)
_REMOVED = re.compile(
    r"\b(?:remov\w*|delet\w*|drop\w*|no longer|unused|obsolete|gone|moved?|inlined?|replac\w*|eliminat\w*)\b",
    re.IGNORECASE,
)
_ALIKE = 0.85
_MOST_MEMBERS = 1_000
"""Members that a fence without a type around them may show."""
_MOST_LINES = 50_000


class Form(StrEnum):
    """How much a fence shows."""

    FILE = "file"
    TYPES = "types"
    MEMBERS = "members"
    OTHER = "other"


class DeclarationLines(msgspec.Struct, frozen=True):
    """A declaration in lines. `top`: index of its first line with its docs, `first`: without; `end`: behind its last
    one; `key`: what tells overloads apart; `inner`: declarations in it."""

    kind: Kind
    name: str
    key: tuple[object, ...]
    top: int
    first: int
    end: int
    has_docs: bool
    attributes: tuple[str, ...]
    bases: tuple[str, ...]
    inner: tuple[DeclarationLines, ...] = ()

    @property
    def is_type(self) -> bool:
        """Whether it declares a type."""
        return self.kind in TYPE_KINDS

    def all(self) -> Iterator[DeclarationLines]:
        """Itself and everything in it."""
        yield self
        for node in self.inner:
            yield from node.all()


class CodeLines(msgspec.Struct, frozen=True):
    """C# lines and what they declare. `nodes`: what is outermost; `whole`: they have usings or a namespace."""

    lines: tuple[str, ...]
    form: Form
    nodes: tuple[DeclarationLines, ...]
    whole: bool
    readable: bool

    def all(self) -> Iterator[DeclarationLines]:
        """Every declaration."""
        for node in self.nodes:
            yield from node.all()


def source_of(lines: Sequence[str]) -> CodeLines:
    """The lines of a file, or of a fence: of which members may be all it shows."""
    made = tuple(lines)
    if len(made) > _MOST_LINES:
        return CodeLines(made, Form.OTHER, (), whole=False, readable=False)
    if (one := _collapsed(made)) is not None:
        shown = source_of(one)
        return CodeLines(made, shown.form, shown.nodes, shown.whole, shown.readable)
    record = _read(made)
    nodes = _nodes(record, made)
    whole = len(record.scopes) > 1 or any(scope.usings for scope in record.scopes)
    readable = is_readable(record) and is_balanced(made)
    if whole or (nodes and readable):
        return CodeLines(made, Form.FILE if whole else Form.TYPES, nodes, whole, readable)
    wrapped = (f"class {_WRAPPER}", "{", *made, "}")
    record = _read(wrapped)
    members = next((node.inner for node in _nodes(record, wrapped) if node.name == _WRAPPER), ())
    members = tuple(_moved(node, -2) for node in members)
    is_fit = 0 < len(members) <= _MOST_MEMBERS and is_balanced(made) and is_readable(record)
    if is_fit and all(_is_member(node, made) for node in members):
        return CodeLines(made, Form.MEMBERS, members, whole=False, readable=True)
    return CodeLines(
        made, Form.TYPES if nodes else Form.OTHER, nodes, whole=False, readable=readable and not nodes
    )


def _collapsed(lines: tuple[str, ...]) -> tuple[str, ...] | None:
    """A declaration without its body, where marks leave so much of it out that its brackets do not close; None for
    anything else."""
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    opening = next((at for at, line in enumerate(lines) if line.rstrip().endswith("{")), None)
    if opening is None or end - opening < 3 or lines[end - 1].strip() != "}" or is_balanced(lines):
        return None
    if not any(map(is_mark, lines[opening:end])):
        return None
    return (*lines[: opening + 1], *([""] * (end - opening - 2)), *lines[end - 1 :])


def is_readable(record: FileRecord) -> bool:
    """Whether the declarations can be believed."""
    return record.quality is not Quality.FAILED


def is_balanced(lines: Sequence[str]) -> bool:
    """Whether every bracket that opens is closed."""
    clean = lex("\n".join(_commented(lines)).encode("utf-8", "surrogateescape")).clean
    opened: list[int] = []
    for sign in re.finditer(rb"[()\[\]{}]", clean):
        if sign[0] in b"([{":
            opened.append(b"([{".index(sign[0]))
        elif not opened or opened.pop() != b")]}".index(sign[0]):
            return False
    return not opened


def forgotten(before: CodeLines, after: CodeLines, about: str) -> list[str]:
    """Names of declarations that are gone without a sign that they were meant to go: no other has taken their place, no
    words tell of it, and nothing that stays has ceased to use them."""
    left = Counter(node.name for node in after.all())
    gone: list[DeclarationLines] = []
    for node in before.all():
        if left[node.name] > 0:
            left[node.name] -= 1
        else:
            gone.append(node)
    come = [node for node in after.all() if left[node.name] > 0]
    stays = _without(before, gone)
    now = "\n".join(after.lines)
    lost: list[str] = []
    for node in gone:
        if _is_told(node.name, about) or (_names(node.name, stays) and not _names(node.name, now)):
            continue
        other = next((one for one in come if _is_renamed(node, one, before, after)), None)
        if other is None:
            lost.append(node.name)
        else:
            come.remove(other)
    return lost


def _is_told(name: str, about: str) -> bool:
    return any(_names(name, line) and _REMOVED.search(line) for line in about.split("\n"))


def _names(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _without(source: CodeLines, gone: Sequence[DeclarationLines]) -> str:
    lines = list(source.lines)
    for node in gone:
        lines[node.top : node.end] = [""] * (node.end - node.top)
    return "\n".join(lines)


def _is_renamed(node: DeclarationLines, other: DeclarationLines, before: CodeLines, after: CodeLines) -> bool:
    """Whether a declaration is at the place of another and nearly equal to it but for its name."""
    from rapidfuzz.distance import Indel

    if node.is_type != other.is_type or not _beside(node, before) & _beside(other, after):
        return False
    one = "\n".join(before.lines[node.first : node.end]).replace(node.name, "")
    two = "\n".join(after.lines[other.first : other.end]).replace(other.name, "")
    return Indel.normalized_similarity(one, two) >= _ALIKE


def _beside(node: DeclarationLines, source: CodeLines) -> set[tuple[str, str]]:
    """The names of the declarations right before and behind one."""
    groups = [source.nodes, *(one.inner for one in source.all())]
    group = next(group for group in groups if any(one is node for one in group))
    at = next(at for at, one in enumerate(group) if one is node)
    names = ["{", *(one.name for one in group), "}"]
    return {("before", names[at]), ("behind", names[at + 2])}


def _commented(lines: Sequence[str]) -> list[str]:
    """The lines with marks that are no comments made comments of the same length."""
    return [
        f"//{line[2:]}" if is_mark(line) and not line.strip().startswith(("/", "#")) else line
        for line in lines
    ]


def _read(lines: Sequence[str]) -> FileRecord:
    return read_file("\n".join([*_commented(lines), ""]).encode("utf-8", "surrogateescape"))


def _is_member(node: DeclarationLines, lines: Sequence[str]) -> bool:
    """Whether it is a member for certain, and no statement that reads like one."""
    words = re.findall(r"\w+", lines[node.first])
    if words and words[0] in _STATEMENTS:
        return False
    if node.kind is Kind.CONSTRUCTOR and not re.search(r"\{|=>", "\n".join(lines[node.first : node.end])):
        return False
    return bool(
        node.attributes or node.has_docs or (words and words[0] in _MODIFIERS) or node.kind is not Kind.FIELD
    )


def _nodes(record: FileRecord, lines: Sequence[str]) -> tuple[DeclarationLines, ...]:
    data = "\n".join([*_commented(lines), ""]).encode("utf-8", "surrogateescape")
    inner: dict[int, list[int]] = {}
    for number, declaration in enumerate(record.declarations):
        inner.setdefault(declaration.parent, []).append(number)

    def made(number: int) -> DeclarationLines:
        declaration = record.declarations[number]
        top = declaration.start_line - 1
        if declaration.doc != (0, 0):
            top = min(top, data.count(b"\n", 0, declaration.doc[0]))
        return DeclarationLines(
            declaration.kind, declaration.name, _key(declaration), top, declaration.start_line - 1,
            declaration.end_line, declaration.doc != (0, 0), declaration.attributes, declaration.bases,
            tuple(made(each) for each in inner.get(number, ())),
        )  # fmt: skip

    tops = [number for number in inner.get(-1, ()) if not record.declarations[number].is_program]
    return tuple(made(number) for number in tops)


def _key(declaration: Declaration) -> tuple[object, ...]:
    parameters = declaration.parameters
    types = None if parameters is None else tuple((each.modifier, each.type) for each in parameters)
    return (declaration.name, declaration.explicit, len(declaration.type_parameters), types)


def _moved(node: DeclarationLines, by: int) -> DeclarationLines:
    return DeclarationLines(
        node.kind, node.name, node.key, node.top + by, node.first + by, node.end + by, node.has_docs,
        node.attributes, node.bases, tuple(_moved(each, by) for each in node.inner),
    )  # fmt: skip
