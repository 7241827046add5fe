"""The files of a workspace: read, looked up, written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from services.bench.indexed import Indexed, Opening
from services.concurrency.lazy import once
from services.source.journal.database import FILE as JOURNAL
from services.workspace.files.root import Root

if TYPE_CHECKING:
    from services.bench.edits.patching import Patching
    from services.bench.edits.proposals import Proposals
    from services.bench.edits.writing import Writing
    from services.bench.items.content import Content
    from services.bench.queries.lookup import Lookup
    from services.bench.queries.places import Places
    from services.bench.queries.sources import Sources
    from services.index.resolve.resolve import Found
    from services.source.diffs.changes import Changes
    from services.source.read.reader import Reader
    from services.source.read.reads import Reads


class Filed(Indexed):
    """What is made of files and symbols, each when it is first asked for."""

    def __init__(self, root: Root, opening: Opening) -> None:
        super().__init__(root, opening)
        if self._state.path(JOURNAL).exists():
            self.writing.recover()

    @property
    @once
    def _reads(self) -> Reads:
        from services.source.read.reads import FILE, Reads

        return Reads(self._state.path(FILE))

    @property
    @once
    def _reader(self) -> Reader:
        from services.source.read.authors import Authors
        from services.source.read.reader import Reader

        authors = Authors(self._state.path(JOURNAL))
        return Reader(self._root, self.settings.cache, reads=self._reads, authors=authors)

    @property
    @once
    def _sources(self) -> Sources:
        from services.bench.queries.sources import Sources

        return Sources(self._root, self._index, self._reader, find=self._find, settings=self.settings.cache)

    @property
    @once
    def writing(self) -> Writing:
        """Locks, writes and their history."""
        from services.bench.edits.writing import Writing

        return Writing(
            self._root,
            self._state.path(JOURNAL),
            ensure=self._state.ensure,
            reader=self._reader,
            sources=self._sources,
            settings=self.settings.cache,
            lasting=self._opening.lasting,
        )

    @property
    @once
    def patching(self) -> Patching:
        """Edits of one piece of source, until they are applied."""
        from services.bench.edits.patching import Patching

        return Patching(self._state, self._reader, self.writing)

    @property
    @once
    def proposals(self) -> Proposals:
        """What agents ask to be written."""
        from services.bench.edits.proposals import Proposals

        return Proposals(self._state)

    @property
    @once
    def changes(self) -> Changes:
        """What differs from a commit."""
        from services.source.diffs.changes import Changes

        return Changes(self._root)

    def names_file(self, name: str, version: str) -> bool:
        """Whether a file, or lines of one, is meant by what somebody wants to read: no index is needed for it. Raises
        PathRefused, WorkspaceError for what is there and may not be read."""
        return self._sources.names_file(name, version)

    # Symbols

    @property
    @once
    def _content(self) -> Content:
        from services.bench.items.content import Content

        return Content(self._index, self._root, self._reader)

    @property
    @once
    def _lookup(self) -> Lookup:
        from services.bench.queries.lookup import Lookup

        return Lookup(
            self._root,
            self._index,
            self._content,
            self._sources,
            measures=self.measures,
            refresh=self.refresh,
        )

    def _find(self, path: str) -> Found:
        """What `sources` looks symbols up with: it is made before the lookup, which asks it for files."""
        return self._lookup.source(path)

    @property
    @once
    def places(self) -> Places:
        """Places in files."""
        from services.bench.queries.places import Places

        return Places(self._root, self._index, refresh=self.refresh, named=self._lookup.named)
