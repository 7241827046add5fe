"""What agents, and people in other processes, do to files shows on the screen with their names."""

from __future__ import annotations

import queue

import pytest

from services.model import Window
from services.model.writes import HistoryEntry, LockAnswer, OthersAnswer
from tests.support.eventually import until
from tests.support.stage import Stage, on_stage
from tests.support.stage_bench import ROW, TREE, StageBench
from workbench.main.sentences import others_line, written_line


def lock(owner: str = "claude/s1/rename", *files: str, at: int = 1_000) -> LockAnswer:
    files = files or ("src/Tree.cs",)
    return LockAnswer(
        object=files[0], files=files, owner=owner, taken_at=at, lease_end=at, seconds=300.0, fence=1
    )


def write(*files: str, kind: str = "edit", at: int = 2_000, group: int = 1) -> HistoryEntry:
    files = files or ("src/Tree.cs",)
    return HistoryEntry(group=group, kind=kind, at=at, owner="claude/s1", files=files, undone=False)


@pytest.mark.parametrize(
    ("others", "said"),
    [
        (OthersAnswer(), ""),
        (OthersAnswer(locks=(lock(),)), "claude locked Tree.cs"),
        (OthersAnswer(locks=(lock("ada/7"), lock("bob/8", "a/B.cs", "a/C.cs"))), "bob locked B.cs +1"),
        (OthersAnswer(locks=(lock(at=3_000),), written=(write(),)), "claude locked Tree.cs"),
    ],
)
def test_the_last_thing_that_others_did_is_said(others: OthersAnswer, said: str) -> None:
    assert others_line(others) == said


@pytest.mark.parametrize("locks", [(), (lock(),)])
@pytest.mark.parametrize(
    ("kind", "verb"), [("edit", "changed"), ("undo", "undid a change of"), ("redo", "redid a change of")]
)
def test_a_write_is_said_with_its_time(locks: tuple[LockAnswer, ...], kind: str, verb: str) -> None:
    said = others_line(OthersAnswer(locks=locks, written=(write(kind=kind), write(group=2))))
    assert said[:-6] == f"claude {verb} Tree.cs"
    assert said[-6] == " "
    assert said[-3] == ":"


async def tell(stage: Stage, bench: StageBench, others: OthersAnswer) -> None:
    bench.writing.elsewhere = others
    for each in bench.shared:
        each(frozenset({"writes"}))
    await stage.settle()


async def test_the_top_line_names_who_locked_and_changed_what_and_the_notices_keep_it() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await tell(stage, bench, OthersAnswer(locks=(lock(),)))
        assert stage.main.status.status.others == "claude locked Tree.cs"
        await tell(stage, bench, OthersAnswer(locks=(lock(),), written=(write(),)))
        assert "claude changed Tree.cs" in stage.main.status.status.others
        await tell(stage, bench, OthersAnswer(written=(write(),)))
        told = [each.message for each in stage.main.log_of_notices.notices]
        assert told.count(written_line(write())) == 1
        assert written_line(write()) == "claude/s1 changed src/Tree.cs."


async def test_who_is_asked_faster_than_answers_come_shows_each_answer_that_was_begun() -> None:
    bench = StageBench()
    answers: queue.Queue[OthersAnswer] = queue.Queue()
    asked: list[int] = []

    def others(*, since: int) -> OthersAnswer:
        asked.append(since)
        return answers.get(timeout=60)

    async with on_stage(bench) as stage:
        bench.writing.others = others

        async def until_said(said: str) -> None:
            await until(lambda: stage.main.status.status.others == said)

        for _ in range(3):
            for each in bench.shared:
                each(frozenset({"writes"}))
            await stage.pilot.pause()
        answers.put(OthersAnswer(locks=(lock(),)))
        await until_said("claude locked Tree.cs")
        answers.put(OthersAnswer(locks=(lock("bob/8", "a/B.cs"),)))
        await until_said("bob locked B.cs")
        await stage.settle()
        assert len(asked) == 2


async def test_a_window_that_agents_change_faster_than_it_is_read_is_shown_all_the_same() -> None:
    bench = StageBench()
    answers: queue.Queue[None] = queue.Queue()
    asked: list[int] = []
    read = bench.render

    def window(*, format: str = "md") -> Window:  # noqa: A002
        asked.append(1)
        answers.get(timeout=60)
        return read(format=format)

    async with on_stage(bench) as stage:
        bench.render = window

        async def until_shown(count: int) -> None:
            shown = stage.main.window
            await until(lambda: shown.window is not None and len(shown.window.items) == count)

        for key in (TREE.id, ROW.id):
            bench.pinned.append(bench._key(key))
            for each in bench.shared:
                each(frozenset({"window"}))
            await stage.pilot.pause()
        bench.pinned.pop()
        answers.put(None)
        await until_shown(1)
        bench.pinned.append(bench._key(ROW.id))
        answers.put(None)
        await until_shown(2)
        await stage.settle()
        assert len(asked) == 2


async def test_a_lock_whose_holder_is_gone_is_not_said_for_ever() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await tell(stage, bench, OthersAnswer(locks=(lock(),)))
        bench.writing.elsewhere = OthersAnswer()
        stage.main.keep_state()
        await stage.settle()
        assert stage.main.status.status.others == ""


@pytest.mark.parametrize(("file", "again"), [("README.md", True), ("src/Tree.cs", False)])
async def test_what_the_index_does_not_know_is_read_again_when_others_wrote_it(
    file: str, again: bool
) -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        seen: list[str] = []
        stage.main.code.visits.reload = lambda: seen.append(file)
        await tell(stage, bench, OthersAnswer(written=(write(file),)))
        assert bool(seen) is again
