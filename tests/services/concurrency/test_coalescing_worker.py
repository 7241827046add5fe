"""What takes a while is done aside, and holds up nobody who hands it over."""

from __future__ import annotations

import queue
import threading

from services.concurrency.background import CoalescingWorker


def test_what_is_handed_over_while_work_is_under_way_is_taken_together() -> None:
    begun: queue.Queue[frozenset[str]] = queue.Queue()
    may_end = threading.Event()

    def work(topics: frozenset[str]) -> None:
        begun.put(topics)
        assert may_end.wait(60)

    aside = CoalescingWorker(work)
    aside.submit(frozenset({"window"}))
    assert begun.get(timeout=60) == {"window"}
    for topics in ({"writes"}, set[str](), {"packs"}):
        aside.submit(frozenset(topics))
    assert begun.empty()
    may_end.set()
    assert begun.get(timeout=60) == {"writes", "packs"}
    aside.close()


def test_once_closed_nothing_is_worked_on() -> None:
    worked: list[frozenset[str]] = []
    aside = CoalescingWorker(worked.append)
    aside.close()
    aside.submit(frozenset({"writes"}))
    aside.close()
    assert worked == []
