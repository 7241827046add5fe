"""Afternoon of an agent as one script for every transport and any checkout.

    python -m tests.support.session FOLDER [--query "kind:class"]

works on a copy of the folder, over stdio and over HTTP with the program in a process of its own, and says what it did.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mcp import Client

from tests.support.serving import answered, refused

SAMPLE = "kind:class HarvestLedger"
ANY = "kind:class access:public"
_BOM = b"\xef\xbb\xbf"
_READY_WITHIN = 600.0

Say = Callable[[str], Any]


async def work_through(
    client: Client, folder: Path, *, query: str = SAMPLE, say: Say = lambda _: None
) -> None:
    """Search, outline, ranged read, grep, lock, write, conflict, rebase, unlock, pin, window.

    `folder`: the workspace, for what somebody else does meanwhile; `query`: the first class it finds is worked on;
    `say`: is told of each step."""
    hit = (await answered(client, "search_symbols", query=query, limit=5))["hits"][0]["symbol"]
    id_, file, name = hit["id"], hit["file"], hit["label"].partition("<")[0]
    say(f"search: {hit['path']} in {file}")
    outline = await answered(client, "get_outline", path=id_)
    assert outline["resolved"]["typeId"] == id_
    assert name in outline["text"]
    say(f"outline: {outline['tokens']} tokens")

    read = await answered(client, "getObjectSourceV2", object=id_)
    first, last = read["startLine"], read["endLine"]
    lines = await answered(client, "getObjectSourceV2", object=file, startLine=first, endLine=last)
    assert lines["content"] == read["content"]
    say(f"ranged read: lines {first}-{last} of {lines['lineCount']}")
    found = await answered(client, "grepObjectSource", pattern=name, object=file, contextLines=1)
    assert found["matchCount"] == len(found["matches"]) > 0
    say(f"grep: {found['matchCount']} lines")

    await _edited(client, folder, file, last, say)

    pinned = await answered(client, "pin", path=id_)
    assert any(item["pinned"] for item in pinned["items"])
    window = await answered(client, "get_prompt_window")
    assert name in window["text"]
    assert window["tokens"] <= window["budget"]
    resource = await client.read_resource("codecortex://window")
    assert resource.contents[0].text == window["text"]
    say(f"pin, window: {window['tokens']} of {window['budget']} tokens")


async def _edited(client: Client, folder: Path, file: str, line: int, say: Say) -> None:
    """Lock, write, conflict, rebase, unlock: comments before a line that was read."""
    path = folder / file
    before = path.read_bytes()
    ending = b"\r\n" if b"\r\n" in before else b"\n"
    seen = await answered(client, "getObjectSourceV2", object=file, startLine=line, endLine=line)
    handle = (await answered(client, "lock", object=file, purpose="a comment"))["LOCK_HANDLE"]
    change = {"object": file, "startLine": line, "endLine": line - 1, "lockHandle": handle}
    written = await answered(
        client, "setObjectSourceV2", **change, token=seen["token"], content="    // by an agent\n"
    )
    assert written["updated"]
    assert path.read_bytes().replace(b"    // by an agent" + ending, b"", 1) == before
    say("lock, write: one line, every other byte as it was")

    somebody_else_writes(path, ending)
    error = await refused(
        client, "setObjectSourceV2", **change, token=written["token"], content="    // again\n"
    )
    assert (error["code"], error["retryAction"]) == (4003, "getObjectSourceV2")
    details = error["details"]
    say(f"conflict: {error['message']}")
    first, last = max(1, line - 4), min(line + 6, written["lineCount"] + 1)
    await answered(client, "getObjectSourceV2", object=file, startLine=first, endLine=last)
    rebased = await answered(
        client,
        "applyPatch",
        diff=details["rebased"],
        expected={file: details["currentToken"]},
        lockHandles=[handle],
    )
    assert [each["file"] for each in rebased["files"]] == [file]
    after = path.read_bytes()
    for words in (b"// again", b"// by an agent", b"// by somebody else"):
        assert after.count(words + ending) == 1
    for own in (b"    // again" + ending, b"    // by an agent" + ending, b"// by somebody else" + ending):
        after = after.replace(own, b"", 1)
    assert after == before
    await answered(client, "unLock", object=file, lockHandle=handle)
    assert (await answered(client, "listLocks"))["locks"] == []
    say("rebase, unlock: all three comments are there, every other byte as it was")


def somebody_else_writes(path: Path, ending: bytes = b"\n") -> None:
    """Puts a line at the top, as an editor would."""
    data = path.read_bytes()
    mark = _BOM if data.startswith(_BOM) else b""
    path.write_bytes(mark + b"// by somebody else" + ending + data.removeprefix(mark))


async def on_a_copy(folder: Path, *, query: str, connect: Any, say: Say) -> None:
    """The session on a copy of a checkout, as soon as it is indexed. `connect`: makes a client of a folder."""
    with tempfile.TemporaryDirectory() as temporary:
        copy = Path(temporary, folder.name)
        shutil.copytree(folder, copy, symlinks=True, ignore=shutil.ignore_patterns(".context"))
        async with connect(copy) as client:
            await ready(client)
            await work_through(client, copy, query=query, say=say)


async def ready(client: Client) -> None:
    """Wait for the index, as an agent does on the server's instruction."""
    until = time.monotonic() + _READY_WITHIN
    while (await answered(client, "status"))["state"] != "ready":
        assert time.monotonic() < until
        await asyncio.sleep(0.5)


def main() -> None:
    """Both transports, one after the other."""
    from tests.support.processes import http_client, stdio_client

    options = argparse.ArgumentParser(prog="python -m tests.support.session", description=__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument("--query", default=ANY, help="the first class that it finds is worked on")
    chosen = options.parse_args()
    for name, connect in (("stdio", stdio_client), ("HTTP", http_client)):
        print(f"{chosen.folder.resolve().name} over {name}")
        asyncio.run(
            on_a_copy(
                chosen.folder.resolve(),
                query=chosen.query,
                connect=connect,
                say=lambda step: print(f"  {step}"),
            )
        )


if __name__ == "__main__":
    main()
