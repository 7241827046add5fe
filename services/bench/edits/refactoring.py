"""Structured edits by the names people write: planned on the index, checked, written as one; a batch of several is
planned each on what those before it leave.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import msgspec

from services.bench.edits.stage import NOTHING, Stage
from services.bench.edits.writing import Writing
from services.bench.queries.lookup import Lookup, resolved
from services.edits.places import Decisions, Place, Plan, Problem, line_at, parse_place, place_of
from services.errors import CodeCortexError, EditConflict, UsageError, VersionConflict
from services.model import Resolved
from services.model.writes import (
    EditAnswer,
    EditBatch,
    EditKind,
    EditPlace,
    EditPreview,
    EditRequest,
    FileChange,
)
from services.settings import EditSettings
from services.source.journal.actor import agent
from services.source.text.differ import unified_diff
from services.source.write.file_edits import FileEdit
from services.syntax.records.hashing import is_base32, random_base32
from services.workspace import json_files
from services.workspace.files.root import Root
from services.workspace.scan.sweep import glob_filter
from services.workspace.source_kinds import is_generated
from services.workspace.state import StateFolder
from services.workspace.text import decode

if TYPE_CHECKING:
    from services.index.index import Index

_MOST_TOLD = 3


class Refactoring:
    """The structured edits of one workspace. `refresh`: brings the index up to date with the disk."""

    def __init__(
        self,
        root: Root,
        index: Index,
        lookup: Lookup,
        writing: Writing,
        *,
        settings: EditSettings,
        refresh: Callable[[], object],
    ) -> None:
        self._root = root
        self._index = index
        self._lookup = lookup
        self._writing = writing
        self._settings = settings
        self._refresh = refresh

    def apply(
        self, requests: Sequence[EditRequest], *, rehearse: bool = False, decided: bool = False
    ) -> EditAnswer:
        """Make edits, each on what those before it leave, and write all of them as one. `rehearse`: what would be
        written, without writing; `decided`: also then, places that are not certain have to be decided.

        Raises EditConflict where not all of it is certain, UsageError, SymbolNotFound, AmbiguousSymbol, and as
        Writing.write_edits."""
        told = self._resolved(requests[0]) if requests else None
        if not requests:
            raise UsageError("There is no edit to make.")
        plans, stage = self._planned(requests, decided=decided or not rehearse)
        done = self._writing.write_edits(stage.edits(), rehearse=rehearse)
        if not rehearse and done.files:
            self._refresh()
        return EditAnswer(
            title="; ".join(plan.title for plan in plans),
            resolved=told,
            written=not rehearse and bool(done.files),
            group=done.group,
            places=sum(
                len({(each.path, each.start) for each in plan.replacements if each.named}) for plan in plans
            ),
            files=done.files,
            moves=stage.moves(),
            undecided=tuple(_told(plan, each) for plan in plans for each in plan.doubtful if each.code),
            listed=tuple(_told(plan, each) for plan in plans for each in plan.doubtful if not each.code),
            created="\n".join(plan.created for plan in plans if plan.created),
        )

    def preview(self, request: EditRequest) -> EditPreview:
        """Return the changes of an edit, place by place, with the problems found. Raises as `apply`, but for
        EditConflict."""
        (plan,), stage = self._planned([request], decided=None)
        named = sorted({each for each in plan.replacements if each.named})
        edits = stage.edits()
        return EditPreview(
            title=plan.title,
            files=_with_moves(self._writing.write_edits(edits, rehearse=True).files, edits, stage.moves()),
            moves=stage.moves(),
            places=tuple(_told(plan, Place(each.path, each.start, each.end, "")) for each in named),
            undecided=tuple(_told(plan, each) for each in plan.doubtful if each.code),
            listed=tuple(_told(plan, each) for each in plan.doubtful if not each.code),
            conflicts=tuple(_conflict(stage, plan, each) for each in _open_problems(plan)),
            created=plan.created,
        )

    def rename(
        self, name: str, new: str, decisions: Decisions | None = None, *, rehearse: bool = False
    ) -> EditAnswer:
        """Give a symbol another name, everywhere. `name`: a symbol path, or the place of a name. Raises as `apply`."""
        chosen = decisions or Decisions()
        request = EditRequest(
            kind=EditKind.RENAME,
            object=name,
            text=new,
            leave=tuple(chosen.leave),
            change=tuple(chosen.change),
        )
        return self.apply([request], rehearse=rehearse)

    def extract(self, place: str, name: str, *, rehearse: bool = False) -> EditAnswer:
        """Make a method of the statements in lines of a file, `FILE:FIRST-LAST`. Raises as `apply`."""
        return self.apply([EditRequest(kind=EditKind.EXTRACT, object=place, text=name)], rehearse=rehearse)

    def extract_interface(
        self, name: str, new: str, members: Sequence[str] = (), *, rehearse: bool = False
    ) -> EditAnswer:
        """Make an interface of public members of a type, all or those named. Raises as `apply`."""
        request = EditRequest(kind=EditKind.INTERFACE, object=name, text=new, members=tuple(members))
        return self.apply([request], rehearse=rehearse)

    def move(self, name: str, *, rehearse: bool = False) -> EditAnswer:
        """Move an outermost type to a file of its name. Raises as `apply`."""
        return self.apply([EditRequest(kind=EditKind.MOVE, object=name)], rehearse=rehearse)

    def change_signature(
        self, name: str, parameters: str, decisions: Decisions | None = None, *, rehearse: bool = False
    ) -> EditAnswer:
        """Give a method another parameter list, and its calls. Raises as `apply`."""
        leave = tuple(decisions.leave) if decisions is not None else ()
        request = EditRequest(kind=EditKind.SIGNATURE, object=name, text=parameters, leave=leave)
        return self.apply([request], rehearse=rehearse)

    def _resolved(self, request: EditRequest) -> Resolved | None:
        """The symbol that an edit is about; None for one that is named by its place."""
        place = parse_place(request.object)
        if request.kind is EditKind.EXTRACT or (place is not None and place.column):
            return None
        if request.kind is EditKind.RENAME and self._index.resolve(request.object).namespace:
            return None
        return resolved(self._lookup.sure(request.object))

    def _planned(self, requests: Sequence[EditRequest], *, decided: bool | None) -> tuple[list[Plan], Stage]:
        """Plans on files as they are: where one has changed since it was indexed, that is brought up to date first.
        `decided`: whether places that are not certain are refused; None where nothing is. Raises VersionConflict where
        a file changes again meanwhile."""
        stale: set[str] = set()
        for _ in range(2):
            stage, plans = Stage(self._root, self._index, self._lookup), list[Plan]()
            for number, request in enumerate(requests, 1):
                with _told_of(number if len(requests) > 1 else 0):
                    plan = self._plan(stage, request, decided=decided)
                if stage.stale:
                    break
                stage.take(plan)
                plans.append(plan)
            stale = stage.stale
            if not stale:
                return plans, stage
            self._refresh()
        first = min(stale)
        raise VersionConflict(f"{NOTHING} {first} has changed meanwhile. Ask again.", object=first)

    def _plan(self, stage: Stage, request: EditRequest, *, decided: bool | None) -> Plan:
        plan = stage.plan(request)
        if not stage.stale:
            self._leave_ignored(plan)
            Decisions(request.leave, request.change).apply(plan)
            plan.leave_named_files()
            if decided is not None:
                self._require_certain(stage, plan, decided=decided)
        return plan

    # What may be written

    def _leave_ignored(self, plan: Plan) -> None:
        """Places in files that the settings leave alone, or that a tool writes, are no longer changed."""
        ignored = glob_filter(self._settings.ignored) if self._settings.ignored != "none" else None
        for path in list(plan.by_path()):
            if ignored is not None and ignored(os.fsencode(path)):
                reason = "The settings (edits.ignored) leave its file alone."
            elif is_generated(path, plan.texts[path][:2_000].decode("utf-8", "replace")):
                reason = "A tool writes its file, and would write it again."
            else:
                continue
            plan.leave_file(path, reason)

    def _require_certain(self, stage: Stage, plan: Plan, *, decided: bool) -> None:
        problems = _open_problems(plan)
        undecided = [each for each in plan.doubtful if each.code]
        if problems:
            where = _diagnostics([_conflict(stage, plan, each) for each in problems], "error")
            raise EditConflict(
                f"{NOTHING} {plan.title}: {_sentence(where)}", diagnostics=where, title=plan.title
            )
        if undecided and decided:
            where = _diagnostics([_told(plan, each) for each in undecided], "warning")
            count = f"{len(where)} places are" if len(where) > 1 else "One place is"
            raise EditConflict(
                f"{NOTHING} {plan.title}: {count} not certain. Leave each out or have it changed (`all` for all of "
                f"them). {_sentence(where)}",
                diagnostics=where,
                title=plan.title,
            )


def _conflict(stage: Stage, plan: Plan, problem: Problem) -> EditPlace:
    text = plan.texts.get(problem.path) or (stage.text(problem.path) if problem.path else b"")
    at = place_of(problem.path, text, problem.start)
    line = at.line if problem.path else 0
    shown = line_at(text, problem.start).strip()
    return EditPlace(file=problem.path, line=line, column=at.column, reason=problem.message, text=shown)


def _diagnostics(places: Sequence[EditPlace], severity: str) -> list[dict[str, object]]:
    return [
        {
            "file": each.file,
            "line": each.line,
            "column": each.column,
            "message": each.reason,
            "severity": severity,
        }
        for each in places
    ]


@contextmanager
def _told_of(number: int) -> Iterator[None]:
    """Add the number of the edit to an error; 0: there is a single edit."""
    try:
        yield
    except CodeCortexError as error:
        if number:
            message = error.message.removeprefix(f"{NOTHING} ")
            error.message = f"{NOTHING} Edit {number}: {message}"
            error.args = (error.message,)
            error.details["edit"] = number
        raise


def _with_moves(
    files: Sequence[FileChange], edits: Sequence[FileEdit], moves: Mapping[str, str]
) -> tuple[FileChange, ...]:
    """The changes of files, those of a file that moves as what changes in it."""
    found = [each for each in files if each.file not in moves and each.file not in moves.values()]
    before = {edit.path: edit.before for edit in edits if edit.path in moves}
    after = {edit.path: edit.after for edit in edits if edit.path in moves.values()}
    for old, new in moves.items():
        was, data = before[old], after[new]
        if was is None or data is None:
            continue
        diff = unified_diff(new, was.lines(), decode(data, new, encoding=was.declared).lines())
        head = f"rename from {old}\nrename to {new}\n"
        told = diff.replace(f"--- a/{new}\n", f"--- a/{old}\n", 1)
        found.append(FileChange(file=new, token=None, line_count=was.line_count, diff=head + told))
    return tuple(found)


def _open_problems(plan: Plan) -> list[Problem]:
    """Return the problems at places that were not left out."""
    left = set(plan.left)
    return [each for each in plan.problems if (each.path, each.start) not in left]


def _told(plan: Plan, place: Place) -> EditPlace:
    text = plan.texts[place.path]
    at = place_of(place.path, text, place.start)
    return EditPlace(
        file=place.path,
        line=at.line,
        column=at.column,
        reason=place.reason,
        text=line_at(text, place.start).strip(),
        code=place.code,
    )


def _sentence(diagnostics: Sequence[dict[str, object]]) -> str:
    shown = [f"{each['file']}:{each['line']}: {each['message']}" for each in diagnostics[:_MOST_TOLD]]
    more = len(diagnostics) - len(shown)
    return " ".join([*shown, *([f"And {more} more."] if more else [])])


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
