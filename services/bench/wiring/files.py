"""Construction of the services that read and write: sources, symbols, relations, exports, locks, edits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from services.source.journal.database import FILE as JOURNAL

if TYPE_CHECKING:
    from collections.abc import Callable

    from services.adt.client import AdtClient
    from services.adt.objects import AdtObjects
    from services.adt.values import AdtSystem
    from services.bench.edits.hunk_edits import HunkEdits, Stashes
    from services.bench.edits.pasting import Pasting
    from services.bench.edits.patching import Patching
    from services.bench.edits.proposals import Proposals
    from services.bench.edits.refactoring import Batches, Refactoring
    from services.bench.edits.writing import Writing
    from services.bench.exports import Exports
    from services.bench.items.window_items import WindowItems
    from services.bench.queries.hierarchy import Hierarchy
    from services.bench.queries.lookup import Lookup
    from services.bench.queries.outlines import Outlines
    from services.bench.queries.pictures import Pictures
    from services.bench.queries.places import FilePlaces
    from services.bench.queries.sources import Sources
    from services.bench.queries.usages import Usages
    from services.bench.services import Services
    from services.source.diffs.changes import ChangeSets
    from services.source.read.known_lines import ReadLog
    from services.source.read.reader import SourceReader
    from services.source.write.writer import Writer


def writer(bench: Services) -> Writer:
    """Locks, writes and their history, by file."""
    from services.bench.wiring.teams import team_leases
    from services.source.journal.actor import actor
    from services.source.read.known_lines import CacheMemory
    from services.source.write.writer import Writer, WriterOptions

    made = Writer(
        bench.files,
        bench.state.path(JOURNAL),
        memory=CacheMemory(bench.reader.cache, user=actor().user, reads=bench.read_log),
        settings=bench.settings.cache,
        options=WriterOptions(lasting=bench.lasting, ensure=bench.state.ensure, shared=team_leases(bench)),
    )
    bench.closing.callback(made.close, locks=bench.host is None or not bench.lasting)
    return made


def writing(bench: Services) -> Writing:
    """Locks and writes by what people write."""
    from services.bench.edits.writing import Writing

    return Writing(
        bench.files,
        bench.writer,
        reader=bench.reader,
        sources=bench.sources,
        measures=bench.measures,
        staging=lambda: bench.hunk_edits.staging,
    )


def patching(bench: Services) -> Patching:
    """Edits of one piece of source, until they are applied."""
    from services.bench.edits.patching import Patching

    return Patching(bench.state, bench.reader, bench.writing)


def hunk_edits(bench: Services) -> HunkEdits:
    """Hunks staged, unstaged and discarded."""
    from services.bench.edits.hunk_edits import HunkEdits

    return HunkEdits(bench.files, bench.changes, bench.reader, bench.writing)


def stashes(bench: Services) -> Stashes:
    """Changes put aside, and put back."""
    from services.bench.edits.hunk_edits import Stashes

    return Stashes(bench.files, bench.changes, bench.hunk_edits.staging, bench.writing)


def refactoring(bench: Services) -> Refactoring:
    """Structured edits, checked against the index."""
    from services.bench.edits.refactoring import Refactoring

    return Refactoring(
        bench.files,
        bench.index.facade,
        bench.lookup,
        bench.writing,
        settings=bench.settings.edits,
        refresh=bench.index.refresh,
    )


def batches(bench: Services) -> Batches:
    """Batches of structured edits."""
    from services.bench.edits.refactoring import Batches

    return Batches(bench.state, bench.refactoring)


def proposals(bench: Services) -> Proposals:
    """Create the store of proposals."""
    from services.bench.edits.proposals import Proposals

    return Proposals(bench.state)


def pasting(bench: Services) -> Pasting:
    """Answers pasted back."""
    from services.bench.edits.pasting import PasteServices, Pasting

    services = PasteServices(bench.state, masker=bench.vault.masker, locks=bench.writer.locks)
    return Pasting(bench.files, bench.writing, services)


def read_log(bench: Services) -> ReadLog:
    """Create the log of the versions that were read."""
    from services.source.read.known_lines import FILE, ReadLog

    reads = ReadLog(bench.state.path(FILE))
    bench.closing.callback(reads.close)
    return reads


def reader(bench: Services) -> SourceReader:
    """Lines of files, and which of them were read under which token."""
    from services.source.read.known_lines import Authors
    from services.source.read.reader import SourceReader

    authors = Authors(bench.state.path(JOURNAL))
    return SourceReader(bench.files, bench.settings.cache, reads=bench.read_log, authors=authors)


def sources(bench: Services) -> Sources:
    """Source text by what people write: read, searched, described, coloured."""
    from services.bench.queries.sources import Sources

    return Sources(
        bench.files,
        bench.index.facade,
        bench.reader,
        lookup=bench.lookup,
        settings=bench.settings.cache,
        measures=bench.measures,
        hide=lambda: bench.vault.masker().pieces,
    )


def places(bench: Services) -> FilePlaces:
    """Create the service for locations in files."""
    from services.bench.queries.places import FilePlaces

    bench.index.know_packages()
    return FilePlaces(bench.files, bench.index.facade, refresh=bench.index.refresh, named=bench.lookup.named)


def changes(bench: Services) -> ChangeSets:
    """Create the service for differences from a commit."""
    from services.source.diffs.changes import ChangeSets

    return ChangeSets(bench.files)


def content(bench: Services) -> WindowItems:
    """Create the renderers of the window's items."""
    from services.bench.items.window_items import WindowItems

    return WindowItems(bench.index.facade, bench.files, bench.reader, bench.outline_notes)


def lookup(bench: Services) -> Lookup:
    """Symbols by path, by id, or by a place in a file."""
    from services.bench.queries.lookup import Lookup

    return Lookup(
        bench.files,
        bench.index.facade,
        bench.content,
        bench.reader,
        measures=bench.measures,
        refresh=bench.index.refresh,
    )


def outlines(bench: Services) -> Outlines:
    """Outlines of types and members, and what they cost."""
    from services.bench.queries.outlines import Outlines

    return Outlines(
        bench.index.facade,
        bench.content,
        bench.lookup,
        counter=bench.counter,
        measures=bench.measures,
        patience=bench.index.patience,
        relate=bench.index.relate,
    )


def usages(bench: Services) -> Usages:
    """Create the usage search."""
    from services.bench.queries.usages import KeptUsages, Usages

    bench.index.know_packages()
    # A process that stays has read the bodies, and finds them faster than an answer is read.
    kept = None if bench.lasting else KeptUsages(bench.index.facade, bench.state)
    return Usages(bench.index.facade, bench.lookup, measures=bench.measures, kept=kept)


def hierarchy(bench: Services) -> Hierarchy:
    """Create the hierarchy service."""
    from services.bench.queries.hierarchy import Hierarchy

    bench.index.know_packages()
    return Hierarchy(bench.index.facade, bench.lookup, relate=bench.index.relate)


def pictures(bench: Services) -> Pictures:
    """How types hang together."""
    from services.bench.queries.pictures import Pictures

    return Pictures(
        bench.index.facade,
        bench.lookup,
        window=lambda: bench.advice.shown_types(),  # noqa: PLW0108 - made after pictures
        counter=bench.counter,
        relate=bench.index.relate_whole,
    )


def exports(bench: Services) -> Exports:
    """Files for readers without an index."""
    from services.bench.exports import Exports

    made = Exports(
        bench.index.facade,
        bench.state,
        bench.content,
        lookup=bench.lookup,
        packs=bench.packs,
        measures=bench.measures,
        note_states=lambda ids: bench.notes.states(ids),  # noqa: PLW0108 - made when needed
        mask=bench.masked,
        recorder=bench.recorder,
    )
    bench.closing.callback(made.close)
    return made


def systems(bench: Services) -> AdtObjects:
    """Objects of the SAP systems of the settings."""
    from services.adt.client import AdtClient
    from services.adt.objects import AdtObjects
    from services.adt.values import systems_of
    from services.llm.profiles import key_of

    def opener(system: AdtSystem) -> Callable[[], AdtClient]:
        return lambda: AdtClient(system, lambda: key_of(system.password))

    def known() -> dict[str, Callable[[], AdtClient]]:
        found = systems_of(dict(bench.settings.adt.systems))
        return {name: opener(system) for name, system in found.items()}

    made = AdtObjects(known)
    bench.closing.callback(made.places.close)
    return made
