"""Writes in the background: in order, and of one name only the last."""

from __future__ import annotations

import threading

from services.concurrency.background import BackgroundWriter


def test_writes_are_made_in_the_order_they_were_asked_for_and_of_one_name_only_the_last() -> None:
    keeper, made, gate, begun = BackgroundWriter(), list[str](), threading.Event(), threading.Event()

    def first() -> None:
        begun.set()
        assert gate.wait(60)
        made.append("first")

    keeper.keep("a", first)
    assert begun.wait(60)
    for name, what in (("a", "old"), ("b", "other"), ("a", "last")):
        keeper.keep(name, lambda what=what: made.append(what))
    gate.set()
    keeper.flush()
    assert made == ["first", "other", "last"]


def test_a_write_that_fails_is_told_and_the_next_is_made() -> None:
    keeper, made, told = BackgroundWriter(), list[str](), list[Exception]()
    full = OSError("full")

    def fails() -> None:
        raise full

    keeper.keep("a", fails, failed=told.append)
    keeper.keep("b", lambda: made.append("b"))
    keeper.flush()
    assert (told, made) == ([full], ["b"])
    keeper.flush()
    keeper.keep("a", lambda: made.append("again"))
    keeper.flush()
    assert made == ["b", "again"]
