"""Objects of SAP systems as the operations of SPEC section 7 name them: `adt:zcl_demo`, `adt:DEV:/sap/bc/adt/…`.

A source is fetched whole, once while its token holds, and cut here. Tokens are of the text that was read; a write
compares it with the text that the system has under the lock.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import NamedTuple

from msgspec import structs

from services.adt.abap import members_of, outline_of, outline_of_member
from services.adt.client import AdtClient, HeldLock
from services.adt.places import AdtPlace, AdtPlaces, bounds, fetched
from services.adt.values import AdtActivation, AdtMessage, AdtObject, AdtReference, AdtTransport
from services.errors import UsageError, VersionConflict
from services.model import (
    GrepAnswer,
    Kind,
    Resolved,
    SearchAnswer,
    SearchHit,
    SourceRange,
    SymbolRef,
)
from services.model.source import ADT, NEW_LOCK, Structure, StructureLink
from services.model.writes import LockAnswer, WriteAnswer
from services.source.grep_search import GrepRequest, grep_text
from services.source.read.token import parse_token, token_of
from services.source.text.differ import diff_of
from services.source.text.edit import Edit, apply_edit, rewrite
from services.workspace.text import Text, decode

_KINDS = {"CLAS": Kind.CLASS, "INTF": Kind.INTERFACE}


class AdtExcerpt(NamedTuple):
    """An object, or lines of it, as read. `key`: what names it again; `start`, `end`: its lines; `outline`: its
    declarations; `member`: the one it is, else empty."""

    key: str
    label: str
    about: AdtObject
    system: str
    file: str
    start: int
    end: int
    token: str
    outline: str
    text: str
    member: str

    @property
    def is_part(self) -> bool:
        """Whether this is a member, or lines that were named."""
        return self.label != self.about.name


class AdtObjects:
    """The objects of all systems of the settings. Thread-safe. `systems`: what makes the client of each, by name."""

    def __init__(self, systems: Callable[[], Mapping[str, Callable[[], AdtClient]]]) -> None:
        self.places = AdtPlaces(systems)

    def search(
        self, query: str, *, system: str = "", kind: str = "", most: int = 50
    ) -> tuple[AdtReference, ...]:
        """Return objects by a pattern of their names. Raises UsageError, AdtError."""
        pattern = query if "*" in query else f"{query}*"
        return self.places.client(system).search(pattern, kind=kind, most=most)

    def symbols(self, query: str, *, limit: int = 50) -> SearchAnswer:
        """Return objects by `adt:[SYSTEM:]PATTERN` as a search for symbols does; of all systems where none is named.
        Raises as `search`."""
        began = time.monotonic()
        system, colon, pattern = query.removeprefix(ADT).strip().rpartition(":")
        found = [
            (name, each)
            for name in ((system,) if colon else self.places.names() or ("",))
            for each in (self.search(pattern, system=name, most=limit) if pattern else ())
        ]
        hits = tuple(
            SearchHit(
                symbol=_symbol(f"{name}:{each.name}", each, name, each.uri), score=1.0 - at / len(found)
            )
            for at, (name, each) in enumerate(found)
        )
        elapsed = (time.monotonic() - began) * 1_000
        return SearchAnswer(
            query=query, hits=hits[:limit], total=len(hits), searched=len(hits), elapsed_ms=elapsed
        )

    def read(
        self,
        name: str,
        *,
        start: int | None = None,
        end: int | None = None,
        include: str | None = None,
        version: str = "workingArea",
    ) -> SourceRange:
        """Return lines of a source, with the token of its text. Raises as `find`, and LineOutOfRange."""
        place = self.places.find(name, include, version)
        text, token = self.places.text(place, version)
        first, last = bounds(place, text, start, end)
        return SourceRange(
            object=name,
            file=_file(place),
            content=text.slice(first, last),
            token=token,
            line_count=text.line_count,
            start_line=first,
            end_line=last,
            requested_start_line=start,
            requested_end_line=end,
            changed_by=place.about.changed_by,
            object_type=place.about.type,
            version=version,
            include_type=include,
        )

    def grep(self, request: GrepRequest, name: str, *, include: str | None = None) -> GrepAnswer:
        """Return the matching lines of a source. Raises as `find`."""
        place = self.places.find(name, include)
        text, _ = self.places.text(place, "workingArea")
        first, last = bounds(place, text, None, None)
        found = grep_text(_file(place), text.data, request, ranges=[(first, last)])
        return GrepAnswer(
            pattern=request.pattern.text,
            matches=found.matches,
            match_count=len(found.matches),
            line_count=last - first + 1,
            truncated=found.truncated,
            object=name,
            object_type=place.about.type,
            include_type=include,
            searched=1,
        )

    def structure(self, name: str) -> Structure:
        """Return the facts of an object, and its includes as links. Raises as `find`."""
        place = self.places.find(name)
        about, system = place.about, place.system.system.name
        text, token = self.places.text(place, "workingArea")
        return Structure(
            object=name,
            object_type=about.type,
            name=about.name,
            file=_file(place),
            start_line=1,
            end_line=text.line_count,
            line_count=text.line_count,
            token=token,
            changed_at=_milliseconds(about.changed_at),
            changed_by=about.changed_by,
            links=(
                *(
                    StructureLink(rel="source", href=f"{ADT}{system}:{each.source}", title=each.kind)
                    for each in about.includes
                ),
                *(
                    StructureLink(
                        rel=each.kind,
                        href=f"{ADT}{system}:{about.source}:{each.first}-{each.last}",
                        title=each.name,
                    )
                    for each in members_of(text.content)
                ),
            ),
            facts={**about.facts, "adtcore:packageRef": about.package},
        )

    def excerpt(self, name: str) -> AdtExcerpt:
        """Return an object, lines or a member of it, with its declarations in ABAP. Raises as `find`, LineOutOfRange,
        and UsageError where abap-parser is not installed."""
        place = self.places.find(name)
        about, system = place.about, place.system.system.name
        text, token = self.places.text(place, "workingArea")
        first, last = bounds(place, text, None, None)
        declared = outline_of(text.content, is_cds=about.type.startswith("DDLS"))
        label = f"{about.name}=>{place.member}" if place.member else about.name
        lines = f":{first}-{last}" if place.start is not None and not place.member else ""
        part = "" if place.kind == "main" else place.source
        return AdtExcerpt(
            key=f"{system}:{part or label}{lines}",
            label=f"{label}{lines}",
            about=about,
            system=system,
            file=_file(place),
            start=first,
            end=last,
            token=token,
            outline=outline_of_member(declared, place.member) if place.member else declared,
            text=text.slice(first, last),
            member=place.member,
        )

    def outline(self, name: str) -> tuple[SymbolRef, Resolved, str]:
        """Return an object or a member of it, what its name was resolved to, and its declarations as Markdown. Raises
        as `excerpt`."""
        found = self.excerpt(name)
        about = found.about
        symbol = _symbol(found.key, about, found.system, found.file.rpartition(":")[2])
        symbol = structs.replace(
            symbol,
            kind=Kind.METHOD if found.member else symbol.kind,
            label=found.label,
            path=found.label,
            start_line=found.start,
            end_line=found.end,
        )
        head = f"# {found.label}: {about.type} {about.description}".rstrip()
        where = f"Package {about.package or 'unknown'}, {found.file}:{found.start}-{found.end}"
        shown = found.outline or f"{found.end - found.start + 1} lines that declare nothing known."
        resolved = Resolved(path=found.label, type_id=symbol.id, member_id=found.member or None)
        return symbol, resolved, f"{head}\n{where}\n\n```abap\n{shown}\n```\n"

    def lock(self, name: str) -> LockAnswer:
        """Lock an object until it is unlocked, or this process ends. Raises as `find`, LockRequired, ReadOnly."""
        place = self.places.find(name)
        held = place.system.lock(place.about.uri)
        return _lock_answer(name, place.system.system.user, held, held.lock.handle)

    def locks(self) -> tuple[LockAnswer, ...]:
        """Return the locks that this process holds in systems."""
        return tuple(
            _lock_answer(f"{ADT}{system.name}:{each.uri}", system.user, each, None)
            for system, each in self.places.held()
        )

    def unlock(self, name: str, handle: str) -> LockAnswer:
        """Give a lock back. Raises UsageError, LockRequired, AdtError."""
        system = self.places.system_of(name)
        return LockAnswer(
            object=name,
            files=(system.unlock(handle),),
            owner=system.system.user,
            lease_end=0,
            seconds=0,
            fence=0,
        )

    def edit(
        self,
        name: str,
        edit: Edit,
        *,
        token: str,
        handle: str,
        include: str | None = None,
        transport: str = "",
        rehearse: bool = False,
    ) -> WriteAnswer:
        """Replace lines of a source under its lock; the object is inactive then. Raises as `find`, VersionConflict,
        LineOutOfRange, LockRequired, TokenInvalid."""
        return self._change(
            name,
            lambda text, path: apply_edit(text, edit, path=path).data,
            token=token,
            handle=handle,
            include=include,
            transport=transport,
            rehearse=rehearse,
            lines=(edit.start, edit.end),
        )

    def replace(
        self,
        name: str,
        content: str,
        *,
        token: str,
        handle: str,
        transport: str = "",
        rehearse: bool = False,
    ) -> WriteAnswer:
        """Replace a whole source under its lock. Raises as `edit`, and UsageError for a name of lines or a member."""
        return self._change(
            name,
            lambda text, path: rewrite(text, content, path=path),
            token=token,
            handle=handle,
            include=None,
            transport=transport,
            rehearse=rehearse,
            lines=None,
        )

    def check(self, name: str, content: str | None = None) -> tuple[AdtMessage, ...]:
        """Check the syntax of a text, or of the source as the system has it. Raises as `find`."""
        place = self.places.find(name)
        text = content if content is not None else self.places.text(place, "workingArea")[0].content
        return place.system.check(place.source, text)

    def activate(self, name: str) -> AdtActivation:
        """Activate an object. Raises as `find`."""
        place = self.places.find(name)
        self.places.forget_all()
        return place.system.activate(place.about.uri, place.about.name)

    def transports(self, name: str) -> tuple[AdtTransport, ...]:
        """Return the open requests that a change of an object can be recorded in. Raises as `find`."""
        place = self.places.find(name)
        return place.system.transports(place.about.uri, place.about.package)

    def record(self, name: str, text: str) -> str:
        """Create a transport request for changes of an object, and return its number. Raises as `find`."""
        place = self.places.find(name)
        return place.system.create_transport(place.about.uri, place.about.package, text)

    def _change(
        self,
        name: str,
        make: Callable[[Text, str], bytes],
        *,
        token: str,
        handle: str,
        include: str | None,
        transport: str,
        rehearse: bool,
        lines: tuple[int, int] | None,
    ) -> WriteAnswer:
        parse_token(token)
        place = self.places.find(name, include)
        if lines is None and place.start is not None:
            raise UsageError(
                f"{name} names a part of {place.about.name}. Name the object, or the lines to replace."
            )
        held = None if rehearse or handle != NEW_LOCK else place.system.lock(place.about.uri)
        try:
            # Read under the lock: what another wrote before it is seen, and nobody writes after.
            text = _unchanged(place, name, token)
            data = make(text, place.source)
            after = decode(data)
            if not rehearse and data != text.data:
                place.system.write(
                    held.lock.handle if held else handle, place.source, after.content, transport=transport
                )
                self.places.forget(place)
        finally:
            if held is not None:
                place.system.unlock(held.lock.handle)
        old = lines or (1, text.line_count)
        grown = after.line_count - text.line_count
        return WriteAnswer(
            object=name,
            file=_file(place),
            updated=data != text.data and not rehearse,
            line_count=after.line_count,
            old_range=old,
            new_range=(old[0], old[1] + grown),
            timestamp=int(time.time() * 1_000),
            token=token_of(data, 0),
            diff=diff_of(place.source.lstrip("/"), text, after),
        )


def _unchanged(place: AdtPlace, name: str, token: str) -> Text:
    """Return the source of an object as it is. Raises VersionConflict where the token is of another content."""
    text = fetched(place, "workingArea")
    now = token_of(text.data, 0)
    if parse_token(token).digest != parse_token(now).digest:
        message = f"{place.about.name} has changed since it was read. Read it again."
        raise VersionConflict(message, object=name, token=token, currentToken=now)
    return text


def _file(place: AdtPlace) -> str:
    return f"{ADT}{place.system.system.name}:{place.source}"


def _symbol(key: str, about: AdtReference | AdtObject, system: str, source: str) -> SymbolRef:
    return SymbolRef(
        id=f"{ADT}{key}",
        kind=_KINDS.get(about.type.partition("/")[0], Kind.CLASS),
        label=about.name,
        path=about.name,
        container=about.package,
        file=f"{ADT}{system}:{source}",
        start_line=1,
        end_line=1,
        project=system,
        access="public",
    )


def _milliseconds(written: str) -> int:
    """A time as systems write it, as milliseconds since 1970; 0 for anything else."""
    try:
        return int(datetime.fromisoformat(written).timestamp() * 1_000)
    except ValueError:
        return 0


def _lock_answer(name: str, user: str, held: HeldLock, handle: str | None) -> LockAnswer:
    return LockAnswer(
        object=name,
        lock_handle=handle,
        files=(held.uri,),
        owner=user,
        taken_at=int(held.since * 1_000),
        lease_end=0,
        seconds=0,
        fence=0,
        correction=held.lock.transport,
        is_local="X" if held.lock.is_local else "",
        modification=held.lock.modification,
    )
