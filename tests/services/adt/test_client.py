"""The client of ADT systems against a strict simulator."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from services.adt import session
from services.adt.client import AdtClient
from services.adt.session import AdtError
from services.adt.values import AdtSystem, systems_of
from services.adt.wire import checked_uri
from services.errors import LockRequired, ReadOnly, SettingsError, UsageError
from tests.support.adt_simulator import CLASS, INTERFACE, SOURCE, AdtSimulator, simulated

MAIN = f"{CLASS}/source/main"


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def client_of(address: str, user: str = "DEVELOPER", password: str = "secret") -> AdtClient:
    system = AdtSystem(name="DEV", url=address, user=user)
    return AdtClient(system, lambda: password, wait=lambda _: None)


def opened(stack: ExitStack, **switches: object) -> tuple[AdtSimulator, AdtClient]:
    simulator, address = stack.enter_context(simulated(**switches))
    client = client_of(address)
    stack.callback(client.close)
    return simulator, client


def _text(client: AdtClient, path: str, **version: str) -> str:
    found = client.source(path, **version)
    assert found is not None
    return found.text


def test_objects_are_found_and_told(stack: ExitStack) -> None:
    _, client = opened(stack)
    (found,) = client.search("ZCL_D*", kind="CLAS/OC")
    assert (found.uri, found.name, found.package, found.description) == (
        CLASS, "ZCL_DEMO", "ZDEMO", "Demo & more",
    )  # fmt: skip
    about = client.object(found.uri)
    assert (about.type, about.version, about.is_class, about.source) == ("CLAS/OC", "active", True, MAIN)
    assert {each.kind: each.source for each in about.includes}[
        "testclasses"
    ] == f"{CLASS}/includes/testclasses"
    assert _text(client, about.source) == SOURCE
    assert not client.object(INTERFACE).includes


@pytest.mark.parametrize("empty", [False, True])
def test_the_whole_way_of_an_edit(stack: ExitStack, empty: bool) -> None:
    simulator, client = opened(stack, empty_activation=empty)
    text = SOURCE.replace("a + b", "b + a")
    held = client.lock(CLASS)
    assert (held.lock.transport, held.lock.transport_text, held.lock.is_local) == (
        "NPLK900001",
        "Demo",
        False,
    )
    assert _text(client, MAIN) == SOURCE  # a read meanwhile does not end the lock
    client.write(held.lock.handle, MAIN, text)
    client.unlock(held.lock.handle)
    assert simulator.locked == []
    assert _text(client, MAIN, version="active") == SOURCE
    assert _text(client, MAIN, version="inactive") == text
    assert [each.name for each in client.inactive()] == ["ZCL_DEMO"]
    assert client.activate(CLASS, "ZCL_DEMO").succeeded
    assert _text(client, MAIN, version="active") == text
    assert client.inactive() == ()


def test_what_does_not_compile_is_told_and_stays_inactive(stack: ExitStack) -> None:
    _, client = opened(stack)
    text = SOURCE.replace("sum = a + b.", "SYNTAX-ERROR")
    (message,) = client.check(MAIN, text)
    assert (message.is_error, message.line, message.uri) == (True, 8, MAIN)
    held = client.lock(CLASS)
    client.write(held.lock.handle, MAIN, text)
    client.unlock(held.lock.handle)
    done = client.activate(CLASS, "ZCL_DEMO")
    assert not done.succeeded
    assert [(each.kind, each.line) for each in done.messages] == [("E", 8)]
    assert _text(client, MAIN, version="active") == SOURCE


@pytest.mark.parametrize("odd", [False, True])
def test_handles_arrive_as_they_are(stack: ExitStack, odd: bool) -> None:
    simulator, client = opened(stack, odd_handles=odd)
    held = client.lock(CLASS)
    client.write(held.lock.handle, MAIN, "x\n")
    client.unlock(held.lock.handle)
    assert simulator.puts == 1


def test_nothing_stateless_is_sent_in_the_session_of_a_lock(stack: ExitStack) -> None:
    simulator, client = opened(stack)
    held = client.lock(CLASS)
    for _ in range(3):
        client.source(MAIN)
        client.search("Z*")
    client.write(held.lock.handle, MAIN, "x\n")
    assert simulator.locked == [CLASS]
    assert [kind for method, _, kind in simulator.requests if method in ("PUT", "POST")] == ["stateful"] * 2


def test_an_expired_token_is_renewed_for_reads_and_never_under_a_lock(stack: ExitStack) -> None:
    simulator, client = opened(stack)
    assert client.check(MAIN, SOURCE) == ()
    simulator.end_sessions()
    assert client.check(MAIN, SOURCE) == ()
    held = client.lock(CLASS)
    simulator.end_sessions()
    with pytest.raises(LockRequired, match=r"nothing was written"):
        client.write(held.lock.handle, MAIN, "lost\n")
    assert simulator.puts == 0
    with pytest.raises(LockRequired, match="Lock the object first"):
        client.write(held.lock.handle, MAIN, "lost\n")
    assert client.lock(CLASS).lock.handle


def test_a_system_that_ignores_stateful_sessions_loses_nothing(stack: ExitStack) -> None:
    simulator, client = opened(stack, ignores_stateful=True)
    held = client.lock(CLASS)
    with pytest.raises(LockRequired, match="does not hold any more"):
        client.write(held.lock.handle, MAIN, "lost\n")
    assert simulator.puts == 0


def test_another_users_lock_names_the_user(stack: ExitStack) -> None:
    simulator, client = opened(stack)
    other = client_of(client.system.url, "OTHER")
    stack.callback(other.close)
    held = other.lock(CLASS)
    with pytest.raises(LockRequired, match="User OTHER is currently editing ZCL_DEMO"):
        client.lock(CLASS)
    other.unlock(held.lock.handle)
    assert client.lock(CLASS).lock.handle
    assert len(simulator.locked) == 1


@pytest.mark.parametrize("answer", ["empty", "html"])
def test_a_lock_without_a_handle_is_no_lock(stack: ExitStack, answer: str) -> None:
    simulator, client = opened(stack, lock_answer=answer)
    with pytest.raises(LockRequired):
        client.lock(CLASS)
    assert simulator.locked == []


def test_what_nobody_may_change_is_read_only_unless_a_transport_has_it(stack: ExitStack) -> None:
    simulator, client = opened(stack, modification="NoModification")
    assert client.lock(CLASS).lock.transport == "NPLK900001"
    with pytest.raises(ReadOnly, match="no transport request"):
        client.lock(INTERFACE)
    assert simulator.locked == [CLASS]


def test_a_write_without_a_transport_is_told(stack: ExitStack) -> None:
    simulator, client = opened(stack)
    held = client.lock(INTERFACE)
    with pytest.raises(AdtError, match="a transport request is needed") as error:
        client.write(held.lock.handle, f"{INTERFACE}/source/main", "x\n")
    assert error.value.details["reason"] == "transport"
    client.write(held.lock.handle, f"{INTERFACE}/source/main", "x\n", transport="NPLK900009")
    assert simulator.puts == 1


def test_a_handle_writes_its_own_object_alone(stack: ExitStack) -> None:
    _, client = opened(stack)
    held = client.lock(CLASS)
    with pytest.raises(LockRequired, match="not of"):
        client.write(held.lock.handle, f"{INTERFACE}/source/main", "x\n")


def test_a_wrong_password_and_a_missing_object_say_what_to_do(stack: ExitStack) -> None:
    _, client = opened(stack)
    with pytest.raises(AdtError, match=r"correct the user or password of adt\.DEV"):
        client_of(client.system.url, password="wrong").search("Z*")
    with pytest.raises(AdtError, match="does not exist") as error:
        client.object("/sap/bc/adt/oo/classes/zcl_none")
    assert (error.value.details["reason"], error.value.details["type"]) == (
        "gone",
        "ExceptionResourceNotFound",
    )


def test_closing_gives_every_lock_back(stack: ExitStack) -> None:
    simulator, client = opened(stack)
    client.lock(CLASS)
    client.lock(INTERFACE)
    client.close()
    assert simulator.locked == []
    assert simulator.sessions == {}


def test_a_lock_that_ended_says_why(stack: ExitStack) -> None:
    simulator, client = opened(stack)
    given_back, lost = client.lock(CLASS), client.lock(INTERFACE)
    assert [each.uri for each in client.held()] == [CLASS, INTERFACE]
    client.unlock(given_back.lock.handle)
    with pytest.raises(LockRequired, match=r"zcl_demo was taken at .*given back"):
        client.write(given_back.lock.handle, MAIN, "x")
    simulator.end_sessions()
    for said in (
        "session that held the lock has ended",
        "zif_demo was taken at .* session that held the lock",
    ):
        with pytest.raises(LockRequired, match=said):
            client.write(lost.lock.handle, f"{INTERFACE}/source/main", "x")
    assert client.held() == ()


def test_closing_without_a_network_is_no_error(stack: ExitStack) -> None:
    with simulated() as (_, address):
        client = client_of(address)
        for uri in (CLASS, INTERFACE):
            client.lock(uri)
    client.close()  # the system ends its sessions, and their locks, by itself
    assert client.held() == ()


def test_edits_of_many_users_lose_nothing(stack: ExitStack) -> None:
    """Each adds its lines under the lock, and asks again while another has it."""
    simulator, client = opened(stack)
    count = 6

    def edit(at: int) -> None:
        mine = client_of(client.system.url)
        done = 0
        while done < count:
            try:
                held = mine.lock(CLASS)
            except LockRequired:
                continue
            text = _text(mine, MAIN)
            mine.write(held.lock.handle, MAIN, f"{text}* {at} {done}\n")
            mine.unlock(held.lock.handle)
            done += 1
        mine.close()

    threads = [threading.Thread(target=edit, args=(at,)) for at in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    lines = simulator.objects[CLASS].inactive["source/main"].splitlines()[len(SOURCE.splitlines()) :]
    assert sorted(lines) == sorted(f"* {at} {done}" for at in range(3) for done in range(count))


@pytest.mark.parametrize(
    "path", ["/sap/bc/adt/../x", "/etc/passwd", "https://x", "/sap/bc/adt/a b", "/sap/bc/adt/%2e%2e/x", ""]
)
def test_only_objects_of_adt_are_asked_for(path: str) -> None:
    with pytest.raises(UsageError, match="no ADT object"):
        checked_uri(path)


def test_systems_of_the_settings() -> None:
    made = systems_of({"DEV.url": "https://dev.example", "DEV.user": "me", "DEV.client": "100"})
    assert (made["DEV"].client, made["DEV"].language) == ("100", "EN")
    for wrong in ({"DEV.url": "https://x"}, {"DEV.url": "x", "DEV.user": "y", "DEV.odd": "z"}):
        with pytest.raises(SettingsError, match="has url and user"):
            systems_of(wrong)


def test_a_password_goes_over_https_alone() -> None:
    with pytest.raises(AdtError, match="https"):
        client_of("http://dev.example")


DUMP = "<html><body><h1>500</h1>Runtime error SYSTEM_FAILURE</body></html>"
EXCEPTION = (
    '<exc:exception xmlns:exc="http://www.sap.com/abapxml/types/communicationframework"><type id="{}"/>'
    '<message lang="EN">{}</message></exc:exception>'
)
CONFLICT = EXCEPTION.format("ExceptionResourceLockConflict", "ZCL_DEMO is locked in request NPLK900777")


@pytest.mark.parametrize("where", ["search", "PUT"])
@pytest.mark.parametrize(
    ("status", "kind", "body", "said"),
    [
        (401, "text/html", DUMP, "not let in"),
        (
            404,
            "application/xml",
            EXCEPTION.format("ExceptionResourceNotFound", "It does not exist"),
            "not exist",
        ),
        (
            405,
            "application/xml",
            EXCEPTION.format("ExceptionMethodNotSupported", "No such method"),
            "No such",
        ),
        (409, "application/xml", CONFLICT, "NPLK900777"),
        (403, "application/xml", CONFLICT, "NPLK900777"),
        (500, "application/xml", CONFLICT, "NPLK900777"),
        (500, "text/html", DUMP, "500"),
        (500, "application/xml", "<!DOCTYPE a [<!ENTITY b 'b'>]><a>&b;&b;</a>", "500"),
        (500, "application/xml", "<exc:exception", "500"),
    ],
)
def test_refusals_are_told_in_words_and_nothing_is_written(
    stack: ExitStack, where: str, status: int, kind: str, body: str, said: str
) -> None:
    simulator, client = opened(stack)
    simulator.refusals = [(where, status, kind, body)] * 3
    if where == "search":
        with pytest.raises(AdtError, match=said):
            client.search("Z*")
    else:
        held = client.lock(CLASS)
        with pytest.raises((AdtError, LockRequired), match=said):
            client.write(held.lock.handle, MAIN, "lost\n")
        assert not simulator.objects[CLASS].inactive
    assert "<html" not in said


BOMB = "<!DOCTYPE a [<!ENTITY b 'bbbb'>" + "".join(
    f"<!ENTITY b{at} '&b{at - 1};&b{at - 1};'>".replace("b0", "b") for at in range(1, 30)
) + "]><a>&b29;</a>"  # fmt: skip


@pytest.mark.parametrize("body", [BOMB, "<a>" * 300_000, "<a" + " b='1'" * 9, "", "\x00", "{}"])
@pytest.mark.parametrize("where", ["search", "zcl_demo", "checkruns", "inactiveobjects", "_action=LOCK"])
def test_what_is_no_adt_is_told_and_locks_nothing(stack: ExitStack, where: str, body: str) -> None:
    simulator, client = opened(stack)
    simulator.refusals = [(where, 200, "application/xml", body)]
    asks = {
        "search": lambda: client.search("Z*"),
        "zcl_demo": lambda: client.object(CLASS),
        "checkruns": lambda: client.check(MAIN, SOURCE),
        "inactiveobjects": client.inactive,
        "_action=LOCK": lambda: client.lock(CLASS),
    }
    with pytest.raises((AdtError, LockRequired)):
        asks[where]()
    assert client.held() == ()
    assert simulator.locked == []


@pytest.mark.parametrize("how", ["half", "drip"])
def test_a_source_that_does_not_come_whole_is_no_source(
    stack: ExitStack, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    simulator, client = opened(stack)
    about = client.object(CLASS)
    simulator.broken_off = how
    monkeypatch.setattr(session, "_WHOLE", 0.5)
    with pytest.raises(AdtError, match=r"broke off its answer|not answered in full"):
        client.source(about.source)
    simulator.broken_off = ""
    assert _text(client, about.source) == SOURCE


def test_includes_without_links_are_found_by_their_kind(stack: ExitStack) -> None:
    simulator, client = opened(stack)
    simulator.has_links = False
    sources = {each.kind: each.source for each in client.object(CLASS).includes}
    assert sources["testclasses"] == f"{CLASS}/includes/testclasses"
    assert _text(client, sources["testclasses"]).startswith("* testclasses")


@pytest.mark.parametrize(("status", "where"), [(406, "search"), (415, "PUT"), (415, "checkruns")])
def test_a_type_that_a_release_does_not_know_is_tried_as_another_once(
    stack: ExitStack, status: int, where: str
) -> None:
    simulator, client = opened(stack)
    simulator.refusals = [(where, status, "text/html", DUMP)]
    if where == "PUT":
        held = client.lock(CLASS)
        client.write(held.lock.handle, MAIN, "x\n")
        assert simulator.puts == 1
    elif where == "search":
        assert client.search("ZCL*")
    else:
        simulator.refusals = []
        assert client.check(MAIN, SOURCE) == ()


def test_transports_of_an_object_are_listed_and_made(stack: ExitStack) -> None:
    simulator, client = opened(stack)
    assert [(each.number, each.text) for each in client.transports(CLASS, "ZDEMO")] == [
        ("NPLK900001", "Demo")
    ]
    assert client.create_transport(CLASS, "ZDEMO", "Sums & more") == "NPLK900002"
    with pytest.raises(AdtError, match="text is needed"):
        client.create_transport(CLASS, "ZDEMO", "")
    message = "<CTS_MESSAGE><SEVERITY>E</SEVERITY><TEXT>ZDEMO is closed</TEXT></CTS_MESSAGE>"
    simulator.refusals = [
        ("transportchecks", 200, "application/xml", f"<a><MESSAGES>{message}</MESSAGES></a>")
    ]
    with pytest.raises(AdtError, match="ZDEMO is closed"):
        client.transports(CLASS, "ZDEMO")
    simulator.refusals = [("transports", 200, "text/plain", "<html>")]
    with pytest.raises(AdtError, match="named no transport"):
        client.create_transport(CLASS, "ZDEMO", "x")
