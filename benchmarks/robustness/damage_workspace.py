"""Workspace with some of everything that the program stores, and requests about it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from benchmarks.synthetic.workspace import generate
from services.bench import Bench
from services.model import Proposal, Symbol
from services.operations import by_name
from services.server.failures import plain
from services.settings import Settings
from services.source.journal.actor import Owner, acting

AGENT = Owner("agent", "damage", "benchmark")
SAME = ("GetOutline", "FindUsages", "SearchSymbols", "getObjectSourceV2", "grepObjectSource", "ListSymbols")
"""Operations whose answers rest on source alone: no damage may change them."""
KEPT = (
    "GetPromptWindow",
    "GetSemantic",
    "Review",
    "ListChats",
    "ListPacks",
    "ListPresets",
    "ListReceipts",
    "history",
)
"""Operations that answer what a person made: none of it is lost without a word."""


TIMED = ("listLocks",)
"""Operations whose answers rest on the clock: a lock ends by itself."""
_MANY = "Many.cs"
"""An enum that no item is of, with so many members that columns of search are stored."""


def prepare(root: Path, *, files: int, seed: int, source: Path | None = None) -> None:
    """Makes a workspace in which there is some of everything: so many C# files, or a copy of `source`."""
    if source is None:
        generate(root, files=files, seed=seed)
    else:
        shutil.copytree(source, root, symlinks=True, ignore=shutil.ignore_patterns(".context", ".git"))
    (root / _MANY).write_text(f"enum Many {{ {', '.join(f'M{number}' for number in range(2_000))} }}\n")
    for line in ("init -q", "add -A", "-c user.name=a -c user.email=a@b.c commit -qm first"):
        subprocess.run(["git", *line.split()], cwd=root, check=True)
    with Bench.open(root, settings=Settings()) as bench:
        bench.index.refresh()
        bench.index.relate()
        types = _types(bench)[:12]
        for each in types[:6]:
            bench.window.pin(each.id)
            bench.window.visit(types[-1].id)
        for step in _STEPS:
            called(bench, *step)
        called(bench, "Export", {"paths": types[0].id})
        called(bench, "SetSemantic", {"path": types[0].id, "text": NOTE})
        bench.proposals.add(_PROPOSAL)
        _write(bench, types[0].file)
        for step in _REVIEWED:
            called(bench, *step)
        bench.index.refresh()


def _write(bench: Bench, path: str) -> None:
    """Changes the first line of a file, three times, as an agent does."""
    with acting(AGENT):
        handle = called(bench, "lock", {"object": path})["LOCK_HANDLE"]
        for number in range(3):
            read = called(bench, "getObjectSourceV2", {"object": path})
            line = {"object": path, "startLine": 1, "endLine": 1, "content": f"// {number}"}
            called(bench, "setObjectSourceV2", {**line, "lockHandle": handle, "token": read["token"]})


def _types(bench: Bench) -> list[Symbol]:
    return [each for each in bench.index.symbols() if each.declaring_type is None and each.file != _MANY]


_PROPOSAL = Proposal(
    id="",
    operation="setObjectSource",
    arguments={"object": "Here.cs", "content": "class Here;"},
    object="Here.cs",
    diff="",
    agent="agent",
    session="damage",
    purpose="benchmark",
    created_at=0,
)
NOTE = "\n".join(
    f"{label}: Said." for label in ("ROLE", "LIFECYCLE", "EDGE_CASES", "LIMITATIONS", "RECOMMENDATIONS")
)
_STEPS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("SavePreset", {"name": "mine"}),
    ("BuildPack", {"name": "core", "filter": "type:*"}),
    ("ActivatePack", {"name": "core"}),
    ("Copy", {"task": "Explain."}),
    ("FindContext", {"words": "reads a name from the list"}),
    ("Ask", {"question": "What is it for?", "answer": "It reads."}),
)
_REVIEWED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("AddComment", {"text": "Said."}),
    ("SummarizeReview", {"text": "On the whole."}),
)


def questions(bench: Bench) -> list[tuple[str, dict[str, Any]]]:
    """Return the calls on a workspace."""
    types = _types(bench)
    named = [types[0], types[len(types) // 2], types[-1]]
    return [
        ("Status", {}),
        *(("SearchSymbols", {"query": each.name}) for each in named),
        *(("GetOutline", {"path": each.id}) for each in types[:: max(1, len(types) // 12)]),
        *(("FindUsages", {"path": each.id}) for each in named),
        ("getObjectSourceV2", {"object": named[0].id}),
        ("grepObjectSource", {"pattern": "class"}),
        ("ListSymbols", {}),
        ("GetPromptWindow", {}),
        ("Suggest", {}),
        ("GetSemantic", {"path": named[0].id}),
        ("Review", {}),
        ("FindContext", {"words": "reads a name from the list"}),
        *((name, {}) for name in _LISTS),
        ("Copy", {"task": "Explain."}),
        ("Pin", {"path": named[2].id}),
        ("Unpin", {"path": named[2].id}),
        ("SavePreset", {"name": "later"}),
        ("SetSemantic", {"path": named[2].id, "text": NOTE}),
        ("Ask", {"question": "What else?", "answer": "Nothing."}),
        ("AddComment", {"text": "Said again."}),
        ("Export", {}),
        ("lock", {"object": named[2].file}),
        ("Status", {}),
    ]


_LISTS = (
    "ListPacks",
    "ListPresets",
    "ListReceipts",
    "ListTemplates",
    "ListProposals",
    "ListChats",
    "ListOps",
    "ListSecrets",
    "listLocks",
    "history",
)
_DIFFERS = ("elapsedMs", "searched", "changedBy", "changed", "cached", "expiresAt", "token", "score")
"""What is not made of source alone: times, how many files there are, and who wrote last, which the journal of writes
knows."""


def called(bench: Bench, name: str, arguments: dict[str, Any]) -> Any:
    """Return the answer of an operation, as a client gets it. Raises the operation's errors."""
    operation = by_name(name)
    assert operation is not None, name
    answer = operation.run(bench, arguments)
    return plain(list(answer) if operation.stream else answer)


def lasting(answer: Any) -> Any:
    """An answer without what differs from run to run."""
    if isinstance(answer, dict):
        return {name: lasting(each) for name, each in answer.items() if name not in _DIFFERS}
    return [lasting(each) for each in answer] if isinstance(answer, list | tuple) else answer


def unordered(answer: Any) -> Any:
    """An answer with its rows in an order of their own: of rows that weigh the same either may come first."""
    if isinstance(answer, dict):
        return {name: unordered(each) for name, each in answer.items()}
    return sorted(map(unordered, answer), key=repr) if isinstance(answer, list | tuple) else answer


def by_person(answer: Any) -> Any:
    """Return a person's share of an answer: of a review the words, not the change, in which the program's own files
    are."""
    if isinstance(answer, dict) and "review" in answer:
        answer = [answer["review"]["summary"], [each["text"] for each in answer["review"]["comments"]]]
    return lasting(answer)


def told_of(answer: Any) -> list[str]:
    """Return the answer's own messages about unreadable files."""
    if isinstance(answer, list):
        return [text for each in answer for text in told_of(each)]
    if not isinstance(answer, dict):
        return []
    own = [answer[name] for name in ("problem", "unreadable") if isinstance(answer.get(name), str)]
    return [text for text in (*own, *(text for each in answer.values() for text in told_of(each))) if text]
