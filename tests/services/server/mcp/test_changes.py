"""Clients learn that the window or an outline has changed."""

from __future__ import annotations

from contextlib import AsyncExitStack

import anyio
import mcp_types as types
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from services.server.mcp import changes
from services.server.mcp.factory import handlers_of, make_server
from tests.support.eventually import until
from tests.support.serving import SHOP, answered, served
from tests.support.workspace import edit

SOON = 60.0
pytestmark = pytest.mark.filterwarnings("ignore:resources/subscribe is removed")


async def seen(heard: list[str], uri: str) -> None:
    await until(lambda: uri in heard)


async def rest(heard: list[str]) -> None:
    """Until nothing more comes: many looks in a row, of which a machine that stops for a while spoils but one."""
    looks = 0
    while looks < 100:
        before = len(heard)
        await anyio.sleep(0.02)
        looks = looks + 1 if len(heard) == before else 0


@pytest.fixture
def heard() -> list[str]:
    return []


async def test_a_pin_by_another_process_is_told_to_a_subscriber(tmp_path, heard):
    async def handler(message) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            heard.append(str(message.params.uri))

    with served(tmp_path) as serving, served(tmp_path) as other:
        parts = handlers_of(serving)
        async with (
            parts.background(),
            Client(make_server(parts), mode="legacy", message_handler=handler) as client,
        ):
            await answered(client, "status")
            await answered(client, "search_symbols", query="Orders")
            await client.session.subscribe_resource("codecortex://window")
            other.bench.index.refresh()
            other.bench.window.pin("Shop.Orders")
            await seen(heard, "codecortex://window")


@pytest.mark.parametrize("of", ["typeId", "memberId", "Shop.Orders", "Shop.Orders.Add"])
async def test_an_edit_on_disk_is_told_to_who_subscribed_to_the_outline(tmp_path, heard, of):
    """By whatever name: the list has ids of members too, and the template takes paths."""

    async def handler(message) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            heard.append(str(message.params.uri))

    with served(tmp_path) as serving:
        parts = handlers_of(serving)
        async with (
            parts.background(),
            Client(make_server(parts), mode="legacy", message_handler=handler) as client,
        ):
            outline = await answered(client, "get_outline", path="Shop.Orders.Add")
            uri = f"codecortex://outline/{outline['resolved'].get(of, of)}"
            await client.session.subscribe_resource(uri)
            edit(tmp_path, "Shop/Orders.cs", SHOP["Shop/Orders.cs"].replace("Adds one", "Counts one"))
            await seen(heard, uri)
            text = (await client.read_resource(uri)).contents[0].text
    assert "Counts one." in text


@pytest.mark.parametrize("shows_lines", [True, False])
async def test_a_cosmetic_edit_is_told_only_where_lines_are_shown(tmp_path, heard, shows_lines):
    async def handler(message) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            heard.append(str(message.params.uri))

    with served(tmp_path) as serving:
        parts = handlers_of(serving)
        async with (
            parts.background(),
            Client(make_server(parts), mode="legacy", message_handler=handler) as client,
        ):
            outline = await answered(client, "get_outline", path="Shop.Orders")
            uri = f"codecortex://outline/{outline['resolved']['typeId']}"
            await answered(client, "pin", path="Shop/Orders.cs" if shows_lines else "Shop.Orders")
            for each in (uri, "codecortex://window"):
                await client.session.subscribe_resource(each)
            await until(lambda: serving.settled)
            await rest(heard)
            heard.clear()
            edit(tmp_path, "Shop/Orders.cs", "// Moved.\n" + SHOP["Shop/Orders.cs"])
            await (seen(heard, "codecortex://window") if shows_lines else rest(heard))
            assert set(heard) == ({"codecortex://window"} if shows_lines else set())
            edit(tmp_path, "Shop/Orders.cs", SHOP["Shop/Orders.cs"].replace("count += 1", "count += 2"))
            await seen(heard, uri)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_another_list_of_resources_is_told_in_both_eras(tmp_path, heard, mode):
    async def handler(message) -> None:
        heard.append(type(message).__name__)

    with served(tmp_path) as serving:
        parts = handlers_of(serving)
        async with (
            parts.background(),
            Client(make_server(parts), mode=mode, message_handler=handler) as client,
        ):
            assert client.server_capabilities.resources.list_changed
            await client.list_resources()
            async with AsyncExitStack() as listening:
                if mode == "auto":
                    events = await listening.enter_async_context(client.listen(resources_list_changed=True))
                await answered(client, "pin", path="Shop.Orders")
                with anyio.fail_after(SOON):
                    if mode == "auto":
                        assert type(await anext(aiter(events))).__name__ == "ResourcesListChanged"
                    else:
                        await seen(heard, "ResourceListChangedNotification")


async def test_the_same_list_is_not_told_again(tmp_path, heard):
    """An edit changes what the window says, not what there is."""

    async def handler(message) -> None:
        heard.append(type(message).__name__)

    with served(tmp_path) as serving:
        parts = handlers_of(serving)
        async with (
            parts.background(),
            Client(make_server(parts), mode="legacy", message_handler=handler) as client,
        ):
            await client.list_resources()
            await client.session.subscribe_resource("codecortex://window")
            await answered(client, "pin", path="Shop.Orders")
            await seen(heard, "ResourceListChangedNotification")
            heard.clear()
            await answered(client, "set_level", path="Shop.Orders", level="signature")
            await seen(heard, "ResourceUpdatedNotification")
    assert "ResourceListChangedNotification" not in heard


class Stopped:
    """A session whose client has stopped reading."""

    async def send_resource_updated(self, _: str) -> None:
        await anyio.sleep_forever()


async def test_a_client_that_stops_reading_keeps_no_news_from_others(tmp_path, heard, monkeypatch):
    async def handler(message) -> None:
        heard.append(type(message).__name__)

    monkeypatch.setattr(changes, "TAKEN_WITHIN", 0.1)
    with served(tmp_path) as serving:
        parts = handlers_of(serving)
        sessions = parts.subscribe.__self__._sessions
        sessions["gone"] = (Stopped(), {"codecortex://window": "codecortex://window"})
        async with (
            parts.background(),
            Client(make_server(parts), mode="legacy", message_handler=handler) as client,
        ):
            await client.session.subscribe_resource("codecortex://window")
            await answered(client, "pin", path="Shop.Orders")
            await seen(heard, "ResourceUpdatedNotification")
            await until(lambda: "gone" not in sessions)


async def test_a_stream_that_listens_hears_of_the_window(tmp_path):
    with served(tmp_path) as serving:
        parts = handlers_of(serving)
        async with parts.background(), Client(make_server(parts)) as client:
            await answered(client, "search_symbols", query="Orders")
            async with client.listen(resource_subscriptions=["codecortex://window"]) as events:
                await answered(client, "pin", path="Shop.Orders")
                with anyio.fail_after(SOON):
                    event = await anext(aiter(events))
    assert event.uri == "codecortex://window"


async def test_outlines_of_what_the_window_shows_are_listed(tmp_path):
    with served(tmp_path) as serving:
        parts = handlers_of(serving)
        async with parts.background(), Client(make_server(parts)) as client:
            await answered(client, "pin", path="Shop.Orders")
            listed = (await client.list_resources()).resources
    assert listed[0].name == "window"
    assert any(each.title == "Orders" for each in listed)


async def test_the_prompt_fences_the_window(tmp_path):
    with served(tmp_path) as serving:
        parts = handlers_of(serving)
        async with parts.background(), Client(make_server(parts)) as client:
            await answered(client, "pin", path="Shop.Orders")
            text = (await client.get_prompt("window", {"task": "Explain."})).messages[0].content.text
    fence = text.split("`")[1]
    inside = text.split(f"\n{fence}\n")[1]
    assert "Orders" in inside
    assert text.endswith("Explain.")


@pytest.mark.parametrize("name", ["nothing", "..%2Fwindow", "..%2F..%2FShop%2FOrder", "%00", "", "a" * 3_000])
async def test_a_pack_that_is_none_is_an_error_and_leads_nowhere(tmp_path, name):
    with served(tmp_path) as serving:
        parts = handlers_of(serving)
        async with parts.background(), Client(make_server(parts)) as client:
            with pytest.raises(MCPError):
                await client.read_resource(f"codecortex://pack/{name}")


async def test_packs_are_listed_and_read(tmp_path):
    with served(tmp_path) as serving:
        parts = handlers_of(serving)
        async with parts.background(), Client(make_server(parts)) as client:
            built = await answered(client, "build_pack", name="orders", filter="type:Orders")
            uris = [str(each.uri) for each in (await client.list_resources()).resources]
            text = (await client.read_resource("codecortex://pack/orders")).contents[0].text
    assert "codecortex://pack/orders" in uris
    assert text == built["text"]


NOTE = "ROLE:\nKeeps orders.\n\nLIFECYCLE:\nb\n\nEDGE_CASES:\nc\n\nLIMITATIONS:\nd\n\nRECOMMENDATIONS:\ne\n"


async def test_a_note_is_read_and_its_reader_told_when_it_is_written(tmp_path, heard):
    async def handler(message) -> None:
        heard.append(type(message).__name__)

    with served(tmp_path) as serving:
        parts = handlers_of(serving)
        async with (
            parts.background(),
            Client(make_server(parts), mode="legacy", message_handler=handler) as client,
        ):
            uri = "codecortex://semantic/Shop.Orders"
            before = (await client.read_resource(uri)).contents[0].text
            await client.session.subscribe_resource(uri)
            await answered(client, "set_semantic", path="Shop.Orders", text=NOTE)
            await seen(heard, "ResourceUpdatedNotification")
            after = (await client.read_resource(uri)).contents[0].text
    assert "nobody wrote a note" in before
    assert "Keeps orders." in after


async def test_a_stream_hears_of_a_note_by_the_id_of_its_type(tmp_path):
    with served(tmp_path) as serving:
        parts = handlers_of(serving)
        async with parts.background(), Client(make_server(parts)) as client:
            await answered(client, "search_symbols", query="Orders")
            uri = f"codecortex://semantic/{serving.bench.lookup.sure('Shop.Orders').whole.id}"
            async with client.listen(resource_subscriptions=[uri]) as events:
                await answered(client, "set_semantic", path="Shop.Orders", text=NOTE)
                with anyio.fail_after(SOON):
                    event = await anext(aiter(events))
    assert event.uri == uri
