"""Types from the reference that the `@tsonic` packages ship: one `bindings.json` a namespace.

Type arguments of interfaces are simple names there, with `_` for the arity mark:
``KeyValuePair_2[[String,Object]]``. They are resolved against all types of the reference; what
stays ambiguous becomes `?`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from services.index.framework.facts import IMPLICIT_BASES, TypeFact, is_writable, modifiers_of
from services.index.framework.signature import PRIMITIVES
from services.model import Kind

_KINDS = {
    "Class": Kind.CLASS,
    "StaticNamespace": Kind.CLASS,
    "Struct": Kind.STRUCT,
    "Interface": Kind.INTERFACE,
    "Enum": Kind.ENUM,
    "Delegate": Kind.DELEGATE,
}
_VISIBLE = ("Public", "Protected", "ProtectedInternal")
_PRIMITIVES = frozenset(name.removeprefix("System.") for name in PRIMITIVES)
_TOKEN = re.compile(r"[\w.+`]+|\[\]|\[|\]|,")


class _Reference(msgspec.Struct, rename="camel"):
    target_name: str
    type_arguments: list[str] = []


class _Type(msgspec.Struct, rename="camel"):
    target_name: str
    owner_identity: str
    kind: str
    accessibility: str
    is_abstract: bool
    is_sealed: bool
    base_type: _Reference | None = None
    interfaces: list[_Reference] = []
    type_parameters: list[str] = []


class _Surface(msgspec.Struct, rename="camel"):
    types: list[_Type]


class _Bindings(msgspec.Struct, rename="camel"):
    provider: dict[str, Any]
    target_surface: _Surface


def read_bindings(folders: Iterable[Path]) -> Iterator[tuple[Path, TypeFact]]:
    """(folder, type) of every type under `folders`, read as one reference: they resolve each other.

    Raises msgspec.DecodeError for a file of another shape."""
    found = [(folder, *entry) for folder in folders for entry in _raw_types(folder)]
    simple = _by_simple_name(raw.target_name for _, _, raw in found)
    for folder, namespace, raw in found:
        if raw.accessibility in _VISIBLE and is_writable(raw.target_name.removeprefix(f"{namespace}.")):
            yield folder, _fact(namespace, raw, simple)


def _raw_types(folder: Path) -> Iterator[tuple[str, _Type]]:
    for path in sorted(folder.rglob("bindings.json")):
        bindings = msgspec.json.decode(path.read_bytes(), type=_Bindings)
        for raw in bindings.target_surface.types:
            yield str(bindings.provider["namespace"]), raw


def _by_simple_name(names: Iterable[str]) -> dict[str, list[str]]:
    simple: dict[str, list[str]] = {}
    for name in sorted(set(names)):
        simple.setdefault(re.split(r"[.+]", name)[-1], []).append(name)
    return simple


def _fact(namespace: str, raw: _Type, simple: Mapping[str, list[str]]) -> TypeFact:
    kind = _KINDS[raw.kind]
    listed = [raw.base_type, *raw.interfaces] if raw.base_type else raw.interfaces
    implied = IMPLICIT_BASES.get(kind)
    resolver = _Arguments(namespace, raw.type_parameters, simple)
    return TypeFact(
        namespace=namespace,
        name=raw.target_name.removeprefix(f"{namespace}."),
        kind=kind,
        modifiers=modifiers_of(kind, abstract=raw.is_abstract, sealed=raw.is_sealed),
        bases=tuple(resolver.constructed(base) for base in listed if base.target_name != implied),
        assembly=raw.owner_identity,
    )


class _Arguments:
    """Turns the arguments a type gives its bases into the notation of `facts.py`."""

    def __init__(self, namespace: str, parameters: list[str], simple: Mapping[str, list[str]]) -> None:
        self._namespace = namespace
        self._parameters = {name: f"!{position}" for position, name in enumerate(parameters)}
        self._simple = simple

    def constructed(self, base: _Reference) -> str:
        if not base.type_arguments:
            return base.target_name
        return f"{base.target_name}[{','.join(map(self._argument, base.type_arguments))}]"

    def _argument(self, text: str) -> str:
        """``Nullable_1[[T]]`` → ``System.Nullable`1[!0]``."""
        tokens = _TOKEN.findall(text.replace("[[", "[").replace("]]", "]"))
        return "".join(token if token[0] in "[]," else self._name(token) for token in tokens)

    def _name(self, name: str) -> str:
        if name in self._parameters:
            return self._parameters[name]
        marked = re.sub(r"_(\d+)$", r"`\1", name)
        if "." in marked:
            return marked
        candidates = self._simple.get(marked, [])
        for preferred in (f"System.{marked}" if marked in _PRIMITIVES else "", f"{self._namespace}.{marked}"):
            if preferred in candidates:
                return preferred
        return candidates[0] if len(candidates) == 1 else "?"
