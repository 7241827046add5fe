"""JSON-RPC over standard input and output: a request or a batch on each line, its response on one line."""

from __future__ import annotations

from typing import BinaryIO

from services.server.agent import agent_named
from services.server.jsonrpc import JsonRpc
from services.server.serving import Serving

LONGEST = 8 * 1024 * 1024
"""Bytes of a line; a longer one is answered as what it is, no JSON, and passed over."""


def serve_lines(serving: Serving, requests: BinaryIO, responses: BinaryIO) -> None:
    """Answer lines one after the other until there are no more."""
    calls = JsonRpc(serving)
    agent = agent_named("rpc")
    while line := requests.readline(LONGEST):
        if len(line) == LONGEST and not line.endswith(b"\n"):
            line = _pass_over(requests)
        if line.strip() and (response := calls.answer(line, agent=agent)) is not None:
            responses.write(response + b"\n")
            responses.flush()


def _pass_over(requests: BinaryIO) -> bytes:
    while (rest := requests.readline(LONGEST)) and not rest.endswith(b"\n"):
        pass
    return b"too long"
