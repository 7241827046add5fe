"""A person's own settings as changed on the screen, written to their file and in force at once where that can be, and
their themes: `themes/NAME.toml` in the folder of the settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from textual.dom import DOMNode
from textual.message import Message
from textual.theme import Theme

from services.concurrency.exclusion import Guarded
from services.model import Notice
from services.settings import PROJECT_FILE
from workbench.ui.jobs import Jobs
from workbench.ui.messages import Tell
from workbench.ui.notices import notice_of

if TYPE_CHECKING:
    from services.settings import Settings
    from services.settings.load import Origin

AT_ONCE = ("window.", "ui.", "agents.")
"""Settings whose change counts without another start; what agents may do is asked for at each of their calls."""
UNTIL_START = "until the next start"
"""Source of a value that was changed here and could not be taken yet."""


class _LastLook:
    """Settings as the files had them at the last look, and the root that they were read for."""

    found: Settings | None = None
    root: Path | None = None


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
        self._files = Guarded(_LastLook())
        """Used while the files are written or looked at, which threads do: what is written here is none of what was
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

        with self._files as last:
            write()
            if last.found is not None:
                found = load(last.root, user_file=self.file)
                last.found = replaced(last.found, key, value_of(found, key))

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

        with self._files as last:
            found = load(root, user_file=self.file)
            before, last.found, last.root = last.found, found, root
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


_SAID = 4
"""Settings that are told by name."""
_Stamp = tuple[int, int, int]
"""Whether a file is the one that was read: inode, size, time of the last change."""


class SettingsFollower:
    """Follower of the person's settings file and a workspace's, which informs a screen of changes by message. An
    error in a file is reported with its line, and changes nothing."""

    class Changed(Message):
        """Settings have other values, now or from the next start on."""

    def __init__(self, owner: DOMNode, own: OwnSettings, root: Path) -> None:
        """`root`: the folder of the workspace."""
        self._owner = owner
        self._own = own
        self._root = root
        self._jobs = Jobs(owner, self._failed)
        self._stamps: tuple[_Stamp | None, ...] = ()
        self._noted: Sequence[Notice] = ()

    def look(self) -> None:
        """See whether a file is another than at the last look, of which the first changes nothing."""
        self._jobs.run_after("look", self._read, self._take)

    def _read(self) -> tuple[Settings, tuple[str, ...] | None] | None:
        """Return the settings of the files, and the changed keys; None where they are unchanged."""
        stamps = tuple(map(_stamp, (self._own.file, self._root / PROJECT_FILE)))
        if stamps == self._stamps:
            return None
        self._stamps = stamps
        return self._own.look(self._root)

    def _take(self, looked: tuple[Settings, tuple[str, ...] | None] | None) -> None:
        if looked is None:
            return
        found, changed = looked
        new = [notice for notice in found.notices if notice not in self._noted]
        self._noted = found.notices
        if changed is None:
            return  # what is wrong with the files was told at the start
        self._own.adopt(changed, found)
        if changed:
            self._tell(Notice(severity="information", message=changed_line(changed, found)))
            self._owner.post_message(self.Changed())
        for notice in new:
            self._tell(notice)

    def _failed(self, error: Exception) -> None:
        self._tell(notice_of(error))

    def _tell(self, notice: Notice) -> None:
        self._owner.post_message(Tell(notice))


def changed_line(keys: Sequence[str], settings: Settings) -> str:
    """Return a sentence on the settings changed by hand, and from when on they apply."""
    from services.settings.load import text_of

    said = [
        f"{key} is {text_of(settings, key)}{'' if key.startswith(AT_ONCE) else ', from the next start on'}"
        for key in keys[:_SAID]
    ]
    more = f"; and {len(keys) - _SAID} more" if len(keys) > _SAID else ""
    return f"Settings were changed: {'; '.join(said)}{more}."


def _stamp(file: Path) -> _Stamp | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
