"""Actor: the person at this terminal, or an agent on whose behalf a server calls (SPEC section 7)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import msgspec

_LONGEST_PURPOSE = 200


class Owner(msgspec.Struct, frozen=True):
    """Owner of a lock or write: a user of the system or the name of an agent, one of their sessions, and what for."""

    user: str
    session: str = ""
    purpose: str = ""

    def __str__(self) -> str:
        return "/".join(part for part in (self.user, self.session, self.purpose) if part)


_SESSION: ContextVar[str] = ContextVar("session", default="")
"""The terminal session of the person for whom another process acts."""

# Of the call under way, not of the program: asyncio hands it on to tasks and to the threads of `to_thread`.
_ACTING: ContextVar[Owner | None] = ContextVar("acting", default=None)


@contextmanager
def acting(owner: Owner) -> Iterator[None]:
    """Everything called inside is done by `owner`: locks, writes, pins and their history carry its name."""
    token = _ACTING.set(owner)
    try:
        yield
    finally:
        _ACTING.reset(token)


@contextmanager
def in_session(session: str) -> Iterator[None]:
    """Everything called inside is done by the person in a terminal session of theirs."""
    token = _SESSION.set(session)
    try:
        yield
    finally:
        _SESSION.reset(token)


def agent() -> Owner | None:
    """The agent that acts; None where it is the person."""
    return _ACTING.get()


def actor(purpose: str = "") -> Owner:
    """Return the present actor: the agent, or else the person in their terminal session. `purpose`: their reason,
    shown to everybody who waits for the lock, cut after 200 characters."""
    purpose = purpose if len(purpose) <= _LONGEST_PURPOSE else f"{purpose[:_LONGEST_PURPOSE]}…"
    found = _ACTING.get()
    if found is None:
        session = _SESSION.get() or os.environ.get("CODECORTEX_SESSION") or str(os.getsid(0))
        return Owner(_user(), session, purpose)
    return Owner(found.user, found.session, purpose or found.purpose)


def _user() -> str:
    try:
        import getpass

        return getpass.getuser()
    except (OSError, KeyError):
        return str(os.getuid())
