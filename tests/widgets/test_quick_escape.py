"""Escape alone is heard before Textual's own driver would look again."""

from __future__ import annotations

import os
import threading
from queue import SimpleQueue
from typing import Any

import pytest
from textual import constants
from textual.drivers.headless_driver import HeadlessDriver
from textual.drivers.linux_driver import LinuxDriver

from widgets.textual_private import QuickEscapeDriver, quick_escape


class Typed(QuickEscapeDriver):
    """The driver over a pipe, without a terminal."""

    def __init__(self) -> None:
        self.fileno, self.typing = os.pipe()
        self._debug = False
        self.exit_event = threading.Event()
        self.heard: SimpleQueue[str] = SimpleQueue()

    def process_message(self, message: Any) -> None:
        self.heard.put(message.key)


@pytest.mark.parametrize(
    ("typed", "keys"), [(b"\x1b", ["escape"]), (b"\x1b[A", ["up"]), (b"a\x1b", ["a", "escape"])]
)
def test_keys_are_heard_while_nothing_follows(
    monkeypatch: pytest.MonkeyPatch, typed: bytes, keys: list[str]
) -> None:
    monkeypatch.setattr(constants, "ESCAPE_DELAY", 0.005)
    driver = Typed()
    reading = threading.Thread(target=driver.run_input_thread)
    reading.start()
    os.write(driver.typing, typed)
    assert [driver.heard.get(timeout=60) for _ in keys] == keys
    driver.exit_event.set()
    reading.join()


def test_a_character_that_comes_in_two_pieces_is_one_key() -> None:
    driver = Typed()
    reading = threading.Thread(target=driver.run_input_thread)
    reading.start()
    first, second = (bytes([each]) for each in "é".encode())
    os.write(driver.typing, b"a" + first)
    assert driver.heard.get(timeout=60) == "a"
    os.write(driver.typing, second + b"b")
    assert [driver.heard.get(timeout=60) for _ in range(2)] == ["é", "b"]
    driver.exit_event.set()
    reading.join()


def test_reading_ends_with_what_is_read() -> None:
    driver = Typed()
    reading = threading.Thread(target=driver.run_input_thread)
    reading.start()
    os.close(driver.typing)
    reading.join(60)
    assert not reading.is_alive()


def test_other_drivers_stay() -> None:
    assert quick_escape(LinuxDriver) is QuickEscapeDriver
    assert quick_escape(HeadlessDriver) is HeadlessDriver
