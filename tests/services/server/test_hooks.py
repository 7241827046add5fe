"""Hooks of clients: searches of C# by text are advised against, nothing else is answered."""

from __future__ import annotations

import json

import pytest

from services.server.clients import answer


def told(**given: object) -> str | None:
    return answer(
        json.dumps({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": given}).encode()
    )


@pytest.mark.parametrize("command", [
    "grep -rn 'Foo(' --include=*.cs src", "cd src && rg -t cs PlaylistManager", "git grep -n 'class Foo' -- '*.cs'",
    "grep -rn PlaylistManager .", "rg 'IPlaylistManager' | head", "grep Foo src/Foo.cs", "findstr /s Foo *.cs",
])  # fmt: skip
def test_searches_of_csharp_are_advised_against(command: str) -> None:
    said = told(command=command)
    assert said is not None
    output = json.loads(said)["hookSpecificOutput"]
    assert output["hookEventName"] == "PreToolUse"
    assert "usages" in output["additionalContext"]
    assert "permissionDecision" not in output


@pytest.mark.parametrize("command", [
    "grep -rn TODO .", "grep -rn PlaylistManager --include=*.md .", "rg -t py PlaylistManager", "ls src/Foo.cs",
    "grep error build.log", "dotnet test | grep Failed", "grep -n '<Target' Shop.csproj", "echo grep",
])  # fmt: skip
def test_other_calls_are_not_answered(command: str) -> None:
    assert told(command=command) is None


def test_a_search_tool_is_one_too() -> None:
    assert told(pattern="Foo", glob="**/*.cs") is not None
    assert told(pattern="Foo", type="cs") is not None
    assert told(pattern="Foo", glob="*.ts") is None
    assert told(file_path="src/Foo.cs") is None


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{", b'{"tool_input": 3}', b'{"tool_input": {"command": 3}}', b"\xff"]
)
def test_what_is_no_call_is_not_answered(data: bytes) -> None:
    assert answer(data) is None
