"""One file's bytes to its record: lexing, skeleton, parsing and, where the grammar refuses, repair."""

from __future__ import annotations

import re

from tree_sitter import Tree

from services.model import Quality
from services.syntax.declaration import FileRecord
from services.syntax.grammar import parse
from services.syntax.hashing import text_hash
from services.syntax.lexer import Lexed, lex
from services.syntax.rewrites import rewritten
from services.syntax.skeleton import Skeleton, compact, skeleton
from services.syntax.walk import Walk

_INITIALIZER = re.compile(rb"=(?![=>])[^;{}=]*;|=>[^;{}]*;")


def read_file(source: bytes, symbols: frozenset[str] = frozenset()) -> FileRecord:
    """The record of a C# file in UTF-8. `symbols`: the preprocessor symbols of its project. Never raises for
    content: what could be recovered is in the record, and `quality` says how."""
    lexed = lex(source, symbols)
    shape, tree, quality = _believable(lexed)
    walk = Walk(lexed, shape)
    walk.unit(tree.root_node)
    return FileRecord(
        quality,
        text_hash(source),
        source.count(b"\n") + (1 if source and not source.endswith(b"\n") else 0),
        lexed.conditional,
        tuple(walk.scopes),
        tuple(walk.declarations),
        tuple(walk.friends),
    )


def _believable(lexed: Lexed) -> tuple[Skeleton, Tree, Quality]:
    """Parses stage by stage until there is no error (CSHARP.md); the last stage stands whatever it holds."""
    shape = skeleton(lexed.clean)
    tree = parse(shape.text)
    if not tree.root_node.has_error:
        return shape, tree, Quality.DIRECTIVES if lexed.conditional else Quality.EXACT
    repaired = compact(rewritten(shape.full), balanced=shape.balanced)
    tree = parse(repaired.text)
    if not tree.root_node.has_error:
        return repaired, tree, Quality.REPAIRED
    bare = compact(_without_initializers(repaired.full), balanced=shape.balanced)
    bare_tree = parse(bare.text)
    if not bare_tree.root_node.has_error:
        return bare, bare_tree, Quality.BODIES_SKIPPED
    return repaired, tree, Quality.FAILED


def _without_initializers(text: bytes) -> bytes:
    return _INITIALIZER.sub(
        lambda m: (b"=>0" if m[0].startswith(b"=>") else b"=0").ljust(len(m[0]) - 1) + b";", text
    )
