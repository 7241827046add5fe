"""Layers of settings, and what each may and may not do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.errors import SettingsError
from services.settings import PROJECT_FILE, Settings, definitions, load
from services.settings.definitions import convert


class Layers:
    """A workspace and a user's file, both empty until written."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "workspace"
        self.root.mkdir()
        self.user = folder / "settings.toml"

    def load(
        self, *, flags: dict[str, str] | None = None, environment: dict[str, str] | None = None
    ) -> Settings:
        return load(self.root, flags=flags or {}, environment=environment or {}, user_file=self.user)

    def write_project(self, text: str) -> None:
        (self.root / PROJECT_FILE).write_text(text)


@pytest.fixture
def layers(tmp_path: Path) -> Layers:
    return Layers(tmp_path)


def test_without_files_and_variables_everything_is_the_default(layers: Layers) -> None:
    assert layers.load() == Settings()


def test_each_layer_wins_over_the_one_below(layers: Layers) -> None:
    layers.user.write_text("[window]\nbudget = 1000\nmax_chars = 1000\nmodel = 'user'\nsoft_budget = 0.1\n")
    layers.write_project("[window]\nbudget = 2000\nmax_chars = 2000\nmodel = 'project'\n")
    environment = {"CODECORTEX_WINDOW_BUDGET": "3000", "CODECORTEX_WINDOW_MAX_CHARS": "3000"}
    window = layers.load(flags={"window.budget": "4000"}, environment=environment).window
    assert (window.budget, window.max_chars, window.model, window.soft_budget) == (4000, 3000, "project", 0.1)


@pytest.mark.parametrize(
    ("variable", "text", "key", "value"),
    [
        ("MCP_CACHE_TTL", "1500", "ttl", 1500),
        ("MCP_CACHE_SIZE", "7", "size", 7),
        ("MCP_CACHE_CLEANUP_INTERVAL", "900", "cleanup_interval", 900),
        ("MCP_ENABLE_CONFLICT_CHECK", "false", "conflict_check", False),
        ("MCP_MAX_MATCHES", "12", "max_matches", 12),
    ],
)
def test_the_cache_has_the_variables_of_the_specification(
    layers: Layers, variable: str, text: str, key: str, value: object
) -> None:
    assert getattr(layers.load(environment={variable: text}).cache, key) == value


def test_an_empty_variable_counts_as_unset(layers: Layers) -> None:
    assert layers.load(environment={"MCP_CACHE_TTL": ""}) == Settings()


def test_a_bad_value_names_its_source_its_key_and_what_is_allowed(layers: Layers) -> None:
    layers.user.write_text("[window]\nbudget = 3\n")
    with pytest.raises(SettingsError) as raised:
        layers.load()
    assert str(layers.user) in raised.value.message
    assert "window.budget cannot be 3; it is a whole number from 100 to 10 000 000" in raised.value.message
    assert raised.value.details["key"] == "window.budget"


def test_a_bad_variable_is_called_by_its_own_name(layers: Layers) -> None:
    with pytest.raises(SettingsError, match="MCP_CACHE_SIZE cannot be 'many'"):
        layers.load(environment={"MCP_CACHE_SIZE": "many"})


def test_an_unknown_key_in_a_file_is_a_notice_with_the_closest_name(layers: Layers) -> None:
    layers.user.write_text("[window]\nbugdet = 1000\n")
    settings = layers.load()
    assert settings.window == Settings().window
    assert "Did you mean 'window.budget'?" in settings.notices[0].message


def test_an_unknown_flag_is_an_error_with_the_closest_name(layers: Layers) -> None:
    with pytest.raises(SettingsError, match=r"Did you mean 'window\.budget'"):
        layers.load(flags={"window.buget": "1"})


def test_a_file_that_is_not_toml_is_an_error_with_its_place(layers: Layers) -> None:
    layers.user.write_text("window = [\n!")
    with pytest.raises(SettingsError, match=r"not a settings file.*line 2"):
        layers.load()


def test_keys_may_be_written_quoted_or_bare(layers: Layers) -> None:
    layers.user.write_text('[ui.keys]\n"window.pin" = "p"\nwindow.copy = "y,c"\nquit = "q"\n')
    assert layers.load().ui.keys == {"window.pin": "p", "window.copy": "y,c", "quit": "q"}


def test_keys_can_be_given_as_a_flag(layers: Layers) -> None:
    assert layers.load(flags={"ui.keys": "copy=y; find=/,ctrl+f"}).ui.keys == {
        "copy": "y",
        "find": "/,ctrl+f",
    }


class TestTheFileOfAProject:
    """It came with the code: it may neither stop the program nor reach beyond the window it describes."""

    def test_cannot_set_what_is_personal(self, layers: Layers) -> None:
        layers.write_project("[ui]\ntheme = 'x'\n[ui.keys]\ncopy = 'q'\n[cache]\nconflict_check = false\n")
        settings = layers.load()
        assert (settings.ui, settings.cache) == (Settings().ui, Settings().cache)
        assert len(settings.notices) == 3

    @pytest.mark.parametrize(
        "text", ["[window]\nbudget = 'all'\n", "[[[", "a = " + "[" * 30_000, "#" * 70_000]
    )
    def test_that_is_wrong_is_a_notice_and_left_out(self, layers: Layers, text: str) -> None:
        layers.write_project(text)
        settings = layers.load()
        assert settings.window == Settings().window
        assert [notice.severity for notice in settings.notices] == ["error"]

    def test_is_not_read_through_a_link(self, layers: Layers, tmp_path: Path) -> None:
        (tmp_path / "elsewhere.toml").write_text("[window]\nbudget = 777\n")
        (layers.root / PROJECT_FILE).symlink_to(tmp_path / "elsewhere.toml")
        settings = layers.load()
        assert settings.window.budget != 777
        assert len(settings.notices) == 1

    def test_that_is_a_pipe_does_not_hang(self, layers: Layers) -> None:
        os.mkfifo(layers.root / PROJECT_FILE)
        assert len(layers.load().notices) == 1


def test_the_users_file_may_be_a_link(layers: Layers, tmp_path: Path) -> None:
    (tmp_path / "dotfiles.toml").write_text("[window]\nbudget = 777\n")
    layers.user.symlink_to(tmp_path / "dotfiles.toml")
    assert layers.load().window.budget == 777


def test_every_default_is_itself_allowed() -> None:
    for definition in definitions().values():
        assert convert(definition, definition.default) == definition.default


@given(st.sampled_from(sorted(definitions())), st.text() | st.integers() | st.floats() | st.booleans())
def test_whatever_is_written_is_taken_in_its_type_or_refused(key: str, raw: object) -> None:
    definition = definitions()[key]
    try:
        value = convert(definition, raw)
    except ValueError:
        return
    assert isinstance(value, definition.type)
    if isinstance(value, int | float) and definition.setting.least is not None:
        assert definition.setting.least <= value <= (definition.setting.most or value)
