"""Construction of the reading services: source text, symbols, relations, and exports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from services.source.journal.database import FILE as JOURNAL

if TYPE_CHECKING:
    from services.bench.bench import Bench
    from services.bench.exports import Exports
    from services.bench.items.window_items import WindowItems
    from services.bench.queries.hierarchy import Hierarchy
    from services.bench.queries.lookup import Lookup
    from services.bench.queries.outlines import Outlines
    from services.bench.queries.pictures import Pictures
    from services.bench.queries.places import Places
    from services.bench.queries.sources import Sources
    from services.bench.queries.usages import Usages
    from services.source.diffs.changes import Changes
    from services.source.read.read_log import ReadLog
    from services.source.read.reader import Reader


def read_log(bench: Bench) -> ReadLog:
    """Create the log of the versions that were read."""
    from services.source.read.read_log import FILE, ReadLog

    reads = ReadLog(bench.state.path(FILE))
    bench.closing.callback(reads.close)
    return reads


def reader(bench: Bench) -> Reader:
    """Lines of files, and which of them were read under which token."""
    from services.source.read.read_log import Authors
    from services.source.read.reader import Reader

    authors = Authors(bench.state.path(JOURNAL))
    return Reader(bench.files, bench.settings.cache, reads=bench.read_log, authors=authors)


def sources(bench: Bench) -> Sources:
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


def places(bench: Bench) -> Places:
    """Create the service for locations in files."""
    from services.bench.queries.places import Places

    bench.index.know_packages()
    return Places(bench.files, bench.index.facade, refresh=bench.index.refresh, named=bench.lookup.named)


def changes(bench: Bench) -> Changes:
    """Create the service for differences from a commit."""
    from services.source.diffs.changes import Changes

    return Changes(bench.files)


def content(bench: Bench) -> WindowItems:
    """Create the renderers of the window's items."""
    from services.bench.items.window_items import WindowItems

    return WindowItems(bench.index.facade, bench.files, bench.reader, bench.outline_notes)


def lookup(bench: Bench) -> Lookup:
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


def outlines(bench: Bench) -> Outlines:
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


def usages(bench: Bench) -> Usages:
    """Create the usage search."""
    from services.bench.queries.usages import Usages

    bench.index.know_packages()
    return Usages(bench.index.facade, bench.lookup, measures=bench.measures)


def hierarchy(bench: Bench) -> Hierarchy:
    """Create the hierarchy service."""
    from services.bench.queries.hierarchy import Hierarchy

    bench.index.know_packages()
    return Hierarchy(bench.index.facade, bench.lookup, relate=bench.index.relate)


def pictures(bench: Bench) -> Pictures:
    """How types hang together."""
    from services.bench.queries.pictures import Pictures

    return Pictures(
        bench.index.facade,
        bench.lookup,
        window=lambda: bench.advice.shown_types(),  # noqa: PLW0108 - made after pictures
        counter=bench.counter,
        relate=bench.index.relate_whole,
    )


def exports(bench: Bench) -> Exports:
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
