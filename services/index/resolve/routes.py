"""HTTP routes as names of methods: `GET /playlists/{id}` leads to the action that answers it (SPEC section 5).

Templates come from attributes on controllers and actions (`Route`, `HttpGet` and its kin, `AcceptVerbs`), inherited
ones too. What is mapped by calls (`MapGet`) or named by constants is not read. A constraint is never evaluated as a
pattern: only whether a number or a GUID fits is looked at, so that a regular expression in a template costs nothing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from services.concurrency.lazy import expression
from services.index.catalog.catalogue import Catalogue
from services.index.catalog.records import Records
from services.index.symbols.attributes import attribute_name, written_attributes
from services.model import TYPE_KINDS
from services.syntax.records.declaration import Declaration, FileRecord

_VERBS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_HTTP = {f"Http{verb.capitalize()}": verb for verb in _VERBS}
_OF_TYPES = frozenset({"Route", "RoutePrefix"})
_OF_METHODS = frozenset({*_HTTP, "Route", "AcceptVerbs"})
_ASKED = expression(
    rf"(?<![\w/])({'|'.join(_VERBS)})\s+[\"'`]?(?:https?://[^/\s\"'`]+)?(/[^\s\"'`?#,;]*)(?:[?#][^\s\"'`]*)?"
)
_LONGEST = 2_000
_TEMPLATE = expression(r'\(\s*(?:template\s*:\s*)?(@?)"((?:\\.|""|[^"\\]|(?<=@)\\)*)"')
_OF_ACCEPT = expression(r'\bRoute\s*=\s*(@?)"((?:\\.|[^"\\])*)"')
_QUOTED = expression(r'"([A-Za-z]+)"')
_TOKEN = expression(r"\[(\w+)\]")
_NUMBER = expression(r"[+-]?\d+")
_GUID = expression(r"\{?[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}\}?")
_FITS = {"int": _NUMBER, "long": _NUMBER, "guid": _GUID}
_MOST_BASES = 8


class AskedRoute(NamedTuple):
    """A route that a text names: a verb and a path."""

    text: str
    verb: str
    path: str


class Segment(msgspec.Struct, frozen=True):
    """A part of a template between slashes. `literal`: in lower case, None where it has a parameter; `constraints`: of
    the parameter; `rest`: whether it takes all that follows; `optional`: whether it may be missing."""

    literal: str | None
    constraints: tuple[str, ...] = ()
    rest: bool = False
    optional: bool = False


class ActionRoute(NamedTuple):
    """A template of a method, by file and declaration. `verb`: empty where any will do."""

    verb: str
    segments: tuple[Segment, ...]
    file: int
    at: int


def asked_routes(text: str) -> Iterator[AskedRoute]:
    """The routes that a text names with their verbs, each once."""
    seen: set[tuple[str, str]] = set()
    for match in _ASKED.finditer(text):
        if len(match[2]) <= _LONGEST and (match[1], match[2]) not in seen:
            seen.add((match[1], match[2]))
            yield AskedRoute(match[0], match[1], match[2])


def asked_route(text: str) -> AskedRoute | None:
    """The route that a text is; None where it is something else."""
    match = _ASKED.fullmatch(text.strip()) if len(text) <= _LONGEST else None
    return AskedRoute(match[0], match[1], match[2]) if match is not None else None


class RouteTable:
    """Routes of all actions of one revision."""

    def __init__(self, catalogue: Catalogue, records: Records) -> None:
        self._records = records
        self._controllers: dict[str, list[tuple[FileRecord, Declaration, bytes]]] = defaultdict(list)
        self._actions: list[tuple[int, int, FileRecord]] = []
        for file, entry in enumerate(catalogue.files):
            record = records.record(file) if entry and not entry.shadow else None
            for at, each in enumerate(record.declarations if record is not None else ()):
                self._add(file, at, each, record)
        self._routes = list(self._all())

    def find(self, asked: AskedRoute) -> list[tuple[int, int]]:
        """The methods that answer a route, by file and declaration: of several that fit, those with most of its parts
        written out."""
        parts = [part.lower() for part in asked.path.split("/") if part]
        fitting = [
            (_literals(route.segments), route)
            for route in self._routes
            if route.verb in (asked.verb, "") and _fits(route.segments, parts)
        ]
        most = max((count for count, _ in fitting), default=0)
        return list(dict.fromkeys((route.file, route.at) for count, route in fitting if count == most))

    def _add(self, file: int, at: int, each: Declaration, record: FileRecord | None) -> None:
        names = {attribute_name(name) for name in each.attributes}
        if record is None or not (names or each.bases):
            return
        if each.kind in TYPE_KINDS:
            text = self._records.text(file) if names & _OF_TYPES else b""
            self._controllers[each.name].append((record, each, text or b""))
        elif names & _OF_METHODS:
            self._actions.append((file, at, record))

    def _all(self) -> Iterator[ActionRoute]:
        for file, at, record in self._actions:
            method = record.declarations[at]
            text = self._records.text(file)
            if text is None or method.parent < 0:
                continue
            owner = record.declarations[method.parent]
            prefixes = self._prefixes(owner) or ("",)
            names = {
                "controller": owner.name.removesuffix("Controller"),
                "action": method.name.removesuffix("Async"),
            }
            for verb, template in _templates_of_method(text, method):
                for prefix in prefixes:
                    yield ActionRoute(verb, segments(_joined(prefix, template, names)), file, at)

    def _prefixes(self, owner: Declaration) -> tuple[str, ...]:
        """The templates of a controller, or of the nearest base that has some. Bases are told by simple names."""
        names, seen = [owner.name], set[str]()
        while names and len(seen) < _MOST_BASES:
            name = names.pop(0)
            if name in seen:
                continue
            seen.add(name)
            parts = self._controllers.get(name, ())
            if found := tuple(each for _, type_, text in parts for each in _templates_of_type(text, type_)):
                return found
            names += [
                base.partition("<")[0].rpartition(".")[2] for _, type_, _ in parts for base in type_.bases[:1]
            ]
        return ()


def segments(template: str) -> tuple[Segment, ...]:
    """The parts of a template. Braces may be escaped by doubling, also within a constraint; a part with one that
    nothing closes is taken as it stands."""
    return tuple(_segment(part) for part in _split(template) if part)


def _split(template: str) -> Iterator[str]:
    """The texts between the slashes that are in no braces."""
    part, at, depth = "", 0, 0
    while at < len(template):
        two, one = template[at : at + 2], template[at]
        if two in ("{{", "}}"):
            part, at = part + two, at + 2
            continue
        depth = 1 if one == "{" else 0 if one == "}" else depth
        if one == "/" and not depth:
            yield part
            part = ""
        else:
            part += one
        at += 1
    yield part


def _segment(part: str) -> Segment:
    bare = part.replace("{{", "\0").replace("}}", "\1")
    if "{" not in bare or "}" not in bare.partition("{")[2]:
        return Segment(bare.replace("\0", "{").replace("\1", "}").lower())
    inside = bare.partition("{")[2].partition("}")[0]
    if not bare.startswith("{") or not bare.endswith("}"):
        return Segment(None)
    name, *constraints = inside.split(":")
    return Segment(
        None,
        tuple(each.strip("?").lower() for each in constraints),
        rest=name.startswith("*"),
        optional=inside.endswith("?") or "=" in name,
    )


def _fits(template: Sequence[Segment], parts: Sequence[str]) -> bool:
    """Whether a path fits a template. A part of the path in braces stands for any value."""
    for at, segment in enumerate(template):
        if segment.rest:
            return True
        if at >= len(parts):
            return all(each.optional or each.rest for each in template[at:])
        part = parts[at]
        if segment.literal is not None:
            if part != segment.literal:
                return False
        elif not part.startswith("{") and not all(
            pattern.fullmatch(part) for each in segment.constraints if (pattern := _FITS.get(each))
        ):
            return False
    return len(parts) <= len(template)


def _literals(template: Sequence[Segment]) -> int:
    return sum(segment.literal is not None for segment in template)


def _joined(prefix: str, template: str, names: dict[str, str]) -> str:
    """The template of a method behind that of its controller, unless it begins at the root."""
    is_rooted = template.startswith(("/", "~/"))
    whole = template.removeprefix("~") if is_rooted else f"{prefix}/{template}"
    return _TOKEN.sub(lambda match: names.get(match[1].lower(), "{" + match[1] + "}"), whole)


def _templates_of_type(text: bytes, declaration: Declaration) -> Iterator[str]:
    for written in written_attributes(text, declaration):
        if attribute_name(written) in _OF_TYPES and (found := _template(written)) not in (None, _UNREAD):
            yield found or ""


def _templates_of_method(text: bytes, declaration: Declaration) -> Iterator[tuple[str, str]]:
    """The verbs and templates of a method: those of `Route` serve its verbs where these have none of their own."""
    verbs: list[tuple[str, str | None]] = []
    routes: list[str] = []
    for written in written_attributes(text, declaration):
        name = attribute_name(written)
        if name not in _OF_METHODS:
            continue
        found = _template(written)
        if found == _UNREAD and name != "AcceptVerbs":
            return
        if name in _HTTP:
            verbs.append((_HTTP[name], found))
        elif name == "AcceptVerbs":
            route = _OF_ACCEPT.search(written)
            own = route[2] if route is not None else None
            verbs += [(verb.upper(), own) for verb in _QUOTED.findall(written.partition("Route")[0])]
        elif name == "Route" and found is not None:
            routes.append(found)
    for verb, own in verbs or [("", None)]:
        yield from ((verb, each) for each in ([own] if own is not None else routes or [""]))


_UNREAD = "\0"
"""Stands for a template that is not written as text."""


def _template(written: str) -> str | None:
    """The template in an attribute; None where it has none, _UNREAD where that is a constant or put together."""
    match = _TEMPLATE.search(written)
    if match is not None:
        return match[2].replace('""', '"') if match[1] else re.sub(r"\\(.)", r"\1", match[2])
    arguments = written.partition("(")[2].strip(") ")
    return _UNREAD if arguments and "=" not in arguments else None
