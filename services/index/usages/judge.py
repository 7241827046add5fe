"""Whether a place uses a symbol: bound to it, bound to something else, or not to be told."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
from typing import Protocol

from services.index.names.names import Names
from services.index.names.type_text import Named, attribute_classes, parse
from services.index.usages import crefs
from services.index.usages.colour import names_type
from services.index.usages.infer.overloads import Choice, is_method, paired
from services.index.usages.infer.typer import Typer
from services.index.usages.related import Relation, Relations
from services.index.usages.types.member import Candidate, Lookup, Member
from services.index.usages.types.members import CONSTRUCTOR, INDEXER, TypeMembers
from services.index.usages.types.typed import Typed
from services.index.usages.types.types import AnyType, Type, unwrapped
from services.model import Grade, Kind
from services.syntax.bodies.expressions import Argument, Hit, Name


class Verdict(Enum):
    """What a place is to the symbol that is asked about."""

    BOUND = auto()
    RELATED = auto()
    UNSURE = auto()
    ANOTHER = auto()


GRADES = {
    Verdict.BOUND: Grade.BOUND,
    Verdict.RELATED: Grade.RELATED,
    Verdict.UNSURE: Grade.NAME_MATCH,
}
"""What is told of a place by its verdict; of any other, nothing is."""


class Judge(Protocol):
    """Judges places for one symbol."""

    def verdict(self, hit: Hit, typer: Typer) -> Verdict:
        """What a place is."""
        ...


_VERDICTS = {
    Relation.SAME: Verdict.BOUND,
    Relation.RELATED: Verdict.RELATED,
    Relation.NONE: Verdict.ANOTHER,
}


class TypeJudge:
    """Judges places for a type."""

    def __init__(self, index: int, names: Names, members: TypeMembers) -> None:
        self.index = index
        self._names = names
        self._members = members

    def verdict(self, hit: Hit, typer: Typer) -> Verdict:
        """A name where a type stands is bound as one; in an expression it is one where it is no value."""
        if hit.role in ("type", "creation"):
            if not hit.path:
                return Verdict.ANOTHER
            return self.of_path(hit.path, typer, attribute=hit.kind == "attribute")
        if hit.role == "value":
            return self._of_value(hit, typer)
        if hit.role == "cref":
            return self._of_cref(hit, typer)
        return Verdict.UNSURE if hit.role == "unknown" else Verdict.ANOTHER

    def _of_cref(self, hit: Hit, typer: Typer) -> Verdict:
        found, _ = crefs.meant(hit, typer)
        if found is None or found.what != "type" or not isinstance(found.type, Type):
            return Verdict.ANOTHER
        return Verdict.BOUND if found.type.known.index == self.index else Verdict.ANOTHER

    def of_path(self, path: str, typer: Typer, *, attribute: bool = False) -> Verdict:
        """A dotted name where a type stands."""
        for written in attribute_classes(path) if attribute else (path,):
            node = parse(written)
            target = self._names.binder.target(node, typer.context) if isinstance(node, Named) else None
            if target is not None and (target.known is not None or written == path):
                known = target.known
                return Verdict.BOUND if known is not None and known.index == self.index else Verdict.ANOTHER
        return Verdict.UNSURE

    def _of_value(self, hit: Hit, typer: Typer) -> Verdict:
        expression = hit.expression
        if expression is None:
            return Verdict.UNSURE
        found = typer.typed(expression)
        if found is None:
            return Verdict.UNSURE
        if found.what == "type":
            type_ = found.type
            if not isinstance(type_, Type):
                return Verdict.ANOTHER
            return Verdict.BOUND if type_.known.index == self.index else Verdict.ANOTHER
        return self._of_colour(hit, found, typer)

    def _of_colour(self, hit: Hit, found: Typed, typer: Typer) -> Verdict:
        """A value of the type whose name it has."""
        type_ = found.type
        if not isinstance(type_, Type) or type_.known.index != self.index:
            return Verdict.ANOTHER
        stands = names_type(hit, found, typer)
        if stands is None:
            return Verdict.UNSURE
        return Verdict.BOUND if stands else Verdict.ANOTHER


class MemberJudge:
    """Judges places for a member."""

    def __init__(self, target: Member, members: TypeMembers) -> None:
        self._target = target
        self._members = members
        self._relations = Relations(target, members)
        self._is_method = is_method(Candidate(target, None))

    def verdict(self, hit: Hit, typer: Typer) -> Verdict:
        """A name is bound to a member where what it is asked of is known to have it."""
        if hit.role == "cref":
            found, choice = crefs.meant(hit, typer)
            return self._judged(choice, found.receiver if found is not None else None)
        if self._target.declaration.kind is Kind.CONSTRUCTOR:
            return self._of_creation(hit, typer)
        if self._target.declaration.kind is Kind.INDEXER:
            return self._of_index(hit, typer)
        if hit.role == "initialised":
            return self._of_initialised(hit, typer)
        if hit.role != "value" or hit.expression is None:
            return Verdict.UNSURE if hit.role == "unknown" else Verdict.ANOTHER
        if hit.arguments is not None and not self._takes(hit.arguments, hit):
            return Verdict.ANOTHER
        if hit.arguments is None and hit.following and self._is_method:
            return Verdict.ANOTHER  # a method that is not called has no members
        found = typer.typed(hit.expression)
        if found is None or (found.what == "value" and found.lookup is None):
            return self._unfound(hit, found)
        if found.lookup is None or found.local:
            return Verdict.ANOTHER
        verdict = self._among(hit, found, typer)
        if verdict is Verdict.ANOTHER or (stands := names_type(hit, found, typer)) is False:
            return verdict
        return Verdict.ANOTHER if stands else Verdict.UNSURE

    def _unfound(self, hit: Hit, found: Typed | None) -> Verdict:
        """A name that nothing is known of, or a member of what nothing is known of."""
        if found is not None and (
            found.local or found.receiver is not None or isinstance(hit.expression, Name)
        ):
            return Verdict.ANOTHER
        return Verdict.UNSURE

    def _takes(self, arguments: Sequence[Argument], hit: Hit) -> bool:
        """Whether the member can be called with so many arguments, on a receiver or not."""
        if not self._is_method:
            return self._can_be_invoked()
        parameters, declaration = self._target.parameters, self._target.declaration
        counts = (len(declaration.type_parameters), len(declaration.own_parameters))
        if hit.generic and len(hit.generic) not in counts:
            return False
        if paired(parameters, arguments) is not None:
            return True
        on_receiver = self._target.is_extension or self._target.is_of_block
        return on_receiver and paired(parameters[1:], arguments) is not None

    def _can_be_invoked(self) -> bool:
        """Whether what is not a method may be called: its type may be a delegate's."""
        type_ = self._members.returned(self._target)
        return (
            not isinstance(type_, Type)
            or self._members.is_delegate(type_)
            or self._members.is_external(type_)
        )

    def _among(self, hit: Hit, found: Typed, typer: Typer) -> Verdict:
        """Which of the members of the name that were found is meant."""
        lookup = found.lookup
        assert lookup is not None
        if not lookup.candidates:
            return self._missing(lookup, found)
        if not is_method(lookup.candidates[0]):
            return self._judged(self._read(lookup, found.receiver, typer), found.receiver)
        if hit.arguments is None:
            return self._of_group(hit, lookup, found)
        if lookup.whole and self._is_none_of(lookup, found.receiver):
            return Verdict.ANOTHER
        choice = typer.calls.choose_among(
            found, hit.expression or Name("", (), 0), hit.arguments, hit.generic
        )
        if not choice.candidates:
            return self._missing(lookup, found)
        return self._judged(choice, found.receiver)

    def _read(self, lookup: Lookup, receiver: AnyType | None, typer: Typer) -> Choice:
        """Which of the members that are not called is meant: of extension properties, the one whose receiver fits."""
        if lookup.candidates[0].holder is not None:
            return Choice(lookup.candidates[:1], True)
        properties = [candidate for candidate in lookup.candidates if not is_method(candidate)]
        choice = typer.receivers.chosen(properties, receiver, (), ())
        return choice if lookup.whole else Choice(choice.candidates, False)

    def _is_none_of(self, lookup: Lookup, receiver: AnyType | None) -> bool:
        """Whether a call cannot mean the member, whichever overload it takes: that need not be found out then."""
        if self._target.is_extension or self._target.declaration.receiver is not None:
            return False
        return not self._any_related(lookup.candidates, receiver)

    def _of_group(self, hit: Hit, lookup: Lookup, found: Typed) -> Verdict:
        """A method that is not called: which overload is converted to a delegate is told where there is one alone."""
        own = [c for c in lookup.candidates if isinstance(c.member, Member)]
        if hit.kind == "nameof":
            relations = (self._relations.of(c, found.receiver) for c in lookup.candidates)
            return _VERDICTS[max(relations, key=lambda relation: relation.value)]
        if lookup.candidates[0].holder is None:
            return Verdict.UNSURE if self._any_related(own, None) else Verdict.ANOTHER
        return self._judged(Choice(lookup.candidates, len(lookup.candidates) == 1), found.receiver)

    def _judged(self, choice: Choice, receiver: AnyType | None) -> Verdict:
        candidates = choice.candidates[: 1 if choice.certain else None]
        found = {self._relations.of(candidate, receiver) for candidate in candidates}
        if len(found) == 1 and (choice.certain or len(candidates) > 1):
            return _VERDICTS[found.pop()]
        return Verdict.ANOTHER if found <= {Relation.NONE} else Verdict.UNSURE

    def _any_related(self, candidates: Sequence[Candidate], receiver: AnyType | None) -> bool:
        return any(self._relations.of(each, receiver) is not Relation.NONE for each in candidates)

    def _missing(self, lookup: Lookup, found: Typed) -> Verdict:
        """Nothing of that name was found: it may come from a base that is not known."""
        if lookup.whole or found.receiver is None:
            return Verdict.ANOTHER
        closure, whole = self._members.closure(found.receiver)
        if whole or (closure and all(not self._hides(type_) for type_ in closure)):
            return Verdict.ANOTHER
        return Verdict.UNSURE

    def _hides(self, type_: Type) -> bool:
        """Whether a base of a type could be anything: one that is not even known by name."""
        if self._members.is_external(type_):
            return False
        return not self._members.bases(type_)[1]

    def _of_index(self, hit: Hit, typer: Typer) -> Verdict:
        """An element of a value: by the indexer of its type that takes what stands in the brackets."""
        if hit.role != "indexed" or hit.owner is None:
            return Verdict.ANOTHER
        receiver = typer.type_of(hit.owner)
        receiver = unwrapped(receiver) if hit.following else receiver
        if receiver is None:
            return Verdict.UNSURE
        lookup = self._members.find(typer.roots(receiver), INDEXER)
        if not lookup.candidates:
            return Verdict.ANOTHER
        return self._judged(typer.calls.choose(lookup.candidates, hit.arguments or (), 0), receiver)

    # Initialisers and creations

    def _of_initialised(self, hit: Hit, typer: Typer) -> Verdict:
        """A member in an object initialiser, a pattern, or an attribute's arguments."""
        owner = typer.type_of(hit.owner) if hit.owner is not None and not hit.path else None
        if hit.path:
            owner = typer.attribute(hit.path)
        if owner is None:
            return Verdict.UNSURE
        found = typer.member(owner, self._target.name, conditional=True)
        if found is None or found.lookup is None or not found.lookup.candidates:
            lookup = found.lookup if found is not None and found.lookup is not None else Lookup((), False)
            return self._missing(lookup, Typed("value", receiver=owner))
        return self._judged(Choice(found.lookup.candidates[:1], True), found.receiver)

    def _of_creation(self, hit: Hit, typer: Typer) -> Verdict:
        created: AnyType | None
        if hit.role == "constructor":
            own = typer.own(0)
            bases = self._members.bases(own)[0] if own is not None else ()
            created = (
                own if hit.path == "this" else next((b for b in bases if self._members.is_class(b)), None)
            )
        elif hit.role == "creation" and hit.owner is not None:
            if hit.kind == "attribute":
                created = typer.attribute(hit.path)
            else:
                created = typer.type_of(hit.owner)
        else:
            return Verdict.UNSURE if hit.role == "unknown" else Verdict.ANOTHER
        if not isinstance(created, Type):
            return Verdict.ANOTHER if not hit.path else Verdict.UNSURE
        if created.known.index != self._target.index:
            return Verdict.ANOTHER
        lookup = self._members.find((created,), CONSTRUCTOR)
        return self._judged(typer.calls.choose(lookup.candidates, hit.arguments or (), 0), created)
