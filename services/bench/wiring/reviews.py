"""Reviews of change sets, and those that an agent does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from services.errors import CodeCortexError
from services.source.journal.actor import actor, agent

if TYPE_CHECKING:
    from services.agents.workflow import CheckedOut, Workflows
    from services.bench.queries.outlines import Outlines
    from services.bench.services import Services
    from services.bench.window.context import ContextFinder
    from services.review.agent import ReviewAgent
    from services.review.examining import Examiner
    from services.review.reviewing import Reviewing
    from services.semantic.notes import Notes

_MOST_NEEDED = 20
"""Types that a pack shows beside what the change touches and what uses that."""


def review(bench: Services) -> Reviewing:
    """Reviews of change sets."""
    from services.review.reviewing import Reviewing, ReviewServices
    from services.review.sources.opening import ChangeSources
    from services.review.store import Reviews

    ground = ReviewServices(
        examiner=lambda: _examiner(bench),
        sources=ChangeSources(bench.files, bench.changes, bench.settings.review, state=bench.state),
        store=Reviews(bench.state),
        mask=bench.masked,
        count=lambda text: bench.counter().count(text),
        is_approximate=lambda: not bench.counter().exact,
        by=_acting,
    )
    return Reviewing(ground)


def review_agent(bench: Services) -> ReviewAgent:
    """Reviews done as operations that last."""
    from services.review.agent import ReviewAgent

    return ReviewAgent(
        lambda: bench.review,
        lambda: bench.ops,
        lambda: bench.asking.model(),  # noqa: PLW0108 - made when needed
        ready=bench.index.refresh,
    )


def workflows(bench: Services) -> Workflows:
    """Workflows of agents."""
    from services.agents.workflow import Workflows

    return Workflows(
        lambda: bench.ops,
        bench.acting_tools,
        lambda: bench.asking.model(),  # noqa: PLW0108 - made when needed
        settings=lambda: bench.settings.workflow,
        checked_out=lambda change: _checked_out(bench, change),
    )


def _checked_out(bench: Services, change: str) -> CheckedOut:
    """A commit, and whether the working tree is it."""
    from services.agents.workflow import CheckedOut

    commit = bench.review.open(change).set.new
    here = bench.review.open("HEAD").set.new
    changed = [each for each in bench.review.open("").set.files if each.status != "untracked"]
    return CheckedOut(commit, commit == here, not changed)


def _examiner(bench: Services) -> Examiner:
    from services.review.examining import Examiner
    from services.review.states import States, StateSources

    workspace = StateSources(
        bench.files,
        bench.state,
        bench.changes,
        settings=bench.settings.index,
        start=bench.start,
        index=bench.index.facade,
    )
    states = States(workspace)
    bench.closing.callback(states.close)
    return Examiner(
        states,
        ready=lambda cancel: bench.index.relate(cancel=cancel),
        note=lambda id_: _note_of(bench.notes, id_),
        needed=lambda ids, words: _needed(bench.context, bench.outlines, ids, words),
    )


def _note_of(notes: Notes, type_id: str) -> str:
    """Return the stored note on a type, and whether it may be outdated; empty where there is none."""
    try:
        found = notes.get(type_id)
    except CodeCortexError:  # a type of another state than the disk's
        return ""
    if found.is_static:
        return ""
    stale = f"(It may no longer hold: {' '.join(found.reasons)})\n" if found.reasons else ""
    fields = found.fields
    told = {"ROLE": fields.role, "LIMITATIONS": fields.limitations, "EDGE_CASES": fields.edge_cases}
    return f"{found.fqn}\n{stale}" + "\n".join(f"{name}: {text}" for name, text in told.items())


def _needed(
    context: ContextFinder, outlines: Outlines, ids: Sequence[str], words: str
) -> Iterator[tuple[str, str]]:
    """Yield the outlines of what FindContext ranks for these types."""
    from services.bench.window.context import ContextRequest

    try:
        items = context.find(
            ContextRequest(words=words, given=dict.fromkeys(ids, 1.0), most=_MOST_NEEDED)
        ).items
    except CodeCortexError as error:
        if error.code == "Cancelled":
            raise
        return
    for item in items:
        with suppress(CodeCortexError):  # of another state than the disk's
            text = outlines.outline(item.symbol.id).text
            yield f"Likely needed: {item.symbol.path} ({', '.join(item.reasons[:2])})", text


def _acting() -> tuple[str, str]:
    found = agent()
    return (found.user, "agent") if found is not None else (actor().user, "person")
