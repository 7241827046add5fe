"""Base of values that cross a boundary."""

from __future__ import annotations

import msgspec


class Value(msgspec.Struct, frozen=True, rename="camel"):
    """Base of the values that cross a boundary: immutable, camelCase on the wire."""
