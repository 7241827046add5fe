"""Rights of agents, read at each call: a withdrawal takes effect at once.

Agents as owners of locks, writes and pins.
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable
from pathlib import Path

from services.errors import SettingsError
from services.settings import AgentSettings, Settings, user_file_path
from services.source.journal.actor import Owner
from services.workspace.files.root import sign

_LOG = logging.getLogger("codecortex.server")


class Rights:
    """Looks at the person's settings file, where alone rights are given, and reads it again when it is another. Every
    method may be called from any thread."""

    def __init__(
        self, agents: AgentSettings, again: Callable[[], Settings], *, file: Path | None = None
    ) -> None:
        """`agents`: those in force; `again`: reads all settings, and raises SettingsError; `file`: the person's, None
        for the usual one."""
        self._file = file or user_file_path()
        self._again = again
        self._guard = threading.Lock()
        self._agents = agents
        self._seen: object = self  # equal to no sign: what was written since the settings were read counts

    def now(self) -> AgentSettings:
        """Return the settings in force. An unusable file changes nothing, with a line in the log."""
        found = sign(self._file)
        with self._guard:
            if found != self._seen:
                self._seen = found
                try:
                    self._agents = self._again().agents
                except SettingsError as error:
                    _LOG.warning("the settings were not taken: %s", error.message)
            return self._agents


_UNNAMEABLE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST = 40


def agent_named(name: str, session: str = "") -> Owner:
    """A program by the name it gives itself, and the first characters of its session's id. Letters, digits and `._-`
    are kept, so that no log can be misread; a program without a name is `agent`."""
    return Owner(_plain(name) or "agent", _plain(session)[:8])


def _plain(text: str) -> str:
    return _UNNAMEABLE.sub("-", text).strip("-")[:_LONGEST]
