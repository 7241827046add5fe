"""Locks and writes without effect, with hostile text in every field that a file or a person fills."""

from __future__ import annotations

from typing import Any

from services.model.writes import (
    ChangeAnswer,
    EditAnswer,
    EditBatch,
    EditKind,
    EditPlace,
    EditRequest,
    FileChange,
    HistoryAnswer,
    HistoryEntry,
    LockAnswer,
    LocksAnswer,
    OthersAnswer,
    WriteAnswer,
)

_TOKEN = "2_0123456789abcdef"
_DIFF = "--- a/Tree.cs\n+++ b/Tree.cs\n@@ -1 +1 @@\n-a\n+\x1b[2J\n"


class MemoryWriting:
    """Writing service with its calls and their arguments in `calls`. `elsewhere`: acts of other processes."""

    def __init__(self, calls: list[str]) -> None:
        self._calls = calls
        self.elsewhere = OthersAnswer()

    def names_file(self, name: str) -> bool:
        return name.endswith(".cs")

    def lock(self, name: str, **given: Any) -> LockAnswer:
        return self._lock("lock", name, given, handle="h4ndle")

    def renew(self, handle: str, **given: Any) -> LockAnswer:
        return self._lock("renew", "Tree.cs", given, handle=handle)

    def unlock(self, name: str, handle: str) -> LockAnswer:
        return self._lock("unlock", name, {"handle": handle})

    def break_lock(self, name: str, **given: Any) -> LockAnswer:
        return self._lock("break", name, given)

    def locks(self) -> LocksAnswer:
        return LocksAnswer(locks=(self._lock("locks", "Tree.cs", {}),))

    def others(self, **_: Any) -> OthersAnswer:
        return self.elsewhere

    def edit(self, name: str, edit: Any, **given: Any) -> WriteAnswer:
        return self._written("edit", name, {"edit": edit, **given})

    def replace(self, name: str, content: str, **given: Any) -> WriteAnswer:
        return self._written("replace", name, {"content": content, **given})

    def patch(self, diff: str, expected: Any, handles: Any, **given: Any) -> ChangeAnswer:
        self._calls.append(f"patch {expected} {handles}")
        return self._changed("edit")

    def undo(self, name: str | None, handles: Any, **given: Any) -> ChangeAnswer:
        return self._changed("undo")

    def redo(self, name: str | None, handles: Any, **given: Any) -> ChangeAnswer:
        return self._changed("redo")

    def history(self, name: str | None, *, limit: int) -> HistoryAnswer:
        entry = HistoryEntry(group=1, kind="edit", at=1, owner="\x1b[2J", files=("Tree.cs",), undone=True)
        return HistoryAnswer(file=name, entries=(entry,))

    def made(self, group: int) -> ChangeAnswer:
        return self._changed("edit")

    def _lock(self, act: str, name: str, given: Any, handle: str | None = None) -> LockAnswer:
        self._calls.append(f"{act} {name} {given}")
        return LockAnswer(
            object=name,
            lock_handle=handle,
            files=("Tree.cs",),
            owner="ada\x1b[2J",
            lease_end=1,
            seconds=300.0,
            fence=1,
        )

    def _written(self, act: str, name: str, given: Any) -> WriteAnswer:
        self._calls.append(f"{act} {name} {given}")
        return WriteAnswer(
            object=name,
            file="Tree.cs",
            updated=True,
            line_count=4,
            old_range=(1, 1),
            new_range=(1, 1),
            timestamp=1,
            token=_TOKEN,
            diff=_DIFF,
        )

    def _changed(self, kind: str) -> ChangeAnswer:
        file = FileChange(file="Tree.cs", token=None, line_count=0, diff=_DIFF)
        return ChangeAnswer(kind=kind, group=1, timestamp=1, files=(file,))


class MemoryRefactoring:
    """Structured edits that write nothing: each answers one place to decide, and one to look at."""

    def apply(self, requests: Any, *, rehearse: bool = False, decided: bool = False) -> EditAnswer:
        return self._answer("; ".join(f"{each.kind} {each.object}" for each in requests), rehearse=rehearse)

    def _answer(self, title: str, *, rehearse: bool) -> EditAnswer:
        place = EditPlace(file="Tr\x1bee.cs", line=1, column=2, reason="\x1bnot certain", text="\x1b[2J")
        return EditAnswer(
            title=title, written=not rehearse, moves={"a": "\x1bb"}, undecided=(place,), listed=(place,)
        )


class MemoryBatches(MemoryRefactoring):
    """Batches of edits that write nothing."""

    def begin(self) -> EditBatch:
        return EditBatch(id="E_AAAAAAAA", agent="ada\x1b[2J")

    def abort(self, id_: str) -> EditBatch:
        request = EditRequest(kind=EditKind.RENAME, object="Tr\x1bee", text="\x1bBush")
        return EditBatch(id=id_, agent="ada\x1b[2J", edits=(request,))

    def add(self, id_: str, edit: EditRequest, *, rehearse: bool = False) -> EditAnswer:
        return self.apply([edit], rehearse=True)

    def commit(self, id_: str, *, rehearse: bool = False) -> EditAnswer:
        return self._answer("All of a batch", rehearse=rehearse)
