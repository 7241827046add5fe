"""Assemblies of restored packages: each is read once by its version, and cached per person for all workspaces."""

from __future__ import annotations

import os
import re
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from services.errors import NotAnAssembly
from services.index.external.table import MAGIC, ExternalTable, TypeRow, as_namespace, key_of
from services.index.names.framework import namespace_of
from services.msbuild import PackageAssembly, ProjectInfo
from services.settings.personal import personal_folder

if TYPE_CHECKING:
    import numpy as np


_BLOCK = 128_000  # bytes, unpacked


def packed(types: Sequence[tuple[str, TypeRow]]) -> bytes:
    """The file. `types`: with their sources."""
    import numpy as np  # what only asks needs none

    order = sorted(types, key=lambda each: (each[0], each[1].fqn))
    blocks, places = _blocks([row for _, row in order])
    keyed = sorted(range(len(order)), key=lambda at: key_of(f"{order[at][0]} {order[at][1].fqn}"))
    keys = np.array([key_of(f"{order[at][0]} {order[at][1].fqn}") for at in keyed], np.uint64)
    found = np.array([places[at] for at in keyed], np.uint32)
    number = {at: to for to, at in enumerate(keyed)}
    names = sorted(
        {(key_of(name), number[at]) for at, (_, row) in enumerate(order) for name in _extensions(row)}
        | {(key_of(name), number[at]) for name, at in _namespaces([row for _, row in order]).items()}
    )
    starts = np.cumsum([0, *map(len, blocks)]).astype(np.uint32)
    head = struct.pack("<8sIII", MAGIC, len(keys), len(names), len(blocks))
    arrays = (
        keys,
        np.array([name for name, _ in names], np.uint64),
        found,
        np.array([at for _, at in names], np.uint32),
        starts,
    )
    return b"".join((head.ljust(32, b"\0"), *(each.tobytes() for each in arrays), *blocks))


def _extensions(row: TypeRow) -> set[str]:
    return {member.name for member in row.members if "x" in member.flags}


def _namespaces(rows: Sequence[TypeRow]) -> dict[str, int]:
    """Each namespace, and each dotted prefix of one, as it is looked for, with the first of its types."""
    found: dict[str, int] = {}
    for at, row in enumerate(rows):
        name = namespace_of(row.fqn)
        while name and as_namespace(name) not in found:
            found[as_namespace(name)] = at
            name = name.rpartition(".")[0]
    return found


def _blocks(rows: Sequence[TypeRow]) -> tuple[list[bytes], list[tuple[int, int, int]]]:
    blocks: list[bytes] = []
    places: list[tuple[int, int, int]] = []
    current = b""
    for row in rows:
        text = msgspec.json.encode(row)
        if current and len(current) + len(text) > _BLOCK:
            blocks.append(zlib.compress(current, 9))
            current = b""
        places.append((len(blocks), len(current), len(text)))
        current += text
    return [*blocks, zlib.compress(current, 9)], places


SOURCE = "restored"
_MOST_BYTES = 64_000_000
_FORMAT = 1
"""Version, raised whenever the same assembly yields another table."""
_ODD = re.compile(r"[^\w.+-]")


def marked(infos: tuple[ProjectInfo, ...]) -> tuple[ProjectInfo, ...]:
    """Projects with the tables of those of their assemblies that have been read; the same ones where that is nothing
    new."""
    found: dict[str, str] = {}
    changed = tuple(_marked(info, found) for info in infos)
    return infos if all(one is other for one, other in zip(infos, changed, strict=True)) else changed


def unread(infos: Iterable[ProjectInfo]) -> list[PackageAssembly]:
    """The assemblies that are there and have no table yet, each once."""
    every = {each.path: each for info in infos for each in info.assemblies if not each.table}
    return [each for each in every.values() if _place(each) is not None and not _table_of(each).is_file()]


def read(assembly: PackageAssembly) -> None:
    """Makes its table. Raises NotAnAssembly, and OSError where it or its table cannot be opened."""
    from services.index.external.assembly import Assembly
    from services.workspace.files.durable import private_folder, replace
    from services.workspace.files.openers import held

    place = _place(assembly)
    if place is None:
        raise NotAnAssembly("It is not in the packages folder.", reason=assembly.path)
    made = packed([(SOURCE, row) for row in Assembly(_content(place)).types()])
    path = _table_of(assembly)
    with held(os.fspath(private_folder(path.parent)), os.O_RDONLY | os.O_DIRECTORY) as folder:
        replace(folder, path.name, made)


def _marked(info: ProjectInfo, found: dict[str, str]) -> ProjectInfo:
    for each in info.assemblies:
        if each.path not in found:
            table = _table_of(each)
            found[each.path] = str(table) if table.is_file() else ""
    if all(each.table == found[each.path] for each in info.assemblies):
        return info
    assemblies = (msgspec.structs.replace(each, table=found[each.path]) for each in info.assemblies)
    return msgspec.structs.replace(info, assemblies=tuple(assemblies))


def _table_of(assembly: PackageAssembly) -> Path:
    key = f"{_FORMAT} {assembly.package}/{assembly.version} {assembly.path}".casefold()
    name = _ODD.sub("_", f"{assembly.package}.{assembly.version}".casefold())[:100]
    digest = blake2b(key.encode("utf-8", "replace"), digest_size=8).hexdigest()
    return personal_folder("cache") / "packages" / f"{name}-{digest}.bin"


def _place(assembly: PackageAssembly) -> Path | None:
    """Return the path of the assembly on this machine."""
    for place in assembly.places:
        with suppress(OSError, ValueError):
            if Path(place).is_file():
                return Path(place)
    return None


def _content(path: Path) -> bytes:
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size > _MOST_BYTES:
            raise NotAnAssembly("It is too large to be read.", reason=f"{size} bytes")
        return file.read(_MOST_BYTES)


_Directory = tuple["np.ndarray", "np.ndarray"]
"""The keys of several tables, sorted, and whose each is."""


class RestoredTypes:
    """Types of the restored packages of one project. `packages`: folded names of those that are wholly known. Not
    thread-safe, as Table."""

    def __init__(
        self, assemblies: Sequence[PackageAssembly], opened: dict[str, ExternalTable | None]
    ) -> None:
        """`opened`: tables by path, which projects share."""
        tables = [(each, _opened(each.table, opened) if each.table else None) for each in assemblies]
        self._tables = tuple(table for _, table in tables if table is not None)
        unknown = {each.package.casefold() for each, table in tables if table is None}
        self.packages = frozenset(each.package.casefold() for each, _ in tables) - unknown

    @property
    def is_empty(self) -> bool:
        """Whether nothing was restored, or could be read."""
        return not self._tables

    def types(self, fqn: str) -> list[TypeRow]:
        """The types of that full name, one for each assembly that has it."""
        found: list[TypeRow] = []
        for table in self._having(self._by_key, f"{SOURCE} {fqn}"):
            with suppress(ValueError):
                found += table.types(SOURCE, fqn)
        return list({row.assembly: row for row in found}.values())

    def extending(self, name: str) -> list[TypeRow]:
        """The types that have extension methods of a name."""
        found: list[TypeRow] = []
        for table in self._having(self._by_name, name):
            with suppress(ValueError):
                found += table.extending(name)
        return found

    def has_namespace(self, name: str) -> bool:
        """Whether any type is in a namespace, or in one inside it."""
        return any(True for _ in self._having(self._by_name, as_namespace(name)))

    def _having(self, directory: _Directory, text: str) -> Iterator[ExternalTable]:
        """The tables that have the key of a text; another text may have it as well."""
        keys, owners = directory
        key = keys.dtype.type(key_of(text))
        start, end = keys.searchsorted(key), keys.searchsorted(key, "right")
        return (self._tables[owner] for owner in dict.fromkeys(int(each) for each in owners[start:end]))

    @cached_property
    def _by_key(self) -> _Directory:
        return _merged([table.keys for table in self._tables])

    @cached_property
    def _by_name(self) -> _Directory:
        return _merged([table.names for table in self._tables])


def _merged(arrays: Sequence[np.ndarray]) -> _Directory:
    import numpy as np

    keys = np.concatenate([np.empty(0, np.uint64), *arrays])
    order = np.argsort(keys, kind="stable")
    return keys[order], np.repeat(np.arange(len(arrays)), [len(each) for each in arrays])[order]


def _opened(path: str, opened: dict[str, ExternalTable | None]) -> ExternalTable | None:
    """Open a table; None for a damaged one, which is removed so that it is made again."""
    if path not in opened:
        opened[path] = None
        try:
            opened[path] = ExternalTable(Path(path))
        except OSError:
            pass
        except ValueError:
            with suppress(OSError):
                Path(path).unlink()
    return opened[path]
