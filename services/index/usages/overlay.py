"""Index in memory of a workspace in which some files had other texts: what an edit is checked against before it is
written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

import msgspec

from services.index.binding.files import FileBinder
from services.index.catalog.catalogue import Catalogue
from services.index.catalog.file_rows import file_rows
from services.index.catalog.records import Records
from services.index.names.names import Names
from services.index.names.packages import Deduced
from services.index.usages.bound_texts import BoundTexts
from services.index.usages.places import FileFacts
from services.msbuild import ProjectInfo
from services.syntax.markup.reading import read_source_file, source_text
from services.syntax.records.declaration import Declaration, FileRecord
from services.workspace.files.root import Root

if TYPE_CHECKING:
    from services.index.names.visibility import ProjectVisibility


class OverlayText(msgspec.Struct, frozen=True):
    """The text (UTF-8) that a file would have, and where it would lie; with `like`, a new file, which the projects
    compile that compile that one."""

    text: bytes
    path: str
    like: str = ""


class Overlay(msgspec.Struct, frozen=True):
    """`texts`: the files as they would be; `files`: by the index of a changed file, the one that takes its place;
    `names`: its binder of names."""

    texts: BoundTexts
    files: Mapping[int, int]
    names: Names


class OverlayBuilder:
    """Makes overlays of one revision. The caller holds the lock of the index: names are interned for all."""

    def __init__(
        self, root: Root, catalogue: Catalogue, records: Records, projects: Sequence[ProjectInfo]
    ) -> None:
        self._root = root
        self._catalogue = catalogue
        self._records = records
        self._projects = tuple(projects)
        self._read: dict[tuple[str, frozenset[str]], FileRecord] = {}

    def build(
        self,
        changed: Mapping[str, OverlayText],
        sight: ProjectVisibility,
        inferred: Deduced,
        lock: AbstractContextManager[object],
    ) -> Overlay:
        """`changed`: by the path of today, or of a new file."""
        catalogue = self._catalogue.detached()
        pinned: dict[int, tuple[FileRecord, bytes]] = {}
        files: dict[int, int] = {}
        for unit, old in self._catalogue.units.items():
            for path, each in changed.items():
                if unit[1] != (each.like or path):
                    continue
                record = self._record(each, unit[0])
                if not each.like:
                    catalogue.remove(*unit)
                new = self._add(catalogue, old, each, record)
                pinned[new] = record, source_text(each.path, each.text)
                if not each.like:
                    files[old] = new
        records = PinnedRecords(self._records.over(catalogue), pinned)
        names = Names(catalogue, records, sight, inferred)
        facts = FileFacts(FileBinder(catalogue, records, names, self._projects))
        texts = BoundTexts(self._root, catalogue, records, self._projects, facts, lock)
        return Overlay(texts, files, names)

    def _record(self, changed: OverlayText, project: int) -> FileRecord:
        symbols = self._projects[project].symbols(changed.path)
        key = changed.path, symbols
        if key not in self._read:
            self._read[key] = read_source_file(changed.path, changed.text, symbols)
        return self._read[key]

    def _add(self, catalogue: Catalogue, old: int, changed: OverlayText, record: FileRecord) -> int:
        rows = file_rows(record)
        entry = msgspec.structs.replace(
            self._catalogue.file(old),
            path=changed.path,
            size=len(changed.text),
            quality=rows.quality,
            line_count=rows.line_count,
            rows=(0, 0),
        )
        return catalogue.add(entry, rows)


class PinnedRecords(Records):
    """Records of which some are of texts that are not on disk."""

    def __init__(self, records: Records, pinned: Mapping[int, tuple[FileRecord, bytes]]) -> None:
        """Records like `records`, which may have pinned files of their own, except for the files in `pinned`."""
        before = records.pinned if isinstance(records, PinnedRecords) else {}
        self.__dict__.update(records.__dict__)
        self.pinned = {**before, **pinned}

    def given(self, file: int) -> bytes | None:
        """The text of a file that is not on disk."""
        found = self.pinned.get(file)
        return found[1] if found is not None else None

    def record(self, file: int) -> FileRecord | None:
        """Implement Records.record."""
        found = self.pinned.get(file)
        return found[0] if found is not None else super().record(file)

    def file_hash(self, file: int) -> bytes | None:
        """Implement Records.file_hash."""
        found = self.pinned.get(file)
        return found[0].file_hash if found is not None else super().file_hash(file)

    def once(self, file: int) -> tuple[FileRecord, bytes] | None:
        """Implement Records.once."""
        return self.pinned.get(file) or super().once(file)

    def declaration(self, file: int, at: int) -> Declaration | None:
        """Implement Records.declaration."""
        found = self.pinned.get(file)
        if found is None:
            return super().declaration(file, at)
        return found[0].every[at] if at < len(found[0].every) else None

    def text(self, file: int) -> bytes | None:
        """Implement Records.text."""
        found = self.pinned.get(file)
        return found[1] if found is not None else super().text(file)
