"""Operations on SAP systems that files have no like of (SPEC section 16). Reads and writes are those of files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from services.adt.values import AdtMessage, AdtReference, AdtTransport
from services.errors import RemoteError, SymbolNotFound
from services.model import Value
from services.operations.needs import Need
from services.operations.operation import CHANGES, Effect, Faces, Param, Right, always, declare

if TYPE_CHECKING:
    from services.bench import Bench

_OBJECT = Param("Object of an SAP system: `adt:zcl_demo`, or `adt:SYSTEM:zcl_demo`.", name="object")
_SYSTEM = Param("System of the settings ([adt.NAME]), where there are several.", flag="--system")


class AdtObjectsAnswer(Value, kw_only=True, frozen=True):
    """Objects of a system."""

    objects: tuple[AdtReference, ...]


class AdtCheckAnswer(Value, kw_only=True, frozen=True):
    """Messages of a check or an activation. `success`: there is no error, and nothing is left inactive."""

    success: bool
    messages: tuple[AdtMessage, ...]
    inactive: tuple[AdtReference, ...] = ()


class AdtTransportsAnswer(Value, kw_only=True, frozen=True):
    """Transport requests of a system."""

    transports: tuple[AdtTransport, ...]


@declare("SearchSystem", Faces(None, "adt-search", "objects"), index=Need.NOTHING, errors=(RemoteError,))
def search_system(
    bench: Bench,
    query: Annotated[str, Param("Name, with `*` for any letters.", words=True, is_text=always)],
    system: Annotated[str, _SYSTEM] = "",
    kind: Annotated[str, Param("Only objects of this type, as CLAS.", flag="--kind")] = "",
    limit: Annotated[int, Param("Most objects to answer.", flag="--limit", least=1, most=1_000)] = 50,
) -> AdtObjectsAnswer:
    """Find objects of an SAP system by name."""
    return AdtObjectsAnswer(objects=bench.systems.search(query, system=system, kind=kind, most=limit))


@declare(
    "CheckSystemSource",
    Faces(None, "adt-check", "messages"),
    index=Need.NOTHING,
    errors=(RemoteError, SymbolNotFound),
)
def check_system_source(
    bench: Bench,
    obj: Annotated[str, _OBJECT],
    content: Annotated[
        str | None, Param("Text to check in its place.", flag="--content", is_text=always)
    ] = None,
) -> AdtCheckAnswer:
    """Check the syntax of an SAP object, or of a text in its place."""
    messages = bench.systems.check(obj, content)
    return AdtCheckAnswer(success=not any(each.is_error for each in messages), messages=messages)


@declare(
    "ActivateSystemObject",
    Faces(None, "adt-activate", "messages"),
    effect=CHANGES,
    index=Need.NOTHING,
    errors=(RemoteError, SymbolNotFound),
)
def activate_system_object(
    bench: Bench,
    obj: Annotated[str, _OBJECT],
    dry_run: Annotated[bool, Param("Check, and activate nothing.", flag="--dry-run")] = False,
) -> AdtCheckAnswer:
    """Activate an SAP object that was written."""
    if dry_run:
        return check_system_source.function(bench, obj)
    done = bench.systems.activate(obj)
    return AdtCheckAnswer(success=done.succeeded, messages=done.messages, inactive=done.inactive)


@declare(
    "ListInactiveObjects", Faces(None, "adt-inactive", "objects"), index=Need.NOTHING, errors=(RemoteError,)
)
def list_inactive_objects(bench: Bench, system: Annotated[str, _SYSTEM] = "") -> AdtObjectsAnswer:
    """List the objects of an SAP system that are written and not active."""
    return AdtObjectsAnswer(objects=bench.systems.places.client(system).inactive())


@declare(
    "ListTransports",
    Faces(None, "adt-transports", "transports"),
    index=Need.NOTHING,
    errors=(RemoteError, SymbolNotFound),
)
def list_transports(bench: Bench, obj: Annotated[str, _OBJECT]) -> AdtTransportsAnswer:
    """List the transport requests that a change of an SAP object can be recorded in."""
    return AdtTransportsAnswer(transports=bench.systems.transports(obj))


@declare(
    "CreateTransport",
    Faces(None, "adt-transport-create", "transports"),
    effect=Effect(read_only=False, idempotent=False, right=Right.WRITE),
    index=Need.NOTHING,
    errors=(RemoteError, SymbolNotFound),
)
def create_transport(
    bench: Bench,
    obj: Annotated[str, _OBJECT],
    text: Annotated[str, Param("What the request is for, in words.", words=True, is_text=always)],
) -> AdtTransportsAnswer:
    """Create a transport request for changes of an SAP object."""
    return AdtTransportsAnswer(transports=(AdtTransport(number=bench.systems.record(obj, text), text=text),))
