"""Advice to an agent that searches C# by text: the answer of a client's hook to a tool call.

A hook never refuses or allows a call; it adds a sentence to what the agent reads.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from services.decoding import SMALL, decode

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
