"""Adapters: the services of a workspace as chats and reviews take them."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from services.errors import CodeCortexError, UsageError
from services.review.records.store import Reviews
from services.review.reviewing import Reviewing, ReviewServices
from services.review.sources.opening import Sources
from services.settings import Settings
from services.source.diffs.changes import Changes
from services.source.journal.actor import actor, agent
from services.workspace.files.root import Root
from services.workspace.state import StateFolder

if TYPE_CHECKING:
    from services.bench.ask.asking import AskServices
    from services.bench.bench import Bench
    from services.bench.queries.outlines import Outlines
    from services.bench.window.context import ContextFinder
    from services.index.index import Index
    from services.llm.tools.files import ToolFiles
    from services.model.copies import Copy
    from services.prompt.secrets.masking import Masker
    from services.prompt.state.known_secrets import KnownSecret
    from services.prompt.tokens.tokenizers import TokenCounter
    from services.review.examining import Examiner
    from services.semantic.notes import Notes

_MOST_NEEDED = 20
"""Types that a pack shows beside what the change touches and what uses that."""


def reviewing(
    files: tuple[Root, StateFolder, Changes],
    index: Index,
    settings: Settings,
    *,
    start: str | None,
    closing: Callable[[Callable[[], object]], object],
    notes: Callable[[], Notes],
    relate: Callable[[threading.Event | None], object],
    masker: Callable[[], Masker],
    counter: Callable[[], TokenCounter],
    context: Callable[[], ContextFinder],
    outlines: Callable[[], Outlines],
) -> Reviewing:
    """The reviews of a workspace. `start`: the solution or project file that was named; `closing`: is told what to call
    on closing; `relate`: works out the names of the index; `masker`: of the workspace's secrets; `context`, `outlines`:
    find and show what a change needs."""
    root, state, changes = files

    def examiner() -> Examiner:
        from services.review.examining import Examiner
        from services.review.states import States, Workspace

        states = States(Workspace(root, state, changes, settings=settings.index, start=start, index=index))
        closing(states.close)
        return Examiner(
            states,
            ready=relate,
            note=lambda id_: _note_of(notes(), id_),
            needed=lambda ids, words: _needed(context(), outlines(), ids, words),
        )

    ground = ReviewServices(
        examiner=examiner,
        sources=Sources(root, changes, settings.review, state=state),
        store=Reviews(state),
        mask=lambda text: masker().text(text),
        count=lambda text: counter().count(text),
        is_approximate=lambda: not counter().exact,
        by=_acting,
    )
    return Reviewing(ground)


def _note_of(notes: Notes, type_id: str) -> str:
    """What somebody wrote on a type, and whether it may no longer hold; empty where nobody did."""
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
    """What FindContext ranks for these types, as outlines."""
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


def ask_services(bench: Bench, root: Root) -> AskServices:
    """That of a workspace, below its root."""
    from services.bench.ask.asking import AskServices
    from services.llm.chats.spending import spending_file
    from services.llm.tools.files import ToolFiles

    def files() -> ToolFiles:
        masker = bench.window.unchecked.vault.masker()
        return ToolFiles(root, masker, ignored=bench.settings.agents.ignored_files)

    def hide(text: str, of: list[str]) -> str:
        known = tuple(secret for file in of for secret in bench.window.content.known_in(file))
        masker = bench.window.unchecked.vault.masker()
        return masker.text(_without_pieces(text, known, masker), known)

    def lines(path: str) -> int | None:
        try:
            return len(files().text(path).lines)
        except CodeCortexError:
            return None

    return AskServices(
        state=bench.state,
        window=lambda question: _window(bench, question),
        mask=lambda text: bench.window.unchecked.vault.masker().text(text),
        hide=hide,
        count=lambda model, text: bench.models.options(model or None).counter.count(text),
        lines=lines,
        symbol=lambda path: _symbol(bench, path),
        files=files,
        spending_file=spending_file(),
    )


_BEFORE_LINE = re.compile(r"(?:[^\n:]{1,400}:)?(?:[0-9]+[:-])?")
_PIECE = 3


def _without_pieces(text: str, known: Sequence[KnownSecret], masker: Masker) -> str:
    """Without lines that are a piece of a secret, as `grep -o` and `head -c` print; a short one only beside others."""
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


def _window(bench: Bench, question: str) -> Copy | None:
    """The window as it would be copied for a question; None where nothing is in it."""
    from services.prompt.state.items import CopyRequest

    settings = bench.settings.window
    if bench.window.is_empty:
        return None
    try:
        return bench.copying.prepare(
            CopyRequest(form=settings.format, template=settings.template, task=question)
        )
    except UsageError:  # what is in it is only listed, and not copied
        return None


def _symbol(bench: Bench, path: str) -> str | None:
    """The id of what a path surely names."""
    try:
        answer = bench.lookup.resolve(path)
    except CodeCortexError:
        return None
    found = answer.resolved
    if found is None or answer.how == "fuzzy":
        return None
    return found.member_id or found.type_id
