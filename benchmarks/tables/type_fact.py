"""Framework type before it is added to the table."""

from __future__ import annotations

from dataclasses import dataclass

from services.model import Kind


@dataclass(frozen=True, slots=True)
class TypeFact:
    """A type a C# program can name.

    `namespace` may be empty; `name` is the rest of the full name; `modifiers`: any of abstract, sealed,
    static (classes alone); `bases`: base class first, then interfaces, without the implicit base; `assembly`:
    its name."""

    namespace: str
    name: str
    kind: Kind
    modifiers: tuple[str, ...]
    bases: tuple[str, ...]
    assembly: str

    @property
    def fqn(self) -> str:
        """``System.Collections.Generic.Dictionary`2+KeyCollection``."""
        return f"{self.namespace}.{self.name}" if self.namespace else self.name


def modifiers_of(kind: Kind, *, abstract: bool, sealed: bool) -> tuple[str, ...]:
    """Modifiers as C# writes them: an abstract and sealed class is `static`; other kinds have none."""
    if kind is not Kind.CLASS:
        return ()
    if abstract and sealed:
        return ("static",)
    return ("abstract",) if abstract else ("sealed",) if sealed else ()
