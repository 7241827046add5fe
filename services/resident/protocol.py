"""Protocol of a resident's socket: frames of a kind and bytes, each way.

The resident speaks first: `HELLO` with its build and more about itself, as texts. The other end asks one `QUESTION`.
Then come `BUSY` every second while somebody works on it, `SHOWN` for what a terminal is to show at once, `OUT` and
`ERROR` for the two streams in their order, and at last `DONE` with the exit status, or `DECLINED`: then whoever asked
does the work. `STOP` instead of a question ends the resident, which says `DONE`. `SERVE` instead, with the command line
of a server, is `ACCEPTED` or declined: from then on the lines of a client go over the connection, both ways, until one
end closes it.
"""

from __future__ import annotations

import os
from _socket import SO_PEERCRED, SOL_SOCKET  # `socket` takes 5 ms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Iterable

HELLO, QUESTION, SERVE, STOP = b"H", b"Q", b"L", b"S"
BUSY, SHOWN, OUT, ERROR, DONE, DECLINED, ACCEPTED = b"B", b"P", b"O", b"E", b"X", b"D", b"A"
MOST_ASKED = 4_000_000
MOST_ANSWERED = 512_000_000
"""Bytes of one frame."""
_HEAD = 5
_CREDENTIALS = 12


class BrokenOffError(Exception):
    """The other end is gone, or sends invalid frames."""


def frame(kind: bytes, content: bytes = b"") -> bytes:
    """The bytes of a frame."""
    return kind + len(content).to_bytes(4, "big") + content


def texts(parts: Iterable[str]) -> bytes:
    """Texts as the content of a frame. None of them has a NUL in it, as no argument and no variable has."""
    return "\0".join(parts).encode("utf-8", "surrogateescape")


def parts_of(content: bytes) -> list[str]:
    """The texts in the content of a frame."""
    return content.decode("utf-8", "surrogateescape").split("\0")


def receive(connection: socket, most: int) -> tuple[bytes, bytes]:
    """The kind and content of the next frame. Raises BrokenOffError, and OSError, which a time-out is too."""
    head = _received(connection, _HEAD)
    size = int.from_bytes(head[1:], "big")
    if size > most:
        raise BrokenOffError
    return head[:1], _received(connection, size)


def is_own(connection: socket) -> bool:
    """Whether the process at the other end is this user's."""
    raw = connection.getsockopt(SOL_SOCKET, SO_PEERCRED, _CREDENTIALS)
    return int.from_bytes(raw[4:8], "little" if _IS_LITTLE else "big") == os.getuid()


def is_readable(connection: socket, *, within: float) -> bool:
    """Whether a connection has something to read, or has ended, within so many seconds. Unlike `select.select` it takes
    descriptors above 1 023, which a process that reads a large workspace has."""
    import select

    poll = select.poll()
    poll.register(connection, select.POLLIN)
    return bool(poll.poll(within * 1000))


_IS_LITTLE = memoryview(b"\1\0").cast("H")[0] == 1


def _received(connection: socket, size: int) -> bytes:
    found = bytearray()
    while len(found) < size:
        piece = connection.recv(min(size - len(found), 1 << 20))
        if not piece:
            raise BrokenOffError
        found += piece
    return bytes(found)
