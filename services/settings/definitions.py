"""The list of settings, read off the sections: what documentation, flags and error messages are made from."""

from __future__ import annotations

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
