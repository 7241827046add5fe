"""Objects of SAP systems through the operations: the same calls as for files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from services.bench.bench import Bench
from services.errors import (
    IncludeNotFound,
    LineOutOfRange,
    LockRequired,
    NotClassObject,
    ProposalPending,
    SymbolNotFound,
    TokenInvalid,
    UsageError,
    VersionConflict,
)
from services.operations import by_name
from services.operations.edits.consent import call
from services.operations.operation import Operation
from services.prompt.items import CopyRequest
from services.settings import AdtSettings, AgentSettings, Settings
from services.source.journal.actor import Owner, acting
from tests.support.adt_simulator import CLASS, SOURCE, AdtSimulator, simulated

LINES = SOURCE.splitlines(keepends=True)


def operation_of(name: str) -> Operation:
    declared = by_name(name)
    assert declared is not None
    return declared


class System:
    """A workspace with one system."""

    def __init__(self, bench: Bench, simulator: AdtSimulator) -> None:
        self.bench = bench
        self.simulator = simulator

    def call(self, operation: str, **arguments: Any) -> Any:
        return operation_of(operation).run(self.bench, arguments)

    def reads(self) -> int:
        return sum(
            "/source/main" in target for method, target, _ in self.simulator.requests if method == "GET"
        )


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[System]:
    monkeypatch.setenv("ADT_PASSWORD", "secret")
    with simulated() as (simulator, address):
        systems = {"DEV.url": address, "DEV.user": "DEVELOPER"}
        asked = AgentSettings(write="ask", patience=0)
        settings = Settings(adt=AdtSettings(systems=systems), agents=asked)
        with Bench.open(tmp_path, settings=settings) as bench:
            yield System(bench, simulator)
        assert simulator.sessions == {}


@pytest.mark.parametrize(
    "name", ["adt:zcl_demo", "adt:DEV:ZCL_DEMO", f"adt:{CLASS}", f"adt:DEV:{CLASS}/source/main"]
)
def test_an_object_is_read_by_name_and_by_path(system: System, name: str) -> None:
    whole = system.call("getObjectSourceV2", object=name)
    assert (whole.content, whole.object_type, whole.line_count) == (SOURCE, "CLAS/OC", len(LINES))


def test_ranges_are_cut_here_and_fetched_once(system: System) -> None:
    first = system.call("getObjectSourceV2", object="adt:zcl_demo", startLine=3, endLine=4)
    again = system.call("getObjectSourceV2", object="adt:zcl_demo:7-8")
    assert first.content == "".join(LINES[2:4])
    assert (again.content, again.start_line, again.end_line) == ("".join(LINES[6:8]), 7, 8)
    assert first.token == again.token
    assert system.reads() == 1
    with pytest.raises(LineOutOfRange):
        system.call("getObjectSourceV2", object="adt:zcl_demo", startLine=99)


def test_includes_and_versions_are_the_systems_own(system: System) -> None:
    part = system.call("getObjectSourceV2", object="adt:zcl_demo", includeType="testclasses")
    assert part.content == "* testclasses of zcl_demo\n"
    with pytest.raises(NotClassObject):
        system.call("getObjectSourceV2", object="adt:zif_demo", includeType="macros")
    with pytest.raises(IncludeNotFound):
        system.bench.systems.read("adt:zcl_demo", include="odd")


def test_what_is_not_there_names_what_is(system: System) -> None:
    with pytest.raises(SymbolNotFound, match=r"no object called 'zcl_dem'.*ZCL_DEMO"):
        system.call("getObjectSourceV2", object="adt:zcl_dem")
    with pytest.raises(UsageError, match=r"no SAP system 'QAS'\. There are: DEV"):
        system.call("getObjectSourceV2", object="adt:QAS:zcl_demo")
    with pytest.raises(UsageError, match="names nothing"):
        system.call("getObjectSourceV2", object="adt:")


def test_lines_are_searched(system: System) -> None:
    found = system.call("grepObjectSource", object="adt:zcl_demo", pattern="sum")
    assert [each.line_number for each in found.matches] == [3, 8]


def test_the_structure_has_the_facts_and_the_includes(system: System) -> None:
    about = system.call("objectStructure", object="adt:zcl_demo")
    assert about.facts["adtcore:packageRef"] == "ZDEMO"
    assert {each.title for each in about.links} == {
        "main",
        "definitions",
        "implementations",
        "macros",
        "testclasses",
        "add",
    }
    for link in about.links:
        assert system.call("getObjectSourceV2", object=link.href).content


def test_a_source_is_compared_by_its_etag_once_the_object_changed(system: System) -> None:
    read = system.call("getObjectSourceV2", object="adt:zcl_demo")
    system.simulator.objects[CLASS].changed += 1  # elsewhere, such as in its test classes
    sent = len(system.simulator.requests)
    again = system.call("getObjectSourceV2", object="adt:zcl_demo")
    assert (again.content, again.token) == (read.content, read.token)
    assert system.simulator.unchanged == 1
    system.simulator.objects[CLASS].changed += 1
    system.simulator.objects[CLASS].active["source/main"] = "* new\n"
    assert system.call("getObjectSourceV2", object="adt:zcl_demo").content == "* new\n"
    assert len(system.simulator.requests) > sent


def test_symbols_of_a_system_are_searched_like_those_of_the_workspace(system: System) -> None:
    for query in ("adt:zcl", "adt:DEV:zcl_d*"):
        (hit,) = system.call("SearchSymbols", query=query).hits
        assert (hit.symbol.id, hit.symbol.kind, hit.symbol.container) == (
            "adt:DEV:ZCL_DEMO",
            "class",
            "ZDEMO",
        )
        assert system.call("getObjectSourceV2", object=hit.symbol.id).content == SOURCE
        assert system.call("getObjectSourceV2", object=hit.symbol.file).content == SOURCE
    assert [each.symbol.kind for each in system.call("SearchSymbols", query="adt:z").hits] == [
        "class",
        "interface",
    ]
    assert system.call("SearchSymbols", query="adt:").hits == ()


def test_locks_of_systems_are_listed_without_their_handles(system: System) -> None:
    held = system.call("lock", object="adt:zcl_demo")
    (listed,) = system.call("listLocks").locks
    assert (listed.object, listed.owner, listed.lock_handle) == (f"adt:DEV:{CLASS}", "DEVELOPER", None)
    assert listed.recorded == "changes are recorded in NPLK900001"
    system.call("unLock", object="adt:zcl_demo", lockHandle=held.lock_handle)
    assert system.call("listLocks").locks == ()


def test_a_lock_is_given_back_without_asking_for_the_object(system: System) -> None:
    held = system.call("lock", object="adt:zcl_demo")
    before = len(system.simulator.requests)
    given_back = system.call("unLock", object="adt:zcl_demo", lockHandle=held.lock_handle)
    sent = [(method, target.partition("?")[0]) for method, target, _ in system.simulator.requests[before:]]
    assert sent == [("POST", CLASS), ("GET", "/sap/public/bc/icf/logoff")]
    assert (given_back.object, given_back.files, given_back.owner) == (held.object, held.files, held.owner)


def test_an_agents_edit_is_proposed_and_written_under_a_lock_of_the_person(system: System) -> None:
    with acting(Owner("claude", "s1")):
        read = system.call("getObjectSourceV2", object="adt:zcl_demo", startLine=8, endLine=8)
        edit = {"object": "adt:zcl_demo", "token": read.token, "startLine": 8, "endLine": 8,
                "content": "    sum = b + a.\n", "lockHandle": "of a session that is gone"}  # fmt: skip
        with pytest.raises(ProposalPending) as pending:
            call(system.bench, operation_of("setObjectSourceV2"), edit)
    assert system.simulator.puts == 0
    system.call("ApplyProposal", proposalId=pending.value.details["proposalId"])
    assert system.simulator.objects[CLASS].inactive["source/main"] == SOURCE.replace("a + b", "b + a")
    assert system.simulator.locked == []


def test_an_edit_under_a_lock_and_its_activation(system: System) -> None:
    read = system.call("getObjectSourceV2", object="adt:zcl_demo", startLine=8, endLine=8)
    held = system.call("lock", object="adt:zcl_demo")
    assert (held.correction, held.is_local) == ("NPLK900001", "")
    wrote = system.call(
        "setObjectSourceV2", object="adt:zcl_demo", token=read.token, startLine=8, endLine=8,
        content="    sum = b + a.\n", lockHandle=held.lock_handle,
    )  # fmt: skip
    assert "+    sum = b + a." in wrote.diff
    system.call("unLock", object="adt:zcl_demo", lockHandle=held.lock_handle)
    again = system.call("getObjectSourceV2", object="adt:zcl_demo", startLine=8, endLine=8)
    assert (again.content, again.token) == ("    sum = b + a.\n", wrote.token)
    assert [each.name for each in system.call("ListInactiveObjects").objects] == ["ZCL_DEMO"]
    assert system.call("ActivateSystemObject", object="adt:zcl_demo").success
    assert (
        system.call(
            "getObjectSourceV2", object="adt:zcl_demo", version="active", startLine=8, endLine=8
        ).content
        == again.content
    )


def test_a_write_with_a_lock_of_its_own(system: System) -> None:
    token = system.call("getObjectSourceV2", object="adt:zcl_demo").token
    edit = {
        "object": "adt:zcl_demo",
        "token": token,
        "startLine": 1,
        "endLine": 0,
        "content": "* first\n",
        "lockHandle": "new",
    }
    rehearsed = system.call("setObjectSourceV2", **edit, dryRun=True)
    assert (rehearsed.updated, system.simulator.puts, system.simulator.locked) == (False, 0, [])
    assert system.call("setObjectSourceV2", **edit).updated
    assert (system.simulator.puts, system.simulator.locked) == (1, [])


def test_a_text_that_went_on_is_never_written_over(system: System) -> None:
    token = system.call("getObjectSourceV2", object="adt:zcl_demo").token
    system.simulator.objects[CLASS].inactive["source/main"] = SOURCE + "* theirs\n"
    edit = {"object": "adt:zcl_demo", "startLine": 1, "endLine": 1, "content": "", "lockHandle": "new"}
    with pytest.raises(VersionConflict, match="Read it again"):
        system.call("setObjectSourceV2", **edit, token=token)
    with pytest.raises(TokenInvalid):
        system.call("setObjectSourceV2", **edit, token="never given")
    with pytest.raises(LockRequired):
        now = system.call("getObjectSourceV2", object="adt:zcl_demo:1-1", version="inactive").token
        system.call("setObjectSourceV2", **{**edit, "lockHandle": "unknown"}, token=now)
    assert (system.simulator.puts, system.simulator.locked) == (0, [])


@pytest.mark.parametrize("part", ["adt:zcl_demo=>add", "adt:zcl_demo:7-9"])
def test_a_whole_source_is_never_replaced_by_a_part_of_it(system: System, part: str) -> None:
    read = system.call("getObjectSourceV2", object=part)
    edit = {"object": part, "content": read.content, "token": read.token, "lockHandle": "new"}
    with pytest.raises(UsageError, match="Name the object"):
        system.call("setObjectSource", **edit)
    assert (system.simulator.puts, system.simulator.locked) == (0, [])


def test_a_long_class_is_fetched_once_and_cut_here(system: System) -> None:
    text = "".join(f"* {at}\n" for at in range(50_000))
    system.simulator.objects[CLASS].active["source/main"] = text
    for start in (1, 25_000, 49_990):
        found = system.call("getObjectSourceV2", object="adt:zcl_demo", startLine=start, endLine=start + 9)
        assert found.content == "".join(f"* {at}\n" for at in range(start - 1, start + 9))
    assert system.reads() == 1


def test_messages_of_a_check(system: System) -> None:
    assert system.call("CheckSystemSource", object="adt:zcl_demo").success
    wrong = system.call("CheckSystemSource", object="adt:zcl_demo", content="SYNTAX-ERROR\n")
    assert (wrong.success, [each.line for each in wrong.messages]) == (False, [1])
    assert [each.name for each in system.call("SearchSystem", query="z*").objects] == ["ZCL_DEMO", "ZIF_DEMO"]


def test_without_a_system_it_is_said_how_to_name_one(tmp_path: Path) -> None:
    with (
        Bench.open(tmp_path, settings=Settings()) as bench,
        pytest.raises(UsageError, match=r"\[adt\.NAME\]"),
    ):
        bench.systems.read("adt:zcl_demo")


DOCUMENTED = """\
"! <p class="shorttext synchronized">Sums</p>
CLASS zcl_demo DEFINITION PUBLIC FINAL CREATE PUBLIC.
  PUBLIC SECTION.
    METHODS:
      "! Adds two numbers.
      "! @parameter a | the first
      add IMPORTING a TYPE i b TYPE i RETURNING VALUE(sum) TYPE i,
      reset.
  PRIVATE SECTION.
    DATA total TYPE i.
ENDCLASS.

CLASS zcl_demo IMPLEMENTATION.
  METHOD add.
    sum = a + b.
  ENDMETHOD.
  METHOD reset.
    CLEAR total.
  ENDMETHOD.
ENDCLASS.
"""


def _outlined(system: System, name: str) -> str:
    return system.call("GetOutline", path=name).text


def test_an_outline_has_sections_signatures_and_documentation(system: System) -> None:
    system.simulator.objects[CLASS].active["source/main"] = DOCUMENTED
    text = _outlined(system, "adt:zcl_demo")
    head, where, *rest = text.splitlines()
    assert head == "# ZCL_DEMO: CLAS/OC Demo"
    assert "ZDEMO" in where
    shown = "\n".join(rest)
    assert '"! Sums\nCLASS zcl_demo DEFINITION PUBLIC FINAL CREATE PUBLIC.' in shown
    method = '    "! Adds two numbers.\n    "! parameter a | the first\n    METHODS add IMPORTING a TYPE i b TYPE i'
    assert method in shown
    assert "PRIVATE SECTION.\n    DATA total TYPE i." in shown
    assert "sum = a" not in shown


def test_a_member_is_outlined_and_read_by_its_name(system: System) -> None:
    system.simulator.objects[CLASS].active["source/main"] = DOCUMENTED
    answer = system.call("GetMemberOutline", memberPath="adt:zcl_demo=>ADD")
    assert answer.resolved.path == "ZCL_DEMO=>add"
    assert "METHODS add" in answer.text
    assert "METHODS reset" not in answer.text
    found = system.call("getObjectSourceV2", object="adt:zcl_demo->reset")
    assert found.content.split() == ["METHOD", "reset.", "CLEAR", "total.", "ENDMETHOD."]
    with pytest.raises(SymbolNotFound, match=r"no member 'ad'\. It has add, reset"):
        system.call("getObjectSourceV2", object="adt:zcl_demo=>ad")


def test_a_source_that_is_no_abap_is_outlined_as_that(system: System) -> None:
    system.simulator.objects[CLASS].active["source/main"] = "~~ {} ((\n" * 3
    assert "lines that declare nothing known" in _outlined(system, "adt:zcl_demo")


def _window(system: System) -> Any:
    return system.call("GetPromptWindow")


def test_a_pinned_object_is_its_outline_and_a_pinned_member_its_source(system: System) -> None:
    system.call("Pin", path="adt:zcl_demo")
    window = system.call("Pin", path="adt:zcl_demo=>add")
    assert [each.key for each in window.items] == ["adt:DEV:ZCL_DEMO", "adt:DEV:ZCL_DEMO=>add"]
    text = _window(system).text
    assert "METHODS add IMPORTING" in text
    assert text.count("sum = a + b.") == 1
    system.call("Unpin", path="adt:zcl_demo=>add")
    system.call("SetLevel", path="adt:zcl_demo", level="whole")
    assert "CLASS zcl_demo IMPLEMENTATION." in _window(system).text
    with pytest.raises(UsageError, match="not in the prompt window"):
        system.call("Unpin", path="adt:zcl_other")


def _copied(system: System) -> str:
    return system.bench.copying.prepare(CopyRequest()).text


def test_a_copy_has_what_the_system_has_now(system: System) -> None:
    system.call("Pin", path="adt:zcl_demo=>add")
    about = system.simulator.objects[CLASS]
    about.active["source/main"] = SOURCE.replace("  METHOD add.\n", "  METHOD add.\n    CLEAR sum.\n")
    about.changed += 1
    assert "CLEAR sum." in _copied(system)
    (item,) = _window(system).items
    assert item.detail.endswith("source/main:7-10")


def test_a_copy_says_that_a_system_does_not_answer(system: System) -> None:
    system.call("Pin", path="adt:zcl_demo=>add")
    about = system.simulator.objects.pop(CLASS)
    text = _copied(system)
    assert "sum = a + b." in text
    (item,) = _window(system).items
    assert "could not be compared" in item.state_detail
    system.simulator.objects[CLASS] = about
    _copied(system)
    assert _window(system).items[0].state_detail == ""


def test_a_long_source_is_pinned_by_parts(system: System) -> None:
    body = "    sum = sum + 1.\n" * 20_000
    system.simulator.objects[CLASS].active["source/main"] = SOURCE.replace("    sum = a + b.\n", body)
    with pytest.raises(UsageError, match="Pin a member"):
        system.call("Pin", path="adt:zcl_demo")
    system.call("Pin", path="adt:zcl_demo:1-4")
    assert [each.key for each in _window(system).items] == ["adt:DEV:ZCL_DEMO:1-4"]
