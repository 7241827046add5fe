"""Set-up of agents' clients for a workspace, and its removal: configuration, and rules on when to ask what.

Everything is planned first, as texts before and after, and shown; then it is written, or nothing is.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from services.decoding import SMALL, decode
from services.errors import CodeCortexError, ReadOnly, UsageError
from services.server import config_edit
from services.server.config_edit import NAME
from services.source.text.differ import unified_diff

_HEADING = "# CodeCortex: the C# index of this workspace"
RULES = f"""{_HEADING}

An MCP server, `codecortex`, knows this C# code as the compiler does. Ask it before you search by text.

- A task in code that you do not know: `context` with the words of the task, an issue, a stack trace or test output.
- A type or member by name, or a part of one: `find`. A file by its path: `find` with `what: files`.
- A method by its HTTP route: `GET /playlists/{id}` is a name like any other.
- What a type offers: `outline`, before its source. Then `read` the lines that you need.
- Who uses something: `usages`, not grep: no comments, no namesakes, no generated copies. `what: callers`, `callees`,
  `bases`, `derived` and `tests` go on from there.
- Strings, comments, configuration, other languages: `grep`.
- To change lines of a file: `read` them, then `edit` with the token of that read. On a conflict read again.
- Before you say that you are done: `review` names callers that did not change with a member, what of the API breaks,
  and changed members that no test reaches.
- What the developer should see: `window` with `what: pin`.
- More tools (locks, patches, comments, notes, packs): `status` with `open`.

Answers say in `about` which worktree and branch they are of. `nextCursor` means that there is more: ask again with it.
A usage graded `name match` is not proved. A symbol whose `resolved.guessed` is true is not the one that was named.
"""
_SKILL = """\
---
name: codecortex
description: Find, read, change and review C# by meaning (types, usages, tests) through the codecortex MCP tools.
---

"""
_CURSOR = "---\ndescription: When to ask the codecortex MCP tools about C#\nglobs: **/*.cs\nalwaysApply: false\n---\n\n"
_COPILOT = '---\napplyTo: "**/*.cs"\n---\n\n'
HOOK = "hook"
"""Command that a client calls around a search."""
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_HTML, _HASH = ("<!-- ", " -->"), ("# ", "")


class Hook(NamedTuple):
    """Hook of a client: the file that lists it, below the workspace; the event; the tools it is called for."""

    file: str
    event: str
    tools: str


class Setup(NamedTuple):
    """Files that a client reads. `config`: its file, below the workspace or beginning with `~`; `container`: the
    object that holds servers, none for TOML; `rules`: a file of its own with a head, or one that is shared, without
    (None); `hook`: where it calls this program around searches, if it can."""

    title: str
    config: str
    container: str
    rules: str
    head: str | None = None
    kind: str = ""
    hook: Hook | None = None


SETUPS: dict[str, Setup] = {
    "claude-code": Setup(
        "Claude Code", ".mcp.json", "mcpServers", ".claude/skills/codecortex/SKILL.md", _SKILL,
        hook=Hook(".claude/settings.json", "PreToolUse", "Bash|Grep"),
    ),
    "codex": Setup("Codex", "~/.codex/config.toml", "", "AGENTS.md"),
    "cursor": Setup("Cursor", ".cursor/mcp.json", "mcpServers", ".cursor/rules/codecortex.mdc", _CURSOR),
    "vscode": Setup(
        "Visual Studio Code", ".vscode/mcp.json", "servers", ".github/instructions/codecortex.instructions.md",
        _COPILOT, "stdio",
    ),
    "zed": Setup("Zed", ".zed/settings.json", "context_servers", "AGENTS.md"),
    "rider": Setup("JetBrains Rider", ".junie/mcp/mcp.json", "mcpServers", ".junie/guidelines.md"),
    "opencode": Setup("opencode", "opencode.json", "mcp", "AGENTS.md", None, "local"),
    "gemini": Setup(
        "Gemini CLI", ".gemini/settings.json", "mcpServers", "GEMINI.md",
        hook=Hook(".gemini/settings.json", "AfterTool", "run_shell_command|search_file_content|grep_search"),
    ),
}  # fmt: skip
"""By the name of the client."""


class Planned(NamedTuple):
    """A file before and after; None where there is none."""

    path: Path
    before: str | None
    after: str | None

    @property
    def diff(self) -> str:
        """The diff of the change."""
        old, new = (None if text is None else _LINES.findall(text) for text in (self.before, self.after))
        return unified_diff(str(self.path).lstrip("/"), old, new)


def planned(client: str, *, program: Sequence[str], root: Path, remove: bool = False) -> list[Planned]:
    """Plan the changes of installing into a client, or of removal; none where it is so already. Raises UsageError for
    an unknown client and for a file that cannot be edited, ReadOnly."""
    setup = SETUPS.get(client.lower())
    if setup is None:
        raise UsageError(f"There is no client {client!r} to install into. There are: {', '.join(SETUPS)}.")
    # What is every folder's says none: the client starts it in the one that it is opened in.
    folder = [] if setup.config.startswith("~") else ["--root", str(root)]
    command = [*program, *folder, "mcp"]
    line = subprocess.list2cmdline if os.name == "nt" else shlex.join
    called = line([*program, HOOK, NAME])
    plans = [
        *_configs(setup, command, called, root, remove=remove),
        _rules(setup, client.lower(), root, remove=remove),
    ]
    return [plan for plan in plans if plan.before != plan.after]


def write(plans: Sequence[Planned]) -> None:
    """Write what was planned, each file whole or not at all. Raises ReadOnly."""
    for plan in plans:
        _writable(plan.path)
    for plan in plans:
        try:
            _write(plan)
        except OSError as error:
            raise _unwritable(plan.path, error.strerror or str(error)) from error


def _configs(setup: Setup, command: list[str], called: str, root: Path, *, remove: bool) -> Iterator[Planned]:
    """The client's configuration, and the file with its hook, which may be the same. `called`: the hook's command."""
    path = _path(setup.config, root)
    before = _read(path)
    hook = setup.hook
    other = _path(hook.file, root) if hook is not None else path
    if hook is None or other != path:
        yield Planned(path, before, _config(path, setup, before, command, remove=remove))
        if hook is not None:
            text = _read(other)
            yield Planned(other, text, _hooked(other, hook, text, called, remove=remove))
    elif remove:
        left = _hooked(path, hook, before, called, remove=True)
        yield Planned(path, before, _config(path, setup, left, command, remove=True))
    else:
        made = _config(path, setup, before, command, remove=False)
        yield Planned(path, before, _hooked(path, hook, made, called, remove=False))


def _hooked(path: Path, hook: Hook, before: str | None, called: str, *, remove: bool) -> str | None:
    """The text with the hook, or without it; None for no file."""
    place = ("hooks", hook.event)
    item = {"matcher": hook.tools, "hooks": [{"type": "command", "command": called}]}
    if before is None:
        return None if remove else _pretty({"hooks": {hook.event: [item]}})
    try:
        if not remove:
            return config_edit.with_item(before, place, item)
        return None if _is_only_hook(before, hook) else config_edit.without_item(before, place, _is_hook)
    except UsageError as error:
        raise UsageError(f"{path} was left as it is. {error.message}", path=str(path)) from error


def _is_only_hook(text: str, hook: Hook) -> bool:
    """Whether a file was made for the hook, and has nothing else."""
    try:
        value = decode(dict[str, dict[str, list[Any]]], text, SMALL)
    except ValueError:
        return False
    items = value.get("hooks", {}).get(hook.event, [])
    is_alone = len(value) == len(value.get("hooks", {})) == len(items) == 1
    return is_alone and _is_hook(items[0]) and text == _pretty(value)


def _is_hook(item: Any) -> bool:
    """Whether an item of a list of hooks is one of this program's, wherever that was then."""
    match item:
        case {"hooks": [{"command": str(command)}]}:
            return command.endswith(f" {HOOK} {NAME}")
        case _:
            return False


def _config(path: Path, setup: Setup, before: str | None, command: list[str], *, remove: bool) -> str | None:
    fresh = _fresh(setup, command)
    if remove and before is not None and setup.container and before in (fresh, _again(before)):
        return None
    if before is None:
        return None if remove else fresh
    try:
        return _edited(setup, before, command, remove=remove)
    except UsageError as error:
        raise UsageError(f"{path} was left as it is. {error.message}", path=str(path)) from error


def _edited(setup: Setup, before: str, command: list[str], *, remove: bool) -> str | None:
    if not setup.container:
        config_edit.require_toml(before)
        if remove:
            return config_edit.without_block(before, _HASH)
        made = config_edit.with_block(before, _toml(command), _HASH)
        config_edit.require_toml(made)
        return made
    if remove:
        return config_edit.without_entry(before, setup.container)
    return config_edit.with_entry(before, setup.container, _entry(setup, command))


def _fresh(setup: Setup, command: list[str]) -> str:
    """The file where there is none."""
    if not setup.container:
        return config_edit.with_block(None, _toml(command), _HASH)
    return _pretty({setup.container: {NAME: _entry(setup, command)}})


def _again(text: str) -> str | None:
    """A JSON file of one entry as it is made here; None for what has more."""
    try:
        value = decode(dict[str, dict[str, Any]], text, SMALL)
    except ValueError:
        return None
    is_one = len(value) == 1 and all(list(each) == [NAME] for each in value.values())
    return _pretty(value) if is_one else None


def _pretty(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _entry(setup: Setup, command: list[str]) -> dict[str, Any]:
    if setup.kind == "local":
        return {"type": "local", "command": command, "enabled": True}
    kind = {"type": setup.kind} if setup.kind else {}
    return {**kind, "command": command[0], "args": command[1:]}


def _toml(command: list[str]) -> str:
    program, *others = (json.dumps(each, ensure_ascii=False) for each in command)
    return f"[mcp_servers.{NAME}]\ncommand = {program}\nargs = [{', '.join(others)}]"


def _rules(setup: Setup, client: str, root: Path, *, remove: bool) -> Planned:
    path = _path(setup.rules, root)
    before = _read(path)
    if setup.head is not None:
        own = setup.head + RULES
        if before not in (None, own) and remove:
            return Planned(path, before, before)
        if before not in (None, own):
            raise UsageError(
                f"{path} is another than is written here, and was left as it is.", path=str(path)
            )
        return Planned(path, before, None if remove else own)
    signs = (_HTML[0] + f"{client} ", _HTML[1])
    if remove:
        return Planned(path, before, None if before is None else config_edit.without_block(before, signs))
    return Planned(path, before, config_edit.with_block(before, RULES, signs))


def _path(name: str, root: Path) -> Path:
    return Path(name).expanduser() if name.startswith("~") else root / name


def _read(path: Path) -> str | None:
    """The text of a file; None where there is none. Raises UsageError for a link, for what is no file, no UTF-8."""
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    if not stat.S_ISREG(mode):
        what = "a link" if stat.S_ISLNK(mode) else "no regular file"
        raise UsageError(
            f"{path} is {what}, and was left as it is. Edit what it leads to by hand.", path=str(path)
        )
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8, and was left as it is.", path=str(path)) from error
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.", path=str(path)) from error


def _writable(path: Path) -> None:
    """Raises ReadOnly where a file may not be changed."""
    if path.exists() and not os.stat(path).st_mode & stat.S_IWUSR:  # noqa: PTH116
        raise _unwritable(path, "it is read-only")


def _unwritable(path: Path, why: str) -> CodeCortexError:
    return ReadOnly(f"{path} was left as it is: {why}.", path=str(path))


def _write(plan: Planned) -> None:
    if plan.after is None:
        plan.path.unlink()
        for folder in plan.path.parents[:3]:
            if any(folder.iterdir()) or not folder.name.startswith(
                (".", NAME, "rules", "skills", "mcp", "instructions")
            ):
                return
            folder.rmdir()
        return
    plan.path.parent.mkdir(parents=True, exist_ok=True)
    mode = plan.path.stat().st_mode & 0o777 if plan.path.exists() else None
    temporary = plan.path.with_name(f".{plan.path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(plan.after.encode("utf-8"))
        if mode is not None:
            temporary.chmod(mode)
        temporary.replace(plan.path)
    finally:
        temporary.unlink(missing_ok=True)
