"""Receipts of copies, and the texts of files as they were handed over."""

from __future__ import annotations

import contextlib
import hashlib
import time
import zlib
from collections.abc import Collection
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha256
from typing import Protocol

import msgspec

from services.errors import UsageError
from services.model.copies import Receipt, ReceiptItem
from services.workspace import json_files

FOLDER = "receipts"
KEPT = 100
_ENDING = ".json"


class ReceiptFiles(Protocol):
    """Subset of `services.workspace.state.StateFolder` used here."""

    def read(self, name: str) -> bytes | None:
        """The bytes of a file, or None where there is none."""
        ...

    def write(self, name: str, data: bytes) -> None:
        """Replace a file atomically and durably."""
        ...

    def names(self, folder: str) -> tuple[str, ...]:
        """Names of the files in a folder, sorted."""
        ...

    def remove(self, name: str) -> bool:
        """Remove a file; False where there is none."""
        ...


class Receipts:
    """The receipts of one workspace. A file that is no receipt is left out."""

    def __init__(self, files: ReceiptFiles) -> None:
        self._files = files

    def keep(self, receipt: Receipt) -> None:
        """Write a receipt and remove those that are too many. Raises ReadOnly."""
        self._files.write(f"{FOLDER}/{receipt.id}{_ENDING}", json_files.encode(receipt) + b"\n")
        for id_ in self._ids()[KEPT:]:
            self._files.remove(f"{FOLDER}/{id_}{_ENDING}")

    def list(self) -> tuple[Receipt, ...]:
        """All receipts, latest first."""
        read = (self._read(id_) for id_ in self._ids())
        return tuple(receipt for receipt in read if receipt is not None)

    def unreadable(self) -> tuple[str, ...]:
        """The files of those that are damaged, by their names in the state folder."""
        return tuple(f"{FOLDER}/{id_}{_ENDING}" for id_ in self._ids() if self._read(id_) is None)

    def find(self, id_: str) -> Receipt:
        """A receipt by its id. Raises UsageError."""
        receipt = self._read(id_) if id_ in self._ids() else None
        if receipt is None:
            raise UsageError(f"There is no receipt {id_!r}. List them with `receipts`.", receipt=id_)
        return receipt

    def latest(self, model: str) -> Receipt | None:
        """The receipt of the last copy for a model."""
        return next((receipt for receipt in self.list() if receipt.model == model), None)

    def _ids(self) -> list[str]:
        names = [name for name in self._files.names(FOLDER) if name.endswith(_ENDING)]
        return [name.removesuffix(_ENDING) for name in reversed(names)]

    def _read(self, id_: str) -> Receipt | None:
        with contextlib.suppress(ValueError, UsageError, OSError):
            return json_files.decode(self._files.read(f"{FOLDER}/{id_}{_ENDING}") or b"", Receipt)
        return None


def of_parts(receipt: Receipt, delivered: Collection[int]) -> Receipt:
    """Return the receipt of a copy of which only these parts, numbered from 1, were handed over: items within them
    count. Where nothing was, the receipt of an earlier copy remains in force."""
    if len(delivered) >= receipt.parts:
        return receipt
    items = tuple(item for item in receipt.items if not item.sent or _is_in(item, delivered))
    sent = sum(item.tokens for item in items if item.sent)
    return msgspec.structs.replace(receipt, items=items, tokens=sent, delivered=tuple(sorted(delivered)))


def _is_in(item: ReceiptItem, delivered: Collection[int]) -> bool:
    return bool(item.parts) and set(item.parts) <= set(delivered)


def new_id(text: str, *, now: int | None = None) -> tuple[str, int]:
    """An id that sorts by time, and the time in ms since 1970."""
    at = time.time_ns() // 1_000_000 if now is None else now
    stamp = datetime.fromtimestamp(at / 1000, UTC).strftime("%Y%m%d-%H%M%S")
    return f"{stamp}-{at % 1000:03}-{digest(text)[:4]}", at


def digest(text: str) -> str:
    """Sixteen hexadecimal digits that change with the text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def when(receipt: Receipt) -> str:
    """The time of a receipt, for people and models."""
    return datetime.fromtimestamp(receipt.at / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")


TEXTS = "handed"
LARGEST = 4_000_000
"""Bytes of a file that is kept; of one that is larger, an answer is compared with what is on the disk alone."""
_TEXT_ENDING = ".z"
_LENGTH = 32


class HandedTexts:
    """Contents of one workspace, each once. A damaged one is none."""

    def __init__(self, files: ReceiptFiles) -> None:
        self._files = files

    def keep(self, data: bytes) -> str:
        """Store a content and return its hash. Raises ReadOnly."""
        hash_ = sha256(data).hexdigest()[:_LENGTH]
        name = f"{TEXTS}/{hash_}{_TEXT_ENDING}"
        if self._files.read(name) is None:
            self._files.write(name, zlib.compress(data, 1))
        return hash_

    def read(self, hash_: str) -> bytes | None:
        """Return the content of a hash; None where it is not stored."""
        if len(hash_) != _LENGTH or not hash_.isalnum():
            return None
        kept = self._files.read(f"{TEXTS}/{hash_}{_TEXT_ENDING}")
        if kept is None:
            return None
        with suppress(zlib.error):
            data = zlib.decompressobj().decompress(kept, LARGEST + 1)
            if sha256(data).hexdigest()[:_LENGTH] == hash_:
                return data
        return None

    def prune(self, wanted: Collection[str]) -> None:
        """Remove all others."""
        for name in self._files.names(TEXTS):
            if name.removesuffix(_TEXT_ENDING) not in wanted:
                self._files.remove(f"{TEXTS}/{name}")
