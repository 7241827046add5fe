"""A question with yes and no: what answers it, and what does not."""

from __future__ import annotations

import pytest
from textual.app import App

from tests.support.eventually import until
from workbench.ui.modal import Confirm


class Host(App[None]):
    """Asks one question; `answers` has what was answered."""

    def __init__(self, *, late: bool) -> None:
        super().__init__()
        self.answers: list[bool | None] = []
        self.question = Confirm("Discard", "Discard it?", yes="Discard", late=late)

    def on_mount(self) -> None:
        self.push_screen(self.question, self.answers.append)


@pytest.mark.parametrize(("key", "answer"), [("y", True), ("n", False), ("escape", False), ("enter", False)])
async def test_keys_answer_a_question_at_once(key: str, answer: bool) -> None:
    app = Host(late=False)
    async with app.run_test() as pilot:
        await pilot.press(key)
        await pilot.pause()
        assert app.answers == [answer]


async def test_letters_typed_when_a_late_question_opens_do_not_answer_it() -> None:
    app = Host(late=True)
    async with app.run_test() as pilot:
        await pilot.press(*"try")
        assert app.answers == []
        await until(lambda: app.question.takes_letters)
        await pilot.press("y")
        await pilot.pause()
        assert app.answers == [True]


async def test_escape_answers_a_late_question_at_once() -> None:
    app = Host(late=True)
    async with app.run_test() as pilot:
        await pilot.press("y", "escape")
        await pilot.pause()
        assert app.answers == [False]
