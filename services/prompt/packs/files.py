"""Files of packs: `packs/<name>.toml` has the definition and the inputs of the build, `packs/<name>.md` the text.

Both are made for people, `git diff` and models to read, and to be shared. What a person adds to the first stays,
comments too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, MutableMapping
from typing import Any

import msgspec

from services.decoding import Limit, decode, decode_toml
from services.errors import UsageError, WorkspaceError
from services.workspace.state import StateFolder

FOLDER = "packs"
_ACTIVE = "packs-active.json"
_ENCODING = "utf-8-sig"
_LIMIT = Limit(16_000_000, 50, 1_000_000)
"""Some editors begin a file with a byte order mark."""
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?")
_RESERVED = re.compile(r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?")
_INTRODUCTION = "A pack of types for the prompt window: `codecortex pack NAME` builds it again."


class PackBuild(msgspec.Struct, frozen=True, kw_only=True):
    """Build of a pack: inputs and results. `types`: `id level tokens name` of each; `text`: hash of the Markdown
    beside it."""

    hash: str = ""
    text: str = ""
    at: int = 0
    tokens: int = 0
    tokenizer: str = ""
    types: tuple[str, ...] = ()


class PackFile(msgspec.Struct, frozen=True, kw_only=True):
    """Definition of a pack. `types`: named by hand, in addition to those of the filter; `budget`: in tokens."""

    filter: str = ""
    types: tuple[str, ...] = ()
    budget: int = 8_000
    built: PackBuild = PackBuild()


class PackFiles:
    """The packs of a state folder."""

    def __init__(self, state: StateFolder) -> None:
        self._state = state
        self._shared = state.shared

    def names(self) -> list[str]:
        """Names of all packs, sorted."""
        files = self._shared.names(FOLDER)
        found = (file.removesuffix(".toml") for file in files if file.endswith(".toml"))
        return [name for name in found if _is_name(name)]

    def read(self, name: str) -> PackFile | None:
        """A pack, None where there is none. Raises UsageError for what is no name, WorkspaceError for a file that
        cannot be understood."""
        data = self._shared.read(_path(name, "toml"))
        if data is None:
            return None
        try:
            if not data.strip():
                raise ValueError("it is empty")
            return decode_toml(PackFile, data.decode(_ENCODING), _LIMIT)
        except ValueError as error:
            message = f"packs/{name}.toml cannot be understood: {error}. Repair it, or delete the pack."
            raise WorkspaceError(message, path=f"{FOLDER}/{name}.toml") from error

    def write(self, name: str, pack: PackFile, text: str) -> None:
        """Store a pack and its text. Raises UsageError, ReadOnly."""
        import tomlkit

        before = self._shared.read(_path(name, "toml"))
        document = tomlkit.parse((before or f"# {_INTRODUCTION}\n\n".encode()).decode(_ENCODING))
        _update(document, msgspec.to_builtins(pack))
        self._shared.write(_path(name, "md"), text.encode())
        self._shared.write(_path(name, "toml"), tomlkit.dumps(document).encode())

    def text(self, name: str) -> str | None:
        """The text a pack came to, None where it is not there."""
        data = self._shared.read(_path(name, "md"))
        return None if data is None else data.decode("utf-8", "replace")

    def remove(self, name: str) -> bool:
        """Delete a pack; whether there was one. Raises UsageError, ReadOnly."""
        self.set_active(name, False)
        self._shared.remove(_path(name, "md"))
        return self._shared.remove(_path(name, "toml"))

    def active(self) -> frozenset[str]:
        """Names of the packs that are active here; that is not shared."""
        data = self._state.read(_ACTIVE)
        try:
            return frozenset() if data is None else frozenset(decode(list[str], data))
        except ValueError:
            self._state.quarantine(_ACTIVE, "Which packs are active")
            return frozenset()

    def set_active(self, name: str, active: bool) -> None:
        """Make a pack active, or no longer. Raises ReadOnly, Busy."""
        with self._state.locked(_ACTIVE):
            before = self.active()
            after = before | {name} if active else before - {name}
            if after != before:
                self._state.write(_ACTIVE, msgspec.json.format(msgspec.json.encode(sorted(after))) + b"\n")

    def __contains__(self, name: str) -> bool:
        return self._shared.read(_path(name, "toml")) is not None


def _update(table: MutableMapping[str, Any], values: Mapping[str, Any]) -> None:
    """Write the changed values. An unchanged value retains its formatting, with the comments in it."""
    import tomlkit

    for key, value in values.items():
        if isinstance(value, Mapping):
            _update(table.setdefault(key, tomlkit.table()), value)
        elif not isinstance(value, tuple):
            if table.get(key) != value:
                table[key] = value
        elif table.get(key) != list(value):
            rows = tomlkit.array()
            rows.extend(value)
            table[key] = rows.multiline(bool(value))


def check_name(name: str) -> None:
    """Raises UsageError for what cannot be the name of a pack."""
    if not _is_name(name):
        raise UsageError(
            f"{name!r} is no name of a pack. Use letters, digits, `-`, `_` and `.`, at most 64.", name=name
        )


def _path(name: str, ending: str) -> str:
    check_name(name)
    return f"{FOLDER}/{name}.{ending}"


def _is_name(name: str) -> bool:
    return bool(_NAME.fullmatch(name)) and not _RESERVED.fullmatch(name)
