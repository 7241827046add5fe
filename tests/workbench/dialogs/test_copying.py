"""Copying on the screen: what is asked before, what goes where, what is said and kept after."""

from __future__ import annotations

from tests.support.stage import Stage, on_stage
from tests.support.stage_bench import StageBench
from tests.support.stage_window import SECRET
from workbench.dialogs.copy_as import CopyAs, ReceiptsScreen
from workbench.dialogs.copying import NextPart, SecretsDialog
from workbench.state.clipboard import Clipboard


def _secret() -> StageBench:
    bench = StageBench()
    bench.copying.secrets = (SECRET,)
    return bench


async def _pinned(stage: Stage) -> None:
    await stage.press("escape", "space")


async def test_y_copies_keeps_a_receipt_and_says_how_it_went() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await _pinned(stage)
        await stage.press("y")
        assert stage.copied == ["# Tree\n"]
        assert [len(copy.receipt.items) for copy in bench.copying.kept] == [1]
        assert stage.noted[-1] == "100 tokens, 1 item copied to the system clipboard."


async def test_an_approximate_count_says_from_where_to_where_it_may_go() -> None:
    bench = StageBench()
    bench.models.choose("claude-opus", None)
    async with on_stage(bench) as stage:
        await _pinned(stage)
        await stage.press("y")
        assert stage.noted[-1].startswith("≈100 tokens (85 to 115), 1 item copied")


async def test_what_nothing_took_leaves_no_receipt() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await _pinned(stage)
        stage.main.clipboard = Clipboard(_broken, None, None)
        await stage.press("y")
        assert bench.copying.kept == []
        assert "could not be copied" in stage.noted[-1]


def _broken(_: str) -> None:
    raise OSError("no clipboard")


async def test_secrets_are_asked_about_once_and_masked_unless_allowed() -> None:
    bench = _secret()
    async with on_stage(bench) as stage:
        await _pinned(stage)
        await stage.press("y")
        assert isinstance(stage.app.screen, SecretsDialog)
        assert "src/[b]Tree.cs:9" in str(stage.app.screen.rows.current)
        assert stage.copied == []
        await stage.press("enter")
        assert stage.copied == [f"# Tree\n{SECRET.placeholder}\n"]
        assert "1 likely secret masked" in stage.noted[-1]
        await stage.press("y")
        assert len(stage.copied) == 2


async def test_a_secret_is_allowed_once_always_and_masked_again() -> None:
    bench = _secret()
    async with on_stage(bench) as stage:
        await _pinned(stage)
        await stage.press("y", "o", "enter")
        assert stage.copied == ["# Tree\nthe secret\n"]
        await stage.press("y", "a", "m", "space", "space", "enter")
        assert bench.copying.always == [SECRET.code]
        await stage.press("y")
        assert stage.copied[1:] == ["# Tree\nthe secret\n"] * 2


async def test_esc_copies_nothing() -> None:
    async with on_stage(_secret()) as stage:
        await _pinned(stage)
        await stage.press("y", "escape")
        assert (stage.copied, stage.app.screen) == ([], stage.main)


async def test_copy_as_turns_every_row_and_shows_what_comes_of_it() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await _pinned(stage)
        await stage.press("Y")
        dialog = stage.app.screen
        assert isinstance(dialog, CopyAs)
        await stage.press("space", "right", "left", "down", "space", "down", "enter")
        await stage.type("explain")
        await stage.press("enter", "down", "space")
        await stage.type("5")
        await stage.press("enter")
        assert "no number of tokens from 100" in str(dialog.said.content)
        await stage.press("backspace")
        await stage.type("1k")
        await stage.press("enter", "down", "space")
        assert "Nothing was copied for gpt-5 yet" in str(dialog.detail.content)
        await stage.press("space", "y")
        wanted = bench.copying.wanted[-1]
        assert (wanted.form, wanted.template, wanted.task) == ("xml", "task-last", "explain")
        assert (wanted.part_tokens, wanted.changed) == (1_000, False)


async def test_what_is_typed_takes_the_place_of_a_name_that_is_offered() -> None:
    async with on_stage() as stage:
        await _pinned(stage)
        await stage.press("Y", "f")
        screen = stage.app.screen
        assert isinstance(screen, CopyAs)
        assert screen.asked.value == "window.md"
        await stage.type("out.md")
        assert screen.asked.value == "out.md"
        await stage.press("escape", "f", "end")
        await stage.type("x")
        assert screen.asked.value == "window.mdx"
        await stage.press("escape", "down", "down", "space")
        await stage.type("Why?")
        await stage.press("enter", "space")
        await stage.type("!")
        assert screen.asked.value == "Why?!"


async def test_format_template_and_task_of_a_copy_come_back_on_the_next_start() -> None:
    bench = StageBench(kept=True)
    async with on_stage(bench) as stage:
        await _pinned(stage)
        await stage.press("Y", "space", "down", "space", "down", "enter")
        await stage.type("explain")
        await stage.press("enter", "y")
    async with on_stage(bench) as stage:
        await stage.press("Y", "y")
        wanted = bench.copying.wanted[-1]
        assert (wanted.form, wanted.template, wanted.task) == ("xml", "task-last", "explain")


async def test_parts_go_one_by_one_and_a_receipt_says_which_were_handed_over() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.press("escape", "space", "down", "space")
        for keys in (("enter",), ("escape",)):
            await stage.press("Y", "down", "down", "down", "enter")
            await stage.type("1k")
            await stage.press("enter", "y")
            assert isinstance(stage.app.screen, NextPart)
            await stage.press(*keys)
        assert stage.copied == ["# Tree\n", "# Height\n", "# Tree\n"]
        assert bench.copying.delivered == [(1, 2), (1,)]
        assert "1 of 2 parts" in stage.noted[-1]


async def test_receipts_are_listed_and_lead_to_what_changed_since() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await _pinned(stage)
        await stage.press("alt+y")
        assert isinstance(stage.app.screen, ReceiptsScreen)
        await stage.press("c", "a", "escape", "y", "alt+y", "enter")
        assert bench.copying.wanted[-1].since == bench.copying.kept[0].receipt.id
        assert "only what changed: 1 changed" in stage.noted[-1]
        await stage.press("alt+y", "a")
        assert bench.copying.wanted[-1].since is None
