"""The review agent: its steps, its comments, and that nothing is done twice."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.bench.bench import Bench
from services.errors import UsageError
from services.model.review import CommentState
from services.ops.jobs import OpState
from services.ops.ops import OperationService
from services.ops.worker import Run
from services.review.agent import KIND, ReviewAgent, ReviewTask
from services.review.reviewing import Reviewing
from tests.services.review.test_reviewing import bodies, served
from tests.support.review_change import CODE, committed, write
from tests.support.review_servers import FakeGitHub
from tests.support.scripted_model import ScriptedModel
from tests.support.writing import HandClock

ANSWER = json.dumps({"summary": "Hm.", "comments": [
    {"file": "x.cs", "line": 2, "quotedCode": "c", "severity": "warning", "text": "Why c?"}]})  # fmt: skip


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with committed(tmp_path) as made:
        yield made


class Killed(BaseException):
    """The process is gone: nothing after it runs."""


def agent(
    bench: Bench, review: Reviewing, model: ScriptedModel, clock: HandClock | None = None
) -> ReviewAgent:
    made = ReviewAgent(lambda: review, lambda: ops[0], lambda: model)
    ops = [OperationService(bench.state, {KIND: made.handle}, clock=clock)]
    return made


def test_without_a_model_what_is_found_becomes_comments(bench: Bench) -> None:
    write(bench, CODE.replace("return a;", "throw new NotImplementedException();"))
    op = bench.review_agent.start(ReviewTask(change=""))
    assert bench.review_agent.start(ReviewTask(change="")).op_id == op.op_id
    done = bench.ops.run(op.op_id)
    assert done.state is OpState.DONE, done.error
    comments = bench.review.review("").review.comments
    assert [(each.line, each.author_kind, each.state) for each in comments] == [
        (7, "static", CommentState.DRAFT)
    ]
    again = bench.ops.run(bench.review_agent.start(ReviewTask(change="")).op_id)
    assert again.state is OpState.DONE
    assert len(bench.review.review("").review.comments) == 1


@pytest.mark.parametrize("killed_in", ["fetch", "analyze", "ask", "comment", "publish"])
def test_a_run_that_was_killed_goes_on_and_does_nothing_twice(bench: Bench, killed_in: str) -> None:
    fake, model = FakeGitHub(), ScriptedModel(ANSWER)
    clock = HandClock()
    made = agent(bench, served(bench, fake), model, clock)
    task = ReviewTask(change="github:octo/demo#7", by_model=True, publish=True)
    op = made.start(task)
    ops = made._ops()
    lapsed = ops.jobs.claim([KIND], only=op.op_id)
    assert lapsed is not None

    class Dying(Run):
        def step(self, name, act):  # pyright: ignore
            result = super().step(name, act)
            if name == killed_in:
                raise Killed
            return result

    with pytest.raises(Killed):
        made.handle(Dying(ops.jobs, lapsed, threading.Event()))
    clock.seconds += 3_600
    done = ops.run(op.op_id)
    assert done.state is OpState.DONE, done.error
    assert len(model.asked) == 1
    assert sum("Why c?" in body for body in bodies(fake)) == 1
    assert len(fake.reviews) == 1


def test_a_review_by_model_is_another_than_one_without(bench: Bench) -> None:
    write(bench, CODE.replace("return a;", "return a + 1;"))
    made = agent(bench, bench.review, ScriptedModel(ANSWER))
    static = made.start(ReviewTask(change=""))
    asked = made.start(ReviewTask(change="", by_model=True))
    assert asked.op_id != static.op_id
    assert made.start(ReviewTask(change="", by_model=True)).op_id == asked.op_id


def test_a_review_by_model_is_left_to_a_process_that_has_one_and_one_without_is_not(bench: Bench) -> None:
    write(bench, CODE.replace("return a;", "return a + 1;"))
    assert not bench.asking.can_ask()
    made = agent(bench, bench.review, ScriptedModel(ANSWER))
    by_model = made.start(ReviewTask(change="", by_model=True))
    static = bench.review_agent.start(ReviewTask(change=""))
    bench.watch()
    assert bench.sharing.is_leader
    bench.ops.serve()
    list(bench.ops.events(static.op_id))
    assert bench.ops.jobs.get(static.op_id).state is OpState.DONE
    assert bench.ops.jobs.get(by_model.op_id).state is OpState.QUEUED
    assert made._ops().run(by_model.op_id).state is OpState.DONE


def test_what_is_on_no_server_is_not_published(bench: Bench) -> None:
    write(bench, CODE.replace("return a;", "return a + 1;"))
    with pytest.raises(UsageError, match="no server"):
        bench.review_agent.start(ReviewTask(change="", publish=True))


def test_an_answer_without_comments_ends_it_with_the_reason(bench: Bench) -> None:
    made = agent(bench, served(bench, FakeGitHub()), ScriptedModel("Fine!"))
    op = made.start(ReviewTask(change="github:octo/demo#7", by_model=True))
    done = made._ops().run(op.op_id)
    assert (done.state, (done.error or {})["code"]) == (OpState.FAILED, "BadRequest")
