"""A commit of files on a branch of a server, made and pushed without touching index, work tree or local branches.

The commit follows from its parent and its files alone: made again it is the same one, so a push that broke off is known
on the server by the commit at the branch.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from services.errors import RemoteError, UsageError, WorkspaceError
from services.workspace.scan import git

_WAITS = 120.0
_BRANCH = re.compile(r"(?!-)(?!.*(?:\.\.|//|@\{|\.lock(?:/|$)|/\.|\.$|/$))[\w][\w./-]{0,199}")
_NAME = "CodeCortex"


class PushTarget(NamedTuple):
    """Repository on a server. `header`: what git shows to be let in, which is passed in no argument."""

    url: str
    header: str


class Push(NamedTuple):
    """Files to be pushed. `parent`: the commit that they are put on; `files`: content by path from the workspace's
    root."""

    branch: str
    parent: str
    message: str
    files: Mapping[str, bytes]


def push(folder: Path, target: PushTarget, wanted: Push) -> str:
    """Push a branch with one commit, and return the commit; one that is there already is left. Raises UsageError where
    the branch has another commit, WorkspaceError where git cannot make the commit, RemoteError."""
    if _BRANCH.fullmatch(wanted.branch) is None:
        raise UsageError(f"{wanted.branch!r} is no name for a branch. Write one such as tests/shop.")
    commit = _committed(folder, wanted)
    with _clean_repository(folder) as clean:
        more = {**_access(target), **clean}
        place = Path(clean["GIT_DIR"])
        there = _at(place, target.url, wanted.branch, more)
        if there == commit:
            return commit
        host = urlsplit(target.url).netloc
        if there:
            raise UsageError(
                f"{host} has another branch {wanted.branch}: nothing was pushed. Name another one.",
                branch=wanted.branch,
                commit=there,
            )
        ref = f"{commit}:refs/heads/{wanted.branch}"
        words = ("push", "--no-verify", "--porcelain", "--end-of-options", target.url, ref)
        pushed = git.run(place, words, timeout=_WAITS, more=more)
        if pushed is None and _at(place, target.url, wanted.branch, more) != commit:
            message = f"{host} did not take the branch: see whether the token may write to the repository."
            raise RemoteError(message, host=host, reason="server")
    return commit


@contextmanager
def _clean_repository(folder: Path) -> Iterator[dict[str, str]]:
    """An empty repository that sees the objects of another, but not its configuration: that may send addresses
    elsewhere, name proxies and certificates, or give a remote the name of an address."""
    objects = folder / _line(folder, "rev-parse", "--git-path", "objects")
    with tempfile.TemporaryDirectory(prefix="codecortex-") as made:
        place = Path(made, "push.git")
        _line(Path(made), "init", "-q", "--bare", "--template=", str(place))
        yield {"GIT_DIR": str(place), "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(objects)}


def _at(place: Path, url: str, branch: str, more: Mapping[str, str]) -> str:
    """The commit at a branch of the server, empty where there is none."""
    host, ref = urlsplit(url).netloc, f"refs/heads/{branch}"
    answer = git.run(place, ("ls-remote", "--end-of-options", url, ref), timeout=_WAITS, more=more)
    if answer is None:
        message = f"{host} lets git not in: see whether the project is right, and the token may read it."
        raise RemoteError(message, host=host, reason="offline")
    return answer.out.decode("ascii", "replace").partition("\t")[0].strip()


def _access(target: PushTarget) -> dict[str, str]:
    scheme, host = urlsplit(target.url)[:2]
    return {
        "GIT_ALLOW_PROTOCOL": scheme,
        f"protocol.{scheme}.allow": "always",
        f"http.{scheme}://{host}/.extraHeader": target.header,
        "http.followRedirects": "false",  # the header is for this server alone
        "push.gpgSign": "false",
        "push.recurseSubmodules": "no",
    }


def _committed(folder: Path, wanted: Push) -> str:
    parent = _line(folder, "rev-parse", "--verify", "--end-of-options", f"{wanted.parent}^{{commit}}")
    when = _line(folder, "log", "-1", "--format=%cI", parent)
    who = {
        f"GIT_{role}_{part}": value
        for role in ("AUTHOR", "COMMITTER")
        for part, value in (("NAME", _NAME), ("EMAIL", "codecortex@localhost"), ("DATE", when))
    }
    with _index() as index:
        _line(folder, "read-tree", parent, more=index)
        prefix = _line(folder, "rev-parse", "--show-prefix")
        for path, content in sorted(wanted.files.items()):
            blob = _line(folder, "hash-object", "-w", "--stdin", f"--path={prefix}{path}", fed=content)
            entry = f"100644 {blob}\t{prefix}{path}\0"
            _line(folder, "update-index", "-z", "--add", "--index-info", fed=os.fsencode(entry), more=index)
        tree = _line(folder, "write-tree", more=index)
    return _line(
        folder, "commit-tree", "-p", parent, tree, fed=wanted.message.encode("utf-8", "replace"), more=who
    )


@contextmanager
def _index() -> Iterator[dict[str, str]]:
    """An index of its own, so that what a person has staged stays as it is."""
    with tempfile.TemporaryDirectory(prefix="codecortex-") as made:
        yield {"GIT_INDEX_FILE": str(Path(made) / "index")}


def _line(folder: Path, *words: str, fed: bytes | None = None, more: Mapping[str, str] | None = None) -> str:
    answer = git.run(folder, words, fed=fed, more=more or {})
    if answer is None:
        raise WorkspaceError(f"git {words[0]} failed here: the commit for the branch was not made.")
    return os.fsdecode(answer.out).strip("\n")
