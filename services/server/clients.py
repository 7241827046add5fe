"""Clients of agents: ready configuration to be copied into their files, and advice to an agent that searches C# by
text."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from services.decoding import SMALL, decode
from services.errors import UsageError

_NAME = "codecortex"


class Client(NamedTuple):
    """A client: its name for people, where its configuration belongs, and what is written there."""

    title: str
    where: str
    text: Callable[[Sequence[str]], str]


def _json(*keys: str, kind: str | None = None) -> Callable[[Sequence[str]], str]:
    def text(command: Sequence[str]) -> str:
        entry: dict[str, Any] = {"type": kind} if kind else {}
        value: dict[str, Any] = {_NAME: entry | {"command": command[0], "args": list(command[1:])}}
        for key in reversed(keys):
            value = {key: value}
        return json.dumps(value, indent=2)

    return text


def _zed(command: Sequence[str]) -> str:
    entry = {"command": command[0], "args": list(command[1:])}
    return json.dumps({"context_servers": {_NAME: entry}}, indent=2)


def _shell(command: Sequence[str]) -> str:
    return shlex.join(["claude", "mcp", "add", _NAME, "--", *command])


def _toml(command: Sequence[str]) -> str:
    arguments = ", ".join(json.dumps(each, ensure_ascii=False) for each in command[1:])
    program = json.dumps(command[0], ensure_ascii=False)
    return f"[mcp_servers.{_NAME}]\ncommand = {program}\nargs = [{arguments}]"


CLIENTS: dict[str, Client] = {
    "claude-code": Client("Claude Code", "run in the project's folder", _shell),
    "claude-desktop": Client("Claude Desktop", "claude_desktop_config.json", _json("mcpServers")),
    "vscode": Client("Visual Studio Code", ".vscode/mcp.json", _json("servers", kind="stdio")),
    "visual-studio": Client("Visual Studio", ".mcp.json beside the solution", _json("servers", kind="stdio")),
    "rider": Client(
        "JetBrains Rider",
        "Settings, Tools, AI Assistant, Model Context Protocol, Add, as JSON",
        _json("mcpServers"),
    ),
    "cursor": Client("Cursor", ".cursor/mcp.json", _json("mcpServers", kind="stdio")),
    "windsurf": Client("Windsurf", "~/.codeium/windsurf/mcp_config.json", _json("mcpServers")),
    "zed": Client("Zed", "settings.json", _zed),
    "codex": Client("Codex", "~/.codex/config.toml", _toml),
    "gemini": Client("Gemini CLI", ".gemini/settings.json", _json("mcpServers")),
}
"""By the name that `--print-config` takes."""


def configuration(client: str, *, program: Sequence[str], root: Path) -> str:
    """Return the configuration of a client, or of each of them (`all`), with its location. Raises UsageError for an
    unknown one.

    `program`: the words that start this one. One client's is told with nothing around it, to go into its file as it
    is."""
    command = [*program, "--root", str(root), "mcp"]
    if client == "all":
        return "\n".join(f"# {each.title}: {each.where}\n{each.text(command)}\n" for each in CLIENTS.values())
    known = CLIENTS.get(client.lower())
    if known is None:
        raise UsageError(f"There is no client {client!r}. There are: all, {', '.join(CLIENTS)}.")
    return known.text(command) + "\n"


MOST_BYTES = 1 << 20
ADVICE = (
    "This workspace has the MCP server codecortex, which knows its C# as the compiler does: `find` for declarations, "
    "`usages` for who uses a symbol (no comments, no namesakes), `grep` for strings and comments."
)
_SEARCH = re.compile(
    r"(?:^|[\s|;&(`])(?:e?grep|git\s+grep|rg|ag|ack|findstr|Select-String)\s+(?P<rest>[^|;&\n]*)"
)
_OF_CSHARP = re.compile(r"\.cs\b(?![.\w])|(?:-t|--type[= ]|--)\s*(?:cs|csharp)\b", re.IGNORECASE)
_OF_OTHERS = re.compile(r"--include|--glob|--type|\s-[gt]\s?\S|\.\w{1,6}(?=[\s'\"]|$)")
_RECURSIVE = re.compile(r"^(?:git\s+)?grep\b.*\s-\w*[rR]|^(?:git\s+grep|rg|ag|ack)\b|--recursive")
_TYPE_LIKE = re.compile(r"(?<![\w.])[A-Z]\w*[a-z0-9][A-Z]\w*")
"""A name of two humps, as types and members have."""


def answer(data: bytes) -> str | None:
    """The answer to a client's event, as JSON; None where there is none, also for what is no JSON object."""
    try:
        event = decode(dict[str, Any], data, SMALL)
    except ValueError:
        return None
    given = event.get("tool_input")
    if not isinstance(given, Mapping) or not searches_csharp(given):
        return None
    name = str(event.get("hook_event_name", "PreToolUse"))
    return json.dumps({"hookSpecificOutput": {"hookEventName": name, "additionalContext": ADVICE}})


def searches_csharp(given: Mapping[str, Any]) -> bool:
    """Whether the arguments of a tool are a search of C# by text: a shell command, or those of a search tool."""
    command = given.get("command")
    if isinstance(command, str):
        return any(map(_is_of_csharp, _searches(command)))
    if not isinstance(given.get("pattern"), str):
        return False
    places = (given.get(name) for name in ("glob", "include", "include_pattern", "path", "type"))
    told = [place for place in places if isinstance(place, str)]
    return any(place in ("cs", "csharp") or _OF_CSHARP.search(place) for place in told)


def _searches(command: str) -> Iterator[str]:
    """The searches in a shell command, each with its arguments."""
    for match in _SEARCH.finditer(command[:10_000]):
        yield match[0].lstrip(" |;&(`\t\n")


def _is_of_csharp(search: str) -> bool:
    if _OF_CSHARP.search(search):
        return True
    is_wide = _RECURSIVE.search(search) is not None and _OF_OTHERS.search(search) is None
    return is_wide and _TYPE_LIKE.search(search) is not None
