"""Scope of a comparison: two states, as people write it, and as git knows it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from services.errors import WorkspaceError
from services.workspace.scan import git

STAGED = "staged"
"""What is written for the index: a branch of that name is `refs/heads/staged`."""


@dataclass(frozen=True, slots=True)
class Scope:
    """`old` and `new` are revisions as git takes them. An empty `new` is the working area, or with `staged` the index;
    an empty `old` is HEAD beside those, else the first parent of `new`."""

    old: str = ""
    new: str = ""
    staged: bool = False

    @classmethod
    def parse(cls, text: str) -> Self:
        """`A..B` a range, `A...B` since they parted, `A..` the working area against A, `A` a commit by itself, `staged`
        the index against HEAD; nothing: the working area against HEAD."""
        text = text.strip()
        if text == STAGED:
            return cls(staged=True)
        for dots in ("...", ".."):
            old, found, new = text.partition(dots)
            if found:
                since = f"{old or 'HEAD'}{dots}{new or 'HEAD'}" if dots == "..." else old or "HEAD"
                return cls(since, new or ("HEAD" if dots == "..." else ""))
        return cls("", text)

    @property
    def title(self) -> str:
        """For people."""
        if self.staged:
            return "Staged against HEAD"
        if not self.new:
            return f"Working tree against {self.old or 'HEAD'}"
        if "..." in self.old:
            return self.old
        return f"{self.old}..{self.new}" if self.old else f"Commit {self.new}"


@dataclass(frozen=True, slots=True)
class Trees:
    """The states as ids; `new` is None for the working area."""

    old: str
    new: str | None


def trees_of(root: Path, scope: Scope) -> Trees:
    """The ids behind a scope. Raises WorkspaceError for a revision that git does not know, or without a repository."""
    if git.run(root, ("rev-parse", "--git-dir")) is None:
        raise WorkspaceError(
            "The workspace is not in a git repository, or git cannot be run: there is no diff."
        )
    new = _commit(root, scope.new) if scope.new else None
    if "..." in scope.old:
        return Trees(_parted(root, scope.old), new)
    if scope.old:
        return Trees(_commit(root, scope.old), new)
    base = _known(root, f"{new}^" if new else "HEAD")
    return Trees(base or _empty_tree(root), new)


def _commit(root: Path, name: str) -> str:
    found = _known(root, name)
    if found is None:
        message = (
            f"git knows no commit {name!r}. Choose one from the list, or write a branch, a tag or an id."
        )
        raise WorkspaceError(message, revision=name)
    return found


def _parted(root: Path, written: str) -> str:
    one, _, other = written.partition("...")
    answer = git.run(root, ("merge-base", _commit(root, one), _commit(root, other)))
    if answer is None:
        raise WorkspaceError(f"{one!r} and {other!r} have no common ancestor: compare them with two dots.")
    return answer.out.decode("ascii").strip()


def _known(root: Path, name: str) -> str | None:
    if name.startswith("-"):
        return None
    answer = git.run(root, ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"))
    return answer.out.decode("ascii").split()[-1] if answer is not None and answer.out.strip() else None


def _empty_tree(root: Path) -> str:
    """The id that no files have, in the repository's own kind of ids."""
    answer = git.run(root, ("hash-object", "-t", "tree", "--stdin"))
    if answer is None:
        raise WorkspaceError(f"git cannot be run in {root}.")
    return answer.out.decode("ascii").strip()
