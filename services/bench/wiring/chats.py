"""Construction of the services that use models: chats, notes, conclusions, and lasting operations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from services.errors import CodeCortexError, UsageError
from services.measures import NOTES
from services.ops import DATABASE as OPERATIONS
from services.settings import SemanticSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    from services.bench.asking import Asking
    from services.bench.inquiries import Inquiries
    from services.bench.noted_types import NotedTypes, OutlineNotes
    from services.bench.services import Services
    from services.llm.client import ChatModel
    from services.llm.tool_files import ToolFiles
    from services.model.copies import Copy
    from services.ops.ops import OperationService
    from services.prompt.secrets.masking import KnownSecret, Masker
    from services.semantic.conclusions import ConclusionStore
    from services.semantic.generation import Generation
    from services.semantic.investigator import Investigator
    from services.semantic.notes import Notes, Queued


def asking(bench: Services) -> Asking:
    """Chats with models about the window, and what they may read and run."""
    from services.bench.asking import Asking, AskServices
    from services.llm.spending import spending_file
    from services.llm.tool_files import ToolFiles

    def files() -> ToolFiles:
        masker = bench.vault.masker()
        return ToolFiles(bench.files, masker, ignored=bench.settings.agents.ignored_files)

    def hide(text: str, of: list[str]) -> str:
        known = tuple(secret for file in of for secret in bench.content.known_in(file))
        masker = bench.vault.masker()
        return masker.text(_without_pieces(text, known, masker), known)

    def lines(path: str) -> int | None:
        try:
            return len(files().text(path).lines)
        except CodeCortexError:
            return None

    services = AskServices(
        state=bench.state,
        window=lambda question: _window(bench, question),
        mask=bench.masked,
        hide=hide,
        count=lambda model, text: bench.models.options(model or None).counter.count(text),
        lines=lines,
        symbol=lambda path: _symbol(bench, path),
        files=files,
        spending_file=spending_file(),
    )
    return Asking(services)


_BEFORE_LINE = re.compile(r"(?:[^\n:]{1,400}:)?(?:[0-9]+[:-])?")
_PIECE = 3


def _without_pieces(text: str, known: Sequence[KnownSecret], masker: Masker) -> str:
    """Remove lines that are a fragment of a secret, as `grep -o` and `head -c` print; a short one only next to
    others."""
    if not known:
        return text
    lines = text.split("\n")
    parted = [(before, line[len(before) :]) for line in lines for before in (_before_line(line),)]
    of = [_secret_of(piece.strip(), known) for _, piece in parted]
    for at, ((before, piece), secret) in enumerate(zip(parted, of, strict=True)):
        if secret is not None and (
            len(piece) >= _PIECE or any(of[max(0, at - 1) : at] + of[at + 1 : at + 2])
        ):
            lines[at] = before + masker.text(secret.value, (secret,)).partition("\n")[0]
    return "\n".join(lines)


def _before_line(line: str) -> str:
    match = _BEFORE_LINE.match(line)
    return match[0] if match is not None else ""


def _secret_of(piece: str, known: Sequence[KnownSecret]) -> KnownSecret | None:
    return next((each for each in known if piece in each.value), None) if piece else None


def _window(bench: Services, question: str) -> Copy | None:
    """The window as it would be copied for a question; None where nothing is in it."""
    from services.prompt.items import CopyRequest

    settings = bench.settings.window
    if bench.window.is_empty:
        return None
    try:
        return bench.copying.prepare(
            CopyRequest(form=settings.format, template=settings.template, task=question)
        )
    except UsageError:  # what is in it is only listed, and not copied
        return None


def _symbol(bench: Services, path: str) -> str | None:
    """The id of what a path surely names; empty where it names several things, or something of a framework."""
    from services.index.names.framework import load

    try:
        answer = bench.lookup.resolve(path)
    except CodeCortexError:
        return ""
    found = answer.resolved
    if found is not None and answer.how != "fuzzy":
        return found.member_id or found.type_id
    names = re.split(r"[<(]", path)[0].split(".")
    is_outside = any(name in load().names for name in names) or names[0] in load().namespaces
    return "" if is_outside or (answer.candidates and answer.how != "fuzzy") else None


_LEFT_LYING = 5.0
"""Seconds in which the leader would have begun what it can do."""


def written_notes(bench: Services) -> OutlineNotes:
    """Create the source of stored notes, which does not wait for dependencies."""
    from services.bench.noted_types import OutlineNotes

    invalidates = bench.settings.semantic.doc_invalidates
    return OutlineNotes(bench.state, bench.index.facade, bench.known_types, doc_invalidates=invalidates)


def known_types(bench: Services) -> NotedTypes:
    """Types as they are known, without waiting until dependencies are worked out."""
    return _types(bench, relate=lambda: None)


def noted_types(bench: Services) -> NotedTypes:
    """Types with what depends on them."""
    return _types(bench, relate=bench.index.relate)


def _types(bench: Services, *, relate: Callable[[], object]) -> NotedTypes:
    from services.bench.noted_types import NotedTypes

    return NotedTypes(
        bench.index.facade,
        bench.reader,
        relate=relate,
        masker=lambda: bench.vault.masker(),  # noqa: PLW0108 - made when it is asked for
    )


def queued(bench: Services, group: tuple[str, ...]) -> Queued | None:
    """Return the queued note of a group of types."""
    return bench.generation.queued(group) if bench.state.path(OPERATIONS).exists() else None


def notes(bench: Services) -> Notes:
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


def generation(bench: Services) -> Generation:
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


def inquiries(bench: Services) -> Inquiries:
    """Create the workspace access of investigations."""
    from services.bench.inquiries import Inquiries

    return Inquiries(
        lambda: bench.investigation,
        bench.lookup,
        lambda: bench.places,
        bench.reader,
        cited=lambda text: bench.asking.cited(text),  # noqa: PLW0108 - made when needed
        mask=bench.masked,
        files=lambda: bench.asking.files(),  # noqa: PLW0108
        tools=bench.reading_tools,
    )


def conclusions(bench: Services) -> ConclusionStore:
    """Create the store of investigations' conclusions."""
    from services.semantic.conclusions import ConclusionStore

    return ConclusionStore(bench.state, bench.known_types.current)


def investigator(bench: Services) -> Investigator:
    """Questions answered by the model that is set up."""
    from services.semantic.investigator import InvestigationLimits, Investigator

    return Investigator(
        bench.inquiries,
        lambda: bench.ops,
        lambda: _model(bench),
        store=bench.conclusions,
        limits=InvestigationLimits(tokens=bench.settings.semantic.tokens_per_run or None),
        ready=bench.index.refresh,
    )


def ops(bench: Services) -> OperationService:
    """Operations that last."""
    from services.bench.wiring.teams import team_jobs
    from services.ops.jobs import INVESTIGATIONS, NOTES, REVIEWS, WORKFLOWS
    from services.ops.ops import OperationService

    handlers = {
        NOTES: lambda run: bench.generation.handle(run),  # noqa: PLW0108 - made when needed
        REVIEWS: lambda run: bench.review_agent.handle(run),  # noqa: PLW0108
        INVESTIGATIONS: lambda run: bench.investigator.handle(run),  # noqa: PLW0108
        WORKFLOWS: lambda run: bench.workflows.handle(run),  # noqa: PLW0108
    }
    made = OperationService(
        bench.state,
        handlers,
        shared=team_jobs(bench),
        after=lambda asks_model: _begins_after(bench, asks_model=asks_model),
    )
    bench.closing.callback(made.close)
    return made


def _begins_after(bench: Services, *, asks_model: bool) -> float | None:
    """Return the delay of the queue's worker (SPEC section 9). The leader drains the queue; operations that need a
    model run in another process if only that has one. What a team shares is left to its workers, unless they leave it
    lying."""
    if asks_model and not bench.asking.can_ask(_wanted_model(bench)):
        return None
    if bench.team is not None:
        return 0.0 if bench.is_worker else _LEFT_LYING
    if bench.sharing.is_leader or bench.is_worker:
        return 0.0
    return _LEFT_LYING if asks_model else None


def _model(bench: Services) -> tuple[str, ChatModel]:
    """Return the configured model with its name: with limits, usage record and masking of likely secrets. Raises
    NoModel."""
    name, _ = bench.asking.profiles().chosen(_wanted_model(bench))
    return name, bench.asking.model(name)


def _wanted_model(bench: Services) -> str | None:
    wanted = bench.settings.semantic.model
    return None if wanted == SemanticSettings().model else wanted
