"""Look of a kind of symbol in a row: one letter, and the name of its colour."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from services.model import Kind

KIND_GLYPHS: Mapping[Kind, str] = MappingProxyType(
    {
        Kind.NAMESPACE: "N",
        Kind.CLASS: "C",
        Kind.STRUCT: "S",
        Kind.RECORD: "R",
        Kind.RECORD_STRUCT: "R",
        Kind.UNION: "U",
        Kind.INTERFACE: "I",
        Kind.ENUM: "E",
        Kind.DELEGATE: "D",
        Kind.FIELD: "F",
        Kind.CONSTANT: "K",
        Kind.PROPERTY: "P",
        Kind.INDEXER: "x",
        Kind.EVENT: "v",
        Kind.METHOD: "M",
        Kind.CONSTRUCTOR: "c",
        Kind.DESTRUCTOR: "~",
        Kind.OPERATOR: "o",
        Kind.CONVERSION: "o",
        Kind.ENUM_MEMBER: "e",
        Kind.EXTENSION_MEMBER: "m",
    }
)
"""The letter of each kind. Types and the common members are capitals; it is never told by colour alone."""

_FAMILIES = {
    "type": (Kind.CLASS, Kind.STRUCT, Kind.RECORD, Kind.RECORD_STRUCT, Kind.UNION),
    "contract": (Kind.INTERFACE, Kind.DELEGATE, Kind.NAMESPACE),
    "value": (Kind.ENUM, Kind.ENUM_MEMBER, Kind.CONSTANT),
    "data": (Kind.FIELD, Kind.PROPERTY, Kind.INDEXER, Kind.EVENT),
}
_FAMILY = {kind: family for family, kinds in _FAMILIES.items() for kind in kinds}


def kind_family(kind: Kind) -> str:
    """The colour family of `kind`: type, contract, value, data or callable."""
    return _FAMILY.get(kind, "callable")
