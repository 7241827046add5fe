"""Type names as the bindings write them, turned into the notation of `facts.py`.

Names have `_` for the arity mark. Type arguments come as simple names (``KeyValuePair_2[[String,T]]``), as full
names with their assemblies (``System.Nullable_1[[System.Boolean,System.Private.CoreLib,Version=10.0.0.0]]``), or not
at all in a member's type where one of them is a type parameter (``List_1``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from services.index.framework.member_facts import UNKNOWN
from services.index.framework.signature import PRIMITIVES

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
    """Resolves names as they stand in one type: its parameters, its nested types and its namespace come first."""

    def __init__(self, owner: tuple[str, str], parameters: Sequence[str], simple: SimpleNames) -> None:
        """`owner`: namespace and full name of the type."""
        self._namespace, self._owner = owner
        self._parameters: Mapping[str, str] = {name: f"!{at}" for at, name in enumerate(parameters)}
        self._simple = simple

    def type(self, text: str) -> str:
        """``Nullable_1[[T]]`` → ``System.Nullable`1[!0]``; what cannot be said for certain is UNKNOWN."""
        return "".join(
            token if token[0] in "[],*&" else self._name(token)
            for token in _TOKEN.findall(_one_bracket(_ASSEMBLY.sub("", text)))
        )

    def member_type(self, text: str) -> str:
        """As `type`, with UNKNOWN for each argument that is left out: ``List_1`` → ``…List`1[?]``."""
        named = self.type(text)
        bare = re.fullmatch(r"([^\[]*?((?:`\d+[^`\[]*)+))((?:\[,*\])*)", named)
        if bare is None:
            return named
        arity = sum(map(int, re.findall(r"`(\d+)", bare[2])))
        return f"{bare[1]}[{','.join(UNKNOWN * arity)}]{bare[3]}"

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
    """One bracket around type arguments, whichever way they are written; array marks stay."""
    kept = _ARRAY_MARK.sub(r"<\1>", text).replace("],[", ",").replace("[[", "[").replace("]]", "]")
    return kept.replace("<", "[").replace(">", "]")
