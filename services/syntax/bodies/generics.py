"""Texts parsed with type arguments where the language has them.

A generic name that the grammar takes for a comparison is parsed as a plain one of its length, and by itself where
nothing but a type may stand. `<` of a comparison that it takes for a declaration, `F(a < b, c > d)`, is parsed as `<=`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec
from tree_sitter import Node as ParsedNode
from tree_sitter import Tree as ParsedTree

from services.syntax.bodies.node import Node
from services.syntax.parse.grammar import parse
from services.syntax.records.words import KEYWORDS

_NAME = rb"@?[A-Za-z_\x80-\xff][\w\x80-\xff]*"
_OPENS = re.compile(rb"(?<![\w\x80-\xff@])(" + _NAME + rb")\s*<(?![<=])")
_TOKEN = re.compile(rb"\s*(?:(?P<name>" + _NAME + rb")|::|[.,?*<>()]|(?P<rank>\[[\s,]*\]))")
_FOLLOWS = re.compile(rb"\s*(?:[()\]}:;,.?|^&\[<]|[=!]=|(?:is|as)\b)")
_IN_QUERY = re.compile(
    rb"\s*(?:where|join|on|equals|into|let|orderby|ascending|descending|select|group|by)\b"
)
_QUERY = re.compile(rb"\bfrom\s")
_FARTHEST = 400  # bytes that are looked back for a word that a type follows
_BEFORE_TYPE = re.compile(
    rb"(?:(?<![\w@])(?:new|is|as|case|out|not|and|or)\s|(?<![\w@])foreach\s*\()\s*[\w.:@<>\x80-\xff]*\Z"
)
_PREDEFINED = frozenset(
    b"bool byte char decimal double float int long object sbyte short string uint ulong ushort".split()
)
_NO_TYPES = frozenset(word.encode() for word in KEYWORDS) - _PREDEFINED
_DEEPEST = 8  # lists in one another


class GenericName(NamedTuple):
    """Span of a name and of its apparent type arguments; `is_one`: whether they are type arguments."""

    start: int
    name_end: int
    begin: int
    end: int
    is_one: bool


def generic_names(text: bytes) -> Iterator[GenericName]:
    """Yield the apparent generic names of a text, except those nested in argument lists of others."""
    at = 0
    while (opens := _OPENS.search(text, at)) is not None:
        at = opens.end()
        end = _list_end(text, at, 0) if opens[1] not in _NO_TYPES else None
        if end is None:
            continue
        is_one = _is_list(text, opens.start(), end)
        yield GenericName(*opens.span(1), at - 1, end, is_one)
        if is_one:
            at = end


def _is_list(text: bytes, start: int, end: int) -> bool:
    """Whether what reads as type arguments and ends at an offset is that, to the language."""
    if _FOLLOWS.match(text, end) is not None:
        return True
    if _IN_QUERY.match(text, end) is not None and _QUERY.search(text, 0, start) is not None:
        return True
    return _BEFORE_TYPE.search(text[max(0, start - _FARTHEST) : start]) is not None


def _list_end(text: bytes, at: int, depth: int) -> int | None:
    """Return the end of the list whose first argument begins at an offset; None where it is no list of types."""
    while depth < _DEEPEST:
        after = _type_end(text, at, depth)
        token = _TOKEN.match(text, after) if after is not None else None
        if token is None or not token[0].endswith((b",", b">")):
            return None
        at = token.end()
        if token[0].endswith(b">"):
            return at
    return None


def _type_end(text: bytes, at: int, depth: int) -> int | None:
    """Return the end of the type that begins at an offset."""
    first = _TOKEN.match(text, at)
    if first is None:
        return None
    if first["name"] is not None:
        end = _named_end(text, first, depth)
    else:
        end = _tuple_end(text, first.end(), depth) if first[0].endswith(b"(") else None
    while end is not None:
        suffix = _TOKEN.match(text, end)
        if suffix is None or not (suffix["rank"] or suffix[0].endswith((b"?", b"*"))):
            break
        end = suffix.end()
    return end


def _named_end(text: bytes, first: re.Match[bytes], depth: int) -> int | None:
    """Return the end of a name with dots and type arguments."""
    if first["name"] in _NO_TYPES:
        return None
    end = first.end()
    while (token := _TOKEN.match(text, end)) is not None:
        if token[0].endswith(b"<"):
            inner = _list_end(text, token.end(), depth + 1)
            if inner is None:
                return None
            end = inner
        elif token[0].endswith((b".", b"::")):
            part = _TOKEN.match(text, token.end())
            if part is None or part["name"] is None:
                return None
            end = part.end()
        else:
            break
    return end


def _tuple_end(text: bytes, at: int, depth: int) -> int | None:
    """Return the end of a tuple type whose first element begins at an offset."""
    count = 0
    while depth < _DEEPEST:
        count += 1
        end = _type_end(text, at, depth + 1)
        token = _TOKEN.match(text, end) if end is not None else None
        if token is not None and token["name"] is not None:
            token = _TOKEN.match(text, token.end())
        if token is None or not token[0].endswith((b",", b")")):
            return None
        at = token.end()
        if token[0].endswith(b")"):
            return at if count > 1 else None
    return None


_LISTS = frozenset({"type_argument_list", "type_parameter_list"})
_BEFORE, _AFTER = b"class C:", b"{}"


class Misread(NamedTuple):
    """Generic name that the tree shows as a plain one ending at `end`. `node`: the name, parsed as part of `text`;
    `shift`: what to add to offsets in that."""

    end: int
    node: ParsedNode
    text: bytes
    shift: int


class Parsed(msgspec.Struct, frozen=True):
    """A parsed text. `is_compared`: whether signs of comparisons in it are not as they are written."""

    tree: ParsedTree
    misread: tuple[Misread, ...] = ()
    is_compared: bool = False

    @property
    def has_error(self) -> bool:
        """Whether the grammar refuses something."""
        return self.tree.root_node.has_error


def parsed(text: bytes) -> Parsed:
    """`text` parsed."""
    tree = parse(text)
    if b"<" not in text:
        return Parsed(tree)
    found = [each for each in generic_names(text) if _is_misread(tree.root_node, each)]
    if not found:
        return Parsed(tree)
    names = [each for each in found if each.is_one]
    misread = _by_themselves(text, names) if names else ()
    shown = _compared(text, [each for each in found if not each.is_one])
    again = Parsed(parse(_as_plain(shown, names) if misread else shown), misread, shown != text)
    return Parsed(tree) if again.has_error and not tree.root_node.has_error else again


def compare(root: Node) -> None:
    """Gives comparisons that were parsed as others the sign that they have."""
    for node in root.walk():
        if node.type == "<=" and node.text.strip() == "<":
            node.start += node.text.index("<")
            node.end = node.start + 1
            node.type = node.text = "<"


def _is_misread(root: ParsedNode, name: GenericName) -> bool:
    around = root.descendant_for_byte_range(name.begin, name.end)
    if around is None or "string" in around.type:
        return False
    if name.is_one:
        return around.type not in _LISTS
    declared = around.parent.parent if around.parent is not None else None
    argument = declared.parent if declared is not None and declared.type == "declaration_expression" else None
    return argument is not None and all(each.type != "out" for each in argument.children)


def _compared(text: bytes, names: Iterable[GenericName]) -> bytes:
    """Replace each `<` that begins no type arguments by `<=`, where a blank is next to it."""
    for each in names:
        at = next((at for at in (each.begin, each.begin - 1) if text[at : at + 2].strip() == b"<"), None)
        text = text[:at] + b"<=" + text[at + 2 :] if at is not None else text
    return text


def _as_plain(text: bytes, names: Iterable[GenericName]) -> bytes:
    parts: list[bytes] = []
    done = 0
    for each in names:
        parts += (text[done : each.name_end], b"x" * (each.end - each.name_end))
        done = each.end
    return b"".join([*parts, text[done:]])


def _by_themselves(text: bytes, names: list[GenericName]) -> tuple[Misread, ...]:
    """The names parsed as base types; nothing where the grammar refuses one."""
    listed = _BEFORE + b",".join(text[each.start : each.end] for each in names) + _AFTER
    tree = parse(listed)
    if tree.root_node.has_error:
        return ()
    bases = (
        base
        for each in tree.root_node.named_children[0].named_children
        if each.type == "base_list"
        for base in each.named_children
    )
    return tuple(
        Misread(name.end, base, listed, name.start - base.start_byte)
        for name, base in zip(names, bases, strict=True)
    )
