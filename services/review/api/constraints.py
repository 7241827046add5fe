"""Constraints of type parameters, with bound names, in the order of the compiler."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from services.index.names.type_text import Named, parse
from services.review.api.symbol import Constraint
from services.review.api.type_names import FOUND, PLAIN, Scope, TypeNames

_CLAUSE = re.compile(r"\bwhere\s+@?(\w+)\s*:\s*((?:(?!\bwhere\s+@?\w+\s*:).)*)", re.DOTALL)
_WORDS = ("class", "struct", "unmanaged", "notnull")
_ORDER = (*_WORDS, "new()")


class Constraints:
    """Reads the clauses of one declaration. `bound`: a type text with full names."""

    def __init__(self, types: TypeNames, scope: Scope, bound: Callable[[str], str]) -> None:
        self._types, self._scope, self._bound = types, scope, bound

    def of(self, text: str) -> tuple[Constraint, ...]:
        """Return the clauses of a text; `default` is left out, since it is not visible to callers."""
        return tuple(self._one(name, _listed(listed)) for name, listed in _CLAUSE.findall(text))

    def shown(self, text: str) -> str:
        """The clauses as signatures have them."""
        told = []
        for name, listed in _CLAUSE.findall(text):
            words, types = _sorted(_listed(listed))
            parts = [each for each in _ORDER[:-1] if each in words]
            parts += [self._types.display(self._bound(each), self._scope, PLAIN) for each in types]
            parts += ["new()"] if "new()" in words else []
            told += [f"where {name} : {', '.join(parts)}"] if parts else []
        return " ".join(told)

    def _one(self, name: str, listed: Sequence[str]) -> Constraint:
        words, types = _sorted(listed)
        return Constraint(parameter=name, words=words, types=tuple(map(self._type, types)))

    def _type(self, text: str) -> tuple[str, str]:
        fqn = self._bound(text)
        node = parse(fqn)
        is_parameter = isinstance(node, Named) and len(node.segments) == 1 and fqn in self._scope.positions
        id_ = f"!:{fqn}" if is_parameter else f"T:{self._types.doc_id(fqn, self._scope)}"
        return self._types.display(fqn, self._scope, FOUND), id_


def _sorted(listed: Sequence[str]) -> tuple[frozenset[str], list[str]]:
    """The words among constraints, and the types."""
    words: set[str] = set()
    types: list[str] = []
    for each in _each(listed):
        if each in _WORDS or each == "new()":
            words.add(each)
        elif each and each != "default" and not each.startswith("allows "):
            types.append(each)
    return frozenset(words), types


def _listed(text: str) -> list[str]:
    """The constraints of a clause: commas between type arguments part none."""
    found, depth, start = list[str](), 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "<([") - (letter in ">)]")
        if letter == "," and not depth:
            found.append(text[start:at])
            start = at + 1
    return [*found, text[start:]]


def _each(listed: Sequence[str]) -> Iterator[str]:
    for each in listed:
        text = " ".join(each.split())
        word = text.removesuffix("?")
        yield word if word in _WORDS else "new()" if text.replace(" ", "") == "new()" else text
