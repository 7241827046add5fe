"""Notes by a model: queued, made once, paid once."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from services.errors import Busy, NoModel
from services.llm.values import End, TextPiece, TokenUsage
from services.ops import sql_jobs
from services.ops.jobs import Op, OpState
from services.ops.ops import OperationService
from services.semantic.generation import KIND, Generation, PlannedNote, Quota, QuotaReached, Weight
from services.semantic.notes import Notes, Queued
from services.semantic.values import Author, NoteState
from services.workspace.files.root import Root
from services.workspace.state import StateFolder
from tests.services.semantic.test_notes import A, B, C, Code, answer
from tests.support.scripted_model import ScriptedModel


class HandClock:
    """A boot clock that a test turns, or that goes on where somebody waits."""

    def __init__(self) -> None:
        self.time = 100.0

    def now(self) -> float:
        return self.time

    def boot(self) -> str:
        return "one boot"

    def sleep(self, seconds: float) -> None:
        self.time += seconds


class Made:
    """Notes with a model, over a handful of types."""

    def __init__(
        self,
        folder: Path,
        model: ScriptedModel | None,
        *,
        quota: Quota = Quota(),  # noqa: B008
        clock: HandClock | None = None,
    ) -> None:
        self.code = Code(A, B, C)
        state = StateFolder.open(Root.open(folder))
        self.notes = Notes(state, self.code, queued=self.queued)
        self.generation = Generation(
            self.notes, lambda: self.ops, lambda: self.named(model), plan=self.plan, quota=quota
        )
        sleep = clock.sleep if clock is not None else time.sleep
        self.ops = OperationService(state, {KIND: self.generation.handle}, clock=clock, sleep=sleep)

    def named(self, model: ScriptedModel | None) -> tuple[str, ScriptedModel]:
        if model is None:
            raise NoModel("No model is set up.")
        return "small", model

    def queued(self, group: tuple[str, ...]) -> Queued | None:
        return self.generation.queued(group)

    def plan(self, type_ids: Sequence[str]) -> list[PlannedNote]:
        weights = {A: Weight(10, 4), B: Weight(10, 0), C: Weight(90, 0)}
        groups = dict.fromkeys(map(self.notes.group, type_ids))
        return [
            PlannedNote(each, self.notes.name(each), max(weights[id_].priority for id_ in each))
            for each in groups
        ]

    def ask(self, *type_ids: str) -> list[Op]:
        return [self.ops.jobs.get(op_id) for op_id in self.generation.ask(type_ids)]


def test_a_note_goes_through_its_states(tmp_path: Path) -> None:
    made = Made(tmp_path, ScriptedModel([TextPiece(answer("By a model.")), TokenUsage(900, 100), End()]))
    assert made.notes.get(A).state is NoteState.NONE
    (op,) = made.ask(A)
    assert made.notes.get(A).state is NoteState.PENDING
    done = made.ops.run(op.op_id)
    assert (done.state, done.tokens_used) == (OpState.DONE, 1000)
    found = made.notes.get(A)
    assert (found.state, found.fields.role, found.provider.name) == (NoteState.CACHED, "By a model.", "small")


def test_states_of_many_say_what_is_asked_for(tmp_path: Path) -> None:
    made = Made(tmp_path, ScriptedModel(*["No note."] * 3), clock=HandClock())
    made.notes.put(C, made.notes.get(C).fields, Author.PERSON)
    failed, _ = made.ask(A, B)
    assert made.notes.states([A, B, C]) == {
        A: NoteState.PENDING,
        B: NoteState.PENDING,
        C: NoteState.CACHED,
    }
    made.ops.run(failed.op_id)
    assert made.notes.get(A).last_error is not None
    made.notes.put(A, made.notes.get(A).fields, Author.PERSON)
    found = made.notes.get(A)
    assert (found.state, found.last_error) == (NoteState.CACHED, None), "it holds, whatever failed before"


def test_what_is_asked_twice_is_made_once(tmp_path: Path) -> None:
    made = Made(tmp_path, ScriptedModel(answer()))
    made.code.tie(A, B)
    ids = {op.op_id for op in (*made.ask(A, B), *made.ask(B))}
    assert len(ids) == 1


def test_what_is_referred_to_most_goes_first_and_what_is_waited_for_before_it(tmp_path: Path) -> None:
    made = Made(tmp_path, ScriptedModel())
    made.ask(A, B, C)
    made.generation.ask([A], is_waited_for=True)
    order = [claim.op.scope[0] for _ in range(3) if (claim := made.ops.jobs.claim([KIND])) is not None]
    assert order == [A, C, B]


def test_without_a_model_nothing_is_queued(tmp_path: Path) -> None:
    made = Made(tmp_path, None)
    with pytest.raises(NoModel):
        made.generation.ask([A])
    assert made.notes.get(A).state is NoteState.NONE


def test_an_answer_that_is_no_note_is_asked_for_three_times_and_kept_as_the_last_error(
    tmp_path: Path,
) -> None:
    model, clock = ScriptedModel(*["I cannot help with that."] * 4), HandClock()
    made = Made(tmp_path, model, clock=clock)
    (op,) = made.ask(A)
    began = clock.time
    assert made.ops.run(op.op_id).state is OpState.FAILED
    assert len(model.asked) == 3
    assert clock.time - began == pytest.approx(3, abs=0.2), "after one second, and two more"
    found = made.notes.get(A)
    assert found.state is NoteState.PENDING
    assert found.last_error is not None
    assert "ROLE" in found.last_error


@pytest.mark.parametrize(
    "bad",
    [
        "I cannot help with that.",
        "ROLE: x",
        [TextPiece(answer("Cut.")), TokenUsage(900, 100), End("length")],
        [TextPiece(answer("Cut.")), TokenUsage(900, 100), End("content_filter")],
    ],
    ids=["refused", "half", "cut", "filtered"],
)
def test_a_bad_answer_is_asked_for_again_with_what_was_wrong(tmp_path: Path, bad: Any) -> None:
    model = ScriptedModel(bad, answer("Good."))
    made = Made(tmp_path, model, clock=HandClock())
    (op,) = made.ask(A)
    assert made.ops.run(op.op_id).state is OpState.DONE
    assert made.notes.get(A).fields.role == "Good."
    first, second = (asked[0].content or "" for asked, _ in model.asked)
    assert second.startswith(first)
    assert "The last answer was refused: " in second
    assert [event.kind for event in made.ops.events(op.op_id)].count("retry") == 1


def test_a_note_waits_until_its_process_has_an_index(tmp_path: Path) -> None:
    made = Made(tmp_path, ScriptedModel(answer()))
    (op,) = made.ask(A)
    types, made.code.types = made.code.types, {}
    made.generation._ready = lambda: made.code.types.update(types)
    assert made.ops.run(op.op_id).state is OpState.DONE


def test_a_busy_endpoint_is_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql_jobs, "FIRST_PAUSE", 0.0)
    made = Made(tmp_path, ScriptedModel(Busy("Too many requests."), answer()))
    (op,) = made.ask(A)
    made.ops.serve()
    assert list(made.ops.events(op.op_id))[-1].kind == "done"
    assert made.notes.get(A).state is NoteState.CACHED
    made.ops.close()


def test_a_crash_after_the_answer_is_not_paid_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql_jobs, "FIRST_PAUSE", 0.0)
    model = ScriptedModel(answer("Paid once."))
    made = Made(tmp_path, model)
    (op,) = made.ask(A)
    keep = made.notes.put
    crashes = iter([True])

    def crash_once(*args: object, **kwargs: object) -> object:
        if next(crashes, False):
            raise Busy("The disk went away.")
        return keep(*args, **kwargs)  # pyright: ignore[reportArgumentType]

    made.notes.put = crash_once  # pyright: ignore[reportAttributeAccessIssue]
    made.ops.serve()
    assert list(made.ops.events(op.op_id))[-1].kind == "done"
    assert len(model.asked) == 1
    assert made.notes.get(A).fields.role == "Paid once."
    made.ops.close()


def test_a_note_is_tied_to_what_was_gathered(tmp_path: Path) -> None:
    made = Made(tmp_path, ScriptedModel(answer()))
    (op,) = made.ask(A)
    gather = made.notes.gather

    def gather_then_edit(type_ids: tuple[str, ...]) -> object:
        facts = gather(type_ids)
        made.code.change(A, impl_hash="edited meanwhile")
        return facts

    made.notes.gather = gather_then_edit  # pyright: ignore[reportAttributeAccessIssue]
    made.ops.run(op.op_id)
    assert made.notes.get(A).reasons == ("The bodies of My.TypeA have changed.",)


def test_quotas_end_before_the_next_request(tmp_path: Path) -> None:
    model = ScriptedModel([TextPiece(answer()), TokenUsage(900, 100), End()], answer())
    made = Made(tmp_path, model, quota=Quota(per_day=1_000))
    first, second = made.ask(A, B)
    assert made.ops.run(first.op_id).state is OpState.DONE
    op = made.ops.run(second.op_id)
    assert op.state is OpState.FAILED
    assert op.error is not None
    assert (op.error["spent"], op.error["limit"]) == (1_000, 1_000)
    assert len(model.asked) == 1


def test_a_person_s_note_waits_beside_the_model_s(tmp_path: Path) -> None:
    made = Made(tmp_path, ScriptedModel(answer("By a model.")))
    made.notes.put(A, made.notes.get(A).fields, Author.PERSON, "ada")
    (op,) = made.ask(A)
    made.ops.run(op.op_id)
    found = made.notes.get(A)
    assert found.provider.author is Author.PERSON
    assert found.waiting is not None
    assert found.waiting.role == "By a model."


def test_more_than_may_be_asked_for_in_one_go_is_refused_whole(tmp_path: Path) -> None:
    made = Made(tmp_path, ScriptedModel(), quota=Quota(per_run=4_000))
    with pytest.raises(QuotaReached, match="3 notes"):
        made.generation.ask([A, B, C])
    assert made.ops.jobs.listed() == ()
    assert len(made.generation.ask([A, B])) == 2


def test_what_notes_would_take_is_told_before(tmp_path: Path) -> None:
    made = Made(tmp_path, ScriptedModel())
    made.code.tie(A, B)
    estimate = made.generation.estimate([A, B, C])
    assert (estimate.notes, estimate.is_exact) == (2, True)
    assert estimate.tokens == sum(len(made.notes.text_for([group])) // 3 for group in ((A, B), (C,)))


def test_nothing_is_made_while_notes_are_paused_but_what_somebody_waits_for(tmp_path: Path) -> None:
    made = Made(tmp_path, ScriptedModel(answer(), answer()))
    (waited,) = made.ask(A)
    (other,) = made.ask(B)
    assert made.ops.pause(KIND, is_paused=True) == {KIND}
    assert made.ops.jobs.claim([KIND]) is None
    assert made.ops.run(waited.op_id).state is OpState.DONE
    made.ops.pause(KIND, is_paused=False)
    made.ops.serve()
    assert list(made.ops.events(other.op_id))[-1].kind == "done"
    made.ops.close()


class Gone(BaseException):
    """The process ends here, as by kill -9."""


class Dying:
    """Lets so many calls through; at the next one the process ends: nothing that it calls does anything any more."""

    def __init__(self, calls: int, *, behind: bool) -> None:
        self.left, self.behind, self.at = calls, behind, ""

    def over(self, thing: object, *names: str) -> None:
        """Have calls of these methods of a thing counted."""
        for name in names:
            setattr(thing, name, partial(self._call, name, getattr(thing, name)))

    def _call(self, name: str, act: Callable[..., Any], *args: Any, **given: Any) -> Any:
        self.left -= 1
        if self.left > 0:
            return act(*args, **given)
        if self.left == 0:
            self.at = f"{name} {args[1]}" if name == "record" else name
            if self.behind:
                act(*args, **given)
        raise Gone


@pytest.mark.parametrize("behind", [False, True], ids=["before", "behind"])
def test_a_crash_at_any_step_leaves_no_half_note_and_pays_nothing_twice(tmp_path: Path, behind: bool) -> None:
    """The process ends before or behind each write of a generation, one after the other; the next process goes on."""
    calls, crashed = 0, True
    while crashed:
        calls += 1
        folder = tmp_path / str(calls)
        folder.mkdir()
        model = ScriptedModel(*(answer("Whole.") for _ in range(3)))
        made, dying = Made(folder, model), Dying(calls, behind=behind)
        (op,) = made.ask(A)
        dying.over(made.ops.jobs, "record", "tell", "spend", "end")
        dying.over(made.notes.store._state, "write", "remove")
        crashed = _ended(made, op.op_id)
        found = made.notes.store.find(A)
        assert found is None or found.note.fields.role == "Whole."
        after = Made(folder, model)
        after.ops.jobs._process, after.ops.jobs._alive = "another", lambda _: False
        assert after.ops.run(op.op_id).state is OpState.DONE, dying.at
        assert after.notes.get(A).state is NoteState.CACHED
        assert after.notes.store.history(A) == ()
        paid_in_vain = dying.at == "spend" or (dying.at == "record answer" and not behind)
        assert len(model.asked) == (2 if paid_in_vain else 1), dying.at
    assert calls > 5


def _ended(made: Made, op_id: str) -> bool:
    """Whether the process ended while it ran."""
    try:
        made.ops.run(op_id)
    except Gone:
        return True
    return False


def test_a_type_that_is_gone_when_its_note_is_made_has_none(tmp_path: Path) -> None:
    model = ScriptedModel(answer())
    made = Made(tmp_path, model)
    (op,) = made.ask(A)
    del made.code.types[A]
    ended = made.ops.run(op.op_id)
    assert ended.error is not None
    assert "My.TypeA is about is gone" in ended.error["message"]
    assert model.asked == [], "nothing was paid"


@pytest.mark.parametrize("is_renamed", [True, False], ids=["renamed", "deleted"])
def test_a_type_that_goes_while_a_model_answers(tmp_path: Path, is_renamed: bool) -> None:
    made = Made(tmp_path, ScriptedModel(answer("Paid.")))
    (op,) = made.ask(A)
    ask = made.generation._answer

    def ask_then_lose(*args: Any) -> str:
        said = ask(*args)
        was = made.code.types.pop(A)
        if is_renamed:
            made.code.types["T_NEWNEWNE"] = was._replace(
                type_id="T_NEWNEWNE", fqn="My.New", structure_hash="S2", group=("T_NEWNEWNE",)
            )
            made.code.renamed[A] = "T_NEWNEWNE"
        return said

    made.generation._answer = ask_then_lose  # pyright: ignore[reportAttributeAccessIssue]
    ended = made.ops.run(op.op_id)
    if is_renamed:
        note = made.notes.get("T_NEWNEWNE")
        assert (ended.state, note.fields.role) == (OpState.DONE, "Paid.")
        assert note.reasons == ("My.New has another structure.",), "it was made of what was there before"
    else:
        assert ended.state is OpState.FAILED
        assert list(made.notes.store.all()) == []
