"""Operations about the program and its workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from services.errors import AmbiguousSymbol, ReadOnly, SymbolNotFound
from services.model import ExportAnswer, Status
from services.operations.needs import Need
from services.operations.operation import CURATES, Faces, Param, Work, declare

if TYPE_CHECKING:
    from services.bench import Bench


@declare(
    "Export",
    Faces(None, "export"),
    effect=CURATES,
    errors=(SymbolNotFound, AmbiguousSymbol, ReadOnly),
)
def export(
    bench: Bench,
    paths: Annotated[
        str,
        Param("Symbol paths or ids, parted by blanks, of types whose outlines are written too.", words=True),
    ] = "",
    outlines: Annotated[bool, Param("Write the outline of every type.", flag="--outlines")] = False,
    *,
    work: Work,
) -> ExportAnswer:
    """Write `.context/index.json`: projects and types with their ids and hashes, for other programs and for git.

    Outlines go to `.context/types/`, a file for each type. An open workbench keeps `index.json` up to date by itself,
    unless the settings say otherwise.
    """
    return bench.export(paths.split(), outlines=outlines, progress=work.progress, cancel=work.cancel)


@declare("Status", Faces("status", "status"), index=Need.WHATEVER)
def status(bench: Bench) -> Status:
    """Say what is indexed, how well, and how the program is doing."""
    return bench.status()
