"""Item patterns over the scan's files: `**`, `*`, `?`, compared without case, as MSBuild does.

Patterns come from the workspace, so no regular expression is made of them: both matchers run in time
proportional to pattern times name. Files are found through the fixed start of a pattern, never by trying
every file.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence


def has_wildcard(pattern: str) -> bool:
    """Whether an item specification is a pattern rather than a name."""
    return "*" in pattern or "?" in pattern


def matches_name(pattern: str, name: str) -> bool:
    """Whether one path segment matches one pattern segment. Both must be case-folded already."""
    if pattern in ("*", "*.*"):
        return True
    at = position = resume = 0
    star = -1
    while position < len(name):
        if at < len(pattern) and pattern[at] == "*":
            star, resume, at = at, position, at + 1
        elif at < len(pattern) and pattern[at] in ("?", name[position]):
            at, position = at + 1, position + 1
        elif star < 0:
            return False
        else:
            resume += 1
            at, position = star + 1, resume
    return not pattern[at:].strip("*")


def matches_path(pattern: Sequence[str], parts: Sequence[str]) -> bool:
    """Whether path segments match pattern segments, `**` standing for any number of folders."""
    at = position = 0
    star = -1
    resume = 0
    while position < len(parts):
        if at < len(pattern) and pattern[at] == "**":
            star, resume, at = at, position, at + 1
        elif at < len(pattern) and matches_name(pattern[at], parts[position]):
            at, position = at + 1, position + 1
        elif star < 0:
            return False
        else:
            resume += 1
            at, position = star + 1, resume
    return all(segment == "**" for segment in pattern[at:])


class FileTable:
    """Names of the workspace, found by exact name or by pattern without case. Built once an evaluation."""

    __slots__ = ("_folded", "_folders", "_names", "_sorted")

    def __init__(self, names: Iterable[str]) -> None:
        self._names: dict[str, str] = {}
        for name in names:
            self._names.setdefault(name.casefold(), name)
        self._sorted = sorted(self._names)
        self._folders: set[str] = {""}
        for name in self._sorted:
            self._add_folders(name)

    def _add_folders(self, name: str) -> None:
        folder = name.rpartition("/")[0]
        while folder not in self._folders:
            self._folders.add(folder)
            folder = folder.rpartition("/")[0]

    def find(self, path: str) -> str | None:
        """The file of that path as spelled on disk, or None."""
        return self._names.get(path.casefold())

    def is_folder(self, path: str) -> bool:
        """Whether any known file lies below `path`."""
        return path.rstrip("/").casefold() in self._folders

    def glob(self, pattern: str) -> Iterator[str]:
        """The case-folded names that a workspace-relative pattern matches."""
        folder, rest = split_fixed(pattern.casefold())
        start = folder + "/" if folder else ""
        if _takes_all(rest):
            suffix = ".cs" if rest[-1] == "*.cs" else ""
            yield from (name for name in self.below(start) if name.endswith(suffix))
            return
        if rest and rest[-1] == "**":
            rest = (*rest, "*")
        for name in self.below(start):
            if matches_path(rest, name[len(start) :].split("/")):
                yield name

    def effort(self, pattern: str) -> int:
        """Estimate the cost of `glob`, in names compared with a short pattern; 0 where the folder alone decides."""
        folder, rest = split_fixed(pattern.casefold())
        if _takes_all(rest):
            return 0
        return len(self.below(folder + "/" if folder else "")) * (1 + len(pattern) // 64)

    def below(self, start: str) -> Sequence[str]:
        """The case-folded names that begin with `start` (a folder with its slash, case-folded)."""
        if not start:
            return self._sorted
        first = bisect_left(self._sorted, start)
        return self._sorted[first : bisect_left(self._sorted, start[:-1] + chr(ord("/") + 1), first)]

    def spelled(self, folded: Iterable[str]) -> tuple[str, ...]:
        """Case-folded names as they are on disk, sorted."""
        return tuple(sorted(self._names[name] for name in folded))


def _takes_all(rest: tuple[str, ...]) -> bool:
    return rest in (("**", "*.cs"), ("**",), ("**", "*"), ("**", "*.*"))


def split_fixed(pattern: str) -> tuple[str, tuple[str, ...]]:
    """A pattern as its folder without wildcards and the remaining segments."""
    parts = pattern.split("/")
    fixed = next((index for index, part in enumerate(parts) if has_wildcard(part)), len(parts) - 1)
    return "/".join(parts[:fixed]), tuple(parts[fixed:])
