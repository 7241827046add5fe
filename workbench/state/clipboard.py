"""Copying: the system's clipboard, else the terminal's (OSC 52) and a file, else a file; and saying which it was."""

from __future__ import annotations

import base64
import os
from collections.abc import Callable, Mapping
from enum import StrEnum

from msgspec import Struct

from services.concurrency.background import start_thread
from services.workspace import programs

TERMINAL_LIMIT = 74_994
"""Bytes of base64 that terminals commonly take in one OSC 52; longer ones are dropped without a word."""

TERMINAL_CLIPBOARD, BROWSER_CLIPBOARD = "the terminal's clipboard (OSC 52)", "the browser's clipboard"

PATIENCE = 3.0
"""Seconds a clipboard helper gets: one may hold its pipe open for good."""


_TERMINAL = "/dev/tty"


class CopyMethod(StrEnum):
    """How a text left the program."""

    SYSTEM = "system clipboard"
    TERMINAL = "terminal"
    FILE = "file"
    NONE = "none"


class Copied(Struct, frozen=True):
    """Outcome of a copy. `where`: the file, if one was written; `why`: why better ways failed; `taker`: the
    terminal's clipboard, in words."""

    way: CopyMethod
    where: str = ""
    why: str = ""
    taker: str = TERMINAL_CLIPBOARD

    def sentence(self, what: str) -> str:
        """For a person: `what` went where, and how sure that is."""
        return {
            CopyMethod.SYSTEM: f"{what} copied to the system clipboard.",
            CopyMethod.TERMINAL: f"{what} sent to {self.taker}, which does not confirm"
            f"{f'; the text also lies in {self.where}.' if self.where else ': paste to see.'}",
            CopyMethod.FILE: f"{what} written to {self.where}"
            f"{': no clipboard took it. ' if self.why else '.'}{self.why}",
            CopyMethod.NONE: f"{what} could not be copied. {self.why}",
        }[self.way].strip()


class Clipboard(Struct, frozen=True):
    """Ways of copying, best first. `system` may raise anything; `terminal` writes the escape sequence; `save` writes
    a file and returns its path, or raises OSError; `taker`: the receiver of the escape sequence."""

    system: Callable[[str], None]
    terminal: Callable[[str], None] | None
    save: Callable[[str], str] | None
    remote: bool = False
    patience: float = PATIENCE
    taker: str = TERMINAL_CLIPBOARD

    def copy(self, text: str) -> Copied:
        """Copy `text` by the first way that works. Blocks, `patience` at most: call it from a worker."""
        why = (
            "The session is remote, its system clipboard is not yours."
            if self.remote
            else _try_within(self.patience, self.system, text)
        )
        if not why:
            return Copied(CopyMethod.SYSTEM)
        size = _size(text)
        if self.terminal is not None and size <= TERMINAL_LIMIT:
            self.terminal(text)
            return Copied(CopyMethod.TERMINAL, self._write(text, why).where, why, self.taker)
        if size > TERMINAL_LIMIT:
            why += f" It is too long for {self.taker}."
        return self._write(text, why)

    def send(self, text: str) -> Copied:
        """Copy `text` by the terminal alone."""
        if self.terminal is None:
            return Copied(CopyMethod.NONE, why="There is no terminal.")
        if _size(text) > TERMINAL_LIMIT:
            return Copied(CopyMethod.NONE, why=f"It is too long for {self.taker}.")
        self.terminal(text)
        return Copied(CopyMethod.TERMINAL, taker=self.taker)

    def keep(self, text: str) -> Copied:
        """Write `text` to the file alone."""
        return self._write(text, "")

    def _write(self, text: str, why: str) -> Copied:
        if self.save is None:
            return Copied(CopyMethod.NONE, why=why)
        try:
            return Copied(CopyMethod.FILE, where=self.save(text), why=why)
        except OSError as error:
            return Copied(CopyMethod.NONE, why=f"{why} A file could not be written either: {error}.")


def is_remote(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether the terminal is at the other end of SSH, so that the clipboard of this machine is not the person's."""
    return any(environment.get(name) for name in ("SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT"))


def terminal_copier() -> Callable[[str], None] | None:
    """Return a writer of OSC 52 to the controlling terminal, independent of standard output; None where there is no
    terminal."""
    try:
        os.close(os.open(_TERMINAL, os.O_WRONLY | os.O_NOCTTY))
    except OSError:
        return None

    def send(text: str) -> None:
        data = base64.b64encode(text.encode("utf-8", "replace")).decode()
        with open(_TERMINAL, "w", encoding="ascii") as terminal:  # noqa: PTH123 - no path of a file
            terminal.write(f"\x1b]52;c;{data}\x07")

    return send


def _size(text: str) -> int:
    """Bytes of a text as base64."""
    return (len(text.encode("utf-8", "replace")) + 2) // 3 * 4


def system_copy(text: str) -> None:
    """Copy by pyperclip, imported when first used. Raises PyperclipException where there is no clipboard."""
    import pyperclip

    os.environ["PATH"] = programs.search_path()  # it looks for helpers itself, and runs them by name
    pyperclip.copy(text)


def _try_within(seconds: float, call: Callable[[str], None], text: str) -> str:
    """Why `call` did not take `text`, or nothing. The thread of one that hangs is left behind: it is a daemon."""
    outcome: list[str] = []

    def attempt() -> None:
        try:
            call(text)
        except Exception as error:  # noqa: BLE001 - pyperclip lets through whatever its helpers raise
            outcome.append(_first_sentence(str(error)) or type(error).__name__)
        else:
            outcome.append("")

    start_thread(attempt, name="clipboard").join(seconds)
    return outcome[0] if outcome else f"The clipboard did not answer within {seconds:g} s."


def _first_sentence(text: str) -> str:
    line = text.strip().partition("\n")[0]
    return line.partition(". ")[0].rstrip(".") + "." if line else ""
