"""The workbench in a real browser, from the page that asks for the key to a pin. Skipped where there is no Chromium."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support import chromium
from tests.workbench.test_browser import HOST, free_port
from workbench.shell.start import copy_sample

pytestmark = pytest.mark.skipif(
    chromium.executable() is None, reason="no Chromium on the path, nor named by CODECORTEX_CHROMIUM"
)


def wait_for(port: int) -> None:
    """Return when something listens on a port."""
    while True:
        with socket.socket() as probe:
            if probe.connect_ex((HOST, port)) == 0:
                return
        time.sleep(0.05)


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, str]]:
    """The address of the workbench on a folder, and the key, as the terminal says them."""
    port = free_port()
    command = [sys.executable, "-m", "workbench", "open", "--serve", "--port", str(port), str(folder)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        said = [server.stderr.readline() for _ in range(2)]
        try:
            wait_for(port)
            yield f"http://{HOST}:{port}/", said[1].removeprefix("Key: ").strip()
        finally:
            server.terminate()


async def enter(tab: chromium.Tab, address: str, key: str) -> None:
    """Open the page and type the key into its form, as a person would."""
    await tab.call("Page.navigate", url=address)
    await tab.until("document.activeElement.name === 'key'")
    await tab.type(key)
    await tab.press_enter()


async def test_from_the_page_that_asks_for_the_key_to_a_pin(tmp_path: Path) -> None:
    folder = copy_sample(tmp_path / "Orchard")
    with served(folder) as (address, key):
        async with chromium.tab(tmp_path / "profile") as tab:
            try:
                await enter(tab, address, key)
                await tab.until("document.activeElement.className === 'xterm-helper-textarea'")
                await tab.until_received("fresh")
                await tab.type("harvestledger")
                await tab.until_received("HarvestLedger.cs:9")  # the preview of the first answer
                await tab.press_enter()
                await tab.until_received("␣ pin")  # the keys of the outline, which has the focus now
                await tab.type(" ")
                await tab.until_received("pinned 1")
            finally:
                if pictured := os.environ.get("CODECORTEX_SCREENSHOT"):
                    await tab.screenshot(Path(pictured))
            assert tab.errors == []
    window = (folder / ".context" / "prompt_window.md").read_text()
    assert "HarvestLedger" in window


async def test_a_wrong_key_is_asked_for_again(tmp_path: Path) -> None:
    with served(copy_sample(tmp_path / "Orchard")) as (address, key):
        async with chromium.tab(tmp_path / "profile") as tab:
            await enter(tab, address, "guess")
            await tab.until("document.body.innerText.includes('not the key')")
            await tab.until("document.activeElement.name === 'key'")
            await tab.type(key)
            await tab.press_enter()
            await tab.until("document.querySelector('.textual-terminal') !== null")
