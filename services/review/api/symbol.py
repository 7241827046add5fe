"""A symbol of a public API, with the facts that a change can break."""

from __future__ import annotations

from services.model import Kind, Value

VISIBLE = frozenset({"public", "protected", "protected internal"})
"""Accessibilities that somebody else may see."""


class ApiSymbol(Value, kw_only=True, frozen=True):
    """A type or member that others see.

    `id`: its documentation id; `signature`: as C# writes it in full, without access and annotations of references;
    `named`: its name and parameter types, with annotations, as ApiCompat tells of members; `result`: what it returns,
    likewise, `returns`: as ids write it; `owner`: id of the type that declares a member; `words`: modifiers, those of
    the language's own making too; `bases`: what a type derives from and implements that others see; `accessors`: that
    others see; `implicit`: the compiler makes it; `derivable`: whether others can derive from the type, or from the one
    that declares it; `symbol`: its id in the index; `file`, `line`: where it is declared."""

    id: str
    kind: Kind
    signature: str
    named: str
    result: str = ""
    owner: str = ""
    words: frozenset[str] = frozenset()
    bases: tuple[str, ...] = ()
    accessors: tuple[str, ...] = ()
    returns: str = ""
    implicit: bool = False
    derivable: bool = True
    symbol: str = ""
    file: str = ""
    line: int = 0

    @property
    def sentence(self) -> str:
        """The member as ApiCompat tells of it: what it returns, then its name."""
        return f"{self.result} {self.named}".lstrip()
