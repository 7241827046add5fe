"""Answers to single letters, kept from one start to the next."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from textual import events

from services.concurrency.cancellation import BackgroundCancel
from services.errors import Cancelled
from tests.support.eventually import until
from tests.support.stage import Stage
from tests.support.stage_bench import ROW, StageBench
from tests.support.workspace import indexed
from workbench.state.held_keys import FILE, Letters, keep_letters

CODE = "class Orchard { void Prune() {} }\nclass Ladder {}"


def _keep(folder: Path) -> None:
    """Answers of the bench on stage, in a folder."""
    bench = StageBench(kept=True)
    keep_letters(bench, BackgroundCancel())  # pyright: ignore[reportArgumentType]
    data = bench.state.read(FILE)
    assert data is not None
    (folder / FILE).write_bytes(data)


def test_a_letter_is_answered_as_it_was_searched_for(tmp_path: Path) -> None:
    with indexed(tmp_path, {"Orchard.cs": CODE}) as bench:
        keep_letters(bench, BackgroundCancel())
        searched = bench.index.search("o")
        letters = Letters(bench.state.where)
        answer = letters.answer("o")
        assert answer is not None
        assert (answer.query, answer.hits, answer.total) == ("o", searched.hits, searched.total)
        assert [letters.answer(query) for query in ("", "or", "O", "1")] == [None] * 4


@pytest.mark.parametrize("data", [b"", b"\x81\xa1o", b"\x81\xa1o\x01", b"\xc1"])
def test_what_cannot_be_read_answers_nothing(tmp_path: Path, data: bytes) -> None:
    (tmp_path / FILE).write_bytes(data)
    letters = Letters(tmp_path)
    assert (letters.answer("o"), letters.answer("o")) == (None, None)


def test_where_nothing_is_kept_nothing_is_answered(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    assert Letters(tmp_path).answer("o") is None
    assert Letters(tmp_path / "none").answer("o") is None
    assert Letters().answer("o") is None


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    _keep(tmp_path)
    (tmp_path / "state" / FILE).symlink_to(tmp_path / FILE)
    assert Letters(tmp_path / "state").answer("r") is None


def test_keeping_ends_when_it_is_cancelled(tmp_path: Path) -> None:
    cancel = BackgroundCancel()
    cancel.set()
    with indexed(tmp_path, {"Orchard.cs": CODE}) as bench, pytest.raises(Cancelled):
        keep_letters(bench, cancel)


async def test_a_letter_is_answered_before_the_workspace_is_open(tmp_path: Path) -> None:
    _keep(tmp_path)
    opens, bench = threading.Event(), StageBench(kept=True)

    def open_bench() -> StageBench:
        opens.wait(60)
        return bench

    stage = Stage(open_bench, kept=tmp_path)
    async with stage.app.run_test(size=(120, 36)) as stage.pilot:
        await until(lambda: stage.has_main and stage.main.focused is not None)
        await stage.pilot.press("r")
        await until(lambda: stage.main.symbols.current is not None)
        assert not any(call.startswith("search") for call in bench.calls)
        await stage.pilot.press("o", "w", "enter")
        opens.set()
        await until(lambda: stage.main.code.opened)
        assert stage.main.symbols.current == ROW
        assert stage.main.code.opened == ROW.id


async def test_the_row_that_was_gone_to_meanwhile_stays_under_the_cursor(tmp_path: Path) -> None:
    _keep(tmp_path)
    opens = threading.Event()

    def open_bench() -> StageBench:
        opens.wait(60)
        return StageBench(kept=True)

    stage = Stage(open_bench, kept=tmp_path)
    async with stage.app.run_test(size=(120, 36)) as stage.pilot:
        await until(lambda: stage.has_main and stage.main.focused is not None)
        await stage.pilot.press("r")
        await until(lambda: stage.main.symbols.results.row_count > 1)
        await stage.pilot.press("down")
        before = stage.main.symbols.current
        opens.set()
        await stage.settle()
        assert stage.main.symbols.results.cursor == 1
        assert stage.main.symbols.current == before


async def test_the_workspace_is_opened_behind_a_letter_that_was_typed_before_the_panes_were_there(
    tmp_path: Path,
) -> None:
    _keep(tmp_path)
    found: list[bool] = []

    def open_bench() -> StageBench:
        found.append(stage.main.symbols.answer is not None)
        return StageBench(kept=True)

    stage = Stage(open_bench, kept=tmp_path)
    stage.app.post_message(events.Key("r", "r"))
    async with stage.app.run_test(size=(120, 36)) as stage.pilot:
        await stage.settle()
    assert found == [True]
