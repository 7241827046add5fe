"""Relay of an MCP client: lines of both, and processes at the other end that come and go."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from typing import Any

import pytest

from services.resident import relay as relaying
from services.resident.relay import End, Relay

Message = dict[str, Any]


class Server:
    """Somebody who serves at the other end of a relay."""

    def __init__(self, *, is_last: bool = False, is_alive: Callable[[], bool] = lambda: True) -> None:
        self.connection, its = socket.socketpair()
        self._lines = self.connection.makefile("rb")
        self.end = End(its, is_alive, is_last)

    def heard(self) -> Message:
        return json.loads(self._lines.readline())

    def tell(self, **message: Any) -> None:
        self.connection.sendall(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def answer(self, id_: Any, **result: Any) -> None:
        self.tell(id=id_, result=result)

    def die(self) -> None:
        self.connection.shutdown(socket.SHUT_RDWR)


class Relayed:
    """A client whose lines a relay passes to the first of several servers."""

    def __init__(self, *servers: Server) -> None:
        asked, told = os.pipe(), os.pipe()
        self.asked, self.told = os.fdopen(asked[1], "wb"), os.fdopen(told[0], "rb")
        self.may_share: list[bool] = []
        first, *others = servers
        self._others = iter(others)
        relay = Relay(first.end, self._find, source=asked[0], sink=told[1])
        self.status: list[int] = []
        self.thread = threading.Thread(target=lambda: self.status.append(relay.run()), daemon=True)
        self.thread.start()

    def _find(self, share: bool) -> Iterator[End]:
        self.may_share.append(share)
        yield from (each.end for each in self._others)

    def say(self, method: str, id_: Any = None, **params: Any) -> None:
        head = {"jsonrpc": "2.0", "method": method, "params": params}
        self.asked.write(json.dumps(head if id_ is None else {**head, "id": id_}).encode() + b"\n")
        self.asked.flush()

    def heard(self) -> Message:
        return json.loads(self.told.readline())

    def ended(self) -> int:
        self.thread.join(60)
        return self.status[0]

    def open(self, server: Server) -> None:
        """Shake hands as clients do, learn which tools read, and subscribe."""
        self.say("initialize", 0)
        assert server.heard()["id"] == 0
        server.answer(0)
        self.heard()
        self.say("notifications/initialized")
        self.say("tools/list", 1)
        self.say("resources/subscribe", 2, uri="a:b")
        assert [server.heard()["method"] for _ in range(3)] == list(OPENING[1:])
        tools = [{"name": "find", "annotations": {"readOnlyHint": True}}, {"name": "edit"}]
        server.answer(1, tools=tools)
        server.answer(2)
        assert [self.heard()["id"] for _ in range(2)] == [1, 2]


OPENING = ("initialize", "notifications/initialized", "tools/list", "resources/subscribe")
AGAIN = ("initialize", "notifications/initialized", "resources/subscribe")


def opened_again(server: Server) -> None:
    """What a server is told that follows another one."""
    assert server.heard()["method"] == "initialize"
    server.answer(0)
    assert [server.heard()["method"] for _ in range(2)] == list(AGAIN[1:])
    server.answer(2)


@contextmanager
def relayed(*servers: Server) -> Iterator[Relayed]:
    made = Relayed(*servers)
    yield made
    made.asked.close()
    for each in servers:
        with suppress(OSError):
            each.die()
    made.thread.join(60)
    assert not made.thread.is_alive()


def test_lines_pass_as_they_are() -> None:
    server = Server()
    with relayed(server) as client:
        for line in (
            b"nonsense\n",
            b"[]\n",
            b'{"id": 1.5, "method": 3}\n',
            b"\xff\n",
            b"\n",
            b"x" * 300_000 + b"\n",
        ):
            client.asked.write(line)
            client.asked.flush()
            assert server._lines.readline() == line
            threading.Thread(target=server.connection.sendall, args=(line,)).start()
            assert client.told.readline() == line
        client.asked.write(b"no end of a line")
        client.asked.close()
        assert server._lines.read() == b"no end of a line"
        server.die()
        assert client.ended() == 0


def test_another_one_goes_on_without_the_clients_notice() -> None:
    first, second = Server(), Server()
    with relayed(first, second) as client:
        client.open(first)
        first.tell(method="notifications/resources/updated", params={"uri": "a:b"})
        assert client.heard()["params"] == {"uri": "a:b"}
        first.die()
        opened_again(second)
        second.tell(method="notifications/resources/updated", params={"uri": "a:b"})
        assert client.heard()["params"] == {"uri": "a:b"}
        client.say("ping", 9)
        assert second.heard()["id"] == 9
        second.answer(9)
        assert client.heard()["id"] == 9
        client.asked.close()
        assert second._lines.read() == b""


def test_what_reads_is_asked_again_and_what_may_change_is_to_be_repeated() -> None:
    first, second = Server(), Server()
    with relayed(first, second) as client:
        client.open(first)
        for number, tool in enumerate(("find", "edit", "status"), 5):
            client.say("tools/call", number, name=tool)
        client.say("tools/call", "gone", name="find")
        client.say("notifications/cancelled", requestId="gone")
        client.say("resources/read", 8, uri="a:b")
        assert [first.heard()["method"] for _ in range(6)][-1] == "resources/read"
        first.connection.sendall(b'{"jsonrpc":"2.0","id":5,"res')
        first.die()
        refused = [client.heard() for _ in range(2)]
        assert [each["id"] for each in refused] == [6, 7]
        told = json.loads(refused[0]["result"]["content"][0]["text"])
        assert refused[0]["result"]["isError"]
        assert (told["code"], told["retry"]) == ("Busy", True)
        opened_again(second)
        assert [second.heard()["id"] for _ in range(2)] == [5, 8]
        second.answer(5, hits=1)
        assert client.heard() == {"jsonrpc": "2.0", "id": 5, "result": {"hits": 1}}


def test_an_answer_to_the_first_request_is_given_by_the_next_one() -> None:
    first, second = Server(), Server()
    with relayed(first, second) as client:
        client.say("initialize", 0)
        first.heard()
        first.die()
        assert second.heard()["method"] == "initialize"
        second.answer(0, by="second")
        assert client.heard()["result"] == {"by": "second"}


def test_tools_that_were_opened_stay_open_and_subscriptions_that_ended_do_not() -> None:
    first, second = Server(), Server()
    with relayed(first, second) as client:
        client.open(first)
        client.say("resources/unsubscribe", 3, uri="a:b")
        client.say("tools/call", 4, name="status", arguments={"open": "edit"})
        for id_ in (3, 4):
            assert first.heard()["id"] == id_
            first.answer(id_)
            assert client.heard()["id"] == id_
        first.die()
        assert second.heard()["method"] == "initialize"
        second.answer(0)
        assert [second.heard().get("id") for _ in range(2)] == [None, 4]
        second.answer(4)
        second.tell(method="over")
        assert client.heard()["method"] == "over"


def test_one_that_fails_at_once_is_not_gone_on_with() -> None:
    first, failing, third = Server(), Server(), Server()
    failing.die()
    with relayed(first, failing, third) as client:
        client.open(first)
        first.die()
        opened_again(third)


def test_none_is_started_for_ever() -> None:
    servers = [Server() for _ in range(6)]
    with relayed(*servers) as client:
        client.open(servers[0])
        for before, after in pairwise(servers):
            before.die()
            opened_again(after)
        assert client.may_share == [True, True, True, False, False]


def test_the_last_one_ends_the_relay_as_it_ends_a_server() -> None:
    server = Server(is_last=True)
    with relayed(server) as client:
        server.die()
        assert client.ended() == 1
        assert client.may_share == []


def test_one_that_gives_no_sign_of_life_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relaying, "_SILENT_FOR", 0.01)
    stuck, second = Server(is_alive=lambda: False), Server()
    with relayed(stuck, second) as client:
        client.say("ping", 1)
        stuck.heard()
        assert second.heard() == {"jsonrpc": "2.0", "method": "ping", "params": {}, "id": 1}
        assert stuck._lines.read() == b""


def test_one_that_is_at_work_for_long_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relaying, "_SILENT_FOR", 0.01)
    looked = threading.Semaphore(0)

    def is_alive() -> bool:
        looked.release()
        return True

    server = Server(is_alive=is_alive)
    with relayed(server) as client:
        client.say("ping", 1)
        for _ in range(5):
            assert looked.acquire(timeout=60)
        server.answer(1)
        assert client.heard()["id"] == 1
