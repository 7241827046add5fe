"""A person's own settings as changed on the screen, written to their file and in force at once where that can be, and
their themes: `themes/NAME.toml` in the folder of the settings."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from textual.theme import Theme

from services.model import Notice

if TYPE_CHECKING:
    from services.settings import Settings
    from services.settings.load import Origin

AT_ONCE = ("window.", "ui.", "agents.")
"""Settings whose change counts without another start; what agents may do is asked for at each of their calls."""
UNTIL_START = "until the next start"
"""Source of a value that was changed here and could not be taken yet."""


class OwnSettings:
    """Settings in force. `settings`: those; `file`: the person's, None for the usual one; `applied`: called with
    others."""

    def __init__(
        self, settings: Settings, file: Path | None, applied: Callable[[str, Settings], None]
    ) -> None:
        self.settings = settings
        self._file = file
        self._applied = applied
        self._waiting: set[str] = set()
        self._in_files: Settings | None = None
        """What the files said at the last look at them."""
        self._root: Path | None = None
        self._files = threading.Lock()
        """Held while the files are written or looked at, which threads do: what is written here is none of what was
        changed by hand."""

    @property
    def file(self) -> Path:
        """The file that values are written to."""
        from services.settings import user_file_path

        return self._file or user_file_path()

    @property
    def themes(self) -> Path:
        """The folder of the person's themes."""
        return self.file.parent / "themes"

    def origins(self, root: Path | None) -> Mapping[str, Origin]:
        """Return every setting with the origin of its value. Raises SettingsError."""
        import msgspec

        from services.settings.load import COMMAND_LINE, origins

        # A value that no file explains any more is not for that reason one of the command line.
        return {
            key: msgspec.structs.replace(its, source=UNTIL_START)
            if key in self._waiting and its.source == COMMAND_LINE
            else its
            for key, its in origins(self.settings, root, user_file=self.file).items()
        }

    def keep(self, key: str, text: str) -> None:
        """Write a value, which blocks. Raises SettingsError."""
        from services.settings.write import keep

        self._write(key, lambda: keep(key, text, path=self.file))

    def forget(self, key: str) -> None:
        """Take a value out of the file, which blocks. Raises SettingsError."""
        from services.settings.write import forget

        self._write(key, lambda: forget(key, path=self.file))

    def _write(self, key: str, write: Callable[[], object]) -> None:
        from services.settings import load
        from services.settings.load import value_of
        from services.settings.write import replaced

        with self._files:
            write()
            if self._in_files is not None:
                found = load(self._root, user_file=self.file)
                self._in_files = replaced(self._in_files, key, value_of(found, key))

    def apply(self, key: str, root: Path | None) -> bool:
        """Have the value that counts now in force, on the screen's thread; whether it could be without another start.

        Flags of the command line count no longer for what was changed by hand. Raises SettingsError."""
        from services.settings import load

        return self._take(key, load(root, user_file=self.file))

    def look(self, root: Path) -> tuple[Settings, tuple[str, ...] | None]:
        """Read the files, which blocks; return the settings and the keys that differ from the last look; None at the
        first. Raises SettingsError."""
        from services.settings import definitions, load
        from services.settings.load import value_of

        with self._files:
            found = load(root, user_file=self.file)
            before, self._in_files, self._root = self._in_files, found, root
        if before is None:
            return found, None
        return found, tuple(key for key in definitions() if value_of(before, key) != value_of(found, key))

    def adopt(self, keys: Iterable[str], found: Settings) -> None:
        """Apply settings that were changed by hand in files, on the screen's thread, where possible."""
        for key in keys:
            self._take(key, found)

    def _take(self, key: str, found: Settings) -> bool:
        from services.settings.load import value_of
        from services.settings.write import replaced

        if not key.startswith(AT_ONCE):
            self._waiting.add(key)
            return False
        self.settings = replaced(self.settings, key, value_of(found, key))
        self._applied(key, self.settings)
        return True


def clashes(text: str) -> tuple[Notice, ...]:
    """Return the errors of typed keys: unknown commands, invalid keys, keys of two commands."""
    from services.errors import SettingsError
    from services.settings.write import checked
    from workbench.commands.keymap import resolve

    try:
        keys = checked("ui.keys", text)
    except SettingsError as error:
        return (Notice(severity="error", message=error.message),)
    return resolve(keys).notices if isinstance(keys, Mapping) else ()


_MOST_BYTES = 65_536
_MOST_FILES = 100


def own_themes(folder: Path) -> tuple[list[Theme], list[Notice]]:
    """Every theme that can be used, by name, and why the others cannot."""
    themes: list[Theme] = []
    notices: list[Notice] = []
    for file in _files(folder):
        try:
            themes.append(_theme(file))
        except (OSError, ValueError) as error:
            said = f"The theme {file.name} is left out: {error}"
            notices.append(
                Notice(severity="warning", message=said, what_to_do="See docs/SETTINGS.md.", file=str(file))
            )
    return themes, notices


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(file for file in folder.iterdir() if file.suffix == ".toml")[:_MOST_FILES]
    except OSError:
        return []


def _theme(file: Path) -> Theme:
    from services.decoding import decode_toml
    from themes.own import own_theme

    if not file.is_file():
        raise ValueError("It is not a regular file.")
    with file.open("rb") as opened:
        data = opened.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise ValueError(f"It is larger than {_MOST_BYTES} bytes.")
    return own_theme(file.stem, decode_toml(dict, data.decode("utf-8-sig")))
