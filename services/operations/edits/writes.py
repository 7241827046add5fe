"""Operations that change source text, and the locks they need (SPEC section 7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, TypeVar

import msgspec

from services.errors import (
    AmbiguousSymbol,
    CacheExpired,
    CodeCortexError,
    EditConflict,
    IncludeNotFound,
    LineOutOfRange,
    LockRequired,
    NotClassObject,
    PathRefused,
    ReadOnly,
    SymbolNotFound,
    TokenInvalid,
    TokenMismatch,
    VersionConflict,
)
from services.model.source import is_adt
from services.model.writes import (
    ChangeAnswer,
    HistoryAnswer,
    LockAnswer,
    LocksAnswer,
    PasteAnswer,
    WriteAnswer,
)
from services.operations.needs import Need, to_patch, to_write
from services.operations.operation import CHANGES, GIVES_UP, LOCKS, Faces, Param, always, declare

if TYPE_CHECKING:
    from services.bench import Bench

_Answer = TypeVar("_Answer", LockAnswer, WriteAnswer, ChangeAnswer, HistoryAnswer)
_FOUND = (SymbolNotFound, AmbiguousSymbol, PathRefused)
_WRITE = (
    *_FOUND,
    CacheExpired,
    TokenInvalid,
    TokenMismatch,
    VersionConflict,
    LineOutOfRange,
    LockRequired,
    ReadOnly,
)
_OBJECT = Param("Symbol path or id, or a file, also a new one.", name="object")
_HANDLE = Param("Handle that `lock` answered.", flag="--handle", missing=LockRequired)
_TRANSPORT = Param("Of an SAP object.", flag="--transport")
_TOKEN = Param("Token of the read that showed the lines; `0_empty` for a new file.", flag="--expect")
_PART = Param(
    "Part of a type that the lines belong to.",
    name="includeType",
    flag="--part",
    choices=("main", "definitions", "implementations", "macros", "testclasses"),
)
_DRY_RUN = Param("Only answer the diff.", flag="--dry-run")
_LEASE = Param("Seconds until the lock lapses, unless renewed.", flag="--lease", least=1, most=86_400)


@declare(
    "lock",
    Faces("lock", "lock"),
    effect=LOCKS,
    index=to_write,
    errors=(*_FOUND, LockRequired, IncludeNotFound),
)
def lock(
    bench: Bench,
    obj: Annotated[str, _OBJECT],
    include_type: Annotated[str | None, _PART] = None,
    access_mode: Annotated[str, Param("MODIFY alone.", flag="--mode", choices=("MODIFY",))] = "MODIFY",
    purpose: Annotated[str, Param("What for; others see it.", flag="--purpose", is_text=always)] = "",
    lease: Annotated[int, _LEASE] = 300,
) -> LockAnswer:
    """Lock a file, or every file that declares a type, for writing.

    The answer's `LOCK_HANDLE` goes with every write. A lock ends with its lease or its process.
    """
    if is_adt(obj):
        return bench.systems.lock(obj)
    return _about(
        bench,
        obj,
        lambda: bench.writing.lock(obj, include=include_type, mode=access_mode, purpose=purpose, lease=lease),
    )


@declare("unLock", Faces("unLock", "unlock"), effect=GIVES_UP, index=to_write, errors=(*_FOUND, LockRequired))
def unlock(
    bench: Bench,
    obj: Annotated[str, _OBJECT],
    handle: Annotated[str, _HANDLE._replace(name="lockHandle")],
) -> LockAnswer:
    """Give a lock back, with all its files."""
    if is_adt(obj):
        return bench.systems.unlock(obj, handle)
    return _about(bench, obj, lambda: bench.writing.unlock(obj, handle))


@declare(
    "renewLock", Faces("renewLock", "renew-lock"), effect=LOCKS, index=Need.NOTHING, errors=(LockRequired,)
)
def renew_lock(
    bench: Bench,
    handle: Annotated[str, _HANDLE._replace(name="lockHandle")],
    lease: Annotated[int | None, _LEASE] = None,
) -> LockAnswer:
    """Begin the lease of a lock again."""
    return bench.writer.renew(handle, lease=lease)


@declare("listLocks", Faces("listLocks", "locks", "locks"), index=Need.NOTHING)
def list_locks(bench: Bench) -> LocksAnswer:
    """List who holds which lock, and for how long."""
    found = bench.writer.locks()
    in_systems = bench.systems.locks() if bench.settings.adt.systems else ()
    return LocksAnswer(locks=(*found.locks, *in_systems))


@declare(
    "breakLock",
    Faces("breakLock", "break-lock"),
    effect=CHANGES,
    index=to_write,
    errors=(*_FOUND, LockRequired),
)
def break_lock(
    bench: Bench,
    obj: Annotated[str, _OBJECT],
    reason: Annotated[
        str, Param("Why; its owner is told when they try to write.", flag="--reason", is_text=always)
    ],
    fence: Annotated[
        int | None, Param("Number of the lock that is meant; refused for another.", flag="--fence", least=1)
    ] = None,
    dry_run: Annotated[bool, Param("Answer the lock, and leave it.", flag="--dry-run")] = False,
) -> LockAnswer:
    """Break another's lock, for good reason: its handle never writes again, and the log records it."""
    return _about(
        bench,
        obj,
        lambda: bench.writing.break_lock(obj, reason=reason, fence=fence, rehearse=dry_run),
    )


_END_LINE = Param(
    "Last line to replace; startLine - 1 inserts before startLine (a new file: 1 and 0).",
    flag="--end",
)
_SKIP_CONFLICT_CHECK = Param(
    "Do not compare the token. Agents may where cache.conflict_check is false.", flag="--skip-conflict-check"
)


@declare(
    "setObjectSourceV2",
    Faces("setObjectSourceV2", "patch"),
    effect=CHANGES,
    index=to_write,
    errors=(*_WRITE, IncludeNotFound, NotClassObject),
)
def set_object_source(
    bench: Bench,
    obj: Annotated[str, _OBJECT],
    *,
    token: Annotated[str, _TOKEN],
    start_line: Annotated[int, Param("First line to replace, from 1.", flag="--start")],
    end_line: Annotated[int, _END_LINE],
    content: Annotated[str, Param("New lines; an empty text deletes.", flag="--content", is_text=always)],
    handle: Annotated[str, _HANDLE._replace(name="lockHandle")],
    include_type: Annotated[str | None, _PART] = None,
    skip_conflict_check: Annotated[bool | None, _SKIP_CONFLICT_CHECK] = None,
    dry_run: Annotated[bool, _DRY_RUN] = False,
    transport: Annotated[str, _TRANSPORT] = "",
) -> WriteAnswer:
    """Replace, insert or delete lines, all or none; every other byte stays.

    Needs the token under which the lines were read and the handle of the lock. The answer has the new token.
    """
    from services.source.text.edit import Edit

    edit = Edit(start_line, end_line, content)
    if is_adt(obj):
        return bench.systems.edit(
            obj, edit, token=token, handle=handle, include=include_type, transport=transport, rehearse=dry_run
        )
    return _about(
        bench,
        obj,
        lambda: bench.writing.edit(
            obj,
            edit,
            token=token,
            handle=handle,
            include=include_type,
            skip=skip_conflict_check,
            rehearse=dry_run,
        ),
    )


@declare("setObjectSource", Faces("setObjectSource", "patch"), effect=CHANGES, index=to_write, errors=_WRITE)
def set_whole_source(
    bench: Bench,
    obj: Annotated[str, _OBJECT],
    content: Annotated[str, Param("The whole new text.", flag="--content", is_text=always)],
    handle: Annotated[str, _HANDLE._replace(name="lockHandle")],
    token: Annotated[str | None, _TOKEN] = None,
    dry_run: Annotated[bool, _DRY_RUN] = False,
) -> WriteAnswer:
    """Replace a whole file.

    Older: setObjectSourceV2 writes as little as is needed.
    """
    if is_adt(obj):
        return bench.systems.replace(obj, content, token=token or "", handle=handle, rehearse=dry_run)
    return _about(
        bench,
        obj,
        lambda: bench.writing.replace(obj, content, handle=handle, token=token, rehearse=dry_run),
    )


@declare("applyPatch", Faces("applyPatch", "patch", "files"), effect=CHANGES, index=to_patch, errors=_WRITE)
def apply_patch(
    bench: Bench,
    diff: Annotated[str, Param("Unified diff of one file or several.", flag="--diff")],
    expected: Annotated[Mapping[str, str], Param("Token of each file that is there.", flag="--expect")],
    handles: Annotated[
        tuple[str, ...],
        Param("Handles that `lock` answered.", name="lockHandles", flag="--handle", missing=LockRequired),
    ],
    dry_run: Annotated[bool, _DRY_RUN] = False,
) -> ChangeAnswer:
    """Apply a unified diff to all its files, or to none.

    Modes, renames, copies, links and binary patches are refused. A hunk that fits
    elsewhere is offered as `rebased`, never moved by itself.
    """
    return bench.writing.patch(diff, expected, handles, rehearse=dry_run)


@declare(
    "PasteBack",
    Faces("paste_back", "paste", "files"),
    effect=CHANGES,
    index=Need.NOTHING,
    errors=(EditConflict, VersionConflict, LockRequired, PathRefused, ReadOnly),
)
def paste_back(
    bench: Bench,
    text: Annotated[str, Param("The answer, whole.", is_text=always)],
    tokens: Annotated[Mapping[str, str] | None, Param("Those of a dry run.")] = None,
    dry_run: Annotated[bool, _DRY_RUN] = False,
) -> PasteAnswer:
    """Write a chat's answer into the files: diffs, SEARCH/REPLACE, patches, code in fences; all of it or nothing."""
    return bench.pasting.paste(text, tokens=tokens, rehearse=dry_run)


_NAMED = Param("Symbol path or id, or a file; all without one.", name="object")
_OWN = Param("Handle of a lock, if one is held.", name="lockHandle", flag="--handle")
_GROUP = Param("Its number in the history.", flag="--group", least=1)


@declare(
    "undo",
    Faces("undo", "undo", "files"),
    effect=CHANGES._replace(idempotent=False),
    index=to_write,
    errors=_WRITE,
)
def undo(
    bench: Bench,
    obj: Annotated[str | None, _NAMED] = None,
    handle: Annotated[str | None, _OWN] = None,
    group: Annotated[int | None, _GROUP] = None,
    dry_run: Annotated[bool, _DRY_RUN] = False,
) -> ChangeAnswer:
    """Revert the last write, of any author, in all its files."""
    handles = (handle,) if handle else ()
    return _about(bench, obj, lambda: bench.writing.undo(obj, handles, group=group, rehearse=dry_run))


@declare(
    "redo",
    Faces("redo", "redo", "files"),
    effect=CHANGES._replace(idempotent=False),
    index=to_write,
    errors=_WRITE,
)
def redo(
    bench: Bench,
    obj: Annotated[str | None, _NAMED] = None,
    handle: Annotated[str | None, _OWN] = None,
    group: Annotated[int | None, _GROUP] = None,
    dry_run: Annotated[bool, _DRY_RUN] = False,
) -> ChangeAnswer:
    """Make again what was undone last."""
    handles = (handle,) if handle else ()
    return _about(bench, obj, lambda: bench.writing.redo(obj, handles, group=group, rehearse=dry_run))


@declare("history", Faces("history", "history", "entries"), index=to_write, errors=_FOUND)
def history(
    bench: Bench,
    obj: Annotated[str | None, _NAMED] = None,
    limit: Annotated[
        int, Param("Most entries to answer.", flag="--limit", short="-n", least=1, most=10_000)
    ] = 50,
) -> HistoryAnswer:
    """List what was written through this program, latest first."""
    return _about(bench, obj, lambda: bench.writing.history(obj, limit=limit))


def _about(bench: Bench, obj: str | None, act: Callable[[], _Answer]) -> _Answer:
    """Return the answer of a call with the symbol that its object named before."""
    resolved = None
    with suppress(CodeCortexError):  # which the act raises too, and says what was not done
        if obj is not None and not bench.writing.names_file(obj):
            resolved = bench.lookup.resolve(obj).resolved
    return msgspec.structs.replace(act(), resolved=resolved)
