"""Deciding whether a state folder is ours, and marking it."""

from __future__ import annotations

import contextlib
import json
import os
import stat

from services.concurrency.filelock import lock, unlock
from services.workspace.files.durable import probe, replace, sweep
from services.workspace.files.openers import held

MARKER = "codecortex.json"
FORMAT = 1
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


def claim(parent: int, name: str) -> int:
    """A descriptor of the state folder `name` below an open folder, created and marked if need be.

    Raises NotOursError, having changed nothing; OSError if nothing can be written there.
    """
    with contextlib.suppress(FileExistsError):
        os.mkdir(name, 0o755, dir_fd=parent)
    if not stat.S_ISDIR(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
        raise NotOursError(f"{name} is a link or a file that this program did not make")
    descriptor = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
    try:
        # Of two processes that start together one marks; one that hangs must not keep others from starting.
        lock(descriptor, _PATIENCE)
        _mark(descriptor, name)
        unlock(descriptor)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _mark(folder: int, name: str) -> None:
    """Make sure that the folder is ours and can be written."""
    names = os.listdir(folder)
    if MARKER not in names:
        if names:
            raise NotOursError(f"{name} was made by another program")
        replace(folder, MARKER, json.dumps({"format": FORMAT}).encode() + b"\n")
    elif (found := _format(folder)) != FORMAT:
        raise NotOursError(f"{name} has the format {found!r}, which this version does not know")
    probe(folder)
    sweep(folder, names)
    if IGNORE_FILE not in names:
        replace(folder, IGNORE_FILE, GITIGNORE)


def _format(folder: int) -> object:
    """What the marker says; None if it is damaged."""
    try:
        with held(MARKER, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, folder=folder) as descriptor:
            value = json.loads(os.read(descriptor, 4_096))
    except (OSError, ValueError):
        return None
    return value.get("format") if isinstance(value, dict) else None
