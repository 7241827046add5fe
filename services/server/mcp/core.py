"""The tools of the profile `core`: ten, made for tasks, in schemas of at most 2 000 tokens.

Each leads to operations by what is asked for; whatever they check, ask and refuse holds here as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import mcp_types as types

from services.errors import UsageError
from services.operations import Operation, by_name

MOST_TOKENS = 2_000
"""Tokens (o200k) that the list may take: every conversation pays for it."""
GROUPS: Mapping[str, tuple[str, ...]] = {
    "symbols": ("services.operations.symbols", "services.operations.source"),
    "edit": ("services.operations.edits.writes", "services.operations.edits.proposals"),
    "review": ("services.operations.review",),
    "notes": ("services.operations.semantic", "services.operations.investigations"),
    "window": ("services.operations.window", "services.operations.copying"),
    "all": ("services.operations",),
}
"""Modules of the operations whose tools a session may have listed beside these, by the name of the group."""
OPEN = "open"
WHAT = "what"


class Way(NamedTuple):
    """Operation behind a tool. `fixed`: arguments of the operation that no caller gives; `renamed`: the tool's
    arguments that have another name in the operation."""

    operation: str
    fixed: Mapping[str, Any] = {}
    renamed: Mapping[str, str] = {}


class CoreTool(NamedTuple):
    """A tool. `ways`: by the value of `what`, the first one where it is left out; `properties`: its arguments but
    `what`, each with its schema; `is_read`: whether no way changes a file or the window."""

    name: str
    description: str
    ways: Mapping[str, Way]
    properties: Mapping[str, Mapping[str, Any]]
    required: tuple[str, ...] = ()
    is_read: bool = True

    def way(self, arguments: Mapping[str, Any]) -> tuple[Operation, dict[str, Any]]:
        """The operation that a call means, with its arguments. Raises UsageError for a `what` that there is not."""
        given = dict(arguments)
        what = given.pop(WHAT, None) or next(iter(self.ways))
        if what not in self.ways:
            raise UsageError(f"{self.name}: what is one of {', '.join(self.ways)}.")
        way = self.ways[what]
        operation = by_name(way.operation)
        assert operation is not None
        takes = {each.wire for each in operation.parameters} | set(operation.synonyms)
        named = {way.renamed.get(name, name): value for name, value in given.items() if value is not None}
        # What the tool lists for another way, such as a limit, says nothing here and is no mistake.
        others = self.properties.keys() - {"cursor"} - takes
        return operation, {**way.fixed, **{name: named[name] for name in named if name not in others}}

    def listed(self) -> types.Tool:
        """The tool as clients list it."""
        properties = dict(self.properties)
        if len(self.ways) > 1:
            properties[WHAT] = {"type": "string", "enum": list(self.ways)}
        schema = {"type": "object", "properties": properties}
        annotations = types.ToolAnnotations(read_only_hint=True) if self.is_read else None
        return types.Tool(
            name=self.name,
            description=self.description,
            input_schema=schema | ({"required": list(self.required)} if self.required else {}),
            annotations=annotations,
        )


def _text(help_: str = "") -> dict[str, Any]:
    return {"type": "string"} | ({"description": help_} if help_ else {})


def _number(help_: str = "") -> dict[str, Any]:
    return {"type": "integer"} | ({"description": help_} if help_ else {})


def _flag(help_: str = "") -> dict[str, Any]:
    return {"type": "boolean"} | ({"description": help_} if help_ else {})


_SYMBOL = _text("`Type.Member`, the end of a path, an id, or `File.cs:120`")
_FILES = {"type": "array", "items": {"type": "string"}}
_CURSOR = {"cursor": _text()}

CORE: Mapping[str, CoreTool] = {
    tool.name: tool
    for tool in (
        CoreTool(
            "find",
            "Find C# types and members by any part of their names, or files by their paths. Instead of find, ls and "
            "grep for declarations. Words in any order, humps (`JCSO`), `kind:method`, `ns:`, `in:Project`.",
            {
                "symbols": Way("SearchSymbols"),
                "files": Way("FindFiles"),
                "text": Way(
                    "grepObjectSource", {"caseInsensitive": True}, {"query": "pattern", "limit": "maxMatches"}
                ),
            },
            {"query": _text(), "limit": _number(), **_CURSOR},
            ("query",),
        ),
        CoreTool(
            "outline",
            "Show the signatures, documentation and dependencies of a type or member: read this before its source.",
            {"": Way("GetOutline")},
            {"path": _SYMBOL, **_CURSOR},
            ("path",),
        ),
        CoreTool(
            "read",
            "Read source: a symbol, a file, or lines of one. The answer's token lets you edit these lines.",
            {"": Way("getObjectSourceV2")},
            {"path": _SYMBOL, "startLine": _number(), "endLine": _number(), **_CURSOR},
            ("path",),
        ),
        CoreTool(
            "usages",
            "Find where a type or member is used, as the compiler binds names: no comments, no namesakes. Or walk its "
            "callers, callees, bases, derived types. Instead of grep for a name.",
            {
                "usages": Way("FindUsages"),
                "tests": Way("FindTests"),
                **{
                    each: Way("GetHierarchy", {"direction": each})
                    for each in ("callers", "callees", "bases", "derived")
                },
            },
            {"path": _SYMBOL, "depth": _number("of callers and the like"), "limit": _number(), **_CURSOR},
            ("path",),
        ),
        CoreTool(
            "context",
            "Say which types a task is likely to need, with reasons and costs: words, an issue, a stack trace, a diff, "
            "test output. The first thing to ask about a task in code that you do not know.",
            {"find": Way("FindContext"), "investigate": Way("Investigate", {}, {"words": "question"})},
            {"words": _text("the task"), "budget": _number("tokens"), "seeds": _FILES, **_CURSOR},
            ("words",),
        ),
        CoreTool(
            "grep",
            "Search lines of all files that are not ignored, or of one symbol or file, for a text or RE2 expression. "
            "For strings, comments, configuration.",
            {"": Way("grepObjectSource")},
            {
                "pattern": _text(),
                "regex": _flag(),
                "path": _text("one symbol or file"),
                "glob": _text("such as `*.cs,!*Tests*`"),
                "caseInsensitive": _flag(),
                "contextLines": _number(),
                "maxMatches": _number(),
                **_CURSOR,
            },
            ("pattern",),
        ),
        CoreTool(
            "edit",
            "Replace lines that you have read, whole or not at all. endLine = startLine - 1 inserts; an empty content "
            "deletes. Fails where the file is another than you read. The answer has the new token and the diff.",
            {"": Way("setObjectSourceV2")},
            {
                "path": _SYMBOL,
                "token": _text("of the read"),
                "startLine": _number(),
                "endLine": _number(),
                "content": _text("the new lines"),
                "dryRun": _flag(),
            },
            ("path", "token", "startLine", "endLine", "content"),
            is_read=False,
        ),
        CoreTool(
            "review",
            "Review a change: what of the API breaks, callers that did not change with it, tests that reach it "
            "(analysis); its files; its diff with line numbers; comments.",
            {
                "analysis": Way("Review", {"analyze": True}),
                "files": Way("ListChanges"),
                "diff": Way("GetNumberedDiff"),
                "comments": Way("ListComments"),
            },
            {
                "change": _text("nothing for the working tree, `staged`, a commit, `A..B`"),
                "files": {**_FILES, "description": "of a diff"},
                **_CURSOR,
            },
        ),
        CoreTool(
            "window",
            "Read the prompt window that the developer sees, or pin what matters into it.",
            {"read": Way("GetPromptWindow"), "pin": Way("Pin"), "unpin": Way("Unpin")},
            {
                "path": _text(
                    "to pin: a symbol, a file or lines, `folder:src/X`, `project:P`, `namespace:N`"
                ),
                "level": _text("signature, outline"),
                **_CURSOR,
            },
            is_read=False,
        ),
        CoreTool(
            "status",
            "Say what is indexed, and how well. `open` lists more tools in this session: locks and patches, comments, "
            "notes, packs.",
            {"": Way("Status")},
            {OPEN: {"type": "string", "enum": list(GROUPS)}},
        ),
    )
}
"""By name, in the order in which they are listed."""


def in_group(operation: Operation, group: str) -> bool:
    """Whether the tool of an operation is of a group."""
    module = operation.function.__module__
    return any(module == name or module.startswith(f"{name}.") for name in GROUPS.get(group, ()))


def next_call(
    tool: CoreTool, arguments: Mapping[str, Any], answer: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return the certain next call, if there is one: the outline of the only symbol found, the omitted usages."""
    hits = answer.get("hits")
    if tool.name == "find" and isinstance(hits, list) and len(hits) == 1:
        return {"tool": "outline", "arguments": {"path": hits[0]["symbol"]["id"]}}
    if tool.name == "usages" and answer.get("truncated") and isinstance(answer.get("total"), int):
        return {"tool": "usages", "arguments": {**arguments, "limit": answer["total"]}}
    return None
