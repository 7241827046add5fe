"""`index.json`: projects and types with their ids and hashes, for readers that have no index of their own (004
section 3.1)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime

import msgspec

from services.concurrency.cancellation import checkpoint
from services.decoding import LARGE, decode
from services.index.compiled import homes
from services.index.graph.components import components, depths
from services.index.hashes import WORTH_WORKERS, PartHashes
from services.index.index import Index
from services.model import Progress, Value
from services.syntax.records.hashing import base32, combined, digest, group_id

FILE = "index.json"
SCHEMA_VERSION = "1.0"
HASH_VERSION = "3"
"""Version of the rules of SPEC section 3. A reader that knows another version must not compare."""
_REPORTED_EVERY = 200  # types
_REST = 0.005  # seconds that a quiet export leaves to others after a few types
_RESTS_EVERY = 20


class ExportedProject(Value, kw_only=True, frozen=True):
    """Exported project. `hash`: of its types' hashes, and of its target."""

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
    """Rules by which the hashes were made."""

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


class _Pause:
    """Rests of so many seconds now and then, unless it is cancelled."""

    def __init__(self, cancel: threading.Event | None, seconds: float) -> None:
        self.cancel = cancel
        self._seconds = seconds
        self._count = 0

    def now(self) -> None:
        """Lets others go first who are to. Raises Cancelled."""
        checkpoint(self.cancel, "The export was cancelled. What was exported before stands.")

    def now_and_then(self) -> None:
        """Raises Cancelled."""
        self.now()
        self._count += 1
        if self._seconds and not self._count % _RESTS_EVERY:
            time.sleep(self._seconds)


class Exporter:
    """Makes documents. Remembers the hashes of types, so that the next one costs what has changed since."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._numbering: object = None
        self._known: dict[int, PartHashes] = {}

    def document(
        self,
        *,
        report: Callable[[Progress], None],
        cancel: threading.Event | None,
        quietly: bool = False,
    ) -> Document:
        """The index at one revision. `quietly`: leaves most of the machine to others. Packs are left
        out. Raises Cancelled."""
        pause = _Pause(cancel, _REST if quietly else 0.0)
        pause.now()
        with self._index.reading():
            places, edges = self._moment()
            pause.now()
            self._learn(places, report, pause, workers=1 if quietly else None)
            types = list(self._types(places, edges, pause))
            pause.now()
            types.sort(key=lambda row: (int(row.project_id[1:]), row.fqn, row.id))
            return Document(
                generated_at=in_utc(datetime.now(UTC)),
                projects=tuple(self._projects(types)),
                types=tuple(types),
                config_snapshot=ConfigSnapshot(
                    structure_hash_includes_xml_doc=self._index.records.rules.docs,
                    include_internal_for_dependencies=self._index.records.rules.internal,
                ),
            )

    def _moment(self) -> tuple[list[int], dict[int, tuple[int, ...]]]:
        """The types as they are, and which of them each names."""
        index = self._index
        catalogue = index.catalogue
        places = [at for at, _ in homes(catalogue)]
        if catalogue.numbering is not self._numbering:
            self._known.clear()
        self._numbering = catalogue.numbering
        return places, index.graph().forward()

    def _learn(
        self,
        places: Sequence[int],
        report: Callable[[Progress], None],
        pause: _Pause,
        *,
        workers: int | None,
    ) -> None:
        """Sees to it that the hashes of these types are known: by worker processes where many are not."""

        def tell() -> None:
            done = len(places) - len(left)
            report(Progress(phase="Exporting", done=done, total=len(places), unit="types"))

        left = dict.fromkeys(at for at in places if not self._is_known(at))
        self._known = {at: self._known[at] for at in places if at not in left}
        tell()
        if len(left) >= WORTH_WORKERS:
            apart = self._index.hashes.from_workers(list(left), workers=workers, cancel=pause.cancel)
            with closing(apart) as batches:
                for found in batches:
                    self._known |= found
                    for at in found:
                        left.pop(at, None)
                    tell()
        for done, at in enumerate(list(left)):
            pause.now_and_then()
            self._hash(at)
            del left[at]
            if not done % _REPORTED_EVERY:
                tell()

    def _hash(self, at: int) -> PartHashes | None:
        made = self._index.hashes.of(at)
        if made is not None:
            self._known[at] = made
        return made

    def _is_known(self, at: int) -> bool:
        known = self._known.get(at)
        return known is not None and known.parts == self._index.catalogue.types[at].parts

    def _types(
        self, places: Sequence[int], edges: Mapping[int, tuple[int, ...]], pause: _Pause
    ) -> Iterator[ExportedType]:
        pause.now()
        level = depths(edges)
        pause.now()
        groups = self._groups(edges)
        for at in places:
            pause.now_and_then()
            row = self._row(at, depth=level.get(at, 0), group=groups.get(at))
            if row is not None:
                yield row

    def _row(self, at: int, *, depth: int, group: str | None) -> ExportedType | None:
        """A type; None where it cannot be read."""
        catalogue = self._index.catalogue
        entry = catalogue.types[at]
        known = self._known.get(at) if self._is_known(at) else self._hash(at)
        if known is None:
            return None
        hashed = known.hashed
        return ExportedType(
            id=self._index.identities.type_id(at),
            fqn=entry.fqn,
            project_id=f"P{entry.project + 1}",
            kind=entry.kind.value,
            file=catalogue.file(hashed.file).path,
            structure_hash=hashed.structure,
            impl_hash=hashed.impl,
            xml_doc_hash=hashed.doc,
            depth_hint=depth,
            semantic_group_id=group,
        )

    def _groups(self, edges: Mapping[int, tuple[int, ...]]) -> dict[int, str]:
        """The id of the group of each type that is in one: made of the ids of its types."""
        found: dict[int, str] = {}
        for group in components(edges):
            if len(group) > 1:
                found.update(dict.fromkeys(group, group_id(map(self._index.identities.type_id, group))))
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
    """Format a time in UTC, to the second."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def written(document: Document) -> bytes:
    """The document as JSON: a line for each project, type and pack, so that versions of it compare well."""
    lines = ["{"]
    for field, name in zip(document.__struct_fields__, document.__struct_encode_fields__, strict=True):
        value = getattr(document, field)
        if isinstance(value, tuple):
            rows = ",".join([f"\n    {_json(row)}" for row in value])
            lines.append(f"  {_json(name)}: [{rows}\n  ]," if rows else f"  {_json(name)}: [],")
        else:
            lines.append(f"  {_json(name)}: {_json(value)},")
    return ("\n".join(lines)[:-1] + "\n}\n").encode()


def read_document(data: bytes) -> Document | None:
    """Parse the output of `written`; None for other data, or other rules."""
    try:
        document = decode(Document, data, LARGE)
    except msgspec.DecodeError:
        return None
    return document if document.config_snapshot.hash_version == HASH_VERSION else None


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def same_but_for_the_time(one: bytes, other: bytes) -> bool:
    """Whether two written documents differ in nothing but when they were made."""
    return _without_time(one) == _without_time(other)


def _without_time(data: bytes) -> list[bytes]:
    return [line for line in data.split(b"\n") if not line.startswith(b'  "generatedAt": ')]
