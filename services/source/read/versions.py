"""The three versions of a file (SPEC section 7): the working area, what git has staged, and git's HEAD."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from services.errors import FileMissing, PathRefused, WorkspaceError
from services.workspace.scan import git

_REGULAR = (b"100644", b"100755", b"100664")
_LITERAL = ("--literal-pathspecs",)
_LOG_TIMEOUT = 5.0


class Version(StrEnum):
    """Version to read; the values are the contract's."""

    WORKING = "workingArea"
    STAGED = "inactive"
    HEAD = "active"


class StoredVersion(NamedTuple):
    """A file as git has it. `changed_at`: ms since 1970 and `changed_by`: of the last commit that changed it; 0 and
    empty for what is staged."""

    data: bytes
    changed_at: int
    changed_by: str


def stored(root: Path, path: str, version: Version, *, limit: int) -> StoredVersion:
    """Return a version of the file `path` from git (normalised, relative to the root, which may lie inside a work
    tree).

    The content is as git stores it: no filter and no line ending conversion is applied. Raises FileMissing where that
    version has no such file, PathRefused for anything but a regular file, WorkspaceError where git fails, or for more
    than `limit` bytes."""
    mode, blob, size = _entry(root, path, version)
    if mode not in _REGULAR:
        reason = "it is a symlink" if mode == b"120000" else "it is not a regular file"
        message = f"The path {path!r} was refused: {reason} in the {version} version. Name a regular file."
        raise PathRefused(message, path=path, reason=reason)
    if size is not None and size > limit:
        raise WorkspaceError(
            f"The file {path!r} has {size} bytes in git; at most {limit} are read.",
            path=path,
            size=size,
            limit=limit,
        )
    data = _blob(root, blob, path)
    at, by = _last_change(root, path) if version is Version.HEAD else (0, "")
    return StoredVersion(data, at, by)


def _entry(root: Path, path: str, version: Version) -> tuple[bytes, str, int | None]:
    """Mode, blob and size of the path in that version. Raises FileMissing, WorkspaceError without a repository."""
    staged = version is Version.STAGED
    command = ("ls-files", "-z", "--stage") if staged else ("ls-tree", "-z", "--long", "HEAD")
    answer = git.run(root, (*_LITERAL, *command, "--", path))
    if answer is None and git.run(root, ("rev-parse", "--git-dir")) is None:
        message = f"{path!r} has no {version} version: the workspace is not in a git repository, or git cannot be run."
        raise WorkspaceError(message, path=path, version=str(version))
    wanted = os.fsencode(path)
    for entry in answer.out.split(b"\0") if answer is not None else ():
        about, _, name = entry.partition(b"\t")
        words = about.split()
        if name == wanted and len(words) >= 3:
            # `mode blob stage` of the index, `mode type blob size` of a tree.
            blob = words[1 if staged else 2].decode("ascii")
            return words[0], blob, _size(root, blob) if staged else _number(words[3])
    what = "is not staged" if staged else "is not in HEAD"
    message = f"The file {path!r} {what}; git has no {version} version of it. Read its workingArea version."
    raise FileMissing(message, path=path, version=str(version), suggestions=[])


def _size(root: Path, blob: str) -> int | None:
    answer = git.run(root, ("cat-file", "-s", blob))
    return None if answer is None else _number(answer.out.strip())


def _number(text: bytes) -> int | None:
    """Parse a size in git's output; a submodule has none."""
    return int(text) if text.isdigit() else None


def _blob(root: Path, blob: str, path: str) -> bytes:
    answer = git.run(root, ("cat-file", "blob", blob))
    if answer is None:
        raise WorkspaceError(
            f"git cannot read its version of {path!r}. Check the repository with git fsck.", path=path
        )
    return answer.out


def _last_change(root: Path, path: str) -> tuple[int, str]:
    """Return the time and author of HEAD's version; empty where git takes too long."""
    command = (*_LITERAL, "log", "-1", "--format=%ct%x00%an", "HEAD", "--", path)
    answer = git.run(root, command, timeout=_LOG_TIMEOUT)
    seconds, _, author = (answer.out if answer is not None else b"").rstrip(b"\n").partition(b"\0")
    return (int(seconds) * 1000, author.decode("utf-8", "replace")) if seconds.isdigit() else (0, "")
