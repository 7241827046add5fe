"""Operations about the program and its workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from services.model import Status
from services.operations.operation import Faces, declare

if TYPE_CHECKING:
    from services.bench import Bench


@declare("Status", Faces("status", "status"))
def status(bench: Bench) -> Status:
    """Say what is indexed, how well, and how the program is doing."""
    return bench.status()
