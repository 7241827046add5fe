"""How operations name what they are about: other names of parameters, and what answers say."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from services.errors import AmbiguousSymbol, UsageError
from services.operations import Operation, arguments_schema, by_name
from services.operations.synonyms import SYNONYMS
from services.operations.table import OPERATIONS
from services.server.jsonrpc import JsonRpc
from services.server.serving import Serving
from services.source.journal.actor import Owner
from tests.support.serving import answered, connected, refused, served
from tests.support.workspace import indexed

AGENT = Owner("tester")
FILES = {
    "src/Shop.cs": "namespace Shop;\nclass Till\n{\n    void Open() { }\n    void Shut() { Open(); }\n}\n"
}


@pytest.fixture(scope="module")
def ids(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, str]]:
    with indexed(tmp_path_factory.mktemp("ids"), FILES) as bench:
        yield {each.fqn: each.id for each in bench.index.symbols()}


def run(root: Path, operation: str, **arguments: Any) -> Any:
    declared = by_name(operation)
    assert declared is not None
    with indexed(root, FILES) as bench:
        return declared.run(bench, arguments)


def test_other_names_are_listed_nowhere() -> None:
    others = {name for names in SYNONYMS.values() for name in names} - {"object", "path", "id", "memberPath"}
    for operation in OPERATIONS:
        assert not others & arguments_schema(operation)["properties"].keys()


@pytest.mark.parametrize(
    "name", ["id", "typeId", "memberId", "objectUrl", "objectSourceUrl", "object", "path"]
)
def test_a_symbol_is_taken_under_each_name(tmp_path: Path, ids: Mapping[str, str], name: str) -> None:
    member = ids["Shop.Till.Open"]
    value = member if name == "memberId" else ids["Shop.Till"] if name == "typeId" else "Shop.Till.Open"
    for operation in (
        "ResolveSymbol",
        "GetOutline",
        "FindUsages",
        "getObjectSourceV2",
        "objectStructure",
        "lock",
        "Pin",
    ):
        answer = run(tmp_path / operation, operation, **{name: value})
        assert answer.resolved.type_id == ids["Shop.Till"]
        assert answer.resolved.member_id == (None if name == "typeId" else member)


@pytest.mark.parametrize("name", ["memberId", "id", "memberPath", "path"])
def test_a_member_is_taken_under_each_name(tmp_path: Path, ids: Mapping[str, str], name: str) -> None:
    answer = run(tmp_path, "GetMemberOutline", **{name: ids["Shop.Till.Open"]})
    assert answer.resolved.member_id == ids["Shop.Till.Open"]


def test_an_id_counts_beside_a_path_and_an_object_beside_its_source(
    tmp_path: Path, ids: Mapping[str, str]
) -> None:
    answer = run(tmp_path, "GetOutline", path="Elsewhere", id=ids["Shop.Till"])
    assert answer.resolved.path == "Shop.Till"
    answer = run(tmp_path, "getObjectSourceV2", objectSourceUrl="src/Shop.cs", objectUrl="Shop.Till.Open")
    assert answer.start_line == 4


def test_one_thing_given_twice_and_differently_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="objectSourceUrl and path differ"):
        run(tmp_path, "GetOutline", path="Shop.Till", objectSourceUrl="src/Shop.cs")
    assert run(tmp_path, "SearchSymbols", query="till", limit=1, maxResults=1).hits


def test_counts_and_filters_are_taken_under_their_other_names(tmp_path: Path) -> None:
    assert len(run(tmp_path, "SearchSymbols", query="Shop", maxResults=1).hits) == 1
    assert len(run(tmp_path, "grepObjectSource", pattern="Open", maxResults=1).matches) == 1
    assert len(run(tmp_path, "FindUsages", id="Till.Open", maxResults=1).usages) == 1
    assert len(run(tmp_path, "BuildPack", name="p", filterSpec="type:Till").types) == 1


def test_every_answer_about_a_symbol_says_which(tmp_path: Path, ids: Mapping[str, str]) -> None:
    with indexed(tmp_path, FILES) as bench:

        def told(name: str, **arguments: Any) -> Any:
            operation = by_name(name)
            assert operation is not None
            answer = operation.run(bench, arguments)
            assert answer.resolved.type_id == ids["Shop.Till"], name
            return answer

        token = told("getObjectSourceV2", object="Shop.Till").token
        handle = told("lock", object="Till").lock_handle
        line = {"token": token, "startLine": 2, "endLine": 1, "lockHandle": handle}
        told("setObjectSourceV2", object="Till", content="// a\n", **line)
        told("undo", object="Till", lockHandle=handle)
        told("redo", object="Till", lockHandle=handle)
        told("history", object="Till")
        told("setObjectSource", object="Till", content=FILES["src/Shop.cs"], lockHandle=handle)
        told("breakLock", object="Till", reason="x", dryRun=True)
        told("unLock", object="Till", lockHandle=handle)
        told("grepObjectSource", object="Till", pattern="x")
        told("Pin", path="Till")
        told("Unpin", path="Till")
        told("Dismiss", path="Till")
        assert bench.writing.lock("src/Shop.cs").resolved is None


def test_a_namespace_does_not_count_as_used(tmp_path: Path) -> None:
    assert run(tmp_path, "ResolveSymbol", path="Shop").symbol.kind == "namespace"


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with served(tmp_path_factory.mktemp("shop")) as made:
        yield made


async def test_mcp_takes_other_names_and_never_acts_on_a_guess(serving: Serving) -> None:
    async with connected(serving) as client:
        found = await answered(client, "search_symbols", query="kind:class", maxResults=1)
        path, id_ = found["hits"][0]["symbol"]["path"], found["hits"][0]["symbol"]["id"]
        assert (await answered(client, "get_outline", typeId=id_))["resolved"]["typeId"] == id_
        guess = f"{path}q"
        for tool, given in (("lock", {"objectUrl": guess}), ("pin", {"id": guess})):
            error = await refused(client, tool, **given)
            assert error["code"] == "AmbiguousSymbol"
            assert id_ in [each["typeId"] for each in error["details"]["candidates"]]


def test_json_rpc_takes_other_names_and_never_acts_on_a_guess(serving: Serving) -> None:
    def call(method: str, **params: Any) -> Any:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        told = JsonRpc(serving).answer(json.dumps(body).encode(), agent=AGENT)
        assert told is not None
        return json.loads(told)

    symbol = call("SearchSymbols", query="kind:class", maxResults=1)["result"]["hits"][0]["symbol"]
    assert call("objectStructure", objectUrl=symbol["id"])["result"]["resolved"]["typeId"] == symbol["id"]
    error = call("lock", objectUrl=f"{symbol['path']}q")["error"]
    assert error["data"]["code"] == AmbiguousSymbol.code
    refusal = call("getObjectSourceV2", objectUrl="../../etc/passwd")["error"]
    assert refusal["data"]["name"] == "AccessDenied"


@pytest.mark.parametrize("name", ["paths", "path", "id", "typeId", "object"])
def test_notes_are_asked_for_under_each_name(tmp_path: Path, ids: Mapping[str, str], name: str) -> None:
    value = ids["Shop.Till"] if name in ("id", "typeId") else "Shop.Till"
    assert "Shop.Till" in run(tmp_path, "PromptForSemantic", **{name: value}).text


NESTED = {"src/Outer.cs": "namespace N; class Outer<T> { void M() { new Inner(); } class Inner { int a; } }"}


def test_a_nested_type_is_spelled_in_one_way(tmp_path: Path) -> None:
    with indexed(tmp_path, NESTED) as bench:
        answers = {
            name: _of(name).run(bench, {"path": "Inner"})
            for name in (
                "ResolveSymbol",
                "GetOutline",
                "FindUsages",
                "GetHierarchy",
                "GetSemantic",
                "getObjectSourceV2",
            )
        }
        assert {answer.resolved.path for answer in answers.values()} == {"N.Outer<T>.Inner"}
        assert {answers[name].symbol.path for name in ("ResolveSymbol", "GetOutline")} == {"N.Outer<T>.Inner"}
        assert answers["GetOutline"].text.startswith("private class Inner\n// in N.Outer<T> ")
        (hit,) = [
            each
            for each in _of("SearchSymbols").run(bench, {"query": "Inner"}).hits
            if each.symbol.label == "Inner"
        ]
        assert hit.symbol.path == "N.Outer<T>.Inner"


def _of(name: str) -> Operation:
    declared = by_name(name)
    assert declared is not None
    return declared
