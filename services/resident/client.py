"""Client of the resident process: a command that requests its answer from it, or starts one.

Whatever goes wrong is no result: the command then does the work itself.
"""

from __future__ import annotations

import fcntl
import os
import sys
from _socket import AF_UNIX, SOCK_CLOEXEC, SOCK_STREAM, socket, socketpair
from time import monotonic, sleep, time

from services.resident.address import SWITCH, Address, is_private, reachable
from services.resident.protocol import (
    ACCEPTED,
    BUSY,
    DONE,
    ERROR,
    HELLO,
    MOST_ANSWERED,
    MOST_ASKED,
    OUT,
    QUESTION,
    SERVE,
    SHOWN,
    BrokenOffError,
    frame,
    is_own,
    parts_of,
    receive,
    texts,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

HEARD_WITHIN = 0.05
"""Seconds in which a resident says hello."""
PATIENT = 3.0
"""The same for whoever wants to know of it, or have it end, and does nothing else meanwhile."""
_SILENT_FOR = 5.0
"""Seconds without a sign of life after which it is given up: it says every second that it is busy."""
_SERVED_WITHIN = 30.0
"""Seconds in which it accepts a client of a server: at first it imports what that needs."""
_THERE_WITHIN = 15.0
"""Seconds in which one that was just started has to be there."""
_LOOKED = 0.02
_AGAIN_AFTER = 60.0
"""Seconds in which none is started where one was and left its lock behind, as one does that fails."""


_PROGRAM = (
    "import os, sys; os.closerange(3, 1024); sys.path.append(sys.argv.pop(1)); "
    "from workbench.shell.cli import main; main()"
)
"""Descriptors that the caller's own caller let it inherit are not held open for minutes."""


class Reply:
    """`status`: exit status; `pieces`: (stream, bytes) in their order, stream 1 or 2."""

    __slots__ = ("pieces", "status")

    def __init__(self) -> None:
        self.status = 0
        self.pieces: list[tuple[int, bytes]] = []


def connect(address: Address, *, within: float | None = None) -> tuple[socket, list[str]] | None:
    """Connect to the resident at an address; return the connection and its greeting, None where none answers
    in time. `within`: seconds in which it has to greet, `HEARD_WITHIN` for None."""
    if not is_private(address.folder):
        return None
    return connect_to(
        address.folder, f"{address.name}.sock", within=HEARD_WITHIN if within is None else within
    )


def connect_to(folder: str, name: str, *, within: float = PATIENT) -> tuple[socket, list[str]] | None:
    """Connect to a socket of a private folder like `connect`. `within`: seconds in which it has to greet."""
    ends = monotonic() + within
    connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC)
    connection.settimeout(within)
    try:
        _reach(connection, f"{folder}/{name}", folder)
        if not is_own(connection):
            raise BrokenOffError
        connection.settimeout(max(0.001, ends - monotonic()))
        kind, content = receive(connection, MOST_ASKED)
        if kind == HELLO:
            return connection, parts_of(content)
    except (OSError, BrokenOffError):
        pass
    connection.close()
    return None


def _reach(connection: socket, path: str, folder: str) -> None:
    descriptor = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        connection.connect(reachable(path, descriptor))
    finally:
        os.close(descriptor)


def ask(address: Address, question: Sequence[str]) -> Reply | None:
    """Return the answer of the resident at an address; None where there is none, or it declines, or breaks off."""
    reached = connect(address)
    if reached is None:
        return None
    connection, (said, *_) = reached
    try:
        if said != address.name:
            return None
        connection.settimeout(_SILENT_FOR)
        connection.sendall(frame(QUESTION, texts(question)))
        return _reply(connection)
    except (OSError, BrokenOffError):
        return None
    finally:
        connection.close()


def _reply(connection: socket) -> Reply | None:
    reply = Reply()
    while True:
        kind, content = receive(connection, MOST_ANSWERED)
        if kind in (OUT, ERROR):
            reply.pieces.append((1 if kind == OUT else 2, content))
        elif kind == SHOWN:
            os.write(2, content)
        elif kind == DONE:
            reply.status = int.from_bytes(content, "big")
            return reply
        elif kind != BUSY:
            return None


def be_served(address: Address, question: Sequence[str]) -> socket | None:
    """Return a connection to the resident at an address over which it serves the client of a server's command line;
    None where there is no resident. Raises BrokenOffError where it declines."""
    reached = connect(address, within=PATIENT)
    if reached is None:
        return None
    connection, (said, *_) = reached
    try:
        connection.settimeout(_SERVED_WITHIN)
        if said == address.name:
            connection.sendall(frame(SERVE, texts(question)))
            if receive(connection, MOST_ASKED)[0] == ACCEPTED:
                connection.settimeout(None)
                return connection
    except OSError as error:
        raise BrokenOffError from error
    connection.close()
    raise BrokenOffError


def await_served(address: Address, question: Sequence[str], arguments: Sequence[str]) -> socket | None:
    """Start a resident unless there is one, and return a connection to it as `be_served`, or None.
    `arguments`: as of `start`."""
    started, ends = start(address, arguments), monotonic() + _THERE_WITHIN
    while started is not None and monotonic() < ends:
        sleep(_LOOKED)
        # One that has ended found another one there, or cannot begin; that is looked at once more.
        is_over = started > 0 and os.waitpid(started, os.WNOHANG)[0] != 0
        if (connection := be_served(address, question)) is not None:
            return connection
        if is_over:
            return None
        if not started and is_lock_free(address.lock):
            started = start(address, arguments)
    return None


def start(address: Address, arguments: Sequence[str]) -> int | None:
    """Leave a resident process behind, unless there is one, or one was started that did not last. Return its process
    id, 0 for one that was there, and None for none. `arguments`: of the program, by which it becomes one."""
    if not is_lock_free(address.lock):
        return 0
    try:
        if time() - os.stat(address.lock).st_mtime < _AGAIN_AFTER:
            return None
    except OSError:
        pass
    nothing = [(os.POSIX_SPAWN_OPEN, at, os.devnull, os.O_RDWR, 0) for at in range(3)]
    return _spawned(arguments, dict(os.environ), nothing, setsid=True)


def is_lock_free(path: str) -> bool:
    """Whether the lock at a path is free or gone."""
    try:
        held = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return True
    try:
        fcntl.flock(held, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(held)
    return True


def serve_apart(arguments: Sequence[str]) -> socket | None:
    """Start a server without a resident, and return a connection over which it serves as over standard input and
    output. `arguments`: its command line."""
    own, its = socketpair(AF_UNIX, SOCK_STREAM)
    streams = [(os.POSIX_SPAWN_DUP2, its.fileno(), at) for at in range(2)]
    pid = _spawned(arguments, {**os.environ, SWITCH: "off"}, streams)
    its.close()
    return None if pid is None else own


def _spawned(
    arguments: Sequence[str], environment: dict[str, str], files: Sequence[Any], *, setsid: bool = False
) -> int | None:
    home = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    command = [sys.executable, "-P", "-c", _PROGRAM, home, *arguments]
    try:
        return os.posix_spawn(sys.executable, command, environment, file_actions=files, setsid=setsid)
    except (OSError, NotImplementedError):
        return None
