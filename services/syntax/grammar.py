"""The tree-sitter grammar for C#: parser and node kinds, made once a process."""

from __future__ import annotations

from functools import cache

import tree_sitter_c_sharp
from tree_sitter import Language, Parser, Tree


@cache
def language() -> Language:
    """The C# grammar."""
    return Language(tree_sitter_c_sharp.language())


@cache
def _parser() -> Parser:
    return Parser(language())


def parse(text: bytes) -> Tree:
    """Parses `text`. Holds the interpreter's lock: for worker processes and short texts only."""
    return _parser().parse(text)


def named(kind: str) -> int:
    """The id of a named node kind."""
    found = language().id_for_node_kind(kind, True)
    if found is None:
        raise LookupError(f"the grammar has no node kind {kind!r}")
    return found
