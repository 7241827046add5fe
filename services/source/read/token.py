"""Version tokens: which content a reader saw (SPEC section 7)."""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple

from services.errors import TokenInvalid, TokenMismatch, TokenOfNothing

EMPTY = "0_empty"
_EMPTY_DIGEST = "empty"
_FORM = re.compile(r"([0-9]{1,19})_([0-9a-f]{16})")


class Token(NamedTuple):
    """A token taken apart. `changed_at`: ms since 1970; `digest`: 16 hex digits, or `empty`."""

    changed_at: int
    digest: str

    def __str__(self) -> str:
        return f"{self.changed_at}_{self.digest}"


def token_of(data: bytes, mtime_ns: int) -> str:
    """`<mtime in ms>_<first 16 hex of SHA-256 of the bytes>`; `0_empty` for an empty file."""
    return token_from(digest_of(data), mtime_ns)


def digest_of(data: bytes) -> str:
    """Return the part of a token that identifies the bytes themselves."""
    return sha256(data).hexdigest()[:16] if data else _EMPTY_DIGEST


def token_from(digest: str, mtime_ns: int) -> str:
    """The token of bytes with that digest."""
    return EMPTY if digest == _EMPTY_DIGEST else f"{max(0, mtime_ns) // 1_000_000}_{digest}"


@lru_cache(256)
def parse_token(text: str) -> Token:
    """The parts of a token. Raises TokenInvalid where no read can have given it."""
    if text == EMPTY:
        return Token(0, _EMPTY_DIGEST)
    match = _FORM.fullmatch(text)
    if match is None:
        message = (
            f"{text[:80]!r} is not a version token. Read the lines again and use the token of that answer."
        )
        raise TokenInvalid(message, token=text[:80])
    return Token(int(match[1]), match[2])


def of_nothing(path: str, token: str) -> TokenOfNothing:
    """The refusal of what is no token, for a file that is not there: to read it cannot help."""
    message = (
        f"{token[:80]!r} is not a version token, and there is no file {path} to read. "
        f"Make it with the token {EMPTY}, startLine 1 and endLine 0."
    )
    create = {"token": EMPTY, "startLine": 1, "endLine": 0}
    return TokenOfNothing(message, object=path, token=token[:80], create=create)


def of_another(path: str, token: str, owner: str) -> TokenMismatch:
    """The refusal of a token that is of another file."""
    message = f"The token {token} is of {owner}, not of {path}. Read {path} and use its own token."
    return TokenMismatch(message, object=path, token=token, reason=f"it is of {owner}")
