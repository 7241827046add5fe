"""Clients that have gone: many requests whose connections are reset at once, and how long the next good call takes.

    python -m benchmarks.server.resets FOLDER [--resets 500] [--rounds 3] [--call NAME …]

The program serves the folder, as a process of its own, over HTTP. For each call, over JSON-RPC and as a tool of MCP, as
many connections as may be send a request and are reset; then one client asks for a search, which has to be answered as
if nobody had been there. Beside it: the worst of as many searches with no reset before, in the same run.
"""

from __future__ import annotations

import argparse
import json
import socket
import struct
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CALLS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "SearchSymbols": ("search_symbols", {"query": "Manager"}),
    "GetOutline": ("get_outline", {"path": "{type}"}),
    "FindUsages": ("find_usages", {"path": "{type}"}),
    "grepObjectSource": ("grepObjectSource", {"pattern": "[a-z]+Manager"}),
    "GetPromptWindow": ("get_prompt_window", {}),
    "Suggest": ("suggest", {}),
    "Status": ("status", {}),
}
"""By operation: the tool, and its arguments. `{type}`: the id of a type that is used a lot."""
_BUSY = 120
_RESET = struct.pack("ii", 1, 0)
_VERSION = "2025-06-18"


class Served:
    """A served folder. `base`: (host, port); `token`: what clients show."""

    def __init__(self, base: str, token: str) -> None:
        self.host, _, port = base.removeprefix("http://").partition(":")
        self.port, self.token = int(port), token
        self.session = ""
        self._sent = 0

    def ask(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """Return the answer of an operation. Raises OSError, KeyError."""
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": name, "params": arguments}).encode()
        request = urllib.request.Request(f"http://{self.host}:{self.port}/rpc", body, self._headers())
        with urllib.request.urlopen(request, timeout=_BUSY) as answer:
            return json.load(answer)["result"]

    def begin(self) -> None:
        """Begins a session of MCP."""
        client = {
            "protocolVersion": _VERSION,
            "capabilities": {},
            "clientInfo": {"name": "resets", "version": "1"},
        }
        began = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": client}
        for message in (began, {"jsonrpc": "2.0", "method": "notifications/initialized"}):
            data, where = json.dumps(message).encode(), f"http://{self.host}:{self.port}/mcp"
            with urllib.request.urlopen(urllib.request.Request(where, data, self._headers())) as answer:
                self.session = answer.headers.get("mcp-session-id") or self.session

    def reset(self, path: str, call: Mapping[str, Any], *, times: int, most: int = 200) -> None:
        """Sends so many requests, `most` connections at once, and resets each connection when all are sent."""
        head = "".join(f"{name}: {value}\r\n" for name, value in self._headers().items())
        line = f"POST {path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\n{head}"
        for first in range(0, times, most):
            sockets = [self._connected() for _ in range(min(most, times - first))]
            for each in sockets:
                self._sent += 1
                body = json.dumps({**call, "id": self._sent}).encode()
                each.sendall(f"{line}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            time.sleep(0.05)
            for each in sockets:
                each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                each.close()

    def _connected(self) -> socket.socket:
        return socket.create_connection((self.host, self.port), timeout=_BUSY)

    def _headers(self) -> dict[str, str]:
        session = {"Mcp-Session-Id": self.session} if self.session else {}
        return {
            "Authorization": f"Bearer {self.token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            **session,
        }


@contextmanager
def serving(folder: Path) -> Iterator[Served]:
    """The program over a folder, until the block is left."""
    command = [sys.executable, "-m", "workbench", "--root", str(folder), "serve", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            base = token = ""
            while not (base and token):
                line = process.stderr.readline()
                base = line.split(" at ")[1].split("/mcp")[0] if line.startswith("Serving ") else base
                token = line.split("Bearer ")[1].strip() if "Bearer " in line else token
            yield Served(base, token)
        finally:
            process.terminate()


def measured(served: Served, path: str, call: Mapping[str, Any], *, resets: int) -> float:
    """Seconds until a search is answered after so many resets."""
    served.reset(path, call, times=resets)
    return asked(served)


def asked(served: Served) -> float:
    """Seconds until a search is answered."""
    began = time.perf_counter()
    served.ask("SearchSymbols", {"query": "Item"})
    return time.perf_counter() - began


def main() -> None:
    """Reset, call, and print the results."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.server.resets", description=__doc__)
    options.add_argument("folder", type=Path, help="a workspace; its index is kept there")
    options.add_argument("--resets", type=int, default=500, help="requests (500)")
    options.add_argument("--rounds", type=int, default=3, help="how often each (3)")
    options.add_argument("--call", nargs="+", choices=list(CALLS), default=list(CALLS), help="which (all)")
    chosen = options.parse_args()
    with serving(chosen.folder) as served:
        ready(served)
        print("| call | over | worst of the next good calls, ms | usual, ms |\n|---|---|---|---|", flush=True)
        for name in chosen.call:
            for over, path, call in calls(served, name):
                usual = max(asked(served) for _ in range(chosen.rounds))
                worst = max(measured(served, path, call, resets=chosen.resets) for _ in range(chosen.rounds))
                print(f"| {name} | {over} | {worst * 1000:.0f} | {usual * 1000:.0f} |", flush=True)


def ready(served: Served) -> None:
    """Waits until the index is there and dependencies are worked out, and pins something."""
    while served.ask("Status", {})["state"] != "ready":
        time.sleep(0.2)
    for row in served.ask("SearchSymbols", {"query": "Manager", "limit": 3})["hits"]:
        served.ask("Pin", {"path": row["symbol"]["id"], "force": True})
    served.begin()
    time.sleep(5)


def calls(served: Served, name: str) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """(protocol, path, request) of a call."""
    tool, arguments = CALLS[name]
    type_id = served.ask("SearchSymbols", {"query": "Item", "limit": 1})["hits"][0]["symbol"]["id"]
    given = {key: value.replace("{type}", type_id) for key, value in arguments.items()}
    yield "JSON-RPC", "/rpc", {"jsonrpc": "2.0", "method": name, "params": given}
    yield (
        "MCP",
        "/mcp",
        {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": tool, "arguments": given}},
    )


if __name__ == "__main__":
    main()
