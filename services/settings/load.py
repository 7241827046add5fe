"""Merging of layers, from the defaults up: the last layer that has a value wins."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from services.errors import SettingsError
from services.model import Notice
from services.settings.definitions import SettingDefinition, convert, definitions
from services.settings.layers import WHOLE, SettingsLayer, environment_layer, file_layer
from services.settings.personal import personal_folder
from services.settings.values import Settings

PROJECT_FILE = ".codecortex.toml"
_NONE: Mapping[str, str] = MappingProxyType({})


def user_file_path() -> Path:
    """Return the path of the person's own settings: `codecortex/settings.toml` in the config folder."""
    return personal_folder("config") / "settings.toml"


def load(
    root: Path | None,
    *,
    flags: Mapping[str, str] = _NONE,
    environment: Mapping[str, str] | None = None,
    user_file: Path | None = None,
) -> Settings:
    """The settings for a workspace at `root` (None: none is open). `flags`: raw text by key.

    Raises SettingsError for a value that cannot be used, naming its source, key and what is allowed. The file
    of a project came with the code and is foreign input: what is wrong with it is a notice and left out, so
    that a repository can neither stop the program nor set what is personal.
    """
    taken: dict[str, object] = {}
    notices: list[Notice] = []
    for layer in (
        file_layer(user_file or user_file_path()),
        *(_project_layer(root, notices) if root else ()),
        environment_layer(os.environ if environment is None else environment),
    ):
        taken |= _typed(layer, notices)
    flags = {WHOLE.get(key, key): value for key, value in flags.items()}
    _refuse_unknown(flags)
    taken |= _typed(SettingsLayer("the command line", flags), notices)
    return _settings(taken, tuple(notices))


def _project_layer(root: Path, notices: list[Notice]) -> tuple[SettingsLayer, ...]:
    try:
        return (file_layer(root / PROJECT_FILE, foreign=True),)
    except SettingsError as error:
        notices.append(_notice(error.message, PROJECT_FILE, severity="error"))
        return ()


def _typed(layer: SettingsLayer, notices: list[Notice]) -> dict[str, object]:
    typed: dict[str, object] = {}
    for key, raw in layer.values.items():
        definition = definitions().get(key)
        if definition is None:
            notices.append(
                _notice(f"{layer.place(key)}: there is no setting {key!r}.{closest(key)}", layer.source)
            )
        elif layer.foreign and definition.personal:
            notices.append(
                _notice(f"{layer.place(key)}: {key!r} is personal; set it in your own file.", layer.source)
            )
        else:
            typed |= _value(layer, definition, raw, notices)
    return typed


def _value(
    layer: SettingsLayer, definition: SettingDefinition, raw: object, notices: list[Notice]
) -> dict[str, object]:
    try:
        return {definition.key: convert(definition, raw)}
    except ValueError:
        error = _bad_value(layer, definition, raw)
        if not layer.foreign:
            raise error from None
        notices.append(_notice(error.message, layer.source, severity="error"))
        return {}


def _bad_value(layer: SettingsLayer, definition: SettingDefinition, raw: object) -> SettingsError:
    shown = repr(raw) if len(repr(raw)) <= 60 else repr(raw)[:57] + "..."
    where = definition.variable if layer.source == "the environment" else definition.key
    return SettingsError(
        f"{layer.place(definition.key)}: {where} cannot be {shown}; it is {definition.allowed}.",
        source=layer.source,
        key=definition.key,
        allowed=definition.allowed,
    )


def _refuse_unknown(flags: Mapping[str, str]) -> None:
    for key in flags:
        if key not in definitions():
            raise SettingsError(
                f"There is no setting {key!r}.{closest(key)}", source="the command line", key=key
            )


def closest(key: str) -> str:
    """Return ` Did you mean 'window.budget'?`, or an empty text where no name is similar."""
    import difflib

    near = difflib.get_close_matches(key, definitions(), n=1, cutoff=0.5)
    return f" Did you mean {near[0]!r}?" if near else ""


def _notice(message: str, file: str, *, severity: str = "warning") -> Notice:
    return Notice(severity=severity, message=message, what_to_do="See docs/SETTINGS.md.", file=file)


def _settings(taken: Mapping[str, object], notices: tuple[Notice, ...]) -> Settings:
    defaults = Settings()
    sections: dict[str, dict[str, Any]] = {}
    for key, value in taken.items():
        section, name = key.split(".")
        sections.setdefault(section, {})[name] = value
    changed = {
        section: msgspec.structs.replace(getattr(defaults, section), **values)
        for section, values in sections.items()
    }
    return msgspec.structs.replace(defaults, notices=notices, **changed)
