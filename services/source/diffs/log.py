"""Commits, the last one first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from services.errors import WorkspaceError
from services.model import Commit
from services.workspace.scan import git

_FORMAT = "%H%x1f%h%x1f%an%x1f%ct%x1f%s%x1f%D%x1f%P"


def commits(root: Path, *, most: int, skip: int = 0) -> tuple[Commit, ...]:
    """Commits from HEAD back that touch `root`; none before the first. Raises WorkspaceError without a repository."""
    if git.run(root, ("rev-parse", "--git-dir")) is None:
        raise WorkspaceError(
            f"{root} is not in a git repository, or git cannot be run: there are no commits."
        )
    command = (
        "log",
        "-z",
        f"--format={_FORMAT}",
        "--no-show-signature",
        f"--max-count={most}",
        f"--skip={skip}",
    )
    below = git.run(root, ("rev-parse", "--show-prefix"))
    inside = ("--", ".") if below is not None and below.out.strip() else ()
    answer = git.run(root, (*command, "HEAD", *inside))
    return tuple(_commits(answer.out)) if answer is not None else ()


def _commits(printed: bytes) -> Iterator[Commit]:
    for entry in printed.split(b"\0"):
        fields = entry.decode("utf-8", "replace").split("\x1f")
        if len(fields) != 7:
            continue
        id_, short, author, seconds, subject, refs, parents = fields
        yield Commit(
            id=id_, short=short, author=author, at=int(seconds) * 1000, subject=subject, refs=refs,
            parents=tuple(parents.split()),
        )  # fmt: skip
