"""The window file: the text of the window, for people and programs that read files."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Protocol

from services.errors import WorkspaceError
from services.model import Notice

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

WINDOW_FILE = "prompt_window.md"


class WindowFiles(Protocol):
    """Subset of `services.workspace.shared.SharedFolder` used here."""

    def read(self, name: str) -> bytes | None:
        """The bytes of a file, or None where there is none."""
        ...

    def write(self, name: str, data: bytes) -> None:
        """Replace a file atomically and durably."""
        ...


class Published:
    """Background writer of the window file: of texts in quick succession the last is written. Failure is a notice,
    never an error. Nothing is written until the window changes: looking at it leaves the repository unchanged.
    Thread-safe."""

    def __init__(self, files: WindowFiles) -> None:
        self._files = files
        self._begun = False
        self._notice: Notice | None = None
        self._changing = threading.Lock()
        self._waiting: str | None = None
        self._writer: ThreadPoolExecutor | None = None

    def notices(self) -> tuple[Notice, ...]:
        """Why the file is not up to date, if it is not, as of the last writing."""
        notice = self._notice
        return (notice,) if notice is not None else ()

    def begin(self) -> None:
        """Write what is rendered from now on."""
        self._begun = True

    def write(self, text: str) -> None:
        """Write this text to the file, if it differs."""
        if not self._begun:
            return
        with self._changing:
            self._waiting = text
            # A pool, whose thread a program that ends without closing anything waits for.
            self._writer = self._writer or _pool()
            self._writer.submit(self._write_last)

    def close(self) -> None:
        """Wait until the file contains the last text, or writing failed, and the writer has ended."""
        with self._changing:
            writer, self._writer = self._writer, None
        if writer is not None:
            writer.shutdown(wait=True)

    def _write_last(self) -> None:
        with self._changing:
            text, self._waiting = self._waiting, None
        if text is None:
            return
        data = text.encode("utf-8", "replace")  # half a pair of surrogates is no text
        try:
            if self._files.read(WINDOW_FILE) != data:
                self._files.write(WINDOW_FILE, data)
            self._notice = None
        except (OSError, WorkspaceError) as error:
            self._notice = Notice(
                severity="warning",
                message=f"{WINDOW_FILE} could not be written: {error}",
                what_to_do="Copy the window instead, or make the state folder writable.",
                file=WINDOW_FILE,
            )


def _pool() -> ThreadPoolExecutor:
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="window file")
