"""The settings files as people change them by hand: followed, in force at once where that can be."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from textual.dom import DOMNode
from textual.message import Message

from services.model import Notice
from services.settings import PROJECT_FILE
from workbench.state.own_settings import AT_ONCE, OwnSettings
from workbench.ui.jobs import Jobs
from workbench.ui.messages import Tell
from workbench.ui.notices import notice_of

if TYPE_CHECKING:
    from services.settings import Settings

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
