"""Label of a row of a list, as one text that columns can store: the rest of its label. For a type, it also lists the
members that the compiler may add, since they affect the ids of the written ones."""

from __future__ import annotations

from collections.abc import Sequence

from services.index.catalog.naming import label, types_of
from services.model import TYPE_KINDS, Kind
from services.syntax.records.declaration import Declaration
from services.syntax.records.hashing import constructor_signature

UNKNOWN_REST = -1
"""In the place of a rest: it takes the declaration to know the row."""

MOST_LINES = 0xFFFF
_WHOLE = "\0"
"""Before a label that does not begin with the name."""

_MADE = "\1"
"""Behind the rest of a type's label: before the types of its primary constructor's parameters."""

_MANY = "\2"
"""There, of a record: as many members are made of it as takes its declaration to know."""

_RECORDS = frozenset({Kind.RECORD, Kind.RECORD_STRUCT, Kind.UNION})
_OTHERS = _RECORDS | {Kind.INDEXER, Kind.CONVERSION}
_TYPES = TYPE_KINDS - {Kind.DELEGATE}
_SHAPES = bytes(0 if kind in _OTHERS else 2 if kind in _TYPES else 1 for kind in Kind)
"""Form of the label by kind: 1 for name and parameters, 2 for the same unless there are parameters, 0 for others."""


def rests_of(declarations: Sequence[Declaration], kinds: Sequence[int]) -> list[str]:
    """Return the label of each declaration after its name. `kinds`: the index of each kind, which is quicker to look
    up."""
    found: list[str] = []
    for declaration, shape in zip(declarations, map(_SHAPES.__getitem__, kinds), strict=True):
        parameters = declaration.parameters
        if not shape or declaration.type_parameters or declaration.explicit:
            found.append(_rest_of(declaration))
        elif parameters is None:
            found.append("")
        elif shape == 1:
            found.append(f"({types_of(parameters)})")
        else:
            found.append(_rest_of(declaration))
    return found


def _rest_of(declaration: Declaration) -> str:
    text, name = label(declaration), declaration.name
    rest = text[len(name) :] if text.startswith(name) else _WHOLE + text
    return rest + _makes(declaration) if declaration.kind in TYPE_KINDS else rest


def _makes(type_: Declaration) -> str:
    if type_.kind in _RECORDS:
        return _MANY
    is_primary = type_.parameters is not None and type_.kind is not Kind.DELEGATE
    return _MADE + types_of(type_.parameters or ()) if is_primary else ""


def label_of(name: str, rest: str) -> str:
    """The label of a row."""
    shown = rest.rstrip(_MANY).partition(_MADE)[0]
    return shown[1:] if shown.startswith(_WHOLE) else name + shown


def type_parameters_in(rest: str) -> tuple[str, ...]:
    """The type parameters of a type, joined as they are shown; none where it has none."""
    return (rest[1 : rest.index(">")],) if rest.startswith("<") else ()


def made_signatures(fqn: str, name: str, rest: str) -> tuple[str, ...] | None:
    """The canonical signatures of all members that might be made of a type; None where it takes its declaration."""
    if rest.endswith(_MANY):
        return None
    _, primary, types = rest.partition(_MADE)
    lists = ("", types) if primary else ("",)
    return tuple(
        constructor_signature(access, fqn, name, each) for each in lists for access in ("public", "protected")
    )
