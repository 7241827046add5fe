"""Vault of a workspace: its key, and which it lets through. Never a secret itself."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable

import msgspec

from services.decoding import decode
from services.errors import CodeCortexError
from services.prompt.presets import StateFiles
from services.prompt.secrets.masking import CODE_LENGTH, Masker, Secret

FILE = "secrets.json"
_KEY_BYTES = 32


class AllowedSecret(msgspec.Struct, frozen=True, kw_only=True):
    """A secret that is let through. `hash`: keyed; `where`: file and line when it was allowed, for people."""

    hash: str
    kind: str
    where: str = ""

    @property
    def code(self) -> str:
        """Short code for people."""
        return self.hash[:CODE_LENGTH]


_Change = Callable[[tuple[AllowedSecret, ...]], tuple[AllowedSecret, ...]]


class _State(msgspec.Struct, frozen=True, kw_only=True):
    key: str
    format: int = 1
    allowed: tuple[AllowedSecret, ...] = ()


class Vault:
    """`secrets.json` of a state folder. Safe to call from any thread and any number of processes.

    A damaged file is set aside: then nothing is allowed any more and placeholders change, which is the safe side."""

    def __init__(self, files: StateFiles) -> None:
        self._files = files
        self._passing = _new()

    def masker(self) -> Masker:
        """Masks everything but what is allowed now."""
        state = self._state()
        return Masker(bytes.fromhex(state.key), frozenset(each.hash for each in state.allowed))

    def key_for(self, purpose: str) -> bytes:
        """A key for something else than placeholders, the same in every process of the workspace."""
        import hmac

        return hmac.new(bytes.fromhex(self._state().key), purpose.encode(), hashlib.sha256).digest()

    def allowed(self) -> tuple[AllowedSecret, ...]:
        """Return the allowed secrets, in the order in which they were allowed."""
        return self._state().allowed

    def allow(self, secret: Secret, where: str) -> None:
        """Let a secret through from now on, wherever it is. Raises ReadOnly."""
        entry = AllowedSecret(hash=secret.hash, kind=secret.kind, where=where)
        self._update(lambda old: (*(each for each in old if each.hash != entry.hash), entry))

    def forbid(self, code: str) -> bool:
        """Mask a secret again; False if none of that code or hash is allowed. Raises ReadOnly."""
        if not any(code in (each.code, each.hash) for each in self.allowed()):
            return False
        self._update(lambda old: tuple(each for each in old if code not in (each.code, each.hash)))
        return True

    def _state(self) -> _State:
        """Return the stored state, created where there is none. Where it cannot be written, the key lives as long
        as the process."""
        data = self._files.read(FILE)
        state = _decoded(data)
        if state is not None:
            return state
        if data is not None:
            self._files.quarantine(FILE, "Which secrets are let through")
        with contextlib.suppress(CodeCortexError, OSError):
            return self._update(lambda allowed: allowed)
        return self._passing

    def _update(self, change: _Change) -> _State:
        with self._files.locked(FILE):
            old = _decoded(self._files.read(FILE))
            state = old or self._passing
            changed = msgspec.structs.replace(state, allowed=change(state.allowed))
            if changed != old:
                self._files.write(FILE, _encoded(changed))
            return changed


def _new() -> _State:
    return _State(key=os.urandom(_KEY_BYTES).hex())


def _encoded(state: _State) -> bytes:
    import json

    return json.dumps(msgspec.to_builtins(state), indent=2).encode() + b"\n"


def _decoded(data: bytes | None) -> _State | None:
    """Return the state in a file; None where it is missing, damaged, or has an invalid key."""
    with contextlib.suppress(msgspec.DecodeError, ValueError):
        state = decode(_State, data or b"")
        if len(bytes.fromhex(state.key)) == _KEY_BYTES:
            return state
    return None
