"""Targets that a hostile repository must not reach: files outside it, and addresses."""

from __future__ import annotations

import ctypes
import os
import socket
import struct
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from tests.support.snapshots import Snapshot

_NO_WAIT = os.O_NONBLOCK | os.O_CLOEXEC
_EVENT = struct.Struct("iIII")
# IN_ACCESS, IN_MODIFY, IN_ATTRIB, IN_OPEN, IN_MOVED_FROM, IN_MOVED_TO, IN_CREATE, IN_DELETE
_EVERYTHING = 0x1 | 0x2 | 0x4 | 0x20 | 0x40 | 0x80 | 0x100 | 0x200
_OF_A_FOLDER = 0x4000_0000
SECRET = "outside-secret-of-somebody"
"""Text of the files outside, which nothing may show."""


class Outside:
    """Folder outside the workspace with a file of each kind that is useful to an attacker."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "folder").mkdir(parents=True)
        self.text = folder / "secret.txt"
        self.text.write_text(f"{SECRET}\n")
        (folder / "secret.cs").write_text(f"namespace N; public class Outside {{ /* {SECRET} */ }}\n")
        (folder / "folder" / "note.json").write_text(f'{{"text": "{SECRET}"}}\n')
        self._before = Snapshot.of(folder)

    def differences(self) -> list[str]:
        """Paths of the folder that are no longer as they were."""
        return Snapshot.of(self.folder).differences(self._before)


class Opened:
    """Files below some folders that are opened, read, changed or removed, by any path or link."""

    def __init__(self, folders: list[Path]) -> None:
        self._library = ctypes.CDLL(None, use_errno=True)
        self._descriptor = self._library.inotify_init1(_NO_WAIT)
        if self._descriptor < 0:
            raise OSError(ctypes.get_errno(), "inotify")
        self._folders: dict[int, Path] = {}
        for top in folders:
            for name, _, _ in os.walk(top):
                watch = self._library.inotify_add_watch(self._descriptor, os.fsencode(name), _EVERYTHING)
                self._folders[watch] = Path(name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)

    def paths(self) -> set[str]:
        """Files that something happened to since the last time; folders are left out, which a walk opens."""
        found: set[str] = set()
        with suppress(BlockingIOError):
            while data := os.read(self._descriptor, 1 << 20):
                found.update(self._named(data))
        return found

    def _named(self, data: bytes) -> Iterator[str]:
        at = 0
        while at < len(data):
            watch, mask, _, length = _EVENT.unpack_from(data, at)
            name = data[at + _EVENT.size : at + _EVENT.size + length].rstrip(b"\0")
            at += _EVENT.size + length
            if name and not mask & _OF_A_FOLDER and watch in self._folders:
                yield str(self._folders[watch] / os.fsdecode(name))


class Listener:
    """An address on loopback that takes connections and answers none."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=1_000)
        self._socket.setblocking(False)
        self.address = f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def asked(self) -> list[str]:
        """The first lines of what was sent since the last time."""
        found: list[str] = []
        with suppress(BlockingIOError):
            while True:
                connection, _ = self._socket.accept()
                with connection, suppress(OSError):
                    connection.setblocking(False)
                    found.append("a connection")
                    found[-1] = connection.recv(65_536).partition(b"\r\n")[0].decode("latin-1")
        return found


_STARTED = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn")
_OWN = ("git", "rg")


class Acts:
    """Acts of this process that reach others, from now on; noting cannot be stopped. `sent`: contacted addresses;
    `started`: started programs, except its own."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.started: list[str] = []
        sys.addaudithook(self._note)

    def _note(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in ("socket.connect", "socket.sendto") and not isinstance(arguments[1], str | bytes):
            self.sent.append(f"{event} {arguments[1]}")
        elif event == "socket.getaddrinfo":
            self.sent.append(f"{event} {arguments[0]}")
        elif event in _STARTED:
            program = os.fsdecode(arguments[0] or "")
            if Path(program).name not in _OWN or not program.startswith(("/usr/", "/bin/")):
                self.started.append(f"{event} {program}")
