"""What is to be put into the window."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from services.model import Level
from services.prompt.state.items import ItemKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """An item to be put into the window. `level`: None for the one it has, or the usual one of its kind; `members`,
    `data`: as in Request."""

    key: ItemKey
    level: Level | None = None
    members: tuple[str, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
