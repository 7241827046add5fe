"""Dialogs over the main screen."""

from __future__ import annotations

from tests.support.stage import on_stage
from workbench.commands.palette import Palette
from workbench.ui.confirm import Confirm
from workbench.ui.picker import Picker, filtered


async def test_a_question_answered_twice_closes_nothing_but_itself() -> None:
    answers: list[bool | None] = []
    async with on_stage() as stage:
        question = Confirm("Break it", "Sure?", yes="Break it")
        await stage.app.push_screen(question, answers.append)
        question.action_answer(True)
        question.action_answer(True)
        await stage.settle()
        assert answers == [True]
        assert stage.app.screen is stage.main


async def test_a_palette_closed_twice_closes_nothing_but_itself() -> None:
    async with on_stage() as stage:
        palette = Palette(providers=[])
        await stage.app.push_screen(palette)
        palette._action_escape()
        palette._action_escape()
        await stage.settle()
        assert stage.app.screen is stage.main


async def test_a_picker_closed_before_it_is_there_is_just_gone() -> None:
    async with on_stage() as stage:
        picker = Picker("Pick", filtered([]))
        stage.app.push_screen(picker)
        picker.dismiss(None)
        await stage.settle()
        picker.on_mount()
        picker._show([])
        assert stage.app.screen is stage.main
