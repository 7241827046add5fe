"""Columns of the catalogue as search segments. Imports numpy: import it on the first query."""

from __future__ import annotations

from array import array
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from services.index.build.units import declared_elsewhere
from services.index.catalog.catalogue import KINDS, Catalogue
from services.index.search import Symbols, Texts
from services.index.search.match.sorted_arrays import distinct
from services.model import TYPE_KINDS

_IS_TYPE = np.array([kind in TYPE_KINDS for kind in KINDS])
_OF_A_MEMBER = 0.01  # of the mentions of its type: it ranks after the types, and before members of others


class Rows(NamedTuple):
    """Rows of a catalogue, copied out of it so that its columns may go on growing."""

    names: list[str]
    containers: list[str]
    projects: list[str]
    columns: dict[str, NDArray]


def copied(catalogue: Catalogue, first: int, last: int) -> Rows:
    """Rows `first` to `last` (exclusive)."""
    columns = catalogue.columns
    names, name_id = _used(catalogue.names.values, _column(columns.name, first, last))
    containers, container_id = _used(catalogue.containers.values, _column(columns.container, first, last))
    kind = _column(columns.kind, first, last)
    return Rows(
        names,
        containers,
        list(catalogue.projects),
        {
            "name_id": name_id,
            "container_id": container_id,
            "kind": kind,
            "access": _column(columns.access, first, last),
            "project_id": _column(columns.project, first, last),
            "arity": _arity(catalogue, _column(columns.owner, first, last), kind),
            "boost": boost_of(catalogue, first, last),
        },
    )


def symbols_of(rows: Rows) -> Symbols:
    """Rows as the search wants them: sorted, with its maps of letters, which take most of the time."""
    names, containers = Texts.build(rows.names), Texts.build(rows.containers)
    return Symbols.from_columns(names, containers, projects=rows.projects, rows=rows.columns)


def dead_of(catalogue: Catalogue, first: int, last: int) -> NDArray[np.bool_]:
    """Which of the rows do not count: those that are gone, and those that a later catalogue has."""
    dead = np.ones(last - first, np.bool_)
    own = catalogue.columns.dead[first:last]
    dead[: len(own)] = np.frombuffer(own, np.bool_)
    return dead


def keys_of(catalogue: Catalogue, first: int, last: int) -> NDArray[np.int32]:
    """Return the keys of rows: the parts of a type have its key, below 0, and a member its row."""
    kind = _column(catalogue.columns.kind, first, last)
    owner = _column(catalogue.columns.owner, first, last)
    return np.where(_IS_TYPE.take(kind), -1 - owner, np.arange(first, last, dtype=np.int32))


def origins_of(catalogue: Catalogue, first: int, last: int) -> NDArray[np.uint32]:
    """Return a number of the file of each row, the same for the same path."""
    files, which = distinct(_column(catalogue.columns.file, first, last))
    paths = [entry.path if (entry := catalogue.files[at]) is not None else "" for at in files.tolist()]
    numbers = [crc32(path.encode("utf-8", "surrogatepass")) for path in paths]
    return np.array(numbers, np.uint32)[which]


def shared_of(catalogue: Catalogue, first: int, last: int) -> NDArray[np.int32]:
    """(project, first row, last row, exclusive), in rows from `first`, of what projects declare that another holds."""
    found = [
        (project, max(begin, first) - first, min(end, last) - first)
        for project, begin, end in declared_elsewhere(catalogue)
        if begin < last and end > first
    ]
    return np.array(found, np.int32).reshape(-1, 3)


def _column(column: array[int], first: int, last: int) -> NDArray:
    # A copy, made in one step: even a short-lived view would prevent the writer's column from growing.
    return np.frombuffer(column[first:last], column.typecode)


def _used(values: list[str], ids: NDArray) -> tuple[list[str], NDArray]:
    """Return the strings that occur, once each and sorted, and the ids renumbered: strings are numbered as they came,
    and of equal candidates the first are taken."""
    used, renumbered = np.unique(ids, return_inverse=True)
    texts = [values[at] for at in used.tolist()]
    order = sorted(range(len(texts)), key=texts.__getitem__)
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return [texts[at] for at in order], place[renumbered]


def _arity(catalogue: Catalogue, owner: NDArray, kind: NDArray) -> NDArray[np.uint8]:
    """Type parameters of the type a row is; none of a member."""
    found = np.zeros(len(owner), np.uint8)
    types = np.flatnonzero(_IS_TYPE.take(kind))
    found[types] = [min(catalogue.type(at).arity, 255) for at in owner[types].tolist()]
    return found


def boost_of(catalogue: Catalogue, first: int, last: int) -> NDArray[np.float32]:
    """Return how many files mention the name of the type that a row is, or a share of those that mention the type it
    belongs to. The same sources have the same, whatever was worked out of them."""
    columns = catalogue.columns
    owner, name = _column(columns.owner, first, last), _column(columns.name, first, last)
    mentions = np.zeros(max(len(catalogue.mentions), int(name.max(initial=-1)) + 1) + 1, np.float32)
    mentions[: len(catalogue.mentions)] = catalogue.mentions[:]
    is_type = _IS_TYPE.take(_column(columns.kind, first, last))
    # One more than there are types: what belongs to none has -1 for it, which is the last.
    names = np.full(int(owner.max(initial=-1)) + 2, -1, np.int32)
    names[owner[is_type]] = name[is_type]
    return mentions[names[owner]] * np.where(is_type, np.float32(1), np.float32(_OF_A_MEMBER))
