"""Two states of a public API compared: what came, went and changed, and which of that breaks whom.

The codes and sentences are those of Microsoft's ApiCompat, so that a report reads as its users know it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from services.model import TYPE_KINDS, Kind, Value
from services.review.api.symbol import ApiSymbol, Constraint

Api = Mapping[str, ApiSymbol]

_ACCESSED = frozenset({Kind.PROPERTY, Kind.INDEXER, Kind.EVENT})
_FIELDS = frozenset({Kind.FIELD, Kind.CONSTANT, Kind.ENUM_MEMBER})
_RANKS = {
    "public": ("Public", 2),
    "protected": ("Protected", 1),
    "protected internal": ("ProtectedOrInternal", 1),
}
_WORDS = ("new()", "notnull", "class", "unmanaged", "struct")


_OLD, _NEW = " on the old side", " on the new side"


class Breaking(Value, kw_only=True, frozen=True):
    """A change that breaks those who were compiled against the old side. `id`: of the symbol that it is about."""

    code: str
    sentence: str
    id: str

    @property
    def bare(self) -> str:
        """The sentence without the names of the sides, which reports of two assemblies leave out."""
        return self.sentence.replace(_OLD, "").replace(_NEW, "")


class Element(msgspec.Struct, frozen=True):
    """A member as the rules see it: an accessor is one of its own. `text`: with what it returns, `name`: without;
    `key`: what it is found again by; `promoted`: what it is found by in a base."""

    symbol: ApiSymbol
    text: str
    name: str
    key: str
    access: str
    promoted: tuple[str, int, str] | None = None
    is_accessor: bool = False


def elements_of(symbol: ApiSymbol) -> Iterator[Element]:
    """A member, then its accessors."""
    text, key = (
        f"{a} {b}".lstrip() for a, b in ((symbol.result, symbol.named), (symbol.returns, symbol.plain))
    )
    is_field = symbol.kind in (*_FIELDS, *_ACCESSED)
    own = symbol.plain.partition("(")[0].rpartition(".")[2]
    promoted = (
        None if is_field or symbol.kind is Kind.CONSTRUCTOR else (own, symbol.parameters, symbol.returns)
    )
    yield Element(symbol, text, symbol.named.replace("(this ", "(", 1), key, symbol.access, promoted)
    for accessor, access in symbol.accessors if symbol.kind in _ACCESSED else ():
        result, returns = (symbol.result, symbol.returns) if accessor == "get" else ("void", "void")
        # The type of an event is not among what its accessors are found by.
        key = f"{accessor}_{own}" if symbol.kind is Kind.EVENT else f"{returns} {symbol.plain}.{accessor}"
        taken = symbol.parameters + (accessor != "get")
        yield Element(
            symbol, f"{result} {symbol.named}.{accessor}", f"{symbol.named}.{accessor}", key, access,
            (f"{accessor}_{own}", taken, returns), is_accessor=True,
        )  # fmt: skip


class ApiRules:
    """Breaking changes between two states of an API. `name`: how messages call the new side."""

    def __init__(self, old: Api, new: Api, name: str) -> None:
        self._old, self._new, self._name = old, new, name
        self._old_members, self._new_members = _by_owner(old), _by_owner(new)

    def broken(self) -> Iterator[Breaking]:
        """Every breaking change, by type."""
        for key in sorted(key for key, each in self._old.items() if each.kind in TYPE_KINDS):
            old, new = self._old[key], self._new.get(key)
            if new is None or new.plain != old.plain:
                if self._has_outer(old):
                    yield _of("CP0001", f"Type '{old.named}' exists{_OLD} but not{_NEW}", old)
                continue
            yield from self._type(old, new)
            yield from self._members(old, new)

    def _has_outer(self, old: ApiSymbol) -> bool:
        """Whether the enclosing type is still there; if not, the removal is reported for that type."""
        outer, now = self._old.get(old.owner), self._new.get(old.owner)
        return not old.owner or outer is None or (now is not None and now.plain == outer.plain)

    # Types

    def _type(self, old: ApiSymbol, new: ApiSymbol) -> Iterator[Breaking]:
        if Kind.INTERFACE not in (old.kind, new.kind):
            if old.derivable and not new.derivable:
                why = f"has the sealed modifier{_NEW} but not{_OLD}"
                if not new.words & {"sealed", "static"}:
                    why = f"is sealed because it has no visible constructor{_NEW} but it does{_OLD}"
                yield _of("CP0009", f"Type '{new.named}' {why}", new)
            if old.base not in self._bases_of(new):
                yield _of(
                    "CP0007",
                    f"Type '{old.named}' does not inherit from base type '{old.base}'{_NEW} but it does{_OLD}",
                    new,
                )
        yield from self._interfaces(old, new)
        if old.kind is new.kind is Kind.ENUM:
            yield from self._enum(old, new)
        yield from _visibility(old, new, old.named, (old.access, new.access))
        may_lose = bool(old.words & {"sealed", "static"})
        yield from _constraints(old, new, old.named, may_lose=may_lose)

    def _bases_of(self, type_: ApiSymbol) -> list[str]:
        """Return the bases of a type, nearest first, with the root that all types have."""
        found = [type_.base]
        while (known := self._new.get(_id_of(found[-1]))) is not None and known.base not in found:
            found.append(known.base)
        return [*found, "object"]

    def _interfaces(self, old: ApiSymbol, new: ApiSymbol) -> Iterator[Breaking]:
        kept = {_bare(each.text) for each in new.interfaces}
        for each in old.interfaces:
            if not each.seen:
                return
            if _bare(each.text) not in kept:
                yield _of(
                    "CP0008",
                    f"Type '{old.named}' does not implement interface '{each.text}'{_NEW} but it does{_OLD}",
                    new,
                )
                return

    def _enum(self, old: ApiSymbol, new: ApiSymbol) -> Iterator[Breaking]:
        name = old.named.rpartition(".")[2]
        if old.underlying != new.underlying:
            text = f"Underlying type of enum '{name}' changed from '{old.underlying}' to '{new.underlying}'."
            yield _of("CP0010", text, new)
            return
        for member in self._old_members.get(old.id, ()):
            now = self._new.get(member.id)
            if now is None or member.kind is not Kind.ENUM_MEMBER:
                continue
            before, after = (each.signature.rpartition("= ")[2] for each in (member, now))
            if before != after:
                field = member.named.rpartition(".")[2]
                text = f"Value of field '{field}' in enum '{name}' changed from '{before}' to '{after}'."
                yield _of("CP0011", text, now)

    # Members

    def _members(self, old: ApiSymbol, new: ApiSymbol) -> Iterator[Breaking]:
        before, after = (
            {element.key: element for symbol in members.get(old.id, ()) for element in elements_of(symbol)}
            for members in (self._old_members, self._new_members)
        )
        for key in sorted(before.keys() | after.keys()):
            one, other = before.get(key), after.get(key)
            if one is not None and other is not None:
                yield from self._kept(one, other, (old, new))
            elif one is not None:
                yield from self._gone(one, new)
            elif other is not None:
                yield from self._come(other, old, new)

    def _gone(self, element: Element, owner: ApiSymbol) -> Iterator[Breaking]:
        symbol = element.symbol
        told_by_accessors = symbol.kind in _ACCESSED and not element.is_accessor
        if told_by_accessors or "override" in symbol.words or self._is_promoted(element, owner):
            return
        yield _of("CP0002", f"Member '{element.text}' exists{_OLD} but not{_NEW}", symbol)

    def _is_promoted(self, element: Element, owner: ApiSymbol) -> bool:
        """Whether a type that its own derives from has it: of that name, with as many parameters."""
        if element.promoted is None:
            return False
        is_interface = owner.kind is Kind.INTERFACE
        texts = [each.text for each in owner.interfaces] if is_interface else self._bases_of(owner)
        return any(
            other.promoted == element.promoted
            for text in texts
            for symbol in self._new_members.get(_id_of(text), ())
            for other in elements_of(symbol)
        )

    def _come(self, element: Element, old: ApiSymbol, new: ApiSymbol) -> Iterator[Breaking]:
        symbol, words = element.symbol, element.symbol.words
        kind = code = ""
        if new.kind is Kind.INTERFACE:
            # Only an instance member can have an implementation that counts.
            if (
                not element.is_accessor
                and symbol.kind not in _FIELDS
                and words & {"abstract", "static", "sealed"}
            ):
                kind, code = "interface", "CP0006"
        elif "abstract" in words and old.kind is not Kind.INTERFACE and old.derivable:
            kind, code = "abstract", "CP0005"
        if code:
            text = (
                f"Cannot add {kind} member '{element.text}' to {self._name} because it does not exist{_OLD}"
            )
            yield _of(code, text, symbol)

    def _kept(self, old: Element, new: Element, types: tuple[ApiSymbol, ApiSymbol]) -> Iterator[Breaking]:
        yield from _visibility(old.symbol, new.symbol, old.name, (old.access, new.access))
        before, after = old.symbol.words, new.symbol.words
        if Kind.INTERFACE in (types[0].kind, types[1].kind):
            if not _is_final(before) and _is_final(after):
                yield _of(
                    "CP0018",
                    f"Cannot add sealed keyword to default interface member '{new.name}'.",
                    new.symbol,
                )
        else:
            for word in _lost(before, after, derivable=types[0].derivable):
                yield _of("CP0012", f"Cannot remove '{word}' keyword from member '{old.name}'.", new.symbol)
        if not old.is_accessor and old.symbol.kind not in _ACCESSED:
            yield from _constraints(old.symbol, new.symbol, old.name, may_lose="virtual" not in before)


def _by_owner(api: Api) -> dict[str, list[ApiSymbol]]:
    found: dict[str, list[ApiSymbol]] = {}
    for each in api.values():
        if each.kind not in TYPE_KINDS:
            found.setdefault(each.owner, []).append(each)
    return found


def _is_final(words: frozenset[str]) -> bool:
    return "sealed" in words or not words & {"virtual", "abstract"}


def _lost(before: frozenset[str], after: frozenset[str], *, derivable: bool) -> Iterator[str]:
    """The words whose loss breaks those who override a member."""
    if "virtual" in before and derivable and "virtual" not in after:
        yield "virtual"
    if "abstract" in before and not after & {"abstract", "virtual"}:
        yield "abstract"


def _visibility(old: ApiSymbol, new: ApiSymbol, name: str, access: tuple[str, str]) -> Iterator[Breaking]:
    (before, one), (after, other) = (_RANKS.get(each, ("Private", 0)) for each in access)
    if one > other:
        yield _of("CP0019", f"Visibility of '{name}' reduced from '{before}' to '{after}'.", new or old)


def _constraints(old: ApiSymbol, new: ApiSymbol, name: str, *, may_lose: bool) -> Iterator[Breaking]:
    """Yield the constraints that were added, and those that were removed where that breaks too."""
    named = sorted({each.parameter for each in (*old.constraints, *new.constraints)})
    for parameter in named:
        one, other = (_of_parameter(symbol.constraints, parameter) for symbol in (old, new))
        for text in _more(one, other):
            yield _of(
                "CP0021", f"Cannot add constraint '{text}' on type parameter '{parameter}' of '{name}'.", new
            )
        for text in () if may_lose else _more(other, one):
            yield _of(
                "CP0021",
                f"Cannot remove constraint '{text}' on type parameter '{parameter}' of '{name}'.",
                new,
            )


def _of_parameter(constraints: Sequence[Constraint], parameter: str) -> Constraint:
    return next(
        (each for each in constraints if each.parameter == parameter), Constraint(parameter=parameter)
    )


def _more(one: Constraint, other: Constraint) -> Iterator[str]:
    """Yield the constraints that `other` has and `one` has not."""
    yield from (word for word in _WORDS if word in other.words and word not in one.words)
    known = {text for text, _ in one.types}
    yield from (id_ for text, id_ in other.types if text not in known)


def _bare(text: str) -> str:
    """A type as it is compared: without annotations."""
    return text.replace("?", "")


def _id_of(base: str) -> str:
    """The documentation id of a base as it is displayed."""
    out, depth, commas = "", 0, 0
    for letter in base:
        if letter == "<":
            depth += 1
            commas = 0 if depth == 1 else commas
        elif letter == ">":
            depth -= 1
            out += f"`{commas + 1}" if depth == 0 else ""
        elif depth == 0:
            out += letter
        elif depth == 1 and letter == ",":
            commas += 1
    return f"T:{out}"


def _of(code: str, sentence: str, symbol: ApiSymbol) -> Breaking:
    return Breaking(code=code, sentence=sentence, id=symbol.id)


_TYPE_WORDS = frozenset({"abstract", "sealed", "static"})


class ApiChange(Value, kw_only=True, frozen=True):
    """A symbol on both sides; None where it is not there."""

    id: str
    before: ApiSymbol | None = None
    after: ApiSymbol | None = None

    @property
    def way(self) -> str:
        """added, removed or changed."""
        return "added" if self.before is None else "removed" if self.after is None else "changed"


class ApiChanges(Value, kw_only=True, frozen=True):
    """Differences of two states of an API, by documentation id."""

    added: tuple[ApiChange, ...] = ()
    removed: tuple[ApiChange, ...] = ()
    changed: tuple[ApiChange, ...] = ()
    breaking: tuple[Breaking, ...] = ()


def compared(old: Api, new: Api, *, name: str = "it") -> ApiChanges:
    """Return the changes of the API from `old` to `new`. `name`: how messages call the new side."""
    added = [ApiChange(id=key, after=new[key]) for key in sorted(new.keys() - old.keys())]
    removed = [ApiChange(id=key, before=old[key]) for key in sorted(old.keys() - new.keys())]
    changed = [
        ApiChange(id=key, before=old[key], after=new[key])
        for key in sorted(old.keys() & new.keys())
        if _differ(old[key], new[key])
    ]
    breaking = ApiRules(old, new, name).broken()
    return ApiChanges(
        added=tuple(added), removed=tuple(removed), changed=tuple(changed), breaking=tuple(breaking)
    )


def _differ(old: ApiSymbol, new: ApiSymbol) -> bool:
    if old.kind in TYPE_KINDS:
        return (
            old.bases != new.bases
            or old.words & _TYPE_WORDS != new.words & _TYPE_WORDS
            or old.signature != new.signature
        )
    return old.signature != new.signature
