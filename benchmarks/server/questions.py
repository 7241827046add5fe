"""Ten questions about jellyfin, as people put them, answered by a scripted MCP client through the ten core tools.

    python -m benchmarks.server.questions FOLDER

The client connects to a server over a clone of the repository, which is gone afterwards, and makes the calls that stand
here. Of each question: its calls, the tokens (o200k) of arguments and answers together, and whether the answers hold
what a person would look for. `list`: tokens of the list of tools, which each conversation pays for once, of the profile
`core` and of `all`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from mcp import Client
from mcp_types import Implementation

from benchmarks.context.commits import check_out, cloned
from benchmarks.harness.corpus import settings
from services.operations.table import OPERATIONS
from services.prompt.tokens.tokenizers import EncodingCounter, counter_for
from services.server.mcp.core import CORE as LISTED
from services.server.mcp.factory import handlers_of, make_server
from services.server.mcp.tools import CORE, tool_of
from services.server.serving import Serving

MOST_CALLS, MOST_TOKENS = 3, 6_000
_COUNTER = counter_for("gpt-5", EncodingCounter())
_TRACE = """System.NullReferenceException: Object reference not set to an instance of an object.
   at Emby.Server.Implementations.Playlists.PlaylistManager.AddToPlaylistInternal(Guid playlistId) in /src/A.cs:line 230
   at Jellyfin.Api.Controllers.PlaylistsController.AddItemToPlaylist(Guid playlistId)"""


class Question(NamedTuple):
    """What is asked, the calls, and texts that the answers must hold."""

    text: str
    calls: Sequence[tuple[str, dict[str, Any]]]
    holds: Sequence[str]


class Answered(NamedTuple):
    """A question with the tokens of its calls."""

    question: Question
    tokens: int
    missing: list[str]


QUESTIONS = (
    Question(
        "What can a playlist manager do?",
        [("find", {"query": "playlist manager", "limit": 5}), ("outline", {"path": "IPlaylistManager"})],
        ["AddItemToPlaylistAsync", "GetPlaylists"],
    ),
    Question(
        "Who starts a scan of the library?",
        [("usages", {"path": "ILibraryManager.ValidateMediaLibrary", "what": "callers", "limit": 30})],
        ["LibraryController"],
    ),
    Question(
        "What happens on DELETE /Playlists/{playlistId}/Items?",
        [("read", {"path": "DELETE /Playlists/{playlistId}/Items"})],
        ["RemoveItemFromPlaylist"],
    ),
    Question(
        "Which tests reach EncodingHelper.GetMapArgs?",
        [("usages", {"path": "EncodingHelper.GetMapArgs", "what": "tests", "limit": 20})],
        ["EncodingHelperTests.GetMapArgs"],
    ),
    Question(
        "What kinds of folders are there?",
        [("usages", {"path": "MediaBrowser.Controller.Entities.Folder", "what": "derived", "depth": 1})],
        ["CollectionFolder", "UserRootFolder"],
    ),
    Question(
        "The resume position of an episode is not saved: where do I look?",
        [
            (
                "context",
                {
                    "words": "playback position of an episode is not saved when playback stops",
                    "budget": 2_500,
                },
            )
        ],
        ["SessionManager"],
    ),
    Question(
        "Where is EnableMetrics looked at?",
        [("usages", {"path": "ServerConfiguration.EnableMetrics"})],
        ["Startup"],
    ),
    Question(
        "What is at fault in this stack trace?",
        [
            ("context", {"words": _TRACE, "budget": 2_000}),
            ("read", {"path": "PlaylistManager.AddToPlaylistInternal"}),
        ],
        ["PlaylistManager", "playlist.LinkedChildren"],
    ),
    Question(
        "Have QuickConnect forget requests after five minutes instead of ten.",
        [
            ("find", {"query": "quick connect timeout", "limit": 5}),
            ("read", {"path": "QuickConnectManager.Timeout"}),
        ],
        ["Timeout = 10", "token"],
    ),
    Question(
        "What does 0d02638e82 break, and which tests reach what it changes?",
        [("review", {"change": "0d02638e82"})],
        ["1 test reaches"],
    ),
)


def main() -> None:
    """Ask, and print a table as Markdown."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.server.questions")
    parser.add_argument("folder", type=Path, help="a clone of jellyfin")
    given = parser.parse_args()
    with TemporaryDirectory(prefix="codecortex-questions-") as temporary:
        clone = cloned(given.folder.resolve(), Path(temporary, "clone"))
        check_out(clone, "HEAD")
        print(table(asyncio.run(_asked(clone))))
    print("list:", ", ".join(f"{name} {tokens}" for name, tokens in _lists()))


async def _asked(folder: Path) -> list[Answered]:
    with Serving.open(folder, settings(2)) as serving:
        parts = handlers_of(serving, CORE)
        info = Implementation(name="questions", version="1")
        async with parts.background(), Client(make_server(parts), client_info=info) as client:
            return [await _answered(client, question) for question in QUESTIONS]


async def _answered(client: Client, question: Question) -> Answered:
    texts: list[str] = []
    tokens = 0
    for tool, arguments in question.calls:
        result = await client.call_tool(tool, arguments)
        text = "".join(getattr(part, "text", "") for part in result.content)
        texts.append(text)
        tokens += _COUNTER.count(json.dumps(arguments)) + _COUNTER.count(text)
    whole = "\n".join(texts)
    return Answered(question, tokens, [each for each in question.holds if each not in whole])


def table(answers: Sequence[Answered]) -> str:
    """The questions with their calls and tokens."""
    rows = ["| question | calls | tokens | held |", "|---|---|---|---|"]
    for each in answers:
        held = f"no: {', '.join(each.missing)}" if each.missing else "yes"
        tools = ", ".join(tool for tool, _ in each.question.calls)
        rows.append(
            f"| {each.question.text} | {len(each.question.calls)}: {tools} | {each.tokens:,} | {held} |"
        )
    fits = sum(
        not each.missing and each.tokens <= MOST_TOKENS and len(each.question.calls) <= MOST_CALLS
        for each in answers
    )
    return "\n".join(
        [*rows, f"\n{fits} of {len(answers)} in at most {MOST_CALLS} calls and {MOST_TOKENS:,} tokens."]
    )


def _lists() -> list[tuple[str, int]]:
    core = [tool.listed() for tool in LISTED.values()]
    every = [tool_of(each) for each in OPERATIONS if each.faces.tool and not each.feature]
    return [
        (name, sum(_COUNTER.count(tool.model_dump_json(by_alias=True, exclude_none=True)) for tool in tools))
        for name, tools in (("core", core), ("all", every))
    ]


if __name__ == "__main__":
    main()
