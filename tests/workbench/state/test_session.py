"""The workspace's life under a screen: nothing has ended before the screen has heard how it ended."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from textual.app import App
from textual.message import Message

from services.bench import Bench
from services.errors import WorkspaceError
from services.model import Window
from tests.support.eventually import until
from tests.support.stage_bench import StageBench
from workbench.state.session import Session


class Host(App[int]):
    """Has a session, and notes what is under way when it hears of something, and when a key would be handed on."""

    def __init__(self, open_bench: Callable[[], Bench]) -> None:
        super().__init__()
        self.session = Session(self, open_bench)
        self.heard: list[tuple[str, bool]] = []
        """What was heard of, and whether it was under way still."""

    def _hear(self, message: Message, *, under_way: bool) -> None:
        self.heard.append((type(message).__name__, under_way))

    def on_session_refused(self, message: Session.Refused) -> None:
        self._hear(message, under_way=self.session.is_opening)

    def on_session_window_read(self, message: Session.WindowRead) -> None:
        self._hear(message, under_way=self.session.is_opening or self.session.is_changing)

    def on_session_missing_types_found(self, message: Session.MissingTypesFound) -> None:
        self._hear(message, under_way=self.session.is_weighing)

    def on_tell(self, message: Message) -> None:
        self._hear(message, under_way=self.session.is_changing)


def _no_folder() -> Bench:
    raise WorkspaceError("There is no folder here.")


async def test_a_workspace_that_cannot_be_opened_is_being_opened_until_that_is_heard() -> None:
    app = Host(_no_folder)
    async with app.run_test():
        app.session.open()
        await until(lambda: not app.session.is_opening)
        assert app.heard == [("Refused", True)]


async def test_a_workspace_is_being_opened_until_its_window_is_heard_of() -> None:
    app = Host(lambda: StageBench(kept=True))
    async with app.run_test():
        app.session.open()
        await until(lambda: app.session.bench)
        app.session.read_window()
        await until(lambda: not app.session.is_opening)
        assert app.heard == [("WindowRead", True)]


def _refused(_: Bench) -> Window:
    raise WorkspaceError("There is no room here.")


@pytest.mark.parametrize(
    ("change", "heard"),
    [(lambda bench: bench.window.render(), "WindowRead"), (_refused, "Tell")],
    ids=["made", "refused"],
)
async def test_a_change_is_being_made_until_it_is_heard_of(
    change: Callable[[Bench], Window], heard: str
) -> None:
    app = Host(lambda: StageBench(kept=True))
    async with app.run_test():
        app.session.open()
        await until(lambda: app.session.bench)
        app.session.change(change)
        await until(lambda: not app.session.is_changing)
        assert app.heard == [(heard, True)]


async def test_what_the_window_lacks_is_being_worked_out_until_it_is_heard_of() -> None:
    app = Host(lambda: StageBench(kept=True))
    async with app.run_test():
        app.session.open()
        await until(lambda: app.session.bench)
        app.session.find_missing_types()
        await until(lambda: not app.session.is_weighing)
        assert app.heard == [("MissingTypesFound", True)]
