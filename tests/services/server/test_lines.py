"""JSON-RPC on standard input and output: what takes long keeps nobody waiting, and can be ended."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from services.model import Proposal
from services.server.jsonrpc import serve_lines
from services.server.serving import Serving
from tests.support.serving import served

WAITS = 600


class Line:
    """A program at the other end of the pipes."""

    def __init__(self, requests: BinaryIO, responses: BinaryIO) -> None:
        self.requests = requests
        self.responses = responses

    def tell(self, method: str, id_: Any = None, **params: Any) -> None:
        head = {"jsonrpc": "2.0", "method": method, "params": params}
        self.requests.write(json.dumps(head if id_ is None else {**head, "id": id_}).encode() + b"\n")
        self.requests.flush()

    def heard(self) -> dict[str, Any]:
        return json.loads(self.responses.readline())


@contextmanager
def on_a_line(serving: Serving) -> Iterator[tuple[Line, threading.Thread]]:
    asked, told = os.pipe(), os.pipe()
    with (
        suppress(BrokenPipeError),
        os.fdopen(asked[0], "rb") as requests,
        os.fdopen(told[1], "wb") as responses,
    ):
        ended = threading.Thread(target=_served, args=(serving, requests, responses), daemon=True)
        ended.start()
        line = Line(os.fdopen(asked[1], "wb"), os.fdopen(told[0], "rb"))
        try:
            yield line, ended
        finally:
            line.requests.close()
            ended.join(60)
            if not line.responses.closed:
                line.responses.close()
        assert not ended.is_alive()


def _served(serving: Serving, requests: BinaryIO, responses: BinaryIO) -> None:
    try:
        serve_lines(serving, requests, responses)
    except BrokenPipeError:
        return


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Serving]:
    with served(tmp_path) as made:
        made.whole(_operation("SearchSymbols"), {"query": "Orders"}, agent=_AGENT)
        yield made


def waiting(serving: Serving) -> str:
    """The id of a proposal that nobody decides."""
    made = Proposal(
        id="",
        operation="undo",
        arguments={},
        object="",
        diff="",
        agent="",
        session="",
        purpose="",
        created_at=0,
    )
    return serving.bench.proposals.add(made).id


def test_a_quick_call_is_answered_beside_a_long_one_which_can_be_cancelled(serving: Serving) -> None:
    with on_a_line(serving) as (line, _):
        line.tell("GetProposal", "long", proposalId=waiting(serving), wait=WAITS)
        line.tell("Status", 1)
        assert line.heard()["id"] == 1
        line.tell("$/cancelRequest", id="another")
        line.tell("$/cancelRequest", id="long")
        ended = line.heard()
        assert (ended["id"], ended["error"]["data"]["name"]) == ("long", "Cancelled")


def test_calls_are_answered_in_their_order(serving: Serving) -> None:
    with on_a_line(serving) as (line, _):
        for number in range(20):
            line.tell("Pin" if number % 2 else "Unpin", number, path="Shop.Orders")
            line.tell("GetPromptWindow", f"after {number}")
        line.requests.close()
        said = [line.heard() for _ in range(40)]
    assert [each["id"] for each in said] == [id_ for n in range(20) for id_ in (n, f"after {n}")]
    pinned = [bool(each["result"]["pinnedTokens"]) for each in said[1::2]]
    assert pinned == [bool(number % 2) for number in range(20)]


def test_what_is_under_way_is_answered_though_nothing_more_is_asked(serving: Serving) -> None:
    with on_a_line(serving) as (line, _):
        line.tell("FindUsages", 1, path="Shop.Orders")
        line.requests.close()
        assert line.heard()["result"]["total"] >= 1


def test_calls_end_when_nobody_reads_their_answers(serving: Serving) -> None:
    with on_a_line(serving) as (line, ended):
        line.tell("GetProposal", "long", proposalId=waiting(serving), wait=WAITS)
        line.responses.close()
        line.tell("Status", 1)
        line.tell("Status", 2)
        line.requests.close()
        ended.join(60)
        assert not ended.is_alive()


def _operation(name: str) -> Any:
    from services.operations import by_name

    return by_name(name)


def _agent() -> Any:
    from services.server.path_access import agent_named

    return agent_named("tester")


_AGENT = _agent()
