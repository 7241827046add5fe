"""Operations as MCP tools."""

import pytest
from mcp import MCPError

from services.bench.workspace_index import WorkspaceIndex
from services.model import Progress
from services.operations.table import OPERATIONS
from services.prompt.tokens.tokenizers import EncodingCounter, counter_for
from services.server.mcp.tools import MonotonicProgress, tool_of
from services.settings import ReviewSettings
from tests.support.serving import answered, connected, refused, served

LIMIT = 8_000


def listed_text() -> list[str]:
    tools = [tool_of(operation) for operation in OPERATIONS if operation.faces.tool and not operation.feature]
    return [tool.model_dump_json(by_alias=True, exclude_none=True) for tool in tools]


def test_descriptions_of_all_tools_take_less_than_8000_tokens():
    counter = counter_for("gpt-5", EncodingCounter())
    assert sum(counter.count_many(listed_text())) < LIMIT


async def test_every_operation_with_a_tool_is_listed_with_its_schemas_and_effect(tmp_path):
    with served(tmp_path) as serving:
        async with connected(serving) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    expected = {each.faces.tool: each for each in OPERATIONS if each.faces.tool and not each.feature}
    assert tools.keys() == expected.keys()
    for name, operation in expected.items():
        tool = tools[name]
        assert tool.input_schema["type"] == "object"
        assert tool.output_schema["type"] == "object"
        assert bool(tool.annotations.read_only_hint) == operation.effect.read_only
        if not operation.effect.read_only:
            assert (tool.annotations.destructive_hint is not False) == operation.effect.destructive
            assert bool(tool.annotations.idempotent_hint) == operation.effect.idempotent


def test_tools_that_replace_what_is_there_say_so():
    """A client may let a model call what only adds without asking."""
    replacing = {
        each.faces.tool
        for each in OPERATIONS
        if each.faces.tool and each.effect.destructive and not each.feature
    }
    assert replacing >= {
        "setObjectSourceV2",
        "setObjectSource",
        "applyPatch",
        "undo",
        "redo",
        "breakLock",
        "delete_pack",
    }
    assert not replacing & {"lock", "unLock", "pin", "build_pack"}


def test_an_argument_that_may_be_left_out_has_one_type_and_no_null():
    """Clients that know no unions would drop such an argument."""
    nulls = [
        f"{tool.name} {name}"
        for tool in map(tool_of, (operation for operation in OPERATIONS if operation.faces.tool))
        for name, schema in tool.input_schema["properties"].items()
        if "null" in (schema.get("type"), *(each.get("type") for each in schema.get("anyOf", ())))
        or None in schema.get("enum", ())
    ]
    assert not nulls


def test_descriptions_speak_to_a_model_not_to_a_shell():
    assert not [text for text in listed_text() if " --" in text or "PATH" in text]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_tool_answers_structured_content_in_both_eras(tmp_path, mode):
    with served(tmp_path) as serving:
        async with connected(serving, mode=mode) as client:
            found = await answered(client, "search_symbols", query="Orders", limit=1)
    assert found["hits"][0]["symbol"]["path"] == "Shop.Orders"


async def test_an_error_says_whether_and_how_to_retry(tmp_path):
    with served(tmp_path) as serving:
        async with connected(serving) as client:
            token = (await answered(client, "getObjectSourceV2", object="Shop/Orders.cs"))["token"]
            error = await refused(
                client,
                "setObjectSourceV2",
                object="Shop/Orders.cs",
                token=token,
                startLine=1,
                endLine=1,
                content="x\n",
                lockHandle="none",
            )
    assert (error["code"], error["name"]) == (4005, "LOCK_REQUIRED")
    assert error["error"] == error["message"]
    assert error["message"].startswith("Nothing was written.")
    assert error["retry"] is True
    assert error["retryAction"] == "lock"


async def test_a_symbol_that_is_not_there_is_answered_with_suggestions(tmp_path):
    with served(tmp_path) as serving:
        async with connected(serving) as client:
            error = await refused(client, "get_outline", path="Shop.Baskets.Orders")
    assert error["code"] == "SymbolNotFound"
    assert "Shop.Orders" in error["details"]["suggestions"]


async def test_unknown_arguments_are_an_error_that_names_them(tmp_path):
    with served(tmp_path) as serving:
        async with connected(serving) as client:
            error = await refused(client, "search_symbols", querry="x")
    assert error["code"] == "BadRequest"
    assert "querry" in error["message"]
    assert "It takes: query, limit." in error["message"]
    assert error["message"] == error["error"]


async def test_an_error_calls_a_tool_by_its_own_name(tmp_path):
    with served(tmp_path) as serving:
        async with connected(serving) as client:
            wrong = await refused(client, "search_symbols", limit="many")
            of_a_type = await refused(client, "get_member_outline", memberPath="Shop.Orders")
    assert wrong["message"].startswith("search_symbols: ")
    assert "Name a member" in of_a_type["message"]
    assert "GetOutline" not in of_a_type["message"]


async def test_a_file_is_the_type_that_it_declares(tmp_path):
    with served(tmp_path) as serving:
        async with connected(serving) as client:
            whole = await answered(client, "get_outline", path="Shop/Orders.cs")
            line = await answered(client, "get_outline", path="Shop/Orders.cs:11")
            error = await refused(client, "get_outline", path="Shop/Orders.cs:9999")
    assert whole["resolved"]["path"] == "Shop.Orders"
    assert line["resolved"]["path"] == "Shop.Orders.Add"
    assert error["code"] == 4004


@pytest.mark.parametrize("path", ["Shop/Orders.cs:1"])
async def test_a_file_where_a_symbol_is_asked_for_is_not_said_to_be_missing(tmp_path, path):
    with served(tmp_path) as serving:
        async with connected(serving) as client:
            error = await refused(client, "get_outline", path=path)
    assert error["code"] == "SymbolNotFound"
    assert "not found" not in error["message"]
    assert "Name a type or member that the file declares." in error["message"]


async def test_what_no_path_means_is_to_be_searched_for(tmp_path):
    with served(tmp_path) as serving:
        async with connected(serving) as client:
            error = await refused(client, "resolve_symbol", path="Zqx*")
    assert error["message"].endswith("not found. Search for a part of its name.")


async def test_an_unknown_tool_is_an_error_of_the_protocol(tmp_path):
    with served(tmp_path) as serving:
        async with connected(serving) as client:
            with pytest.raises(MCPError) as caught:
                await client.call_tool("rm_rf", {})
    assert caught.value.code == -32602


async def test_a_lock_says_which_agent_holds_it(tmp_path):
    with served(tmp_path) as serving:
        async with connected(serving, name="claude code/1") as client:
            await answered(client, "lock", object="Shop/Order.cs", purpose="rename")
            locks = await answered(client, "listLocks")
    assert "claude-code-1" in locks["locks"][0]["owner"]


async def test_the_purpose_of_a_lock_is_a_line_not_a_book(tmp_path):
    with served(tmp_path) as serving:
        async with connected(serving) as client:
            await answered(client, "lock", object="Shop/Order.cs", purpose="x" * 100_000)
            error = await refused(client, "lock", object="Shop/Order.cs")
    assert f"/{'x' * 200}…" in error["message"]
    assert len(error["message"]) < 400


async def test_no_piece_has_a_token_that_is_none(tmp_path):
    with served(tmp_path) as serving:
        async with connected(serving) as client:
            structure = await answered(client, "objectStructure", object="Shop.Orders")
            read = await answered(client, "getObjectSourceV2", object="Shop.Orders", includeType="main")
    pieces = [piece for part in structure["includes"] for piece in part["pieces"]]
    assert pieces
    assert not any("token" in piece for piece in pieces)
    assert all(piece["token"] for piece in read["pieces"])


async def test_a_write_says_which_agent_made_it(tmp_path):
    with served(tmp_path) as serving:
        async with connected(serving, name="scribe") as client:
            handle = (await answered(client, "lock", object="Shop/Order.cs"))["LOCK_HANDLE"]
            read = await answered(client, "getObjectSourceV2", object="Shop/Order.cs")
            await answered(
                client,
                "setObjectSourceV2",
                object="Shop/Order.cs",
                token=read["token"],
                startLine=2,
                endLine=2,
                content="// by hand\n",
                lockHandle=handle,
            )
            again = await answered(client, "getObjectSourceV2", object="Shop/Order.cs")
            entries = (await answered(client, "history"))["entries"]
    assert again["changedBy"] == "scribe"
    assert "scribe" in entries[0]["owner"]


async def test_progress_of_a_long_call_is_told(tmp_path, monkeypatch):
    told = []
    made = WorkspaceIndex.refresh

    def slowly(index, *, progress, cancel):
        """Takes as long as it is until somebody was told, on any machine."""
        for done in range(1, 2_000):
            if told or cancel.wait(0.01):
                break
            progress(Progress(phase="Reading C#", done=done, total=2_000))
        return made(index, progress=progress, cancel=cancel)

    async def progress(done, total, message):
        told.append((done, total, message))

    monkeypatch.setattr(WorkspaceIndex, "refresh", slowly)
    with served(tmp_path) as serving:
        async with connected(serving) as client:
            await client.call_tool("search_symbols", {"query": "Orders"}, progress_callback=progress)
    assert told
    assert told[0][2].startswith("Reading C#")


async def test_errors_say_what_is_so_and_what_to_do(tmp_path):
    """Each was once read by a model that could make nothing of it, or the wrong thing."""
    with served(tmp_path) as serving:
        async with connected(serving) as client:
            said = (await refused(client, "getObjectSourceV2", object="Shop"))["message"]
            assert "not found" not in said
            assert "folder" in said

            said = (await refused(client, "pin", path="Shop.Orders", level="bodies"))["message"]
            assert said.endswith("at level bodies. Name the members.")

            file = "Shop/Order.cs"
            handle = (await answered(client, "lock", object=file))["LOCK_HANDLE"]
            said = (await refused(client, "lock", object=file))["message"]
            assert "If that is you, go on with the handle that lock answered." in said
            said = (await refused(client, "renewLock", lockHandle="none"))["message"]
            assert "Use the one that lock answered" in said
            token = (await answered(client, "getObjectSourceV2", object=file))["token"]
            lines = {"startLine": 1, "endLine": 1, "content": "namespace Shop;\n"}
            said = (
                await refused(client, "setObjectSourceV2", object=file, token=token, lockHandle="x", **lines)
            )["message"]
            assert said.startswith("Nothing was written.")
            assert "Write with the handle of that lock if it is yours." in said
            diff = f"--- a/{file}\n+++ b/{file}\n@@ -1 +1 @@\n-namespace Shop;\n+namespace Store;\n"
            said = (await refused(client, "applyPatch", diff=diff, expected={}, lockHandles=[handle]))[
                "message"
            ]
            assert said.endswith("Read it and give the token of that read.")


def test_progress_only_rises_also_where_another_phase_begins_at_nothing():
    """The protocol: it must increase with each notification."""
    steps = [
        ("a", 0, 2),
        ("a", 0, 2),
        ("a", 2, 2),
        ("b", 0, 3),
        ("b", 1, 3),
        ("b", 1, 3),
        ("b", 0, 3),
        ("c", 2, None),
    ]
    rising = MonotonicProgress()
    values = [rising.value(Progress(phase=phase, done=done, total=total)) for phase, done, total in steps]
    assert values == [(0.0, 2.0), None, (2.0, 2.0), None, (3.0, 5.0), None, None, (5.0, None)]


async def test_tools_of_a_feature_are_offered_where_it_is_switched_on(tmp_path):
    with served(tmp_path, review=ReviewSettings(tools=True)) as serving:
        async with connected(serving) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
    assert {"list_changes", "get_numbered_diff", "review", "publish_review"} <= tools
    with served(tmp_path) as serving:
        async with connected(serving) as client:
            with pytest.raises(MCPError, match="Unknown tool"):
                await client.call_tool("list_changes", {})
