"""Two states of a public API compared: what came, went and changed, and which of that breaks whom.

The codes and sentences are those of Microsoft's ApiCompat, so that a report reads as its users know it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from services.model import TYPE_KINDS, Kind, Value
from services.review.api.symbol import ApiSymbol

Api = Mapping[str, ApiSymbol]
_TYPE_WORDS = frozenset({"abstract", "sealed", "static"})
_ACCESSED = frozenset({Kind.PROPERTY, Kind.INDEXER, Kind.EVENT})


class Breaking(Value, kw_only=True, frozen=True):
    """A change that breaks those who were compiled against the old side. `id`: of the symbol that it is about."""

    code: str
    sentence: str
    id: str


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
    """What differs between two states of an API, by documentation id."""

    added: tuple[ApiChange, ...] = ()
    removed: tuple[ApiChange, ...] = ()
    changed: tuple[ApiChange, ...] = ()
    breaking: tuple[Breaking, ...] = ()


def compared(old: Api, new: Api, *, name: str = "it") -> ApiChanges:
    """What changed from `old` to `new`. `name`: what sentences call the new side."""
    added = [ApiChange(id=key, after=new[key]) for key in sorted(new.keys() - old.keys())]
    removed = [ApiChange(id=key, before=old[key]) for key in sorted(old.keys() - new.keys())]
    changed = [
        ApiChange(id=key, before=old[key], after=new[key])
        for key in sorted(old.keys() & new.keys())
        if _differ(old[key], new[key])
    ]
    breaking = Rules(old, new, name).broken()
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


class Rules:
    """What breaks between two states of an API."""

    def __init__(self, old: Api, new: Api, name: str) -> None:
        self._old, self._new, self._name = old, new, name

    def broken(self) -> Iterator[Breaking]:
        """Every breaking change, by id."""
        for key in sorted(self._old.keys() | self._new.keys()):
            old, new = self._old.get(key), self._new.get(key)
            if old is not None and new is None:
                yield from self._gone(old)
            elif old is None and new is not None:
                yield from self._come(new)
            elif old is not None and new is not None:
                yield from self._type(old, new) if old.kind in TYPE_KINDS else self._member(old, new)

    def _gone(self, old: ApiSymbol) -> Iterator[Breaking]:
        if old.owner and old.owner not in self._new:
            return  # told of the type
        if old.kind in TYPE_KINDS:
            yield _of("CP0001", f"Type '{old.signature}' exists but not", old)
        elif "override" not in old.words and not self._inherited(old, self._new):
            for sentence in _accessed(old, old.accessors):
                yield _of("CP0002", f"Member '{sentence}' exists but not", old)

    def _come(self, new: ApiSymbol) -> Iterator[Breaking]:
        owner = self._old.get(new.owner)
        if new.kind in TYPE_KINDS or owner is None or "abstract" not in new.words:
            return
        if owner.kind is Kind.INTERFACE:
            kind, code = "interface", "CP0006"
        elif owner.derivable:
            kind, code = "abstract", "CP0005"
        else:
            return
        yield _of(
            code,
            f"Cannot add {kind} member '{new.sentence}' to {self._name} because it does not exist",
            new,
        )

    def _type(self, old: ApiSymbol, new: ApiSymbol) -> Iterator[Breaking]:
        if (old.kind is Kind.INTERFACE) != (new.kind is Kind.INTERFACE):
            return
        if old.derivable and not new.derivable and "sealed" in new.words:
            yield _of("CP0009", f"Type '{old.signature}' has the sealed modifier but didn't", new)
        for base in sorted(self._all_bases(old, self._old) - self._all_bases(new, self._new)):
            known = self._old.get(_id_of(base))
            is_interface = known.kind is Kind.INTERFACE if known is not None else _like_interface(base)
            if is_interface:
                yield _of(
                    "CP0008", f"Type '{old.signature}' does not implement interface '{base}' but did", new
                )
            elif old.kind in (Kind.CLASS, Kind.RECORD):
                yield _of(
                    "CP0007", f"Type '{old.signature}' does not inherit from base type '{base}' but did", new
                )

    def _member(self, old: ApiSymbol, new: ApiSymbol) -> Iterator[Breaking]:
        if old.kind is Kind.ENUM_MEMBER:
            before, after = (each.signature.rpartition("= ")[2] for each in (old, new))
            if before != after:
                place = f"field '{old.sentence}' in type '{old.owner[2:]}'"
                yield _of("CP0011", f"Value of {place} changed from '{before}' to '{after}'", new)
            return
        if old.returns != new.returns:
            for sentence in _accessed(old, old.accessors):
                yield _of("CP0002", f"Member '{sentence}' exists but not", new)
            return
        lost = [name for name in old.accessors if name not in new.accessors]
        lost += ["set"] if "init" in new.accessors and "set" in old.accessors and "set" not in lost else []
        for sentence in _accessed(old, tuple(dict.fromkeys(lost))) if lost else ():
            yield _of("CP0002", f"Member '{sentence}' exists but not", new)
        yield from self._keywords(old, new)

    def _keywords(self, old: ApiSymbol, new: ApiSymbol) -> Iterator[Breaking]:
        if not old.derivable or old.owner.removeprefix("T:") == "":
            return
        for word in ("virtual", "abstract"):
            open_still = {"virtual", "abstract", "override"} & new.words and "sealed" not in new.words
            if word in old.words and word not in new.words and (word == "abstract" or not open_still):
                for sentence in (*_keyed(old), old.named):
                    yield _of("CP0012", f"Cannot remove '{word}' keyword from member '{sentence}'.", new)
        if "abstract" in new.words and "abstract" not in old.words:
            yield _of(
                "CP0005" if new.kind is not Kind.INTERFACE else "CP0006",
                f"Cannot add abstract member '{new.sentence}' to {self._name} because it does not exist",
                new,
            )

    def _inherited(self, member: ApiSymbol, api: Api) -> bool:
        """Whether a type that its own derives from has the same member."""
        tail = member.id.removeprefix(f"{member.id[:2]}{member.owner[2:]}")
        owner = api.get(member.owner)
        if owner is None:
            return False
        bases = (_id_of(base) for base in self._all_bases(owner, api))
        return owner.kind is not Kind.INTERFACE and any(
            f"{member.id[:2]}{base[2:]}{tail}" in api for base in bases
        )

    def _all_bases(self, type_: ApiSymbol, api: Api) -> set[str]:
        """The bases of a type, and theirs, as far as they are of this API."""
        found: set[str] = set()
        waiting = list(type_.bases)
        while waiting:
            base = waiting.pop()
            if base not in found:
                found.add(base)
                known = api.get(_id_of(base))
                waiting += known.bases if known is not None else ()
        return found


def _accessed(symbol: ApiSymbol, accessors: tuple[str, ...]) -> Iterator[str]:
    """A member as the rules tell of it: a property by its accessors."""
    if symbol.kind not in _ACCESSED:
        yield symbol.sentence
        return
    for accessor in accessors:
        yield f"{symbol.sentence}.{'set' if accessor == 'init' else accessor}"


def _keyed(symbol: ApiSymbol) -> Iterator[str]:
    """The accessors of a property as sentences about keywords tell of them."""
    if symbol.kind in _ACCESSED:
        yield from (f"{symbol.named}.{'set' if each == 'init' else each}" for each in symbol.accessors)


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


def _like_interface(base: str) -> bool:
    name = base.partition("<")[0].rpartition(".")[2]
    return name[:1] == "I" and name[1:2].isupper()


def _of(code: str, sentence: str, symbol: ApiSymbol) -> Breaking:
    return Breaking(code=code, sentence=sentence, id=symbol.id)
