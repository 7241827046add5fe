"""Raw values from files, variables and flags become typed ones here, and nowhere deeper."""

from __future__ import annotations

import math
from collections.abc import Mapping

from services.settings.definitions import SettingDefinition

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
