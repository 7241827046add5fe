"""Bound type texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from services.index.names.deduced import Deduction
    from services.index.names.space import Known


@dataclass(frozen=True, slots=True)
class Bound:
    """A type text bound. `fqn`: the text with full names, or None where a name in it is unknown; `types`: every type
    that could be bound, also in a text of which not all could; `head`: what the outermost name is bound to; `deduced`:
    what the text tells, where it stands, of types that nothing known declares."""

    fqn: str | None
    types: tuple[Known, ...] = ()
    head: Known | None = None
    deduced: tuple[Deduction, ...] = ()
