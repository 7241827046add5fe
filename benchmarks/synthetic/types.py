"""Types as text, at the depth of a file-scoped namespace."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from benchmarks.synthetic.members import Members
from benchmarks.synthetic.names import Names, camel, pick
from benchmarks.synthetic.words import NOUNS

_COMMON = ("class",) * 80 + ("interface",) * 8 + ("enum",) * 5 + ("record",) * 4
_KINDS = (*_COMMON, "struct", "record struct", "delegate")
_WORDS = ("public", "public", "internal", "public sealed")


@dataclass(frozen=True, slots=True)
class Planned:
    """A type that will be written. `namespace` is whole; `arity`: type parameters; `partial`: in two files."""

    name: str
    kind: str
    namespace: str
    arity: int
    partial: bool

    @property
    def used(self) -> str:
        """The type as other code writes it."""
        if self.arity == 0:
            return self.name
        return f"{self.name}<{', '.join(['string', 'int'][: self.arity])}>"


def planned(random: Random, names: Names, namespace: str) -> Planned:
    """A type with a new name."""
    kind = pick(random, _KINDS)
    name = names.type(random)
    if kind == "interface":
        name = "I" + name
    arity = int(random.random() * 2) + 1 if kind != "enum" and random.random() < 0.08 else 0
    return Planned(name, kind, namespace, arity, kind == "class" and random.random() < 0.05)


class Types:
    """Writes planned types."""

    def __init__(self, random: Random, names: Names, members: Members, bases: list[Planned]) -> None:
        self._random = random
        self._names = names
        self._members = members
        self._bases = bases

    def text(self, plan: Planned, *, conditional: bool) -> str:
        """Return the whole type, or one part of it. `conditional`: a member is in `#if`."""
        words = pick(self._random, _WORDS if plan.kind == "class" else _WORDS[:3])
        if plan.kind == "delegate":
            return (
                f"{words} delegate {self._members.type()} {_generic(plan)}({self._members.parameters()});\n"
            )
        members = self._made(plan)
        if conditional and members:
            self._members.conditional(members, otherwise=plan.kind != "enum")
        if plan.kind in ("class", "struct") and self._random.random() < 0.16:
            members.append(self._nested())
        partial = "partial " if plan.partial else ""
        head = f"{words} {partial}{plan.kind} {_generic(plan)}{self._head(plan)}"
        return f"{self._lead()}{head}\n{{\n{''.join(members)}}}\n"

    def _made(self, plan: Planned) -> list[str]:
        count = 1 + int(6.5 * pow(2.718, 1.05 * self._random.normalvariate()))
        count = min(count, 300)
        if plan.kind == "enum":
            return self._members.of_enum(count)
        if plan.kind == "interface":
            return self._members.of_interface(max(1, count // 2))
        return self._members.of_class(plan.name, count // 3 if plan.kind.startswith("record") else count)

    def _head(self, plan: Planned) -> str:
        """Primary constructor, base list and constraints."""
        text = ""
        if plan.kind.startswith("record"):
            text = f"({self._members.parameters()})"
        if self._bases and plan.kind in ("class", "interface", "struct") and self._random.random() < 0.6:
            base = pick(self._random, self._bases)
            if base.kind == "interface" or plan.kind == "class":
                text += f" : {base.used}"
        if plan.arity and plan.kind != "interface":
            text += "\n    where T1 : class"
        return text

    def _nested(self) -> str:
        name = pick(self._random, NOUNS) + pick(self._random, ("State", "Kind", "Entry", "Scope", "Node"))
        if self._random.random() < 0.3:
            text = f"private enum {name}\n{{\n{''.join(self._members.of_enum(4))}}}\n"
        else:
            count = 1 + int(self._random.random() * 5)
            text = f"private sealed class {name}\n{{\n{''.join(self._members.of_class(name, count))}}}\n"
        return "    " + text[:-1].replace("\n", "\n    ") + "\n"

    def _lead(self) -> str:
        text = ""
        if self._random.random() < 0.4:
            words = " ".join(camel(pick(self._random, NOUNS)) for _ in range(9))
            text = f"/// <summary>\n/// A {words}.\n/// </summary>\n"
        return text + ("[Serializable]\n" if self._random.random() < 0.15 else "")


def _generic(plan: Planned) -> str:
    return (
        plan.name
        if plan.arity == 0
        else f"{plan.name}<{', '.join(f'T{at + 1}' for at in range(plan.arity))}>"
    )
