"""What is known of a framework type's members: enough to say what type an expression has."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from services.index.framework.facts import open_name
from services.model import Kind

UNKNOWN = "?"


@dataclass(frozen=True, slots=True)
class MemberFact:
    """One public or protected member.

    `kind`: method, property, indexer or field; `type`: its type or what it returns, as `facts.py` writes types,
    where `!!0` is the method's own first type parameter; `receiver`: the type an extension method extends."""

    name: str
    kind: Kind
    is_static: bool
    type: str
    receiver: str | None = None


def exact_first(facts: Iterable[MemberFact]) -> tuple[MemberFact, ...]:
    """Without doubles, and without each inexact fact that an exact one of the same member says better."""
    groups: dict[tuple[str, Kind, bool], dict[MemberFact, None]] = {}
    for fact in facts:
        groups.setdefault((fact.name, fact.kind, fact.is_static), {})[fact] = None
    chosen: list[MemberFact] = []
    for group in groups.values():
        exact = [fact for fact in group if _is_exact(fact)]
        vague = [fact for fact in group if not _is_exact(fact)]
        chosen += exact
        chosen += (fact for fact in vague if not any(_says_better(other, fact) for other in exact))
    return tuple(chosen)


def _is_exact(fact: MemberFact) -> bool:
    return UNKNOWN not in fact.type + (fact.receiver or "")


def _says_better(exact: MemberFact, vague: MemberFact) -> bool:
    pairs = ((exact.type, vague.type), (exact.receiver or "", vague.receiver or ""))
    return all(loose == UNKNOWN or open_name(firm) == open_name(loose) for firm, loose in pairs)
