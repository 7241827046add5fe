"""JSON-RPC 2.0 (jsonrpc.org/specification): the operations by their names, for programs (SPEC section 10).

Bytes in, bytes out: HTTP and standard input share it. A program gets whole answers, not pages.

JSON-RPC over standard input and output: a request or a batch on each line, its response on one line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO, NamedTuple

import msgspec

from services.errors import CodeCortexError, UsageError
from services.operations import Operation, Work, by_name
from services.server.failures import failure, json_text, plain
from services.server.rights import agent_named
from services.server.serving import Serving
from services.source.journal.actor import Owner

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
MOST_IN_BATCH = 100

_NUMBERS = {
    "BadRequest": INVALID_PARAMS,
    "InternalError": INTERNAL_ERROR,
    "SymbolNotFound": -32001,
    "AmbiguousSymbol": -32002,
    "AccessDenied": -32003,
    "Busy": -32004,
    "InvalidFilter": -32005,
    "Cancelled": -32006,
    "WorkspaceError": -32007,
    "NotText": -32008,
    "ReadOnly": -32009,
    "BudgetExceeded": -32010,
    "ProposalPending": -32011,
    "ProposalRefused": -32012,
}
"""The number of each code name; the 4000s are their own."""
_OTHER = -32000


class Refused(Exception):
    """A request that cannot be answered with a result. `id`: the request's, None where it has none that counts."""

    def __init__(self, code: int, message: str, *, id: Any = None, data: Any = None) -> None:  # noqa: A002
        super().__init__(message)
        self.code = code
        self.message = message
        self.id = id
        self.data = data


class _Request(NamedTuple):
    """A request that is one. `notification`: nobody waits for its answer."""

    id: Any
    notification: bool
    operation: Operation
    arguments: Mapping[str, Any]


class JsonRpc:
    """Answers requests of one agent. Thread-safe."""

    def __init__(self, serving: Serving) -> None:
        self._serving = serving

    def answer(self, body: bytes, *, agent: Owner, work: Work | None = None) -> bytes | None:
        """The response to a request or a batch; None where nothing is to be answered."""
        try:
            value = msgspec.json.decode(body)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return _encoded(_error(Refused(PARSE_ERROR, "Parse error: the body is not JSON.")))
        if not isinstance(value, list):
            response = self._respond(value, agent, work or Work())
            return None if response is None else _encoded(response)
        if not 0 < len(value) <= MOST_IN_BATCH:
            message = f"Invalid Request: a batch has from 1 to {MOST_IN_BATCH} requests."
            return _encoded(_error(Refused(INVALID_REQUEST, message)))
        responses = [self._respond(each, agent, work or Work()) for each in value]
        told = [response for response in responses if response is not None]
        return _encoded(told) if told else None

    def _respond(self, value: Any, agent: Owner, work: Work) -> dict[str, Any] | None:
        try:
            request = _request(value)
        except Refused as refused:
            return None if _is_notification(value) else _error(refused)
        try:
            result = self._serving.whole(request.operation, request.arguments, agent=agent, work=work)
        except Exception as error:  # noqa: BLE001 (the edge)
            return None if request.notification else _error(_refused(error, request.id))
        return None if request.notification else {"jsonrpc": "2.0", "id": request.id, "result": result}


def _request(value: Any) -> _Request:
    """Raises Refused for what is no request, or for a method that is not there."""
    if not isinstance(value, dict):
        raise Refused(INVALID_REQUEST, "Invalid Request: it is not an object.")
    id_ = value.get("id")
    if isinstance(id_, bool) or not isinstance(id_, str | int | float | None):
        raise Refused(INVALID_REQUEST, "Invalid Request: id is a text, a number or null.")
    if value.get("jsonrpc") != "2.0" or not isinstance(value.get("method"), str):
        message = 'Invalid Request: it needs "jsonrpc": "2.0" and a method.'
        raise Refused(INVALID_REQUEST, message, id=id_)
    operation = by_name(value["method"])
    if operation is None:
        raise Refused(METHOD_NOT_FOUND, f"Method not found: {value['method'][:100]}", id=id_)
    arguments = _arguments(operation, value.get("params", {}), id_)
    return _Request(id_, "id" not in value, operation, arguments)


def _arguments(operation: Operation, params: Any, id_: Any) -> Mapping[str, Any]:
    """By name, or by position in the order in which they are declared."""
    if isinstance(params, dict):
        return params
    names = [parameter.wire for parameter in operation.parameters]
    if not isinstance(params, list) or len(params) > len(names):
        message = f"Invalid params: an object, or a list of at most {len(names)} values."
        raise Refused(INVALID_PARAMS, message, id=id_)
    return dict(zip(names, params, strict=False))


def _is_notification(value: Any) -> bool:
    """A request without an id is not answered, even if it is wrong; but something has to be a request first."""
    return (
        isinstance(value, dict)
        and "id" not in value
        and value.get("jsonrpc") == "2.0"
        and isinstance(value.get("method"), str)
    )


def _refused(error: Exception, id_: Any) -> Refused:
    told = failure(error)
    code = told["code"]
    number = code if isinstance(code, int) else _NUMBERS.get(code, _OTHER)
    if isinstance(error, UsageError) and number == _OTHER:
        number = INVALID_PARAMS
    data = {"code": told["code"], "name": told["name"], "details": plain(told["details"])}
    if isinstance(error, CodeCortexError):
        data |= {"retry": told["retry"], "retryAction": told["retryAction"]}
    return Refused(number, told["message"], id=id_, data=data)


def _error(refused: Refused) -> dict[str, Any]:
    error = {"code": refused.code, "message": refused.message}
    if refused.data is not None:
        error["data"] = refused.data
    return {"jsonrpc": "2.0", "id": refused.id, "error": error}


def _encoded(value: Mapping[str, Any] | Sequence[Any]) -> bytes:
    return json_text(value).encode()


LONGEST = 8 * 1024 * 1024
"""Bytes of a line; a longer one is answered as what it is, no JSON, and passed over."""


def serve_lines(serving: Serving, requests: BinaryIO, responses: BinaryIO) -> None:
    """Answer lines one after the other until there are no more."""
    calls = JsonRpc(serving)
    agent = agent_named("rpc")
    while line := requests.readline(LONGEST):
        if len(line) == LONGEST and not line.endswith(b"\n"):
            line = _pass_over(requests)
        if line.strip() and (response := calls.answer(line, agent=agent)) is not None:
            responses.write(response + b"\n")
            responses.flush()


def _pass_over(requests: BinaryIO) -> bytes:
    while (rest := requests.readline(LONGEST)) and not rest.endswith(b"\n"):
        pass
    return b"too long"
