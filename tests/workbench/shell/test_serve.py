"""The commands that serve the workspace."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.workbench.conftest import CommandLine

ROOT = Path(__file__).parents[3]
WITHOUT_MCP = """
import sys

class Missing:
    def find_spec(self, name, *_):
        if name.partition(".")[0] == "mcp":
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Missing())
from workbench.shell.cli import run
sys.exit(run(sys.argv[1:]))
"""


@pytest.mark.parametrize("command", ["mcp", "serve"])
def test_without_the_extra_it_says_what_to_install(command, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_MCP, "--root", tmp_path, command],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert "codecortex[mcp]" in done.stderr


@pytest.mark.parametrize("command", ["mcp", "serve", "rpc"])
def test_they_have_help(line: CommandLine, command):
    assert line.run(command, "--help") == 0
    assert "--root" in line.out


def test_configuration_needs_no_workspace_and_names_this_one(line: CommandLine):
    assert line.run("--root", str(line.folder), "mcp", "--print-config", "cursor") == 0
    entry = json.loads(line.out)["mcpServers"]["codecortex"]
    assert entry["args"][-3:] == ["--root", str(line.folder.resolve()), "mcp"]


def test_configuration_for_an_unknown_client_is_a_usage_error(line: CommandLine):
    assert line.run("mcp", "--print-config", "emacs") == 2
    assert "claude-code" in line.err


def test_a_port_that_is_taken_is_said(tmp_path):
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            [sys.executable, "-m", "workbench", "--root", tmp_path, "serve", "--port", port],
            capture_output=True,
            text=True,
            cwd=ROOT,
            timeout=60,
            check=False,
        )
    assert done.returncode == 1
    assert port in done.stderr
