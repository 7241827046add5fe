"""The notes of the window's types, asked of a chat in one prompt or of a model, on a real workspace."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from services.bench import Bench
from services.semantic.generation import KIND
from services.semantic.values import Author, NoteFields, NoteState
from tests.services.bench.conftest import asking
from tests.support.eventually import until
from tests.support.scripted_model import ScriptedModel
from tests.support.stage import Stage, on_stage
from tests.support.workspace import indexed, project
from workbench.ask.window_notes import BatchAnswer, WindowNotes
from workbench.ui.modal import Confirm

FILES = {
    "Shop.csproj": project(),
    "Basket.cs": "namespace Shop; public class Basket { public Till Till; }",
    "Till.cs": "namespace Shop; public class Till { public Basket Basket; }",
    "Key.cs": "namespace Shop; public class Key { }",
}
ANSWER = "ROLE: {}\nLIFECYCLE: b\nEDGE_CASES: c\nLIMITATIONS: d\nRECOMMENDATIONS: e\n"


@asynccontextmanager
async def listed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Stage, Bench, WindowNotes]]:
    """The notes of three types, two of which share one, are in front."""
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    with indexed(folder / "w", FILES) as bench:
        for name in ("Basket", "Till", "Key"):
            bench.window.pin(name)
        async with on_stage(bench) as stage:  # pyright: ignore[reportArgumentType]
            await stage.press("escape", "alt+t")
            screen = stage.app.screen
            assert isinstance(screen, WindowNotes)
            await until(lambda: len(screen.rows.rows) == 2)
            yield stage, bench, screen


def rows(screen: WindowNotes) -> list[tuple[str, str, str]]:
    return [(row.label, row.sign, row.tail) for row in screen.rows.rows]


def id_of(bench: Bench, name: str) -> str:
    return bench.lookup.sure(name).whole.id


async def test_one_prompt_asks_for_all_and_one_answer_is_taken_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with listed(tmp_path, monkeypatch) as (stage, bench, screen):
        assert rows(screen) == [
            ("Shop.Basket and 1 more", " ", "read off the code"),
            ("Shop.Key", " ", "read off the code"),
        ]
        await stage.press("p")
        prompt = stage.copied[-1]
        heads = [line for line in prompt.splitlines() if line.startswith("# Semantic: Shop.")]
        assert len(heads) == 2
        await stage.press("v")
        box = stage.app.screen
        assert isinstance(box, BatchAnswer)
        box.editor.load_text("\n".join(f"{head}\n{ANSWER.format(at)}" for at, head in enumerate(heads)))
        await stage.press("ctrl+s")
        await until(lambda: {row[1] for row in rows(screen)} == {"¶"})
        assert bench.notes.get(id_of(bench, "Till")).provider.name == "chat"
        assert str(screen.query_one("#over-head").render()) == "2 of 2 notes hold"


async def test_what_of_an_answer_is_no_note_is_said_and_the_rest_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with listed(tmp_path, monkeypatch) as (stage, bench, screen):
        key = id_of(bench, "Key")
        await stage.press("v")
        box = stage.app.screen
        assert isinstance(box, BatchAnswer)
        first = next(row.value for row in screen.rows.rows if row.value != key)
        box.editor.load_text(
            f"# Semantic: Shop.Key {key}\n{ANSWER.format('Opens.')}\n# Semantic: X {first}\nROLE: half"
        )
        await stage.press("ctrl+s")
        await until(lambda: any("1 note kept, 1 refused" in said for said in stage.noted))
        assert stage.app.screen is box, "it stays to be mended"
        assert bench.notes.get(key).fields.role == "Opens."


async def test_a_model_writes_those_that_are_marked_after_the_cost_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with listed(tmp_path, monkeypatch) as (stage, bench, _):
        vars(bench)["asking"] = asking(bench, ScriptedModel(ANSWER.format("Opens doors.")))
        await stage.press("down", "space", "M")
        await until(lambda: isinstance(stage.app.screen, Confirm))
        question = str(stage.app.screen.query_one("Static").render())
        assert question.startswith("Have big write the notes of 1 type? ")
        assert "tokens of prompts, up to 1\u00a0500 of answers: 0.0" in question
        assert "USD" in question
        await stage.press("y")
        key = id_of(bench, "Key")
        await until(lambda: bench.notes.get(key).state is NoteState.CACHED)
        assert bench.notes.get(key).fields.role == "Opens doors."
        assert bench.notes.get(id_of(bench, "Till")).is_static


async def test_making_notes_is_paused_resumed_and_cancelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with listed(tmp_path, monkeypatch) as (stage, bench, screen):
        vars(bench)["asking"] = asking(bench, ScriptedModel())
        await stage.press("z")
        await until(lambda: bench.ops.jobs.paused() == {KIND})
        bench.generation.ask([id_of(bench, "Key")])
        await until(lambda: "1 asked for, paused" in str(screen.query_one("#over-head").render()))
        assert ("Shop.Key", "…", "pending") in rows(screen)
        await stage.press("x")
        await until(lambda: bench.notes.get(id_of(bench, "Key")).state is NoteState.NONE)
        await stage.press("z")
        await until(lambda: bench.ops.jobs.paused() == frozenset())


async def test_a_pause_is_told_and_taken_back_where_nothing_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with listed(tmp_path, monkeypatch) as (stage, bench, screen):
        await stage.press("z")
        await until(lambda: str(screen.query_one("#over-head").render()).endswith(", paused"))
        await stage.press("z")
        await until(lambda: bench.ops.jobs.paused() == frozenset())


async def test_a_list_shows_which_types_have_notes(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        texts = dict.fromkeys(NoteFields.__struct_fields__, "a")
        bench.notes.put(id_of(bench, "Key"), NoteFields(**texts), Author.PERSON)
        async with on_stage(bench) as stage:  # pyright: ignore[reportArgumentType]
            symbols = stage.main.symbols
            await until(lambda: "¶" in symbols._notes.values())
            signs = {row.label: row.note for row in symbols._rows(symbols.answer)} if symbols.answer else {}
            assert signs["Key"] == "¶"
            assert signs["Till"] == ""
