"""Paths and XML of ADT's wire: checked paths, and values read from elements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote, urljoin, urlsplit
from xml.sax.saxutils import escape

from services.adt.values import KINDS, AdtInclude, AdtMessage, AdtReference
from services.errors import UsageError
from services.msbuild.xmltree import XmlElement

ROOT = "/sap/bc/adt/"
VERSIONS = ("active", "inactive", "workingArea")
XML = '<?xml version="1.0" encoding="UTF-8"?>'
_PLACE = re.compile(r"#(?:.*;)?start=(\d{1,7})(?:,(\d{1,7}))?")


def checked_uri(path: str) -> str:
    """A path below ADT's root, as the system has it. Raises UsageError for anything else."""
    path = path.removeprefix("adt:")
    bare = unquote(path.partition("?")[0])
    if not bare.startswith(ROOT) or ".." in bare.split("/") or any(sign in path for sign in "#\r\n\\ "):
        raise UsageError(f"{path!r} is no ADT object. Write adt:{ROOT}oo/classes/zcl_demo.")
    return path.partition("?")[0]


def attribute(element: XmlElement, name: str) -> str:
    """Return the value of an attribute, with any prefix."""
    for key, value in element.attributes.items():
        if key.rpartition(":")[2] == name:
            return value
    return ""


def known_version(version: str) -> str:
    """Return a version that exists. Raises UsageError."""
    if version not in VERSIONS:
        raise UsageError(f"{version!r} is no version. There are: {', '.join(VERSIONS)}.")
    return version


def linked_path(uri: str, href: str) -> str:
    """The path of a link, which is relative to its object."""
    return urlsplit(urljoin(f"{uri}/", href)).path


def include_of(uri: str, element: XmlElement) -> AdtInclude:
    """Return the include of a class that an element tells."""
    kind = attribute(element, "includeType")
    links = (each for each in element.children if each.name == "link")
    plain = next((each.attribute("href") for each in links if each.attribute("type") == "text/plain"), "")
    source = attribute(element, "sourceUri") or plain or f"includes/{kind}"
    known = kind if kind in KINDS else ""
    return AdtInclude(kind=known, source=linked_path(uri, source), changed_at=attribute(element, "changedAt"))


def reference_of(element: XmlElement) -> AdtReference:
    """Return the object that an element refers to."""
    return AdtReference(
        uri=attribute(element, "uri"),
        name=attribute(element, "name"),
        type=attribute(element, "type"),
        package=attribute(element, "packageName"),
        description=attribute(element, "description"),
    )


def transport_data(**fields: str) -> bytes:
    """Return the body of a request about transports."""
    data = "".join(f"<{name}>{escape(value)}</{name}>" for name, value in fields.items())
    space = 'xmlns:asx="http://www.sap.com/abapxml" version="1.0"'
    return f"{XML}<asx:abap {space}><asx:values><DATA>{data}</DATA></asx:values></asx:abap>".encode()


def inactive_of(root: XmlElement) -> Iterator[AdtReference]:
    """Yield the objects that an answer lists as inactive."""
    for entry in (root, *root.below("entry")):
        if entry.name != "entry":
            continue
        for about in (each for each in entry.children if each.name == "object"):
            for ref in (each for each in about.children if each.name == "ref"):
                yield AdtReference(
                    uri=attribute(ref, "uri"),
                    name=attribute(ref, "name"),
                    type=attribute(ref, "type"),
                    state=attribute(about, "user"),
                )


def check_message(element: XmlElement) -> AdtMessage:
    """Return a message of a syntax check."""
    uri = attribute(element, "uri")
    line, column = _place(uri)
    return AdtMessage(
        kind=attribute(element, "type"),
        text=attribute(element, "shortText"),
        uri=uri.partition("#")[0],
        line=line,
        column=column,
    )


def activation_message(element: XmlElement) -> AdtMessage:
    """Return a message of an activation."""
    href = element.attribute("href")
    text = next((each.text for each in element.below("txt")), "").strip()
    line, column = _place(href)
    told = element.attribute("line")
    return AdtMessage(
        kind=element.attribute("type"),
        text=text,
        uri=href.partition("#")[0],
        line=line or (int(told) if told.isdigit() else 0),
        column=column,
    )


def _place(uri: str) -> tuple[int, int]:
    found = _PLACE.search(uri)
    return (int(found[1]), int(found[2] or 0)) if found else (0, 0)


def data_fields(root: XmlElement) -> list[XmlElement]:
    """Return the fields of an answer in SAP's XML."""
    data = next(root.below("DATA"), None)
    return data.children if data is not None else []
