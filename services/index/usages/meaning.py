"""What a name at a place of a file means: the declarations it is bound to, by the same rules as usages."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from services.index.names.type_text import Named, attribute_classes, parse
from services.index.usages import crefs
from services.index.usages.colour import names_type
from services.index.usages.infer.overloads import Choice, is_method
from services.index.usages.infer.typer import Typer
from services.index.usages.judge import Verdict
from services.index.usages.types.member import Candidate, Member
from services.index.usages.types.members import CONSTRUCTOR
from services.index.usages.types.typed import Tools, Typed
from services.index.usages.types.types import AnyType, Type, TypeParameter
from services.model import TYPE_KINDS
from services.syntax.bodies.expressions import Access, Hit, Name

_WORD = re.compile(r"@?[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class Meaning:
    """`declarations`: (file, declaration in it) by their indexes, the best first; `certain`: whether the first is the
    one; `local`: the offset where a local is declared; `reason`: why there are none, as a sentence; `itself`: the name
    is that of a declaration."""

    declarations: tuple[tuple[int, int], ...] = ()
    certain: bool = False
    local: int | None = None
    reason: str = ""
    itself: bool = False


def word_at(line: str, column: int) -> tuple[int, int] | None:
    """The columns of the name at a column of a line, or the one that ends there; None where there is none."""
    for match in _WORD.finditer(line):
        if match.start() <= column <= match.end():
            return match.span()
    return None


class MeaningJudge:
    """Notes what the one place means that it is asked about. `meaning` is None until then."""

    def __init__(self, name: str, tools: Tools, parts_of: Callable[[int], Sequence[tuple[int, int]]]) -> None:
        """`name`: what stands at the place; `parts_of`: where a type is declared, its first part first."""
        self._name = name
        self._names = tools.names
        self._members = tools.members
        self._parts_of = parts_of
        self.meaning: Meaning | None = None

    def verdict(self, hit: Hit, typer: Typer) -> Verdict:
        """Notes the meaning; no place is told as a usage."""
        self.meaning = self._meaning(hit, typer)
        return Verdict.ANOTHER

    def _meaning(self, hit: Hit, typer: Typer) -> Meaning:
        if hit.role == "declared":
            return Meaning(itself=True)
        if hit.role == "type":
            return self._of_type(self._path(hit, typer))
        if hit.role in ("creation", "constructor"):
            return self._of_creation(hit, typer)
        if hit.role == "initialised":
            return self._of_typed(self._initialised(hit, typer), hit, typer)
        if hit.role == "cref":
            return self._of_cref(hit, typer)
        if hit.role == "value" and hit.expression is not None:
            return self._of_value(hit, typer)
        return Meaning()

    def _of_cref(self, hit: Hit, typer: Typer) -> Meaning:
        found, choice = crefs.meant(hit, typer)
        if found is None or not choice.candidates:
            return self._of_typed(found, hit, typer) if hit.listed is None else Meaning()
        return self._of_choice(choice)

    def _path(self, hit: Hit, typer: Typer) -> AnyType | None:
        written = attribute_classes(hit.path) if hit.kind == "attribute" else (hit.path,)
        for path in written:
            node = parse(path)
            target = self._names.binder.target(node, typer.context) if isinstance(node, Named) else None
            if target is not None and target.known is not None:
                return Type(target.known)
        return None

    def _of_type(self, type_: AnyType | None) -> Meaning:
        if isinstance(type_, TypeParameter):
            return Meaning(reason=f"{type_.name} is a type parameter.")
        if not isinstance(type_, Type):
            return Meaning()
        if type_.known.index is None:
            return Meaning(reason=self._elsewhere)
        return Meaning(tuple(self._parts_of(type_.known.index)), certain=True)

    def _of_creation(self, hit: Hit, typer: Typer) -> Meaning:
        """The constructor that is called where it is written; else the type."""
        created = self._created(hit, typer)
        if not isinstance(created, Type) or created.known.index is None:
            return self._of_type(created)
        choice = typer.calls.choose(
            self._members.find((created,), CONSTRUCTOR).candidates, hit.arguments or (), 0
        )
        written = [each for each in self._own(choice.candidates) if self._is_written(each)]
        if choice.certain and len(written) == 1:
            return Meaning(((written[0].file, written[0].at),), certain=True)
        return self._of_type(created)

    def _created(self, hit: Hit, typer: Typer) -> AnyType | None:
        if hit.role == "constructor":
            own = typer.own(0)
            bases = self._members.bases(own)[0] if own is not None else ()
            return own if hit.path == "this" else next((b for b in bases if self._members.is_class(b)), None)
        if hit.kind == "attribute":
            return self._path(hit, typer)
        return typer.type_of(hit.owner) if hit.owner is not None else None

    def _initialised(self, hit: Hit, typer: Typer) -> Typed | None:
        owner = typer.type_of(hit.owner) if hit.owner is not None and not hit.path else None
        if hit.path:
            owner = typer.attribute(hit.path)
        return None if owner is None else typer.member(owner, self._name, conditional=True)

    def _of_value(self, hit: Hit, typer: Typer) -> Meaning:
        assert hit.expression is not None
        found = typer.typed(hit.expression)
        stands = names_type(hit, found, typer) if found is not None else False
        if stands and found is not None:
            return self._of_type(found.type)
        if stands is None:
            told = self._of_typed(found, hit, typer)
            return Meaning(told.declarations, reason=told.reason)
        if found is not None and found.local:
            at = typer.declared_at(hit.expression) if isinstance(hit.expression, Name) else None
            return Meaning(local=at, certain=at is not None)
        return self._of_typed(found, hit, typer)

    def _of_typed(self, found: Typed | None, hit: Hit, typer: Typer) -> Meaning:
        if found is None:
            return Meaning()
        if found.what == "namespace":
            return Meaning(reason="A namespace is declared wherever something is in it.")
        if found.what == "type":
            return self._of_type(found.type)
        if found.lookup is None or not found.lookup.candidates:
            return self._of_foreign(found)
        return self._of_choice(self._chosen(found, hit, typer))

    def _of_choice(self, choice: Choice) -> Meaning:
        own = self._own(choice.candidates)
        if own:
            places = tuple(dict.fromkeys((member.file, member.at) for member in own))
            return Meaning(places, certain=choice.certain or len(places) == 1)
        return Meaning(reason=self._elsewhere) if choice.candidates else Meaning()

    @property
    def _elsewhere(self) -> str:
        return f"{self._name} is not declared in this workspace."

    def _of_foreign(self, found: Typed) -> Meaning:
        receiver = found.receiver
        if isinstance(receiver, Type) and receiver.known.index is None:
            return Meaning(reason=self._elsewhere)
        return Meaning()

    def _chosen(self, found: Typed, hit: Hit, typer: Typer) -> Choice:
        assert found.lookup is not None
        candidates = found.lookup.candidates
        if not is_method(candidates[0]):
            return Choice(candidates[:1], True)
        if hit.arguments is None or hit.expression is None:
            return Choice(candidates, len(candidates) == 1)
        if not isinstance(hit.expression, Access | Name):
            return Choice(candidates, False)
        choice = typer.calls.choose_among(found, hit.expression, hit.arguments, hit.generic)
        return choice if choice.candidates else Choice(candidates, False)

    def _own(self, candidates: Sequence[Candidate]) -> list[Member]:
        return [each.member for each in candidates if isinstance(each.member, Member)]

    def _is_written(self, member: Member) -> bool:
        """Whether a constructor has a declaration of its own."""
        return member.declaration.kind not in TYPE_KINDS and (member.file, member.at) not in self._parts_of(
            member.index
        )


def offsets(text: bytes, line: int, columns: tuple[int, int]) -> tuple[int, int]:
    """Byte offsets of characters of a line (from 1) of UTF-8 text."""
    starts = _line_start(text, line)
    end = text.find(b"\n", starts)
    shown = text[starts : end if end >= 0 else len(text)].decode("utf-8", "replace")
    first, last = columns
    return starts + len(shown[:first].encode()), starts + len(shown[:last].encode())


def _line_start(text: bytes, line: int) -> int:
    at = 0
    for _ in range(line - 1):
        at = text.find(b"\n", at) + 1
    return at


def line_of(text: bytes, offset: int) -> int:
    """The line (from 1) of a byte offset."""
    return text.count(b"\n", 0, offset) + 1
