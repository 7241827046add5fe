"""Locks and writes by what people write: a file, a symbol, or a part of one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import TYPE_CHECKING

import msgspec

from services.bench.queries.sources import Sources
from services.errors import CodeCortexError, LineOutOfRange, NotClassObject, SymbolNotFound
from services.measures import ROLLED_BACK, Measures
from services.model import SourcePiece
from services.model.writes import (
    ChangeAnswer,
    HistoryAnswer,
    LockAnswer,
    WriteAnswer,
)
from services.source.atomic.target import WriteTarget
from services.source.journal.actor import actor
from services.source.journal.locks import LEASE
from services.source.read.reader import SourceReader, is_written_like_file, parse_location
from services.source.text.edit import Edit
from services.source.write.file_edits import FileEdit
from services.source.write.refusal import refusing
from services.source.write.writer import Writer
from services.workspace.files.root import Root

if TYPE_CHECKING:
    from services.source.diffs.staging import Staging


class Writing:
    """Locks and writes by name. An object that is no file and no symbol is a file to be made, if it is written like
    one."""

    def __init__(
        self,
        root: Root,
        writer: Writer,
        *,
        reader: SourceReader,
        sources: Sources,
        measures: Measures,
        staging: Callable[[], Staging],
    ) -> None:
        """Create the service. `staging`: of git's index, needed when a write that changed it is reverted."""
        self._root = root
        self._writer = writer
        self._reader = reader
        self._sources = sources
        self._measures = measures
        self._staging = staging

    def names_file(self, name: str) -> bool:
        """Whether a file is meant, there or to be made. Raises PathRefused, WorkspaceError for what is there and may
        not be read."""
        path = parse_location(name).path
        return self._reader.is_file(path) or is_written_like_file(path)

    def lock(
        self,
        name: str,
        *,
        include: str | None = None,
        mode: str = "MODIFY",
        purpose: str = "",
        lease: float = LEASE,
    ) -> LockAnswer:
        """Lock a file, or all files of a type or of a part of it. Raises LockRequired, PathRefused, SymbolNotFound,
        AmbiguousSymbol, UsageError."""
        with refusing("Nothing was locked."):
            files = self._files(name, include)
        return self._writer.lock(name, files, actor(purpose), mode=mode, lease=lease)

    def unlock(self, name: str, handle: str) -> LockAnswer:
        """Give a lock back. Raises LockRequired if the handle holds nothing, or not this object."""
        files = self._files(name, None)
        answer = self._writer.unlock(handle, files[:1])
        return msgspec.structs.replace(answer, object=name)

    def break_lock(
        self, name: str, *, reason: str, fence: int | None = None, rehearse: bool = False
    ) -> LockAnswer:
        """Take another's lock away, which is logged; `fence`, `rehearse`: as Writer.break_lock. Raises LockRequired,
        UsageError."""
        path = self._files(name, None)[0]
        return self._writer.break_lock(path, actor(), reason=reason, fence=fence, rehearse=rehearse)

    def edit(
        self,
        name: str,
        edit: Edit,
        *,
        token: str,
        handle: str,
        include: str | None = None,
        skip: bool | None = None,
        rehearse: bool = False,
    ) -> WriteAnswer:
        """New lines in the place of old ones; `rehearse`: what would be written, without writing.

        Raises as Writer.edit, and NotClassObject, IncludeNotFound."""
        with refusing(), self._tried(rehearse=rehearse):
            path = self._file(name, include, edit)
            answer = self._writer.edit(
                path, edit, token=token, handle=handle, owner=actor(), skip_check=skip, rehearse=rehearse
            )
            return msgspec.structs.replace(answer, object=name)

    def replace(
        self, name: str, content: str, *, handle: str, token: str | None = None, rehearse: bool = False
    ) -> WriteAnswer:
        """A whole new text for a file. Raises as Writer.replace."""
        with refusing(), self._tried(rehearse=rehearse):
            path = self._file(name, None, None)
            answer = self._writer.replace(
                path, content, token=token, handle=handle, owner=actor(), rehearse=rehearse
            )
            return msgspec.structs.replace(answer, object=name)

    def patch(
        self, diff: str, expected: Mapping[str, str], handles: Sequence[str], *, rehearse: bool = False
    ) -> ChangeAnswer:
        """A unified diff for several files, all or none. `expected`: tokens by object. Raises as Writer.patch."""
        with refusing(), self._tried(rehearse=rehearse):
            tokens = {self._file(name, None, None): token for name, token in expected.items()}
            return self._writer.patch(diff, tokens, handles, owner=actor(), rehearse=rehearse)

    def write_edits(
        self, edits: Sequence[FileEdit], handles: Sequence[str] = (), *, rehearse: bool = False
    ) -> ChangeAnswer:
        """Edits of whole files, all or none. Raises as Writer.write_edits."""
        with self._tried(rehearse=rehearse):
            return self._writer.write_edits(edits, actor(), handles, rehearse=rehearse)

    def undo(
        self,
        name: str | None,
        handles: Sequence[str] = (),
        *,
        group: int | None = None,
        rehearse: bool = False,
    ) -> ChangeAnswer:
        """Take the last write back; `group`, `rehearse`: as Writer.undo. Raises as Writer.undo."""
        with refusing():
            done = self._writer.undo(self._whose(name), actor(), handles, group=group, rehearse=rehearse)
        if not rehearse:
            self._measures.count(ROLLED_BACK)
            self._stage_back(done)
        return done

    def redo(
        self,
        name: str | None,
        handles: Sequence[str] = (),
        *,
        group: int | None = None,
        rehearse: bool = False,
    ) -> ChangeAnswer:
        """Make again what was undone; `group`, `rehearse`: as Writer.undo. Raises as Writer.redo."""
        with refusing():
            done = self._writer.redo(self._whose(name), actor(), handles, group=group, rehearse=rehearse)
        if not rehearse:
            self._stage_back(done)
        return done

    def keep_staged(self, path: str, before: str, after: str) -> None:
        """Record the entry of a file in git's index before and after its last write (Staging.entry), so that
        reverting restores it too."""
        self._writer.keep_staged(self.history(path, limit=1).entries[0].group, before, after)

    def _stage_back(self, done: ChangeAnswer) -> None:
        """Restore the entry of git's index after a reverted write, unless it was staged since. The file is reverted
        in any case, so nothing is raised."""
        if (kept := self._writer.staged_before(done.group)) is None:
            return
        (before, after), path, staging = kept, done.files[0].file, self._staging()
        with suppress(CodeCortexError):
            if staging.entry(path) == after:
                staging.enter(path, before)
                self._writer.keep_staged(done.group, after, before)

    def history(self, name: str | None, *, limit: int) -> HistoryAnswer:
        """Return the history of writes, latest first."""
        return self._writer.history(self._whose(name), limit=limit)

    def _tried(self, *, rehearse: bool) -> AbstractContextManager[None]:
        """Count whether a write succeeds; a dry run is not counted."""
        return nullcontext() if rehearse else self._measures.tried()

    def _whose(self, name: str | None) -> str | None:
        """The file whose history is meant; None for that of all files."""
        return None if name is None else self._file(name, None, None)

    def _files(self, name: str, include: str | None) -> tuple[str, ...]:
        """Return the canonical paths of the files that declare an object; the primary one first."""
        if (path := self._path(name)) is not None:
            if include is not None:
                raise _no_parts(name, include)
            return (path,)
        return tuple(dict.fromkeys(piece.file for piece in self._sources.pieces(name, include)))

    def _file(self, name: str, include: str | None, edit: Edit | None) -> str:
        """The one file a write is for. With `include` the lines must lie in that part."""
        if (path := self._path(name)) is not None:
            if include is not None:
                raise _no_parts(name, include)
            return path
        pieces = self._sources.pieces(name, include)
        if include is not None and edit is not None:
            _require_inside(pieces, edit)
        return pieces[0].file

    def _path(self, name: str) -> str | None:
        """The path, if a file is meant. Raises LineOutOfRange, or FileMissing, for lines that are not there."""
        place = parse_location(name)
        path = place.path
        if self.names_file(name):
            if place.start is not None:
                self._reader.bounds(path, start=place.start, end=place.end)
            return self._root.normalise(path)
        try:
            self._sources.pieces(name, None)
        except SymbolNotFound:
            if self._is_there(path):
                return path
            raise
        return None

    def _is_there(self, path: str) -> bool:
        """Whether a path exists, so that a refusal can name its kind."""
        try:
            with WriteTarget.hold(self._root, path) as target:
                return target.look(target.name) is not None
        except (CodeCortexError, OSError):
            return False


def _require_inside(pieces: Sequence[SourcePiece], edit: Edit) -> None:
    main = [piece for piece in pieces if piece.file == pieces[0].file]
    for piece in main:
        if piece.start_line <= edit.start and edit.end <= piece.end_line:
            return
    there = ", ".join(f"{piece.start_line}-{piece.end_line}" for piece in main)
    raise LineOutOfRange(
        f"Lines {edit.start} to {edit.end} of {main[0].file} are not in this part ({there}).",
        startLine=edit.start,
        endLine=edit.end,
    )


def _no_parts(name: str, include: str) -> NotClassObject:
    return NotClassObject(
        f"{name} is a file, which has no parts. Leave includeType out.", object=name, includeType=include
    )
