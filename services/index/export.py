"""`index.json`: projects and types with their ids and hashes, for readers that have no index of their own (004
section 3.1)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256

import msgspec

from services.errors import Cancelled
from services.index.index import Index
from services.index.placed import Whole, hashes_of
from services.model import Progress, Value
from services.syntax.hashing import base32, combined, digest

FILE = "index.json"
SCHEMA_VERSION = "1.0"
HASH_VERSION = "1"
"""Of the rules of SPEC section 3. A reader that knows another version must not compare."""
_REPORTED_EVERY = 200  # types
_Key = tuple[tuple[tuple[int, int], ...], str]


class ExportedProject(Value, kw_only=True, frozen=True):
    """A project. `hash`: of what its types are, do and say, and of what they are compiled for."""

    id: str
    name: str
    path: str
    tfm: str | None
    hash: str


class ExportedType(Value, kw_only=True, frozen=True):
    """A type. `depth_hint`: layers down to a type that names no other; `semantic_group_id`: shared by types that depend
    on each other in a circle."""

    id: str
    fqn: str
    project_id: str
    kind: str
    file: str
    structure_hash: str
    impl_hash: str
    xml_doc_hash: str
    semantic_state: str = "none"
    semantic_group_id: str | None = None
    depth_hint: int = 0


class ExportedPack(Value, kw_only=True, frozen=True):
    """A pack. `last_build`: as ISO 8601 in UTC."""

    name: str
    token_estimate: int
    last_build: str
    type_ids: tuple[str, ...]


class ConfigSnapshot(Value, kw_only=True, frozen=True):
    """By which rules the hashes were made."""

    hash_version: str = HASH_VERSION
    structure_hash_includes_xml_doc: bool = False
    include_internal_for_dependencies: bool = False


class Document(Value, kw_only=True, frozen=True):
    """The whole file. Projects and types are sorted, so that equal states give equal bytes but for `generated_at`."""

    schema_version: str = SCHEMA_VERSION
    generated_at: str
    projects: tuple[ExportedProject, ...]
    types: tuple[ExportedType, ...]
    packs: tuple[ExportedPack, ...] = ()
    config_snapshot: ConfigSnapshot = ConfigSnapshot()


class Exporter:
    """Makes documents. Remembers the types, so that the next one costs what has changed since."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._rows: dict[int, tuple[_Key, ExportedType]] = {}

    def document(
        self,
        *,
        packs: Sequence[ExportedPack] = (),
        report: Callable[[Progress], None],
        cancel: threading.Event | None,
        pause: float = 0.0,
    ) -> Document:
        """The index as it is. `pause`: seconds to leave to others now and then. Raises Cancelled."""
        types: list[ExportedType] = []
        for row in self._types(report, cancel):
            types.append(row)
            if pause and not len(types) % 20:
                time.sleep(pause)
        types.sort(key=lambda row: (int(row.project_id[1:]), row.fqn, row.id))
        return Document(
            generated_at=in_utc(datetime.now(UTC)),
            projects=tuple(self._projects(types)),
            types=tuple(types),
            packs=tuple(sorted(packs, key=lambda pack: pack.name)),
        )

    def _types(
        self, report: Callable[[Progress], None], cancel: threading.Event | None
    ) -> Iterator[ExportedType]:
        index = self._index
        with index.lock:
            places = [at for at, _ in index.catalogue.live_types()]
            depths, groups = index.graph().depths(), self._groups()
        self._rows = {at: row for at, row in self._rows.items() if at in depths}
        for done, at in enumerate(places):
            if cancel is not None and cancel.is_set():
                raise Cancelled("The export was cancelled. What was exported before stands.")
            if not done % _REPORTED_EVERY:
                report(Progress(phase="Exporting", done=done, total=len(places), unit="types"))
            with index.lock:
                row = self._row(at)
            if row is not None:
                group = groups.get(at)
                yield msgspec.structs.replace(row, depth_hint=depths.get(at, 0), semantic_group_id=group)

    def _row(self, at: int) -> ExportedType | None:
        """A type without what it takes the graph to know."""
        entry = self._index.catalogue.types[at]
        key = (tuple(entry.parts), self._index.identities.type_id(at))
        known = self._rows.get(at)
        if known is not None and known[0] == key:
            return known[1]
        whole = self._index.describer.whole(at) if entry.parts else None
        if whole is None:
            return None
        row = self._made(whole)
        self._rows[at] = (key, row)
        return row

    def _made(self, whole: Whole) -> ExportedType:
        hashes = hashes_of(whole)
        return ExportedType(
            id=whole.id,
            fqn=whole.entry.fqn,
            project_id=f"P{whole.entry.project + 1}",
            kind=whole.entry.kind.value,
            file=self._index.catalogue.file(whole.primary.file).path,
            structure_hash=hashes["structure"],
            impl_hash=hashes["impl"],
            xml_doc_hash=hashes["doc"],
        )

    def _groups(self) -> dict[int, str]:
        """The id of the group of each type that is in one: made of the ids of its types."""
        found: dict[int, str] = {}
        for group in self._index.graph().groups():
            ids = sorted(self._index.identities.type_id(at) for at in group)
            group_id = "G_" + base32(sha256("|".join(ids).encode()).digest(), 8)
            found.update(dict.fromkeys(group, group_id))
        return found

    def _projects(self, types: Sequence[ExportedType]) -> Iterator[ExportedProject]:
        hashes: dict[str, list[bytes]] = {}
        for row in types:
            parts = (row.id, row.kind, row.structure_hash, row.impl_hash, row.xml_doc_hash)
            hashes.setdefault(row.project_id, []).append(digest("|".join(parts).encode()))
        for number, project in enumerate(self._index.projects(), 1):
            content = combined(hashes.get(f"P{number}", ()))
            shape = f"{project.name}|{project.target_framework}".encode()
            yield ExportedProject(
                id=f"P{number}",
                name=project.name,
                path=project.path,
                tfm=project.target_framework,
                hash=base32(digest(content + shape), 8),
            )


def in_utc(moment: datetime) -> str:
    """A moment in UTC, to the second, as the file has it."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def written(document: Document) -> bytes:
    """The document as JSON: a line for each project, type and pack, so that versions of it compare well."""
    plain = msgspec.to_builtins(document)
    lines = ["{"]
    for name, value in plain.items():
        if isinstance(value, list | tuple):
            rows = ",".join(f"\n    {_json(row)}" for row in value)
            lines.append(f"  {_json(name)}: [{rows}\n  ]," if rows else f"  {_json(name)}: [],")
        else:
            lines.append(f"  {_json(name)}: {_json(value)},")
    return ("\n".join(lines)[:-1] + "\n}\n").encode()


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def same_but_for_the_time(one: bytes, other: bytes) -> bool:
    """Whether two written documents differ in nothing but when they were made."""
    return _without_time(one) == _without_time(other)


def _without_time(data: bytes) -> list[bytes]:
    return [line for line in data.split(b"\n") if not line.startswith(b'  "generatedAt": ')]
