"""Clients set up and back: their files have the bytes of before, and what others wrote stays."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from services.errors import ReadOnly, UsageError
from services.server.installing import RULES, SETUPS, Planned, planned, write

JSON = [
    "{}", "{\n}\n", "{ /* c */ }", '{"mcpServers":{}}', '{"mcpServers":{"y":{}}}', '{"mcp": { // c\n }}',
    '// top\n{\n  "a": [1,2,],\n  "mcpServers": {\n    "x": {"command": "x",}, // c\n  },\n}\n',
    '{\r\n  "servers": {\r\n    "y": {}\r\n  }\r\n}', '{"context_servers": {"a": {"u": "http://x//y"}},\n}',
]  # fmt: skip
TOML = ["", "# c\n[a]\nb = 1", '[mcp_servers.x]\ncommand = "x"\n\n# end\n', "a = 1\r\n"]
CASES = [(client, text) for client, setup in SETUPS.items() for text in (JSON if setup.container else TOML)]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "w").mkdir()
    return tmp_path / "w"


def plan(client: str, root: Path, *, remove: bool = False) -> list[Planned]:
    return planned(client, program=["codecortex"], root=root, remove=remove)


def config(client: str, root: Path) -> Path:
    name = SETUPS[client].config
    return Path(name).expanduser() if name.startswith("~") else root / name


@pytest.mark.parametrize(("client", "text"), CASES)
def test_a_file_is_after_uninstall_as_it_was(root: Path, client: str, text: str) -> None:
    path = config(client, root)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    plans = plan(client, root)
    assert all(each.diff for each in plans)
    write(plans)
    assert b"codecortex" in path.read_bytes()
    assert plan(client, root) == []
    write(plan(client, root, remove=True))
    assert path.read_bytes() == text.encode()
    assert plan(client, root, remove=True) == []


@pytest.mark.parametrize("client", SETUPS)
def test_what_was_made_goes_again(root: Path, client: str) -> None:
    write(plan(client, root))
    assert config(client, root).is_file()
    assert (root / SETUPS[client].rules).is_file()
    write(plan(client, root, remove=True))
    assert [each for each in root.parent.rglob("*") if each.is_file()] == []


def test_rules_are_short_and_share_a_file(root: Path) -> None:
    assert max(len(f"{setup.head or ''}{RULES}".split("\n")) for setup in SETUPS.values()) <= 60
    (root / "AGENTS.md").write_text("# Ours\nNo end")
    for client in ("codex", "opencode"):
        write(plan(client, root))
    write(plan("codex", root, remove=True))
    assert (root / "AGENTS.md").read_text().startswith("# Ours\nNo end\n<!-- opencode")
    write(plan("opencode", root, remove=True))
    assert (root / "AGENTS.md").read_text() == "# Ours\nNo end"


@pytest.mark.parametrize("text", ["", "a\n", "a", None])
@pytest.mark.parametrize("order", [("codex", "opencode"), ("opencode", "codex")])
def test_shared_rules_go_in_any_order(root: Path, order: tuple[str, str], text: str | None) -> None:
    path = root / "AGENTS.md"
    if text is not None:
        path.write_text(text)
    for client in ("codex", "opencode"):
        write(plan(client, root))
    for client in order:
        write(plan(client, root, remove=True))
    assert (path.read_text() if path.exists() else None) == text


@pytest.mark.parametrize("text", [
    '{"a": }', "[1]", '{"a": "x', '{"mcpServers": 3}', '{"mcpServers": {"codecortex": {"command": "other"}}}',
    "", "{ / }",
])  # fmt: skip
def test_what_cannot_be_edited_is_left_with_the_reason(root: Path, text: str) -> None:
    path = root / ".mcp.json"
    path.write_text(text)
    with pytest.raises(UsageError, match="left as it is"):
        write(plan("claude-code", root))
    assert path.read_text() == text


@pytest.mark.parametrize("client", SETUPS)
def test_an_empty_file_of_a_person_stays(root: Path, client: str) -> None:
    path = config(client, root)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"")
    with suppress(UsageError):  # a client of JSON cannot read it either
        write(plan(client, root, remove=True))
    assert path.read_bytes() == b""


def test_links_and_files_that_are_read_only_are_refused(root: Path) -> None:
    (root / "real.json").write_text("{}")
    (root / ".mcp.json").symlink_to("real.json")
    with pytest.raises(UsageError, match="is a link"):
        plan("claude-code", root)
    (root / ".cursor").mkdir()
    (root / ".cursor/mcp.json").write_text("{}")
    (root / ".cursor/mcp.json").chmod(0o400)
    with pytest.raises(ReadOnly, match="read-only"):
        write(plan("cursor", root))
    assert (root / "real.json").read_text() == (root / ".cursor/mcp.json").read_text() == "{}"
    with pytest.raises(UsageError, match="no client"):
        plan("emacs", root)


HOOKS = [
    "{}", "{\n}\n", '{"hooks": {}}', '{"hooks": {"PreToolUse": []}}', '{"hooks": {"PreToolUse": [ ]}, "a": [1,],}',
    '{\n  // ours\n  "hooks": {\n    "PreToolUse": [\n      {"matcher": "Bash", "hooks": []}, // c\n    ],\n  },\n}\n',
    '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}',
    '{"permissions": {"allow": ["Bash"]}}\r\n',
]  # fmt: skip


@pytest.mark.parametrize("text", HOOKS)
@pytest.mark.parametrize("client", ["claude-code", "gemini"])
def test_a_hook_is_put_in_once_and_out_again(root: Path, client: str, text: str) -> None:
    hook = SETUPS[client].hook
    assert hook is not None
    text = text.replace("PreToolUse", hook.event)
    path = root / hook.file
    path.parent.mkdir()
    path.write_bytes(text.encode())
    write(plan(client, root))
    assert path.read_text().count("codecortex hook codecortex") == 1
    assert plan(client, root) == []
    moved = planned(client, program=["elsewhere/codecortex"], root=root, remove=True)
    write(moved)
    assert path.read_bytes() == text.encode()


def test_a_list_of_hooks_that_is_none_is_left(root: Path) -> None:
    (root / ".claude").mkdir()
    (root / ".claude/settings.json").write_text('{"hooks": {"PreToolUse": {}}}')
    with pytest.raises(UsageError, match="no list in it"):
        plan("claude-code", root)
