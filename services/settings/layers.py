"""Where raw values come from: two TOML files, the environment, flags."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from services.errors import SettingsError
from services.settings.definitions import definitions
from services.settings.small_file import read_small

MOST_FILE_BYTES = 65_536


class Layer(msgspec.Struct, frozen=True):
    """Raw values by key. `source` names it to a person; `foreign`: it came with somebody's code."""

    source: str
    values: Mapping[str, object] = {}
    foreign: bool = False


def file_layer(path: Path, *, foreign: bool = False) -> Layer:
    """The values of a TOML file; none where there is no such file. A foreign one may not be a link.

    Raises SettingsError for a file that cannot be read.
    """
    try:
        document = tomllib.loads(read_small(path, MOST_FILE_BYTES, follow=not foreign).decode("utf-8-sig"))
    except (FileNotFoundError, NotADirectoryError):
        return Layer(str(path), {}, foreign)
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"{path} is not a settings file: {error}", source=str(path)) from error
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror or error}", source=str(path)) from error
    return Layer(str(path), dict(_flat(document, "")), foreign)


def environment_layer(environment: Mapping[str, str]) -> Layer:
    """The values of those variables that a setting names; an empty one counts as unset."""
    values = {
        key: environment[definition.variable]
        for key, definition in definitions().items()
        if environment.get(definition.variable)
    }
    return Layer("the environment", values)


def _flat(table: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, object]]:
    """`{"window": {"budget": 1}}` as `window.budget`; a value that is itself a table stays one."""
    for name, value in table.items():
        key = f"{prefix}{name}"
        if isinstance(value, Mapping) and key not in definitions():
            yield from _flat(value, f"{key}.")
        else:
            yield key, value
