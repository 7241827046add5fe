"""How a refusal begins: with what did not happen (SAFETY, Writes)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from services.errors import CodeCortexError, Unsettled

NOTHING_WRITTEN = "Nothing was written."


@contextmanager
def refusing(first: str = NOTHING_WRITTEN) -> Iterator[None]:
    """Prefix the messages of the block's errors with `first`, once; not those that cannot guarantee it."""
    try:
        yield
    except Unsettled:
        raise
    except CodeCortexError as error:
        if error.message.startswith(first):
            raise
        raise type(error)(f"{first} {error.message}", **error.details) from error
