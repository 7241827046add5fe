"""MCP over stdio through a resident process: the same bytes as from a server alone, whatever happens in between."""

from __future__ import annotations

import json
import operator
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from tests.support.eventually import eventually, until
from tests.support.workspace import edit
from tests.workbench.shell.test_resident import (  # noqa: F401 - fixtures
    Resident,
    Side,
    folder,
    resident,
    side,
)

CALLS = (
    ("find", {"query": "tree"}),
    ("find", {"query": "tree", "what": "files"}),
    ("outline", {"path": "Tree"}),
    ("outline", {"path": "NoSuchType"}),
    ("read", {"path": "Tree", "startLine": 1, "endLine": 5}),
    ("usages", {"path": "Tree"}),
    ("usages", {"path": "Basket", "what": "tests"}),
    ("grep", {"pattern": "class"}),
    ("context", {"words": "baskets of trees", "budget": 500}),
    ("review", {"what": "files"}),
    ("window", {}),
    ("window", {"what": "pin", "path": "Tree"}),
    ("window", {"what": "unpin", "path": "Tree"}),
    ("status", {"open": "edit"}),
    ("edit", {"path": "Tree", "token": "none", "startLine": 1, "endLine": 1, "content": ""}),
    ("nonsense", {}),
)
MORE = (
    ("search_symbols", {"query": "basket"}),
    ("get_outline", {"path": "Basket"}),
    ("getObjectSourceV2", {"object": "Basket", "startLine": 1, "endLine": 4}),
    ("find_usages", {"path": "Basket"}),
    ("grepObjectSource", {"pattern": "record"}),
    ("get_hierarchy", {"path": "Tree", "direction": "derived"}),
    ("pin", {"path": "Basket"}),
    ("get_prompt_window", {}),
    ("unpin", {"path": "Basket"}),
    ("listLocks", {}),
    ("resolve_symbol", {"path": "Tree"}),
)
_VARYING = re.compile(
    r'\\?"(elapsedMs|expiresAt|memoryM[bB]|score|token|lastRefresh\w*)\\?":(\\?"[^"\\]*\\?"|-?[\d.e]+|null)'
    r'|\\?"measures\\?":\{.*?\}\}'
)
"""What depends on when a question is asked, and on the process that answers."""


class Session:
    """A client of `mcp` in a process of its own, line by line."""

    def __init__(self, side: Side, *arguments: str) -> None:  # noqa: F811
        self.process = subprocess.Popen(
            [sys.executable, "-m", "workbench", "mcp", *arguments],
            env=side.variables,
            cwd=side.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._asked = 0

    def say(self, method: str, id_: int | None = None, **params: Any) -> None:
        assert self.process.stdin is not None
        head = {"jsonrpc": "2.0", "method": method, "params": params}
        self.process.stdin.write(json.dumps(head if id_ is None else {**head, "id": id_}).encode() + b"\n")
        self.process.stdin.flush()

    def line(self) -> bytes:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "it has ended"
        return line

    def ask(self, method: str, **params: Any) -> tuple[list[str], bytes]:
        """The answer as it comes, and the methods of what was told before."""
        self._asked += 1
        self.say(method, self._asked, **params)
        told: list[str] = []
        while (message := json.loads(line := self.line())).get("id") != self._asked:
            told.append(message["method"])
        return told, line

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        return json.loads(self.ask("tools/call", name=name, arguments=arguments)[1])["result"]

    def open(self) -> bytes:
        info = {"name": "tester", "version": "1"}
        _, line = self.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=info)
        self.say("notifications/initialized")
        return line

    def close(self) -> int:
        self.process.communicate(timeout=60)
        return self.process.returncode


@contextmanager
def session(side: Side, *arguments: str) -> Iterator[Session]:  # noqa: F811
    made = Session(side, *arguments)
    try:
        made.open()
        yield made
    finally:
        made.close()


def _alike(line: bytes) -> str:
    return _VARYING.sub("", line.decode())


def _stop(side: Side) -> bytes:  # noqa: F811
    return side.run("resident", "stop")[1]


@pytest.mark.parametrize("tools", ["core", "all"])
def test_answers_are_those_of_a_server_alone(resident: Resident, tmp_path: Path, tools: str) -> None:  # noqa: F811
    other = Side(tmp_path / "other", resident.side.folder, "off")
    with ExitStack() as stack:
        both = [Session(each, "--tools", tools) for each in (resident.side, other)]
        for each in both:
            stack.callback(each.close)
        assert both[0].open() == both[1].open()
        assert both[0].ask("tools/list") == both[1].ask("tools/list")
        for method in ("resources/list", "resources/templates/list", "prompts/list", "ping", "no/method"):
            assert both[0].ask(method) == both[1].ask(method)

        def answers(name: str, arguments: dict[str, Any]) -> list[str]:
            # Notifications of what a call changed come before its answer or after it.
            found = [each.ask("tools/call", name=name, arguments=arguments) for each in both]
            return [_alike(line) for _, line in found]

        for name, arguments in CALLS if tools == "core" else MORE:
            if name == "context":  # another one while one of them has read bodies and the other has not
                eventually(lambda given=arguments: operator.eq(*answers("context", given)))
                continue
            one, its = answers(name, arguments)
            assert one == its, name
        assert resident.side.reached()[6] == "0"
    assert both[0].process.returncode == both[1].process.returncode == 0


async def test_an_official_client_is_told_of_changes(side: Side) -> None:  # noqa: F811
    heard: list[str] = []

    async def handler(message: Any) -> None:
        if (uri := getattr(message.params, "uri", None)) is not None:
            heard.append(str(uri))

    arguments = ["-m", "workbench", "mcp", "--tools", "all"]
    server = StdioServerParameters(
        command=sys.executable, args=arguments, env=side.variables, cwd=side.folder
    )
    async with Client(server, mode="legacy", message_handler=handler) as client:
        assert (await client.call_tool("search_symbols", {"query": "Tree"})).structured_content["hits"]
        window = "codecortex://window"
        await client.session.subscribe_resource(window)
        await client.call_tool("pin", {"path": "Tree"})
        await until(lambda: window in heard)
        heard.clear()
        tree = next(side.folder.rglob("Tree.cs"))
        text = tree.read_text().replace("record Tree(", "record Tree0r(")
        edit(side.folder, str(tree.relative_to(side.folder)), text)
        await until(lambda: window in heard)
        found = await client.call_tool("search_symbols", {"query": "Tree0r"})
        assert found.structured_content["hits"][0]["symbol"]["label"] == "Tree0r"
    assert b"process has ended" in _stop(side)


def test_a_client_goes_on_where_the_process_is_killed(side: Side, resident: Resident) -> None:  # noqa: F811
    with session(side) as client:
        assert client.call("find", query="tree")["structuredContent"]["hits"]
        client.ask("resources/subscribe", uri="codecortex://window")
        client.call("status", open="edit")
        listed = client.ask("tools/list")[1]
        resident.process.kill()
        resident.process.wait()
        hits = client.call("find", query="tree")["structuredContent"]["hits"]
        assert hits[0]["symbol"]["label"] == "Tree"
        id_ = json.loads(listed)["id"]
        again = json.loads(client.ask("tools/list")[1])
        assert again == {**json.loads(listed), "id": again["id"]}
        assert again["id"] != id_
        assert side.run("pin", "Tree")[0] == 0
        assert json.loads(client.line())["params"] == {"uri": "codecortex://window"}
    assert client.process.returncode == 0
    with suppress(AssertionError):
        _stop(side)


def test_where_it_is_told_to_stop_another_one_goes_on(side: Side, resident: Resident) -> None:  # noqa: F811
    os.utime(side.address.lock, (0, 0))
    with session(side) as client:
        client.call("find", query="tree")
        assert b"process has ended" in _stop(side)
        assert resident.process.wait(timeout=60) == 0
        assert client.call("find", query="tree")["structuredContent"]["hits"]
        assert side.reached()[3] not in ("", str(resident.process.pid))
    assert b"process has ended" in _stop(side)


def test_eight_at_once_are_served_by_one_process(side: Side) -> None:  # noqa: F811
    with ExitStack() as stack:
        clients = [stack.enter_context(session(side)) for _ in range(8)]
        for number, each in enumerate(clients):
            each.say("tools/call", 100 + number, name="find", arguments={"query": "tree"})
        answers = [json.loads(each.line()) for each in clients]
        assert [each["id"] for each in answers] == [*range(100, 108)]
        assert all(each["result"]["structuredContent"]["hits"] for each in answers)
        pids = [each.process.pid for each in clients]
        started = [Path(f"/proc/{pid}/task/{pid}/children").read_text().split() for pid in pids]
        assert sorted(map(len, started)) == [0] * 7 + [1]  # whichever came first
        assert side.reached()[5:7] == ["0", "0"]
    assert b"process has ended" in _stop(side)


def test_what_a_client_locked_is_free_once_it_has_gone(side: Side, resident: Resident) -> None:  # noqa: F811
    with session(side, "--tools", "all") as client:
        answer = client.call("lock", object="Tree", purpose="to see")
        assert answer["structuredContent"]["LOCK_HANDLE"]
        with session(side, "--tools", "all") as other:
            assert other.call("lock", object="Tree")["isError"]
            client.process.kill()
            client.process.wait()
            eventually(lambda: not other.call("listLocks")["structuredContent"]["locks"])
            assert not other.call("lock", object="Tree").get("isError")
    assert resident.process.poll() is None


def test_a_call_is_cancelled_and_another_answered(resident: Resident) -> None:  # noqa: F811
    resident.side.variables |= {"CODECORTEX_AGENTS_WRITE": "ask", "CODECORTEX_AGENTS_PATIENCE": "60"}
    with session(resident.side, "--tools", "all") as client:
        read = client.call("getObjectSourceV2", object="Tree")["structuredContent"]
        handle = client.call("lock", object="Tree")["structuredContent"]["LOCK_HANDLE"]
        change = {"object": "Tree", "token": read["token"], "lockHandle": handle, "content": "x\n"}
        change |= {"startLine": read["startLine"], "endLine": read["startLine"]}
        client.say("tools/call", 900, name="setObjectSourceV2", arguments=change)

        def proposals(state: str) -> int:
            listed = client.call("list_proposals")["structuredContent"]["proposals"]
            return sum(each["state"] == state for each in listed)

        eventually(lambda: proposals("pending") == 1)
        client.say("notifications/cancelled", requestId=900)
        eventually(lambda: proposals("withdrawn") == 1)
    _stop(resident.side)


@pytest.mark.parametrize("how", ["variable", "file", "elsewhere"])
def test_some_serve_their_client_themselves(tmp_path: Path, folder: Path, how: str) -> None:  # noqa: F811
    side = Side(tmp_path / "one", folder, "off" if how == "variable" else "")  # noqa: F811
    if how == "file":
        settings = tmp_path / "one/config/codecortex/settings.toml"
        settings.parent.mkdir(parents=True)
        settings.write_text('resident = "off"\n')
    if how == "elsewhere":
        side.variables["GIT_REPO_PATH"] = str(folder / "src")
    with session(side) as client:
        assert not client.call("find", query="tree").get("isError")
        if how == "elsewhere":
            server = f"server {client.process.pid}".encode()
            eventually(lambda: server in side.run("resident", "status")[1])
        else:
            assert not Path(side.address.folder).exists()
