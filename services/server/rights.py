"""What agents may do, as the settings have it at the moment of each call: whoever takes a right away means at once."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path

from services.errors import SettingsError
from services.settings import AgentSettings, Settings, user_file_path
from services.workspace.files.stamp import sign

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
        """Those that count. Of a file that cannot be used nothing is taken: what was in force stays, and a line in the
        log says so."""
        found = sign(self._file)
        with self._guard:
            if found != self._seen:
                self._seen = found
                try:
                    self._agents = self._again().agents
                except SettingsError as error:
                    _LOG.warning("the settings were not taken: %s", error.message)
            return self._agents
