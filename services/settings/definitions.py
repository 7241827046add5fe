"""The list of settings, read off the sections: what documentation, flags and error messages are made from."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

import msgspec

from services.settings.values import Section, SettingRule, Settings


class SettingDefinition(msgspec.Struct, frozen=True, kw_only=True):
    """Definition of a setting. `key`: `section.name`; `type`: str, int, float, bool or Mapping (of text to text)."""

    key: str
    type: Any
    default: Any
    default_text: str
    variable: str
    setting: SettingRule

    @property
    def help(self) -> str:
        """A sentence for documentation."""
        return self.setting.help

    @property
    def personal(self) -> bool:
        """Whether a project's settings file may not set it."""
        return self.setting.personal

    @property
    def allowed(self) -> str:
        """Describe the permitted values in words: `a whole number from 1 to 64`."""
        if self.setting.choices:
            return "one of " + ", ".join(self.setting.choices)
        return _TYPE_WORDS[self.type] + _range_words(self.setting)


_TYPE_WORDS = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    Mapping: "pairs of text",
}


@cache
def definitions() -> Mapping[str, SettingDefinition]:
    """Every setting by its key, in the order of the sections."""
    found = (
        definition
        for section, kind in get_type_hints(Settings).items()
        if isinstance(kind, type) and issubclass(kind, Section)
        for definition in _of_section(section, kind)
    )
    return {definition.key: definition for definition in found}


def _of_section(section: str, kind: type[Section]) -> list[SettingDefinition]:
    defaults = kind()
    hints = get_type_hints(kind, include_extras=True)
    return [_definition(f"{section}.{name}", hint, getattr(defaults, name)) for name, hint in hints.items()]


def _definition(key: str, hint: Any, default: Any) -> SettingDefinition:
    declared, setting = get_args(hint)[:2]
    return SettingDefinition(
        key=key,
        type=Mapping if get_origin(declared) else declared,
        default=default,
        default_text=setting.default_text or default_words(default),
        variable=setting.variable or "CODECORTEX_" + key.replace(".", "_").upper(),
        setting=setting,
    )


def default_words(value: object) -> str:
    """A default as a person would write it in the settings file."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "none" if not value else ", ".join(f"{key}={text}" for key, text in value.items())
    return str(value)


def _range_words(setting: SettingRule) -> str:
    if setting.least is None or setting.most is None:
        return ""
    return f" from {_number_words(setting.least)} to {_number_words(setting.most)}"


def _number_words(value: float) -> str:
    return f"{value:,}".replace(",", " ")


_TRUE = frozenset({"true", "yes", "on", "1"})
_FALSE = frozenset({"false", "no", "off", "0"})
_LONGEST_TEXT = 200


def convert(definition: SettingDefinition, raw: object) -> object:
    """`raw` as the type of `definition`: TOML values as they are, text (variables, flags) read as its type.

    Raises ValueError when it is none, or is outside the definition's range or choices.
    """
    value = _READERS[definition.type](raw)
    _check(definition, value)
    return value


def _text(raw: object) -> str:
    if not isinstance(raw, str) or not raw or len(raw) > _LONGEST_TEXT or not raw.isprintable():
        raise ValueError(raw)
    return raw


def _whole_number(raw: object) -> int:
    if isinstance(raw, str):
        return int(raw.replace("_", ""), 10)
    if isinstance(raw, bool) or not isinstance(raw, int):
        raise ValueError(raw)
    return raw


def _number(raw: object) -> float:
    if isinstance(raw, bool) or not isinstance(raw, int | float | str):
        raise ValueError(raw)
    value = float(raw)
    if not math.isfinite(value):
        raise ValueError(raw)
    return value


def _switch(raw: object) -> bool:
    if isinstance(raw, bool):
        return raw
    if isinstance(raw, str) and raw.lower() in _TRUE | _FALSE:
        return raw.lower() in _TRUE
    raise ValueError(raw)


def _pairs(raw: object) -> dict[str, str]:
    """`{"copy": "y"}`, or `copy=y;find=/,ctrl+f` where only text can be given."""
    if isinstance(raw, str):
        raw = dict(_pair(part) for part in raw.split(";") if part.strip())
    if not isinstance(raw, Mapping):
        raise ValueError(raw)
    return dict(_flat_pairs(raw, ""))


def _pair(part: str) -> tuple[str, str]:
    key, equals, value = part.partition("=")
    if not equals:
        raise ValueError(part)
    return key.strip(), value.strip()


def _flat_pairs(table: Mapping[object, object], prefix: str) -> list[tuple[str, str]]:
    """TOML reads a bare `window.pin = "p"` as a table in a table; the id has the dot in it."""
    found: list[tuple[str, str]] = []
    for key, value in table.items():
        name = f"{prefix}{key}"
        found += _flat_pairs(value, f"{name}.") if isinstance(value, Mapping) else [(name, _words(value))]
    return found


def _words(raw: object) -> str:
    return str(raw) if isinstance(raw, int | float) and not isinstance(raw, bool) else _text(raw)


_READERS = {str: _text, int: _whole_number, float: _number, bool: _switch, Mapping: _pairs}


def _check(definition: SettingDefinition, value: object) -> None:
    setting = definition.setting
    if setting.choices and value not in setting.choices:
        raise ValueError(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        if setting.least is not None and value < setting.least:
            raise ValueError(value)
        if setting.most is not None and value > setting.most:
            raise ValueError(value)
