"""Batches of structured edits: several edits, each planned on what those before it leave, written as one."""

from __future__ import annotations

import time
from contextlib import suppress

import msgspec

from services.bench.edits.refactoring import Refactoring
from services.errors import UsageError
from services.model.writes import EditAnswer, EditBatch, EditRequest
from services.source.journal.actor import agent
from services.syntax.records.hashing import is_base32, random_base32
from services.workspace import json_files
from services.workspace.state import StateFolder

_FOLDER = "batches"
_KEPT = 50
_MOST = 100
"""Edits of one batch: each is planned again with every one that comes after it."""


class Batches:
    """Open batches, a file each in the state folder. Nothing of them is written before they are committed."""

    def __init__(self, state: StateFolder, refactoring: Refactoring) -> None:
        self._state = state
        self._refactoring = refactoring

    def begin(self) -> EditBatch:
        """Open a batch of the actor. Raises ReadOnly, Busy."""
        acting = agent()
        made = EditBatch(
            id="E_" + random_base32(8),
            agent=acting.user if acting is not None else "",
            created_at=time.time_ns() // 1_000_000,
        )
        self._write(made)
        self._prune()
        return made

    def get(self, id_: str) -> EditBatch:
        """Return an open batch. Raises UsageError for an unknown id, or another agent's batch."""
        data = self._state.read(_file(id_)) if _is_id(id_) else None
        if data is None:
            raise UsageError(f"There is no open batch {id_}. BeginEditBatch opens one.", batch=id_)
        try:
            found = json_files.decode(data, EditBatch)
        except ValueError as error:
            raise UsageError(f"Batch {id_} cannot be read: its file is damaged.", batch=id_) from error
        acting = agent()
        if acting is not None and found.agent != acting.user:
            raise UsageError(f"Batch {id_} is another's.", batch=id_)
        return found

    def add(self, id_: str, edit: EditRequest, *, rehearse: bool = False) -> EditAnswer:
        """Add an edit, unless it cannot be made on what those before it leave; the answer is of all of them.
        `rehearse`: without adding it. Raises as Refactoring.apply."""
        with self._state.locked(_FOLDER):
            batch = self.get(id_)
            if len(batch.edits) >= _MOST:
                raise UsageError(f"A batch has {_MOST} edits at most. Commit this one first.", batch=id_)
            edits = (*batch.edits, edit)
            answer = self._refactoring.apply(edits, rehearse=True, decided=not rehearse)
            if not rehearse:
                self._write(msgspec.structs.replace(batch, edits=edits))
            return answer

    def preview(self, id_: str) -> EditAnswer:
        """All edits of a batch as they would be written now. Raises as Refactoring.apply."""
        return self._refactoring.apply(self.get(id_).edits, rehearse=True)

    def commit(self, id_: str, *, rehearse: bool = False) -> EditAnswer:
        """Write all edits of a batch as one, and close it; it stays open where they are refused. Raises as
        Refactoring.apply."""
        with self._state.locked(_FOLDER):
            answer = self._refactoring.apply(self.get(id_).edits, rehearse=rehearse)
            if not rehearse:
                self._remove(id_)
            return answer

    def abort(self, id_: str) -> EditBatch:
        """Close a batch without writing anything. Raises UsageError."""
        with self._state.locked(_FOLDER):
            batch = self.get(id_)
            self._remove(id_)
            return batch

    def _write(self, batch: EditBatch) -> None:
        self._state.write(_file(batch.id), json_files.encode(batch))

    def _remove(self, id_: str) -> None:
        self._state.path(_file(id_)).unlink(missing_ok=True)

    def _prune(self) -> None:
        """Remove the oldest batches that were never closed."""
        with suppress(OSError):
            files = sorted(self._state.path(_FOLDER).iterdir(), key=lambda path: path.stat().st_mtime_ns)
            for path in files[:-_KEPT]:
                path.unlink(missing_ok=True)


def _file(id_: str) -> str:
    return f"{_FOLDER}/{id_}.json"


def _is_id(id_: str) -> bool:
    return len(id_) == 10 and id_.startswith("E_") and is_base32(id_[2:])
