"""The catalogue's columns as search segments. Imports numpy: import it when the first query comes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from services.index.catalogue import Catalogue
from services.index.search import Segment, Symbols, Texts


def segment_of(catalogue: Catalogue, first: int, last: int) -> Segment:
    """Rows `first` to `last` (exclusive) as a segment."""
    names, name_id = _texts(catalogue.names.values, _column(catalogue.columns.name, first, last, np.int32))
    containers, container_id = _texts(
        catalogue.containers.values, _column(catalogue.columns.container, first, last, np.int32)
    )
    rows = {
        "name_id": name_id,
        "container_id": container_id,
        "kind": _column(catalogue.columns.kind, first, last, np.uint8),
        "access": _column(catalogue.columns.access, first, last, np.uint8),
        "project_id": _column(catalogue.columns.project, first, last, np.uint16),
        "boost": np.zeros(last - first, np.float32),
    }
    symbols = Symbols.from_columns(names, containers, projects=catalogue.projects, rows=rows)
    return Segment(symbols, dead_of(catalogue, first, last))


def dead_of(catalogue: Catalogue, first: int, last: int) -> NDArray[np.bool_]:
    """Which of the rows no longer count."""
    return np.frombuffer(bytes(catalogue.columns.dead[first:last]), np.bool_)


def _column(column: object, first: int, last: int, kind: type[np.generic]) -> NDArray:
    # A copy: a view would keep the column from growing.
    return np.array(memoryview(column)[first:last], dtype=kind)  # pyright: ignore[reportArgumentType]


def _texts(values: list[str], ids: NDArray) -> tuple[Texts, NDArray]:
    """The strings that occur, once each, and the ids renumbered."""
    used, renumbered = np.unique(ids, return_inverse=True)
    return Texts.build([values[at] for at in used.tolist()]), renumbered.astype(np.int32)
