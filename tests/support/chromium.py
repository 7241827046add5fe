"""A headless Chromium over the DevTools protocol (https://chromedevtools.github.io/devtools-protocol/).

Written on aiohttp, which the server in a browser needs anyway, so that a check in a real browser takes nothing from
pip: only the browser itself, found on the path or named by CODECORTEX_CHROMIUM.
"""

from __future__ import annotations

import asyncio
import base64
import os
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

import aiohttp

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_ENTER = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}


def executable() -> str | None:
    """The browser, or None where this machine has none."""
    named = os.environ.get("CODECORTEX_CHROMIUM")
    return named or next((found for name in NAMES if (found := shutil.which(name))), None)


class Tab:
    """Tab of the browser. `received`: what its terminal was sent since the last key, without colours and moves."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.received = ""
        self.errors: list[str] = []
        self._socket = socket
        self._numbers = count(1)
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}

    async def call(self, method: str, **params: object) -> dict[str, Any]:
        """A command of the protocol and its result."""
        number = next(self._numbers)
        self._answers[number] = asyncio.get_running_loop().create_future()
        await self._socket.send_json({"id": number, "method": method, "params": params})
        return await asyncio.wait_for(self._answers[number], 30)

    async def listen(self) -> None:
        """Take answers and events until the browser ends."""
        async for message in self._socket:
            event = message.json()
            if "id" in event:
                self._answers.pop(event["id"]).set_result(event.get("result", event))
            else:
                self._notice(event["method"], event["params"])

    async def evaluate(self, script: str) -> Any:
        """Return the value of a script."""
        answer = await self.call("Runtime.evaluate", expression=script, returnByValue=True)
        return answer["result"].get("value")

    async def type(self, text: str) -> None:
        """Press the keys of a text, one after another."""
        self.received = ""
        for character in text:
            await self.call("Input.dispatchKeyEvent", type="keyDown", key=character, text=character)
            await self.call("Input.dispatchKeyEvent", type="keyUp", key=character)

    async def press_enter(self) -> None:
        """Press the Enter key."""
        self.received = ""
        await self.call("Input.dispatchKeyEvent", type="keyDown", **_ENTER)
        await self.call("Input.dispatchKeyEvent", type="keyUp", **_ENTER)

    async def screenshot(self, path: Path) -> None:
        """Write a picture of the tab, for a person who looks at a failure."""
        picture = await self.call("Page.captureScreenshot", format="png")
        path.write_bytes(base64.b64decode(picture["data"]))

    async def until(self, script: str, seconds: float = 60) -> None:
        """Wait until a script answers true."""
        async with asyncio.timeout(seconds):
            while not await self.evaluate(script):
                await asyncio.sleep(0.1)

    async def until_received(self, text: str, seconds: float = 60) -> None:
        """Wait until the terminal was sent a text since the last key."""
        async with asyncio.timeout(seconds):
            while text not in self.received:
                await asyncio.sleep(0.1)

    def _notice(self, method: str, params: dict[str, Any]) -> None:
        if method == "Network.webSocketFrameReceived":
            frame = params["response"]
            binary = frame["opcode"] == 2
            data = base64.b64decode(frame["payloadData"]).decode("utf-8", "replace") if binary else ""
            self.received += _ESCAPES.sub("", data)
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(params["entry"]["text"])


@asynccontextmanager
async def tab(profile: Path) -> AsyncIterator[Tab]:
    """An empty tab of a browser of its own, which ends with it. `profile`: an empty folder."""
    browser = executable()
    assert browser is not None
    command = [browser, "--headless=new", "--remote-debugging-port=0", f"--user-data-dir={profile}"]
    command += ["--no-first-run", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1280,800"]
    if os.geteuid() == 0:
        command.append("--no-sandbox")  # which Chromium refuses to build for root
    quiet = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(*command, "about:blank", stdout=quiet, stderr=quiet)
    try:
        async with aiohttp.ClientSession() as client:
            async with client.get(f"http://127.0.0.1:{await _port(profile)}/json/list") as answer:
                pages = [page for page in await answer.json() if page["type"] == "page"]
            async with client.ws_connect(pages[0]["webSocketDebuggerUrl"], max_msg_size=0) as socket:
                opened = Tab(socket)
                listening = asyncio.create_task(opened.listen())
                for domain in ("Page", "Network", "Runtime", "Log"):
                    await opened.call(f"{domain}.enable")
                await opened.call("Emulation.setFocusEmulationEnabled", enabled=True)
                yield opened
                listening.cancel()
    finally:
        process.terminate()
        await process.wait()


async def _port(profile: Path) -> int:
    """The port that the browser chose, which it writes into its profile."""
    written = profile / "DevToolsActivePort"
    async with asyncio.timeout(30):
        while not (written.is_file() and written.read_text().strip()):
            await asyncio.sleep(0.05)
    return int(written.read_text().splitlines()[0])
