"""Structured edits (SPEC section 13): changes that are checked against the meaning of every name they touch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from services.errors import (
    AmbiguousSymbol,
    EditConflict,
    LockRequired,
    PathRefused,
    ReadOnly,
    SymbolNotFound,
    UsageError,
    VersionConflict,
)
from services.model.writes import EditAnswer, EditBatch, EditKind, EditRequest
from services.operations.needs import Need
from services.operations.operation import CHANGES, GIVES_UP, LOCKS, Faces, Param, always, declare

if TYPE_CHECKING:
    from services.bench import Bench

_ERRORS = (
    SymbolNotFound,
    AmbiguousSymbol,
    PathRefused,
    EditConflict,
    VersionConflict,
    LockRequired,
    ReadOnly,
)
_CHANGES = CHANGES._replace(unless_with="batch")
_DRY_RUN = Param("Only answer the diff.", flag="--dry-run")
_BATCH = Param("Id of BeginEditBatch.", flag="--batch")
_LEAVE = Param(
    "Places to leave as they are: `FILE:LINE[:COLUMN]`, or `all` that are not certain.", flag="--leave"
)


def _made(bench: Bench, request: EditRequest, batch: str | None, *, rehearse: bool) -> EditAnswer:
    if batch:
        return bench.batches.add(batch, request, rehearse=rehearse)
    return bench.refactoring.apply([request], rehearse=rehearse)


@declare("RenameSymbol", Faces("rename_symbol", "rename", "files"), effect=_CHANGES, errors=_ERRORS)
def rename_symbol(
    bench: Bench,
    obj: Annotated[
        str,
        Param(
            "Symbol path or id; or the place of a name, `path/File.cs:120:17`, such as a parameter's or a local's.",
            name="object",
        ),
    ],
    new_name: Annotated[str, Param("Its new name.", is_text=always)],
    *,
    leave: Annotated[tuple[str, ...], _LEAVE] = (),
    change: Annotated[
        tuple[str, ...],
        Param("Places to change too, named likewise.", flag="--change"),
    ] = (),
    batch: Annotated[str | None, _BATCH] = None,
    dry_run: Annotated[bool, _DRY_RUN] = False,
) -> EditAnswer:
    """Rename a symbol everywhere, with overrides, implementations, crefs and the file of a type.

    What may mean it is `undecided` until it is left or changed, strings and comments are `listed`. A name that would
    collide, hide or change another's meaning is refused.
    """
    request = EditRequest(kind=EditKind.RENAME, object=obj, text=new_name, leave=leave, change=change)
    return _made(bench, request, batch, rehearse=dry_run)


@declare("ExtractMethod", Faces("extract_method", "extract", "files"), effect=_CHANGES, errors=_ERRORS)
def extract_method(
    bench: Bench,
    obj: Annotated[str, Param("Whole statements, by their lines: `path/File.cs:120-131`.", name="object")],
    new_name: Annotated[str, Param("Name of the method.", is_text=always)],
    batch: Annotated[str | None, _BATCH] = None,
    dry_run: Annotated[bool, _DRY_RUN] = False,
) -> EditAnswer:
    """Make a method of statements, and put a call in their place.

    Early exits, yields and variables that a lambda shares are refused. `created` is the head of the method.
    """
    return _made(
        bench, EditRequest(kind=EditKind.EXTRACT, object=obj, text=new_name), batch, rehearse=dry_run
    )


@declare("MoveType", Faces("move_type", "move-type", "files"), effect=_CHANGES, errors=_ERRORS)
def move_type(
    bench: Bench,
    obj: Annotated[str, Param("Symbol path or id of an outermost type.", name="object")],
    batch: Annotated[str | None, _BATCH] = None,
    dry_run: Annotated[bool, _DRY_RUN] = False,
) -> EditAnswer:
    """Move a type to a file of its name, out of the one that it shares with others."""
    return _made(bench, EditRequest(kind=EditKind.MOVE, object=obj), batch, rehearse=dry_run)


@declare("ChangeSignature", Faces("change_signature", "signature", "files"), effect=_CHANGES, errors=_ERRORS)
def change_signature(
    bench: Bench,
    obj: Annotated[str, Param("Symbol path or id of a method.", name="object")],
    parameters: Annotated[
        str,
        Param(
            "By commas: names of those that stay, in their new order; `TYPE NAME := VALUE` adds one that calls pass "
            "VALUE for, `TYPE NAME = DEFAULT` an optional one.",
            is_text=always,
        ),
    ],
    leave: Annotated[tuple[str, ...], _LEAVE] = (),
    batch: Annotated[str | None, _BATCH] = None,
    dry_run: Annotated[bool, _DRY_RUN] = False,
) -> EditAnswer:
    """Add, remove and reorder the parameters of a method, with all that override or implement it and every call.

    A parameter that its body names, an argument with an effect that would go, and a use without a call are refused.
    """
    request = EditRequest(kind=EditKind.SIGNATURE, object=obj, text=parameters, leave=leave)
    return _made(bench, request, batch, rehearse=dry_run)


@declare(
    "ExtractInterface",
    Faces("extract_interface", "extract-interface", "files"),
    effect=_CHANGES,
    errors=_ERRORS,
)
def extract_interface(
    bench: Bench,
    obj: Annotated[str, Param("Symbol path or id of a type.", name="object")],
    new_name: Annotated[str, Param("Name of the interface.", is_text=always)],
    members: Annotated[
        tuple[str, ...], Param("Names of its members; all public ones without any.", flag="--member")
    ] = (),
    batch: Annotated[str | None, _BATCH] = None,
    dry_run: Annotated[bool, _DRY_RUN] = False,
) -> EditAnswer:
    """Make an interface of the public members of a type, in a file next to it, and have the type implement it."""
    request = EditRequest(kind=EditKind.INTERFACE, object=obj, text=new_name, members=members)
    return _made(bench, request, batch, rehearse=dry_run)


_ID = Param("Id of BeginEditBatch.")


@declare("BeginEditBatch", Faces("begin_edit_batch", None), effect=LOCKS, index=Need.NOTHING)
def begin_edit_batch(bench: Bench) -> EditBatch:
    """Open a batch: edits given its id are planned one on another; CommitEditBatch writes them as one."""
    return bench.batches.begin()


@declare(
    "CommitEditBatch",
    Faces("commit_edit_batch", "batch", "files"),
    effect=CHANGES,
    errors=(UsageError, *_ERRORS),
)
def commit_edit_batch(
    bench: Bench,
    batch: Annotated[str, _ID],
    dry_run: Annotated[bool, _DRY_RUN] = False,
) -> EditAnswer:
    """Write all edits of a batch as one, with one undo, or nothing."""
    return bench.batches.commit(batch, rehearse=dry_run)


@declare(
    "AbortEditBatch",
    Faces("abort_edit_batch", None),
    effect=GIVES_UP,
    index=Need.NOTHING,
    errors=(UsageError,),
)
def abort_edit_batch(bench: Bench, batch: Annotated[str, _ID]) -> EditBatch:
    """Drop a batch: nothing of it is written."""
    return bench.batches.abort(batch)
