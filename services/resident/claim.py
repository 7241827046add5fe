"""The claim of a resident process to its address: a lock that it holds for life, and the socket at which it listens.

No recorded pid is believed or ended. Only whoever holds the lock removes a socket, and only one at which nobody
listens.
"""

from __future__ import annotations

import errno
import os
import socket
from contextlib import suppress
from typing import Self

from services.concurrency.exclusion import lock
from services.resident.address import Address, is_private, reachable

_BACKLOG = 128
_PROBED = 0.1
"""Seconds for which somebody may hold the lock who only looks whether it is free."""
_LOCK_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Claim:
    """An address that this process alone has, until it gives it up or ends."""

    def __init__(self, address: Address, folder: int, held: int) -> None:
        self.address = address
        self._folder = folder
        self._held = held
        self.listener: socket.socket | None = None

    @classmethod
    def take(cls, address: Address) -> Self | None:
        """The claim to an address; None where another process has it, or its folder is not this user's alone. Raises
        OSError."""
        with suppress(FileExistsError):
            os.mkdir(address.folder, 0o700)  # noqa: PTH102 - no parents
        if not is_private(address.folder):
            return None
        folder = os.open(address.folder, _FOLDER_FLAGS)
        held = _locked(address, folder)
        if held is None:
            os.close(folder)
            return None
        os.utime(held)
        return cls(address, folder, held)

    def listen(self) -> socket.socket:
        """Begin to listen. Raises OSError where another process listens there, or listening is impossible."""
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        path = reachable(self.address.socket, self._folder)
        try:
            try:
                listener.bind(path)
            except OSError as error:
                if error.errno != errno.EADDRINUSE or not _is_deserted(path):
                    raise
                os.unlink(f"{self.address.name}.sock", dir_fd=self._folder)
                listener.bind(path)
            # The folder is private already. A mask would hold for what other threads make meanwhile.
            os.chmod(f"{self.address.name}.sock", 0o600, dir_fd=self._folder)
            listener.listen(_BACKLOG)
        except BaseException:
            listener.close()
            raise
        self.listener = listener
        return listener

    def stop_listening(self) -> None:
        """Accept no new connections. Does nothing where that is done already."""
        listener, self.listener = self.listener, None
        if listener is not None:
            with suppress(OSError):
                os.unlink(f"{self.address.name}.sock", dir_fd=self._folder)
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)  # wakes whoever waits in `accept`
            listener.close()

    def release(self, *, failed: bool = False) -> None:
        """Give the address up, and leave nothing behind: the last thing that a resident does. Does nothing where that
        is done already. `failed`: the file of the lock stays, so that commands do not start it again at once."""
        if self._held < 0:
            return
        self.stop_listening()
        if not failed:
            with suppress(OSError):
                os.unlink(f"{self.address.name}.lock", dir_fd=self._folder)
        os.close(self._held)
        os.close(self._folder)
        self._held = -1


def _locked(address: Address, folder: int) -> int | None:
    """The descriptor of the lock file with its lock; None where another process holds that."""
    name = f"{address.name}.lock"
    while True:
        held = os.open(name, _LOCK_FLAGS, 0o600, dir_fd=folder)
        if not lock(held, _PROBED):
            os.close(held)
            return None
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(held), os.stat(name, dir_fd=folder)):
                return held
        os.close(held)  # whoever held it before has just removed it


def _is_deserted(path: str) -> bool:
    """Whether a socket exists without a listener."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
        asking.settimeout(1.0)
        try:
            asking.connect(path)
        except ConnectionRefusedError:
            return True
        except OSError:
            return False
    return False
