"""Dialogs over the main screen."""

from __future__ import annotations

import pytest
from textual.widgets._toast import Toast

from tests.support.stage import on_stage
from widgets.chrome.pane import Pane
from workbench.ui.modal import Confirm
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


async def test_a_picker_closed_before_it_is_there_is_just_gone() -> None:
    async with on_stage() as stage:
        picker = Picker("Pick", filtered([]))
        stage.app.push_screen(picker)
        picker.dismiss(None)
        await stage.settle()
        picker.on_mount()
        picker._show([])
        assert stage.app.screen is stage.main


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (60, 20)])
@pytest.mark.parametrize("keys", ["comma", "question_mark", "t", "ctrl+p", "ctrl+n", "A"])
async def test_a_toast_stands_beside_a_dialog_never_over_it_and_once(
    size: tuple[int, int], keys: str
) -> None:
    async with on_stage(size=size) as stage:
        await stage.press("escape", keys)
        for _ in range(3):
            stage.app.notify("Something was said that takes some room to be read by a person.", markup=False)
        await stage.settle()
        screen = stage.app.screen
        (toast,) = screen.query(Toast)
        pane = screen.query(Pane).first()
        assert toast.region.height
        assert not toast.region.overlaps(pane.region)
        assert stage.app.size.region.contains_region(pane.region)
