"""Whether a state folder is ours: deciding that, and marking it."""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections.abc import Callable

from services.concurrency.filelock import lock, unlock
from services.decoding import decode
from services.workspace.files.durable import PRIVATE_FOLDER, probe, quarantine, replace, sweep
from services.workspace.files.openers import held

MARKER = "codecortex.json"
FORMAT = 1
_MARK = json.dumps({"format": FORMAT}).encode() + b"\n"
_MOST = 4_096
_PATIENCE = 2.0
IGNORE_FILE = ".gitignore"
GITIGNORE = b"""# Only what is worth sharing is tracked; everything else can be made again.
/*
!/.gitignore
!/codecortex.json
!/types/
!/semantic/
!/packs/
!/presets/
!/templates/
!/aliases.json
*.tmp
"""
"""The marker is tracked with the rest: without it a clone would take its own state for another program's."""


class NotOursError(Exception):
    """The folder is another program's, or another version's. The text says which, as the start of a
    sentence.
    """


Told = Callable[[str], object]
"""Told, as a sentence, what was damaged in a folder and is as it should be again."""


def claim(parent: int, name: str, told: Told = lambda _: None) -> int:
    """A descriptor of the state folder `name` below an open folder, created and marked if need be.

    Raises NotOursError, having changed nothing; OSError if nothing can be written there.
    """
    with contextlib.suppress(FileExistsError):
        os.mkdir(name, PRIVATE_FOLDER, dir_fd=parent)
    if not stat.S_ISDIR(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
        raise NotOursError(f"{name} is a link or a file that this program did not make")
    descriptor = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
    try:
        # Of two processes that start together one marks; one that hangs must not keep others from starting.
        lock(descriptor, _PATIENCE)
        _mark(descriptor, name, told)
        _shut(descriptor)
        unlock(descriptor)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _mark(folder: int, name: str, told: Told) -> None:
    """Make sure that the folder is ours and can be written. No other program makes a file of the marker's name: one
    that says nothing any more is damaged, and it alone is made anew."""
    names = os.listdir(folder)
    if MARKER not in names:
        if names:
            raise NotOursError(f"{name} was made by another program")
        replace(folder, MARKER, _MARK)
    elif (found := _format(folder)) is None:
        quarantine(folder, MARKER)
        replace(folder, MARKER, _MARK)
        told(f"{name}/{MARKER} was damaged and is made anew; nothing else was touched.")
    elif found != FORMAT:
        raise NotOursError(f"{name} has the format {found!r}, which this version does not know")
    probe(folder)
    sweep(folder, names)
    if IGNORE_FILE not in names:
        replace(folder, IGNORE_FILE, GITIGNORE)
    elif _are_damaged(_head(folder, IGNORE_FILE)):
        quarantine(folder, IGNORE_FILE)
        replace(folder, IGNORE_FILE, GITIGNORE)
        told(f"{name}/{IGNORE_FILE} was damaged and is made anew.")


def _shut(folder: int) -> None:
    """Keep others out of a folder that git or an earlier version made: below it, only their own makings are older."""
    if os.fstat(folder).st_mode & 0o077:
        with contextlib.suppress(OSError):  # somebody else's, who lets this person write in it
            os.fchmod(folder, PRIVATE_FOLDER)


def _format(folder: int) -> object:
    """What the marker says; None if it is damaged. Raises OSError if it cannot be read."""
    try:
        value = decode(object, _head(folder, MARKER))
    except ValueError:
        return None
    return value.get("format") if isinstance(value, dict) else None


def _head(folder: int, name: str) -> bytes:
    with held(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, folder=folder) as descriptor:
        return os.read(descriptor, _MOST)


def _are_damaged(rules: bytes) -> bool:
    """Whether rules are not what anybody wrote: empty, no text, or ours up to the middle of a line."""
    is_cut = GITIGNORE.startswith(rules) and not rules.endswith(b"\n")
    return not rules or is_cut or b"\0" in rules or not _is_text(rules)


def _is_text(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return len(data) == _MOST and error.start > _MOST - 4
    return True
