"""Objects of SAP systems as the operations of SPEC section 7 name them: `adt:zcl_demo`, `adt:DEV:/sap/bc/adt/…`.

A source is fetched whole, once while its token holds, and cut here. Tokens are of the text that was read; a write
compares it with the text that the system has under the lock.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

from services.adt.client import ROOT, VERSIONS, AdtClient, HeldLock
from services.adt.values import KINDS, AdtActivation, AdtMessage, AdtObject, AdtReference
from services.concurrency.latest import LRUCache
from services.errors import (
    IncludeNotFound,
    LineOutOfRange,
    NotClassObject,
    SymbolNotFound,
    UsageError,
    VersionConflict,
)
from services.model import GrepAnswer, SourceRange
from services.model.source import ADT, Structure, StructureLink
from services.model.writes import LockAnswer, WriteAnswer
from services.source.grep.search import GrepRequest, grep_text
from services.source.read.token import parse_token, token_of
from services.source.text.edit import Edit, apply_edit, rewrite
from services.source.text.unified import diff_of
from services.workspace.text import Text, decode

NEW_LOCK = "new"
"""Handle that stands for a lock that is taken for one write and given back after it."""
_LINES = re.compile(r"(.*):(\d{1,9})(?:-(\d{1,9}))?")
_KEPT = 32
_KEPT_FOR = 300.0


class AdtPlace(NamedTuple):
    """A source of an object. `kind`: the include, main for the whole; `start`, `end`: lines that were named."""

    system: AdtClient
    about: AdtObject
    kind: str
    source: str
    start: int | None = None
    end: int | None = None


class AdtObjects:
    """The objects of all systems of the settings. Thread-safe. `systems`: what makes the client of each, by name."""

    def __init__(self, systems: Callable[[], Mapping[str, Callable[[], AdtClient]]]) -> None:
        self._systems = systems
        self._clients: dict[str, AdtClient] = {}
        self._lock = threading.RLock()
        self._texts: LRUCache[tuple[str, str, str], tuple[float, str, Text]] = LRUCache(_KEPT)

    def close(self) -> None:
        """Give every lock back, and log off everywhere."""
        with self._lock:
            for client in self._clients.values():
                client.close()
            self._clients.clear()

    def client(self, name: str = "") -> AdtClient:
        """Return the client of a system, or of the only one. Raises UsageError, AdtError."""
        known = self._systems()
        if not name and len(known) == 1:
            (name,) = known
        if name not in known:
            there = ", ".join(known) or "none: write one into your settings, as [adt.NAME] with url and user"
            said = f"There is no SAP system {name!r}." if name else "Name the system."
            raise UsageError(f"{said} There are: {there}.")
        with self._lock:
            if name not in self._clients:
                self._clients[name] = known[name]()
            return self._clients[name]

    def search(
        self, query: str, *, system: str = "", kind: str = "", most: int = 50
    ) -> tuple[AdtReference, ...]:
        """Return objects by a pattern of their names. Raises UsageError, AdtError."""
        pattern = query if "*" in query else f"{query}*"
        return self.client(system).search(pattern, kind=kind, most=most)

    def find(self, name: str, include: str | None = None, version: str = "") -> AdtPlace:
        """Return the source that a name and an include mean. Raises UsageError, SymbolNotFound, IncludeNotFound,
        NotClassObject, AdtError."""
        system, path, start, end = self._named(name)
        client = self.client(system)
        kind = include or "main"
        uri, part = _parted(path) if path.startswith(ROOT) else (self._looked_up(client, path), "")
        about = client.object(uri, version=version)
        if part and not include:
            kind = next((each.kind for each in about.includes if each.source == f"{uri}/{part}"), "main")
        if kind != "main" and not about.is_class:
            raise NotClassObject(
                f"{about.name} is no class, and has no {kind}. Read it without a part.", object=name
            )
        sources = {each.kind: each.source for each in about.includes} | {"main": about.source}
        if kind not in KINDS or kind not in sources:
            available = [each for each in KINDS if each in sources]
            message = f"{about.name} has no {kind}. It has {', '.join(available)}."
            raise IncludeNotFound(message, includeType=kind, available=available)
        return AdtPlace(client, about, kind, sources[kind], start, end)

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
        place = self.find(name, include, version)
        text, token = self._text(place, version)
        first, last = _bounds(place, text, start, end)
        return SourceRange(
            object=name,
            file=f"{ADT}{place.source}",
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
        place = self.find(name, include)
        text, _ = self._text(place, "workingArea")
        first, last = _bounds(place, text, None, None)
        found = grep_text(f"{ADT}{place.source}", text.data, request, ranges=[(first, last)])
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
        place = self.find(name)
        about, system = place.about, place.system.system.name
        text, token = self._text(place, "workingArea")
        facts = {
            "adtcore:name": about.name,
            "adtcore:type": about.type,
            "adtcore:version": about.version,
            "adtcore:description": about.description,
            "adtcore:packageRef": about.package,
            "adtcore:changedAt": about.changed_at,
            "adtcore:changedBy": about.changed_by,
            "abapsource:sourceUri": about.source,
        }
        return Structure(
            object=name,
            object_type=about.type,
            name=about.name,
            file=f"{ADT}{place.source}",
            start_line=1,
            end_line=text.line_count,
            line_count=text.line_count,
            token=token,
            changed_at=0,
            changed_by=about.changed_by,
            links=tuple(
                StructureLink(rel="source", href=f"{ADT}{system}:{each.source}", title=each.kind)
                for each in about.includes
            ),
            facts=facts,
        )

    def lock(self, name: str) -> LockAnswer:
        """Lock an object until it is unlocked, or this process ends. Raises as `find`, LockRequired, ReadOnly."""
        place = self.find(name)
        held = place.system.lock(place.about.uri)
        return _lock_answer(name, place, held)

    def unlock(self, name: str, handle: str) -> LockAnswer:
        """Give a lock back. Raises as `find`, LockRequired."""
        place = self.find(name)
        place.system.unlock(handle)
        return LockAnswer(
            object=name,
            files=(place.about.uri,),
            owner=place.system.system.user,
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
        """Replace a whole source under its lock. Raises as `edit`."""
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
        place = self.find(name)
        text = content if content is not None else self._text(place, "workingArea")[0].content
        return place.system.check(place.source, text)

    def activate(self, name: str) -> AdtActivation:
        """Activate an object. Raises as `find`."""
        place = self.find(name)
        with self._lock:
            self._texts.clear()
        return place.system.activate(place.about.uri, place.about.name)

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
        place = self.find(name, include)
        held = None if rehearse or handle != NEW_LOCK else place.system.lock(place.about.uri)
        try:
            # Read under the lock: what another wrote before it is seen, and nobody writes after.
            text = _fetched(place, "workingArea")
            now = token_of(text.data, 0)
            if parse_token(token).digest != parse_token(now).digest:
                message = f"{place.about.name} has changed since it was read. Read it again."
                raise VersionConflict(message, object=name, token=token, currentToken=now)
            data = make(text, place.source)
            after = decode(data)
            if not rehearse and data != text.data:
                place.system.write(
                    held.lock.handle if held else handle, place.source, after.content, transport=transport
                )
                self._forget(place)
        finally:
            if held is not None:
                place.system.unlock(held.lock.handle)
        old = lines or (1, text.line_count)
        grown = after.line_count - text.line_count
        return WriteAnswer(
            object=name,
            file=f"{ADT}{place.source}",
            updated=data != text.data and not rehearse,
            line_count=after.line_count,
            old_range=old,
            new_range=(old[0], old[1] + grown),
            timestamp=int(time.time() * 1_000),
            token=token_of(data, 0),
            diff=diff_of(place.source.lstrip("/"), text, after),
        )

    def _named(self, name: str) -> tuple[str, str, int | None, int | None]:
        """System, path or name, and lines of `adt:[SYSTEM:]PATH[:LINES]`."""
        rest = name.removeprefix(ADT)
        start = end = None
        if found := _LINES.fullmatch(rest):
            rest, start = found[1], int(found[2])
            end = int(found[3]) if found[3] else start
        system, colon, path = rest.partition(":")
        system, path = (system, path) if colon else ("", rest)
        if not path.strip():
            raise UsageError(f"{name!r} names nothing. Write adt:zcl_demo, or adt:SYSTEM:zcl_demo.")
        return system, path, start, end

    def _looked_up(self, client: AdtClient, name: str) -> str:
        found = [each for each in client.search(name, most=20) if each.name.casefold() == name.casefold()]
        if len(found) != 1:
            near = [each.name for each in client.search(f"{name}*", most=5)]
            more = f" Similar: {', '.join(near)}." if near else ""
            message = f"{client.system.name} has {'several objects' if found else 'no object'} called {name!r}.{more}"
            raise SymbolNotFound(message)
        return found[0].uri

    def _text(self, place: AdtPlace, version: str) -> tuple[Text, str]:
        """The text of a source and its token; fetched again once the system says that the object changed."""
        key = (place.system.system.name, place.source, version)
        mark = f"{place.about.version} {place.about.changed_at}"
        with self._lock:
            kept = self._texts.find(key)
            if kept is not None and kept[1] == mark and time.monotonic() - kept[0] < _KEPT_FOR:
                return kept[2], token_of(kept[2].data, 0)
        text = _fetched(place, version)
        with self._lock:
            self._texts.keep(key, (time.monotonic(), mark, text))
        return text, token_of(text.data, 0)

    def _forget(self, place: AdtPlace) -> None:
        with self._lock:
            for version in VERSIONS:
                self._texts.drop((place.system.system.name, place.source, version))


def _fetched(place: AdtPlace, version: str) -> Text:
    wanted = "" if version == "workingArea" else version
    return decode(place.system.source(place.source, version=wanted).encode())


def _parted(path: str) -> tuple[str, str]:
    """The object of a path, and the part of it that is a source."""
    uri, _, part = path.partition("/source/")
    if part:
        return uri, f"source/{part}"
    uri, _, part = path.partition("/includes/")
    return uri, f"includes/{part}" if part else ""


def _bounds(place: AdtPlace, text: Text, start: int | None, end: int | None) -> tuple[int, int]:
    first = start if start is not None else place.start or 1
    last = end if end is not None else place.end or text.line_count
    if not 1 <= first <= max(text.line_count, 1) or last < first - 1:
        message = f"{place.about.name} has {text.line_count} lines, not {first} to {last}."
        raise LineOutOfRange(message, object=place.source, lineCount=text.line_count)
    return first, min(last, text.line_count)


def _lock_answer(name: str, place: AdtPlace, held: HeldLock) -> LockAnswer:
    return LockAnswer(
        object=name,
        lock_handle=held.lock.handle,
        files=(place.about.uri,),
        owner=place.system.system.user,
        taken_at=int(time.time() * 1_000),
        lease_end=0,
        seconds=0,
        fence=0,
        correction=held.lock.transport,
        is_local="X" if held.lock.is_local else "",
        modification=held.lock.modification,
    )
