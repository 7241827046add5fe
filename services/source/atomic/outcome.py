"""Outcome of an interrupted write, found out from the bytes alone, and its reversal.

Three names matter: the file's own, that of the temp file, and the second name of the portable exchange. After an
exchange the temp name holds the displaced bytes. Bytes of another writer are removed only if a later write of its own
replaced them."""

from __future__ import annotations

import contextlib
import errno
import os
from enum import Enum

from services.source.atomic.system_calls import KEPT, SystemCalls, exchange, move
from services.source.atomic.target import WriteTarget
from services.source.journal.journal import JournalEntry

_ATTEMPTS = 16


class WriteOutcome(Enum):
    """Outcome of an entry: the new bytes were put in place, or not, or they were in place of another writer's."""

    HAPPENED = "happened"
    NOT = "not"
    DISPLACED = "displaced somebody else's"


def outcome(target: WriteTarget, entry: JournalEntry) -> WriteOutcome:
    """Return the outcome of an entry. Raises OSError."""
    _drop_second_name(target, entry)
    if entry.temp is None:
        return WriteOutcome.NOT
    held = target.look(entry.temp)
    present = target.look(target.name)
    if held is None:
        # It was not made yet, or it was removed: after everything was exchanged, or after this was taken back.
        back = present == entry.base_hash and entry.base_hash != entry.new_hash
        created = entry.base_hash is None and present is None
        return WriteOutcome.NOT if back or created else WriteOutcome.HAPPENED
    if entry.base_hash is None:
        return WriteOutcome.HAPPENED if _same_file(target, entry.temp) else WriteOutcome.NOT
    if held == entry.new_hash:
        return WriteOutcome.NOT
    if held == entry.base_hash:
        # A temp file that was killed young may look like an empty or shorter base; that still has its name then.
        return WriteOutcome.NOT if present == entry.base_hash else WriteOutcome.HAPPENED
    # Neither: a temp file that never got to the disk whole, or what somebody else had put there.
    return WriteOutcome.NOT if present == entry.base_hash else WriteOutcome.DISPLACED


def take_back(calls: SystemCalls, target: WriteTarget, entry: JournalEntry) -> bool:
    """Restore the file's earlier bytes, and remove the temp file. False where another process has written the file
    meanwhile: then its bytes remain. Raises OSError."""
    _drop_second_name(target, entry)
    if entry.temp is None:
        return True
    if entry.base_hash is None:
        return _uncreate(calls, target, entry)
    if entry.new_hash is None:
        return _unremove(calls, target, entry)
    return _unexchange(calls, target, entry)


def remove(calls: SystemCalls, target: WriteTarget, name: str) -> None:
    """Remove a name, if it is there. Raises OSError."""
    with contextlib.suppress(FileNotFoundError):
        calls.run(os.unlink, name, dir_fd=target.folder)


def _unexchange(calls: SystemCalls, target: WriteTarget, entry: JournalEntry) -> bool:
    temp = entry.temp or ""
    for _ in range(_ATTEMPTS):
        held = target.look(temp)
        if held is None:
            return target.look(target.name) == entry.base_hash
        if held == entry.new_hash:
            remove(calls, target, temp)
            return True
        present = target.look(target.name)
        if present != entry.new_hash:
            remove(calls, target, temp)
            return present == entry.base_hash
        exchange(calls, target.folder, temp, target.name)
        if target.look(temp) != entry.new_hash:
            # Written again between the look and the exchange: the latest stays.
            exchange(calls, target.folder, temp, target.name)
    raise OSError(errno.EAGAIN, "it keeps changing while it is taken back", target.name)


def _uncreate(calls: SystemCalls, target: WriteTarget, entry: JournalEntry) -> bool:
    temp = entry.temp or ""
    if target.look(temp) is not None:
        moved = _same_file(target, temp)
        remove(calls, target, temp)
        if not moved:
            return True
    if target.look(target.name) != entry.new_hash:
        return target.look(target.name) is None
    move(calls, target.folder, target.name, temp)
    if target.look(temp) == entry.new_hash:
        remove(calls, target, temp)
        return True
    return _give_back(calls, target, temp)


def _unremove(calls: SystemCalls, target: WriteTarget, entry: JournalEntry) -> bool:
    temp = entry.temp or ""
    if target.look(temp) is None:
        return target.look(target.name) == entry.base_hash
    return _give_back(calls, target, temp) or target.look(target.name) == entry.base_hash


def _give_back(calls: SystemCalls, target: WriteTarget, temp: str) -> bool:
    """The temp file gets the name back, unless somebody has made a new one."""
    try:
        move(calls, target.folder, temp, target.name)
    except FileExistsError:
        remove(calls, target, temp)
        return False
    return True


def _drop_second_name(target: WriteTarget, entry: JournalEntry) -> None:
    """Clean up after a kill amid the portable exchange: the old file's second name gets the name that the exchange
    would have left, or is removed."""
    if entry.temp is None:
        return
    second = entry.temp + KEPT
    if target.look(second) is None:
        return
    if target.look(entry.temp) is None:
        os.rename(second, entry.temp, src_dir_fd=target.folder, dst_dir_fd=target.folder)
    else:
        os.unlink(second, dir_fd=target.folder)


def _same_file(target: WriteTarget, temp: str) -> bool:
    try:
        one = os.stat(temp, dir_fd=target.folder, follow_symlinks=False)
        other = os.stat(target.name, dir_fd=target.folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)
