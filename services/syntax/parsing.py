"""One file's bytes to its record: lexing, skeleton, parsing and, where the grammar refuses, repair."""

from __future__ import annotations

from dataclasses import replace

from tree_sitter import Tree

from services.model import Quality
from services.syntax.canonical import signature_numbers
from services.syntax.declaration import FileRecord
from services.syntax.grammar import parse, parse_within_reason
from services.syntax.hashing import text_hash
from services.syntax.initializers import without_initializers
from services.syntax.lexer import Lexed, lex
from services.syntax.rewrites import filled_in, has_extension, rewritten
from services.syntax.skeleton import Skeleton, compact, skeleton
from services.syntax.walk import Walk

_BEGINNING = 30_000  # bytes of a file too hard to parse that are read all the same
_AS_WRITTEN = (Quality.EXACT, Quality.DIRECTIVES)


def read_file(source: bytes, symbols: frozenset[str] = frozenset()) -> FileRecord:
    """The record of a C# file in UTF-8. `symbols`: the preprocessor symbols of its project. Never raises for
    content: what could be recovered is in the record, and `quality` says how."""
    lexed = lex(source, symbols)
    shape, tree, quality = _believable(lexed)
    walk = Walk(lexed, shape, rewritten=quality not in _AS_WRITTEN)
    walk.unit(tree.root_node)
    return FileRecord(
        quality,
        text_hash(source),
        source.count(b"\n") + (1 if source and not source.endswith(b"\n") else 0),
        lexed.conditional,
        tuple(walk.scopes),
        tuple(walk.declarations),
        tuple(walk.friends),
        signatures=signature_numbers(walk.scopes, walk.declarations),
    )


def _believable(lexed: Lexed) -> tuple[Skeleton, Tree, Quality]:
    """Parses stage by stage until there is no error (CSHARP.md); the last stage stands whatever it holds."""
    clean = filled_in(lexed.clean)
    shape = skeleton(clean)
    tree = parse_within_reason(shape.text)
    if tree is None:
        return _beginning(shape)
    if not tree.root_node.has_error and clean != lexed.clean:
        return shape, tree, Quality.REPAIRED
    if not tree.root_node.has_error and not has_extension(shape.full):
        return shape, tree, Quality.DIRECTIVES if lexed.conditional else Quality.EXACT
    repaired = compact(rewritten(shape.full), balanced=shape.balanced)
    tree = parse_within_reason(repaired.text)
    if tree is None:
        return _beginning(repaired)
    if not tree.root_node.has_error:
        return repaired, tree, Quality.REPAIRED
    bare = compact(without_initializers(repaired.full), balanced=shape.balanced)
    tree = parse_within_reason(bare.text)
    if tree is None:
        return _beginning(bare)
    return bare, tree, Quality.FAILED if tree.root_node.has_error else Quality.BODIES_SKIPPED


def _beginning(shape: Skeleton) -> tuple[Skeleton, Tree, Quality]:
    """What is read of a file that would take too long as a whole."""
    part = replace(shape, text=shape.text[:_BEGINNING])
    return part, parse(part.text), Quality.FAILED
