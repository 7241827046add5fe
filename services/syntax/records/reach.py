"""Private members that the visible ones of a type reach: what those do is its public behaviour (SPEC section 6)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from services.model import TYPE_KINDS, Kind
from services.syntax.records.declaration import Declaration

_WORD = frozenset(range(128, 256)) | frozenset(
    b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
)
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
            made[at] = msgspec.structs.replace(made[at], reached=True)
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
            for name in _names(each):
                hidden[name].add(at)
    found: set[int] = set()
    while spans and hidden:
        text = b" ".join([code[start:end] for start, end in spans])
        named = [name for name in hidden if _names_it(text, name)]
        new = set[int]().union(*map(hidden.pop, named)) - found
        found |= new
        spans = [_span(declarations[at]) for at in new]
    return {at for at in found if declarations[at].kind not in TYPE_KINDS}


def _is_hidden(declaration: Declaration) -> bool:
    """Whether somebody has to name it before it does anything."""
    is_static = declaration.kind is Kind.CONSTRUCTOR and "static" in declaration.modifiers
    return not declaration.is_visible and not is_static


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


def _names(declaration: Declaration) -> tuple[bytes, ...]:
    """The words by which other bodies reach it."""
    name = declaration.name.encode()
    if declaration.kind is Kind.CONSTRUCTOR:
        return (name, _THIS)
    return (_THIS,) if declaration.kind is Kind.INDEXER else (name,)
