"""The folders of a workspace as a text for models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

MOST_LINES = 120


def folder_tree(files: Iterable[str], *, most: int = MOST_LINES) -> str:
    """Every folder with files in or below it, indented, with how many are right in it. The deepest are left out first
    where there are more than `most`; a line that says how many ends the text then. Paths are parted by `/`."""
    here: Counter[str] = Counter(file.rpartition("/")[0] for file in files)
    folders = {parent for folder in here for parent in _with_parents(folder)}
    depth = max((folder.count("/") for folder in folders), default=0)
    shown = folders
    while len(shown) > most and depth > 0:
        depth -= 1
        shown = {folder for folder in folders if folder.count("/") <= depth}
    lines = [_line(folder, here[folder]) for folder in sorted(shown, key=lambda each: each.split("/"))]
    left = len(folders) - min(len(shown), most)
    return "\n".join([*lines[:most], *([f"… {left} more folders"] if left else [])])


def _with_parents(folder: str) -> Iterable[str]:
    parts = folder.split("/")
    return ("/".join(parts[: n + 1]) for n in range(len(parts)))


def _line(folder: str, files: int) -> str:
    name = folder.rpartition("/")[2] or "."
    count = f"  {files} {'file' if files == 1 else 'files'}" if files else ""
    return f"{'  ' * folder.count('/')}{name}/{count}"
