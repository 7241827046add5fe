"""Shortcut to an answer: a command that only reads or curates is sent to the resident process of its workspace.

Nothing is imported here that takes time: an answer is there before `click` would be.
"""

from __future__ import annotations

import os
import sys

from services.resident.address import SESSION, SWITCH, Address, build_id, find_address, named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from services.resident.relay import End

COMMANDS = frozenset(
    (
        *("search", "resolve", "outline", "usages", "context", "hierarchy", "graph", "tests"),
        *("read", "grep", "files", "structure", "status", "packs", "pack"),
        *("window", "pin", "unpin", "dismiss", "level", "move", "complete", "suggest"),
    )
)
"""Commands that a resident process answers: they depend on the workspace, the person's state and the terminal alone."""
_WITHOUT_INDEX = frozenset(("read", "grep", "files"))
"""Those that leave no resident process behind: they work in any folder, also in one that has nothing to index."""
_HELP = ("--help", "-h")
_COMPLETION = "_CODECORTEX_COMPLETE"
_WORDS = ("COMP_WORDS", "COMP_CWORD")
_ALIVE_WITHIN = 10.0
_MOST_KEPT = 400
"""Texts that are kept; past them all are dropped."""
MCP = "mcp"
"""The server whose client a resident process serves."""
_ALONE = frozenset(("--help", "-h", "--version", "--no-refresh", "--print-config"))
"""Options with which a command does its work itself."""
_WITH_VALUE = ("--set", "--tools")


class Asking:
    """Command line for a resident process. `address`: its address; None where none is used."""

    __slots__ = ("_arguments", "_command", "_root", "address")

    def __init__(self, arguments: Sequence[str]) -> None:
        self._arguments = list(arguments)
        root, self._command = _asked(arguments)
        self._root = root or ""
        self.address: Address | None = None if root is None else find_address(root, os.environ)

    def answer(self) -> int | None:
        """Print what the resident process answers; the exit status, None where the command has to work itself."""
        if self.address is None:
            return None
        if self._command == MCP:
            return self._relay()
        if not _is_plain_terminal():
            return None
        from services.resident.client import ask

        reply = ask(self.address, self._question())
        return None if reply is None else _printed(reply.pieces, reply.status)

    def _question(self) -> tuple[str, ...]:
        terminals = "".join("1" if os.isatty(stream) else "0" for stream in range(3))
        session = os.environ.get(SESSION) or str(os.getsid(0))
        return (os.getcwd(), session, terminals, *self._arguments)

    def _relay(self) -> int | None:
        """Have the resident process serve the client of this server, and pass the lines of both on."""
        question = self._question()
        found = self._served(question)
        if found is None:
            return None
        from services.resident.relay import Relay

        try:
            return Relay(found, lambda others: self._ends(question, others=others)).run()
        except BrokenPipeError:
            return 1

    def _served(self, question: Sequence[str]) -> End | None:
        """The resident process, which is started where there is none."""
        from services.resident.client import await_served, be_served, connect
        from services.resident.protocol import BrokenOffError

        address = self.address
        if address is None:
            return None
        try:
            connection = be_served(address, question)
            if connection is None and self._may_start():
                connection = await_served(address, question, _becoming(address))
        except BrokenOffError:
            return None
        if connection is None:
            return None
        from services.resident.relay import End

        def is_alive() -> bool:
            reached = connect(address, within=_ALIVE_WITHIN)
            if reached is not None:
                reached[0].close()
            return reached is not None

        return End(connection, is_alive)

    def _ends(self, question: Sequence[str], *, others: bool) -> Iterator[End]:
        """Yield who serves on where the resident process has gone: the next one, or a process for this client
        alone."""
        from services.resident.client import serve_apart

        if others and self.address is not None:
            self.address = find_address(self._root, os.environ)
            if (found := self._served(question)) is not None:
                yield found
        if (apart := serve_apart(self._arguments)) is not None:
            from services.resident.relay import End

            yield End(apart, is_last=True)

    def leave_behind(self) -> None:
        """Start a resident process for the next command, where the settings want one. A job of continuous integration
        leaves none, unless it asks for one: no person types the next command there."""
        if self.address is not None and self._command not in (*_WITHOUT_INDEX, MCP) and self._may_start():
            from services.resident.client import start

            start(self.address, _becoming(self.address))

    def _may_start(self) -> bool:
        if self.address is None or (os.environ.get("CI") and not os.environ.get(SWITCH)):
            return False
        from contextlib import suppress
        from pathlib import Path

        from services.errors import CodeCortexError
        from services.settings import load

        with suppress(CodeCortexError):  # the command tells of settings that cannot be read
            return load(Path(self.address.root)).resident.mode != "off"
        return False


def _becoming(address: Address) -> tuple[str, ...]:
    """The command line with which a process becomes the resident of an address."""
    return ("resident", "run", "--root", address.path, "--name", address.name)


def kept_text(arguments: Sequence[str]) -> str | None:
    """The path of the text that a call for help, or to complete a word, printed before; None for other calls."""
    asked = [os.environ.get(name, "") for name in (_COMPLETION, *_WORDS)]
    if not asked[0] and not any(each in _HELP for each in arguments):
        return None
    given = os.environ.get("XDG_CACHE_HOME", "")
    base = given if given.strip() else f"{os.environ.get('HOME', '')}/.cache"
    if not base.startswith("/") or sys.platform != "linux":
        return None
    parts = (build_id(), str(_columns()), str(sys.stdout.encoding), *asked, *arguments)
    return f"{base}/codecortex/texts/{named('help', parts)}"


def print_kept(path: str) -> bool:
    """Print a cached text; return whether there was one."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    with open(file, "rb") as opened:
        if os.fstat(file).st_uid != os.getuid():
            return False
        _printed([(1, opened.read())], 0)
    return True


def run_and_keep(path: str, run: Callable[[], int]) -> int:
    """Run a command that prints a text, and cache that on success; return the status."""
    from contextlib import redirect_stdout, suppress
    from io import BytesIO, TextIOWrapper

    gathered = BytesIO()
    text = TextIOWrapper(gathered, sys.stdout.encoding, sys.stdout.errors, write_through=True)
    try:
        with redirect_stdout(text):
            status = run()
    except SystemExit as left:  # as click ends what completes a word
        status = left.code if isinstance(left.code, int) else 1
    _printed([(1, gathered.getvalue())], 0)
    if status == 0:
        from pathlib import Path

        from services.errors import CodeCortexError
        from services.workspace.files.durable import private_folder, replace
        from services.workspace.files.openers import held

        with suppress(OSError, CodeCortexError, UnicodeError):
            folder = private_folder(Path(path).parent)
            if len(os.listdir(folder)) > _MOST_KEPT:
                for name in os.listdir(folder):
                    os.unlink(f"{folder}/{name}")
            with held(str(folder), os.O_RDONLY | os.O_DIRECTORY) as opened:
                replace(opened, os.path.basename(path), gathered.getvalue())
    return status


def _columns() -> int:
    """Return the width of help in columns."""
    given = os.environ.get("COLUMNS", "")
    if given.isdigit() and int(given):
        return int(given)
    try:
        return os.get_terminal_size(1).columns
    except OSError:
        return 80


def _asked(arguments: Sequence[str]) -> tuple[str | None, str]:
    """The workspace of a command line that a resident process may answer, None for others; and its command."""
    if os.environ.get(SWITCH, "").lower() == "off":
        return None, ""
    root, command, rest = "", "", iter(arguments)
    for each in rest:
        if each.partition("=")[0] in _ALONE:
            return None, ""
        if each == "--root" or each in _WITH_VALUE:
            value = next(rest, "")
            root = value if each == "--root" else root
        elif each.startswith("--root="):
            root = each[len("--root=") :]
        elif not command and not each.startswith("-"):
            command = each
    if command not in COMMANDS and not (command == MCP and _is_relayed(root)):
        return None, ""
    try:
        return root or os.getcwd(), command
    except FileNotFoundError:
        return None, ""


def _is_relayed(root: str) -> bool:
    """Whether the variables have an MCP server serve the named root, or this folder, over standard input and output."""
    is_elsewhere = bool(os.environ.get("GIT_REPO_PATH", "").strip()) and not root
    return not is_elsewhere and os.environ.get("MCP_MODE", "").strip().lower() in ("", "stdio")


def _is_plain_terminal() -> bool:
    """Whether output is as a resident process makes it: UTF-8, with colours on a terminal."""
    encoding = getattr(sys.stdout, "encoding", None) or ""
    if encoding.lower().replace("_", "-") not in ("utf-8", "utf8"):
        return False
    if not os.isatty(1):
        return True
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _printed(pieces: Sequence[tuple[int, bytes]], status: int) -> int:
    """Write an answer; return its status, that of a failure where its reader has gone."""
    try:
        for stream, content in pieces:
            left = memoryview(content)
            while left:
                left = left[os.write(stream, left) :]
    except BrokenPipeError:
        return 1
    return status
