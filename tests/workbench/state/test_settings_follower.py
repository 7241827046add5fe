"""Settings files that are changed by hand while the program runs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.app import App

from services.settings import PROJECT_FILE, Settings, load
from tests.support.eventually import until
from workbench.state.own_settings import UNTIL_START, OwnSettings, SettingsFollower, changed_line
from workbench.ui.messages import Tell


class Host(App[int]):
    """Follows the files of a folder, and notes what it is told and what is in force."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.mine, self.project = folder / "mine.toml", folder / PROJECT_FILE
        self.applied: list[str] = []
        self.own = OwnSettings(Settings(), self.mine, lambda key, _: self.applied.append(key))
        self.follower = SettingsFollower(self, self.own, folder)
        self.told: list[str] = []
        self.changes = 0

    def on_tell(self, event: Tell) -> None:
        self.told.append(event.notice.message)

    def on_settings_follower_changed(self) -> None:
        self.changes += 1

    async def look(self) -> None:
        """Once, to its end."""
        self.follower.look()
        await until(lambda: not self.follower._jobs.is_running("look"))
        heard: list[bool] = []
        self.call_later(heard.append, True)
        await until(lambda: heard)


@asynccontextmanager
async def followed(folder: Path) -> AsyncIterator[Host]:
    app = Host(folder)
    async with app.run_test():
        await app.look()
        yield app


async def test_what_is_changed_by_hand_counts_at_once_and_is_told_with_its_value(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("[window]\nbudget = 900\n")
    async with followed(tmp_path) as app:
        assert (app.told, app.changes) == ([], 0)
        app.mine.write_text("[window]\nbudget = 16000\n")
        await app.look()
        assert app.own.settings.window.budget == 16_000
        assert (app.applied, app.changes) == (["window.budget"], 1)
        assert app.told == ["Settings were changed: window.budget is 16000."]
        app.mine.unlink()
        await app.look()
        assert app.own.settings.window.budget == Settings().window.budget


async def test_the_file_of_the_project_is_followed_too(tmp_path: Path) -> None:
    async with followed(tmp_path) as app:
        app.project.write_text("[window]\nbudget = 900\n[ui]\ntheme = 'x'\n")
        await app.look()
        assert app.own.settings.window.budget == 900
        assert app.told == [
            "Settings were changed: window.budget is 900.",
            f"{app.project}:4: 'ui.theme' is personal; set it in your own file.",
        ]


async def test_what_cannot_be_at_once_is_told_to_count_from_the_next_start_on(tmp_path: Path) -> None:
    async with followed(tmp_path) as app:
        app.mine.write_text("[cache]\nconflict_check = false\n")
        await app.look()
        assert app.applied == []
        assert app.told == ["Settings were changed: cache.conflict_check is false, from the next start on."]
        assert app.own.origins(tmp_path)["cache.conflict_check"].source == UNTIL_START


async def test_an_error_is_told_with_its_line_once_and_changes_nothing(tmp_path: Path) -> None:
    async with followed(tmp_path) as app:
        app.mine.write_text("# mine\n[window]\nbudget = 'much'\n")
        await app.look()
        await app.look()
        assert len(app.told) == 1
        assert app.told[0].startswith(f"{app.mine}:3: window.budget cannot be 'much'; it is a whole number")
        app.mine.write_text("# mine\n[window\n")
        await app.look()
        assert "is not a settings file" in app.told[1]
        assert "line 2" in app.told[1]
        assert app.own.settings == Settings()
        app.mine.write_text("[window]\nbudget = 900\n")
        await app.look()
        assert app.own.settings.window.budget == 900


async def test_what_was_written_here_is_no_news_but_what_was_changed_beside_it_is(tmp_path: Path) -> None:
    async with followed(tmp_path) as app:
        app.project.write_text("[window]\nbudget = 900\n")
        app.own.keep("agents.write", "ask")
        app.own.apply("agents.write", tmp_path)
        await app.look()
        assert app.told == ["Settings were changed: window.budget is 900."]
        app.own.forget("agents.write")
        await app.look()
        assert len(app.told) == 1


def test_of_many_changes_a_few_are_told_by_name(tmp_path: Path) -> None:
    keys = ("window.budget", "ui.theme", "agents.write", "index.workers", "cache.ttl", "cache.size")
    said = changed_line(keys, load(None, user_file=tmp_path / "none.toml", environment={}))
    assert said.startswith("Settings were changed: window.budget is ")
    assert said.endswith("; and 2 more.")
