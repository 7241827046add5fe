"""Sources of raw values: two TOML files, the environment, flags."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from services.decoding import decode_toml
from services.errors import SettingsError
from services.settings.definitions import definitions
from services.settings.small_file import read_small

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
