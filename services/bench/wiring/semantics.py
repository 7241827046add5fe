"""Notes on types, conclusions, what makes them with a model, and operations that last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from services.measures import NOTES
from services.ops import DATABASE as OPERATIONS
from services.settings import SemanticSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    from services.bench.ask.inquiries import Inquiries
    from services.bench.bench import Bench
    from services.bench.notes.noted_types import NotedTypes
    from services.bench.notes.outline_notes import OutlineNotes
    from services.llm.port import ChatModel
    from services.ops.ops import Ops
    from services.semantic.conclusions import ConclusionStore
    from services.semantic.generation import Generation
    from services.semantic.investigator import Investigator
    from services.semantic.notes import Notes, Queued

_LEFT_LYING = 5.0
"""Seconds in which the leader would have begun what it can do."""


def written_notes(bench: Bench) -> OutlineNotes:
    """Create the source of stored notes, which does not wait for dependencies."""
    from services.bench.notes.outline_notes import OutlineNotes

    invalidates = bench.settings.semantic.doc_invalidates
    return OutlineNotes(bench.state, bench.index.facade, bench.known_types, doc_invalidates=invalidates)


def known_types(bench: Bench) -> NotedTypes:
    """Types as they are known, without waiting until dependencies are worked out."""
    return _types(bench, relate=lambda: None)


def noted_types(bench: Bench) -> NotedTypes:
    """Types with what depends on them."""
    return _types(bench, relate=bench.index.relate)


def _types(bench: Bench, *, relate: Callable[[], object]) -> NotedTypes:
    from services.bench.notes.noted_types import NotedTypes

    return NotedTypes(
        bench.index.facade,
        bench.reader,
        relate=relate,
        masker=lambda: bench.vault.masker(),  # noqa: PLW0108 - made when it is asked for
    )


def queued(bench: Bench, group: tuple[str, ...]) -> Queued | None:
    """Return the queued note of a group of types."""
    return bench.generation.queued(group) if bench.state.path(OPERATIONS).exists() else None


def notes(bench: Bench) -> Notes:
    """Create the service for notes."""
    from services.semantic.notes import Notes

    return Notes(
        bench.state,
        bench.noted_types,
        doc_invalidates=bench.settings.semantic.doc_invalidates,
        queued=lambda group: queued(bench, group),
        # Places of conclusions take restored packages: nobody waits for them where there are none.
        conclusions=lambda id_: (
            bench.inquiries.linked(found) if (found := bench.conclusions.about(id_)) else ()
        ),
    )


def generation(bench: Bench) -> Generation:
    """Notes by the model that is set up."""
    from services.semantic.generation import Generation, Quota

    settings = bench.settings.semantic
    return Generation(
        bench.notes,
        lambda: bench.ops,
        lambda: _model(bench),
        plan=bench.noted_types.plan,
        count=lambda text: bench.counter().count(text),
        quota=Quota(settings.tokens_per_day or None, settings.tokens_per_run or None),
        timed=lambda: bench.measures.timed(NOTES),
        ready=bench.index.refresh,
    )


def inquiries(bench: Bench) -> Inquiries:
    """Create the workspace access of investigations."""
    from services.bench.ask.inquiries import Inquiries
    from services.llm.tools.default import default_tools

    made = bench.opening.tools
    return Inquiries(
        lambda: bench.investigation,
        bench.lookup,
        lambda: bench.places,
        bench.reader,
        cited=lambda text: bench.asking.cited(text),  # noqa: PLW0108 - made when needed
        mask=bench.masked,
        files=lambda: bench.asking.files(),  # noqa: PLW0108
        tools=lambda name: made(bench, name) if made is not None else default_tools(bench.asking.files()),
    )


def conclusions(bench: Bench) -> ConclusionStore:
    """Create the store of investigations' conclusions."""
    from services.semantic.conclusions import ConclusionStore

    return ConclusionStore(bench.state, bench.known_types.current)


def investigator(bench: Bench) -> Investigator:
    """Questions answered by the model that is set up."""
    from services.semantic.investigator import Investigator, Limits

    return Investigator(
        bench.inquiries,
        lambda: bench.ops,
        lambda: _model(bench),
        store=bench.conclusions,
        limits=Limits(tokens=bench.settings.semantic.tokens_per_run or None),
        ready=bench.index.refresh,
    )


def ops(bench: Bench) -> Ops:
    """Operations that last."""
    from services.ops.ops import Ops
    from services.review.agent import KIND as REVIEW
    from services.semantic.generation import KIND as NOTE
    from services.semantic.investigator import KIND as INVESTIGATION

    handlers = {
        NOTE: lambda run: bench.generation.handle(run),  # noqa: PLW0108 - made when needed
        REVIEW: lambda run: bench.review_agent.handle(run),  # noqa: PLW0108
        INVESTIGATION: lambda run: bench.investigator.handle(run),  # noqa: PLW0108
    }
    made = Ops(bench.state, handlers, after=lambda asks_model: _begins_after(bench, asks_model=asks_model))
    bench.closing.callback(made.close)
    return made


def _begins_after(bench: Bench, *, asks_model: bool) -> float | None:
    """Return the delay of the queue's worker (SPEC section 9). The leader drains the queue; operations that need a
    model run in another process if only that has one."""
    if asks_model and not bench.asking.can_ask(_wanted_model(bench)):
        return None
    if bench.sharing.is_leader:
        return 0.0
    return _LEFT_LYING if asks_model else None


def _model(bench: Bench) -> tuple[str, ChatModel]:
    """Return the configured model with its name: with limits, usage record and masking of likely secrets. Raises
    NoModel."""
    name, _ = bench.asking.profiles().chosen(_wanted_model(bench))
    return name, bench.asking.model(name)


def _wanted_model(bench: Bench) -> str | None:
    wanted = bench.settings.semantic.model
    return None if wanted == SemanticSettings().model else wanted
