"""The patch editor and the proposals of agents, over the real services: nothing is written but what is meant."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from services.bench import Bench
from services.errors import ProposalPending
from services.model.writes import HistoryEntry
from services.operations import by_name
from services.operations.edits.consent import call
from services.settings import AgentSettings, Settings
from services.source.journal.actor import Owner, acting
from tests.support.eventually import until
from tests.support.stage import SIZE, Stage
from tests.support.state import state_of
from tests.support.workspace import edit
from widgets.chrome.pane import Pane
from workbench.dialogs.proposals import ProposalsScreen
from workbench.edits.patch_dialogs import ConflictScreen, HistoryScreen, row_of

FILE = "src/Orchard/Harvesting/HarvestLedger.cs"
ENTER = "public Result<Harvest> Enter(Harvest harvest)"


@asynccontextmanager
async def played(orchard: Path, *, size: tuple[int, int] = SIZE) -> AsyncIterator[Stage]:
    stage = Stage(lambda: Bench.open(orchard, settings=Settings()))
    async with stage.app.run_test(size=size, notifications=True) as stage.pilot:
        await stage.settle()
        yield stage


async def open_enter(stage: Stage) -> None:
    """Edit the method Enter, as a person gets to it."""
    await stage.type("harvestledger.enter")
    await stage.press("enter", "e")
    await until(lambda: stage.main.patch.is_open)
    await until(lambda: stage.main.focused is stage.main.patch.editor)


async def test_keys_that_arrive_together_edit_in_their_order(orchard: Path) -> None:
    async with played(orchard) as stage:
        await open_enter(stage)
        editor = stage.main.patch.editor
        before = editor.text
        stage.type_at_once("home", "a", "b", "c", "backspace", "d", "left", "x")
        await stage.heard()
        assert editor.text.strip().startswith("abxd")
        assert editor.text.replace("abxd", "", 1) == before


async def locked(stage: Stage) -> None:
    await stage.press("ctrl+l")
    await until(lambda: stage.main.patch.held.is_mine)


async def in_conflict(stage: Stage, orchard: Path, theirs: str) -> None:
    """Write a line that was typed, where the file has become `theirs` meanwhile."""
    await open_enter(stage)
    await stage.press("end")
    await stage.type(" // mine")
    await locked(stage)
    edit(orchard, FILE, theirs)
    await stage.press("ctrl+s")
    await until(lambda: isinstance(stage.app.screen, ConflictScreen))


def text(orchard: Path) -> str:
    return (orchard / FILE).read_text()


async def test_edit_lock_write_undo(orchard: Path) -> None:
    before = text(orchard)
    async with played(orchard) as stage:
        await open_enter(stage)
        await stage.press("end")
        await stage.type(" // typed")
        await until(lambda: any("// typed" in line for line in stage.main.patch.diff._lines))
        await locked(stage)
        await stage.press("ctrl+s")
        await until(lambda: f"{ENTER} // typed" in text(orchard))
        await until(lambda: not stage.main.patch.is_changed)
        await stage.press("escape")
        assert not stage.main.patch.is_open
        await stage.press("U")
        await until(lambda: text(orchard) == before)
        await stage.press("R")
        await until(lambda: "// typed" in text(orchard))


async def test_the_history_shows_what_was_written_and_takes_it_back(orchard: Path) -> None:
    before = text(orchard)
    async with played(orchard) as stage:
        await open_enter(stage)
        await stage.press("end")
        await stage.type(" // first")
        await locked(stage)
        await stage.press("ctrl+s")
        await until(lambda: f"{ENTER} // first" in text(orchard))
        await until(lambda: not stage.main.patch.is_changed)
        await stage.press("end")
        await stage.type(" // second")
        await stage.press("ctrl+s")
        await until(lambda: "// first // second" in text(orchard))
        await until(lambda: not stage.main.patch.is_changed)
        await stage.press("escape", "H")
        screen = stage.app.screen
        assert isinstance(screen, HistoryScreen)
        await until(lambda: any(line.endswith("// second") for line in screen.diff._lines))
        assert screen.diff._lines[0].startswith("edit by ")
        await stage.press("down")
        await until(
            lambda: any(line.startswith("+") and line.endswith("// first") for line in screen.diff._lines),
        )
        await stage.press("u")
        await until(lambda: any("no longer what undo takes back" in said for said in stage.said))
        assert "// second" in text(orchard)
        await stage.press("up", "u")
        await until(lambda: len(screen.rows.rows) == 3)
        assert text(orchard).count("//") == before.count("//") + 1
        await stage.press("home", "u")
        await until(lambda: "// first // second" in text(orchard))
        await stage.press("enter")
        assert stage.main.code.opened.endswith(".cs")


async def test_writing_locks_and_unlocks_where_nobody_else_holds_the_lock(orchard: Path) -> None:
    async with played(orchard) as stage:
        await open_enter(stage)
        await stage.press("end")
        await stage.type(" // typed")
        await stage.press("ctrl+s")
        await until(lambda: f"{ENTER} // typed" in text(orchard))
        bench = stage.main.session.bench
        assert bench is not None
        await until(lambda: bench.writer.locks().locks == ())


async def test_where_somebody_else_holds_the_lock_nothing_is_written_and_it_says_why(orchard: Path) -> None:
    before = text(orchard)
    async with played(orchard) as stage:
        await open_enter(stage)
        bench = stage.main.session.bench
        assert bench is not None
        with acting(Owner("claude", "s1")):
            bench.writing.lock(FILE, purpose="work")
        await stage.type("x")
        stage.main.patch.look()
        await until(lambda: stage.main.patch.held.owner not in ("free", "yours"))
        await stage.press("ctrl+s")
        assert any("holds the lock" in said for said in stage.said)
    assert text(orchard) == before


async def test_what_would_not_parse_is_said_before_it_is_written_and_lines_are_indented(
    orchard: Path,
) -> None:
    async with played(orchard) as stage:
        await open_enter(stage)
        await stage.press("down", "end", "enter")
        assert stage.main.patch.editor.code.splitlines()[2] == "        "
        await stage.type("if (")
        await until(lambda: "would not parse" in (state.problem if (state := stage.main.patch.state) else ""))
        await stage.press(*["backspace"] * 4)
        await until(lambda: stage.main.patch.state is not None and not stage.main.patch.state.problem)


async def test_what_was_typed_comes_back_on_the_next_start(orchard: Path) -> None:
    before = text(orchard)
    async with played(orchard) as stage:
        await open_enter(stage)
        await stage.type("// never written ")
        await until((state_of(orchard) / "drafts").exists)
        await stage.settle()
        await stage.pilot.pause(0.3)
    async with played(orchard) as stage:
        await until(lambda: any("never written" in said for said in stage.noted))
        await stage.press("enter", "e")
        await until(lambda: stage.main.patch.is_open)
        assert stage.main.patch.editor.text.startswith("// never written ")
        await stage.press("f8", "y")
        assert not stage.main.patch.is_open
    assert text(orchard) == before
    assert not list((state_of(orchard) / "drafts").glob("*.json"))


@pytest.mark.parametrize("size", [(120, 36), (80, 24)])
@pytest.mark.parametrize("keys", [("f4",), ("x", "f8", "y")])
async def test_the_code_has_the_keyboard_once_the_editor_is_closed(
    orchard: Path, keys: tuple[str, ...], size: tuple[int, int]
) -> None:
    async with played(orchard, size=size) as stage:
        await open_enter(stage)
        await stage.press(*keys)
        await until(lambda: not stage.main.patch.is_open)
        await until(lambda: stage.main.focused is stage.main.code.front)


async def test_a_conflict_is_decided_by_a_person_and_loses_nobodys_lines(orchard: Path) -> None:
    async with played(orchard) as stage:
        await in_conflict(stage, orchard, "// theirs\n" + text(orchard))
        assert "// mine" not in text(orchard)
        await stage.press("enter")
        await until(lambda: f"{ENTER} // mine" in text(orchard))
        assert text(orchard).startswith("// theirs\n")
        await until(lambda: any("written with both changes" in said for said in stage.said))


@pytest.mark.parametrize("side", ["mine", "theirs"])
async def test_where_both_changed_a_line_nothing_is_written_before_a_side_is_chosen(
    orchard: Path, side: str
) -> None:
    async with played(orchard) as stage:
        theirs = text(orchard).replace(ENTER, f"{ENTER} // theirs")
        await in_conflict(stage, orchard, theirs)
        await stage.press("enter")  # looks at both sides: there is nothing to write yet
        assert text(orchard) == theirs
        await stage.press(side[0])
        await stage.pilot.click(stage.app.screen.query_one("KeyLine"), offset=(2, 0))
        said = "with your lines" if side == "mine" else "stays as it was changed elsewhere"
        await until(lambda: any(said in each for each in stage.said))
        assert f"{ENTER} // {side}" in text(orchard)


async def test_anothers_lock_is_named_and_can_be_broken_after_asking(orchard: Path) -> None:
    with Bench.open(orchard, settings=Settings()) as other:
        other.index.load()
        with acting(Owner("claude", "s1")):
            other.writing.lock(FILE)
        async with played(orchard) as stage:
            await open_enter(stage)
            await until(lambda: "claude" in stage.main.patch.held.owner)
            await stage.press("ctrl+l")
            assert any("claude" in said and "break it" in said for said in stage.said)
            line = stage.main.patch.line.render().plain
            assert re.search(r"locked by claude/\S+ for [45] min .*\[\^b break\]", line), line
            assert "lock]" not in line
            await stage.press("ctrl+b", "y")
            await until(lambda: stage.main.patch.held.is_mine)
            await stage.settle()
            assert "[^l lock]" in stage.main.patch.line.render().plain


def proposed(
    bench: Bench, *, file: str = FILE, line: str = ENTER, whole: Sequence[str] = (), last: int = 0
) -> str:
    """An agent's change of the method Enter, or another line, or of the `whole` file up to its `last` line; its id."""
    setter, arguments = by_name("setObjectSourceV2"), {}
    with acting(Owner("claude", "s1")):
        lines = bench.sources.read(file)
        lock = bench.writing.lock(file)
        number = next(at for at, each in enumerate(lines.content.split("\n"), 1) if line in each)
        arguments = {
            "object": file,
            "token": lines.token,
            "lockHandle": lock.lock_handle,
            "startLine": number,
        }
        arguments |= {"endLine": number, "content": f"    {line} // agent\n"}
        if whole:
            arguments |= {"startLine": 1, "endLine": last, "content": "".join(whole)}
        assert setter is not None
        with pytest.raises(ProposalPending) as pending:
            call(bench, setter, arguments)
    return pending.value.details["proposalId"]


@contextmanager
def asking(orchard: Path) -> Iterator[Bench]:
    """The bench of an agent whose changes a person decides about; it does not wait for that."""
    settings = Settings(agents=AgentSettings(write="ask", patience=0))
    with Bench.open(orchard, settings=settings, lasting=False) as agent:
        agent.index.load()
        yield agent


async def looked_at(stage: Stage) -> ProposalsScreen:
    """The proposals on the screen, once it was told that there is one."""
    await until(lambda: any("claude wants to change" in said for said in stage.noted))
    await stage.press("escape", "A")
    screen = stage.app.screen
    assert isinstance(screen, ProposalsScreen)
    await until(lambda: screen.current is not None)
    return screen


@pytest.mark.parametrize("decision", ["apply", "change", "refuse"])
async def test_a_proposal_shows_by_itself_and_is_decided(orchard: Path, decision: str) -> None:
    before = text(orchard)
    async with played(orchard) as stage:
        with asking(orchard) as agent:
            id_ = proposed(agent)
            await until(lambda: any("claude wants to change" in said for said in stage.noted))
            # The keyboard is in the box, where A is a letter.
            assert any(
                "esc, then A shows it." in notice.what_to_do for notice in stage.main.log_of_notices.notices
            )
            screen = await looked_at(stage)
            assert any("// agent" in line for line in screen.diff._lines)
            assert text(orchard) == before
            if decision == "apply":
                await stage.press("a")
            elif decision == "change":
                await stage.press("e", "end")
                await stage.type(" and me")
                await stage.press("ctrl+s")
            else:
                await stage.press("r")
                await stage.type("No.")
                await stage.press("enter")
            await until(lambda: agent.proposals.get(id_).state != "pending")
            expected = {"apply": ("applied", "// agent\n"), "change": ("changed", "// agent and me\n"),
                        "refuse": ("refused", "")}[decision]  # fmt: skip
            assert agent.proposals.get(id_).state == expected[0]
            assert (f"{ENTER} {expected[1]}" in text(orchard)) if expected[1] else (text(orchard) == before)
            assert agent.proposals.get(id_).reason == ("No." if decision == "refuse" else "")


async def test_a_proposal_is_taken_by_hunks_and_what_would_not_parse_is_said_before(orchard: Path) -> None:
    before = text(orchard)
    async with played(orchard) as stage:
        with asking(orchard) as agent:
            lines = before.splitlines(keepends=True)
            id_ = proposed(agent, whole=["// first\n", *lines[:-1], "} } }\n", *lines[-1:]], last=len(lines))
            screen = await looked_at(stage)
            pane = screen.query_one(Pane)
            await until(lambda: "would not parse" in pane.note)
            await stage.press("n", "n", "space")
            assert screen.diff.left_out == {1}
            await until(lambda: not pane.note)
            await stage.press("a")
            await until(lambda: agent.proposals.get(id_).state == "changed")
    assert text(orchard) == "// first\n" + before


async def test_a_rename_that_an_agent_proposes_is_looked_at_and_written_in_every_file(orchard: Path) -> None:
    rename = by_name("RenameSymbol")
    assert rename is not None
    before = {path: path.read_text("utf-8") for path in orchard.rglob("*.cs")}
    async with played(orchard) as stage:
        with asking(orchard) as agent:
            with acting(Owner("claude", "s1")), pytest.raises(ProposalPending) as pending:
                call(agent, rename, {"object": "HarvestLedger.Enter", "newName": "Record"})
            screen = await looked_at(stage)
            assert any("Record(Harvest harvest)" in line for line in screen.diff._lines)
            assert all(path.read_text("utf-8") == was for path, was in before.items())
            await stage.press("a")
            id_ = pending.value.details["proposalId"]
            await until(lambda: agent.proposals.get(id_).state == "applied")
        changed = {path for path, was in before.items() if path.read_text("utf-8") != was}
        assert len(changed) > 1
        assert ENTER.replace("Enter", "Record") in text(orchard)
        assert not any(re.search(r"\bledger\.Enter\(", path.read_text("utf-8")) for path in changed)


async def test_a_proposal_that_comes_leaves_what_is_looked_at_and_typed_as_it_was(orchard: Path) -> None:
    async with played(orchard) as stage:
        with asking(orchard) as agent:
            first = proposed(agent)
            screen = await looked_at(stage)
            await stage.press("r")
            await stage.type("Not like")
            second = proposed(agent, file="src/Orchard/Trees/Tree.cs", line="public")
            await until(lambda: len(screen._proposals) == 2)
            assert [each.id for each in screen._proposals] == [second, first]
            await stage.type(" this.")
            await stage.pilot.click(screen.keys, offset=(2, 0))
            await until(lambda: agent.proposals.get(first).state != "pending")
            assert agent.proposals.get(first).reason == "Not like this."
            assert agent.proposals.get(second).state == "pending"


@pytest.mark.parametrize("decision", ["ApplyProposal", "RefuseProposal"])
async def test_what_is_decided_elsewhere_is_told_and_no_other_takes_its_place(
    orchard: Path, decision: str
) -> None:
    async with played(orchard) as stage:
        with asking(orchard) as agent:
            other = proposed(agent, file="src/Orchard/Trees/Tree.cs", line="public")
            first = proposed(agent)
            screen = await looked_at(stage)
            await until(lambda: len(screen._proposals) == 2)
            assert screen.current is not None
            assert screen.current.id == first
            await stage.press("r")
            await stage.type("Not like")
            decide(agent, decision, first)
            did = "applied" if decision == "ApplyProposal" else "refused"
            await until(lambda: any(f"{FILE} was {did} by " in said for said in stage.said))
            assert any("What you typed was not used." in said for said in stage.said)
            await stage.type(" a")  # what is typed on is no key for another proposal
            await stage.press("enter")
            await stage.settle()
            assert [each.id for each in screen._proposals] == [other]
            assert screen.current is None
            assert agent.proposals.get(other).state == "pending"
            assert "Choose one" in screen.diff.empty
            await stage.press("down", "a")
            await until(lambda: agent.proposals.get(other).state == "applied")


async def test_who_decides_second_is_told_what_became_of_it(
    orchard: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two screens, one moment: the other one's decision is made, and has not shown here yet."""
    before = text(orchard)
    async with played(orchard) as stage:
        with asking(orchard) as agent:
            id_ = proposed(agent)
            screen = await looked_at(stage)
            read = screen.read
            monkeypatch.setattr(screen, "read", lambda: None)
            decide(agent, "RefuseProposal", id_)
            await stage.press("a", "a")
            await until(lambda: any("was refused by" in said for said in stage.said))
            monkeypatch.setattr(screen, "read", read)
            screen.read()
            await until(lambda: not screen._proposals)
            await stage.settle()
            told = [said for said in stage.said if "was refused by" in said]
            assert len(told) == 1
            assert told[0].endswith("Names matter.")
            assert text(orchard) == before


async def test_a_change_of_a_file_that_has_changed_says_what_a_person_can_do(orchard: Path) -> None:
    async with played(orchard) as stage:
        with asking(orchard) as agent:
            id_ = proposed(agent)
            (orchard / FILE).write_text("// somebody else\n" + text(orchard))
            after = text(orchard)
            screen = await looked_at(stage)
            await stage.press("a")
            await until(lambda: any("Refuse the change and say so" in said for said in stage.said))
            assert any("Nothing was written." in said for said in stage.said)
            assert (agent.proposals.get(id_).state, text(orchard)) == ("pending", after)
            assert screen.current is not None
            await stage.press("r")
            await stage.type("It has changed.")
            await stage.press("enter")
            await until(lambda: agent.proposals.get(id_).state == "refused")


def decide(bench: Bench, operation: str, id_: str) -> None:
    """A person decides in another process."""
    found = by_name(operation)
    assert found is not None
    found.run(
        bench, {"proposalId": id_} | ({"reason": "Names matter."} if operation == "RefuseProposal" else {})
    )


def test_a_write_of_today_is_told_by_its_hour_alone() -> None:
    now = datetime.now().astimezone()
    for at, shown in (
        (now, f"{now:%H:%M}"),
        (now - timedelta(days=2), f"{now - timedelta(days=2):%m-%d %H:%M}"),
    ):
        moment = int(at.timestamp() * 1000)
        row = row_of(HistoryEntry(group=1, kind="edit", at=moment, owner="a", files=("A.cs",), undone=False))
        assert row.tail == shown
