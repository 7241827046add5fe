"""Keys of endpoints, looked up for each request and never stored."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Mapping

from services.errors import ModelKeyError

Ring = Callable[[str, str], str | None]
"""Looks a password up by service and user."""

_LEAST = 4


def key_of(where: str, environment: Mapping[str, str] | None = None, ring: Ring | None = None) -> str:
    """The key that `env:NAME` or `keyring:SERVICE/USER` leads to; empty for empty. Raises ModelKeyError."""
    kind, _, rest = where.partition(":")
    if not where:
        return ""
    if kind == "env":
        found = (os.environ if environment is None else environment).get(rest, "").strip()
        if not found:
            raise ModelKeyError(f"The environment variable {rest} has no key. Set it and start again.")
    else:
        service, _, user = rest.partition("/")
        found = ((ring or keyring_lookup())(service, user) or "").strip()
        if not found:
            raise ModelKeyError(f"The keyring has no key. Store it: keyring set {service} {user}")
    if not found.isascii() or not found.isprintable():
        raise ModelKeyError(f"What {where} holds is no key: it has characters that no key has.")
    return found


def keyring_lookup() -> Ring:
    """Return the lookup in the system's keyring. Raises ModelKeyError without the package or a keyring."""
    try:
        keyring = importlib.import_module("keyring")
    except ImportError as error:
        message = 'The keyring is not supported here: pip install "codecortex[keyring]", or use env:NAME.'
        raise ModelKeyError(message) from error

    def look(service: str, user: str) -> str | None:
        try:
            return keyring.get_password(service, user)
        except Exception as error:
            message = f"The keyring cannot be asked ({type(error).__name__}): use env:NAME instead."
            raise ModelKeyError(message) from error

    return look


def without_key(text: str, key: str) -> str:
    """A text for people that has the key in it no more."""
    return text.replace(key, "…") if len(key) >= _LEAST else text
