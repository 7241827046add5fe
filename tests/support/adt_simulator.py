"""ADT server for tests, as strict as the strictest release that clients report.

Never compared with a real SAP system: what it answers is what public clients read (docs/ADT.md says which). Switches
of `AdtSimulator` play releases and failures.
"""
# ruff: noqa: E501 (the XML of the wire, an element a line)

from __future__ import annotations

import base64
import hashlib
import html
import re
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

CLASS = "/sap/bc/adt/oo/classes/zcl_demo"
INTERFACE = "/sap/bc/adt/oo/interfaces/zif_demo"
USERS = {"DEVELOPER": "secret", "OTHER": "secret"}
_PARTS = ("definitions", "implementations", "macros", "testclasses")
_XML = '<?xml version="1.0" encoding="utf-8"?>'
_CORE = 'xmlns:adtcore="http://www.sap.com/adt/core"'
SOURCE = """\
CLASS zcl_demo DEFINITION PUBLIC FINAL CREATE PUBLIC.
  PUBLIC SECTION.
    METHODS add IMPORTING a TYPE i b TYPE i RETURNING VALUE(sum) TYPE i.
ENDCLASS.

CLASS zcl_demo IMPLEMENTATION.
  METHOD add.
    sum = a + b.
  ENDMETHOD.
ENDCLASS.
"""


@dataclass
class SimulatedObject:
    """An object with the active and inactive text of each of its sources, by path below it."""

    name: str
    type: str
    package: str = "ZDEMO"
    transport: str = ""
    active: dict[str, str] = field(default_factory=dict)
    inactive: dict[str, str] = field(default_factory=dict)
    changed: int = 0

    def text(self, part: str, version: str) -> str | None:
        """Return the text of a part: the inactive one on request, or where no version is given."""
        if version != "active" and part in self.inactive:
            return self.inactive[part]
        return self.active.get(part)


@dataclass
class SimulatedSession:
    """A session of a user. `locks`: handles by object."""

    id: str
    user: str
    token: str
    locks: dict[str, str] = field(default_factory=dict)


class Refused(Exception):
    """An answer that refuses."""

    def __init__(self, status: int, type_: str, message: str, **headers: str) -> None:
        super().__init__(message)
        self.status, self.type, self.message, self.headers = status, type_, message, headers


@dataclass
class AdtSimulator:
    """The system. `strict`: a stateless request in a session ends its locks; `ignores_stateful`: as SAP_BASIS before
    7.51, so that no lock outlives its request; `odd_handles`: handles with `+`, `/` and `=`; `lock_answer`: normal,
    empty, or html (a gateway's login page); `needs_transport`: objects outside of $TMP need a request; `has_links`: includes say where their sources are; `empty_activation`: success is told by an empty
    answer."""

    strict: bool = True
    ignores_stateful: bool = False
    odd_handles: bool = False
    lock_answer: str = "normal"
    needs_transport: bool = True
    empty_activation: bool = False
    has_links: bool = True
    broken_off: str = ""
    """How sources are sent: half, and the connection closed, or drip, a byte now and then; whole where it is empty."""
    modification: str = ""
    objects: dict[str, SimulatedObject] = field(default_factory=dict)
    sessions: dict[str, SimulatedSession] = field(default_factory=dict)
    refusals: list[tuple[str, int, str, str]] = field(default_factory=list)
    """(part of method and path, status, content type, body) of answers that are given instead, each once."""
    requests: list[tuple[str, str, str]] = field(default_factory=list)
    """(method, path with query, session type) of each, in order."""
    puts: int = 0
    unchanged: int = 0
    """Reads that were answered by 304."""

    def __post_init__(self) -> None:
        self.lock = threading.RLock()
        parts = {f"includes/{part}": f"* {part} of zcl_demo\n" for part in _PARTS}
        active = {"source/main": SOURCE, **parts}
        self.objects[CLASS] = SimulatedObject("ZCL_DEMO", "CLAS/OC", transport="NPLK900001", active=active)
        text = "INTERFACE zif_demo PUBLIC.\nENDINTERFACE.\n"
        self.objects[INTERFACE] = SimulatedObject("ZIF_DEMO", "INTF/OI", active={"source/main": text})

    def end_sessions(self) -> None:
        """End every session, as a time-out does; their locks go with them."""
        with self.lock:
            self.sessions.clear()

    def holder(self, uri: str) -> SimulatedSession | None:
        """The session that holds the lock of an object."""
        return next((each for each in self.sessions.values() if uri in each.locks), None)

    @property
    def locked(self) -> list[str]:
        """The objects that are locked."""
        return sorted(uri for session in self.sessions.values() for uri in session.locks)

    # Requests

    def answer(
        self, method: str, target: str, headers: Any, body: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body."""
        with self.lock:
            kind = headers.get("x-sap-adt-sessiontype", "stateless").lower()
            self.requests.append((method, target, kind))
            for refusal in self.refusals:
                if refusal[0] in f"{method} {target}":
                    self.refusals.remove(refusal)
                    return refusal[1], {"content-type": refusal[2]}, refusal[3].encode()
            try:
                user = _user(headers)
                session, made = self._session(headers, user)
                status, more, content = self._answered(method, target, headers, body, session, kind)
            except Refused as refused:
                return self._exception(refused)
            if made is not None:
                more = {**more, "set-cookie": f"SAP_SESSIONID_SIM_001={made.id}; path=/; HttpOnly"}
            return status, more, content

    def _session(self, headers: Any, user: str) -> tuple[SimulatedSession | None, SimulatedSession | None]:
        """Return the session of the cookie, and the one created for a request for a token."""
        found = re.search(r"SAP_SESSIONID_SIM_001=([^;]+)", headers.get("cookie", ""))
        session = self.sessions.get(found[1]) if found else None
        if session is not None and session.user != user:
            raise Refused(401, "", "Anmeldung fehlgeschlagen")
        if session is None and headers.get("x-csrf-token", "").lower() == "fetch":
            session = SimulatedSession(secrets.token_hex(8), user, secrets.token_urlsafe(12))
            self.sessions[session.id] = session
            return session, session
        return session, None

    def _answered(
        self, method: str, target: str, headers: Any, body: bytes, session: SimulatedSession | None, kind: str
    ) -> tuple[int, dict[str, str], bytes]:
        parts = urlsplit(target)
        query = {name: values[0] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
        path = unquote(parts.path).rstrip("/")
        shown = headers.get("x-csrf-token", "")
        if method in ("POST", "PUT", "DELETE") and (session is None or shown != session.token):
            raise Refused(403, "", "CSRF token validation failed", **{"x-csrf-token": "Required"})
        if session is not None and kind != "stateful" and self.strict:
            session.locks.clear()
        more = {"x-csrf-token": session.token} if session and shown.lower() == "fetch" else {}
        status, content_type, content = self._routed(method, path, query, body, session, kind)
        if session is not None and self.ignores_stateful:
            session.locks.clear()
        if method == "GET" and content_type.startswith("text/plain"):
            more["etag"] = hashlib.sha1(content.encode()).hexdigest()
            if headers.get("if-none-match") == more["etag"]:
                self.unchanged += 1
                return 304, more, b""
        return status, {"content-type": content_type, **more}, content.encode()

    def _routed(
        self, method: str, path: str, query: dict[str, str], body: bytes, session: Any, kind: str
    ) -> tuple[int, str, str]:
        if path in ("/sap/bc/adt/compatibility/graph", "/sap/bc/adt/core/discovery", "/sap/bc/adt/discovery"):
            return (
                200,
                "application/xml",
                f"{_XML}<compatibility:graph xmlns:compatibility='x'><edges/><nodes/></compatibility:graph>",
            )
        if path == "/sap/public/bc/icf/logoff":
            if session is not None:
                self.sessions.pop(session.id, None)
            return 200, "text/html", ""
        if path.endswith("/informationsystem/search"):
            return 200, "application/xml", self._found(query)
        if path.endswith("/activation/inactiveobjects"):
            return 200, "application/xml", self._inactive([*self.objects])
        if path.endswith("/activation"):
            return 200, "application/xml", self._activated(body)
        if path.endswith("/checkruns"):
            return 200, "application/xml", _checked(body)
        if path.endswith("/cts/transportchecks"):
            return 200, "application/xml", _transport_check()
        if path.endswith("/cts/transports") and method == "POST":
            text = re.search(rb"<REQUEST_TEXT>([^<]*)</REQUEST_TEXT>", body)
            if text is None or not text[1].strip():
                raise Refused(400, "ExceptionInvalidData", "A text is needed")
            return 200, "text/plain", "/com.sap.cts/object_record/NPLK900002"
        uri = next(
            (each for each in self.objects if path.lower() == each or path.lower().startswith(f"{each}/")),
            None,
        )
        if uri is None:
            raise Refused(404, "ExceptionResourceNotFound", f"{path} does not exist")
        return self._of_object(
            method, uri, path.lower().removeprefix(uri).lstrip("/"), query, body, session, kind
        )

    def _of_object(
        self, method: str, uri: str, part: str, query: dict[str, str], body: bytes, session: Any, kind: str
    ) -> tuple[int, str, str]:
        about = self.objects[uri]
        if method == "POST" and query.get("_action") == "LOCK":
            return self._lock(uri, session, kind)
        if method == "POST" and query.get("_action") == "UNLOCK":
            self._require(uri, query, session)
            del session.locks[uri]
            return 200, "text/plain", ""
        if method == "PUT":
            self._require(uri, query, session)
            if kind != "stateful":
                raise Refused(423, "ExceptionResourceInvalidLockHandle", "The session is not stateful")
            recorded = query.get("corrNr") or about.transport or about.package == "$TMP"
            if self.needs_transport and not recorded:
                raise Refused(
                    409, "ExceptionResourceLockConflict", f"{about.name}: a transport request is needed"
                )
            if part not in about.active:
                raise Refused(404, "ExceptionResourceNotFound", f"{part} does not exist")
            about.inactive[part] = body.decode("utf-8")
            about.changed += 1
            self.puts += 1
            return 200, "text/plain", ""
        if method != "GET":
            raise Refused(405, "ExceptionMethodNotSupported", f"{method} is not supported")
        if not part:
            return 200, "application/xml", self._object(uri, about)
        if part == "objectstructure":
            return 200, "application/xml", _structure(about)
        text = about.text(part, query.get("version", ""))
        if text is None:
            raise Refused(404, "ExceptionResourceNotFound", f"{part} does not exist")
        return 200, "text/plain; charset=utf-8", text

    def _lock(self, uri: str, session: SimulatedSession, kind: str) -> tuple[int, str, str]:
        if self.lock_answer == "empty":
            return 200, "text/plain", ""
        holder = self.holder(uri)
        if self.lock_answer == "html" or (
            holder is not None and holder is not session and self.lock_answer == "html"
        ):
            raise Refused(401, "html", "<html><body>Logon</body></html>")
        if holder is not None and holder is not session:
            raise Refused(
                403,
                "ExceptionResourceNoAccess",
                f"User {holder.user} is currently editing {self.objects[uri].name}",
            )
        handle = "A1B2+C/3=" + secrets.token_hex(4) if self.odd_handles else secrets.token_hex(20).upper()
        session.locks[uri] = handle
        about = self.objects[uri]
        data = (
            f"<LOCK_HANDLE>{handle}</LOCK_HANDLE><CORRNR>{about.transport}</CORRNR><CORRUSER>{session.user if about.transport else ''}"
            f"</CORRUSER><CORRTEXT>{'Demo' if about.transport else ''}</CORRTEXT><IS_LOCAL>{'X' if about.package == '$TMP' else ''}"
            f"</IS_LOCAL><IS_LINK_UP/><MODIFICATION_SUPPORT>{self.modification}</MODIFICATION_SUPPORT>"
        )
        type_ = "application/vnd.sap.as+xml;charset=UTF-8;dataname=com.sap.adt.lock.Result"
        return (
            200,
            type_,
            f'{_XML}<asx:abap xmlns:asx="http://www.sap.com/abapxml" version="1.0"><asx:values><DATA>{data}</DATA></asx:values></asx:abap>',
        )

    def _require(self, uri: str, query: dict[str, str], session: SimulatedSession | None) -> None:
        """Raises Refused without the lock. One client encodes a handle twice on its way."""
        shown = query.get("lockHandle", "")
        held = session.locks.get(uri) if session is not None else None
        if held is None or held not in (shown, unquote(shown)):
            raise Refused(423, "ExceptionResourceInvalidLockHandle", f"Invalid lock handle {shown}")

    def _found(self, query: dict[str, str]) -> str:
        pattern = re.compile(re.escape(query.get("query", "")).replace(r"\*", ".*"), re.IGNORECASE)
        kind = query.get("objectType", "")
        rows = "".join(
            f'<adtcore:objectReference adtcore:uri="{uri}" adtcore:type="{each.type}" adtcore:name="{each.name}" '
            f'adtcore:packageName="{each.package}" adtcore:description="Demo &amp; more"/>'
            for uri, each in self.objects.items()
            if pattern.fullmatch(each.name) and each.type.startswith(kind)
        )
        return f"{_XML}<adtcore:objectReferences {_CORE}>{rows}</adtcore:objectReferences>"

    def _inactive(self, uris: list[str]) -> str:
        rows = "".join(
            f'<ioc:entry><ioc:object ioc:user="DEVELOPER" ioc:deleted="false"><ioc:ref adtcore:uri="{uri}" '
            f'adtcore:type="{self.objects[uri].type}" adtcore:name="{self.objects[uri].name}"/></ioc:object><ioc:transport/></ioc:entry>'
            for uri in uris
            if self.objects[uri].inactive
        )
        return f'{_XML}<ioc:inactiveObjects xmlns:ioc="http://www.sap.com/abapxml/inactiveCtsObjects" {_CORE}>{rows}</ioc:inactiveObjects>'

    def _activated(self, body: bytes) -> str:
        """Nothing where all is active; messages where a source does not compile."""
        errors = list[str]()
        for uri in re.findall(rb'adtcore:uri="([^"]+)"', body):
            about = self.objects.get(unquote(uri.decode()).lower())
            if about is None:
                raise Refused(404, "ExceptionResourceNotFound", "no such object")
            wrong = [(part, line) for part, text in about.inactive.items() for line in _errors(text)]
            if wrong:
                errors += [
                    f'<msg objDescr="Class {about.name}" type="E" line="{line}" href="{uri.decode()}/{part}#start={line},1" '
                    f'forceSupported="true"><shortText><txt>Statement is not understood</txt></shortText></msg>'
                    for part, line in wrong
                ]
            else:
                about.active |= about.inactive
                about.inactive.clear()
        done = "false" if errors else "true"
        properties = (
            f'<chkl:properties checkExecuted="true" activationExecuted="{done}" generationExecuted="{done}"/>'
        )
        if not errors and self.empty_activation:
            return ""
        space = 'xmlns:chkl="http://www.sap.com/abapxml/checklist"'
        return f"{_XML}<chkl:messages {space}>{properties}{''.join(errors)}</chkl:messages>"

    def _object(self, uri: str, about: SimulatedObject) -> str:
        version = "inactive" if about.inactive else "active"
        facts = (
            f'adtcore:name="{about.name}" adtcore:type="{about.type}" adtcore:version="{version}" adtcore:description="Demo" '
            f'adtcore:responsible="DEVELOPER" adtcore:masterLanguage="EN" adtcore:language="EN" adtcore:changedBy="DEVELOPER" '
            f'adtcore:changedAt="2026-11-28T10:00:{about.changed % 60:02}Z" adtcore:createdAt="2026-01-01T00:00:00Z" '
            f'adtcore:createdBy="DEVELOPER" abapsource:sourceUri="source/main"'
        )
        spaces = f'{_CORE} xmlns:abapsource="http://www.sap.com/adt/abapsource" xmlns:atom="http://www.w3.org/2005/Atom"'
        package = f'<adtcore:packageRef adtcore:uri="/sap/bc/adt/packages/zdemo" adtcore:type="DEVC/K" adtcore:name="{about.package}"/>'
        if not about.type.startswith("CLAS"):
            return f'{_XML}<intf:abapInterface xmlns:intf="http://www.sap.com/adt/oo/interfaces" {spaces} {facts}>{_links("source/main")}{package}</intf:abapInterface>'
        includes = "".join(
            f'<class:include class:includeType="{part}" abapsource:sourceUri="{source}" adtcore:name="{about.name}" adtcore:type="CLAS/I" '
            f'adtcore:changedAt="2026-11-28T10:00:00Z" adtcore:version="active">{_links(source)}</class:include>'
            for part, source in (*((each, f"includes/{each}") for each in _PARTS), ("main", "source/main"))
        )
        if not self.has_links:
            includes = re.sub(r' abapsource:sourceUri="[^"]*"|<atom:link[^>]*>', "", includes)
        return (
            f'{_XML}<class:abapClass xmlns:class="http://www.sap.com/adt/oo/classes" {spaces} class:final="true" class:abstract="false" '
            f'class:visibility="public" {facts}>{_links("source/main")}{package}{includes}</class:abapClass>'
        )

    def _exception(self, refused: Refused) -> tuple[int, dict[str, str], bytes]:
        headers = {"content-type": "application/xml", **refused.headers}
        if refused.status == 401:
            body = refused.message if refused.type == "html" else "<html><body>Logon failed</body></html>"
            return 401, {"content-type": "text/html", "www-authenticate": 'Basic realm="SAP"'}, body.encode()
        if "x-csrf-token" in refused.headers:
            return 403, {**headers, "content-type": "text/plain"}, refused.message.encode()
        message = html.escape(refused.message)
        body = (
            f'{_XML}<exc:exception xmlns:exc="http://www.sap.com/abapxml/types/communicationframework"><namespace id="com.sap.adt"/>'
            f'<type id="{refused.type}"/><message lang="EN">{message}</message><localizedMessage lang="EN">{message}</localizedMessage>'
            "<properties/></exc:exception>"
        )
        return refused.status, headers, body.encode()


def _user(headers: Any) -> str:
    scheme, _, login = headers.get("authorization", "").partition(" ")
    try:
        user, _, password = base64.b64decode(login).decode().partition(":")
    except ValueError:
        user, password = "", ""
    if scheme != "Basic" or USERS.get(user.upper()) != password:
        raise Refused(401, "", "Logon failed")
    return user.upper()


def _links(source: str) -> str:
    return (
        f'<atom:link href="{source}" rel="http://www.sap.com/adt/relations/source" type="text/plain" etag="1"/>'
        f'<atom:link href="{source}/versions" rel="http://www.sap.com/adt/relations/versions"/>'
    )


def _structure(about: SimulatedObject) -> str:
    return (
        f'{_XML}<abapsource:objectStructureElement xmlns:abapsource="http://www.sap.com/adt/abapsource" {_CORE} adtcore:name="{about.name}" '
        f'adtcore:type="{about.type}"><abapsource:objectStructureElement adtcore:name="ADD" adtcore:type="CLAS/OM" visibility="public" level="instance"/>'
        "</abapsource:objectStructureElement>"
    )


def _errors(text: str) -> list[int]:
    return [at for at, line in enumerate(text.split("\n"), 1) if "SYNTAX-ERROR" in line]


def _checked(body: bytes) -> str:
    content = re.search(rb"<chkrun:content>([^<]*)</chkrun:content>", body)
    uri = re.search(rb'adtcore:uri="([^"]+)"', body)
    assert uri is not None
    text = base64.b64decode(content[1]).decode() if content else ""
    rows = "".join(
        f'<chkrun:checkMessage chkrun:uri="{uri[1].decode()}#start={line},3" chkrun:type="E" chkrun:shortText="Statement is not understood"/>'
        for line in _errors(text)
    )
    return (
        f'{_XML}<chkrun:checkRunReports xmlns:chkrun="http://www.sap.com/adt/checkrun"><chkrun:checkReport chkrun:reporter="abapCheckRun" '
        f'chkrun:triggeringUri="{uri[1].decode()}" chkrun:status="processed" chkrun:statusText="Checked">'
        f"<chkrun:checkMessageList>{rows}</chkrun:checkMessageList></chkrun:checkReport></chkrun:checkRunReports>"
    )


def _transport_check() -> str:
    return (
        f'{_XML}<asx:abap xmlns:asx="http://www.sap.com/abapxml" version="1.0"><asx:values><DATA><PGMID>R3TR</PGMID><OBJECT>CLAS</OBJECT>'
        "<OBJECTNAME>ZCL_DEMO</OBJECTNAME><OPERATION>I</OPERATION><DEVCLASS>ZDEMO</DEVCLASS><RECORDING>X</RECORDING><RESULT>S</RESULT>"
        "<REQUESTS><CTS_REQUEST><REQ_HEADER><TRKORR>NPLK900001</TRKORR><AS4TEXT>Demo</AS4TEXT></REQ_HEADER></CTS_REQUEST></REQUESTS>"
        "</DATA></asx:values></asx:abap>"
    )


@contextmanager
def simulated(**switches: Any) -> Iterator[tuple[AdtSimulator, str]]:
    """The simulator on a port of its own, with its address."""
    simulator = AdtSimulator(**switches)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _handle(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            status, headers, content = simulator.answer(self.command, self.path, self.headers, body)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            if simulator.broken_off and headers.get("content-type", "").startswith("text/plain"):
                self._break_off(content)
            elif self.command != "HEAD":
                self.wfile.write(content)

        def _break_off(self, content: bytes) -> None:
            self.close_connection = True
            if simulator.broken_off == "half":
                self.wfile.write(content[: len(content) // 2])
                return
            with suppress(OSError):
                for at in range(len(content)):
                    self.wfile.write(content[at : at + 1])
                    time.sleep(0.05)

        do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = _handle  # noqa: N815

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield simulator, f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def main() -> None:
    """Serve until it is stopped, for clients that others wrote: prints the address, then each request."""
    import argparse

    parser = argparse.ArgumentParser()
    for name in ("--lenient", "--ignores-stateful", "--odd-handles"):
        parser.add_argument(name, action="store_true")
    asked = parser.parse_args()
    switches = {
        "strict": not asked.lenient,
        "ignores_stateful": asked.ignores_stateful,
        "odd_handles": asked.odd_handles,
    }
    with simulated(**switches) as (simulator, address):
        print(address, flush=True)
        told = 0
        while True:
            time.sleep(0.1)
            for request in simulator.requests[told:]:
                print(*request, f"locked={simulator.locked}", flush=True)
                told += 1


if __name__ == "__main__":
    main()
