"""JSON-RPC 2.0, requests as they come from anybody."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.server.jsonrpc import JsonRpc
from services.server.serving import Serving
from services.source.journal.actor import Owner
from tests.support.serving import served

AGENT = Owner("tester")
PATHS = (
    "../../etc/passwd",
    "/etc/passwd",
    "a/../../x",
    "Shop/../../etc/passwd:1-2",
    "file:../../etc/passwd",
    "\0",
    "",
)


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with served(tmp_path_factory.mktemp("shop")) as made:
        yield made


def ask(serving: Serving, body: bytes | str | Any) -> Any:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    told = JsonRpc(serving).answer(data, agent=AGENT)
    return None if told is None else json.loads(told)


def call(serving: Serving, method: str, params: Any = None, *, id_: Any = 1) -> Any:
    return ask(
        serving,
        {"jsonrpc": "2.0", "id": id_, "method": method, **({"params": params} if params is not None else {})},
    )


def test_arguments_by_name_and_by_position_mean_the_same(serving):
    named = call(serving, "SearchSymbols", {"query": "Orders", "limit": 1})["result"]["hits"]
    placed = call(serving, "SearchSymbols", ["Orders", 1])["result"]["hits"]
    assert named == placed != []


@pytest.mark.parametrize("first", ["", None])
def test_a_program_gets_pages_where_it_asks_for_them_and_else_all(tmp_path, first):
    text = "".join(f"line {at} is long enough to be counted\n" for at in range(3_000))
    with served(tmp_path, {"a.txt": text}) as made:
        whole = call(made, "getObjectSourceV2", {"object": "a.txt"})["result"]
        pages, cursor = [], first
        while not pages or cursor:
            page = call(made, "getObjectSourceV2", {"object": "a.txt", "cursor": cursor})["result"]
            pages.append(page["content"])
            cursor = page.get("nextCursor")
    assert whole["content"] == text == "".join(pages)
    assert "nextCursor" not in whole
    assert len(pages) > 2


@pytest.mark.parametrize("id_", ["x", 7, 1.5, None, ""])
def test_the_id_comes_back_as_it_was(serving, id_):
    assert call(serving, "Status", id_=id_)["id"] == id_


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", -32700),
        (b"", -32700),
        (b"\xff\xfe", -32700),
        (b"[" * 100_000, -32700),
        (b'{"a":1}{"a":2}', -32700),
        ([], -32600),
        (1, -32600),
        ("x", -32600),
        (None, -32600),
        ({}, -32600),
        ({"jsonrpc": "1.0", "id": 1, "method": "Status"}, -32600),
        ({"jsonrpc": 2.0, "id": 1, "method": "Status"}, -32600),
        ({"jsonrpc": "2.0", "id": 1}, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": 5}, -32600),
        ({"jsonrpc": "2.0", "id": {}, "method": "Status"}, -32600),
        ({"jsonrpc": "2.0", "id": True, "method": "Status"}, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": "rpc.nothing"}, -32601),
        ({"jsonrpc": "2.0", "id": 1, "method": "get_outline"}, -32601),
        ({"jsonrpc": "2.0", "id": 1, "method": "Status", "params": "x"}, -32602),
        ({"jsonrpc": "2.0", "id": 1, "method": "Status", "params": [1]}, -32602),
        ({"jsonrpc": "2.0", "id": 1, "method": "Status", "params": {"no": 1}}, -32602),
        ({"jsonrpc": "2.0", "id": 1, "method": "GetOutline", "params": {}}, -32602),
        ({"jsonrpc": "2.0", "id": 1, "method": "SearchSymbols", "params": {"limit": "many"}}, -32602),
        ({"jsonrpc": "2.0", "id": 1, "method": "SearchSymbols", "params": {"limit": 0}}, -32602),
        ({"jsonrpc": "2.0", "id": 1, "method": "SearchSymbols", "params": {"query": "x " * 3_000}}, -32602),
        (
            {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "grepObjectSource",
                "params": {"pattern": "x", "glob": "x" * 5_000},
            },
            -32602,
        ),
    ],
)
def test_what_is_wrong_has_its_standard_code(serving, body, code):
    answer = ask(serving, body)
    assert answer["error"]["code"] == code
    assert "result" not in answer


def test_a_batch_answers_its_requests_and_not_its_notifications(serving):
    answers = ask(
        serving,
        [
            {"jsonrpc": "2.0", "id": "a", "method": "Status"},
            {"jsonrpc": "2.0", "method": "Status"},
            {"jsonrpc": "2.0", "method": "Nothing"},
            5,
            {"jsonrpc": "2.0", "id": "b", "method": "Nothing"},
        ],
    )
    assert [each["id"] for each in answers] == ["a", None, "b"]
    assert [each.get("error", {}).get("code") for each in answers] == [None, -32600, -32601]


def test_notifications_alone_are_not_answered(serving):
    assert ask(serving, {"jsonrpc": "2.0", "method": "Status"}) is None
    assert ask(serving, [{"jsonrpc": "2.0", "method": "Status"}] * 3) is None


def test_a_batch_is_not_endless(serving):
    assert ask(serving, [{"jsonrpc": "2.0", "method": "Status"}] * 101)["error"]["code"] == -32600


@pytest.mark.parametrize(
    ("method", "params", "code", "name"),
    [
        ("GetOutline", {"path": "Nope.Nothing"}, -32001, "SymbolNotFound"),
        ("grepObjectSource", {"pattern": "(", "regex": True}, 4006, "PATTERN_INVALID"),
        ("getObjectSourceV2", {"object": "Shop/Order.cs", "startLine": 90}, 4004, "LINE_OUT_OF_RANGE"),
        ("renewLock", {"lockHandle": "none"}, 4005, "LOCK_REQUIRED"),
    ],
)
def test_errors_of_operations_keep_their_code_names(serving, method, params, code, name):
    error = call(serving, method, params)["error"]
    assert (error["code"], error["data"]["name"]) == (code, name)
    assert {"details", "retry", "retryAction"} <= error["data"].keys()


PATH_PARAMETERS = [
    (method, parameter)
    for method, parameter in [
        ("getObjectSourceV2", "object"),
        ("getObjectSource", "object"),
        ("grepObjectSource", "object"),
        ("objectStructure", "object"),
        ("lock", "object"),
        ("breakLock", "object"),
        ("history", "object"),
        ("undo", "object"),
        ("GetOutline", "path"),
        ("FindUsages", "path"),
        ("ResolveSymbol", "path"),
        ("Pin", "path"),
    ]
]
FILLED = {"grepObjectSource": {"pattern": "root"}, "breakLock": {"reason": "x"}}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(("method", "parameter"), PATH_PARAMETERS)
def test_a_path_that_leaves_the_root_is_refused_through_every_parameter(serving, method, parameter, path):
    answer = call(serving, method, {**FILLED.get(method, {}), parameter: path})
    assert "root:" not in json.dumps(answer)
    assert "error" in answer or not answer["result"].get("entries")


@pytest.mark.parametrize("path", ["../../etc/passwd", "/etc/passwd"])
@pytest.mark.parametrize("method", ["getObjectSourceV2", "lock", "Pin", "objectStructure"])
def test_a_path_that_leaves_the_root_is_denied_by_name(serving, method, path):
    parameter = "path" if method == "Pin" else "object"
    assert call(serving, method, {parameter: path})["error"]["data"]["name"] == "AccessDenied"


@pytest.mark.parametrize("path", ["../x.cs", "/etc/x.cs"])
def test_a_patch_that_leaves_the_root_is_refused(serving, path):
    diff = f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x\n"
    answer = call(serving, "applyPatch", {"diff": diff, "expected": {path: "0_empty"}, "lockHandles": ["x"]})
    assert answer["error"]["message"].startswith("Nothing was written.")
    assert not Path("/etc/x.cs").exists()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(body=st.binary(max_size=200) | JSON)
def test_whatever_comes_is_answered_as_json_rpc(serving, body):
    answer = ask(serving, body)
    for each in answer if isinstance(answer, list) else [answer]:
        assert each["jsonrpc"] == "2.0"
        assert each["error"]["code"] in (-32700, -32600)


@given(
    method=st.sampled_from(
        ["SearchSymbols", "GetOutline", "getObjectSourceV2", "grepObjectSource", "objectStructure"]
    ),
    params=JSON,
)
def test_whatever_arguments_come_no_operation_fails_inside(serving, method, params):
    answer = call(serving, method, params if params is not None else {})
    if "error" in answer:
        assert answer["error"]["code"] != -32603, answer
