"""Ignore test for a single file, where `scan` tests all."""

from __future__ import annotations

import os

from services.workspace.files.folders import OwnIgnoreFolders
from services.workspace.files.ignore import IgnoreRules, is_ignored, read_rules
from services.workspace.files.openers import protected
from services.workspace.files.root import Root
from services.workspace.scan import git


def is_hidden(root: Root, path: str) -> bool:
    """Whether git, or a `.codecortexignore`, ignores the file `path` (normalised), a link on the way to it, or what
    that leads to, which is hidden outside the root.

    What git tracks is not ignored by git. Where there is no repository the `.gitignore` files are read themselves."""
    target = os.path.relpath(os.path.realpath(root.path / path), root.path)
    if target == ".." or target.startswith("../"):
        return True
    return any(_is_hidden(root, each) for each in dict.fromkeys((_first_link(root, path), target)))


def _first_link(root: Root, path: str) -> str:
    """The path as far as its first link, behind which nothing has a name of its own; the whole where there is none."""
    above = [path[:at] for at, character in enumerate(path) if character == "/"]
    return next((each for each in above if (root.path / each).is_symlink()), path)


def _is_hidden(root: Root, path: str) -> bool:
    name = os.fsencode(path)
    folder = _nearest(root, name.rpartition(b"/")[0])
    if folder is None or _by_own_rules(root, folder, name):
        return True
    if git.head_token(root.path) is None or git.ignored(root.path):
        return _by_rules(root, name)
    below = os.fsdecode(name[len(folder) + 1 :] if folder else name)
    return git.run(root.path / os.fsdecode(folder), ("check-ignore", "-q", "--", f"./{below}")) is not None


def _nearest(root: Root, folder: bytes) -> bytes | None:
    """Return the folder, or its nearest existing ancestor, whose rules apply to all that may be created below. None
    where the path leads through a symlink or through folders that may not be read."""
    while folder:
        try:
            os.close(root.open_folder(os.fsdecode(folder)))
        except (FileNotFoundError, NotADirectoryError):
            folder = folder.rpartition(b"/")[0]
        except OSError:
            return None
        else:
            return folder
    return folder


def _by_own_rules(root: Root, folder: bytes, path: bytes) -> bool:
    """Whether the program's own ignore files hide a file, whose nearest folder that is there is given."""
    levels = OwnIgnoreFolders(root).levels(folder)
    if levels is None:
        return True
    here = folder
    for part in path[len(folder) :].lstrip(b"/").split(b"/"):
        here = here + b"/" + part if here else part
        if protected(os.fsdecode(part)) or is_ignored(levels, here, is_folder=here != path):
            return True
    return False


def _by_rules(root: Root, path: bytes) -> bool:
    levels: list[IgnoreRules] = []
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


def _rules_of(root: Root, base: bytes) -> IgnoreRules | None:
    try:
        descriptor = root.open_folder(os.fsdecode(base.rstrip(b"/")) or ".")
    except OSError:
        return None
    try:
        return read_rules(descriptor, ".gitignore", base)
    finally:
        os.close(descriptor)
