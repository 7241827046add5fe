"""Threads that end with the process."""

from __future__ import annotations

import threading

from services.concurrency.background import start_thread


def test_a_function_is_run_with_its_arguments_in_a_named_daemon_thread() -> None:
    found: list[tuple[int, str, bool]] = []

    def work(number: int) -> None:
        thread = threading.current_thread()
        found.append((number, thread.name, thread.daemon))

    start_thread(work, 3, name="worker").join()
    assert found == [(3, "worker", True)]
