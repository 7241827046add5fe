"""What there is over a workspace beside its index, each part made when it is first asked for: most commands need few of
them, and a start that waits for none is a quick one.

The files of a workspace: read, looked up, written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from services.bench.indexed import Indexed, Opening
from services.bench.sync.sharing import WrittenByOthers
from services.bench.sync.topics import WINDOW
from services.concurrency.lazy import made, once
from services.source.journal.database import FILE as JOURNAL
from services.workspace.files.root import Root

if TYPE_CHECKING:
    from services.bench.edits.patching import Patching
    from services.bench.edits.proposals import Proposals
    from services.bench.edits.writing import Writing
    from services.bench.exports import Exports
    from services.bench.items.content import Content
    from services.bench.queries.lookup import Lookup
    from services.bench.queries.outlines import Outlines
    from services.bench.queries.places import Places
    from services.bench.queries.sources import Sources
    from services.bench.sync.kept_index import KeptIndex
    from services.bench.window.advice import Advice
    from services.bench.window.copying import Copying
    from services.bench.window.curation import Curation, Ground
    from services.bench.window.models import Choices, Models
    from services.bench.window.packs import Packs
    from services.bench.window.presets import Presets
    from services.bench.window.undo import WindowUndo
    from services.index.resolve.resolve import Found
    from services.prompt.tokens.counter_process import CounterProcess
    from services.prompt.tokens.tokenizers import BaseCounter, TokenCounter
    from services.source.diffs.changes import Changes
    from services.source.grep.hiding import Hide
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
        from services.source.read.reader import Reader
        from services.source.read.reads import Authors

        authors = Authors(self._state.path(JOURNAL))
        return Reader(self._root, self.settings.cache, reads=self._reads, authors=authors)

    @property
    @once
    def _sources(self) -> Sources:
        from services.bench.queries.sources import Finding, Sources

        return Sources(
            self._root,
            self._index,
            self._reader,
            find=Finding(self._find, self._find_surely),
            settings=self.settings.cache,
            hide=self._hidden,
        )

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
            measures=self.measures,
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

    def _hidden(self) -> Hide:
        """What of a file's text no agent's grep may match now: nothing where there is no window."""
        return lambda _: ()

    def _find(self, path: str) -> Found:
        """What `sources` looks symbols up with: it is made before the lookup, which asks it for files."""
        return self._lookup.source(path)

    def _find_surely(self, path: str) -> Found:
        """The same, never by a guess."""
        return self._lookup.sure_source(path)

    @property
    @once
    def places(self) -> Places:
        """Places in files."""
        from services.bench.queries.places import Places

        return Places(self._root, self._index, refresh=self.refresh, named=self._lookup.named)


class Parts(Filed):
    """All services over one workspace. Thread-safe: whoever asks, a part is made once."""

    def __init__(self, root: Root, opening: Opening) -> None:
        super().__init__(root, opening)
        self._sharing.topics.subscribe(self._follow_choice)
        self._sharing.aside.subscribe(WrittenByOthers(lambda: self.writing, self._sharing.bring).hear)

    def close(self) -> None:
        """Keeps what is kept and lets go of everything else."""
        self._sharing.close()
        if (kept_index := made(self, Parts._kept_index)) is not None:
            kept_index.close()
        if (exports := made(self, Parts._exports)) is not None:
            exports.close()
        if (curation := made(self, Parts.curation)) is not None:
            curation.kept.close()
        if (helper := made(self, Parts._helper)) is not None:
            helper.close()
        if (writing := made(self, Parts.writing)) is not None:
            writing.close()
        if (reads := made(self, Parts._reads)) is not None:
            reads.close()
        self._usage.close()
        self.measures.close()
        self._index.close()
        self._state.close()
        self._root.close()

    # Symbols

    @property
    @once
    def _outlines(self) -> Outlines:
        from services.bench.queries.outlines import Outlines

        return Outlines(
            self._index,
            self._content,
            self._lookup,
            counter=lambda: self._counter,
            measures=self.measures,
            patience=self._patience,
            relate=self.relate,
        )

    @property
    @once
    def _kept_index(self) -> KeptIndex:
        from services.bench.sync.kept_index import KeptIndex

        return KeptIndex(self._index, leads=self._leads)

    @property
    @once
    def _exports(self) -> Exports:
        from services.bench.exports import Exports

        return Exports(self._index, self._state, self._content, packs=self.packs)

    # Models

    @property
    @once
    def _helper(self) -> CounterProcess:
        """The process that counts where this one is not to."""
        from services.prompt.tokens.counter_process import CounterProcess

        return CounterProcess()

    @property
    def _base(self) -> BaseCounter:
        from services.prompt.tokens.tokenizers import EncodingCounter

        return EncodingCounter() if self._opening.in_process else self._helper

    @property
    @once
    def models(self) -> Models:
        """Models and budgets; the one chosen for the workspace is in use."""
        from services.bench.window.models import Models

        models = Models(self.settings.window, self._base)
        models.choose(*self._choices.read())
        return models

    @property
    def _choices(self) -> Choices:
        from services.bench.window.models import Choices

        return Choices(self._state, self.settings.window)

    @property
    def _counter(self) -> TokenCounter:
        return self.models.options().counter

    def _follow_choice(self, topics: frozenset[str]) -> None:
        """Somebody in another process may have chosen."""
        if WINDOW in topics and made(self, Parts.models) is not None:
            self.models.choose(*self._choices.read())
            self._use_model()

    def _use_model(self) -> None:
        if (curation := made(self, Parts.curation)) is not None:
            curation.use(self.models.options())

    # Prompt window

    @property
    @once
    def _ground(self) -> Ground:
        from services.bench.window.curation import Ground

        return Ground(
            root=self._root,
            state=self._state,
            index=self._index,
            reader=self._reader,
            sources=self._sources,
            content=self._content,
            usage=self._usage,
            measures=self.measures,
            find=self._lookup.sure,
            refresh=self.refresh,
            relate=self._relate_for_window,
        )

    @property
    @once
    def curation(self) -> Curation:
        """The prompt window with everything that can be done to it."""
        from services.bench.window.curation import Curation

        curation = Curation(self._ground, options=self.models.options())
        self.packs.join(curation)
        return curation

    def _hidden(self) -> Hide:
        return self.curation.kept.vault.masker().pieces

    @property
    @once
    def packs(self) -> Packs:
        """Sets of types kept under a name."""
        from services.bench.window.packs import Packs

        return Packs(
            self._index,
            self._state,
            counter=lambda: self._counter,
            relate=self.relate,
            changed=lambda: self._exports.list_packs(),  # noqa: PLW0108 - packs are made before exports
        )

    @property
    @once
    def advice(self) -> Advice:
        """What the window lacks, and could do without."""
        from services.bench.window.advice import Advice

        return Advice(self._ground, self.curation, self.packs, relate=self.relate)

    @property
    @once
    def copying(self) -> Copying:
        """The window handed over."""
        from services.bench.window.copying import Copying, Source
        from services.prompt.templates.tree import folder_tree
        from services.workspace.scan.git import revision

        source = Source(
            self.name,
            revision=lambda: revision(self._root.path),
            tree=lambda: folder_tree({file.path for file in self._index.catalogue.live_files()}),
        )
        return Copying(self.curation, self.models, self._state, source)

    @property
    @once
    def presets(self) -> Presets:
        """Windows kept under a name."""
        from services.bench.window.presets import Presets

        return Presets(self.curation, self._state)

    @property
    @once
    def undo(self) -> WindowUndo:
        """What was done to the window here, to be taken back."""
        from services.bench.window.undo import WindowUndo

        return WindowUndo(self.curation)
