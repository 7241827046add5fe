"""Whether a file is one that the workspace's ignore files hide: asked of one file, where `scan` asks of all."""

from __future__ import annotations

import os

from services.workspace import git
from services.workspace.folders import Folders
from services.workspace.ignore import Rules, is_ignored, read_rules
from services.workspace.root import Root


def is_hidden(root: Root, path: str) -> bool:
    """Whether git, or a `.codecortexignore`, ignores the file `path` (normalised), or what it links to.

    What git tracks is not ignored by git. Where there is no repository the `.gitignore` files are read themselves."""
    target = os.path.relpath(os.path.realpath(root.path / path), root.path)
    return any(_is_hidden(root, each) for each in dict.fromkeys((path, target)))


def _is_hidden(root: Root, path: str) -> bool:
    name = os.fsencode(path)
    folder = name.rpartition(b"/")[0]
    levels = Folders(root).levels(folder)
    if levels is None or is_ignored(levels, name, is_folder=False):
        return True
    if git.head_token(root.path) is None or git.ignored(root.path):
        return _by_rules(root, name)
    parent = root.path / os.fsdecode(folder)
    if not parent.is_dir():
        return False
    return git.run(parent, ("check-ignore", "-q", "--", f"./{path.rpartition('/')[2]}")) is not None


def _by_rules(root: Root, path: bytes) -> bool:
    levels: list[Rules] = []
    base = b""
    for part in path.split(b"/"):
        rules = _rules_of(root, base)
        if rules is not None:
            levels.append(rules)
        here = base + part
        if is_ignored(levels, here, is_folder=here != path):
            return True
        base = here + b"/"
    return False


def _rules_of(root: Root, base: bytes) -> Rules | None:
    try:
        descriptor = root.open_folder(os.fsdecode(base.rstrip(b"/")) or ".")
    except OSError:
        return None
    try:
        return read_rules(descriptor, ".gitignore", base)
    finally:
        os.close(descriptor)
