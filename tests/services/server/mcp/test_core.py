"""The profile `core`: ten tools in a small list, which lead to every operation that a task needs."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp_types import Implementation

from services.operations import by_name
from services.prompt.tokens.tokenizers import EncodingCounter, counter_for
from services.server.mcp import core
from services.server.mcp.factory import handlers_of, make_server
from services.server.mcp.tools import CORE
from services.server.serving import Serving
from services.settings import AgentSettings
from tests.support.review_change import git
from tests.support.serving import SHOP, answered, refused, served
from tests.support.workspace import project

TESTED = SHOP | {
    "Shop.Tests/Shop.Tests.csproj": project().replace(
        "</Project>",
        '<ItemGroup><ProjectReference Include="../Shop/Shop.csproj" /></ItemGroup></Project>',
    ),
    "Shop.Tests/OrdersTests.cs": "namespace Shop.Tests;\npublic class OrdersTests\n{\n"
    "    [Fact] public void Adds() => new Orders().Add(null);\n}\n",
}


@asynccontextmanager
async def connected(serving: Serving, **options: Any) -> AsyncIterator[Client]:
    parts = handlers_of(serving, CORE)
    info = Implementation(name="tester", version="1")
    async with parts.background(), Client(make_server(parts), client_info=info, **options) as client:
        yield client


def test_the_list_fits_its_budget() -> None:
    counter = counter_for("gpt-5", EncodingCounter())
    listed = [tool.listed().model_dump_json(by_alias=True, exclude_none=True) for tool in core.CORE.values()]
    assert len(listed) <= 10
    assert sum(map(counter.count, listed)) <= core.MOST_TOKENS


def test_every_way_leads_to_an_operation_that_takes_its_arguments() -> None:
    for tool in core.CORE.values():
        for what, way in tool.ways.items():
            operation = by_name(way.operation)
            assert operation is not None, (tool.name, what)
            takes = {each.wire for each in operation.parameters} | set(operation.synonyms)
            assert {*way.fixed, *way.renamed.values()} <= takes, (tool.name, what)
        every = {
            each.wire
            for way in tool.ways.values()
            if (of := by_name(way.operation))
            for each in of.parameters
        } | {name for way in tool.ways.values() if (of := by_name(way.operation)) for name in of.synonyms}
        renamed = {name for way in tool.ways.values() for name in way.renamed}
        assert set(tool.properties) <= every | renamed | {"cursor", core.OPEN}, tool.name


def test_arguments_of_another_way_are_no_mistake_and_unknown_ones_are_kept_to_be_refused() -> None:
    usages = core.CORE["usages"]
    operation, given = usages.way({"path": "Orders.Add", "what": "tests", "limit": 5, "depth": 2, "odd": 1})
    assert (operation.name, given) == ("FindTests", {"path": "Orders.Add", "odd": 1})
    assert usages.way({"path": "Orders.Add", "limit": 5})[1] == {"path": "Orders.Add", "limit": 5}
    text = core.CORE["find"].way({"query": "x", "what": "text", "limit": 5})[1]
    assert text == {"caseInsensitive": True, "pattern": "x", "maxMatches": 5}


async def test_ten_tools_are_listed_and_all_can_be_called(tmp_path: Path) -> None:
    with served(tmp_path) as serving:
        async with connected(serving) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == list(core.CORE)
            assert (await answered(client, "search_symbols", query="Orders"))["hits"]


async def test_tasks_are_done_with_these_tools(tmp_path: Path) -> None:
    with served(tmp_path, TESTED) as serving:
        async with connected(serving) as client:
            found = await answered(client, "find", query="kind:method Add in:Shop")
            assert found["next"] == {
                "tool": "outline",
                "arguments": {"path": found["hits"][0]["symbol"]["id"]},
            }
            outline = await answered(client, found["next"]["tool"], **found["next"]["arguments"])
            assert "Add(Order order)" in outline["text"]
            files = await answered(client, "find", query="order", what="files")
            assert {each["path"] for each in files["hits"]} >= {"Shop/Orders.cs", "Shop/Order.cs"}
            assert (await answered(client, "find", query="COUNT +=", what="text"))["matches"]
            assert (await answered(client, "grep", pattern="count", glob="*.cs"))["matchCount"] == 3
            usages = await answered(client, "usages", path="Order")
            assert {each["file"] for each in usages["usages"]} == {"Shop/Orders.cs"}
            tests = await answered(client, "usages", path="Orders.Add", what="tests")
            assert tests["tests"] == [{"path": "Shop.Tests.OrdersTests.Adds", "calls": 0, "way": []}]
            assert (await answered(client, "usages", path="Orders.Add", what="callers"))["rows"]
            assert (await answered(client, "context", words="count of orders"))["items"]
            assert (await answered(client, "context", words="orders", what="investigate"))["opId"]
            assert (await answered(client, "window", what="pin", path="Orders"))["items"]
            assert "Orders" in (await answered(client, "window"))["text"]
            assert (await answered(client, "status"))["types"] == 3


async def test_answers_say_what_they_are_about(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "trunk")
    with served(tmp_path) as serving:
        async with connected(serving) as client:
            about = (await answered(client, "find", query="Orders"))["about"]
    assert about["worktree"] == str(tmp_path.resolve())
    assert about["branch"] == "trunk"
    assert about["generation"] >= 1


async def test_lines_are_edited_under_the_token_they_were_read_with(tmp_path: Path) -> None:
    with served(tmp_path) as serving:
        async with connected(serving) as client:
            read = await answered(client, "read", path="Orders.Add")
            place = {
                "path": "Shop/Orders.cs",
                "startLine": 11,
                "endLine": 11,
                "content": "        count += 2;",
            }
            done = await answered(client, "edit", token=read["token"], **place)
            assert "+        count += 2;" in done["diff"]
            assert "count += 2;\n" in (tmp_path / "Shop/Orders.cs").read_text()
            old = await refused(client, "edit", token=read["token"], **place)
            assert old["code"] in (4002, 4003)
            again = await answered(
                client, "edit", token=done["token"], **{**place, "content": "        count += 3;"}
            )
            assert again["updated"]
            assert (await answered(client, "lock", object="Shop/Orders.cs"))["LOCK_HANDLE"]


async def test_rights_hold_for_these_tools_too(tmp_path: Path) -> None:
    with served(tmp_path, agents=AgentSettings(write="refuse", pin="refuse")) as serving:
        async with connected(serving) as client:
            read = await answered(client, "read", path="Orders.Add")
            edit = {
                "path": "Shop/Orders.cs",
                "token": read["token"],
                "startLine": 1,
                "endLine": 1,
                "content": "",
            }
            assert (await refused(client, "edit", **edit))["code"] == "AccessDenied"
            assert (await refused(client, "window", what="pin", path="Orders"))["code"] == "AccessDenied"
            assert (await refused(client, "find", what="wishes", query="x"))["code"] == "BadRequest"
            assert "read" in (await refused(client, "read", path="Shop/Orders.cs", query="x"))["message"]


async def test_a_group_is_opened_in_a_session(tmp_path: Path) -> None:
    with served(tmp_path) as serving:
        async with connected(serving, mode="legacy") as client:
            await answered(client, "status", open="edit")
            names = [tool.name for tool in (await client.list_tools()).tools]
    assert names[:10] == list(core.CORE)
    assert {"lock", "applyPatch"} <= set(names)
    assert "build_pack" not in names
    assert json.dumps(names)


@pytest.mark.parametrize("group", list(core.GROUPS))
def test_every_group_has_tools(group: str) -> None:
    from services.operations.table import OPERATIONS

    assert any(each.faces.tool and core.in_group(each, group) for each in OPERATIONS)
