"""The review agent: a change fetched, analysed, commented on and published, as one operation that lasts (002).

Each step is recorded, so that whoever goes on after a crash does none twice: a model is asked once, and what was
published is known again by its mark.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from services.errors import UsageError
from services.llm.client import ChatModel, gathered
from services.llm.values import ChatMessage
from services.model import Value
from services.model.review import CommentsAnswer, Finding, Severity
from services.ops.jobs import REVIEWS, Op
from services.ops.ops import OperationService
from services.ops.worker import Run
from services.review.packing import parse_comments
from services.review.reviewing import Reviewing

KIND = REVIEWS
_TOLD = frozenset({Severity.BLOCKER, Severity.WARNING})
"""Findings of these become comments."""


class ReviewTask(Value, kw_only=True, frozen=True):
    """Payload of a review job. `by_model`: a model comments as well; `publish`: accept the comments and send them
    to the server of the change; `budget`: tokens of the prompt for the model."""

    change: str
    by_model: bool = False
    publish: bool = False
    budget: int = 12_800


class ReviewAgent:
    """Does reviews from the queue of operations."""

    def __init__(
        self,
        review: Callable[[], Reviewing],
        ops: Callable[[], OperationService],
        model: Callable[[], ChatModel],
        *,
        ready: Callable[[], object] = lambda: None,
    ) -> None:
        """`model`: the one that is set up, or the error that there is none; `ready`: brings the index up to date."""
        self._review = review
        self._ops = ops
        self._model = model
        self._ready = ready

    def start(self, task: ReviewTask) -> Op:
        """Queue a review, or answer the one of the same change that is queued or running. Raises NoModel where one is
        wanted and none is set up, UsageError, WorkspaceError, RemoteError, ReadOnly."""
        if task.by_model:
            self._model()
        opened = self._review().open(task.change)
        if task.publish and opened.source.remote is None:
            raise UsageError(
                "The change is on no server: leave publishing out, and publish it as markdown or sarif."
            )
        payload = msgspec.to_builtins(msgspec.structs.replace(task, change=opened.source.name))
        key = f"change {opened.source.name}" + (" by model" if task.by_model else "")
        return self._ops().start(
            KIND, f"Review of {opened.title}", key=key, payload=payload, asks_model=task.by_model
        )

    def handle(self, run: Run) -> dict[str, Any]:
        """Run the job; return its comments and the address of what was published. Raises ModelError, RemoteError,
        UsageError, WorkspaceError, Cancelled."""
        task = msgspec.convert(run.payload, ReviewTask)
        self._ready()
        fetched = run.step("fetch", lambda: self._fetched(task))
        run.progress(1, 4, "analyze")
        run.tell("fetched", f"{fetched['title']}: {fetched['files']} files.")
        analyzed = run.step("analyze", lambda: self._analyzed(task, run))
        found = msgspec.convert(analyzed["findings"], tuple[Finding, ...])
        run.progress(2, 4, "comment")
        run.tell(
            "analyzed", f"{len(found)} findings.", [f"{each.file}:{each.line or 1}" for each in found[:20]]
        )
        answer = run.step("ask", lambda: self._asked(task, run)) if task.by_model else ""
        whole = not analyzed["why"]
        taken = run.step("comment", lambda: self._commented(task, found, answer, whole=whole))
        run.tell("commented", f"{len(taken['comments'])} comments, {taken['dropped']} dropped.")
        run.progress(3, 4, "publish")
        address = (
            run.step("publish", lambda: self._published(task, taken["comments"], run)) if task.publish else ""
        )
        run.progress(4, 4, "done")
        return {"comments": taken["comments"], "dropped": taken["dropped"], "address": address}

    def _fetched(self, task: ReviewTask) -> dict[str, Any]:
        opened = self._review().open(task.change)
        return {"title": opened.title, "files": len(opened.set.files), "signature": opened.set.signature}

    def _analyzed(self, task: ReviewTask, run: Run) -> Any:
        review = self._review()
        found, why = review.analyzed(review.open(task.change, cancel=run.cancel), cancel=run.cancel)
        if why:
            run.tell("not looked up", why)
        return {"findings": msgspec.to_builtins(found), "why": why}

    def _asked(self, task: ReviewTask, run: Run) -> str:
        """Return the model's answer, which contains comments. Raises UsageError where it contains none."""
        pack = self._review().pack(task.change, budget=task.budget, cancel=run.cancel)
        messages = [ChatMessage(role="user", content=pack.text)]
        response = gathered(self._model().complete(messages, cancel=run.cancel))
        if response.usage is not None:
            run.spend(response.usage.sent + response.usage.received)
        if response.cut:
            run.tell("cut", f"The model's answer is not whole. {response.cut}")
        parse_comments(response.content)
        return response.content

    def _commented(
        self, task: ReviewTask, found: Sequence[Finding], answer: str, *, whole: bool
    ) -> dict[str, Any]:
        """Comments of both kinds in the review; done again, it adds none. `whole`: all that can be found was looked
        for, so that what was published and is not found is gone."""
        review = self._review()
        told = [each for each in found if each.severity in _TOLD]
        answers: list[CommentsAnswer] = [review.note(task.change, told)]
        if whole:
            review.settle(task.change, {comment.id for comment in answers[0].taken})
        answers += [review.paste(task.change, answer)] if answer else []
        return {
            "comments": [comment.id for each in answers for comment in each.taken],
            "dropped": sum(len(each.dropped) for each in answers),
        }

    def _published(self, task: ReviewTask, comments: Sequence[str], run: Run) -> str:
        review = self._review()
        if not review.accept(task.change, comments).review.comments:
            return ""  # there is nothing to say of it
        return review.publish(task.change, "server", preview=False, cancel=run.cancel).address
