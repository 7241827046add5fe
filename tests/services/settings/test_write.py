"""The person's file, changed one value at a time; and where values in force come from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.errors import SettingsError
from services.settings import Settings, definitions, load
from services.settings.load import origins, written
from services.settings.write import checked, forget, keep, replaced

MINE = """\
# mine
[window] # about the window
budget = 1_000   # enough
# about the model
model = "gpt-4o"

[ui.keys]
copy = "c" # as elsewhere
zoom = "f9"

[future]
knob = 1
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "config" / "settings.toml"
    file.parent.mkdir()
    file.write_text(MINE)
    return file


def test_one_value_changes_and_nothing_else(file: Path) -> None:
    file.chmod(0o600)
    assert keep("window.budget", "32_000", path=file) == 32_000
    assert file.read_text() == MINE.replace("1_000", "32000")
    assert file.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in file.parent.iterdir()] == ["settings.toml"]


def test_a_key_in_a_table_changes_and_its_neighbours_keep_their_comments(file: Path) -> None:
    keep("ui.keys", "copy=y; pin=p", path=file)
    text = file.read_text()
    assert 'copy = "y" # as elsewhere' in text
    assert "zoom" not in text
    assert load(None, user_file=file, environment={}).ui.keys == {"copy": "y", "pin": "p"}


def test_a_value_is_taken_out_and_the_default_counts(file: Path) -> None:
    forget("window.budget", path=file)
    forget("ui.theme", path=file)
    assert load(None, user_file=file, environment={}).window.budget == Settings().window.budget
    assert "# about the model" in file.read_text()


def test_a_file_is_made_where_there_is_none_and_a_link_stays_one(tmp_path: Path) -> None:
    link, target = tmp_path / "settings.toml", tmp_path / "dotfiles" / "mine.toml"
    link.symlink_to(target)
    keep("agents.write", "ask", path=link)
    assert link.is_symlink()
    assert target.read_text() == '[agents]\nwrite = "ask"\n'


@pytest.mark.parametrize(
    ("key", "text", "allowed"),
    [
        ("window.budget", "much", "a whole number from 100"),
        ("window.budget", "5", "a whole number from 100"),
        ("agents.write", "maybe", "one of allow, ask, refuse"),
        ("window.soft_budget", "nan", "a number"),
        ("ui.keys", "copy", "pairs of text"),
        ("index.export", "perhaps", "true or false"),
    ],
)
def test_what_is_not_allowed_is_refused_with_what_is(file: Path, key: str, text: str, allowed: str) -> None:
    with pytest.raises(SettingsError, match=allowed):
        keep(key, text, path=file)
    assert file.read_text() == MINE


def test_a_file_that_is_no_settings_file_is_left_alone(file: Path) -> None:
    file.write_text("[window\n")
    with pytest.raises(SettingsError, match="is not a settings file"):
        keep("window.budget", "1000", path=file)
    assert file.read_text() == "[window\n"
    with pytest.raises(SettingsError, match=r"Did you mean 'window\.budget'"):
        checked("window.bugdet", "1")


def test_every_value_says_where_it_comes_from(file: Path, tmp_path: Path) -> None:
    (tmp_path / ".codecortex.toml").write_text('[window]\nformat = "xml"\n[ui]\ntheme = "evil"\n')
    environment = {"MCP_CACHE_SIZE": "7", "CODECORTEX_WINDOW_FORMAT": ""}
    settings = load(
        tmp_path,
        user_file=file,
        environment=environment,
        flags={"agents.write": "allow", "window.format": "json"},
    )
    found = origins(settings, tmp_path, user_file=file, environment=environment)
    sources = {key: each.source for key, each in found.items()}
    assert list(sources) == list(definitions())
    assert sources["window.budget"] == "your file"
    assert found["window.budget"].own
    assert sources["cache.size"] == "environment MCP_CACHE_SIZE"
    assert sources["agents.write"] == sources["window.format"] == "command line"
    assert sources["ui.theme"] == sources["index.workers"] == "default"
    assert found["ui.keys"].text == "copy=c; zoom=f9"


@given(data=st.data(), key=st.sampled_from(list(definitions())))
def test_what_is_written_is_read_back(
    data: st.DataObject, key: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """For whatever value a setting can have."""
    definition = definitions()[key]
    setting, names = (
        definition.setting,
        st.text("abc.-\"'# é", min_size=1).filter(lambda text: text.strip(". ") == text),
    )
    kinds = {
        bool: st.booleans(),
        int: st.integers(int(setting.least or 0), int(setting.most or 10)),
        float: st.floats(setting.least or 0, setting.most or 1),
        str: st.sampled_from(setting.choices) if setting.choices else names,
        Mapping: st.dictionaries(names, names, max_size=3),
    }
    value = data.draw(kinds[definition.type])
    file = tmp_path_factory.mktemp("made") / "settings.toml"
    keep(key, written(value), path=file)
    section, name = key.split(".")
    assert getattr(getattr(load(None, user_file=file, environment={}), section), name) == value
    assert getattr(getattr(replaced(Settings(), key, value), section), name) == value
