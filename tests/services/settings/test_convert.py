"""Raw values become typed ones at the edge, in the words of files, variables and flags alike."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.settings import definitions
from services.settings.definitions import SettingDefinition, convert
from services.settings.load import written

ALL = list(definitions().values())
NUMBERS = [each for each in ALL if each.type in (int, float)]
SWITCHES = [each for each in ALL if each.type is bool]
CHOICES = [each for each in ALL if each.setting.choices]
PAIRS = [each for each in ALL if each.type is Mapping]


@given(st.data())
def test_what_is_written_out_is_read_back(data: st.DataObject) -> None:
    definition = data.draw(st.sampled_from(ALL))
    value = data.draw(_values(definition))
    assert convert(definition, written(value)) == value


def _values(definition: SettingDefinition) -> st.SearchStrategy[object]:
    setting = definition.setting
    if setting.choices:
        return st.sampled_from(setting.choices)
    if definition.type is bool:
        return st.booleans()
    least, most = setting.least, setting.most
    if definition.type is int:
        return st.integers(int(least or 0), int(most or 1_000_000))
    if definition.type is float:
        return st.floats(least or 0.0, most or 1.0)
    if definition.type is Mapping:
        words = st.text("abc.-+/", min_size=1, max_size=6)
        return st.dictionaries(words, words, min_size=1, max_size=3)
    return st.text(st.characters(codec="ascii", categories=["L", "N", "P"]), min_size=1, max_size=50)


@pytest.mark.parametrize("definition", NUMBERS, ids=lambda each: each.key)
def test_a_number_past_its_range_is_refused_and_the_ends_are_not(definition: SettingDefinition) -> None:
    for end, step in ((definition.setting.least, -1), (definition.setting.most, 1)):
        if end is None:
            continue
        assert convert(definition, str(definition.type(end))) == end
        with pytest.raises(ValueError):
            convert(definition, definition.type(end) + step)


@pytest.mark.parametrize("definition", NUMBERS, ids=lambda each: each.key)
@pytest.mark.parametrize("raw", [True, "", "many", "1e999", "nan", None, [1]])
def test_what_is_no_number_is_refused(definition: SettingDefinition, raw: object) -> None:
    with pytest.raises((ValueError, TypeError)):
        convert(definition, raw)


@pytest.mark.parametrize("definition", SWITCHES, ids=lambda each: each.key)
def test_a_switch_is_written_in_any_of_the_usual_words(definition: SettingDefinition) -> None:
    assert {convert(definition, word) for word in ("true", "YES", "on", "1", True)} == {True}
    assert {convert(definition, word) for word in ("false", "No", "off", "0", False)} == {False}
    for raw in ("maybe", "", 1, 0, None):
        with pytest.raises(ValueError):
            convert(definition, raw)


@pytest.mark.parametrize("definition", CHOICES, ids=lambda each: each.key)
def test_only_what_there_is_can_be_chosen(definition: SettingDefinition) -> None:
    assert [convert(definition, each) for each in definition.setting.choices] == list(
        definition.setting.choices
    )
    for raw in ("other", definition.setting.choices[0].upper() + "x", 1):
        with pytest.raises(ValueError):
            convert(definition, raw)
    assert definition.allowed.startswith("one of ")


@pytest.mark.parametrize("definition", PAIRS, ids=lambda each: each.key)
def test_pairs_are_written_with_equals_signs_and_semicolons(definition: SettingDefinition) -> None:
    assert convert(definition, "a=x; b = y=z;") == {"a": "x", "b": "y=z"}
    assert convert(definition, {"a": {"b": "x"}, "c": 5}) == {"a.b": "x", "c": "5"}
    for raw in ("a", 5, {"a": True}, {"a": ["x"]}):
        with pytest.raises(ValueError):
            convert(definition, raw)


@pytest.mark.parametrize("definition", ALL, ids=lambda each: each.key)
def test_a_setting_is_said_in_words_and_has_a_variable_of_its_own(definition: SettingDefinition) -> None:
    assert definition.help.endswith(".")
    assert definition.allowed
    assert [each.key for each in ALL if each.variable == definition.variable] == [definition.key]


@pytest.mark.parametrize("raw", ["", "x" * 201, "a\nb", "\x1b[31m", 5])
def test_a_text_is_short_and_can_be_printed(raw: object) -> None:
    with pytest.raises(ValueError):
        convert(definitions()["window.model"], raw)
