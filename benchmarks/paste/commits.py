"""Commits of a repository as sources of answers: texts before and after, and other files."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

_MOST_LINES = 3_000
_NULL = "0" * 40


@dataclass(frozen=True)
class Changed:
    """Commit. `before`, `after`: texts by path, of the files that it changes; `beside`: of others of the folder."""

    repo: str
    commit: str
    before: dict[str, str]
    after: dict[str, str]
    beside: dict[str, str] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """The first file."""
        return next(iter(self.after))


def commits(folder: Path, *, seed: int, files: tuple[int, int] = (1, 1)) -> Iterator[Changed]:
    """Commits that change so many C# files (at least, at most) and nothing else of them, in a random order."""
    names = _git(folder, "log", "--no-merges", "--format=%H", "--", "*.cs").split()
    random.Random(seed).shuffle(names)
    for name in names:
        rows = [
            row.split("\t") for row in _git(folder, "diff-tree", "-r", "--root", name).split("\n")[1:] if row
        ]
        rows = [(*head.split(), path) for head, path in rows if path.endswith(".cs")]
        if not files[0] <= len(rows) <= files[1] or any(row[4] != "M" for row in rows):
            continue
        before = {row[5]: _blob(folder, row[2]) for row in rows}
        after = {row[5]: _blob(folder, row[3]) for row in rows}
        if any(not _is_fit(text) for text in (*before.values(), *after.values())):
            continue
        if any(_form(before[path]) != _form(after[path]) for path in after):
            continue  # an answer does not tell of endings and marks
        beside = _beside(folder, name, next(iter(after)), {*after})
        yield Changed(folder.name, name, before, after, beside)


def _is_fit(text: str) -> bool:
    is_even = "\r\n" not in text or text.count("\r\n") == text.count("\n")
    return is_even and 20 < text.count("\n") < _MOST_LINES and "\ufffd" not in text and "\0" not in text


def _form(text: str) -> tuple[bool, bool, bool]:
    """Byte order mark, endings, ending of the last line."""
    return text.startswith("\ufeff"), "\r\n" in text, text.endswith("\n")


def _beside(folder: Path, commit: str, path: str, taken: set[str]) -> dict[str, str]:
    parent = path.rpartition("/")[0]
    rows = _git(folder, "ls-tree", f"{commit}~1", f"{parent}/" if parent else ".").split("\n")
    found: dict[str, str] = {}
    for row in rows:
        head, _, name = row.partition("\t")
        if name.endswith(".cs") and name not in taken and len(found) < 2:
            text = _blob(folder, head.split()[2])
            if _is_fit(text):
                found[name] = text
    return found


def _blob(folder: Path, name: str) -> str:
    if name == _NULL:
        return ""
    data = subprocess.run(
        ["git", "-C", str(folder), "cat-file", "blob", name], capture_output=True, check=True
    ).stdout
    return data.decode("utf-8", "replace")


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), "-c", "core.quotePath=false", *arguments]
    return subprocess.run(command, capture_output=True, check=True).stdout.decode("utf-8", "replace")
