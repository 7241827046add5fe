"""Layers of settings, from the defaults up: the last one that has a value wins, and is its origin."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from services.decoding import decode_toml
from services.errors import SettingsError
from services.model import Notice
from services.settings.definitions import SettingDefinition, convert, default_words, definitions
from services.settings.personal import personal_folder, read_small
from services.settings.values import Settings

MOST_FILE_BYTES = 65_536
WHOLE = {"resident": "resident.mode"}
"""Sections that may be given as one value, and the setting that is meant."""
TABLES = {"adt": "adt.systems"}
"""Sections whose keys people choose, and the setting that holds them."""
_TABLE = re.compile(r"\s*\[\s*([^\[\]#]+?)\s*\]\s*(?:#.*)?")
_KEY = re.compile(r"\s*([\w\"'.\- ]+?)\s*=")


class SettingsLayer(msgspec.Struct, frozen=True):
    """Raw values by key. `source` names it to a person; `foreign`: it came with somebody's code; `text`: what it was
    read from, where that is a file."""

    source: str
    values: Mapping[str, object] = {}
    foreign: bool = False
    text: str = ""

    def place(self, key: str) -> str:
        """Name the source of a key, with the line in a file."""
        line = line_of(self.text, key)
        return f"{self.source}:{line}" if line else self.source


def file_layer(path: Path, *, foreign: bool = False) -> SettingsLayer:
    """The values of a TOML file; none where there is no such file. A foreign one may not be a link.

    Raises SettingsError for a file that cannot be read.
    """
    try:
        text = read_small(path, MOST_FILE_BYTES, follow=not foreign).decode("utf-8-sig")
        document = decode_toml(dict[str, Any], text)
    except (FileNotFoundError, NotADirectoryError):
        return SettingsLayer(str(path), {}, foreign)
    except ValueError as error:
        raise SettingsError(f"{path} is not a settings file: {error}", source=str(path)) from error
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror or error}", source=str(path)) from error
    return SettingsLayer(str(path), dict(_flat(document, "")), foreign, text)


def environment_layer(environment: Mapping[str, str]) -> SettingsLayer:
    """The values of those variables that a setting names; an empty one counts as unset."""
    values = {
        key: environment[definition.variable]
        for key, definition in definitions().items()
        if environment.get(definition.variable)
    }
    return SettingsLayer("the environment", values)


def _flat(table: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, object]]:
    """`{"window": {"budget": 1}}` as `window.budget`; a value that is itself a table stays one."""
    for name, value in table.items():
        key = f"{prefix}{name}"
        if isinstance(value, Mapping) and key in TABLES:
            yield TABLES[key], value
        elif isinstance(value, Mapping) and key not in definitions():
            yield from _flat(value, f"{key}.")
        else:
            yield WHOLE.get(key, key), value


def line_of(text: str, key: str) -> int:
    """Return the 1-based line of a key (`window.budget`), or of its table where that is written on one line; 0 where
    it is not found."""
    table = ""
    for number, line in enumerate(text.splitlines(), 1):
        if found := _TABLE.fullmatch(line):
            table = f"{_plain(found[1])}."
            if key == table[:-1]:
                return number
        elif (found := _KEY.match(line)) and f"{key}.".startswith(f"{table}{_plain(found[1])}."):
            return number
    return 0


def _plain(key: str) -> str:
    """A dotted key without its quotes and blanks."""
    return ".".join(part.strip().strip("\"'") for part in key.split("."))


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
        (PERSON, _typed_origin(person)),
        (PROJECT, _typed_origin(_project(root))),
        (ENVIRONMENT, _typed_origin(environment_layer(os.environ if environment is None else environment))),
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


def _typed_origin(layer: SettingsLayer) -> Mapping[str, object]:
    """Return the valid values of a layer; the invalid ones were reported when the settings were loaded."""
    typed: dict[str, object] = {}
    for key, raw in layer.values.items():
        if definition := definitions().get(key):
            try:
                typed[key] = convert(definition, raw)
            except ValueError:
                continue
    return typed
