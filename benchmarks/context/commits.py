"""Commits as tasks: which of a repository's are taken, and which lines each changed."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from services.context.structure import is_test

LEAST, MOST = 2, 12
"""Types that a commit changes: of one there is nothing to find, and one of very many is about no one thing."""
_MOST_FILES = 40
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? ")
_TRAILERS = re.compile(
    r"^(signed-off-by|co-authored-by|reviewed-by|change-id|\(cherry).*$", re.IGNORECASE | re.MULTILINE
)
_KINDS = ("*.cs", "*.csproj", "*.props", "*.targets", "*.sln", "*.slnx")

Span = tuple[float, float]


def git(folder: Path, *arguments: str) -> str:
    """Run git there and return its output. Raises CalledProcessError."""
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, check=True).stdout.decode("utf-8", "replace")


def cloned(folder: Path, to: Path) -> Path:
    """A clone without files, which shares the objects; `check_out` brings C# and project files alone."""
    git(folder, "clone", "-q", "--shared", "--no-checkout", ".", str(to))
    git(to, "sparse-checkout", "set", "--no-cone", *_KINDS)
    return to


def check_out(clone: Path, commit: str) -> None:
    """Brings the files of a commit."""
    git(clone, "checkout", "-q", "--force", "--detach", commit)


def sampled(folder: Path, *, count: int, among: int) -> list[str]:
    """`count` of the newest `among` commits that change a few files which are no tests, evenly spread, the oldest
    first."""
    found = list(_eligible(folder, among))
    step = max(1, len(found) // count)
    return found[::step][:count][::-1]


def _eligible(folder: Path, most: int) -> Iterator[str]:
    printed = git(folder, "log", "--no-merges", "--no-renames", "--format=%x01%H", "--name-status", "HEAD")
    for piece in printed.split("\x01")[1:]:
        commit, *rows = piece.strip().split("\n")
        files = [row.split("\t") for row in rows if row.endswith(".cs")]
        changed = [path for state, path in files if state == "M" and not is_test(path)]
        if LEAST <= len(changed) <= MOST and len(files) <= _MOST_FILES:
            yield commit
            most -= 1
            if not most:
                return


def ordered(folder: Path, commits: list[str]) -> list[str]:
    """Whole hashes, the oldest first. Raises CalledProcessError for one that is not there."""
    whole = {git(folder, "rev-parse", "--verify", f"{commit}^{{commit}}").strip() for commit in commits}
    printed = git(folder, "rev-list", "--reverse", "--topo-order", "--no-walk=sorted", *whole)
    return [line for line in printed.split() if line in whole]


def parent(folder: Path, commit: str) -> str | None:
    """The commit before it; None for the first."""
    try:
        return git(folder, "rev-parse", "--verify", "-q", f"{commit}^").strip()
    except subprocess.CalledProcessError:
        return None


def message(folder: Path, commit: str) -> str:
    """A commit's own words, without who signed it."""
    return _TRAILERS.sub("", git(folder, "log", "-1", "--format=%B", commit)).strip()


def changes(folder: Path, commit: str) -> dict[str, list[Span]]:
    """Return the lines of each C# file that a commit changes, numbered as before it; an addition is between two
    lines."""
    printed = git(
        folder,
        "diff",
        "-U0",
        "--no-color",
        "--no-ext-diff",
        "--no-renames",
        f"{commit}^",
        commit,
        "--",
        "*.cs",
    )
    found: dict[str, list[Span]] = {}
    path: str | None = None
    for row in printed.split("\n"):
        if row.startswith("--- "):
            path = row[6:].rstrip("\t") if row.startswith("--- a/") else None
        elif path is not None and (match := _HUNK.match(row)):
            first, count = int(match[1]), int(match[2] or 1)
            span = (first, first + count - 1) if count else (first + 0.5, first + 0.5)
            found.setdefault(path, []).append(span)
    return found
