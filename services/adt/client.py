"""Operations on the objects of one ADT system (SPEC section 16, ADT's wire).

Reads go over one stateless session. Each lock has a stateful session of its own, in which nothing but its writes is
sent: on strict releases any stateless request between LOCK and PUT ends the lock.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple
from xml.sax.saxutils import quoteattr

from services.adt.session import AdtError, AdtSession
from services.adt.values import (
    AdtActivation,
    AdtLock,
    AdtMessage,
    AdtObject,
    AdtReference,
    AdtSource,
    AdtSystem,
    AdtTransport,
    is_transport,
)
from services.adt.wire import (
    ROOT,
    XML,
    activation_message,
    attribute,
    check_message,
    checked_uri,
    data_fields,
    inactive_of,
    include_of,
    known_version,
    linked_path,
    reference_of,
    transport_data,
)
from services.concurrency.latest import SharedCache
from services.errors import LockRequired, ReadOnly

if TYPE_CHECKING:
    import httpx2

_SEARCH = f"{ROOT}repository/informationsystem/search"
_CHECK = f"{ROOT}checkruns"
_ACTIVATE = f"{ROOT}activation"
_INACTIVE = f"{ROOT}activation/inactiveobjects"
_LOCKED = (
    "application/vnd.sap.as+xml;charset=UTF-8;dataname=com.sap.adt.lock.result;q=0.8, "
    "application/vnd.sap.as+xml;charset=UTF-8;dataname=com.sap.adt.lock.result2;q=0.9, application/*;q=0.5"
)
_DATA = "application/vnd.sap.as+xml; charset=UTF-8; dataname=com.sap.adt."
_TRANSPORT_CHECK = f"{_DATA}transport.service.checkData"
_TRANSPORT = f"{_DATA}CreateCorrectionRequest"


_MOST_ENDED = 64
"""Locks that have ended, of which the client still knows why."""


class HeldLock(NamedTuple):
    """A lock with the session that holds it. `since`: seconds since 1970."""

    lock: AdtLock
    uri: str
    session: AdtSession
    since: float


class AdtClient:
    """Client of a system. Thread-safe. Close it to release its locks."""

    def __init__(
        self,
        system: AdtSystem,
        password: Callable[[], str],
        *,
        transport: httpx2.AsyncBaseTransport | None = None,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self.system = system
        self._open: Callable[..., AdtSession] = lambda *, stateful: AdtSession(
            system, password, stateful=stateful, transport=transport, wait=wait
        )
        self._reader = self._open(stateful=False)
        self._held: dict[str, HeldLock] = {}
        self._ended: SharedCache[str, str] = SharedCache(_MOST_ENDED)

    def close(self) -> None:
        """Give back every lock, and log off."""
        for handle in [*self._held]:
            try:
                self.unlock(handle)
            except (AdtError, LockRequired):
                continue
        self._reader.close()

    def search(self, query: str, *, kind: str = "", most: int = 50) -> tuple[AdtReference, ...]:
        """Return objects whose names match a pattern with `*`. `kind`: such as CLAS. Raises AdtError."""
        params = {"operation": "quickSearch", "query": query, "maxResults": str(most)}
        if kind:
            params["objectType"] = kind.partition("/")[0]
        root = self._reader.xml(self._reader.get(_SEARCH, accept="application/*", **params))
        return tuple(map(reference_of, root.below("objectReference")))

    def object(self, uri: str, *, version: str = "") -> AdtObject:
        """Return the facts of an object. `version`: active, inactive or workingArea. Raises AdtError."""
        uri = checked_uri(uri)
        params = {"version": known_version(version)} if version else {}
        root = self._reader.xml(self._reader.get(uri, **params))
        source = attribute(root, "sourceUri")
        package = next((attribute(each, "name") for each in root.children if each.name == "packageRef"), "")
        return AdtObject(
            uri=uri,
            name=attribute(root, "name"),
            type=attribute(root, "type"),
            version=attribute(root, "version"),
            description=attribute(root, "description"),
            package=package,
            changed_at=attribute(root, "changedAt"),
            changed_by=attribute(root, "changedBy"),
            source=linked_path(uri, source or "source/main"),
            includes=tuple(include_of(uri, each) for each in root.children if each.name == "include"),
            facts=root.attributes,
        )

    def source(self, path: str, *, version: str = "", etag: str = "") -> AdtSource | None:
        """Return a source, or None where `etag` still names its text. `path`: as an object or include names it.
        Raises AdtError."""
        params = {"version": known_version(version)} if version else {}
        answer = self._reader.ask("GET", checked_uri(path), params=params, accept="text/plain", etag=etag)
        if answer.status == 304:
            return None
        try:
            return AdtSource(text=answer.body.decode("utf-8"), etag=answer.headers.get("etag", ""))
        except UnicodeDecodeError as error:
            message = f"{self._reader.host} sent a source that is not UTF-8, or was cut."
            raise AdtError(message, host=self._reader.host, reason="answer") from error

    def lock(self, uri: str) -> HeldLock:
        """Lock an object in a session of its own. Raises LockRequired where another user has it, ReadOnly where the
        system lets nobody change it, AdtError."""
        uri = checked_uri(uri)
        session = self._open(stateful=True)
        try:
            lock = self._locked(session, uri)
        except BaseException:
            session.close()
            raise
        held = HeldLock(lock, uri, session, time.time())
        self._held[lock.handle] = held
        if lock.modification == "NoModification" and not lock.transport:
            self.unlock(lock.handle)
            raise ReadOnly(f"{uri} cannot be changed in {self.system.name}: it has no transport request.")
        return held

    def write(self, handle: str, path: str, text: str, *, transport: str = "") -> None:
        """Replace a whole source under a lock; it is inactive then. Raises LockRequired where the lock does not hold,
        AdtError."""
        held = self._of(handle)
        path = checked_uri(path)
        if path != held.uri and not path.startswith(f"{held.uri}/"):
            raise LockRequired(f"The lock {handle} is of {held.uri}, not of {path}.")
        number = transport or held.lock.transport
        params = {"lockHandle": handle, **({"corrNr": number} if number else {})}
        content_type = "application/*" if text.startswith("<?xml") else "text/plain; charset=utf-8"
        self._in_lock(held, "PUT", path, params, content=text.encode(), content_type=content_type)

    def unlock(self, handle: str) -> str:
        """Give a lock back, end its session, and return the path of its object. Raises LockRequired for an unknown
        handle, AdtError."""
        held = self._of(handle)
        self._drop(held, "It was given back.")
        try:
            self._in_lock(held, "POST", held.uri, {"_action": "UNLOCK", "lockHandle": handle})
        finally:
            held.session.close()
        return held.uri

    def check(self, path: str, text: str, *, version: str = "active") -> tuple[AdtMessage, ...]:
        """Check the syntax of a text as though it were the source of a path. Raises AdtError."""
        content = base64.b64encode(text.encode()).decode()
        where = quoteattr(checked_uri(path))
        body = (
            f'{XML}<chkrun:checkObjectList xmlns:chkrun="http://www.sap.com/adt/checkrun" '
            f'xmlns:adtcore="http://www.sap.com/adt/core"><chkrun:checkObject adtcore:uri={where} '
            f'chkrun:version="{known_version(version)}"><chkrun:artifacts><chkrun:artifact '
            f'chkrun:contentType="text/plain; charset=utf-8" chkrun:uri={where}><chkrun:content>{content}'
            "</chkrun:content></chkrun:artifact></chkrun:artifacts></chkrun:checkObject></chkrun:checkObjectList>"
        )
        answer = self._reader.ask(
            "POST",
            _CHECK,
            params={"reporters": "abapCheckRun"},
            content=body.encode(),
            content_type="application/*",
        )
        return tuple(map(check_message, self._reader.xml(answer).below("checkMessage")))

    def activate(self, uri: str, name: str) -> AdtActivation:
        """Activate an object; what failed is in the answer. Raises AdtError."""
        body = (
            f'{XML}<adtcore:objectReferences xmlns:adtcore="http://www.sap.com/adt/core">'
            f"<adtcore:objectReference adtcore:uri={quoteattr(checked_uri(uri))} adtcore:name={quoteattr(name)}/>"
            "</adtcore:objectReferences>"
        )
        answer = self._reader.ask(
            "POST",
            _ACTIVATE,
            params={"method": "activate", "preauditRequested": "true"},
            content=body.encode(),
            content_type="application/xml",
        )
        if not answer.body.strip():
            return AdtActivation()
        root = self._reader.xml(answer)
        return AdtActivation(
            messages=tuple(map(activation_message, root.below("msg"))), inactive=tuple(inactive_of(root))
        )

    def inactive(self) -> tuple[AdtReference, ...]:
        """Return the objects that are inactive for this user. Raises AdtError."""
        accept = "application/vnd.sap.adt.inactivectsobjects.v1+xml, application/xml;q=0.8"
        return tuple(inactive_of(self._reader.xml(self._reader.get(_INACTIVE, accept=accept))))

    def transports(self, uri: str, package: str) -> tuple[AdtTransport, ...]:
        """Return the open requests that a change of an object can be recorded in. Raises AdtError, also for what the
        system says against a change."""
        body = transport_data(PGMID="", OBJECT="", DEVCLASS=package, OPERATION="I", URI=checked_uri(uri))
        answer = self._reader.ask(
            "POST",
            f"{ROOT}cts/transportchecks",
            accept=_TRANSPORT_CHECK,
            content=body,
            content_type=_TRANSPORT_CHECK,
        )
        root = self._reader.xml(answer)
        for message in root.below("CTS_MESSAGE"):
            said = {each.name: each.text.strip() for each in message.children}
            if said.get("SEVERITY", "") in ("E", "A", "X"):
                raise AdtError(said.get("TEXT", "") or "refused", host=self._reader.host, reason="transport")
        headers = (
            {each.name: each.text.strip() for each in found.children} for found in root.below("REQ_HEADER")
        )
        return tuple(
            AdtTransport(number=each["TRKORR"], text=each.get("AS4TEXT", ""))
            for each in headers
            if each.get("TRKORR")
        )

    def create_transport(self, uri: str, package: str, text: str) -> str:
        """Create a request for changes of an object, and return its number. Raises AdtError."""
        body = transport_data(DEVCLASS=package, REQUEST_TEXT=text, REF=checked_uri(uri), OPERATION="I")
        answer = self._reader.ask(
            "POST", f"{ROOT}cts/transports", accept="text/plain", content=body, content_type=_TRANSPORT
        )
        number = answer.body.decode("utf-8", "replace").strip().rpartition("/")[2]
        if not is_transport(number):
            raise AdtError(
                f"{self._reader.host} named no transport request.", host=self._reader.host, reason="answer"
            )
        return number

    def _locked(self, session: AdtSession, uri: str) -> AdtLock:
        try:
            answer = session.ask(
                "POST", uri, params={"_action": "LOCK", "accessMode": "MODIFY"}, accept=_LOCKED
            )
        except AdtError as error:
            # A gateway may turn the refusal of a lock into a login page, though the login itself was fine.
            if error.details.get("status") in (401, 403, 423):
                message = f"{uri} cannot be locked in {self.system.name}. {error.message}"
                raise LockRequired(message, status=error.details.get("status")) from error
            raise
        answered = data_fields(session.xml(answer)) if answer.body.strip() else []
        data = {each.name: each.text.strip() for each in answered}
        if not data.get("LOCK_HANDLE"):
            raise LockRequired(
                f"{session.host} answered the lock of {uri} without a handle. Nothing is locked."
            )
        return AdtLock(
            handle=data["LOCK_HANDLE"],
            transport=data.get("CORRNR", ""),
            transport_text=data.get("CORRTEXT", ""),
            transport_user=data.get("CORRUSER", ""),
            is_local=data.get("IS_LOCAL", "") == "X",
            modification=data.get("MODIFICATION_SUPPORT", ""),
        )

    def held(self) -> tuple[HeldLock, ...]:
        """Return the locks that this client holds, oldest first."""
        return tuple(self._held.values())

    def _of(self, handle: str) -> HeldLock:
        held = self._held.get(handle)
        if held is None:
            why = self._ended.find(handle) or f"No lock with this handle is held in {self.system.name}."
            raise LockRequired(f"{why} Lock the object first.")
        return held

    def _in_lock(
        self,
        held: HeldLock,
        method: str,
        path: str,
        params: dict[str, str],
        *,
        content: bytes = b"",
        content_type: str = "",
    ) -> None:
        try:
            held.session.ask(method, path, params=params, content=content, content_type=content_type)
        except LockRequired as error:
            self._drop(held, error.message)
            raise
        except AdtError as error:
            if error.details.get("status") == 423:
                self._drop(held, error.message)
                message = (
                    f"The lock of {held.uri} does not hold any more, and nothing was written. {error.message}"
                )
                raise LockRequired(message) from error
            raise

    def _drop(self, held: HeldLock, why: str) -> None:
        """Forget a lock, and remember why it ended for whoever still names its handle."""
        span = f"taken at {_clock(held.since)} and ended by {_clock(time.time())}"
        # In this order, a handle that another thread does not find any more has its reason.
        self._ended.keep(held.lock.handle, f"The lock of {held.uri} was {span}: {why}")
        self._held.pop(held.lock.handle, None)


def _clock(at: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(at))
