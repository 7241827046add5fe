"""Origin of each value in force, for a person who wants to change it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from services.errors import SettingsError
from services.settings.definitions import SettingDefinition, convert, default_words, definitions
from services.settings.layers import SettingsLayer, environment_layer, file_layer
from services.settings.load import PROJECT_FILE, user_file_path
from services.settings.values import Settings

DEFAULT, PERSON, PROJECT = "default", "your file", "the project's file"
ENVIRONMENT, COMMAND_LINE = "environment", "command line"


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """A value in force and the layer that set it. `source`: DEFAULT, PERSON, PROJECT, `environment NAME` or
    COMMAND_LINE; `text`: as a person would write it; `own`: the person's file has a value for it, in force or not."""

    definition: SettingDefinition
    value: object
    text: str
    source: str
    own: bool = False


def origins(
    settings: Settings,
    root: Path | None,
    *,
    environment: Mapping[str, str] | None = None,
    user_file: Path | None = None,
) -> Mapping[str, Origin]:
    """Every setting by its key, in order. `settings`: those in force, which flags may have changed.

    Raises SettingsError where the person's file cannot be read."""
    person = file_layer(user_file or user_file_path())
    layers = [
        (PERSON, _typed(person)),
        (PROJECT, _typed(_project(root))),
        (ENVIRONMENT, _typed(environment_layer(os.environ if environment is None else environment))),
    ]
    return {key: _origin(each, settings, layers) for key, each in definitions().items()}


def value_of(settings: Settings, key: str) -> object:
    """The value of a setting, by its key."""
    section, name = key.split(".")
    return getattr(getattr(settings, section), name)


def text_of(settings: Settings, key: str) -> str:
    """Format the value of a setting in the notation of a settings file."""
    return written(value_of(settings, key))


def written(value: object) -> str:
    """A value as one line that `convert` reads back."""
    if isinstance(value, Mapping):
        return "; ".join(f"{key}={text}" for key, text in value.items())
    return default_words(value)


def _origin(
    definition: SettingDefinition, settings: Settings, layers: list[tuple[str, Mapping[str, object]]]
) -> Origin:
    value = value_of(settings, definition.key)
    source, below = DEFAULT, definition.default
    for layer, values in layers:
        if definition.key in values and not (layer == PROJECT and definition.personal):
            source, below = layer, values[definition.key]
    if below != value:
        source = COMMAND_LINE
    if source == ENVIRONMENT:
        source = f"{ENVIRONMENT} {definition.variable}"
    return Origin(
        definition=definition,
        value=value,
        text=written(value),
        source=source,
        own=definition.key in layers[0][1],
    )


def _project(root: Path | None) -> SettingsLayer:
    try:
        return file_layer(root / PROJECT_FILE, foreign=True) if root else SettingsLayer(PROJECT_FILE)
    except SettingsError:
        return SettingsLayer(PROJECT_FILE)


def _typed(layer: SettingsLayer) -> Mapping[str, object]:
    """Return the valid values of a layer; the invalid ones were reported when the settings were loaded."""
    typed: dict[str, object] = {}
    for key, raw in layer.values.items():
        if definition := definitions().get(key):
            try:
                typed[key] = convert(definition, raw)
            except ValueError:
                continue
    return typed
