"""Notes by a model: queued by how much depends on a type, made one group at a time, paid once (SPEC section 9)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple, Protocol

import msgspec

from services.errors import CodeCortexError, NoteInvalid, SymbolNotFound
from services.llm.client import ChatModel, gathered
from services.llm.values import ChatMessage
from services.ops.jobs import NOTES, JobQueue, JobRequest, OpState
from services.ops.worker import Run
from services.prompt.outline.names import type_name
from services.semantic.answers import read_answers
from services.semantic.notes import Notes, Queued
from services.semantic.store import file_of
from services.semantic.values import Author, NoteFields, NoteState, TypeFacts
from services.source.journal.actor import actor

KIND = NOTES
WANTED_NOW = 1_000_000
"""The priority of what somebody waits for: above everything that is queued because it may be wanted."""
_DAY = 86_400.0
_MOST_TOKENS = 1_500
_COUNTED = 30
"""Prompts that are counted to tell what many of them take."""


class Weight(NamedTuple):
    """How much depends on a type. `references`: how often it is named; `depth`: layers down to one that names none."""

    references: int
    depth: int

    @property
    def priority(self) -> int:
        """References / (1 + depth), in thousandths, below what somebody waits for."""
        return min(WANTED_NOW - 1, 1_000 * self.references // (1 + self.depth))


class PlannedNote(NamedTuple):
    """A note to be made: the ids of the types that share it, what it is called, and its priority in the queue."""

    group: tuple[str, ...]
    name: str
    priority: int


class Estimate(NamedTuple):
    """Estimate of the cost of notes. `tokens`: of their prompts; `answers`: most tokens of the answers; `is_exact`:
    whether every prompt was counted, and not some of them."""

    notes: int
    tokens: int
    answers: int
    is_exact: bool


class Quota(NamedTuple):
    """Token quotas: within 24 hours, and of one call; None where there is no limit."""

    per_day: int | None = None
    per_run: int | None = None


class NoteQueue(Protocol):
    """Queue of operations that generate notes."""

    @property
    def jobs(self) -> JobQueue:
        """The queue."""
        ...

    def start_all(self, requests: Sequence[JobRequest]) -> list[str]:
        """Queue operations in one go; the id of each."""
        ...


class QuotaReached(CodeCortexError):
    """More tokens than are to be spent on notes, in a day or at once. `details`: spent, limit."""

    code = "BudgetExceeded"


class AnswerInvalid(NoteInvalid):
    """Invalid note in the model's answer. The queue retries: three times in all, with pauses that double."""

    retry = True


class Generation:
    """Makes notes by a model, through the queue of operations."""

    def __init__(
        self,
        notes: Notes,
        ops: Callable[[], NoteQueue],
        model: Callable[[], tuple[str, ChatModel]],
        *,
        plan: Callable[[Sequence[str]], list[PlannedNote]],
        count: Callable[[str], int] = lambda text: len(text) // 3,
        quota: Quota = Quota(),  # noqa: B008 - a value without state
        timed: Callable[[], AbstractContextManager[None]] = nullcontext,
        ready: Callable[[], object] = lambda: None,
    ) -> None:
        """`model`: the one in use with its name, or the error that there is none; `plan`: the notes of types, each
        once; `count`: tokens of a text; `timed`: entered while a note is made; `ready`: brings the index up to date."""
        self._notes = notes
        self._ops = ops
        self._model = model
        self._plan = plan
        self._count = count
        self._quota = quota
        self._timed = timed
        self._ready = ready

    def model_name(self) -> str:
        """The model that would write. Raises NoModel where none is set up."""
        return self._model()[0]

    def estimate(self, type_ids: Sequence[str]) -> Estimate:
        """Estimate the tokens of the notes of types. Of many, a sample of prompts is counted and extrapolated.
        Raises SymbolNotFound."""
        planned = self._plan(type_ids)
        step = max(1, len(planned) // _COUNTED)
        counted = planned[::step] if len(planned) > _COUNTED else planned
        tokens = sum(self._count(self._notes.text_for([each.group])) for each in counted)
        return Estimate(
            notes=len(planned),
            tokens=tokens * len(planned) // max(1, len(counted)),
            answers=_MOST_TOKENS * len(planned),
            is_exact=len(counted) == len(planned),
        )

    def ask(self, type_ids: Sequence[str], *, is_waited_for: bool = False) -> tuple[str, ...]:
        """Queue the notes of types, one job a group; the ids of the operations. Raises NoModel where none is set up,
        QuotaReached where that is more than may be asked for in one go, SymbolNotFound, ReadOnly."""
        self._model()
        planned = self._plan(type_ids)
        self._refuse_past_run(type_ids, planned)
        by = str(actor())
        requests = [
            JobRequest(
                kind=KIND,
                title=f"Note on {each.name}",
                by=by,
                key=file_of(each.group),
                scope=each.group,
                payload=list(each.group),
                priority=WANTED_NOW if is_waited_for else each.priority,
                asks_model=True,
            )
            for each in planned
        ]
        return tuple(self._ops().start_all(requests))

    def _refuse_past_run(self, type_ids: Sequence[str], planned: Sequence[PlannedNote]) -> None:
        limit = self._quota.per_run
        if limit is None or len(planned) < 2:
            return
        estimate = self.estimate(type_ids)
        if (needed := estimate.tokens + estimate.answers) > limit:
            raise QuotaReached(
                f"Nothing was asked for: {estimate.notes:,} notes would take up to {needed:,} tokens, and {limit:,} "
                "are allowed in one go. Ask for fewer, or raise semantic.tokens_per_run.",
                spent=needed,
                limit=limit,
            )

    def queued(self, group: tuple[str, ...]) -> Queued | None:
        """Return the progress of a group's note; None where nothing is queued and nothing failed."""
        op = self._ops().jobs.last(KIND, file_of(group))
        if op is None or op.state in (OpState.DONE, OpState.CANCELLED):
            return None
        state = NoteState.GENERATING if op.state is OpState.RUNNING else NoteState.PENDING
        error = op.error.get("message") if op.error is not None else None
        return (
            Queued(state, op.op_id, error)
            if op.state is not OpState.FAILED
            else Queued(NoteState.PENDING, None, error)
        )

    def handle(self, run: Run) -> dict[str, Any]:
        """Run the job: gather, generate, validate, store. The gathered source and the answer are recorded, so that
        a worker that resumes after a crash does not repeat the request. Raises QuotaReached, AnswerInvalid,
        ModelError, Cancelled."""
        with self._timed():
            return self._made(run)

    def _made(self, run: Run) -> dict[str, Any]:
        group = self._now(run)
        if group != (now := self._notes.group(group[0])):
            run.tell("regrouped", "Its types depend on each other in another way now.")
            group = now
        name, model = self._model()
        asked = run.step("gathered", lambda: self._gathered(group))
        answer = run.step("answer", lambda: self._answer(run, model, asked["prompt"], group[0]))
        facts = msgspec.convert(asked["facts"], dict[str, TypeFacts])
        fields = _fields(answer, group[0])
        run.checkpoint()
        note = self._notes.put(self._now(run)[0], fields, Author.MODEL, name, gathered=facts)
        run.tell("kept", f"The note of {type_name(note.fqn)} is {note.state}.", [note.fqn])
        return {"typeId": group[0], "state": note.state}

    def _now(self, run: Run) -> tuple[str, ...]:
        """Return the current ids of the types that the note is about. Raises SymbolNotFound."""
        self._ready()  # a job may be claimed before its process has an index, and a type may go while a model answers
        found = self._notes.now(run.payload)
        if not found:
            raise SymbolNotFound(f"Nothing was kept: what {run.op.title} is about is gone.", suggestions=[])
        return found

    def _gathered(self, group: tuple[str, ...]) -> dict[str, Any]:
        facts = self._notes.gather(group)
        return {"prompt": self._notes.prompt([group[0]]), "facts": msgspec.to_builtins(facts)}

    def _answer(self, run: Run, model: ChatModel, prompt: str, type_id: str) -> str:
        """An answer that is a note. Raises AnswerInvalid, QuotaReached, ModelError, Cancelled."""
        spent = self._ops().jobs.spent(KIND, within=_DAY)
        limit = self._quota.per_day
        if limit is not None and spent >= limit:
            advice = "Raise semantic.tokens_per_day, or wait."
            raise QuotaReached(
                f"Notes took {spent:,} tokens in 24 hours, and {limit:,} are allowed. {advice}",
                spent=spent,
                limit=limit,
            )
        messages = [ChatMessage(role="user", content=prompt + _reproach(run.op.error))]
        response = gathered(model.complete(messages, max_tokens=_MOST_TOKENS, cancel=run.cancel))
        if response.usage is not None:
            run.spend(response.usage.sent + response.usage.received)
        if response.cut:
            raise AnswerInvalid(f"The model's answer is no whole note: {response.cut}")
        _fields(response.content, type_id)
        return response.content


def _fields(answer: str, type_id: str) -> NoteFields:
    """The fields that an answer gives a type. Raises AnswerInvalid."""
    found = read_answers(answer, [type_id])[type_id]
    if isinstance(found, NoteInvalid):
        raise AnswerInvalid(found.message, **found.details)
    return found


def _reproach(error: Mapping[str, Any] | None) -> str:
    """Return the correction for the next request, after an answer that was no note."""
    if error is None or error.get("code") != AnswerInvalid.code:
        return ""
    return f"\n\nThe last answer was refused: {error.get('message')} Answer again, in the form that is asked for."
