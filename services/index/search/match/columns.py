"""The symbols of a workspace as immutable columns, and what a search runs over."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.lib.format import read_array_header_1_0, read_magic
from numpy.typing import NDArray

from services.index.search.match.matcher import with_singles
from services.index.search.match.texts import Arrays, TextColumn, Texts
from services.model import TYPE_KINDS, Kind
from services.workspace.files.durable import private_file
from services.workspace.files.mapped import mapped

KINDS = tuple(Kind)
"""Kinds by code: `kind` of a row indexes this."""

TYPES = tuple(at for at, kind in enumerate(KINDS) if kind in TYPE_KINDS)
"""The codes of types."""

ACCESSES = ("public", "protected internal", "protected", "internal", "private protected", "private", "file")
"""Accessibilities by code, the most open first: `access` of a row indexes this."""

_ORIGINS = "origins"
_ROW_COLUMNS = (
    "name_id",
    "container_id",
    "kind",
    "access",
    "project_id",
    "arity",
    "boost",
    "order",
    "position",
    "starts",
    "fame",
    "members",
    "member_starts",
)


class SymbolRow(msgspec.Struct, frozen=True, kw_only=True):
    """Symbol as plain values. `container`: dotted, as `Newtonsoft.Json.JsonConvert`; `boost`: references; `arity`:
    type parameters of a type."""

    name: str
    container: str
    kind: str
    access: str
    project: str = ""
    boost: float = 0.0
    arity: int = 0


class SymbolColumns(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Immutable columns of n symbols, by place. `name_id`, `container_id`: int32; `kind`, `access`: uint8;
    `project_id`: uint16; `arity`: uint8, type parameters of a type; `boost`: float32, never negative; `order`: int32,
    place → row of the caller; `fame`: uint8 (names), log2 of the highest boost, 31 at most."""

    names: TextColumn
    containers: TextColumn
    projects: tuple[str, ...]
    name_id: NDArray[np.int32]
    container_id: NDArray[np.int32]
    kind: NDArray[np.uint8]
    access: NDArray[np.uint8]
    project_id: NDArray[np.uint16]
    arity: NDArray[np.uint8]
    boost: NDArray[np.float32]
    order: NDArray[np.int32]
    fame: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.order)


class Symbols(SymbolColumns, frozen=True, kw_only=True, eq=False):
    """Columns to be searched, whose texts ascend, sorted by name, then access, boost (descending), container and row.
    `position`: int32, row → place; `starts`: int32 (names + 1), where each name's places begin; `members`: int32,
    places by container; `member_starts`: int32 (containers + 1), where each container's begin."""

    names: Texts
    containers: Texts
    position: NDArray[np.int32]
    starts: NDArray[np.int32]
    members: NDArray[np.int32]
    member_starts: NDArray[np.int32]

    @classmethod
    def build(cls, rows: Sequence[SymbolRow]) -> Symbols:
        """From plain rows; row numbers are positions in `rows`. Raises ValueError on an unknown kind or access."""
        names, name_id = _unique([row.name for row in rows])
        containers, container_id = _unique([row.container for row in rows])
        projects, project_id = _unique([row.project for row in rows])
        return cls.from_columns(
            Texts.build(names),
            Texts.build(containers),
            projects=tuple(projects),
            rows={
                "name_id": name_id,
                "container_id": container_id,
                "project_id": project_id,
                "kind": np.array([KINDS.index(Kind(row.kind)) for row in rows], np.uint8),
                "access": np.array([ACCESSES.index(row.access) for row in rows], np.uint8),
                "arity": np.array([row.arity for row in rows], np.uint8),
                "boost": np.array([row.boost for row in rows], np.float32),
            },
        )

    @classmethod
    def from_columns(
        cls, names: Texts, containers: Texts, *, projects: Sequence[str], rows: Arrays
    ) -> Symbols:
        """From unique ascending texts and row columns in the caller's order: name_id, container_id, kind, access,
        project_id, arity, boost. Raises ValueError if a name has no symbol."""
        boost = np.asarray(rows["boost"], np.float32)
        ties = (rows["container_id"], -boost, rows["access"], rows["name_id"])
        order = np.lexsort(ties).astype(np.int32)
        position = np.empty_like(order)
        position[order] = np.arange(len(order), dtype=np.int32)
        counts = (
            np.bincount(rows["name_id"], minlength=len(names))
            if len(order)
            else np.zeros(len(names), np.int64)
        )
        if len(names) and not counts.all():
            raise ValueError("a name without a symbol")
        starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
        container_id = np.asarray(rows["container_id"], np.int32)[order]
        highest = np.maximum.reduceat(boost[order], starts[:-1]) if len(order) else boost
        return cls(
            names=names,
            containers=containers,
            projects=tuple(projects),
            name_id=np.asarray(rows["name_id"], np.int32)[order],
            container_id=container_id,
            kind=np.asarray(rows["kind"], np.uint8)[order],
            access=np.asarray(rows["access"], np.uint8)[order],
            project_id=np.asarray(rows["project_id"], np.uint16)[order],
            arity=np.asarray(rows["arity"], np.uint8)[order],
            boost=boost[order],
            order=order,
            position=position,
            starts=starts,
            members=np.argsort(container_id, kind="stable").astype(np.int32),
            member_starts=np.searchsorted(np.sort(container_id), np.arange(len(containers) + 1)).astype(
                np.int32
            ),
            fame=fame_of(highest),
        )

    def boosted(self, boost: NDArray[np.float32]) -> Symbols:
        """Return the same symbols with another boost, by row; these where it is the same."""
        if np.array_equal(boost[self.order], self.boost):
            return self
        of_rows = ("name_id", "container_id", "kind", "access", "project_id", "arity")
        rows = {name: getattr(self, name)[self.position] for name in of_rows}
        return Symbols.from_columns(
            self.names, self.containers, projects=self.projects, rows={**rows, "boost": boost}
        )

    @classmethod
    def from_arrays(cls, arrays: Arrays, projects: Sequence[str]) -> Symbols:
        """The columns whose arrays `arrays()` named; memory-mapped ones stay so."""
        own = {name: arrays[name] for name in _ROW_COLUMNS}
        names = Texts.from_arrays(arrays, "names_")
        return cls(
            names=names, containers=Texts.from_arrays(arrays, "containers_"), projects=tuple(projects), **own
        )

    def arrays(self) -> dict[str, NDArray]:
        """Every array by name: all of the columns but `projects`."""
        return self.columns() | self.names.arrays("names_") | self.containers.arrays("containers_")

    def columns(self) -> dict[str, NDArray]:
        """The arrays by name that are not those of the texts."""
        return {name: getattr(self, name) for name in _ROW_COLUMNS}

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in self.arrays().values())

    def places(self, ids: NDArray[np.integer]) -> NDArray[np.int64]:
        """The places of all symbols with one of these names, name after name."""
        return _runs(self.starts, ids)

    def places_in(self, ids: NDArray[np.integer], *, most: int) -> NDArray[np.int64] | None:
        """The places of all symbols in one of these containers, ascending; None where there are more than `most`."""
        if _many(self.member_starts, ids) > most:
            return None
        return np.sort(self.members[_runs(self.member_starts, ids)].astype(np.int64))

    def having(self, names: NDArray, containers: NDArray, *, most: int) -> NDArray[np.int64] | None:
        """The places with one of these names or in one of these containers, both true or not 0 by id, in no order and
        some twice; None where there are more than `most`, looked for no further than it takes to know."""
        if np.count_nonzero(names) > most or np.count_nonzero(containers) > most:
            return None
        # Of bytes that are not all 0 or 1 the places take seven times as long to find.
        ids, owners = np.flatnonzero(names != 0), np.flatnonzero(containers != 0)
        if _many(self.starts, ids) + _many(self.member_starts, owners) > most:
            return None
        inside = self.members[_runs(self.member_starts, owners)].astype(np.int64)
        return np.concatenate((self.places(ids), inside))


def fame_of(boost: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return the fame of names with these highest boosts."""
    return np.minimum(np.log2(1 + boost), 31).astype(np.uint8)


def _many(starts: NDArray[np.int32], ids: NDArray[np.integer]) -> int:
    return int((starts.take(ids + 1) - starts.take(ids)).sum())


def _runs(starts: NDArray[np.int32], ids: NDArray[np.integer]) -> NDArray[np.int64]:
    """All numbers from `starts[id]` to `starts[id + 1]`, id after id."""
    first = starts[ids].astype(np.int64)
    counts = starts[ids + 1] - first
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) + np.repeat(first - (ends - counts), counts)


def save(symbols: Symbols, origins: NDArray[np.uint32], folder: Path) -> None:
    """Write one `.npy` file per array into an existing folder; `load` maps them. `origins`: as of a segment."""
    whole = replace(symbols, names=with_singles(symbols.names), containers=with_singles(symbols.containers))
    for name, array in {**whole.arrays(), _ORIGINS: origins}.items():
        with private_file(folder / f"{name}.npy") as file:
            np.save(file, array)


def load(folder: Path, projects: Sequence[str]) -> tuple[Symbols, NDArray[np.uint32]]:
    """The columns and origins `save` wrote, memory-mapped and read-only. Raises KeyError where a file is missing."""
    arrays = {file.stem: _mapped(file) for file in folder.glob("*.npy")}
    origins = arrays.pop(_ORIGINS)
    return Symbols.from_arrays(arrays, projects), origins


def _mapped(file: Path) -> NDArray:
    """An array as `np.load` maps it, which takes five times as long to do so. Raises OSError, ValueError, TypeError."""
    with file.open("rb") as opened:
        read_magic(opened)
        shape, is_fortran, dtype = read_array_header_1_0(opened)
        if dtype.hasobject:
            raise ValueError(f"{file.name} holds objects.")
        order = "F" if is_fortran else "C"
        return np.ndarray(shape, dtype, mapped(opened.fileno()), opened.tell(), order=order)


def _unique(values: Sequence[str]) -> tuple[list[str], NDArray[np.int32]]:
    texts = sorted(set(values))
    place = {text: at for at, text in enumerate(texts)}
    return texts, np.array([place[value] for value in values], np.int32)
