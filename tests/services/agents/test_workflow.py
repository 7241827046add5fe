"""The test workflow end to end: a real repository, real pytest, and a forge that checks what it is sent."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from services.agents.react import WorkflowInterrupted
from services.agents.workflow import Workflows
from services.bench.bench import Bench
from services.bench.wiring.reviews import _checked_out
from services.errors import UsageError
from services.llm.client import ChatModel
from services.operations.edits.proposals import apply_proposal
from services.operations.models.acting import acting_tools
from services.ops.jobs import WORKFLOWS, Ending, Op, OpState
from services.ops.ops import OperationService
from services.ops.worker import Run
from services.settings import AgentSettings, IndexSettings, ReviewSettings, Settings, WorkflowSettings
from tests.support.eventually import eventually
from tests.support.forge import NOTIFY_SECRET, TOKEN, Forge, forge_of
from tests.support.review_change import git
from tests.support.till_shop import RIGHT, TEST, TillModel, till_shop
from tests.support.writing import HandClock

ALLOWED = AgentSettings(write="allow", tests="allow", publish="allow")


class Killed(BaseException):
    """The process is gone: nothing after it runs."""


class Flow:
    """A workspace with workflows, a model and a forge."""

    def __init__(self, bench: Bench, forge: Forge, model: ChatModel) -> None:
        self.bench, self.forge, self.clock = bench, forge, HandClock()
        self.workflows = Workflows(
            lambda: self.ops,
            lambda actor: acting_tools(bench, actor),
            lambda: model,
            settings=lambda: bench.settings.workflow,
            checked_out=lambda change: _checked_out(bench, change),
        )
        self.ops = OperationService(bench.state, {WORKFLOWS: self.workflows.handle}, clock=self.clock)

    def done(self, change: str = "HEAD") -> Op:
        return self.ops.run(self.workflows.start(change).op_id)


@contextmanager
def flow_of(
    tmp_path: Path,
    kind: str = "github",
    model: ChatModel | None = None,
    shop: Path | None = None,
    **settings: Any,
) -> Iterator[Flow]:
    shop = shop or till_shop(tmp_path / "shop")
    with forge_of(kind, shop, tmp_path / "server") as forge:
        made = Settings(
            index=IndexSettings(workers=1),
            agents=settings.pop("agents", ALLOWED),
            review=ReviewSettings(**{kind: forge.address}),  # pyright: ignore[reportArgumentType]
            workflow=WorkflowSettings(
                project=f"{kind}:octo/demo", notify=f"{forge.address}/notify", **settings
            ),
        )
        with Bench.open(shop, settings=made) as bench:
            yield Flow(bench, forge, model or TillModel())


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("GITHUB_TOKEN", TOKEN), ("GITLAB_TOKEN", TOKEN), ("NOTIFY_SECRET", NOTIFY_SECRET)):
        monkeypatch.setenv(name, value)


def handed_in(flow: Flow) -> None:
    """The forge has one branch with one commit of the right bytes, one request, and one notice; here nothing moved."""
    forge, root = flow.forge, flow.bench.root
    head = git(root, "rev-parse", "HEAD")
    (branch,) = set(forge.branches()) - {"main"}
    commit = forge.branches()[branch]
    assert forge.branches()["main"] == head
    assert git(forge.repository, "rev-parse", f"{commit}^") == head
    assert git(forge.repository, "diff-tree", "-r", "--name-only", "--no-commit-id", commit) == TEST
    assert git(forge.repository, "show", f"{commit}:{TEST}") + "\n" == RIGHT
    assert len(forge.requests) == 1
    assert forge.requests[0].get("head", forge.requests[0].get("source_branch", "")).endswith(branch)
    assert len({key for key, _ in forge.notices}) == 1
    told = forge.notices[-1][1]
    assert (told["passed"], told["files"], told["change"]) == (True, [TEST], head)
    assert forge.faults == []
    assert git(root, "status", "--porcelain") == f"?? {TEST}"
    assert git(root, "branch", "--format=%(refname:short)") == "main"


@pytest.mark.parametrize("kind", ["github", "gitlab"])
def test_a_commit_gets_tests_that_are_run_mended_judged_and_handed_in(tmp_path: Path, kind: str) -> None:
    with flow_of(tmp_path, kind) as flow:
        op = flow.done()
        assert op.state is OpState.DONE, (op.error, [each.text for each in op.events])
        assert op.result["passed"], op.result
        assert op.result["address"] == f"{flow.forge.address}/octo/demo/requests/1"
        assert op.tokens_used == 60
        handed_in(flow)
        kinds = [each.kind for each in flow.ops.jobs.get(op.op_id).events]
        assert {"thought", "action", "observation", "judged"} <= {*kinds}
        assert flow.workflows.start("HEAD").op_id != op.op_id


def test_killed_at_every_step_each_effect_is_there_once(tmp_path: Path) -> None:
    """Each step is done and not recorded, so that the next attempt does it again; past the most attempts the workflow
    is resumed."""
    with flow_of(tmp_path) as flow:
        op_id, killed, resumed = flow.workflows.start("HEAD").op_id, set[str](), 0

        class Dying(Run):
            def step(self, name: str, act: Any) -> Any:
                def acted() -> Any:
                    result = act()
                    if name not in killed:
                        killed.add(name)
                        raise Killed
                    return result

                return super().step(name, acted)

        while True:
            flow.clock.seconds += 3_600
            claim = flow.ops.jobs.claim([WORKFLOWS], only=op_id)
            if claim is None:
                assert flow.ops.jobs.get(op_id).state is OpState.FAILED
                op_id = flow.workflows.resume(op_id).op_id
                resumed += 1
                continue
            try:
                result = flow.workflows.handle(Dying(flow.ops.jobs, claim, threading.Event()))
            except Killed:
                continue
            flow.ops.jobs.end(claim, Ending(result=result))
            break
        assert result["passed"], result
        assert len(killed) >= 14
        assert resumed >= 2
        handed_in(flow)


def test_without_a_right_it_fails_with_the_reason_and_goes_on_when_a_person_gives_it(tmp_path: Path) -> None:
    model = TillModel()
    agents = AgentSettings(write="allow", tests="allow")
    with flow_of(tmp_path, model=model, agents=agents) as flow:
        op = flow.done()
        assert op.state is OpState.FAILED
        assert "agents.publish" in (op.error or {})["message"]
        assert (flow.forge.requests, set(flow.forge.branches())) == ([], {"main"})
        asked = model.asked
        done = flow.ops.run(flow.workflows.resume(op.op_id, ["publish"]).op_id)
        assert done.state is OpState.DONE, done.error
        assert done.result["passed"], done.result["reasons"]
        assert model.asked == asked, "what is recorded is not paid for again"
        handed_in(flow)


def test_started_again_after_a_limit_it_goes_on_with_the_files_that_it_wrote(tmp_path: Path) -> None:
    with flow_of(tmp_path, steps=5) as flow:
        op = flow.done()
        assert (op.error or {})["limit"] == "steps"
        assert (flow.bench.root / TEST).exists()
        settings = flow.bench.settings
        more = msgspec.structs.replace(settings.workflow, steps=60)
        flow.bench.use_settings(msgspec.structs.replace(settings, workflow=more))
        op = flow.done()
        assert op.state is OpState.DONE, op.error
        handed_in(flow)


def test_a_gate_that_is_not_passed_opens_no_request_and_is_told(tmp_path: Path) -> None:
    with flow_of(tmp_path, retries=0) as flow:
        op = flow.done()
        assert op.state is OpState.DONE, op.error
        assert not op.result["passed"]
        assert op.result["reasons"][0] == "Tests: 1 passed, 1 failed (not green)."
        assert (flow.forge.requests, set(flow.forge.branches())) == ([], {"main"})
        assert [told["passed"] for _, told in flow.forge.notices] == [False]


def test_a_server_that_is_away_for_a_moment_is_asked_again(tmp_path: Path) -> None:
    with flow_of(tmp_path) as flow:
        flow.forge.status = 503
        op = flow.workflows.start("HEAD")
        claim = flow.ops.jobs.claim([WORKFLOWS], only=op.op_id)
        assert claim is not None
        with pytest.raises(WorkflowInterrupted):
            flow.workflows.handle(Run(flow.ops.jobs, claim, threading.Event()))
        flow.forge.status = 0
        flow.clock.seconds += 3_600
        assert flow.ops.run(op.op_id).state is OpState.DONE
        handed_in(flow)


def test_a_branch_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    with flow_of(tmp_path) as flow:
        head = git(flow.bench.root, "rev-parse", "HEAD")
        branch = f"codecortex/tests-{head[:12]}"
        git(flow.forge.repository, "branch", branch, "main~1")
        op = flow.done()
        assert op.state is OpState.FAILED
        assert f"has another branch {branch}" in (op.error or {})["message"]
        assert flow.forge.branches()[branch] == git(flow.bench.root, "rev-parse", "HEAD~1")
        assert flow.forge.requests == []


def test_a_request_that_was_closed_meanwhile_is_not_made_again(tmp_path: Path) -> None:
    with flow_of(tmp_path) as flow:
        first = flow.done()
        flow.forge.requests[0]["state"] = "closed"
        (flow.bench.root / TEST).unlink()
        again = flow.done()
        assert again.op_id != first.op_id
        assert again.result["address"] == first.result["address"]
        assert len(flow.forge.requests) == 1


def test_what_is_not_the_clean_checkout_is_refused(tmp_path: Path) -> None:
    with flow_of(tmp_path) as flow:
        with pytest.raises(UsageError, match="is not checked out"):
            flow.workflows.start("HEAD~1")
        (flow.bench.root / "checks/till.py").write_text("def pay(a):\n    return 0\n")
        with pytest.raises(UsageError, match="has uncommitted changes"):
            flow.workflows.start("HEAD")
        with pytest.raises(UsageError, match="is no commit"):
            flow.workflows.start("staged")


def test_what_a_person_is_asked_about_is_waited_for(tmp_path: Path) -> None:
    """The write becomes a proposal; the job shows that it waits, and goes on once the person has applied it."""
    agents = AgentSettings(write="ask", tests="allow", publish="allow", patience=1)
    with flow_of(tmp_path, agents=agents, retries=0) as flow:
        op_id = flow.workflows.start("HEAD").op_id
        worker = threading.Thread(target=flow.ops.run, args=(op_id,))
        worker.start()
        eventually(lambda: flow.ops.jobs.get(op_id).state is OpState.WAITING)
        (proposal,) = flow.bench.proposals.listed(pending=True)
        assert (proposal.operation, proposal.agent) == ("WriteTestFile", "workflow")
        assert not (flow.bench.root / TEST).exists()
        apply_proposal.run(flow.bench, {"proposalId": proposal.id})
        worker.join(timeout=60)
        op = flow.ops.jobs.get(op_id)
        assert op.state is OpState.DONE, op.error
        assert (flow.bench.root / TEST).exists()


def test_a_person_who_refuses_is_heard(tmp_path: Path) -> None:
    agents = AgentSettings(write="refuse", tests="allow", publish="allow")
    with flow_of(tmp_path, agents=agents) as flow:
        op = flow.done()
        assert (op.state, (op.error or {})["code"]) == (OpState.FAILED, "AgentStopped")
        assert not (flow.bench.root / TEST).exists()
        assert flow.forge.requests == []
