"""Settings changed on the screen: written to the person's file, in force at once where that can be."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.errors import SettingsError
from services.settings import PROJECT_FILE, Settings
from services.settings.load import DEFAULT, PERSON
from services.settings.write import replaced
from workbench.state.own_settings import UNTIL_START, OwnSettings, clashes


class Applied:
    """What the program was told, and the settings it was told it with."""

    def __init__(self) -> None:
        self.told: list[tuple[str, Settings]] = []

    def __call__(self, key: str, settings: Settings) -> None:
        self.told.append((key, settings))


@pytest.fixture
def applied() -> Applied:
    return Applied()


@pytest.fixture
def own(tmp_path: Path, applied: Applied) -> OwnSettings:
    return OwnSettings(Settings(), tmp_path / "mine" / "settings.toml", applied)


def test_a_value_is_written_and_in_force_at_once(own: OwnSettings, applied: Applied) -> None:
    own.keep("window.budget", "16000")
    assert own.apply("window.budget", None)
    assert (own.settings.window.budget, applied.told) == (16_000, [("window.budget", own.settings)])
    assert "budget = 16000" in own.file.read_text()


def test_one_that_is_taken_out_is_again_what_the_program_has(own: OwnSettings) -> None:
    own.keep("window.budget", "16000")
    own.apply("window.budget", None)
    own.forget("window.budget")
    own.apply("window.budget", None)
    assert own.settings.window.budget == Settings().window.budget


def test_what_counts_is_in_force_and_not_what_was_written(own: OwnSettings, tmp_path: Path) -> None:
    """The file of the workspace counts before the person's."""
    (tmp_path / PROJECT_FILE).write_text("[window]\nbudget = 900\n")
    own.keep("window.budget", "16000")
    own.apply("window.budget", tmp_path)
    assert own.settings.window.budget == 900


def test_others_that_were_set_for_this_run_stay_as_they_are(tmp_path: Path, applied: Applied) -> None:
    own = OwnSettings(replaced(Settings(), "window.budget", 901), tmp_path / "settings.toml", applied)
    own.keep("ui.theme", "codecortex-light")
    own.apply("ui.theme", None)
    assert (own.settings.window.budget, own.settings.ui.theme) == (901, "codecortex-light")


def test_what_needs_another_start_says_so_and_tells_nobody(own: OwnSettings, applied: Applied) -> None:
    own.keep("index.workers", "2")
    assert own.apply("index.workers", None) is False
    assert (applied.told, own.settings) == ([], Settings())


@pytest.mark.parametrize(
    ("key", "text", "said"),
    [
        ("window.budget", "much", "it is a whole number"),
        ("window.budget", "", "it is a whole number"),
        ("window.bugdet", "1", "Did you mean"),
        ("nonsense", "1", "There is no setting"),
    ],
)
def test_what_is_not_allowed_is_refused_and_nothing_is_written(
    own: OwnSettings, key: str, text: str, said: str
) -> None:
    with pytest.raises(SettingsError, match=said):
        own.keep(key, text)
    assert not own.file.exists()


def test_a_value_that_waits_for_the_next_start_is_not_said_to_be_of_the_command_line(
    own: OwnSettings,
) -> None:
    before = own.origins(None)["index.workers"]
    own.keep("index.workers", "7")
    own.apply("index.workers", None)
    waiting = own.origins(None)["index.workers"]
    assert (waiting.value, waiting.source, waiting.own) == (before.value, UNTIL_START, True)
    own.forget("index.workers")
    own.apply("index.workers", None)
    assert own.origins(None)["index.workers"] == before


def test_themes_lie_beside_the_file(own: OwnSettings) -> None:
    assert own.themes == own.file.parent / "themes"


def test_where_a_value_comes_from_is_told(own: OwnSettings) -> None:
    own.keep("window.budget", "16000")
    own.apply("window.budget", None)
    origins = own.origins(None)
    assert [origins[key].own for key in ("window.budget", "window.recents")] == [True, False]
    assert (origins["window.budget"].source, origins["window.recents"].source) == (PERSON, DEFAULT)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", []),
        ("pin = f12", ["'f12'|f12"]),
        ("pni = x", ["Did you mean pin?"]),
        ("pin = nokey", ["'nokey' is not a key for 'pin'"]),
        ("pin", [""]),
    ],
    ids=["none", "a clash", "no command", "no key", "no pair"],
)
def test_keys_are_judged_while_they_are_typed(text: str, said: list[str]) -> None:
    notices = clashes(text)
    assert len(notices) == len(said)
    for notice, words in zip(notices, said, strict=True):
        assert any(word in notice.message for word in words.split("|"))
