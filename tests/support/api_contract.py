"""Published contract of a review server: requests and answers must satisfy it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import httpx2
from jsonschema import Draft202012Validator

_FOLDER = Path(__file__).with_name("contracts")


@dataclass(frozen=True)
class Operation:
    """Method of a path. `facts`: its parameters, body, status, answer and example."""

    name: str
    facts: dict[str, Any]
    schemas: dict[str, Any]

    @property
    def example(self) -> Any:
        """The answer that the documentation shows; a new one every time."""
        return json.loads(json.dumps(self.facts["example"]))

    def faults_of_request(self, request: httpx2.Request) -> list[str]:
        """Return the violations of the contract by a request."""
        known = {each["name"]: each["schema"] for each in self.facts["parameters"] if each["in"] == "query"}
        found = [f"unknown parameter {name}" for name in request.url.params if name not in known]
        for name, value in request.url.params.items():
            typed = int(value) if known.get(name, {}).get("type") == "integer" and value.isdigit() else value
            found += self._faults(known.get(name, {}), typed)
        if "body" in self.facts:
            body = json.loads(request.content)
            found += self._faults(self.facts["body"], body) + _strangers(
                self.facts["body"], body, self.schemas
            )
        return found

    def faults_of_answer(self, answer: httpx2.Response) -> list[str]:
        """Return the violations of the contract by a successful answer."""
        wrong = [] if answer.status_code == self.facts["status"] else [f"status {answer.status_code}"]
        return wrong + self._faults(self.facts["answer"], answer.json())

    def _faults(self, schema: dict[str, Any], value: Any) -> list[str]:
        checked = Draft202012Validator({**schema, "schemas": self.schemas})
        return [
            f"{self.name}: {error.json_path}: {error.message[:200]}" for error in checked.iter_errors(value)
        ]


class Contract:
    """The operations of one server, by method and path."""

    def __init__(self, name: str) -> None:
        told = json.loads((_FOLDER / f"{name}.json").read_text("utf-8"))
        self.operations = {
            key: Operation(key, facts, told["schemas"]) for key, facts in told["operations"].items()
        }

    def operation(self, method: str, path: str) -> Operation:
        """That of a request. Raises LookupError."""
        for name, operation in self.operations.items():
            its_method, _, template = name.partition(" ")
            pattern = re.sub(r"\\?\{\w+\\?\}", "[^/]+", re.escape(template))
            if its_method == method and re.fullmatch(pattern, path):
                return operation
        raise LookupError(f"no operation {method} {path}")


@cache
def contract(name: str) -> Contract:
    """`github` or `gitlab`."""
    return Contract(name)


def _strangers(schema: dict[str, Any], value: Any, schemas: dict[str, Any]) -> list[str]:
    """Fields that a body has and its schema does not know."""
    if "$ref" in schema:
        schema = schemas[schema["$ref"].rpartition("/")[2]]
    if isinstance(value, list):
        return [each for item in value for each in _strangers(schema.get("items", {}), item, schemas)]
    known = schema.get("properties")
    if not isinstance(value, dict) or known is None:
        return []
    found = [f"unknown field {name}" for name in value if name not in known]
    return found + [
        each for name in value.keys() & known for each in _strangers(known[name], value[name], schemas)
    ]
