"""Agents as owners of locks, writes and pins."""

from __future__ import annotations

import re

from services.source.journal.actor import Owner

_UNNAMEABLE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST = 40


def agent_named(name: str, session: str = "") -> Owner:
    """A program by the name it gives itself, and the first characters of its session's id. Letters, digits and `._-`
    are kept, so that no log can be misread; a program without a name is `agent`."""
    return Owner(_plain(name) or "agent", _plain(session)[:8])


def _plain(text: str) -> str:
    return _UNNAMEABLE.sub("-", text).strip("-")[:_LONGEST]
