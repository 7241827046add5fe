"""What the watching library says in its log alone: that the system's queue of events overflowed and some were lost."""

from __future__ import annotations

import logging
from collections.abc import Callable

_LIBRARY = logging.getLogger("watchdog.observers")
_SAYS = "overflow"


class LostEvents(logging.Handler):
    """Calls `lost` whenever the library says so, from `listen` until `leave`. While anybody listens, nothing that it
    logs reaches the terminal, which a screen owns."""

    def __init__(self, lost: Callable[[], None]) -> None:
        super().__init__(logging.WARNING)
        self._lost = lost

    def listen(self) -> None:
        """Begins."""
        _LIBRARY.addHandler(self)

    def leave(self) -> None:
        """Ends; a second call does nothing."""
        _LIBRARY.removeHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """One message of the library."""
        if _SAYS in record.getMessage():
            self._lost()
