"""JSON-RPC 2.0 (jsonrpc.org/specification): the operations by their names, for programs (SPEC section 10).

Bytes in, bytes out: HTTP and standard input share it. A program gets whole answers; pages where it asks for them, by
`cursor` among the parameters of a read: empty for the first, then the `nextCursor` of the page before.

JSON-RPC over standard input and output: a request or a batch on each line, its response on one line.

Requests are answered in the order in which they came, but for those that may take long or wait for a person: whoever
asks something quick meanwhile is answered. `$/cancelRequest` (`{"id": …}`, as in the Language Server Protocol) ends a
request, which is then answered with the error Cancelled. What a request that streams (`StreamOp` with `follow`) has to
tell comes in notifications `$/row` (`{"id": …, "row": …}`) before its response.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, BinaryIO, NamedTuple

import msgspec

from services.concurrency.background import CallThreads
from services.concurrency.exclusion import Guarded
from services.decoding import decode
from services.errors import CodeCortexError, UsageError
from services.operations import Operation, Work, by_name
from services.server.failures import failure, json_text, plain
from services.server.paging import AT
from services.server.path_access import agent_named
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
    """Valid request. `notification`: no answer is expected."""

    id: Any
    notification: bool
    operation: Operation
    arguments: Mapping[str, Any]


class Called(NamedTuple):
    """The operations that a body calls, one after the other. `batch`: whether it may call more than one."""

    operations: Sequence[Operation]
    batch: bool


class _Method(msgspec.Struct):
    method: Any = None


def called_in(body: bytes) -> Called:
    """Return the call of a body; no operation where it is not one that can be answered."""
    try:
        value = decode(_Method | list[_Method | None], body)
    except msgspec.DecodeError:
        return Called((), batch=False)
    calls = value if isinstance(value, list) else [value]
    named = [each.method for each in calls[:MOST_IN_BATCH] if each is not None]
    found = [by_name(name) for name in named if isinstance(name, str)]
    return Called(tuple(each for each in found if each is not None), batch=isinstance(value, list))


class JsonRpc:
    """Answers requests of one agent. Thread-safe."""

    def __init__(self, serving: Serving) -> None:
        self._serving = serving

    def answer(self, body: bytes, *, agent: Owner, work: Work | None = None) -> bytes | None:
        """The response to a request or a batch; None where nothing is to be answered."""
        try:
            value = decode(Any, body)
        except msgspec.DecodeError:
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
            answered = self._serving.call if AT in request.arguments else self._serving.whole
            result = answered(request.operation, request.arguments, agent=agent, work=work)
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
    """Return the arguments by name, or by position in the order of declaration."""
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
MOST = 256
"""Requests under way at once; the next line is read when one of them is answered."""
LONG = 16
"""Requests that take long and run at once."""
_CANCEL = "$/cancelRequest"
_ROW = "$/row"


def serve_lines(serving: Serving, requests: BinaryIO, responses: BinaryIO) -> None:
    """Answer lines until the input ends and all are answered. Raises BrokenPipeError where the output is closed:
    calls under way end then."""
    with _Calls(serving, responses) as calls:
        while not calls.is_left and (line := requests.readline(LONGEST)):
            if len(line) == LONGEST and not line.endswith(b"\n"):
                line = _pass_over(requests)
            if line.strip():
                calls.take(line)
    if calls.is_left:
        raise BrokenPipeError("Nobody reads the answers.")


class _Call:
    """A line that is to be answered. `cancel` ends it."""

    def __init__(self, line: bytes, id_: Any) -> None:
        self.line = line
        self.id = id_
        self.cancel = threading.Event()


class _Calls:
    """Calls under way: the sequential ones and the parallel ones."""

    def __init__(self, serving: Serving, responses: BinaryIO) -> None:
        self._serving = serving
        self._rpc = JsonRpc(serving)
        self._agent = agent_named("rpc")
        self._responses = Guarded(responses)
        self._under_way: Guarded[set[_Call]] = Guarded(set())
        self._room = threading.Semaphore(MOST)
        self._threads = CallThreads(MOST, LONG, name="rpc")
        self.is_left = False

    def __enter__(self) -> _Calls:
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.close()

    def take(self, line: bytes) -> None:
        """Answer a line in its turn; a cancellation takes effect at once."""
        value = _decoded(line)
        if isinstance(value, dict) and value.get("method") == _CANCEL:
            self._cancel(value.get("params"))
            return
        self._room.acquire()
        call = _Call(line, value.get("id") if isinstance(value, dict) else None)
        with self._under_way as calls:
            calls.add(call)
        if self._is_long(line):
            self._threads.parallel(partial(self._answer, call, Work(cancel=call.cancel)))
        else:
            work = Work(cancel=call.cancel, yield_slot=self._threads.yield_turn)
            self._threads.sequential(partial(self._answer, call, work))

    def _cancel(self, params: Any) -> None:
        id_ = params.get("id") if isinstance(params, dict) else None
        with self._under_way as calls:
            for call in calls:
                if id_ is not None and call.id == id_ and type(call.id) is type(id_):
                    call.cancel.set()

    def _is_long(self, line: bytes) -> bool:
        """Whether it runs in parallel: calls that report progress, and every read that may wait for the index."""
        return any(
            operation.effect.read_only and (operation.works or not self._serving.ready)
            for operation in called_in(line).operations
        )

    def _answer(self, call: _Call, work: Work) -> None:
        work = work if call.id is None else work._replace(row=lambda row: self._tell(call, row))
        try:
            response = self._rpc.answer(call.line, agent=self._agent, work=work)
            if response is not None:
                self._write(response + b"\n")
        finally:
            with self._under_way as calls:
                calls.discard(call)
            self._room.release()

    def _tell(self, call: _Call, row: Any) -> None:
        """A result of a request that yields them as they come; its response has all of them."""
        told = {"jsonrpc": "2.0", "method": _ROW, "params": {"id": call.id, "row": row}}
        self._write(_encoded(told) + b"\n")

    def _write(self, response: bytes) -> None:
        try:
            with self._responses as stream:
                stream.write(response)
                stream.flush()
        except (BrokenPipeError, ValueError):  # closed
            self.is_left = True
            with self._under_way as calls:
                for call in calls:
                    call.cancel.set()


def _decoded(line: bytes) -> Any:
    with suppress(msgspec.DecodeError):
        return decode(Any, line)
    return None


def _pass_over(requests: BinaryIO) -> bytes:
    while (rest := requests.readline(LONGEST)) and not rest.endswith(b"\n"):
        pass
    return b"too long"
