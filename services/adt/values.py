"""Values of an ADT system, named as its wire names them where a client sees them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from services.errors import SettingsError
from services.model import Value

KINDS = ("main", "definitions", "implementations", "macros", "testclasses")


class AdtSystem(Value, kw_only=True, frozen=True):
    """A system of the settings. `url`: of its HTTP port; `client`: three digits; `password`: where it is."""

    name: str
    url: str
    user: str
    client: str = "001"
    language: str = "EN"
    password: str = "env:ADT_PASSWORD"


class AdtReference(Value, kw_only=True, frozen=True):
    """An object of a system. `uri`: its path on the server; `type`: such as CLAS/OC; `state`: of an inactive object,
    who made it so."""

    uri: str
    name: str
    type: str = ""
    package: str = ""
    description: str = ""
    state: str = ""


class AdtInclude(Value, kw_only=True, frozen=True):
    """A part of a class that has a source of its own. `kind`: one of KINDS; `source`: the path of its source;
    `changed_at`: as the system writes it."""

    kind: str
    source: str
    changed_at: str = ""


class AdtObject(Value, kw_only=True, frozen=True):
    """Facts of an object, and where its sources are. `version`: active or inactive; `facts`: all that the system says
    of it, as `adtcore:responsible`."""

    uri: str
    name: str
    type: str
    version: str = ""
    description: str = ""
    package: str = ""
    changed_at: str = ""
    changed_by: str = ""
    source: str = ""
    includes: tuple[AdtInclude, ...] = ()
    facts: Mapping[str, str] = {}

    @property
    def is_class(self) -> bool:
        """Whether it has includes as classes have."""
        return self.type.startswith("CLAS")


class AdtSource(Value, kw_only=True, frozen=True):
    """Text of a source. `etag`: what the system knows this text by, empty where it names none."""

    text: str
    etag: str = ""


class AdtLock(Value, kw_only=True, frozen=True):
    """Lock of a system. `handle`: sent with every write; `transport`: the request that the object is locked in, empty
    where there is none; `is_local`: it is in a package that is not transported."""

    handle: str
    transport: str = ""
    transport_text: str = ""
    transport_user: str = ""
    is_local: bool = False
    modification: str = ""


class AdtTransport(Value, kw_only=True, frozen=True):
    """A transport request that a change can be recorded in."""

    number: str
    text: str = ""


class AdtMessage(Value, kw_only=True, frozen=True):
    """A message of a check or an activation. `kind`: E, W or I, also A and X, which are errors; `line` is 1-based, 0
    where the whole is meant."""

    kind: str
    text: str
    uri: str = ""
    line: int = 0
    column: int = 0

    @property
    def is_error(self) -> bool:
        """Whether the message reports a failure."""
        return self.kind in ("E", "A", "X")


class AdtActivation(Value, kw_only=True, frozen=True):
    """Outcome of an activation. `inactive`: what is still inactive."""

    messages: tuple[AdtMessage, ...] = ()
    inactive: tuple[AdtReference, ...] = ()

    @property
    def succeeded(self) -> bool:
        """Whether all is active now."""
        return not self.inactive and not any(each.is_error for each in self.messages)


def is_transport(text: str) -> bool:
    """Whether a text is the number of a transport request."""
    return re.fullmatch(r"[A-Z0-9]{3}K[0-9]{6}", text) is not None


def systems_of(table: dict[str, str]) -> dict[str, AdtSystem]:
    """The systems of the settings, whose fields are `NAME.field`. Raises SettingsError for one without url or user."""
    found: dict[str, dict[str, str]] = {}
    for key, value in table.items():
        name, _, field = key.rpartition(".")
        found.setdefault(name, {})[field] = value
    made = {}
    for name, fields in found.items():
        unknown = fields.keys() - {"url", "user", "client", "language", "password"}
        if not name or unknown or not {"url", "user"} <= fields.keys():
            message = f"[adt.{name or 'NAME'}] has url and user, and may have client, language and password."
            raise SettingsError(message, source="settings", key=f"adt.{name}")
        made[name] = AdtSystem(name=name, **fields)
    return made
