"""The shortest way to an answer: a command that only reads or curates asks the resident process of its workspace.

Nothing is imported here that takes time: an answer is there before `click` would be.
"""

from __future__ import annotations

import os
import sys

from services.resident.address import SESSION, SWITCH, Address, find_address

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS = frozenset(
    (
        *("search", "resolve", "outline", "usages", "context", "hierarchy", "graph", "tests"),
        *("read", "grep", "files", "structure", "status", "packs", "pack"),
        *("window", "pin", "unpin", "dismiss", "level", "move", "complete", "suggest"),
    )
)
"""Commands that a resident process answers: they depend on the workspace, the person's state and the terminal alone."""
_ALONE = frozenset(("--help", "-h", "--version", "--no-refresh"))
"""Options with which a command does its work itself."""
_WITH_VALUE = ("--set",)


class Asking:
    """A command line on its way to a resident process. `address`: where that listens; None where none is asked."""

    __slots__ = ("_arguments", "address")

    def __init__(self, arguments: Sequence[str]) -> None:
        self._arguments = list(arguments)
        root = _root_asked(arguments)
        self.address: Address | None = None if root is None else find_address(root, os.environ)

    def answer(self) -> int | None:
        """Print what the resident process answers; the exit status, None where the command has to work itself."""
        if self.address is None or not _is_plain_terminal():
            return None
        from services.resident.client import ask

        terminals = "".join("1" if os.isatty(stream) else "0" for stream in range(3))
        session = os.environ.get(SESSION) or str(os.getsid(0))
        reply = ask(self.address, (os.getcwd(), session, terminals, *self._arguments))
        return None if reply is None else _printed(reply.pieces, reply.status)

    def leave_behind(self) -> None:
        """Start a resident process for the next command, where the settings want one."""
        if self.address is None:
            return
        from pathlib import Path

        from services.resident.client import start
        from services.settings import load

        if load(Path(self.address.root)).resident.mode != "off":
            arguments = ("resident", "run", "--root", self.address.path, "--name", self.address.name)
            start(self.address, arguments)


def _root_asked(arguments: Sequence[str]) -> str | None:
    """The workspace of a command line that a resident process may answer; None for others."""
    if os.environ.get(SWITCH, "").lower() == "off":
        return None
    root, command, rest = "", "", iter(arguments)
    for each in rest:
        if each in _ALONE:
            return None
        if each == "--root" or each in _WITH_VALUE:
            value = next(rest, "")
            root = value if each == "--root" else root
        elif each.startswith("--root="):
            root = each[len("--root=") :]
        elif not command and not each.startswith("-"):
            command = each
    if command not in COMMANDS:
        return None
    try:
        return root or os.getcwd()
    except FileNotFoundError:
        return None


def _is_plain_terminal() -> bool:
    """Whether output is as a resident process makes it: UTF-8, with colours on a terminal."""
    encoding = getattr(sys.stdout, "encoding", None) or ""
    if encoding.lower().replace("_", "-") not in ("utf-8", "utf8"):
        return False
    if not os.isatty(1):
        return True
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _printed(pieces: Sequence[tuple[int, bytes]], status: int) -> int:
    """Write an answer; its status, that of a failure where whoever reads it has gone."""
    try:
        for stream, content in pieces:
            left = memoryview(content)
            while left:
                left = left[os.write(stream, left) :]
    except BrokenPipeError:
        return 1
    return status
