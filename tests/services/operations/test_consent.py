"""What agents may do, and changes they propose for a person to decide."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from services.bench import Bench
from services.errors import (
    Cancelled,
    LockRequired,
    NotAllowed,
    ProposalDecided,
    ProposalPending,
    ProposalRefused,
    UsageError,
    VersionConflict,
)
from services.llm.values import FunctionCall, ToolCall, ToolResult
from services.model import ProposalState
from services.operations import by_name
from services.operations.edits.consent import call
from services.operations.models.tools import model_owner, usual_tools
from services.settings import AgentSettings, IndexSettings, Settings
from services.source.journal.actor import Owner, acting
from tests.support.eventually import eventually
from tests.support.workspace import edit, write_workspace

AGENT = Owner("claude", "s1")
SOURCE = "class A\n{\n    int a;\n}\n"


def _bench(folder: Path, agents: AgentSettings) -> Bench:
    write_workspace(folder, {"A.cs": SOURCE})
    bench = Bench.open(folder, settings=Settings(index=IndexSettings(workers=1), agents=agents))
    bench.index.refresh()
    return bench


@pytest.fixture
def asking(tmp_path: Path) -> Iterator[Bench]:
    with _bench(tmp_path, AgentSettings(write="ask", patience=0)) as bench:
        yield bench


def run(bench: Bench, name: str, **arguments: Any) -> Any:
    operation = by_name(name)
    assert operation is not None
    return call(bench, operation, arguments)


def change(bench: Bench, *, content: str = "    int b;\n", purpose: str = "") -> dict[str, Any]:
    """What an agent sends to replace line 3."""
    token = run(bench, "getObjectSourceV2", object="A.cs").token
    handle = run(bench, "lock", object="A.cs", purpose=purpose).lock_handle
    lines = {"startLine": 3, "endLine": 3, "content": content}
    return {"object": "A.cs", "token": token, "lockHandle": handle, **lines}


def text(bench: Bench) -> str:
    return bench.sources.read("A.cs").content


def proposed(bench: Bench) -> str:
    """The id of a change that an agent has just proposed."""
    with acting(AGENT), pytest.raises(ProposalPending) as pending:
        run(bench, "setObjectSourceV2", **change(bench))
    return pending.value.details["proposalId"]


def test_an_agent_that_may_write_writes(tmp_path: Path) -> None:
    with _bench(tmp_path, AgentSettings(write="allow")) as bench, acting(AGENT):
        run(bench, "setObjectSourceV2", **change(bench))
        assert "int b;" in text(bench)


def test_a_person_is_asked_about_what_agents_write_unless_they_said_otherwise(tmp_path: Path) -> None:
    assert AgentSettings().write == "ask"
    with _bench(tmp_path, AgentSettings(patience=0)) as bench:
        assert proposed(bench)
        assert text(bench) == SOURCE


def test_an_agent_skips_the_conflict_check_only_where_there_is_none(tmp_path: Path) -> None:
    with _bench(tmp_path, AgentSettings(write="allow")) as bench, acting(AGENT):
        with pytest.raises(UsageError, match=r"^Nothing was written\. .*conflict_check"):
            run(bench, "setObjectSourceV2", **{**change(bench), "skipConflictCheck": True, "token": "x"})
        assert text(bench) == SOURCE


def test_an_agent_that_may_not_write_cannot_even_lock(tmp_path: Path) -> None:
    with _bench(tmp_path, AgentSettings(write="refuse")) as bench, acting(AGENT):
        with pytest.raises(NotAllowed, match=r"agents\.write"):
            run(bench, "lock", object="A.cs")
        assert run(bench, "getObjectSourceV2", object="A.cs").content == SOURCE


def test_an_agent_that_may_not_pin_can_still_read_the_window(tmp_path: Path) -> None:
    with _bench(tmp_path, AgentSettings(pin="refuse")) as bench, acting(AGENT):
        with pytest.raises(NotAllowed, match=r"agents\.pin"):
            run(bench, "Pin", path="A")
        assert run(bench, "GetPromptWindow").tokens == 0


def test_a_proposal_tells_what_for_its_lock_was_taken(asking: Bench) -> None:
    with acting(AGENT), pytest.raises(ProposalPending):
        run(asking, "setObjectSourceV2", **change(asking, purpose="say b, as the others do"))
    (listed,) = run(asking, "ListProposals", pending=True).proposals
    assert listed.purpose == "say b, as the others do"
    run(asking, "ApplyProposal", proposalId=listed.id)
    (written,) = asking.writing.history(None, limit=5).entries
    assert "say b, as the others do" in written.owner


def test_a_change_of_an_agent_waits_for_a_person_and_writes_nothing(asking: Bench) -> None:
    id_ = proposed(asking)
    (listed,) = run(asking, "ListProposals", pending=True).proposals
    assert (listed.id, listed.agent, listed.state) == (id_, "claude", ProposalState.PENDING)
    assert "-    int a;" in listed.diff
    assert "+    int b;" in listed.diff
    assert text(asking) == SOURCE


def test_a_change_that_cannot_be_made_is_refused_at_once(asking: Bench) -> None:
    with acting(AGENT):
        arguments = change(asking) | {"startLine": 30, "endLine": 30}
        with pytest.raises(Exception, match="30"):
            run(asking, "setObjectSourceV2", **arguments)
    assert run(asking, "ListProposals").proposals == ()


def test_applying_writes_in_the_agents_name_and_the_agent_hears_the_answer(asking: Bench) -> None:
    id_ = proposed(asking)
    run(asking, "ApplyProposal", proposalId=id_)
    assert "int b;" in text(asking)
    with acting(AGENT):
        answer = run(asking, "GetProposal", proposalId=id_)
    assert answer.state is ProposalState.APPLIED
    assert answer.answer["token"] == asking.sources.read("A.cs").token
    assert asking.writing.history("A.cs", limit=1).entries[0].owner.startswith("claude")


def test_a_person_may_write_other_lines_in_their_place(asking: Bench) -> None:
    id_ = proposed(asking)
    assert run(asking, "ApplyProposal", proposalId=id_, content="    int c;\n").state == "changed"
    assert "int c;" in text(asking)


def test_a_refusal_reaches_the_agent_with_its_reason(asking: Bench) -> None:
    id_ = proposed(asking)
    run(asking, "RefuseProposal", proposalId=id_, reason="Names matter.")
    answer = run(asking, "GetProposal", proposalId=id_)
    assert (answer.state, answer.reason) == (ProposalState.REFUSED, "Names matter.")
    assert text(asking) == SOURCE
    with pytest.raises(UsageError, match=r"was refused by .*: Names matter\."):
        run(asking, "ApplyProposal", proposalId=id_)


def test_the_call_that_waits_is_answered_by_the_decision(tmp_path: Path) -> None:
    with _bench(tmp_path, AgentSettings(write="ask", patience=120)) as bench:
        results: list[Any] = []

        def agent_call(content: str) -> None:
            with acting(AGENT):
                try:
                    results.append(run(bench, "setObjectSourceV2", **change(bench, content=content)))
                except ProposalRefused as error:
                    results.append(error.details["reason"])
                handle = bench.writer.locks().locks[0]
                bench.writing.break_lock("A.cs", reason=f"done with {handle.object}")

        for decide in ("ApplyProposal", "RefuseProposal"):
            thread = threading.Thread(target=agent_call, args=(f"    int {decide};\n",))
            thread.start()
            pending = eventually(lambda: run(bench, "ListProposals", pending=True).proposals)
            extra = {"reason": "No."} if decide == "RefuseProposal" else {}
            run(bench, decide, proposalId=pending[0].id, **extra)
            thread.join(timeout=120)
        assert results[0]["updated"] is True
        assert results[1] == "No."


def test_a_file_that_changed_meanwhile_leaves_the_proposal_to_be_decided(
    asking: Bench, tmp_path: Path
) -> None:
    id_ = proposed(asking)
    edit(tmp_path, "A.cs", SOURCE.replace("int a", "long a"))
    with pytest.raises(VersionConflict):
        run(asking, "ApplyProposal", proposalId=id_)
    assert run(asking, "GetProposal", proposalId=id_).state is ProposalState.PENDING
    assert "long a" in text(asking)


@pytest.mark.parametrize(
    ("first", "arguments", "outcome"),
    [
        ("ApplyProposal", {}, "was applied by ada."),
        ("ApplyProposal", {"content": "    int c;\n"}, "was applied by ada, with other lines."),
        ("RefuseProposal", {"reason": "Names matter."}, "was refused by ada: Names matter."),
        ("WithdrawProposal", {}, "was withdrawn by ada."),
    ],
)
@pytest.mark.parametrize("second", ["ApplyProposal", "RefuseProposal"])
def test_who_decides_second_hears_what_was_decided_and_does_nothing(
    asking: Bench,
    monkeypatch: pytest.MonkeyPatch,
    first: str,
    arguments: dict[str, str],
    outcome: str,
    second: str,
) -> None:
    monkeypatch.setenv("LOGNAME", "ada")
    id_ = proposed(asking)
    run(asking, first, proposalId=id_, **arguments)
    kept, after = asking.proposals.get(id_), text(asking)
    with pytest.raises(ProposalDecided) as told:
        run(asking, second, proposalId=id_, **({"reason": "No."} if second == "RefuseProposal" else {}))
    assert told.value.message == f"Nothing was done. Proposal {id_}, a change of A.cs, {outcome}"
    assert (asking.proposals.get(id_), text(asking)) == (kept, after)


def test_a_lock_that_lapsed_while_the_proposal_waited_is_taken_for_the_moment(asking: Bench) -> None:
    id_ = proposed(asking)
    asking.writing.break_lock("A.cs", reason="as good as lapsed")
    run(asking, "ApplyProposal", proposalId=id_)
    assert "int b;" in text(asking)
    assert asking.writer.locks().locks == ()


def test_agents_decide_nothing_and_take_back_only_what_is_theirs(asking: Bench) -> None:
    id_ = proposed(asking)
    with acting(AGENT), pytest.raises(NotAllowed, match="person"):
        run(asking, "ApplyProposal", proposalId=id_)
    with acting(Owner("other", "s2")), pytest.raises(ProposalRefused, match="another agent"):
        run(asking, "WithdrawProposal", proposalId=id_)
    with acting(AGENT):
        assert run(asking, "WithdrawProposal", proposalId=id_).state is ProposalState.WITHDRAWN


def test_an_agent_that_asks_again_for_what_waits_is_asked_about_once(asking: Bench) -> None:
    with acting(AGENT):
        first = change(asking)
        with pytest.raises(ProposalPending) as pending:
            run(asking, "setObjectSourceV2", **first)
        asking.writing.unlock("A.cs", first["lockHandle"])
        again = change(asking)
        with pytest.raises(ProposalPending) as once_more:
            run(asking, "setObjectSourceV2", **again)
        with pytest.raises(ProposalPending) as another:
            run(asking, "setObjectSourceV2", **again | {"content": "    int c;\n"})
    assert once_more.value.details["proposalId"] == pending.value.details["proposalId"]
    assert another.value.details["proposalId"] != pending.value.details["proposalId"]
    run(asking, "ApplyProposal", proposalId=pending.value.details["proposalId"])
    assert "int b;" in text(asking)
    with acting(AGENT), pytest.raises(VersionConflict):
        run(asking, "setObjectSourceV2", **again)


def test_another_agents_same_change_is_its_own(asking: Bench) -> None:
    with acting(AGENT):
        arguments = change(asking)
        with pytest.raises(ProposalPending):
            run(asking, "setObjectSourceV2", **arguments)
    asking.writing.break_lock("A.cs", reason="the other one's turn")
    with acting(Owner("other", "s2")), pytest.raises(ProposalPending):
        run(asking, "setObjectSourceV2", **change(asking))
    assert len(run(asking, "ListProposals", pending=True).proposals) == 2


def test_handles_are_never_told(asking: Bench) -> None:
    id_ = proposed(asking)
    assert "lockHandle" not in run(asking, "GetProposal", proposalId=id_).arguments


def execute(bench: Bench, **given: Any) -> ToolResult:
    """A command of a model in a chat."""
    cancel = given.pop("cancel", None)
    registry = usual_tools(bench, (), model_owner("big"), **given)
    function = FunctionCall(name="execute_bash", arguments='{"command": "cat A.cs"}')
    return registry.execute(ToolCall(id="1", function=function), cancel)


def test_a_model_is_told_that_a_person_was_asked_and_has_not_decided(asking: Bench) -> None:
    result = execute(asking)
    assert result.is_error
    assert "A person was asked and has not decided within 0 s: nothing was run." in result.content
    assert "GetProposal" not in result.content, "no tool that it has not"
    (waits,) = asking.proposals.listed(pending=True)
    assert waits.wish == "wants to run cat A.cs"


@pytest.mark.parametrize(
    ("decision", "extra", "told"),
    [
        ("RefuseProposal", {"reason": "Not now."}, "Nothing was run: a person refused it: Not now."),
        ("ApplyProposal", {}, "class A"),
        ("WithdrawProposal", {}, "Nothing was run: "),
    ],
)
def test_a_model_hears_what_a_person_decides_about_its_command(
    tmp_path: Path, decision: str, extra: dict[str, str], told: str
) -> None:
    with _bench(tmp_path, AgentSettings(run="ask", patience=120)) as bench:
        results: list[ToolResult] = []
        phases: list[str] = []
        thread = threading.Thread(
            target=lambda: results.append(execute(bench, progress=lambda at: phases.append(at.phase)))
        )
        thread.start()
        (waits,) = eventually(lambda: bench.proposals.listed(pending=True))
        eventually(lambda: phases)
        run(bench, decision, proposalId=waits.id, **extra)
        thread.join(timeout=120)
        assert phases[0] == f"Waiting for a person to decide about cat A.cs ({waits.id})"
        assert told in results[0].content


def test_a_person_in_the_chat_is_asked_there(asking: Bench) -> None:
    assert "class A" in execute(asking, decide=lambda plan: plan.command == "cat A.cs").content
    assert (
        "The person was asked and refused: nothing was run."
        in execute(asking, decide=lambda _: False).content
    )
    stopped = threading.Event()
    stopped.set()
    with pytest.raises(Cancelled, match="stopped while a person was asked"):
        execute(asking, decide=lambda _: False, cancel=stopped)
    assert asking.proposals.listed(pending=True) == ()


@pytest.mark.parametrize("id_", ["", "../window", "P_12345678", "P_ILOU0000", "P_" + "0" * 100])
def test_ids_that_are_none_are_refused(asking: Bench, id_: str) -> None:
    with pytest.raises(UsageError, match="no proposal"):
        run(asking, "GetProposal", proposalId=id_)


def test_a_damaged_proposal_is_left_out(asking: Bench) -> None:
    proposed(asking)
    asking.state.write("proposals/P_AAAAAAAA.json", b"{")
    assert len(run(asking, "ListProposals").proposals) == 1


def test_a_dry_run_shows_the_diff_and_asks_nobody(asking: Bench) -> None:
    with acting(AGENT):
        answer = run(asking, "setObjectSourceV2", **change(asking), dryRun=True)
    assert not answer.updated
    assert "+    int b;" in answer.diff
    assert run(asking, "ListProposals").proposals == ()
    assert text(asking) == SOURCE


def written(bench: Bench, file: str, line: int, content: str) -> None:
    """A write of a person, under a lock that is given back."""
    token = run(bench, "getObjectSourceV2", object=file).token
    handle = run(bench, "lock", object=file).lock_handle
    place = {"object": file, "token": token, "lockHandle": handle}
    run(bench, "setObjectSourceV2", **place, startLine=line, endLine=line, content=content)
    run(bench, "unLock", object=file, lockHandle=handle)


def asked(bench: Bench, name: str, **arguments: Any) -> ProposalPending:
    """What an agent is answered whose call waits for a person."""
    with acting(AGENT), pytest.raises(ProposalPending) as pending:
        run(bench, name, **arguments)
    return pending.value


@pytest.fixture
def two_files(asking: Bench, tmp_path: Path) -> Bench:
    """Two files, of which A.cs was the last to be written."""
    edit(tmp_path, "B.cs", "class B\n{\n}\n")
    asking.index.refresh()
    written(asking, "A.cs", 3, "    int b;\n")
    return asking


def test_a_proposed_undo_shows_what_it_takes_back_and_takes_back_that(two_files: Bench) -> None:
    details = asked(two_files, "undo").details
    assert "-    int b;\n+    int a;\n" in details["diff"]
    assert "int b;" in text(two_files)
    run(two_files, "ApplyProposal", proposalId=details["proposalId"])
    assert text(two_files) == SOURCE
    details = asked(two_files, "redo").details
    assert "+    int b;\n" in details["diff"]
    run(two_files, "ApplyProposal", proposalId=details["proposalId"])
    assert "int b;" in text(two_files)


@pytest.mark.parametrize("name", ["undo", "redo"])
def test_an_undo_is_refused_once_another_write_is_the_last(two_files: Bench, name: str) -> None:
    """A person decided about what they were shown, not about what they have written since."""
    if name == "redo":
        run(two_files, "undo")
    before = text(two_files)
    id_ = asked(two_files, name).details["proposalId"]
    written(two_files, "B.cs", 1, "class B // important\n")
    with pytest.raises(
        VersionConflict, match=rf"^Nothing was written\. Write \d+ is no longer what {name} takes back"
    ):
        run(two_files, "ApplyProposal", proposalId=id_)
    assert two_files.proposals.get(id_).state is ProposalState.PENDING
    assert "important" in two_files.sources.read("B.cs").content
    assert text(two_files) == before


def test_an_undo_of_another_write_is_another_proposal(two_files: Bench) -> None:
    first = asked(two_files, "undo").details["proposalId"]
    assert asked(two_files, "undo").details["proposalId"] == first
    written(two_files, "B.cs", 1, "class B // important\n")
    again = asked(two_files, "undo").details
    assert again["proposalId"] != first
    assert "important" in again["diff"]


def test_there_must_be_something_to_undo_before_anybody_is_asked(asking: Bench) -> None:
    with acting(AGENT), pytest.raises(UsageError, match="nothing to undo"):
        run(asking, "undo")
    assert run(asking, "ListProposals").proposals == ()


def test_a_lock_is_broken_only_if_it_is_the_one_that_was_shown(asking: Bench) -> None:
    asking.writing.lock("A.cs", purpose="rename")
    id_ = asked(asking, "breakLock", object="A.cs", reason="in my way").details["proposalId"]
    proposal = asking.proposals.get(id_)
    assert asking.writer.locks().locks[0].owner in proposal.object
    asking.writing.break_lock("A.cs", reason="done")
    asking.writing.lock("A.cs", purpose="another thing")
    with pytest.raises(LockRequired, match="that was meant has ended"):
        run(asking, "ApplyProposal", proposalId=id_)
    id_ = asked(asking, "breakLock", object="A.cs", reason="in my way").details["proposalId"]
    run(asking, "ApplyProposal", proposalId=id_)
    assert asking.writer.locks().locks == ()


@pytest.mark.parametrize("given", [{}, {"command": "pytest checks"}])
def test_a_test_run_is_asked_about_by_its_command(asking: Bench, given: dict[str, str]) -> None:
    (asking.root / "checks").mkdir()
    (asking.root / "checks/pytest.ini").write_text("[pytest]\n")
    with acting(AGENT), pytest.raises(ProposalPending) as pending:
        run(asking, "RunTests", **given)
    proposal = asking.proposals.get(pending.value.details["proposalId"])
    assert (proposal.object, proposal.operation) == ("pytest checks", "RunTests")
    assert proposal.diff.startswith("Runs code of this project: pytest checks\n")


def test_a_command_that_waits_was_not_run_rather_than_not_written(asking: Bench) -> None:
    with acting(AGENT), pytest.raises(ProposalPending, match="nothing was run") as pending:
        run(asking, "RunCommand", command="head -n 1 A.cs")
    (proposal,) = asking.proposals.listed(pending=True)
    assert proposal.id == pending.value.details["proposalId"]
    assert "Runs: head -n 1 A.cs" in proposal.diff
    assert f"In: {asking.root}" in proposal.diff
    assert asking.asking.commands.isolation.sentence in proposal.diff
