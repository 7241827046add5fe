"""Reviews of change sets over one workspace: what they stand on."""

from __future__ import annotations

import threading
from collections.abc import Callable

from services.index.index import Index
from services.prompt.secrets.masking import Masker
from services.prompt.tokens.tokenizers import TokenCounter
from services.review.records.store import Reviews
from services.review.reviewing import Ground, Reviewing
from services.review.sources.opening import Sources
from services.settings import ReviewSettings
from services.source.diffs.changes import Changes
from services.source.journal.actor import actor, agent
from services.source.read.reader import Reader
from services.workspace.files.root import Root
from services.workspace.state import StateFolder


def reviewing(
    files: tuple[Root, StateFolder, Changes, Reader],
    index: Index,
    settings: ReviewSettings,
    *,
    relate: Callable[[threading.Event | None], object],
    masker: Callable[[], Masker],
    counter: Callable[[], TokenCounter],
) -> Reviewing:
    """The reviews of a workspace. `relate`: works out the names of the index; `masker`: of the workspace's secrets."""
    root, state, changes, reader = files
    ground = Ground(
        index=index,
        sources=Sources(root, changes, settings),
        store=Reviews(state),
        ready=relate,
        mask=lambda text: masker().text(text),
        count=lambda text: counter().count(text),
        is_approximate=lambda: not counter().exact,
        lines=lambda path, first, last: reader.content(path)[1].slice(first, last),
        by=_acting,
    )
    return Reviewing(ground)


def _acting() -> tuple[str, str]:
    found = agent()
    return (found.user, "agent") if found is not None else (actor().user, "person")
