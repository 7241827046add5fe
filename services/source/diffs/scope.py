"""Scope of a comparison: two states, as people write it, and as git knows it."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import msgspec

from services.errors import WorkspaceError
from services.workspace.scan import git

STAGED = "staged"
"""Name of the index as a revision: a branch of that name is `refs/heads/staged`."""
_ENDS_A_LINE = re.compile(r"[\0\n]")


class DiffScope(msgspec.Struct, frozen=True):
    """Scope of a change set. `old` and `new` are revisions in git's notation. An empty `new` is the working area, or
    with `staged` the index; an empty `old` is HEAD for those, else the first parent of `new`."""

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


class Trees(msgspec.Struct, frozen=True):
    """The states as ids; `new` is None for the working area."""

    old: str
    new: str | None


def trees_of(root: Path, scope: DiffScope) -> Trees:
    """The ids behind a scope. Raises WorkspaceError for a revision that git does not know, or without a repository."""
    one, dots, other = scope.old.partition("...")
    olds = (one, other) if dots else (scope.old or (f"{scope.new}^" if scope.new else "HEAD"),)
    commits = _Commits(root, [*olds, scope.old.removesuffix("^"), scope.new or "HEAD"])
    new = commits.id(scope.new) if scope.new else None
    if dots:
        return Trees(_parted(root, commits, (one, other)), new)
    if scope.old:
        return Trees(_before(root, commits, scope.old), new)
    return Trees(commits.known(olds[0]) or _empty_tree(root), new)


class _Commits:
    """Commits by the names a person gave, resolved in one call of git. Raises WorkspaceError without a repository."""

    def __init__(self, root: Path, names: Sequence[str]) -> None:
        # One that begins with a hyphen is none for any command of git; a line can hold no other two.
        asked = [name for name in dict.fromkeys(names) if name[:1] != "-" and not _ENDS_A_LINE.search(name)]
        fed = b"".join(os.fsencode(f"{name}^{{commit}}\n") for name in asked)
        answer = git.run(root, ("cat-file", "--batch-check"), fed=fed)
        if answer is None:
            raise WorkspaceError(
                "The workspace is not in a git repository, or git cannot be run: there is no diff."
            )
        self._found = dict(zip(asked, answer.out.splitlines(), strict=False))

    def known(self, name: str) -> str | None:
        """Return the id of a requested commit; None where there is none."""
        words = self._found.get(name, b"").split()
        is_commit = len(words) == 3 and words[1] == b"commit" and words[2].isdigit()
        return words[0].decode("ascii") if is_commit else None

    def id(self, name: str) -> str:
        """Return the id of a requested commit. Raises WorkspaceError where there is none."""
        found = self.known(name)
        if found is None:
            message = (
                f"git knows no commit {name!r}. Choose one from the list, or write a branch, a tag or an id."
            )
            raise WorkspaceError(message, revision=name)
        return found


def _parted(root: Path, commits: _Commits, names: tuple[str, str]) -> str:
    answer = git.run(root, ("merge-base", *map(commits.id, names)))
    if answer is None:
        one, other = names
        raise WorkspaceError(f"{one!r} and {other!r} have no common ancestor: compare them with two dots.")
    return answer.out.decode("ascii").strip()


def _before(root: Path, commits: _Commits, name: str) -> str:
    """Return the id of a name; that of the empty tree for the parent of the first commit, such as `a1b2c3^`."""
    after = name.removesuffix("^")
    is_first = after != name and commits.known(name) is None and commits.known(after) is not None
    return _empty_tree(root) if is_first else commits.id(name)


def _empty_tree(root: Path) -> str:
    """The id that no files have, in the repository's own kind of ids."""
    answer = git.run(root, ("hash-object", "-t", "tree", "--stdin"))
    if answer is None:
        raise WorkspaceError(f"git cannot be run in {root}.")
    return answer.out.decode("ascii").strip()
