"""Whether a declaration is what a written path asks for, and what speaks for one of several that are."""

from __future__ import annotations

import re

from services.index.resolve.written import Asked, Segment, Written, segments_of, tight
from services.model import Kind
from services.syntax.records.declaration import Declaration

_PLACE = re.compile(r"(?<![\w`])(``?)(\d+)")
_QUALIFIER = re.compile(r"\w+(?:<[^<>]*>)?(?:\.|::)")


def names_of(member: Declaration) -> tuple[str, ...]:
    """The names a member answers to, lower case: `.ctor` too for a constructor, `this` for an indexer."""
    name = member.name.lower()
    if member.kind is Kind.CONSTRUCTOR:
        return name, ".ctor", "ctor"
    if member.kind is Kind.INDEXER:
        return name, "this", "item"
    return (name,)


def fits(declaration: Declaration, path: Written, owner: tuple[str, ...] = ()) -> bool:
    """Whether the parameters, the target and the interface that are written are those of the declaration. Of types the
    last names count, without nullability: who writes a path leaves such things out. `owner`: the type parameters of
    its type, which a path may name by their places."""
    return (
        _has_parameters(declaration, path.parameters, owner)
        and (path.target is None or _bare(declaration.returns or "") == _bare(path.target))
        and (not path.explicit or _implements(declaration.explicit, path.explicit))
    )


def has_explicit(declaration: Declaration, path: Written) -> bool:
    """Whether it implements the very interface that is written; none written means none."""
    if not path.explicit or not declaration.explicit:
        return bool(path.explicit) == bool(declaration.explicit)
    return _text(segments_of(declaration.explicit)) == _text(path.explicit)


def has_types(declaration: Declaration, path: Written) -> bool:
    """Whether all types that are written are written as the declaration has them."""
    if path.target is not None and tight(declaration.returns or "") != path.target:
        return False
    own = [tight(parameter.type) for parameter in declaration.parameters or ()]
    return path.parameters is None or own == [asked.type for asked in path.parameters]


def has_modifiers(declaration: Declaration, path: Written) -> bool:
    """Whether the parameters have the words that are written before them; none written means none."""
    if path.parameters is None:
        return True
    own = [frozenset(parameter.modifier.split()) for parameter in declaration.parameters or ()]
    return own == [asked.modifiers for asked in path.parameters]


def _has_parameters(
    declaration: Declaration, asked: tuple[Asked, ...] | None, owner: tuple[str, ...]
) -> bool:
    if asked is None:
        return True
    parameters, own = declaration.parameters, declaration.type_parameters
    if parameters is None or len(parameters) != len(asked):
        return False
    return all(
        _bare(parameter.type) == _bare(_by_names(each.type, owner, own))
        for parameter, each in zip(parameters, asked, strict=True)
    )


def _by_names(type_: str, owner: tuple[str, ...], own: tuple[str, ...]) -> str:
    """A type with the names of the type parameters that it has by their places, as metadata does: `` `0 `` of the type,
    ``` ``0 ``` of the method."""

    def name(place: re.Match[str]) -> str:
        names, at = owner if place[1] == "`" else own, int(place[2])
        return names[at] or place[0] if at < len(names) else place[0]

    return _PLACE.sub(name, type_) if "`" in type_ else type_


def _implements(explicit: str, asked: tuple[Segment, ...]) -> bool:
    own = [segment.name.lower() for segment in segments_of(explicit)]
    return own[-len(asked) :] == [segment.name.lower() for segment in asked]


def _text(segments: tuple[Segment, ...]) -> str:
    return ".".join(segment.text for segment in segments)


def _bare(type_: str) -> str:
    """A type without namespaces and nullability, lower case."""
    return _QUALIFIER.sub("", tight(type_)).replace("?", "").lower()
