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
    VersionConflict,
)
from services.model.writes import EditAnswer
from services.operations.operation import CHANGES, Faces, Param, always, declare

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
_DRY_RUN = Param("Check and answer the diff, without writing.", flag="--dry-run")


@declare("RenameSymbol", Faces("rename_symbol", "rename", "files"), effect=CHANGES, errors=_ERRORS)
def rename_symbol(
    bench: Bench,
    obj: Annotated[
        str,
        Param(
            "Symbol path or id; or `path/File.cs:120:17`, the place of a name, for a parameter, a local or a type "
            "parameter.",
            name="object",
        ),
    ],
    new_name: Annotated[str, Param("Its new name.", is_text=always)],
    leave: Annotated[
        tuple[str, ...],
        Param(
            "Places to leave as they are: `FILE:LINE[:COLUMN]`, or `all` that are not certain.",
            flag="--leave",
        ),
    ] = (),
    change: Annotated[
        tuple[str, ...],
        Param("Places to change too: `FILE:LINE[:COLUMN]`, or `all` that are not certain.", flag="--change"),
    ] = (),
    dry_run: Annotated[bool, _DRY_RUN] = False,
) -> EditAnswer:
    """Rename a symbol everywhere: declarations, usages, overrides and implementations, crefs, and the file of a type.

    Only bound names change: what may mean it is `undecided` until it is left or changed, strings and comments are
    `listed`. A name that would collide, hide or change another's meaning is refused.
    """
    from services.edits.decisions import Decisions

    return bench.refactoring.rename(obj, new_name, Decisions(leave, change), rehearse=dry_run)


@declare(
    "ExtractMethod",
    Faces("extract_method", "extract", "files"),
    effect=CHANGES,
    errors=_ERRORS,
)
def extract_method(
    bench: Bench,
    obj: Annotated[
        str, Param("Whole statements of one member, by their lines: `path/File.cs:120-131`.", name="object")
    ],
    new_name: Annotated[str, Param("Name of the method.", is_text=always)],
    dry_run: Annotated[bool, _DRY_RUN] = False,
) -> EditAnswer:
    """Make a method of statements, and put a call in their place.

    What flows in becomes parameters, what comes back the result. Early exits, yields and variables that a lambda shares
    are refused. `created` is the head of the method.
    """
    return bench.refactoring.extract(obj, new_name, rehearse=dry_run)


@declare("MoveType", Faces("move_type", "move-type", "files"), effect=CHANGES, errors=_ERRORS)
def move_type(
    bench: Bench,
    obj: Annotated[str, Param("Symbol path or id of an outermost type.", name="object")],
    dry_run: Annotated[bool, _DRY_RUN] = False,
) -> EditAnswer:
    """Move a type to a file of its name, out of the one that it shares with others.

    Every name of both files has to mean what it means now.
    """
    return bench.refactoring.move(obj, rehearse=dry_run)


@declare(
    "ChangeSignature",
    Faces("change_signature", "signature", "files"),
    effect=CHANGES,
    errors=_ERRORS,
)
def change_signature(
    bench: Bench,
    obj: Annotated[str, Param("Symbol path or id of a method.", name="object")],
    parameters: Annotated[
        str,
        Param(
            "The new parameters, by commas: names of those that stay, in their new order; `TYPE NAME := VALUE` adds "
            "one that calls pass VALUE for, `TYPE NAME = DEFAULT` an optional one.",
            is_text=always,
        ),
    ],
    leave: Annotated[
        tuple[str, ...],
        Param(
            "Places to leave as they are: `FILE:LINE[:COLUMN]`, or `all` that are not certain.",
            flag="--leave",
        ),
    ] = (),
    dry_run: Annotated[bool, _DRY_RUN] = False,
) -> EditAnswer:
    """Add, remove and reorder the parameters of a method, with all that override or implement it and every call.

    A parameter that its body names, an argument with an effect that would go, and a use without a call are refused.
    """
    from services.edits.decisions import Decisions

    return bench.refactoring.change_signature(obj, parameters, Decisions(leave), rehearse=dry_run)


@declare(
    "ExtractInterface",
    Faces("extract_interface", "extract-interface", "files"),
    effect=CHANGES,
    errors=_ERRORS,
)
def extract_interface(
    bench: Bench,
    obj: Annotated[str, Param("Symbol path or id of a type.", name="object")],
    new_name: Annotated[str, Param("Name of the interface.", is_text=always)],
    members: Annotated[
        tuple[str, ...], Param("Names of its members; all public ones without any.", flag="--member")
    ] = (),
    dry_run: Annotated[bool, _DRY_RUN] = False,
) -> EditAnswer:
    """Make an interface of the public members of a type, in a file next to it, and have the type implement it."""
    return bench.refactoring.extract_interface(obj, new_name, members, rehearse=dry_run)
