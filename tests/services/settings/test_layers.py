"""Raw values of one file and of the environment, and files that are none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from services.errors import SettingsError
from services.settings import definitions
from services.settings.load import MOST_FILE_BYTES, environment_layer, file_layer


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "settings.toml"


def test_tables_become_keys_but_a_value_that_is_a_table_stays_one(file: Path) -> None:
    file.write_text('[window]\nbudget = 5\nmodels = { "m" = "x" }\n[window.deeper]\na = 1\n')
    layer = file_layer(file)
    assert layer.values == {"window.budget": 5, "window.models": {"m": "x"}, "window.deeper.a": 1}
    assert (layer.source, layer.foreign) == (str(file), False)


def test_a_file_that_is_not_there_has_no_values(tmp_path: Path, file: Path) -> None:
    assert file_layer(file).values == {}
    file.write_text("")
    assert file_layer(file / "below").values == {}
    assert file_layer(tmp_path / "gone/a.toml", foreign=True).foreign


def test_a_byte_order_mark_is_no_part_of_the_text(file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbf[window]\nbudget = 5\n")
    assert file_layer(file).values == {"window.budget": 5}


@pytest.mark.parametrize("data", [b"a = ", b"\xff = 1", b"a = 1\na = 2", b"a = " + b"[" * 5_000])
def test_what_is_no_settings_file_is_an_error_that_names_it(file: Path, data: bytes) -> None:
    file.write_bytes(data)
    with pytest.raises(SettingsError, match="is not a settings file") as raised:
        file_layer(file)
    assert raised.value.details["source"] == str(file)


def test_a_file_may_be_as_large_as_the_limit_and_no_larger(file: Path) -> None:
    file.write_bytes(b"#" * MOST_FILE_BYTES)
    assert file_layer(file).values == {}
    file.write_bytes(b"#" * (MOST_FILE_BYTES + 1))
    with pytest.raises(SettingsError, match=f"larger than {MOST_FILE_BYTES}"):
        file_layer(file)


def test_a_link_is_followed_but_not_one_that_came_with_the_code(tmp_path: Path, file: Path) -> None:
    (tmp_path / "real.toml").write_text("a = 1")
    file.symlink_to("real.toml")
    assert file_layer(file).values == {"a": 1}
    with pytest.raises(SettingsError, match="cannot be read"):
        file_layer(file, foreign=True)


def test_what_is_no_file_is_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SettingsError, match="not a regular file"):
        file_layer(tmp_path / "pipe")
    with pytest.raises(SettingsError, match=r"regular file|cannot be read"):
        file_layer(tmp_path)


def test_variables_that_a_setting_names_are_taken_and_empty_ones_count_as_unset() -> None:
    (key, definition), (other, empty) = list(definitions().items())[:2]
    layer = environment_layer(
        {definition.variable: "5", empty.variable: "", "CODECORTEX_NONE": "x", "PATH": "y"}
    )
    assert layer.values == {key: "5"}
    assert other not in layer.values
    assert not layer.foreign
