"""Threads that end with the process."""

from __future__ import annotations

import threading
from collections.abc import Callable


def start_thread(
    work: Callable[..., object], *arguments: object, name: str | None = None
) -> threading.Thread:
    """Run a function in a thread of its own, which ends with the process at the latest, and return the thread."""
    thread = threading.Thread(target=work, args=arguments, name=name, daemon=True)
    thread.start()
    return thread
