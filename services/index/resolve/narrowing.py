"""Of several symbols that a path may mean, those that it means most likely."""

from __future__ import annotations

from services.index.catalog.catalogue import plain
from services.index.resolve.fitting import has_explicit, has_modifiers, has_types
from services.index.resolve.written import Written
from services.index.symbols.placed import Found, Whole


def narrowed(found: list[Found], path: Written) -> list[Found]:
    """Of several, those that have more of what was written, one thing after the other; what none has does not count."""
    found = of_owners(found, path)
    for speaks in (
        _has_arity,
        _has_explicit,
        _has_types,
        _has_modifiers,
        _has_case,
        _is_declared,
        _has_type_parameters,
    ):
        found = [each for each in found if speaks(each, path)] or found
    return found


def of_owners(found: list[Found], path: Written) -> list[Found]:
    """Of several, those in types of the arities that were written, the outermost first: none written means none, as
    long as there is such a type."""
    asked = [segment.arity or 0 for segment in path.segments[:-1]]
    known = [(each, _owner_arities(each)[-len(asked) :]) for each in found] if asked else []
    for at, arity in enumerate(asked):
        known = [pair for pair in known if pair[1][at : at + 1] == [arity]] or known
    return [each for each, _ in known] or found


def _owner_arities(found: Found) -> list[int]:
    """Of the namespaces, which have none, and the types around a symbol, the outermost first."""
    parts = found.whole.entry.fqn.replace("+", ".").split(".")
    if found.member is None:
        parts.pop()
    return [int(part.partition("`")[2] or 0) for part in parts]


def _has_type_parameters(found: Found, path: Written) -> bool:
    """Type parameters by the names that were written: two projects may call those of one type differently."""
    innermost = [found.declaration]
    if found.member is not None:
        innermost.append(found.whole.primary.declaration)
    return all(
        segment.arity is None or segment.text == f"{each.name}<{','.join(each.type_parameters)}>"
        for each, segment in zip(innermost, reversed(path.segments), strict=False)
    )


def _has_arity(found: Found, path: Written) -> bool:
    """None written means none."""
    own = found.whole.entry.arity if found.member is None else len(found.member.declaration.type_parameters)
    return own == (path.arity or 0)


def _has_explicit(found: Found, path: Written) -> bool:
    return has_explicit(found.declaration, path)


def _has_types(found: Found, path: Written) -> bool:
    return has_types(found.declaration, path)


def _has_modifiers(found: Found, path: Written) -> bool:
    return has_modifiers(found.declaration, path)


def _has_case(found: Found, path: Written) -> bool:
    """Upper and lower case as written: C# tells `Size` from `size`."""
    names = [segment.name for segment in path.segments]
    if found.member is not None:
        own, asked = found.declaration.name, names.pop()
        if own.lower() == asked.lower() and own != asked:
            return False
    return ("." + plain(found.whole.entry.fqn)).endswith("".join(f".{name}" for name in names))


def _is_declared(found: Found, _: Written) -> bool:
    return found.member is None or not found.member.implicit


def type_parameters(whole: Whole) -> tuple[str, ...]:
    """Those of a type by their places: what the types around it have comes first, without names."""
    own = whole.primary.declaration.type_parameters
    around = sum(_owner_arities(Found(whole))) if "+" in whole.entry.fqn else 0
    return ("",) * around + own
