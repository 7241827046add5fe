"""Results that are about a symbol and say so, where the value below does not carry it (SPEC section 10)."""

from __future__ import annotations

from typing import Any

import msgspec

from services.model import (
    GrepAnswer,
    Lowered,
    Omitted,
    Resolved,
    SourceRange,
    Structure,
    Value,
    Window,
    WindowItem,
)


class ReadAnswer(SourceRange, kw_only=True, frozen=True):
    """Lines of an object. `resolved` is None where the object was named as a file."""

    resolved: Resolved | None = None

    @classmethod
    def of(cls, lines: SourceRange, resolved: Resolved | None) -> ReadAnswer:
        """`lines`, said to be of `resolved`."""
        return cls(**_fields(lines), resolved=resolved)


class GrepResult(GrepAnswer, kw_only=True, frozen=True):
    """What a grep found. `resolved` is None where no symbol was named."""

    resolved: Resolved | None = None

    @classmethod
    def of(cls, answer: GrepAnswer, resolved: Resolved | None) -> GrepResult:
        """`answer`, said to be of `resolved`."""
        return cls(**_fields(answer), resolved=resolved)


class StructureAnswer(Structure, kw_only=True, frozen=True):
    """The structure of an object. `resolved` is None where it was named as a file."""

    resolved: Resolved | None = None

    @classmethod
    def of(cls, structure: Structure, resolved: Resolved | None) -> StructureAnswer:
        """`structure`, said to be of `resolved`."""
        return cls(**_fields(structure), resolved=resolved)


class WindowChange(Value, kw_only=True, frozen=True):
    """The window after a change, without its text. `change`: pinned, unpinned, dismissed, changed or moved; `path`: as
    named."""

    change: str
    path: str
    resolved: Resolved | None = None
    tokens: int
    budget: int
    pinned_tokens: int
    soft_budget: int
    model: str
    approximate: bool = False
    items: tuple[WindowItem, ...] = ()
    omitted: tuple[Omitted, ...] = ()
    lowered: tuple[Lowered, ...] = ()

    @classmethod
    def of(cls, window: Window, change: str, *, path: str, resolved: Resolved | None) -> WindowChange:
        """`window` after `change` was done to `path`."""
        shared = {name: value for name, value in _fields(window).items() if name in cls.__struct_fields__}
        return cls(change=change, path=path, resolved=resolved, **shared)


def _fields(value: msgspec.Struct) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__struct_fields__}
