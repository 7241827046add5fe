"""The table of operations: what every face relies on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from services.errors import LockRequired, SymbolNotFound, UsageError
from services.operations import arguments_schema, by_command, by_name, result_schema
from services.operations.operation import Operation, Right
from services.operations.table import OPERATIONS, by_tool
from services.settings import Settings
from tests.support.memory_bench import MemoryBench


@pytest.fixture
def bench(tmp_path: Path) -> Any:
    return MemoryBench(tmp_path, Settings())


def named(name: str) -> Operation:
    operation = by_name(name)
    assert operation is not None
    return operation


every_operation = pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)


def test_names_and_tools_are_unique() -> None:
    names = [operation.name for operation in OPERATIONS]
    tools = [operation.faces.tool for operation in OPERATIONS if operation.faces.tool]
    assert len(set(names)) == len(names)
    assert len(set(tools)) == len(tools)


def test_an_operation_is_found_by_each_of_its_names() -> None:
    assert by_tool("get_outline") is by_name("GetOutline") is by_command("outline")
    assert by_name("NoSuch") is by_tool("no_such") is by_command("no-such") is None


def test_a_command_is_found_where_its_operation_is_declared() -> None:
    first = {each.faces.command: each for each in reversed(OPERATIONS) if each.faces.command}
    assert {name: by_command(name) for name in first} == first


def test_a_command_imports_the_operations_of_its_own_module_alone() -> None:
    code = (
        "import sys; from services.operations import by_command; assert by_command('search');"
        "print([each for each in sys.modules if each.startswith('services.operations.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "services.operations.symbols" in done.stdout
    assert "services.operations.table" not in done.stdout
    assert "services.operations.window" not in done.stdout


@every_operation
def test_help_and_every_parameter_are_described_in_sentences(operation: Operation) -> None:
    texts = [operation.summary, *(parameter.param.help for parameter in operation.parameters)]
    assert all(text[0].isupper() or text[0] == "`" for text in texts)
    assert all(text.endswith(".") for text in texts)


@every_operation
def test_arguments_have_a_schema_that_names_and_describes_each(operation: Operation) -> None:
    schema = arguments_schema(operation)
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert list(schema["properties"]) == [parameter.wire for parameter in operation.parameters]
    assert all(each["description"] for each in schema["properties"].values())
    assert schema["required"] == [parameter.wire for parameter in operation.parameters if parameter.required]


@every_operation
def test_results_have_a_schema(operation: Operation) -> None:
    schema = result_schema(operation)
    assert schema["$defs"][operation.result.__name__]["type"] == "object"


def test_limits_and_choices_are_in_the_schema() -> None:
    limit = arguments_schema(named("SearchSymbols"))["properties"]["limit"]
    assert (limit["minimum"], limit["maximum"], limit["default"]) == (1, 10_000, 50)
    window_format = arguments_schema(named("GetPromptWindow"))["properties"]["format"]
    assert sorted(window_format["anyOf"][0]["enum"]) == ["json", "md", "xml"]


def test_what_only_reads_needs_no_more_than_the_right_to_read() -> None:
    reading = {operation.effect.right for operation in OPERATIONS if operation.effect.read_only}
    assert reading == {Right.READ}


def test_what_changes_the_window_or_files_needs_the_right_to() -> None:
    rights = {operation.name: operation.effect.right for operation in OPERATIONS}
    assert {rights[name] for name in ("Pin", "Unpin", "Dismiss")} == {Right.PIN}
    assert {rights[name] for name in ("lock", "renewLock")} == {Right.LOCK}
    assert rights["unLock"] == Right.READ  # what is one's own is given back whatever one may do by then
    writes = ("setObjectSourceV2", "setObjectSource", "applyPatch", "undo", "redo", "breakLock")
    assert {rights[name] for name in writes} == {Right.WRITE}


def test_what_a_person_decides_is_no_tool() -> None:
    assert {op.faces.tool for op in OPERATIONS if op.effect.right is Right.PERSON} == {None}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("GetOutline", {}),
        ("GetOutline", {"path": 3}),
        ("GetOutline", {"path": "a", "depth": 1}),
        ("SearchSymbols", {"limit": 0}),
        ("getObjectSourceV2", {"object": "a.cs", "startLine": "one"}),
        ("getObjectSourceV2", {"object": "a.cs", "includeType": "tests"}),
        ("getObjectSourceV2", {"object": "a.cs", "version": "HEAD"}),
        ("grepObjectSource", {"pattern": "a", "contextLines": -1}),
        ("GetPromptWindow", {"format": "pdf"}),
    ],
)
def test_arguments_that_do_not_fit_are_refused(bench: Any, name: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=name):
        named(name).run(bench, arguments)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("setObjectSourceV2", {"startLine": 1.5, "endLine": 2}),
        ("setObjectSourceV2", {"startLine": 1, "endLine": "end"}),
        ("setObjectSource", {"content": 3}),
    ],
)
def test_a_write_that_does_not_fit_says_first_that_nothing_was_written(
    bench: Any, name: str, wrong: dict[str, Any]
) -> None:
    given = {"object": "a.cs", "token": "t", "content": "x", "lockHandle": "h", **wrong}
    with pytest.raises(UsageError, match=rf"^Nothing was written\. {name}: "):
        named(name).run(bench, given)


@pytest.mark.parametrize("name", ["setObjectSourceV2", "setObjectSource", "applyPatch"])
@pytest.mark.parametrize("handle", [None, "", ()])
def test_a_write_without_a_handle_needs_a_lock(bench: Any, name: str, handle: Any) -> None:
    given = {
        "object": "a.cs",
        "token": "t",
        "startLine": 1,
        "endLine": 1,
        "content": "x",
        "diff": "",
        "expected": {},
    }
    handles = {} if handle is None else {"lockHandle": handle, "lockHandles": handle}
    taken = {each.wire for each in named(name).parameters}
    arguments = {key: value for key, value in (given | handles).items() if key in taken}
    for call in (named(name).run, named(name).need):
        with pytest.raises(LockRequired, match=r"^Nothing was written\. ") as caught:
            call(bench, arguments)
        assert caught.value.as_value()["code"] == 4005


def test_a_handle_is_required_in_the_schema_all_the_same() -> None:
    assert "lockHandle" in arguments_schema(named("setObjectSourceV2"))["required"]


def test_a_part_that_there_is_not_is_refused_with_those_there_are(bench: Any) -> None:
    with pytest.raises(
        UsageError, match="It may be: main, definitions, implementations, macros, testclasses"
    ):
        named("getObjectSourceV2").run(bench, {"object": "a.cs", "includeType": "tests"})


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("ResolveSymbol", {"path": "Orchard.Tree"}),
        ("GetOutline", {"path": "Orchard.Tree"}),
        ("Pin", {"path": "Orchard.Tree"}),
        ("Unpin", {"path": "Orchard.Tree"}),
        ("SetLevel", {"path": "Orchard.Tree", "level": "whole"}),
        ("Move", {"path": "Orchard.Tree", "after": "Orchard.Tree"}),
        ("Dismiss", {"path": "Orchard.Tree"}),
        ("getObjectSourceV2", {"object": "Orchard.Tree"}),
        ("getObjectSource", {"object": "Orchard.Tree"}),
        ("grepObjectSource", {"object": "Orchard.Tree", "pattern": "height"}),
        ("objectStructure", {"object": "Orchard.Tree"}),
    ],
)
def test_an_answer_about_a_symbol_says_which(bench: Any, name: str, arguments: dict[str, Any]) -> None:
    answer = msgspec.to_builtins(named(name).run(bench, arguments))
    assert answer["resolved"] == {"path": "Orchard.Tree", "typeId": "T_00000001", "memberId": None}


def test_lines_of_a_file_are_of_no_symbol(bench: Any) -> None:
    answer = named("getObjectSourceV2").run(bench, {"object": "Tree.cs", "startLine": 2, "endLine": 3})
    assert (answer.resolved, answer.content) == (None, "{\r\n\tint \x1b[31mheight;\r\n")


def test_the_window_has_the_format_of_the_settings_unless_another_is_named(bench: Any) -> None:
    assert named("GetPromptWindow").run(bench, {}).text == "window as md\n"
    assert named("GetPromptWindow").run(bench, {"format": "xml"}).text == "window as xml\n"


def test_resolving_answers_candidates_and_refuses_a_miss_with_suggestions(bench: Any) -> None:
    assert len(named("ResolveSymbol").run(bench, {"path": "Tree"}).candidates) == 2
    with pytest.raises(SymbolNotFound) as raised:
        named("ResolveSymbol").run(bench, {"path": "Treee"})
    assert raised.value.as_value()["suggestions"] == ["Orchard.Tree"]


def test_the_outline_of_a_member_is_of_a_member(bench: Any) -> None:
    answer = named("GetMemberOutline").run(bench, {"memberPath": "Orchard.Tree.height"})
    assert answer.resolved.member_id == "T_00000001_AAAAAA"
    with pytest.raises(UsageError, match="is a type"):
        named("GetMemberOutline").run(bench, {"memberPath": "Orchard.Tree"})
