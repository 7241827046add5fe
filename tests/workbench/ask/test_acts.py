"""Notes written, pasted, compared and put back in the Semantic view, on a real workspace."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from services.bench import Bench
from services.semantic.values import Author, NoteAnswer, NoteFields
from tests.support.eventually import until
from tests.support.stage import Stage, on_stage
from tests.support.workspace import indexed, opened, project
from workbench.ask.note_screens import AnswerScreen, EarlierScreen, NewerScreen, NoteEditor

FILES = {
    "Shop.csproj": project(),
    "Basket.cs": "namespace Shop; public class Basket { public void Pay() { } }",
}
ANSWER = "ROLE:\n{}\n\nLIFECYCLE:\nb\n\nEDGE_CASES:\nc\n\nLIMITATIONS:\nd\n\nRECOMMENDATIONS:\ne\n"


def fields(role: str) -> NoteFields:
    return NoteFields(role=role, lifecycle="b", edge_cases="c", limitations="d", recommendations="e")


@asynccontextmanager
async def viewed(folder: Path) -> AsyncIterator[tuple[Stage, Bench, str]]:
    """The note of the basket is in front."""
    with indexed(folder, FILES) as bench:
        type_id = bench.lookup.sure("Basket").whole.id
        async with on_stage(bench) as stage:  # pyright: ignore[reportArgumentType]
            stage.main.open(type_id)
            await stage.rest()
            await stage.press("i")
            assert stage.main.code.notes.note is not None
            yield stage, bench, type_id


def shown(stage: Stage) -> NoteAnswer:
    note = stage.main.code.notes.note
    assert note is not None
    return note


async def test_a_note_is_typed_and_kept(tmp_path: Path) -> None:
    async with viewed(tmp_path) as (stage, bench, type_id):
        assert shown(stage).is_static
        await stage.press("e")
        screen = stage.app.screen
        assert isinstance(screen, NoteEditor)
        assert screen.editor.text.startswith("ROLE:\n")
        screen.editor.load_text(ANSWER.format("Holds what is bought."))
        await stage.press("ctrl+s")
        assert shown(stage).fields == fields("Holds what is bought.")
        assert shown(stage).provider.author is Author.PERSON
        assert bench.notes.get(type_id).fields == fields("Holds what is bought.")


async def test_what_was_not_edited_is_not_stored(tmp_path: Path) -> None:
    async with viewed(tmp_path) as (stage, bench, type_id):
        await stage.press("e")
        await stage.press("ctrl+s")
        await stage.settle()
        assert not isinstance(stage.app.screen, NoteEditor)
        assert bench.notes.get(type_id).is_static


async def test_what_is_no_note_is_said_and_stays(tmp_path: Path) -> None:
    async with viewed(tmp_path) as (stage, bench, type_id):
        await stage.press("e")
        screen = stage.app.screen
        assert isinstance(screen, NoteEditor)
        screen.editor.load_text("ROLE:\nHolds.\n")
        await stage.press("ctrl+s")
        assert stage.app.screen is screen
        assert screen.editor.text == "ROLE:\nHolds.\n"
        assert "LIFECYCLE" in stage.noted[-1]
        assert bench.notes.get(type_id).is_static


async def test_what_was_typed_and_not_kept_is_there_again(tmp_path: Path) -> None:
    async with viewed(tmp_path) as (stage, bench, type_id):
        await stage.press("e")
        screen = stage.app.screen
        assert isinstance(screen, NoteEditor)
        screen.editor.load_text("ROLE:\nHalf a thought")
        await stage.press("escape")
        assert bench.notes.get(type_id).is_static
        await stage.press("e")
        again = stage.app.screen
        assert isinstance(again, NoteEditor)
        assert again.editor.text == "ROLE:\nHalf a thought"


async def test_a_note_that_another_wrote_meanwhile_is_not_overwritten_unseen(tmp_path: Path) -> None:
    async with viewed(tmp_path) as (stage, bench, type_id):
        await stage.press("e")
        screen = stage.app.screen
        assert isinstance(screen, NoteEditor)
        bench.notes.put(type_id, fields("Theirs."), Author.AGENT, "claude")
        screen.editor.load_text(ANSWER.format("Mine."))
        await stage.press("ctrl+s")
        assert stage.app.screen is screen
        assert "claude" in stage.noted[-1]
        assert bench.notes.get(type_id).fields.role == "Theirs."
        await stage.press("ctrl+s")
        assert bench.notes.get(type_id).fields.role == "Mine."
        assert [each.fields.role for each in bench.notes.store.history(type_id)] == ["Theirs."]


async def test_the_prompt_is_copied_and_its_answer_pasted(tmp_path: Path) -> None:
    async with viewed(tmp_path) as (stage, _, _):
        await stage.press("p")
        assert "class Basket" in stage.copied[-1]
        await stage.press("v")
        screen = stage.app.screen
        assert isinstance(screen, AnswerScreen)
        screen.editor.load_text(ANSWER.format("Holds what is bought."))
        await stage.press("ctrl+s")
        assert shown(stage).fields.role == "Holds what is bought."
        assert shown(stage).provider.author is Author.MODEL


async def test_a_newer_note_waits_and_is_taken(tmp_path: Path) -> None:
    async with viewed(tmp_path) as (stage, bench, type_id):
        bench.notes.put(type_id, fields("Mine."), Author.PERSON, "me")
        bench.notes.put(type_id, fields("Newer."), Author.MODEL, "m")
        stage.main.code.notes.show(bench, type_id)
        await stage.rest()
        await stage.press("A")
        screen = stage.app.screen
        assert isinstance(screen, NewerScreen)
        assert {"-Mine.", "+Newer."} <= set(screen.diff._lines)
        await stage.press("a")
        assert shown(stage).fields.role == "Newer."
        assert shown(stage).waiting is None


async def test_an_earlier_note_is_put_back(tmp_path: Path) -> None:
    async with viewed(tmp_path) as (stage, bench, type_id):
        bench.notes.put(type_id, fields("First."), Author.PERSON, "me")
        bench.notes.put(type_id, fields("Second."), Author.PERSON, "me")
        stage.main.code.notes.show(bench, type_id)
        await stage.rest()
        await stage.press("H")
        screen = stage.app.screen
        assert isinstance(screen, EarlierScreen)
        assert "-First." in str(screen.detail.content)
        await stage.press("enter")
        assert shown(stage).fields.role == "First."
        assert [each.fields.role for each in bench.notes.store.history(type_id)] == ["Second.", "First."]


async def test_without_a_model_it_is_said_how_to_set_one_up(tmp_path: Path) -> None:
    async with viewed(tmp_path) as (stage, _, _):
        await stage.press("M")
        assert "models.toml" in stage.noted[-1]


async def test_lines_end_where_the_view_does_and_are_copied_whole(tmp_path: Path) -> None:
    async with viewed(tmp_path) as (stage, bench, type_id):
        long = "It " + " ".join(["holds"] * 60)
        bench.notes.put(type_id, fields(long), Author.PERSON, "me")
        view = stage.main.code.notes
        view.show(bench, type_id)
        await stage.rest()
        for size in ((120, 36), (90, 30)):
            await stage.pilot.resize_terminal(*size)
            await stage.rest()
            assert max(map(len, view._lines)) <= view.view_size.width
        await stage.press("c")
        assert long in stage.copied[-1]


async def test_a_note_that_an_agent_writes_elsewhere_shows(tmp_path: Path) -> None:
    async with viewed(tmp_path) as (stage, _, type_id):
        with opened(tmp_path) as other:
            other.index.refresh()
            other.notes.put(type_id, fields("Theirs."), Author.AGENT, "claude")
            await until(lambda: not shown(stage).is_static)
        assert shown(stage).fields.role == "Theirs."
