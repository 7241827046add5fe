"""Members that stand for one another: overrides, and implementations of interfaces."""

from __future__ import annotations

from services.index.binding.types.symbol import Candidate, Symbol
from services.index.binding.types.types import Type, plain
from services.index.binding.types.world import World


class Relations:
    """What is related to one member, the target."""

    def __init__(self, target: Symbol, world: World) -> None:
        self._target = target
        self._world = world
        self._known: dict[Symbol, bool] = {}

    def has(self, symbol: Symbol) -> bool:
        """Whether a member overrides or implements the target, or the target it."""
        known = self._known.get(symbol)
        if known is None:
            known = self._known[symbol] = self._is_related(symbol, self._target) or self._is_related(
                self._target, symbol
            )
        return known

    def _is_related(self, symbol: Symbol, target: Symbol) -> bool:
        """Whether a member overrides another, or implements it."""
        if not _alike(symbol, target):
            return False
        in_interface = self._world.kind(target.owner) == "interface"
        if not in_interface and "override" not in symbol.flags:
            return False
        if in_interface and not self._may_implement(symbol):
            return False
        bases = [base for base in self._world.closure(symbol.owner)[0] if base.fqn == target.owner.fqn]
        return any(self._same_types(symbol, target, base) for base in bases)

    def _may_implement(self, symbol: Symbol) -> bool:
        """Whether a member can implement one of an interface without saying so."""
        is_class = self._world.kind(symbol.owner) != "interface"
        return is_class and not symbol.is_static and symbol.access == "public"

    def _same_types(self, symbol: Symbol, target: Symbol, base: Type) -> bool:
        """Whether the types of a member are the target's, as `base` has them."""
        its = Candidate(target, base, self._world.assigned(base))
        pairs = zip(symbol.parameters, target.parameters, strict=True)
        if not all(p.way == q.way and plain(p.type) == plain(its.type(q.type)) for p, q in pairs):
            return False
        if self._world.kind(base) != "interface":
            return True
        return plain(symbol.returns) == plain(its.returns)


def _alike(symbol: Symbol, target: Symbol) -> bool:
    """Whether two members of different types agree in name, kind and the numbers of their parameters."""
    return (
        symbol.owner.fqn != target.owner.fqn
        and symbol.name == target.name
        and symbol.is_method == target.is_method
        and len(symbol.parameters) == len(target.parameters)
        and symbol.arity == target.arity
    )
