"""Bound type texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from services.index.names.deduced import Deduction
    from services.index.names.space import Known


@dataclass(frozen=True, slots=True)
class Bound:
    """Bound type text. `fqn`: the text with full names, or None where a name in it is unknown; `types`: every bound
    type, also in a text that is only partly bound; `head`: the target of the outermost name; `deduced`: the inferred
    types in the text."""

    fqn: str | None
    types: tuple[Known, ...] = ()
    head: Known | None = None
    deduced: tuple[Deduction, ...] = ()
