"""What an agent does in an afternoon, as one script that every transport has to carry."""

from __future__ import annotations

from pathlib import Path

from mcp import Client

from tests.support.serving import answered, refused


async def work_through(client: Client, folder: Path) -> None:
    """Search, outline, ranged read, grep, lock, write, conflict, rebase, unlock, pin, window: on the sample solution.
    `folder`: the workspace, for what somebody else does meanwhile."""
    hit = (await answered(client, "search_symbols", query="kind:class HarvestLedger", limit=5))["hits"][0][
        "symbol"
    ]
    path, file = hit["path"], hit["file"]
    outline = await answered(client, "get_outline", path=path)
    assert outline["resolved"]["typeId"] == hit["id"]
    assert hit["label"].partition("<")[0] in outline["text"]

    read = await answered(client, "getObjectSourceV2", object=path)
    first, last = read["startLine"], read["endLine"]
    lines = await answered(client, "getObjectSourceV2", object=file, startLine=first, endLine=last)
    assert lines["content"] == read["content"]
    found = await answered(client, "grepObjectSource", pattern=r"\bclass\b", object=file, contextLines=1)
    assert found["matchCount"] == len(found["matches"]) > 0

    whole = await answered(client, "getObjectSourceV2", object=file)
    handle = (await answered(client, "lock", object=file, purpose="a comment"))["LOCK_HANDLE"]
    change = {"object": file, "startLine": last, "endLine": last - 1, "lockHandle": handle}
    written = await answered(
        client, "setObjectSourceV2", **change, token=whole["token"], content="    // by an agent\n"
    )
    assert written["updated"]
    assert b"// by an agent\n" in (folder / file).read_bytes()

    somebody_else_writes(folder / file)
    error = await refused(
        client, "setObjectSourceV2", **change, token=written["token"], content="    // again\n"
    )
    assert (error["code"], error["retryAction"]) == (4003, "getObjectSourceV2")
    details = error["details"]
    await answered(client, "getObjectSourceV2", object=file)
    rebased = await answered(
        client,
        "applyPatch",
        diff=details["rebased"],
        expected={file: details["currentToken"]},
        lockHandles=[handle],
    )
    assert [each["file"] for each in rebased["files"]] == [file]
    text = (folder / file).read_text()
    assert all(words in text for words in ("// again\n", "// by an agent\n", "// by somebody else\n"))

    await answered(client, "unLock", object=file, lockHandle=handle)
    assert (await answered(client, "listLocks"))["locks"] == []
    pinned = await answered(client, "pin", path=path)
    assert any(item["pinned"] for item in pinned["items"])
    window = await answered(client, "get_prompt_window")
    assert hit["label"].partition("<")[0] in window["text"]
    assert window["tokens"] <= window["budget"]
    resource = await client.read_resource("codecortex://window")
    assert resource.contents[0].text == window["text"]


def somebody_else_writes(path: Path) -> None:
    """Puts a line at the top, as an editor would."""
    path.write_bytes(b"// by somebody else\n" + path.read_bytes())
