"""Pipeline from one file's bytes to its record: lexing, skeleton, parsing and, where the grammar fails, repair."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from msgspec.structs import replace
from tree_sitter import Tree

from services.model import TYPE_KINDS, Kind, Quality
from services.syntax.parse.branches import Branch, declaring, is_whole, lex_file, types_left_out
from services.syntax.parse.grammar import parse, parse_within_reason
from services.syntax.parse.headers import with_unions
from services.syntax.parse.lexer import Lexed, lex
from services.syntax.parse.plain import Plain, plain_members
from services.syntax.parse.rewrites import filled_in, has_extension, rewritten
from services.syntax.parse.skeleton import Bodiless, Skeleton, blanked, compact, without_bodies
from services.syntax.parse.walk import Walk
from services.syntax.records.declaration import Declaration, FileRecord, Scope, shifted
from services.syntax.records.hashing import signature_numbers, text_hash, type_name
from services.syntax.recovered import recovered

_WORD = frozenset(range(128, 256)) | frozenset(
    b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
)
_WORDS = re.compile(rb"[0-9A-Za-z_\x80-\xff]+")
_MANY_NAMES = 64
"""Names from which on a text is split into its words once, instead of searched for each of them."""
_THIS = b"this"
_SHARING = frozenset({Kind.FIELD, Kind.CONSTANT})


def with_reach(declarations: Sequence[Declaration], code: bytes) -> tuple[Declaration, ...]:
    """Return the declarations of a file with `reached` set on each private member that a visible or reached body of
    its type names. `code`: the view of the file for hashes; names are not bound. All members of a partial type are
    reached, as its other parts are unknown."""
    by_type: dict[int, list[int]] = defaultdict(list)
    for at, each in enumerate(declarations):
        by_type[each.parent].append(at)
    by_type.pop(-1, None)
    made = list(declarations)
    for parent, inside in by_type.items():
        for at in _reached(declarations, parent, inside, code):
            made[at] = replace(made[at], reached=True)
    return tuple(made)


def _reached(
    declarations: Sequence[Declaration], parent: int, inside: Iterable[int], code: bytes
) -> set[int]:
    if "partial" in declarations[parent].modifiers:
        return {
            at for at in inside if _is_hidden(declarations[at]) and declarations[at].kind not in TYPE_KINDS
        }
    hidden: dict[bytes, set[int]] = defaultdict(set)
    spans = [declarations[parent].body]  # of a primary constructor, with what it gives its base
    for at in inside:
        each = declarations[at]
        if not _is_hidden(each):
            spans.append(_span(each))
        else:
            for name in _mentioned_names(each):
                hidden[name].add(at)
    found: set[int] = set()
    while spans and hidden:
        text = b" ".join([code[start:end] for start, end in spans])
        named = _named(text, hidden)
        new = set[int]().union(*map(hidden.pop, named)) - found
        found |= new
        spans = [_span(declarations[at]) for at in new]
    return {at for at in found if declarations[at].kind not in TYPE_KINDS}


def _is_hidden(declaration: Declaration) -> bool:
    """Whether somebody has to name it before it does anything."""
    is_static = declaration.kind is Kind.CONSTRUCTOR and "static" in declaration.modifiers
    return not declaration.is_visible and not is_static


def _named(text: bytes, names: Collection[bytes]) -> list[bytes]:
    """The names that a text contains as words."""
    if len(names) < _MANY_NAMES:
        return [name for name in names if _names_it(text, name)]
    words = set(_WORDS.findall(text))
    return [name for name in names if name in words]


def _names_it(text: bytes, name: bytes) -> bool:
    """Whether a text contains a name as a word. Most texts do not contain it at all, which is tested first as it
    takes no time."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        if (not at or text[at - 1] not in _WORD) and (end == len(text) or text[end] not in _WORD):
            return True
        at = text.find(name, end)
    return False


def _span(declaration: Declaration) -> tuple[int, int]:
    """Return the span of a declaration; of fields that share one, their own."""
    if declaration.kind in _SHARING and declaration.body[1]:
        return declaration.body
    return declaration.start, declaration.end


def _mentioned_names(declaration: Declaration) -> tuple[bytes, ...]:
    """The words by which other bodies reach it."""
    name = declaration.name.encode()
    if declaration.kind is Kind.CONSTRUCTOR:
        return (name, _THIS)
    return (_THIS,) if declaration.kind is Kind.INDEXER else (name,)


_BEGINNING = 30_000  # bytes of a file too hard to parse that are read all the same
_AS_WRITTEN = (Quality.EXACT, Quality.DIRECTIVES)
_DEEPEST = 5
"""Branches in branches that are read."""
_KEYWORDS = {Kind.RECORD: "class", Kind.RECORD_STRUCT: "struct", Kind.UNION: "struct"}
"""Keyword by which members of a kind of type are read, where it is not the kind's name."""


class _Parsed(NamedTuple):
    """Accepted parse of a file. `plain`: the members missing from the tree, by their type (plain.py)."""

    shape: Skeleton
    tree: Tree
    quality: Quality
    plain: Mapping[int, list[Plain]] = MappingProxyType({})


def read_file(source: bytes, symbols: frozenset[str] = frozenset(), *, is_script: bool = False) -> FileRecord:
    """The record of a C# file in UTF-8. `symbols`: the preprocessor symbols of its project; `is_script`: whether
    functions outside of types are members, which other files may use. Never raises for content: what could be
    recovered is in the record, and `quality` says how."""
    lexed = lex_file(source, symbols)
    parsed = _believable(lexed)
    walk = _walked(lexed, parsed, is_script=is_script)
    elsewhere = _elsewhere(lexed, walk) if lexed.left_out else []
    told = {each.name for each in elsewhere}
    return FileRecord(
        parsed.quality,
        text_hash(source),
        source.count(b"\n") + (1 if source and not source.endswith(b"\n") else 0),
        lexed.conditional,
        tuple(walk.scopes),
        with_reach(walk.declarations, lexed.code),
        tuple(walk.friends),
        signatures=signature_numbers(walk.scopes, [*walk.declarations, *elsewhere]),
        left_out=tuple(name for name in types_left_out(lexed) if name not in told),
        elsewhere=tuple(elsewhere),
    )


def _walked(lexed: Lexed, parsed: _Parsed, *, is_script: bool = False) -> Walk:
    walk = Walk(
        lexed,
        parsed.shape,
        parsed.plain,
        rewritten=parsed.quality not in _AS_WRITTEN,
        broken=parsed.quality is Quality.FAILED,
        is_script=is_script,
    )
    walk.unit(parsed.tree.root_node)
    return walk


def _elsewhere(lexed: Lexed, walk: Walk) -> list[Declaration]:
    """Return what branches declare that are left out and nothing else in the file does, as a record has it. Their
    namespaces are added to the scopes of the file's own `walk`."""
    found = _left_out(lexed, walk)
    if not found:
        return []
    every, first = [*walk.declarations, *found], len(walk.declarations)
    names = _names(every, walk.scopes)
    known = set(names[:first])
    told: set[int] = set()
    for at in range(first, len(every)):
        if names[at] not in known:
            known.add(names[at])
            told.add(at)
    kept: set[int] = set()
    for at in told:
        while at >= 0 and at not in kept:
            kept.add(at)
            at = every[at].parent
    order = sorted(kept, key=lambda at: (every[at].start, -every[at].end, at))
    numbers = {at: first + n for n, at in enumerate(order)}
    return [
        replace(
            every[at],
            parent=numbers.get(every[at].parent, -1),
            condition=every[at].condition if at in told else "",
        )
        for at in order
    ]


def _left_out(lexed: Lexed, walk: Walk, depth: int = 0) -> list[Declaration]:
    """What branches that are left out declare, with their conditions, numbered behind the declarations of a `walk`."""
    found: list[Declaration] = []
    for branch in declaring(lexed, walk.declarations) if depth < _DEEPEST else ():
        chain: list[int] = []
        at = branch.around
        while at >= 0:
            chain.insert(0, at)
            at = walk.declarations[at].parent
        head, tail = _around([walk.declarations[at] for at in chain], _space(walk, branch))
        own = lex(head + lexed.source[branch.start : branch.end] + tail)
        is_list = bool(chain) and walk.declarations[chain[-1]].kind is Kind.ENUM
        code = own.clean[len(head) : len(own.clean) - len(tail)]
        parsed = _repaired(own) if is_whole(code, is_list=is_list) else None
        if parsed is not None:
            inner = _walked(own, parsed)
            every = [*inner.declarations, *_left_out(own, inner, depth + 1)]
            shift = branch.start - len(head), lexed.source.count(b"\n", 0, branch.start)
            found += _placed(every, inner, walk, (chain, len(found), shift, branch.condition))
    return found


def _space(walk: Walk, branch: Branch) -> str:
    if branch.around < 0:
        return branch.namespace
    return walk.scopes[walk.declarations[branch.around].scope].namespace


def _around(types: Sequence[Declaration], namespace: str) -> tuple[bytes, bytes]:
    """Return the text before and behind a member of types that is parsed as a file of its own."""
    head = f"namespace {namespace}{{" if namespace else ""
    for each in types:
        parameters = f"<{','.join(each.type_parameters)}>" if each.type_parameters else ""
        head += f"{_KEYWORDS.get(each.kind, each.kind.value)} {each.name}{parameters}{{"
    return head.encode(), b"\n" + b"}" * (len(types) + bool(namespace))


def _placed(
    every: Sequence[Declaration],
    inner: Walk,
    outer: Walk,
    place: tuple[Sequence[int], int, tuple[int, int], str],
) -> list[Declaration]:
    """Return the declarations of a branch, which was read for itself, as those of the file. `place`: the types around
    it, which come first among them, how many declarations were found before, how far bytes and lines are shifted, and
    the condition."""
    chain, before, shift, condition = place
    first = len(outer.declarations) + before
    spaces = {scope.namespace: at for at, scope in reversed([*enumerate(outer.scopes)])}
    found: list[Declaration] = []
    for each in every[len(chain) :]:
        space = inner.scopes[each.scope].namespace
        if space not in spaces:
            spaces[space] = len(outer.scopes)
            outer.scopes.append(Scope(space, 0, ()))
        parent = each.parent
        if parent >= 0:
            parent = chain[parent] if parent < len(chain) else first + parent - len(chain)
        found.append(
            replace(
                shifted(each, *shift),
                parent=parent,
                scope=spaces[space],
                condition=each.condition or condition,
            )
        )
    return found


def _names(declarations: Sequence[Declaration], scopes: Sequence[Scope]) -> list[tuple[object, ...]]:
    """Return the identity of each declaration: its container, its name, and of what is called its parameters."""
    types: list[str] = []
    names: list[tuple[object, ...]] = []
    for each in declarations:
        outer = types[each.parent] if each.parent >= 0 else None
        if each.kind in TYPE_KINDS:
            types.append(type_name(each, outer, scopes))
            names.append((types[-1],))
        else:
            types.append("")
            taken = None if each.parameters is None else tuple((p.modifier, p.type) for p in each.parameters)
            own = (each.explicit, each.name, len(each.type_parameters), each.receiver, taken)
            names.append((outer, *own, each.returns if each.kind is Kind.CONVERSION else ""))
    return names


def _believable(lexed: Lexed) -> _Parsed:
    """Parse stage by stage until there is no error (CSHARP.md); the last stage is accepted in any case."""
    return _repaired(lexed) or _recovered(with_unions(filled_in(lexed.clean)))


def _repaired(lexed: Lexed) -> _Parsed | None:
    """Parse without what costs declarations or bodies; None where an error is left."""
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
    return None


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
