"""Ready configuration for clients."""

from __future__ import annotations

import json
import shlex
import tomllib
from pathlib import Path

import pytest

from services.errors import UsageError
from services.server.clients import CLIENTS, configuration

ROOT = Path('/code/a "b"')
COMMAND = ["/bin/codecortex", "--root", str(ROOT), "mcp"]


def made(client: str) -> str:
    return configuration(client, program=["/bin/codecortex"], root=ROOT)


@pytest.mark.parametrize(
    ("client", "keys"),
    [
        ("claude-desktop", ("mcpServers",)),
        ("cursor", ("mcpServers",)),
        ("windsurf", ("mcpServers",)),
        ("gemini", ("mcpServers",)),
        ("rider", ("mcpServers",)),
        ("vscode", ("servers",)),
        ("visual-studio", ("servers",)),
        ("zed", ("context_servers",)),
    ],
)
def test_json_starts_the_program_on_the_workspace(client, keys):
    value = json.loads(made(client))
    for key in (*keys, "codecortex"):
        value = value[key]
    assert [value["command"], *value["args"]] == COMMAND


@pytest.mark.parametrize(
    ("client", "key"), [("vscode", "servers"), ("visual-studio", "servers"), ("cursor", "mcpServers")]
)
def test_clients_that_want_to_be_told_the_transport_are(client, key):
    assert json.loads(made(client))[key]["codecortex"]["type"] == "stdio"


def test_toml_starts_the_program_on_the_workspace():
    value = tomllib.loads(made("codex"))["mcp_servers"]["codecortex"]
    assert [value["command"], *value["args"]] == COMMAND


def test_a_command_line_starts_the_program_on_the_workspace():
    words = shlex.split(made("claude-code"))
    assert words[: words.index("--")] == ["claude", "mcp", "add", "codecortex"]
    assert words[words.index("--") + 1 :] == COMMAND


def test_all_of_them_say_where_they_belong():
    text = made("all")
    assert all(client.title in text and client.where in text for client in CLIENTS.values())


def test_an_unknown_client_is_answered_with_those_there_are():
    with pytest.raises(UsageError, match="claude-code"):
        made("emacs")
