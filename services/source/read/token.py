"""Versions of a file (SPEC section 7): the token of a content, and the content in the working area, staged, and
committed."""

from __future__ import annotations

import os
from enum import StrEnum
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from services.concurrency.lazy import expression
from services.errors import (
    FileMissing,
    PathRefused,
    TokenInvalid,
    TokenMismatch,
    TokenOfNothing,
    WorkspaceError,
)
from services.workspace.scan import git

EMPTY = "0_empty"
_EMPTY_DIGEST = "empty"
_FORM = expression(r"([0-9]{1,19})_([0-9a-f]{16})")


class Token(NamedTuple):
    """A token taken apart. `changed_at`: ms since 1970; `digest`: 16 hex digits, or `empty`."""

    changed_at: int
    digest: str

    def __str__(self) -> str:
        return f"{self.changed_at}_{self.digest}"


def token_of(data: bytes, mtime_ns: int) -> str:
    """`<mtime in ms>_<first 16 hex of SHA-256 of the bytes>`; `0_empty` for an empty file."""
    return token_from(digest_of(data), mtime_ns)


def digest_of(data: bytes) -> str:
    """Return the part of a token that identifies the bytes themselves."""
    return sha256(data).hexdigest()[:16] if data else _EMPTY_DIGEST


def token_from(digest: str, mtime_ns: int) -> str:
    """The token of bytes with that digest."""
    return EMPTY if digest == _EMPTY_DIGEST else f"{max(0, mtime_ns) // 1_000_000}_{digest}"


@lru_cache(256)
def parse_token(text: str) -> Token:
    """The parts of a token. Raises TokenInvalid where no read can have given it."""
    if text == EMPTY:
        return Token(0, _EMPTY_DIGEST)
    match = _FORM.fullmatch(text)
    if match is None:
        message = (
            f"{text[:80]!r} is not a version token. Read the lines again and use the token of that answer."
        )
        raise TokenInvalid(message, token=text[:80])
    return Token(int(match[1]), match[2])


def of_nothing(path: str, token: str) -> TokenOfNothing:
    """The refusal of what is no token, for a file that is not there: to read it cannot help."""
    message = (
        f"{token[:80]!r} is not a version token, and there is no file {path} to read. "
        f"Make it with the token {EMPTY}, startLine 1 and endLine 0."
    )
    create = {"token": EMPTY, "startLine": 1, "endLine": 0}
    return TokenOfNothing(message, object=path, token=token[:80], create=create)


def of_another(path: str, token: str, owner: str) -> TokenMismatch:
    """The refusal of a token that is of another file."""
    message = f"The token {token} is of {owner}, not of {path}. Read {path} and use its own token."
    return TokenMismatch(message, object=path, token=token, reason=f"it is of {owner}")


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
