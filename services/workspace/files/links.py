"""Where symlinks inside the root lead, worked out name by name so that every name passed can be checked."""

from __future__ import annotations

import errno
import os
from collections import deque

from services.errors import PathRefused
from services.workspace.files.names import protected
from services.workspace.files.openers import PATH_ONLY, Opener

_MOST_LINKS = 40
"""As many as the kernel follows in one path (path_resolution(7))."""


def resolve_links(root: int, path: str, opener: Opener) -> str:
    """`path` (normalised) with its links replaced by what they name; the answer has none, unless one appears
    later.

    Raises PathRefused for an absolute target, one that leaves the root or passes a protected name, and for a
    loop; OSError for a component that is missing.
    """
    waiting = deque(path.split("/"))
    done: list[str] = []
    links = 0
    while waiting:
        name = waiting.popleft()
        if name in ("", "."):
            continue
        if name == "..":
            if not done:
                raise _refused(path, "it is a link that leads out of the workspace")
            done.pop()
            continue
        if reason := protected(name):
            raise _refused(path, f"it is a link into a protected place: {reason}")
        target = _target(root, done, name, opener)
        if target is None:
            done.append(name)
            continue
        links += 1
        if links > _MOST_LINKS:
            raise _refused(path, "its links lead round in a circle")
        if target.startswith("/"):
            raise _refused(path, "it is a link to an absolute path")
        waiting.extendleft(reversed(target.split("/")))
    return "/".join(done) or "."


def _target(root: int, folder: list[str], name: str, opener: Opener) -> str | None:
    """What the link `name` in `folder` holds; None if it is no link. Raises OSError if it is missing."""
    descriptor = opener.open(root, "/".join(folder) or ".", PATH_ONLY | os.O_DIRECTORY)
    try:
        return os.readlink(name, dir_fd=descriptor)
    except OSError as error:
        if error.errno == errno.EINVAL:
            return None
        raise
    finally:
        os.close(descriptor)


def _refused(path: str, reason: str) -> PathRefused:
    message = f"The path {path!r} was refused: {reason}. Name the file itself."
    return PathRefused(message, path=path, reason=reason)
