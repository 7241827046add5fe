"""Several processes at one file: edits that conflict, and foreign writers that know no locks."""

from __future__ import annotations

import os
import time
from pathlib import Path

from services.errors import Busy, LockRequired, VersionConflict
from services.source.journal.actor import Owner
from services.source.text.edit import Edit
from tests.support.writing import Place


def add_lines(folder: Path, who: int, edits: int) -> int:
    """Inserts `edits` lines at the top of `log.cs`, each under a lock of its own, as often as it takes; how many were
    acknowledged."""
    place = Place(folder)
    owner = Owner("writer", str(who))
    acknowledged = 0
    while acknowledged < edits:
        try:
            handle = place.lock("log.cs", owner)
        except (LockRequired, Busy):
            time.sleep(0.001)
            continue
        try:
            token = place.token("log.cs", 1, 1)
            edit = Edit(1, 0, f"{who} {acknowledged}")
            place.writer.edit("log.cs", edit, token=token, handle=handle, owner=owner)
            acknowledged += 1
        except VersionConflict:
            pass
        finally:
            place.writer.unlock(handle)
    place.close()
    return acknowledged


def race(folder: Path, processes: int, edits: int) -> list[int]:
    """The exit statuses of processes that each add lines at once."""
    children = []
    for who in range(processes):
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                status = 0 if add_lines(folder, who, edits) == edits else 2
            finally:
                os._exit(status)
        children.append(pid)
    return [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children]
