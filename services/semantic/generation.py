"""Notes by a model: queued by how much depends on a type, made one group at a time, paid once (SPEC section 9)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import msgspec

from services.errors import CodeCortexError, NoteInvalid
from services.llm.port import ChatModel, gathered
from services.llm.values import ChatMessage
from services.ops.jobs import Jobs
from services.ops.values import Op, OpState
from services.ops.worker import Run
from services.semantic.answers import read_answers
from services.semantic.notes import Notes, Queued
from services.semantic.staleness import TypeFacts
from services.semantic.store import file_of
from services.semantic.values import Author, NoteState

KIND = "semantic"
WANTED_NOW = 1_000_000
"""The priority of what somebody waits for: above everything that is queued because it may be wanted."""
_DAY = 86_400.0
_MOST_TOKENS = 1_500


class Weight(NamedTuple):
    """How much depends on a type. `references`: how often it is named; `depth`: layers down to one that names none."""

    references: int
    depth: int

    @property
    def priority(self) -> int:
        """References / (1 + depth), in thousandths, below what somebody waits for."""
        return min(WANTED_NOW - 1, 1_000 * self.references // (1 + self.depth))


class Ops(Protocol):
    """Where the making of a note is asked for."""

    @property
    def jobs(self) -> Jobs:
        """The queue."""
        ...

    def start(self, kind: str, title: str, **asked: Any) -> Op:
        """Queue an operation."""
        ...


class QuotaReached(CodeCortexError):
    """No more tokens are to be spent on notes today. `details`: spent, limit."""

    code = "BudgetExceeded"


class Generation:
    """Makes notes by a model, through the queue of operations."""

    def __init__(
        self,
        notes: Notes,
        ops: Callable[[], Ops],
        model: Callable[[], tuple[str, ChatModel]],
        *,
        weigh: Callable[[str], Weight] = lambda _: Weight(0, 0),
        quota: int | None = None,
    ) -> None:
        """`model`: the one in use with its name, or the error that there is none; `quota`: most tokens within 24 hours,
        None where there is no limit."""
        self._notes = notes
        self._ops = ops
        self._model = model
        self._weigh = weigh
        self._quota = quota

    def model_name(self) -> str:
        """The model that would write. Raises NoModel where none is set up."""
        return self._model()[0]

    def ask(self, type_ids: Sequence[str], *, is_waited_for: bool = False) -> tuple[Op, ...]:
        """Queue the notes of types, one job a group. Raises NoModel where none is set up, SymbolNotFound, ReadOnly."""
        self._model()
        groups = dict.fromkeys(self._notes.group(id_) for id_ in type_ids)
        return tuple(self._asked(group, is_waited_for=is_waited_for) for group in groups)

    def _asked(self, group: tuple[str, ...], *, is_waited_for: bool) -> Op:
        priority = WANTED_NOW if is_waited_for else max(self._weigh(id_).priority for id_ in group)
        title = f"Note on {self._notes.name(group)}"
        return self._ops().start(
            KIND, title, key=file_of(group), scope=group, payload=list(group), priority=priority
        )

    def queued(self, group: tuple[str, ...]) -> Queued | None:
        """How far the making of a group's note is; None where nothing is asked for and nothing failed."""
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
        """The job: gather, ask, check, keep. What was gathered and what was answered are recorded, so that whoever goes
        on after a crash asks no second time. Raises QuotaReached, NoteInvalid, ModelError, Cancelled."""
        group = tuple(run.payload)
        if group != self._notes.group(group[0]):
            run.tell("regrouped", "Its types depend on each other in another way now.")
            group = self._notes.group(group[0])
        name, model = self._model()
        asked = run.step("gathered", lambda: self._gathered(group))
        answer = run.step("answer", lambda: self._answer(run, model, asked["prompt"]))
        facts = msgspec.convert(asked["facts"], dict[str, TypeFacts])
        fields = read_answers(answer, [group[0]])[group[0]]
        if isinstance(fields, NoteInvalid):
            raise fields
        run.checkpoint()
        note = self._notes.put(group[0], fields, Author.MODEL, name, gathered=facts)
        run.tell("kept", f"The note of {note.fqn} is {note.state}.", [note.fqn])
        return {"typeId": group[0], "state": note.state}

    def _gathered(self, group: tuple[str, ...]) -> dict[str, Any]:
        facts = self._notes.gather(group)
        return {"prompt": self._notes.prompt([group[0]]), "facts": msgspec.to_builtins(facts)}

    def _answer(self, run: Run, model: ChatModel, prompt: str) -> str:
        spent = self._ops().jobs.spent(KIND, within=_DAY)
        if self._quota is not None and spent >= self._quota:
            advice = "Raise semantic.tokens_per_day, or wait."
            raise QuotaReached(
                f"Notes took {spent:,} tokens in 24 hours, and {self._quota:,} are allowed. {advice}",
                spent=spent,
                limit=self._quota,
            )
        messages = [ChatMessage(role="user", content=prompt)]
        response = gathered(model.complete(messages, max_tokens=_MOST_TOKENS, cancel=run.cancel))
        if response.usage is not None:
            run.spend(response.usage.sent + response.usage.received)
        return response.content
