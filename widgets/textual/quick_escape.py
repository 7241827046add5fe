"""A terminal driver that hears escape alone as soon as nothing follows it.

Textual's looks at the terminal ten times a second: whoever presses escape waits a tenth of a second, however short the
time is in which what follows would make another key of it (`ESCDELAY`).
"""

from __future__ import annotations

import os
import selectors
import sys
from codecs import getincrementaldecoder

from textual import constants
from textual._parser import ParseError
from textual._xterm_parser import XTermParser
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver

_LOOK = 0.2
"""Seconds between two looks at whether the program is to end."""
_PIECE = 4_096
_SELECTOR = selectors.PollSelector if sys.platform == "linux" else selectors.SelectSelector
"""`select` takes no descriptor above 1 023; elsewhere `poll` does not take a terminal."""


class QuickEscapeDriver(LinuxDriver):
    """Textual's own, but for how long it waits behind an escape."""

    def run_input_thread(self) -> None:
        """Hand on what is typed, until the program is to end."""
        parser = XTermParser(self._debug)
        decode = getincrementaldecoder("utf-8")().decode
        with _SELECTOR() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                is_open = getattr(parser, "_timeout_time", None) is not None
                if selector.select(constants.ESCAPE_DELAY if is_open else _LOOK):
                    if not (piece := os.read(self.fileno, _PIECE)):
                        break  # the terminal is gone, or what was piped in has ended
                    text = decode(piece)  # "" of half a character, which the parser would take for the end
                    for event in parser.feed(text) if text else ():
                        self.process_message(event)
                for event in parser.tick():
                    self.process_message(event)
        try:
            for _ in parser.feed(""):
                pass
        except (EOFError, ParseError):
            pass


def quick_escape(driver: type[Driver]) -> type[Driver]:
    """The driver to use in the place of one: of a terminal, the quick one; any other as it is."""
    return QuickEscapeDriver if driver is LinuxDriver else driver
