"""Version tokens: which content a reader saw (SPEC section 7)."""

from __future__ import annotations

from hashlib import sha256

EMPTY = "0_empty"


def token_of(data: bytes, mtime_ns: int) -> str:
    """`<mtime in ms>_<first 16 hex of SHA-256 of the bytes>`; `0_empty` for an empty file."""
    if not data:
        return EMPTY
    return f"{mtime_ns // 1_000_000}_{sha256(data).hexdigest()[:16]}"
