"""Resolution of `<inheritdoc/>` to the inherited comment, where that is in the workspace."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from services.index.names.space import Bound
from services.index.names.type_text import unqualified
from services.index.symbols.placed import Placed, TypeWithMembers
from services.model import Kind
from services.syntax.records.docs import inherited_from

if TYPE_CHECKING:
    from services.index.names.names import Names

_DEEPEST = 16
_MOST_BASES = 64


class InheritedDocs:
    """Finder of inherited comments. `names`: the current binder, if any; `whole_of`: a type by its index;
    `comment_of`: the comment of a declaration, if any."""

    def __init__(
        self,
        names: Callable[[], Names | None],
        whole_of: Callable[[int], TypeWithMembers | None],
        comment_of: Callable[[Placed], bytes | None],
    ) -> None:
        self._names = names
        self._whole_of = whole_of
        self._comment_of = comment_of

    def comment(self, whole: TypeWithMembers, placed: Placed, comment: bytes) -> bytes | None:
        """The comment that `comment`, of a type's primary part or of one of its members, takes over; None where it
        takes over none, or one that is not known."""
        for _ in range(_DEEPEST):
            cref = inherited_from(comment)
            if cref is None:
                return comment
            found = self._source(whole, placed, cref)
            if found is None:
                return None
            whole, placed, comment = found
        return None

    def _source(
        self, whole: TypeWithMembers, placed: Placed, cref: str
    ) -> tuple[TypeWithMembers, Placed, bytes] | None:
        names = self._names()
        if names is None:
            return None
        sources = self._named(names, whole, placed, cref) if cref else self._above(names, whole, placed)
        for holder, source in sources:
            comment = self._comment_of(source)
            if comment is not None and source is not placed:
                return holder, source, comment
        return None

    # What a reference names

    def _named(
        self, names: Names, whole: TypeWithMembers, placed: Placed, cref: str
    ) -> Iterator[tuple[TypeWithMembers, Placed]]:
        path, bracket, parameters = cref.partition("(")
        path = path.partition(":")[2] if path[1:2] == ":" else path
        path = path.replace("{", "<").replace("}", ">")
        type_ = None if bracket else self._type(names, placed, path)
        if type_ is not None:
            yield type_, type_.primary
            return
        outer, _, name = path.rpartition(".")
        holder = self._type(names, placed, outer) if outer else whole
        if holder is None:
            return
        wanted = _types(parameters) if bracket else None
        found = [m for m in holder.members if m.declaration.name == name.partition("<")[0] and not m.implicit]
        if wanted is not None:
            found = [member for member in found if len(member.declaration.parameters or ()) == len(wanted)]
            found.sort(key=lambda member: _parameter_types(member) != wanted)
        yield from ((holder, member) for member in found)

    def _type(self, names: Names, placed: Placed, text: str) -> TypeWithMembers | None:
        return self._of(names.bound(placed.file, placed.at, placed.declaration, text))

    def _of(self, bound: Bound) -> TypeWithMembers | None:
        index = bound.head.index if bound.head is not None else None
        return self._whole_of(index) if index is not None else None

    # What a declaration overrides or implements

    def _above(
        self, names: Names, whole: TypeWithMembers, placed: Placed
    ) -> Iterator[tuple[TypeWithMembers, Placed]]:
        is_member = placed is not whole.primary
        explicit = placed.declaration.explicit if is_member else ""
        if explicit:
            holder = self._type(names, placed, explicit)
            yield from _alike(holder, placed) if holder is not None else ()
            return
        for holder in self._bases(names, whole):
            if is_member:
                yield from _alike(holder, placed)
            else:
                yield holder, holder.primary

    def _bases(self, names: Names, whole: TypeWithMembers) -> Iterator[TypeWithMembers]:
        """Iterate over the base types and interfaces of a type, the closest first."""
        waiting = [whole.index]
        seen = {whole.index}
        while waiting and len(seen) < _MOST_BASES:
            for bound in names.bases(waiting.pop(0)):
                index = bound.head.index if bound.head is not None else None
                if index is None or index in seen:
                    continue
                seen.add(index)
                waiting.append(index)
                base = self._whole_of(index)
                if base is not None:
                    yield base


def _alike(holder: TypeWithMembers, placed: Placed) -> list[tuple[TypeWithMembers, Placed]]:
    """Return the members of a base that a member corresponds to: of its kind, name and number of parameters, those
    with the same types first."""
    own = placed.declaration
    found = [
        member
        for member in holder.members
        if member.declaration.kind is own.kind
        and (member.declaration.name == own.name or own.kind is Kind.CONSTRUCTOR)
        and len(member.declaration.parameters or ()) == len(own.parameters or ())
        and len(member.declaration.type_parameters) == len(own.type_parameters)
    ]
    types = _parameter_types(placed)
    found.sort(key=lambda member: _parameter_types(member) != types)
    return [(holder, member) for member in found]


def _parameter_types(member: Placed) -> list[str]:
    return [unqualified(parameter.type) for parameter in member.declaration.parameters or ()]


def _types(parameters: str) -> list[str]:
    """The types that a reference names: two in `int, Dictionary{A, B})`."""
    text = parameters.strip().removesuffix(")")
    depth = start = 0
    found: list[str] = []
    for at, letter in enumerate(f"{text},"):
        depth += (letter in "{<[(") - (letter in "}>])")
        if letter == "," and depth == 0:
            found.append(text[start:at])
            start = at + 1
    types = (each.replace("{", "<").replace("}", ">").rstrip("@") for each in found if each.strip())
    return [unqualified(each) for each in types]
