"""Calls of every operation with arguments that fit a small workspace: with any content of the folder, failures are
the program's own errors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from services.bench.bench import Bench
from services.errors import CodeCortexError
from services.operations.operation import Operation, OperationParameter
from services.operations.table import OPERATIONS

CHANGES = ("", "staged", "HEAD", "HEAD~1..HEAD", "HEAD~1...HEAD", "first..HEAD")
"""Values of `change`; each operation that takes one is called with all."""
PATHS = ("N.A", "A.cs", "N.A.Do")
VALUES: Mapping[str, Any] = {
    "command": "git status",
    "contextHistory": [],
    "endLine": 3,
    "file": "A.cs",
    "filter": "A",
    "kind": "investigate",
    "lease": 60,
    "level": "outline",
    "line": 3,
    "lockHandle": "L_none",
    "lockHandles": [],
    "model": "gpt-5",
    "paths": ["N.A"],
    "pattern": "class",
    "query": "A",
    "seeds": ["N.A"],
    "startLine": 1,
    "toolType": "read",
}
_LEFT_OUT = ("WatchWorkspace", "StreamOp")


def call_all(bench: Bench, *, without: Iterable[str] = ()) -> dict[str, str]:
    """Call each; how each ended: `done`, or the name of its error. Raises what is no CodeCortexError."""
    ended: dict[str, str] = {}
    for operation in OPERATIONS:
        if operation.name in _LEFT_OUT or operation.name in without:
            continue
        for number, arguments in enumerate(fitting(operation)):
            try:
                answer = operation.run(bench, arguments)
                _ = list(answer) if operation.stream else answer
                ended[f"{operation.name} {number}"] = "done"
            except CodeCortexError as error:
                ended[f"{operation.name} {number}"] = type(error).__name__
    return ended


def fitting(operation: Operation) -> Iterator[dict[str, Any]]:
    """The arguments of the calls of one."""
    given = {each.wire: _value(each) for each in operation.parameters if each.required or each.wire in VALUES}
    many = next((each.wire for each in operation.parameters if each.wire in ("change", "path", "object")), "")
    for value in CHANGES if many == "change" else PATHS if many else ("",):
        yield {**given, **({many: value} if many else {})}


def _value(parameter: OperationParameter) -> Any:
    return VALUES.get(parameter.wire, "N.A" if parameter.wire == "object" else "x")
