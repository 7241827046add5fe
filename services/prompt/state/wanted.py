"""What a copy is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is to be copied, and how. `form`: md, xml or json; `model`: None for the chosen one; `part_tokens`: most
    tokens of a part, None for one text; `changed`: only what changed since the last copy, or since the receipt `since`;
    `allow`: codes of secrets that this copy lets through."""

    form: str = "md"
    template: str = "default"
    task: str = ""
    model: str | None = None
    part_tokens: int | None = None
    changed: bool = False
    since: str | None = None
    allow: Sequence[str] = ()
