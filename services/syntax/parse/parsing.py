"""Pipeline from one file's bytes to its record: lexing, skeleton, parsing and, where the grammar fails, repair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from tree_sitter import Tree

from services.model import Quality
from services.syntax.parse.branches import lex_file, types_left_out
from services.syntax.parse.grammar import parse, parse_within_reason
from services.syntax.parse.headers import with_unions
from services.syntax.parse.lexer import Lexed
from services.syntax.parse.plain import Plain, plain_members
from services.syntax.parse.rewrites import filled_in, has_extension, rewritten
from services.syntax.parse.skeleton import Bodiless, Skeleton, blanked, compact, without_bodies
from services.syntax.parse.walk import Walk
from services.syntax.records.canonical import signature_numbers
from services.syntax.records.declaration import FileRecord
from services.syntax.records.hashing import text_hash
from services.syntax.records.reach import with_reach
from services.syntax.recovery.recovered import recovered

_BEGINNING = 30_000  # bytes of a file too hard to parse that are read all the same
_AS_WRITTEN = (Quality.EXACT, Quality.DIRECTIVES)


class _Parsed(NamedTuple):
    """Accepted parse of a file. `plain`: the members missing from the tree, by their type (plain.py)."""

    shape: Skeleton
    tree: Tree
    quality: Quality
    plain: Mapping[int, list[Plain]] = MappingProxyType({})


def read_file(source: bytes, symbols: frozenset[str] = frozenset()) -> FileRecord:
    """The record of a C# file in UTF-8. `symbols`: the preprocessor symbols of its project. Never raises for
    content: what could be recovered is in the record, and `quality` says how."""
    lexed = lex_file(source, symbols)
    parsed = _believable(lexed)
    walk = Walk(
        lexed,
        parsed.shape,
        parsed.plain,
        rewritten=parsed.quality not in _AS_WRITTEN,
        broken=parsed.quality is Quality.FAILED,
    )
    walk.unit(parsed.tree.root_node)
    return FileRecord(
        parsed.quality,
        text_hash(source),
        source.count(b"\n") + (1 if source and not source.endswith(b"\n") else 0),
        lexed.conditional,
        tuple(walk.scopes),
        with_reach(walk.declarations, lexed.code),
        tuple(walk.friends),
        signatures=signature_numbers(walk.scopes, walk.declarations),
        left_out=types_left_out(lexed),
    )


def _believable(lexed: Lexed) -> _Parsed:
    """Parse stage by stage until there is no error (CSHARP.md); the last stage is accepted in any case."""
    clean = with_unions(filled_in(lexed.clean))
    found = without_bodies(clean)
    as_written = _as_written(lexed)
    is_written = clean == lexed.clean and not has_extension(found.text)
    if is_written and (parsed := _without_plain(found, lexed, as_written)) is not None:
        return parsed
    shape = compact(found.text)
    tree = parse_within_reason(shape.text)
    if tree is None:
        return _beginning(shape)
    if not tree.root_node.has_error and clean != lexed.clean:
        return _Parsed(shape, tree, Quality.REPAIRED)
    if not tree.root_node.has_error and is_written:
        return _Parsed(shape, tree, as_written)
    repaired = compact(rewritten(shape.full))
    tree = parse_within_reason(repaired.text)
    if tree is None:
        return _beginning(repaired)
    if not tree.root_node.has_error:
        return _Parsed(repaired, tree, Quality.REPAIRED)
    return _recovered(clean)


def _as_written(lexed: Lexed) -> Quality:
    """The quality of a file that the grammar takes as it is: repaired where a branch of an `#if` had to be chosen."""
    if lexed.guessed:
        return Quality.REPAIRED
    return Quality.DIRECTIVES if lexed.conditional else Quality.EXACT


def _recovered(clean: bytes) -> _Parsed:
    """A file that is broken, or has in its initializers what the grammar refuses."""
    shape = recovered(clean, parse)
    tree = parse_within_reason(shape.text)
    if tree is None:
        return _beginning(shape)
    is_whole = shape.is_whole and not tree.root_node.has_error
    return _Parsed(shape, tree, Quality.BODIES_SKIPPED if is_whole else Quality.FAILED)


def _without_plain(found: Bodiless, lexed: Lexed, quality: Quality) -> _Parsed | None:
    """The file parsed without its plain members; None where it has none, or the rest is refused."""
    plain = plain_members(found, lexed.code)
    if not plain:
        return None
    spans = sorted([(each.start, each.end) for members in plain.values() for each in members])
    shape = compact(blanked(found.text, spans))
    tree = parse_within_reason(shape.text)
    return None if tree is None or tree.root_node.has_error else _Parsed(shape, tree, quality, plain)


def _beginning(shape: Skeleton) -> _Parsed:
    """Return the start of a file that would take too long as a whole."""
    part = replace(shape, text=shape.text[:_BEGINNING])
    return _Parsed(part, parse(part.text), Quality.FAILED)


def new_error_line(before: bytes, after: bytes) -> int | None:
    """Return the line, from 1, of the first error that the grammar finds in `after`; None unless there are more of them
    than in `before`, as the grammar refuses some C# that is right, or where either takes too long."""
    found = _error_lines(after)
    if not found or (known := _error_lines(before)) is None or len(found) <= len(known):
        return None
    return found[0]


def _error_lines(source: bytes) -> list[int] | None:
    """The lines of the errors of a file, in order; None where it takes too long."""
    tree = parse_within_reason(filled_in(lex_file(source, frozenset()).clean))
    if tree is None:
        return None
    found: list[int] = []
    waiting = [tree.root_node]
    while waiting:
        node = waiting.pop()
        if node.type == "ERROR" or node.is_missing:
            found.append(node.start_point[0] + 1)
        waiting += [child for child in node.children if child.has_error or child.is_missing]
    return sorted(found)
