"""Ready configuration for the MCP clients that people use, to be copied into their files."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

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
