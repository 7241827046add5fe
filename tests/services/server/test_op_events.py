"""The events of an operation that lasts come through every face as they are told, and nobody who comes late misses any
(SPEC section 15)."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import anyio.to_thread
import httpx2
import mcp_types as types
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from services.concurrency.cancellation import Job
from services.model import Progress
from services.server.mcp.factory import handlers_of, make_server
from services.server.serving import Serving
from services.source.write.file_edits import FileEdit
from tests.services.server.test_lines import on_a_line
from tests.support.eventually import eventually, until
from tests.support.http_server import TOKEN, over_http
from tests.support.serving import answered, served

pytestmark = pytest.mark.filterwarnings("ignore:resources/subscribe is removed")
BEARER = {"authorization": f"Bearer {TOKEN}"}


class Work:
    """An export that goes on until it is told to end."""

    def __init__(self, serving: Serving) -> None:
        self._go = threading.Event()
        self._reads = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(serving,))
        self._thread.start()
        assert self._reads.wait(120)
        (op,) = eventually(lambda: serving.bench.ops.jobs.listed(kinds=["export"]))
        self.id = op.op_id

    def _run(self, serving: Serving) -> None:
        with serving.bench.recorder("export", "Export the index", Job()) as work:
            work.report(Progress(phase="Reading", done=1, total=2))
            self._reads.set()
            assert self._go.wait(120)
            work.report(Progress(phase="Writing", done=2, total=2))

    def finish(self) -> None:
        self._go.set()
        self._thread.join()


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Serving]:
    with served(tmp_path) as made:
        eventually(lambda: made.settled)
        yield made


@pytest.fixture
def work(serving: Serving) -> Iterator[Work]:
    made = Work(serving)
    yield made
    made.finish()


def sent(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    """The events of a stream."""
    for line in lines:
        if line.startswith("data: "):
            yield json.loads(line.removeprefix("data: "))


def kinds(events: Iterator[dict[str, Any]]) -> list[tuple[int, str, str]]:
    return [(each["n"], each["kind"], each["text"]) for each in events]


ALL = [(1, "phase", "Reading"), (2, "phase", "Writing"), (3, "done", "done")]


def streamed(http: httpx2.Client, work: Work, query: str = "", **headers: str) -> AbstractContextManager[Any]:
    return http.stream("GET", f"/ops/{work.id}/events{query}", headers={**BEARER, **headers})


def test_over_http_they_are_sent_by_the_server(serving: Serving, work: Work) -> None:
    with over_http(serving) as base, httpx2.Client(base_url=base, timeout=60) as http:
        with streamed(http, work) as response:
            assert response.headers["content-type"].startswith("text/event-stream")
            events = sent(response.iter_lines())
            assert next(events)["text"] == "Reading"
            work.finish()
            assert kinds(events) == ALL[1:]
        for query, headers in (("?after=1", {}), ("", {"last-event-id": "1"})):
            with streamed(http, work, query, **headers) as response:
                assert kinds(sent(response.iter_lines())) == ALL[1:]
        with streamed(http, work, "?after=3") as response:
            assert list(response.iter_lines()) == []


def test_a_head_does_not_wait_for_them(serving: Serving, work: Work) -> None:
    with over_http(serving) as base, httpx2.Client(base_url=base, timeout=60) as http:
        answer = http.head(f"/ops/{work.id}/events", headers=BEARER)
        assert (answer.status_code, answer.headers["content-type"].partition(";")[0]) == (
            200,
            "text/event-stream",
        )


@pytest.mark.parametrize(
    ("path", "status"),
    [("/ops/op_0/events", 404), ("/ops/op_0/events?after=x", 400), ("/ops/op_0/events?after=-1", 400)],
)
def test_a_stream_that_cannot_be_is_refused(serving: Serving, path: str, status: int) -> None:
    with over_http(serving) as base, httpx2.Client(base_url=base, timeout=60) as http:
        assert http.get(path, headers=BEARER).status_code == status
        assert http.get(path).status_code == 401


def test_over_stdio_they_are_notifications_before_the_answer(serving: Serving, work: Work) -> None:
    with on_a_line(serving) as (line, _):
        line.tell("StreamOp", "follow", opId=work.id, follow=True)
        first = line.heard()
        assert (first["method"], first["params"]["id"], "id" in first) == ("$/row", "follow", False)
        assert first["params"]["row"]["text"] == "Reading"
        work.finish()
        assert kinds(line.heard()["params"]["row"] for _ in ALL[1:]) == ALL[1:]
        answer = line.heard()
        assert (answer["id"], kinds(iter(answer["result"]))) == ("follow", ALL)


def test_who_follows_over_stdio_may_give_up(serving: Serving, work: Work) -> None:
    with on_a_line(serving) as (line, _):
        line.tell("StreamOp", "follow", opId=work.id, follow=True)
        assert line.heard()["method"] == "$/row"
        line.tell("$/cancelRequest", id="follow")
        assert line.heard()["id"] == "follow"


async def test_agents_list_follow_and_cancel_operations(serving: Serving, work: Work) -> None:
    parts = handlers_of(serving)
    async with parts.background(), Client(make_server(parts)) as client:
        (listed,) = (await answered(client, "list_ops", kind="export"))["ops"]
        assert (listed["opId"], listed["state"], listed["progress"]["phase"]) == (
            work.id,
            "running",
            "Reading",
        )
        so_far = await answered(client, "stream_op", opId=work.id)
        assert kinds(iter(so_far["rows"])) == ALL[:1]
        await answered(client, "cancel_op", opId=work.id)
        await anyio.to_thread.run_sync(work.finish)
        whole = await answered(client, "stream_op", opId=work.id, follow=True)
        assert [row["n"] for row in whole["rows"]] == list(range(1, len(whole["rows"]) + 1))


async def test_agents_are_told_how_far_it_is_while_they_follow(serving: Serving, work: Work) -> None:
    heard: list[tuple[float, str | None]] = []

    async def told(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, message))
        await anyio.to_thread.run_sync(work.finish)

    parts = handlers_of(serving)
    async with parts.background(), Client(make_server(parts)) as client:
        answer = await client.call_tool(
            "stream_op", {"opId": work.id, "follow": True}, progress_callback=told
        )
        assert answer.structured_content is not None
        assert kinds(iter(answer.structured_content["rows"])) == ALL
    assert heard[0] == (1, "Reading")


async def test_an_operation_is_a_resource_whose_changes_are_told(serving: Serving, work: Work) -> None:
    heard: list[str] = []

    async def handler(message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            heard.append(str(message.params.uri))

    uri = f"codecortex://op/{work.id}"
    parts = handlers_of(serving)
    server = make_server(parts)
    async with parts.background(), Client(server, mode="legacy", message_handler=handler) as client:
        templates = (await client.list_resource_templates()).resource_templates
        assert "codecortex://op/{id}" in {each.uri_template for each in templates}
        (content,) = (await client.read_resource(uri)).contents
        assert isinstance(content, types.TextResourceContents)
        op = json.loads(content.text)
        assert (content.mime_type, op["opId"], op["state"]) == ("application/json", work.id, "running")
        assert [event["text"] for event in op["events"]] == ["Reading"]
        await client.session.subscribe_resource(uri)
        await anyio.to_thread.run_sync(work.finish)
        await until(lambda: uri in heard)
        with pytest.raises(MCPError):
            await client.read_resource("codecortex://op/op_0")


async def test_a_batch_and_a_write_are_resources(serving: Serving) -> None:
    bench = serving.bench
    bench.writing.write_edits([FileEdit("made.txt", None, b"one\n")])
    server = make_server(handlers_of(serving))
    async with Client(server, mode="legacy") as client:
        batch = (await answered(client, "begin_edit_batch"))["id"]
        await answered(client, "rename_symbol", object="Shop.Orders", newName="Sales", batch=batch)
        for id_, line in (("1", "+one"), (batch, "+public class Sales")):
            (content,) = (await client.read_resource(f"codecortex://edit/{id_}")).contents
            assert isinstance(content, types.TextResourceContents)
            assert content.mime_type == "text/x-diff"
            assert line in content.text
        for wrong in ("99", "E_AAAAAAAA", ""):
            with pytest.raises(MCPError):
                await client.read_resource(f"codecortex://edit/{wrong}")
