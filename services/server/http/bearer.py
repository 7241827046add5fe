"""The token that a client shows: made anew for each server, or kept in a file that only its owner reads."""

from __future__ import annotations

import os
import re
import secrets
import stat
from pathlib import Path

from services.errors import UsageError, WorkspaceError

_TOKEN = re.compile(r"[A-Za-z0-9._~+/=-]{16,512}")
"""RFC 6750, 2.1, and long enough not to be guessed."""


def new_token() -> str:
    """A token that nobody can guess."""
    return secrets.token_urlsafe(32)


def token_in(path: Path) -> str:
    """The token that a file holds; a file that is not there yet is made with a new one, for its owner alone.

    Raises UsageError for a file that others may read, or that holds no token; WorkspaceError if it cannot be opened."""
    try:
        return _made(path) if not path.exists() else _read(path)
    except OSError as error:
        raise WorkspaceError(f"The token file {str(path)!r} cannot be used: {error.strerror}.") from error


def _made(path: Path) -> str:
    token = new_token()
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(token + "\n")
    return token


def _read(path: Path) -> str:
    with path.open() as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_mode & 0o077:
            raise UsageError(f"Others may read {str(path)!r}. Keep the token to yourself: chmod 600.")
        token = file.read(1_024).strip()
    if not _TOKEN.fullmatch(token):
        raise UsageError(f"{str(path)!r} holds no token: 16 letters and digits or more, on one line.")
    return token
