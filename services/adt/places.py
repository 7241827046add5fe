"""Places that names of SAP objects mean: `adt:zcl_demo`, `adt:zcl_demo=>add`, `adt:DEV:/sap/bc/adt/…:10-20`.

A source is fetched whole, once while the system says that it has not changed.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

from services.adt.abap import members_of, split_member
from services.adt.client import AdtClient, HeldLock
from services.adt.values import KINDS, AdtObject, AdtSystem
from services.adt.wire import ROOT, VERSIONS
from services.concurrency.latest import MadeOnce, SharedCache
from services.errors import IncludeNotFound, LineOutOfRange, NotClassObject, SymbolNotFound, UsageError
from services.model.source import ADT
from services.source.read.token import token_of
from services.workspace.text import Text, decode

_LINES = re.compile(r"(.*):(\d{1,9})(?:-(\d{1,9}))?")
_KEPT = 32
_KEPT_FOR = 300.0


class AdtPlace(NamedTuple):
    """A source of an object. `kind`: the include, main for the whole; `start`, `end`: lines that were named, or that a
    named member takes, whose name is `member`."""

    system: AdtClient
    about: AdtObject
    kind: str
    source: str
    start: int | None = None
    end: int | None = None
    member: str = ""


class _KeptText(NamedTuple):
    """A source as fetched. `at`: by the monotonic clock; `mark`: what the object said of its last change."""

    at: float
    mark: str
    text: Text
    etag: str


class AdtPlaces:
    """The sources of all systems of the settings. Thread-safe. `systems`: what makes the client of each, by name."""

    def __init__(self, systems: Callable[[], Mapping[str, Callable[[], AdtClient]]]) -> None:
        self._systems = systems
        self._clients: MadeOnce[str, AdtClient] = MadeOnce()
        self._texts: SharedCache[tuple[str, str, str], _KeptText] = SharedCache(_KEPT)

    def close(self) -> None:
        """Give every lock back, and log off everywhere."""
        self._clients.clear(AdtClient.close)

    def names(self) -> tuple[str, ...]:
        """Return the names of the systems."""
        return tuple(self._systems())

    def client(self, name: str = "") -> AdtClient:
        """Return the client of a system, or of the only one. Raises UsageError, AdtError."""
        known = self._systems()
        if not name and len(known) == 1:
            (name,) = known
        if name not in known:
            there = ", ".join(known) or "none: write one into your settings, as [adt.NAME] with url and user"
            said = f"There is no SAP system {name!r}." if name else "Name the system."
            raise UsageError(f"{said} There are: {there}.")
        return self._clients.get(name, known[name])

    def system_of(self, name: str) -> AdtClient:
        """Return the client of the system that a name is of, without asking it for the object. Raises UsageError,
        AdtError."""
        return self.client(self._named(name)[0])

    def held(self) -> tuple[tuple[AdtSystem, HeldLock], ...]:
        """Return the locks that are held in all systems, each behind its system."""
        return tuple((client.system, each) for client in self._clients.values() for each in client.held())

    def find(self, name: str, include: str | None = None, version: str = "") -> AdtPlace:
        """Return the source that a name and an include mean. Raises UsageError, SymbolNotFound, IncludeNotFound,
        NotClassObject, AdtError."""
        system, path, start, end = self._named(name)
        path, member = (path, "") if path.startswith(ROOT) else split_member(path)
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
        place = AdtPlace(client, about, kind, sources[kind], start, end, member)
        return self._at_member(place, version or "workingArea") if member else place

    def _at_member(self, place: AdtPlace, version: str) -> AdtPlace:
        """Return the place with the lines of its member. Raises SymbolNotFound."""
        members = members_of(self.text(place, version)[0].content)
        for each in members:
            if each.name.casefold() == place.member.casefold():
                return place._replace(member=each.name, start=each.first, end=each.last)
        there = [each.name for each in members if each.kind in ("method", "form", "function")][:12]
        message = f"{place.about.name} has no member {place.member!r}. It has {', '.join(there) or 'none'}."
        raise SymbolNotFound(message, suggestions=[f"{place.about.name}=>{each}" for each in there])

    def text(self, place: AdtPlace, version: str) -> tuple[Text, str]:
        """Return the text of a source and its token; fetched again once the system says that the object changed.
        Raises AdtError."""
        key = (place.system.system.name, place.source, version)
        mark = f"{place.about.version} {place.about.changed_at}"
        kept = self._texts.find(key)
        if kept is not None and kept.mark == mark and time.monotonic() - kept.at < _KEPT_FOR:
            return kept.text, token_of(kept.text.data, 0)
        found = place.system.source(
            place.source, version=_wanted(version), etag=kept.etag if kept is not None else ""
        )
        if found is not None:
            text, etag = decode(found.text.encode(), place.source), found.etag
        else:
            assert kept is not None  # the system compares only with an etag that it gave
            text, etag = kept.text, kept.etag
        self._texts.keep(key, _KeptText(time.monotonic(), mark, text, etag))
        return text, token_of(text.data, 0)

    def forget(self, place: AdtPlace) -> None:
        """Fetch a source again when it is read next."""
        for version in VERSIONS:
            self._texts.drop((place.system.system.name, place.source, version))

    def forget_all(self) -> None:
        """Fetch every source again when it is read next."""
        self._texts.clear()

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


def fetched(place: AdtPlace, version: str) -> Text:
    """Return the text that the system has now. Raises AdtError."""
    found = place.system.source(place.source, version=_wanted(version))
    assert found is not None  # nothing is compared without an etag
    return decode(found.text.encode(), place.source)


def _wanted(version: str) -> str:
    return "" if version == "workingArea" else version


def _parted(path: str) -> tuple[str, str]:
    """The object of a path, and the part of it that is a source."""
    uri, _, part = path.partition("/source/")
    if part:
        return uri, f"source/{part}"
    uri, _, part = path.partition("/includes/")
    return uri, f"includes/{part}" if part else ""


def bounds(place: AdtPlace, text: Text, start: int | None, end: int | None) -> tuple[int, int]:
    """Return the lines that were asked for, or those of the place. Raises LineOutOfRange."""
    first = start if start is not None else place.start or 1
    last = end if end is not None else place.end or text.line_count
    if not 1 <= first <= max(text.line_count, 1) or last < first - 1:
        message = f"{place.about.name} has {text.line_count} lines, not {first} to {last}."
        raise LineOutOfRange(message, object=place.source, lineCount=text.line_count)
    return first, min(last, text.line_count)
