"""Branches of `#if` that no configuration takes.

Where each branch of an `#if` asks for a symbol that nothing defines, none is code, and what stands around it may lack
its body, its value or a brace. Where the file does not parse without one, the first is read. Of the others it is known
which types they declare.
"""

from __future__ import annotations

import re

from tree_sitter import Node

from services.syntax.parse.grammar import parse_within_reason
from services.syntax.parse.lexer import Lexed, lex

_TYPE = re.compile(
    rb"(?<![\w@:])(?:class|struct|interface|enum|record(?:\s+(?:class|struct))?)\s+(@?[A-Za-z_\x80-\xff][\w\x80-\xff]*)"
)
_MOST_NESTED = 20
_FARTHEST = 4_000  # bytes that are looked at around an `#if`
_MOST_TRIES = 16
_BEFORE_WHOLE = b";{}]"
_GOES_ON = re.compile(rb"\s*[^\s\w@\[(}~\x80-\xff]")
"""What no declaration and no statement begins with."""


def lex_file(source: bytes, symbols: frozenset[str] = frozenset()) -> Lexed:
    """Lexes a file, and takes the first branch of an `#if` without one that is taken where the file parses with it
    alone."""
    lexed = lex(source, symbols)
    doubtful = _doubtful(lexed)
    if not doubtful:
        return lexed
    forced: frozenset[int] = frozenset()
    tried: set[int] = set()
    errors = _errors(lexed)
    while errors and len(tried) < _MOST_TRIES and (rest := [each for each in doubtful if each not in tried]):
        tried.add(rest[0])
        again = lex(source, symbols, forced | {rest[0]})
        left = _errors(again)
        if left < errors:
            forced, lexed, errors = forced | {rest[0]}, again, left
            doubtful = _doubtful(lexed)
    return lexed


def types_left_out(lexed: Lexed, depth: int = 0) -> tuple[str, ...]:
    """Return the names of the types that branches declare which are left out, each once."""
    found: dict[str, None] = {}
    for start, end in lexed.left_out if depth < _MOST_NESTED else ():
        if _TYPE.search(lexed.source, start, end) is None:
            continue
        branch = lex(lexed.source[start:end])
        found.update((name[1].decode("utf-8", "replace"), None) for name in _TYPE.finditer(branch.clean))
        found.update((name, None) for name in types_left_out(branch, depth + 1))
    return tuple(found)


def _doubtful(lexed: Lexed) -> list[int]:
    """Return the start of each `#if` without which the text may be incomplete: it is in the middle of an expression
    or statement, or braces lack their partners."""
    if not lexed.undecided:
        return []
    clean = lexed.clean
    balanced = clean.count(b"{") == clean.count(b"}")
    return [start for start, end in lexed.undecided if not balanced or _is_within(clean, start, end)]


def _is_within(clean: bytes, start: int, end: int) -> bool:
    before = clean[max(0, start - _FARTHEST) : start].rstrip()
    is_behind_whole = not before or before[-1] in _BEFORE_WHOLE
    return not is_behind_whole or _GOES_ON.match(clean, end, end + _FARTHEST) is not None


def _errors(lexed: Lexed) -> int:
    """How many errors the grammar finds in the whole file; none in one that it takes too long over."""
    tree = parse_within_reason(lexed.clean)
    return _count(tree.root_node) if tree is not None and tree.root_node.has_error else 0


def _count(root: Node) -> int:
    found = 0
    waiting = [root]
    while waiting:
        node = waiting.pop()
        found += node.type == "ERROR" or node.is_missing
        waiting += [child for child in node.children if child.has_error or child.is_missing]
    return found
