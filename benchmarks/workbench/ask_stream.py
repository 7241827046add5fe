"""Cost of a streamed answer on the Ask screen, compared with printing it; delays of its first token and of a stop.

python -m benchmarks.workbench.ask_stream [TOKENS [RATE]]     # 1000 tokens, 100 a second

The endpoint is a server in this process, the screen a program of its own in a terminal that this process reads. The
last lines are of an answer of 200 000 tokens, sent as fast as it is taken.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import pty
import resource
import select
import socket
import struct
import sys
import tempfile
import termios
import threading
import time
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Any

from workbench.shell.start import ESCAPE_WAIT

_TICK = 0.1
"""Seconds between two looks at how late a timer is: looking is not to cost what is looked at."""
FIRST = "Zfirstz"
MANY = 200_000
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
_WORDS = ("It ", "retries ", "**twice**, ", "see ", "`Retry.Count` ", "and ", "List<int> ", "so. ")


def token(number: int) -> str:
    """Prose with a list, code and a heading now and then."""
    if number == 0:
        return f"{FIRST} "
    at = number % 400
    if at == 300:
        return "\n\n```csharp\n"
    if 300 < at < 360:
        return ("public ", "int ", "Count", "() => 3;\n")[at % 4]
    if at == 360:
        return "\n```\n\n## Next\n\n"
    return "\n\n" if at % 60 == 0 else _WORDS[number % len(_WORDS)]


class Endpoint:
    """Streams `tokens` at `rate` a second (0: as fast as they are taken), and notes when."""

    def __init__(self, tokens: int, rate: float) -> None:
        self.tokens, self.rate = tokens, rate
        self.first_sent = self.closed = 0.0
        self.done = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        connection, _ = self._listener.accept()
        with connection, self._listener:
            read = b""
            while b"\r\n\r\n" not in read or not read.rstrip().endswith(b"}"):
                read += connection.recv(65536)
            connection.sendall(_HEAD)
            with suppress(OSError):
                self._stream(connection)
            self.closed = time.monotonic()
            self.done.set()

    def _stream(self, connection: socket.socket) -> None:
        began = time.monotonic()
        for number in range(self.tokens):
            while self.rate and (wait := began + number / self.rate - time.monotonic()) > 0:
                if select.select([connection], [], [], wait)[0] and not connection.recv(1):
                    return
            choice = {"index": 0, "delta": {"content": token(number)}}
            if not number:
                self.first_sent = time.monotonic()
            connection.sendall(b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n")
        connection.sendall(b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\n')
        connection.sendall(b"data: [DONE]\n\n")


def run(role: str, endpoint: Endpoint, folder: str, *, stop_after: float = 0.0) -> dict[str, Any]:
    """Run a child that sends a request to the endpoint; return its own measurements, and those from outside."""
    report = Path(folder, "report.json")
    report.unlink(missing_ok=True)
    pid, terminal = pty.fork()
    if not pid:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 45, 160, 0, 0))
        os.environ |= {
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "XDG_STATE_HOME": f"{folder}/state",
            **ESCAPE_WAIT,
        }
        os.execv(sys.executable, [sys.executable, "-m", __spec__.name, role, str(endpoint.port), folder])
    seen, first, stopped = b"", 0.0, 0.0
    while True:
        ready = select.select([terminal], [], [], 0.02)[0]
        try:
            piece = os.read(terminal, 65536) if ready else b""
        except OSError:
            break
        if not first and endpoint.first_sent:
            seen = (seen + piece)[-200_000:]
            first = time.monotonic() if FIRST.encode() in seen else 0.0
        if stop_after and first and not stopped and time.monotonic() > first + stop_after:
            os.write(terminal, b"\x1b")
            stopped = time.monotonic()
    os.waitpid(pid, 0)
    told = json.loads(report.read_text())
    told["first_ms"] = (first - endpoint.first_sent) * 1000
    if stopped:
        told["stop_ms"] = (endpoint.closed - stopped) * 1000
    return told


def child(role: str, port: int, folder: str) -> None:
    """Send a request, and report the processor's time from the first token on."""
    from services.llm.openai import OpenAiModel
    from services.llm.profiles import Profile

    profile = Profile(endpoint=f"http://127.0.0.1:{port}/v1", name="m", answer=10_000_000, usage=False)
    model = OpenAiModel(profile, key=lambda: "")
    told = _printed(model) if role == "print" else asyncio.run(_shown(model, folder))
    told["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    Path(folder, "report.json").write_text(json.dumps(told))


def _printed(model: Any) -> dict[str, Any]:
    from services.llm.values import ChatMessage, TextPiece

    began = used = 0.0
    for event in model.complete([ChatMessage(role="user", content="Go.")]):
        if isinstance(event, TextPiece):
            if not began:
                began, used = time.monotonic(), time.process_time()
            sys.stdout.write(event.text)
            sys.stdout.flush()
    return {"seconds": time.monotonic() - began, "cpu": time.process_time() - used}


async def _shown(model: Any, folder: str) -> dict[str, Any]:
    from msgspec.structs import replace
    from textual.app import App

    from services.bench import Bench
    from services.bench.asking import Asking
    from services.llm.profiles import ModelProfiles
    from services.settings import Settings
    from widgets.textual_private import quick_escape
    from workbench.app import SWITCH_EVERY
    from workbench.ask.screen import AskScreen
    from workbench.collector import Collector
    from workbench.state.clipboard import Clipboard

    late: list[float] = []
    told: dict[str, Any] = {}

    with Bench.open(Path(folder, "work"), settings=Settings()) as bench:
        bench.index.load()
        ground = replace(
            bench.asking._services,  # noqa: SLF001 - the one seam
            profiles=lambda: ModelProfiles(models={"m": model.profile}),
            model_of=lambda _: model,
        )
        vars(bench)["asking"] = Asking(ground)

        styles: list[str | PurePath] = [
            str(Path("workbench/styles", each).resolve()) for each in ("main.tcss", "overlays.tcss")
        ]

        class Host(App[None]):
            CSS_PATH = [*styles]  # noqa: RUF012 - Textual wants a list

            async def on_mount(self) -> None:
                collector = Collector()
                collector.start()
                collector.loaded()
                self.ask = AskScreen(bench, Clipboard(lambda _: None, None, None))
                await self.push_screen(self.ask)
                self.run_worker(self._drive())

            async def _drive(self) -> None:
                await asyncio.sleep(1.0)
                self.ask._ask("Go.")  # noqa: SLF001 - as Enter does
                while (answer := self.ask._answer) is None or not answer.source:  # noqa: SLF001
                    await asyncio.sleep(0.001)
                began, used = time.monotonic(), time.process_time()
                while self.ask._cancel is not None:  # noqa: SLF001
                    at = time.monotonic()
                    await asyncio.sleep(_TICK)
                    late.append(time.monotonic() - at - _TICK)
                told.update(seconds=time.monotonic() - began, cpu=time.process_time() - used)
                while not answer.is_settled:
                    await asyncio.sleep(0.02)
                if told["seconds"] > 3:
                    told.update(await self._used_after(late))
                told["late_ms"] = max(late) * 1000
                told["late_p95_ms"] = sorted(late)[int(len(late) * 0.95)] * 1000
                self.exit()

            async def _used_after(self, late: list[float]) -> dict[str, float]:
                """Scrolling from end to end, and another width."""
                began = time.monotonic()
                for _ in range(40):
                    self.ask.talk.scroll_page_up(animate=False)
                    at = time.monotonic()
                    await asyncio.sleep(0.02)
                    late.append(time.monotonic() - at - 0.02)
                return {"pages_ms": (time.monotonic() - began - 0.8) / 40 * 1000}

        sys.setswitchinterval(SWITCH_EVERY)
        host = Host()
        host.driver_class = quick_escape(host.driver_class)
        await host.run_async(inline=False, mouse=False)
    return told


def main(tokens: int, rate: float) -> None:
    """Print all of it."""
    print("load", os.getloadavg()[0])
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder, "work")
        work.mkdir()
        (work / "Retry.cs").write_text("public class Retry { public int Count() => 3; }\n")
        runs = {role: run(role, Endpoint(tokens, rate), folder) for role in ("print", "screen")}
        for role, told in runs.items():
            print(f"{role:7} {tokens} tokens at {rate:g}/s:", _figures(told))
        more = (runs["screen"]["cpu"] - runs["print"]["cpu"]) / runs["screen"]["seconds"] * 100
        print(f"more than printing: {more:.1f} % of a core")
        print("stop    ", _figures(run("screen", Endpoint(100_000, rate), folder, stop_after=1.0)))
        print("200 000 ", _figures(run("screen", Endpoint(MANY, 0), folder)))


def _figures(told: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value:.2f}" for name, value in told.items())


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] in ("print", "screen"):
        child(sys.argv[1], int(sys.argv[2]), sys.argv[3])
    else:
        main(
            int(sys.argv[1]) if len(sys.argv) > 1 else 1_000,
            float(sys.argv[2]) if len(sys.argv) > 2 else 100.0,
        )
