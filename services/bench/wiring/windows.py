"""The prompt window: models and budgets, what is in it, what it lacks, and how it is handed over."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from services.errors import CodeCortexError

if TYPE_CHECKING:
    from services.bench.items.window_items import WindowItems
    from services.bench.services import Services
    from services.bench.window.advice import Advice
    from services.bench.window.context import ContextFinder
    from services.bench.window.copying import Copying
    from services.bench.window.curation import Curation, WindowServices
    from services.bench.window.investigation import Investigation
    from services.bench.window.models import Models
    from services.bench.window.packs import Packs
    from services.bench.window.restoring import Presets, WindowUndo
    from services.prompt.render.ladder import WindowOptions
    from services.prompt.tokens.counter_process import CounterProcess
    from services.prompt.tokens.tokenizers import BaseCounter
    from services.prompt.vault import Vault


def models(bench: Services) -> Models:
    """Models and budgets; the one chosen for the workspace is in use."""
    from services.bench.window.models import Models

    def render(options: WindowOptions) -> None:
        if (window := type(bench).window.peek(bench)) is not None:
            window.unchecked.use(options)

    return Models(bench.settings.window, _base_counter(bench), bench.state, changed=render)


def _base_counter(bench: Services) -> BaseCounter:
    from services.prompt.tokens.tokenizers import EncodingCounter

    if bench.helper:
        return (bench.host or bench).counter_process
    if bench.lasting:
        return EncodingCounter()
    from services.prompt.tokens.tokenizers import KeptCounts

    if bench.host is None:
        return KeptCounts(EncodingCounter())
    # A tokenizer takes 80 MB: what stays has it in a process that ends, and builds its own where that fails.
    return KeptCounts(bench.host.counter_process, spare=EncodingCounter())


def counter_process(bench: Services) -> CounterProcess:
    """The process that counts where this one is not to."""
    from services.prompt.tokens.counter_process import CounterProcess

    made = CounterProcess()
    bench.closing.callback(made.close)
    return made


def vault(bench: Services) -> Vault:
    """Which secrets are let through; all others are masked on every way out."""
    from services.prompt.vault import Vault

    return Vault(bench.state)


def window_services(bench: Services) -> WindowServices:
    """Create the services that the window consists of."""
    from services.bench.window.curation import WindowServices

    return WindowServices(
        root=bench.files,
        state=bench.state,
        vault=bench.vault,
        index=bench.index.facade,
        reader=bench.reader,
        grep=lambda grep, path: bench.sources.grep(grep, path),  # noqa: PLW0108 - made when needed
        content=bench.content,
        usage=bench.usage,
        measures=bench.measures,
        find=bench.lookup.sure,
        refresh=bench.index.refresh,
        relate=bench.index.relate_for_window,
    )


def window(bench: Services) -> Curation:
    """The prompt window with everything that can be done to it."""
    from services.bench.items.system_items import SystemItems
    from services.bench.window.curation import Curation

    systems = SystemItems(lambda: bench.systems)
    made = Curation(bench.window_services, options=bench.models.options(), systems=systems)
    bench.packs.join(made)
    _show_notes(bench, made.content)
    bench.closing.callback(made.unchecked.close)
    return made


def _show_notes(bench: Services, content: WindowItems) -> None:
    """Have the window show semantic notes and conclusions."""
    from services.bench.items.note_items import ConclusionItems, NoteItems

    notes = NoteItems(
        bench.index.facade,
        bench.written_notes,
        content,
        note=lambda id_: bench.notes.get(id_),  # noqa: PLW0108 - made when needed
    )
    found = ConclusionItems(bench.conclusions, lambda path: bench.inquiries.file(path))  # noqa: PLW0108
    content.add_kind("semantic", version=notes.version, renderer=notes.render, files=notes.files)
    content.add_kind("conclusion", version=found.version, renderer=found.render, files=found.files)


def packs(bench: Services) -> Packs:
    """Create the store of packs."""
    from services.bench.window.packs import Packs

    return Packs(
        bench.index.facade,
        bench.state,
        counter=bench.counter,
        relate=bench.index.relate,
        mask=bench.masked,
        recorder=bench.recorder,
        changed=lambda: bench.exports.list_packs(),  # noqa: PLW0108 - packs are made before exports
        notes=bench.outline_notes.growing if bench.outline_notes is not None else lambda _: (),
    )


def advice(bench: Services) -> Advice:
    """Create the advice on missing and superfluous items."""
    from services.bench.window.advice import Advice

    return Advice(
        bench.window_services, bench.window, bench.packs, context=bench.context, relate=bench.index.relate
    )


def context(bench: Services) -> ContextFinder:
    """Create the context search."""
    from services.bench.window.context import ContextFinder
    from services.context.ground_cache import CorpusCache

    return ContextFinder(
        bench.index.facade,
        CorpusCache(bench.index.facade, bench.state, bench.root),
        find=bench.lookup.sure,
        costs=bench.window.unchecked.costs,
        stamp=lambda: bench.counter().name,
        usage=bench.usage,
        measures=bench.measures,
        relate=bench.index.relate_whole,
    )


def investigation(bench: Services) -> Investigation:
    """Questions answered without a model."""
    from services.bench.window.investigation import Investigation

    return Investigation(
        bench.index.facade,
        bench.context,
        grep=bench.sources.grep,
        pin=bench.window.pin_offered,
        state=bench.state,
    )


def copying(bench: Services) -> Copying:
    """The window handed over."""
    from services.bench.window.copying import Copying, CopyOrigin
    from services.prompt.templates import folder_tree
    from services.workspace.scan.git import revision

    source = CopyOrigin(
        bench.name,
        revision=lambda: revision(bench.root),
        tree=lambda held, most: folder_tree(
            {file.path for file in bench.index.facade.catalogue.live_files()}, held=held, most=most
        ),
        picture=lambda: bench.pictures.picture().text,
    )

    def contents(path: str) -> bytes | None:
        with suppress(CodeCortexError):
            return bench.files.read(path)[0]
        return None

    return Copying(bench.window, bench.models, bench.state, source, contents=contents)


def presets(bench: Services) -> Presets:
    """Create the store of presets."""
    from services.bench.window.restoring import Presets

    return Presets(bench.window, bench.state)


def undo(bench: Services) -> WindowUndo:
    """Create undo and redo of the window."""
    from services.bench.window.restoring import WindowUndo

    return WindowUndo(bench.window)
