"""Notes by a model: queued, made once, paid once."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.errors import Busy, NoModel
from services.llm.port import ScriptedModel
from services.llm.values import End, Text, Usage
from services.ops.ops import Ops
from services.ops.values import OpState
from services.semantic.generation import KIND, Generation, Weight
from services.semantic.notes import Notes, Queued
from services.semantic.values import Author, NoteState
from services.workspace.files.root import Root
from services.workspace.state import StateFolder
from tests.services.semantic.test_notes import A, B, C, Code, answer


class Made:
    """Notes with a model, over a handful of types."""

    def __init__(self, folder: Path, model: ScriptedModel | None, *, quota: int | None = None) -> None:
        self.code = Code(A, B, C)
        state = StateFolder.open(Root.open(folder))
        self.notes = Notes(state, self.code, queued=self.queued)
        self.generation = Generation(
            self.notes, lambda: self.ops, lambda: self.named(model), weigh=self.weigh, quota=quota
        )
        self.ops = Ops(state, {KIND: self.generation.handle})

    def named(self, model: ScriptedModel | None) -> tuple[str, ScriptedModel]:
        if model is None:
            raise NoModel("No model is set up.")
        return "small", model

    def queued(self, group: tuple[str, ...]) -> Queued | None:
        return self.generation.queued(group)

    def weigh(self, type_id: str) -> Weight:
        return {A: Weight(10, 4), B: Weight(10, 0), C: Weight(90, 0)}[type_id]


def test_a_note_goes_through_its_states(tmp_path: Path) -> None:
    made = Made(tmp_path, ScriptedModel([Text(answer("By a model.")), Usage(900, 100), End()]))
    assert made.notes.get(A).state is NoteState.NONE
    (op,) = made.generation.ask([A])
    assert made.notes.get(A).state is NoteState.PENDING
    done = made.ops.run(op.op_id)
    assert (done.state, done.tokens_used) == (OpState.DONE, 1000)
    found = made.notes.get(A)
    assert (found.state, found.fields.role, found.provider.name) == (NoteState.CACHED, "By a model.", "small")


def test_what_is_asked_twice_is_made_once(tmp_path: Path) -> None:
    made = Made(tmp_path, ScriptedModel(answer()))
    made.code.tie(A, B)
    ids = {op.op_id for op in (*made.generation.ask([A, B]), *made.generation.ask([B]))}
    assert len(ids) == 1


def test_what_is_referred_to_most_goes_first_and_what_is_waited_for_before_it(tmp_path: Path) -> None:
    made = Made(tmp_path, ScriptedModel())
    made.generation.ask([A, B, C])
    made.generation.ask([A], is_waited_for=True)
    order = [claim.op.scope[0] for _ in range(3) if (claim := made.ops.jobs.claim([KIND])) is not None]
    assert order == [A, C, B]


def test_without_a_model_nothing_is_queued(tmp_path: Path) -> None:
    made = Made(tmp_path, None)
    with pytest.raises(NoModel):
        made.generation.ask([A])
    assert made.notes.get(A).state is NoteState.NONE


def test_an_answer_that_is_no_note_is_kept_as_the_last_error(tmp_path: Path) -> None:
    made = Made(tmp_path, ScriptedModel("I cannot help with that."))
    (op,) = made.generation.ask([A])
    assert made.ops.run(op.op_id).state is OpState.FAILED
    found = made.notes.get(A)
    assert found.state is NoteState.PENDING
    assert found.last_error is not None
    assert "ROLE" in found.last_error


def test_a_busy_endpoint_is_asked_again(tmp_path: Path) -> None:
    made = Made(tmp_path, ScriptedModel(Busy("Too many requests."), answer()))
    (op,) = made.generation.ask([A])
    made.ops.serve()
    assert list(made.ops.events(op.op_id))[-1].kind == "done"
    assert made.notes.get(A).state is NoteState.CACHED
    made.ops.close()


def test_a_crash_after_the_answer_is_not_paid_twice(tmp_path: Path) -> None:
    model = ScriptedModel(answer("Paid once."))
    made = Made(tmp_path, model)
    (op,) = made.generation.ask([A])
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
    (op,) = made.generation.ask([A])
    gather = made.notes.gather

    def gather_then_edit(type_ids: tuple[str, ...]) -> object:
        facts = gather(type_ids)
        made.code.change(A, impl_hash="edited meanwhile")
        return facts

    made.notes.gather = gather_then_edit  # pyright: ignore[reportAttributeAccessIssue]
    made.ops.run(op.op_id)
    assert made.notes.get(A).reasons == ("The bodies of My.TypeA have changed.",)


def test_quotas_end_before_the_next_request(tmp_path: Path) -> None:
    model = ScriptedModel([Text(answer()), Usage(900, 100), End()], answer())
    made = Made(tmp_path, model, quota=1_000)
    first, second = made.generation.ask([A, B])
    assert made.ops.run(first.op_id).state is OpState.DONE
    op = made.ops.run(second.op_id)
    assert op.state is OpState.FAILED
    assert op.error is not None
    assert (op.error["spent"], op.error["limit"]) == (1_000, 1_000)
    assert len(model.asked) == 1


def test_a_person_s_note_waits_beside_the_model_s(tmp_path: Path) -> None:
    made = Made(tmp_path, ScriptedModel(answer("By a model.")))
    made.notes.put(A, made.notes.get(A).fields, Author.PERSON, "ada")
    (op,) = made.generation.ask([A])
    made.ops.run(op.op_id)
    found = made.notes.get(A)
    assert found.provider.author is Author.PERSON
    assert found.waiting is not None
    assert found.waiting.role == "By a model."
