"""Background writer: one write after the other, in the order of submission."""

from __future__ import annotations

import threading
from collections.abc import Callable

Write = Callable[[], object]


class BackgroundWriter:
    """Writes in a thread of its own. Of writes under one name that still wait, the last one alone is made, in its turn.

    What cannot be kept is no matter: whoever has to know of it asks with `failed`. The thread ends the process with
    nothing waiting: the interpreter waits for it, and so does `flush`.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, tuple[Write, Callable[[Exception], object]]] = {}
        self._changed = threading.Condition()
        self._works = False

    def keep(self, name: str, write: Write, *, failed: Callable[[Exception], object] | None = None) -> None:
        """Call `write` soon. `failed`: called, in that thread, with its exception."""
        with self._changed:
            self._waiting.pop(name, None)
            self._waiting[name] = (write, failed or _no_matter)
            if not self._works:
                self._works = True
                threading.Thread(target=self._work, name="keeper", daemon=False).start()

    def flush(self) -> None:
        """Wait until all submitted writes are done."""
        with self._changed:
            self._changed.wait_for(lambda: not self._works)

    def _work(self) -> None:
        while (found := self._next()) is not None:
            write, failed = found
            try:
                write()
            except Exception as error:  # noqa: BLE001 - the writes behind it have to be made all the same
                failed(error)

    def _next(self) -> tuple[Write, Callable[[Exception], object]] | None:
        """The write that has waited longest; None, and the end of the thread, where there is none."""
        with self._changed:
            for name in self._waiting:
                return self._waiting.pop(name)
            self._works = False
            self._changed.notify_all()
            return None


def _no_matter(_: Exception) -> None:
    """Ignore the exception."""
