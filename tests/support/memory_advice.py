"""Packs and advice of a workspace in memory: one of each value, with text that a terminal must not act on."""

from __future__ import annotations

from services.model import (
    Completeness,
    Context,
    ContextItem,
    FoundPlace,
    Kind,
    Level,
    Missing,
    Omitted,
    Pack,
    PackInfo,
    PackType,
    Suggestion,
    Suggestions,
    SymbolRef,
    Unneeded,
)

_TREE = SymbolRef(
    id="T_00000001",
    kind=Kind.CLASS,
    label="Tree",
    path="Orchard.\x1b[31mTree",
    container="Orchard",
    file="Tree\x1b.cs",
    start_line=1,
    end_line=4,
    project="Orchard",
    access="public",
)
_INFO = PackInfo(name="a", filter="type:\x1b[31m", types=1, tokens=10, budget=100, active=True)


class MemoryPacks:
    """Store of one pack."""

    def build(self, name: str, **_: object) -> Pack:
        """A pack of one type, with one left out and one gone."""
        return Pack(
            name=name,
            filter="type:Tree",
            text="# Pack \x1b[31m\n",
            tokens=10,
            budget=100,
            tokenizer="o200k_base",
            types=(
                PackType(id="T_00000001", name="\x1b[31mTree", level=Level.OUTLINE, tokens=9, chosen=False),
            ),
            omitted=(Omitted(key="type:T_00000002", label="Leaf", tokens=500, reason="It does not fit."),),
            gone=("\x1b[31mBranch",),
        )

    def all(self) -> tuple[PackInfo, ...]:
        """That pack, and one that is damaged."""
        return _INFO, PackInfo(
            name="b", filter="", types=0, tokens=0, budget=0, problem="It is\x1b[31m damaged."
        )

    def activate(self, name: str, *, active: bool) -> PackInfo:
        """That pack."""
        return _INFO

    def delete(self, name: str) -> None:
        """Nothing happens."""


class MemoryAdvice:
    """Advice with one type that is missing, related and not needed."""

    def completeness(self, **_: object) -> Completeness:
        """Return the advice after one pin."""
        missing = Missing(symbol=_TREE, named=1, used=2, signature=9, outline=99, suggested=Level.OUTLINE)
        return Completeness(
            referred=2,
            shown=1,
            types=2,
            types_shown=1,
            missing=(missing,),
            unneeded=(Unneeded(key="type:T_00000002", label="\x1b[31mLeaf", tokens=7, refers=0),),
            room=1_000,
            suggested_tokens=99,
            added=("type:T_00000003",),
        )

    def suggestions(self, **_: object) -> Suggestions:
        """Return one suggestion."""
        suggestion = Suggestion(symbol=_TREE, score=1.0, reason="used by \x1b[31mLeaf")
        return Suggestions(suggestions=(suggestion,), basis=1, elapsed_ms=1.0)


class MemoryContext:
    """Context with one type that is needed, and a frame outside the workspace."""

    def prepare(self, **_: object) -> None:
        """Nothing happens."""

    def find(self, *_: object, **__: object) -> Context:
        """Return the one context."""
        item = ContextItem(
            symbol=_TREE,
            level=Level.OUTLINE,
            cost=99,
            score=1.0,
            reasons=("names \x1b[31mLeaf", "has 'leaf'"),
        )
        place = FoundPlace(text="at \x1b[31mLeaf.Fall()", kind="frame")
        return Context(items=(item,), tokens=99, budget=8_000, places=(place,), commits=3, complete=False)
