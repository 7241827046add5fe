"""Paths of project files, and item patterns over them: `**`, `*`, `?`, compared without case, as MSBuild does.

MSBuild's paths are absolute; here the root is a virtual folder, so that no answer depends on where the workspace
lies on this machine, and `..` that leaves it is seen.

Patterns come from the workspace, so no regular expression is made of them: both matchers run in time proportional to
pattern times name. Files are found through the fixed start of a pattern, never by trying every file.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

TOOLSET = "/.toolset/"
"""Virtual folder of MSBuild and the SDKs: outside every workspace, never read."""


def normalise(path: str) -> str:
    """Normalise `path`: with `/`, without empty, `.` and resolvable `..` parts; a trailing slash remains."""
    path = path.replace("\\", "/")
    absolute = path.startswith("/")
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if parts and parts[-1] != "..":
                parts.pop()
            elif not absolute:
                parts.append(part)
        elif part not in ("", "."):
            parts.append(part)
    joined = "/".join(parts)
    tail = "/" if path.endswith("/") and joined else ""
    return ("/" if absolute else "") + joined + tail


def is_rooted(path: str) -> bool:
    """Whether `path` is absolute, with a drive letter or without."""
    return path.startswith(("/", "\\")) or path[1:2] == ":"


def join(folder: str, path: str) -> str:
    """`path` seen from `folder`, normalised; an absolute `path` stays itself."""
    return normalise(path if is_rooted(path) else f"{folder}/{path}")


def parent(path: str) -> str:
    """The folder of a normalised path, without a trailing slash; `""` at the top."""
    return path.rpartition("/")[0]


def file_name(path: str) -> str:
    """The last part of a path with either kind of slash."""
    return path.replace("\\", "/").rpartition("/")[2]


def stem(path: str) -> str:
    """The file name without its last extension."""
    name = file_name(path)
    return name.rpartition(".")[0] or name


def with_slash(path: str) -> str:
    """`path` with exactly the trailing slash that MSBuild's folder properties have."""
    return path if not path or path.endswith(("/", "\\")) else path + "/"


class VirtualRoot:
    """The virtual root: turns relative names into absolute ones and back."""

    __slots__ = ("folder",)

    def __init__(self, name: str) -> None:
        self.folder = "/" + (name.replace("/", "_").replace("\\", "_").strip(". ") or "workspace")

    def absolute(self, relative: str) -> str:
        """The virtual absolute path of a workspace path; the root itself is `""` or `.`."""
        return join(self.folder, relative)

    def relative(self, absolute: str) -> str | None:
        """The workspace path of a virtual absolute path, `""` for the root, None for anything outside."""
        path = normalise(absolute).rstrip("/")
        if path.casefold() == self.folder.casefold():
            return ""
        inside = path[: len(self.folder) + 1].casefold() == self.folder.casefold() + "/"
        return path[len(self.folder) + 1 :] if inside else None


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
