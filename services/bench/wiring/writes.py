"""Construction of the writing services: locks and history, edits by name, hunks, proposals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from services.source.journal.database import FILE as JOURNAL

if TYPE_CHECKING:
    from services.bench.bench import Bench
    from services.bench.edits.batches import Batches
    from services.bench.edits.hunk_edits import HunkEdits
    from services.bench.edits.pasting import Pasting
    from services.bench.edits.patching import Patching
    from services.bench.edits.proposals import Proposals
    from services.bench.edits.refactoring import Refactoring
    from services.bench.edits.writing import Writing
    from services.source.write.writer import Writer


def writer(bench: Bench) -> Writer:
    """Locks, writes and their history, by file."""
    from services.source.journal.actor import actor
    from services.source.read.known_lines import CacheMemory
    from services.source.write.writer import Writer, WriterOptions

    made = Writer(
        bench.files,
        bench.state.path(JOURNAL),
        memory=CacheMemory(bench.reader.cache, user=actor().user, reads=bench.read_log),
        settings=bench.settings.cache,
        options=WriterOptions(lasting=bench.opening.lasting, ensure=bench.state.ensure),
    )
    bench.closing.callback(made.close)
    return made


def writing(bench: Bench) -> Writing:
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


def patching(bench: Bench) -> Patching:
    """Edits of one piece of source, until they are applied."""
    from services.bench.edits.patching import Patching

    return Patching(bench.state, bench.reader, bench.writing)


def hunk_edits(bench: Bench) -> HunkEdits:
    """Hunks staged, unstaged and discarded."""
    from services.bench.edits.hunk_edits import HunkEdits

    return HunkEdits(bench.files, bench.changes, bench.reader, bench.writing)


def refactoring(bench: Bench) -> Refactoring:
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


def batches(bench: Bench) -> Batches:
    """Batches of structured edits."""
    from services.bench.edits.batches import Batches

    return Batches(bench.state, bench.refactoring)


def proposals(bench: Bench) -> Proposals:
    """Create the store of proposals."""
    from services.bench.edits.proposals import Proposals

    return Proposals(bench.state)


def pasting(bench: Bench) -> Pasting:
    """Answers pasted back."""
    from services.bench.edits.pasting import PasteServices, Pasting

    services = PasteServices(bench.state, masker=bench.vault.masker, locks=bench.writer.locks)
    return Pasting(bench.files, bench.writing, services)
