"""Types from the reference that the `@tsonic` packages ship: one `bindings.json` a namespace.

Type names as the bindings write them, turned into the notation of `facts.py`.

Names have `_` for the arity mark. Type arguments come as simple names (``KeyValuePair_2[[String,T]]``), as full
names with their assemblies (``System.Nullable_1[[System.Boolean,System.Private.CoreLib,Version=10.0.0.0]]``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.tables.type_fact import TypeFact, modifiers_of
from services.index.external.signature import PRIMITIVES
from services.index.names.framework import IMPLICIT_BASES, is_writable
from services.model import Kind

UNKNOWN = "?"
_PRIMITIVES = frozenset(name.removeprefix("System.") for name in PRIMITIVES)
_ASSEMBLY = re.compile(r", ?[\w.]+, ?Version=[^\]]*")
_TOKEN = re.compile(r"[^\W\d][\w.+`]*|\[,*\]|[\[\],*&]")
_ARRAY_MARK = re.compile(r"\[(,*)\]")


class SimpleNames:
    """Every type of the reference by the last part of its name: ``Enumerator``, ``List`1``."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names: dict[str, list[str]] = {}
        for name in sorted(set(names)):
            self._names.setdefault(re.split(r"[.+]", name)[-1], []).append(name)

    def best(self, name: str, preferred: Sequence[str]) -> str:
        """The first of `preferred` there is, else the only candidate, else UNKNOWN."""
        candidates = self._names.get(name, [])
        near = [choice for choice in preferred if choice in candidates]
        return near[0] if near else candidates[0] if len(candidates) == 1 else UNKNOWN


class BindingNames:
    """Resolver of names in one type: its parameters, its nested types and its namespace come first."""

    def __init__(self, owner: tuple[str, str], parameters: Sequence[str], simple: SimpleNames) -> None:
        """`owner`: namespace and full name of the type."""
        self._namespace, self._owner = owner
        self._parameters: Mapping[str, str] = {name: f"!{at}" for at, name in enumerate(parameters)}
        self._simple = simple

    def type(self, text: str) -> str:
        """Convert ``Nullable_1[[T]]`` to ``System.Nullable`1[!0]``; an uncertain type is UNKNOWN."""
        return "".join(
            token if token[0] in "[],*&" else self._name(token)
            for token in _TOKEN.findall(_one_bracket(_ASSEMBLY.sub("", text)))
        )

    def _name(self, name: str) -> str:
        if name in self._parameters:
            return self._parameters[name]
        marked = re.sub(r"_(\d+)(?=\+|$)", r"`\1", name)
        if "." in marked:
            return marked
        primitive = [f"System.{marked}"] if marked in _PRIMITIVES else []
        return self._simple.best(
            marked, [*primitive, f"{self._owner}+{marked}", f"{self._namespace}.{marked}"]
        )


def _one_bracket(text: str) -> str:
    """Return one bracket around type arguments in any notation; array marks are unchanged."""
    kept = _ARRAY_MARK.sub(r"<\1>", text).replace("],[", ",").replace("[[", "[").replace("]]", "]")
    return kept.replace("<", "[").replace(">", "]")


_KINDS = {
    "Class": Kind.CLASS,
    "StaticNamespace": Kind.CLASS,
    "Struct": Kind.STRUCT,
    "Interface": Kind.INTERFACE,
    "Enum": Kind.ENUM,
    "Delegate": Kind.DELEGATE,
}
_VISIBLE = ("Public", "Protected", "ProtectedInternal")


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


class Reference:
    """Folders of bindings, read as one: they resolve each other's names."""

    def __init__(self, folders: Iterable[Path]) -> None:
        """Reads all of it; raises msgspec.DecodeError for a file of another shape."""
        self._raw = {folder: list(_raw_types(folder)) for folder in folders}
        every = (raw.target_name for listed in self._raw.values() for _, raw in listed)
        self._simple = SimpleNames(every)

    def types(self, folder: Path) -> Iterator[TypeFact]:
        """Public and protected types of one of the folders."""
        for namespace, raw in self._visible(folder):
            yield _fact(namespace, raw, self._names(namespace, raw))

    def _visible(self, folder: Path) -> Iterator[tuple[str, _Type]]:
        for namespace, raw in self._raw[folder]:
            if raw.accessibility in _VISIBLE and is_writable(raw.target_name.removeprefix(f"{namespace}.")):
                yield namespace, raw

    def _names(self, namespace: str, raw: _Type) -> BindingNames:
        return BindingNames((namespace, raw.target_name), raw.type_parameters, self._simple)


def _raw_types(folder: Path) -> Iterator[tuple[str, _Type]]:
    for path in sorted(folder.rglob("bindings.json")):
        bindings = msgspec.json.decode(path.read_bytes(), type=_Bindings)
        for raw in bindings.target_surface.types:
            yield str(bindings.provider["namespace"]), raw


def _fact(namespace: str, raw: _Type, names: BindingNames) -> TypeFact:
    kind = _KINDS[raw.kind]
    listed = [raw.base_type, *raw.interfaces] if raw.base_type else raw.interfaces
    implied = IMPLICIT_BASES.get(kind)
    return TypeFact(
        namespace=namespace,
        name=raw.target_name.removeprefix(f"{namespace}."),
        kind=kind,
        modifiers=modifiers_of(kind, abstract=raw.is_abstract, sealed=raw.is_sealed),
        bases=tuple(_constructed(base, names) for base in listed if base.target_name != implied),
        assembly=raw.owner_identity,
    )


def _constructed(base: _Reference, names: BindingNames) -> str:
    if not base.type_arguments:
        return base.target_name
    return f"{base.target_name}[{','.join(map(names.type, base.type_arguments))}]"
