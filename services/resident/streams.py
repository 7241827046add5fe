"""Standard streams of the thread that answers: its output is collected for the client, whose standard input it does
not have."""

from __future__ import annotations

import io
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_OWN = threading.local()
_NAMES = ("stdin", "stdout", "stderr")
Emit = Callable[[int, bytes], None]
"""Takes a stream's number, 1 or 2, and bytes that were written to it."""


class DeclinedError(Exception):
    """Only the client can do this."""


class AskerStreams:
    """The client's three streams. `terminals`: which of them are terminals."""

    def __init__(self, emit: Emit, terminals: tuple[bool, bool, bool]) -> None:
        self.stdin = _NoInput(is_terminal=terminals[0])
        self.stdout = _writer(emit, 1, is_terminal=terminals[1])
        self.stderr = _writer(emit, 2, is_terminal=terminals[2])

    @contextmanager
    def used(self) -> Iterator[None]:
        """Send the output of this thread within the block to them."""
        _OWN.streams = self
        try:
            yield
            self.stdout.flush()
            self.stderr.flush()
        finally:
            _OWN.streams = None


def install() -> None:
    """Install streams through which each thread of this process prints to its own client."""
    for name in _NAMES:
        if not isinstance(getattr(sys, name), _OfThread):
            setattr(sys, name, _OfThread(name, getattr(sys, name)))


@contextmanager
def installed() -> Iterator[None]:
    """As `install`, for a block of a process that goes on."""
    install()
    try:
        yield
    finally:
        for name in _NAMES:
            stream = getattr(sys, name)
            if isinstance(stream, _OfThread):
                setattr(sys, name, stream.otherwise)


def is_installed() -> bool:
    """Whether what a thread prints goes to whoever it answers. Others may put streams of their own in the place."""
    return all(isinstance(getattr(sys, name), _OfThread) for name in _NAMES)


class _OfThread:
    """A standard stream, which is another one in each thread that answers."""

    def __init__(self, name: str, otherwise: Any) -> None:
        self._name = name
        self.otherwise = otherwise

    def __getattr__(self, name: str) -> Any:
        streams = getattr(_OWN, "streams", None)
        stream = self.otherwise if streams is None else getattr(streams, self._name)
        return getattr(stream, name)


def _writer(emit: Emit, number: int, *, is_terminal: bool) -> io.TextIOWrapper:
    """A text stream as the interpreter makes them, so that pieces end where they end in a process of its own."""
    return io.TextIOWrapper(
        io.BufferedWriter(_Emitted(emit, number, is_terminal=is_terminal)),
        encoding="utf-8",
        errors="strict" if number == 1 else "backslashreplace",
        line_buffering=is_terminal or number == 2,
    )


class _Emitted(io.RawIOBase):
    """Bytes sent to the client."""

    def __init__(self, emit: Emit, number: int, *, is_terminal: bool) -> None:
        super().__init__()
        self._emit = emit
        self._number = number
        self._is_terminal = is_terminal

    def writable(self) -> bool:
        """Whether it can be written to."""
        return True

    def write(self, data: Any, /) -> int:
        """Hand bytes on."""
        content = bytes(data)
        self._emit(self._number, content)
        return len(content)

    def isatty(self) -> bool:
        """Whether the asker's stream is a terminal."""
        return self._is_terminal


class _NoInput:
    """Standard input of the client, which only the client can read."""

    def __init__(self, *, is_terminal: bool) -> None:
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        """Whether the asker's stream is a terminal."""
        return self._is_terminal

    def __getattr__(self, name: str) -> Any:
        raise DeclinedError(name)
