"""The person's own settings file, changed one value at a time: comments, order and everything else stay."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, MutableMapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from services.errors import SettingsError
from services.settings.definitions import SettingDefinition, convert, definitions
from services.settings.load import closest, file_layer, user_file_path
from services.settings.values import Settings

if TYPE_CHECKING:
    from tomlkit import TOMLDocument


def checked(key: str, text: str) -> object:
    """Parse `text` as the value of a setting. Raises SettingsError, which names the permitted values."""
    definition = _definition(key)
    if definition.type is Mapping and not text.strip():
        return {}
    try:
        return convert(definition, text.strip())
    except ValueError:
        raise SettingsError(
            f"{key} cannot be {text.strip()!r}; it is {definition.allowed}.",
            key=key,
            allowed=definition.allowed,
        ) from None


def keep(key: str, text: str, *, path: Path | None = None) -> object:
    """Write a value to the person's file, which is made where there is none; answer the value.

    Raises SettingsError for what is not allowed, and for a file that cannot be read or written."""
    value = checked(key, text)
    _change(path or user_file_path(), lambda document: _put(document, key, value))
    return value


def forget(key: str, *, path: Path | None = None) -> None:
    """Take a value out of the person's file, so that the default, or another layer, counts. Raises SettingsError."""
    _definition(key)
    _change(path or user_file_path(), lambda document: _take(document, key))


def replaced(settings: Settings, key: str, value: object) -> Settings:
    """`settings` with one value changed."""
    import msgspec

    section, name = key.split(".")
    changed: dict[str, Any] = {name: value}
    return msgspec.structs.replace(
        settings, **{section: msgspec.structs.replace(getattr(settings, section), **changed)}
    )


def _definition(key: str) -> SettingDefinition:
    found = definitions().get(key)
    if found is None:
        raise SettingsError(f"There is no setting {key!r}.{closest(key)}", key=key)
    return found


def _change(path: Path, edit: Any) -> None:
    import tomlkit

    file_layer(path)  # reports in words what is wrong with an invalid settings file
    target = path.resolve()  # people store their settings elsewhere and link them
    try:
        # Not as text: line endings are the person's.
        before = target.read_bytes().decode("utf-8-sig") if target.exists() else ""
        document = tomlkit.parse(before)
        edit(document)
        after = tomlkit.dumps(document)
        if after != before:
            _replace(target, after.encode())
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path} could not be written: {error}.", source=str(path)) from error


def _put(document: TOMLDocument, key: str, value: object) -> None:
    import tomlkit

    section, name = key.split(".")
    if section not in document:
        document[section] = tomlkit.table()
    table: MutableMapping[str, Any] = document[section]  # pyright: ignore[reportAssignmentType]
    if not isinstance(value, Mapping):
        table[name] = value
        return
    known = table.get(name)
    flat = isinstance(known, MutableMapping) and not any(isinstance(each, Mapping) for each in known.values())
    if not flat:
        table[name] = tomlkit.table()
    pairs: MutableMapping[str, Any] = table[name]
    for gone in [each for each in pairs if each not in value]:
        del pairs[gone]
    for each, text in value.items():
        if pairs.get(each) != text:
            pairs[each] = text


def _take(document: TOMLDocument, key: str) -> None:
    section, name = key.split(".")
    table = document.get(section)
    if isinstance(table, MutableMapping) and name in table:
        del table[name]


def _replace(path: Path, data: bytes) -> None:
    """Replace a file atomically: readers see the old bytes or the new. The mode is preserved."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            temporary.chmod(path.stat().st_mode & 0o7777)
        temporary.replace(path)
    finally:
        with suppress(OSError):
            temporary.unlink()
