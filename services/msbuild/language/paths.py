"""Paths of project files. MSBuild's are absolute; here the root is a virtual folder, so that no answer
depends on where the workspace lies on this machine, and `..` that leaves it is seen."""

from __future__ import annotations

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
