"""From a name to what it means: under the cursor, in an outline, up from a member to its type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.dom import DOMNode
from textual.message import Message

from services.model import Definition, Kind, Notice, ResolveAnswer, SymbolRef, is_member_id
from workbench.ui.jobs import Jobs
from workbench.ui.messages import Tell

if TYPE_CHECKING:
    from services.bench import Bench


class Definitions:
    """Looks names up with the jobs of a node, which hears by message what came of it."""

    class Found(Message):
        """The name means what is at this place: open it."""

        def __init__(self, place: str) -> None:
            super().__init__()
            self.place = place

    class Ambiguous(Message):
        """A name may mean several symbols: one has to be picked. The definition has the reason for the ambiguity."""

        def __init__(self, definition: Definition) -> None:
            super().__init__()
            self.definition = definition

    def __init__(self, owner: DOMNode, jobs: Jobs) -> None:
        self._owner = owner
        self._jobs = jobs
        self.bench: Bench | None = None

    def at(self, file: str, line: int, column: int) -> None:
        """Look up the name at a place in a file: lines from 1, columns from 0."""
        if bench := self.bench:
            self._jobs.run(
                "definition",
                lambda: bench.places.definition(file, line, column),
                lambda found: self._say(_outcome(found, file, line)),
            )

    def named(self, target: str) -> None:
        """Look up a name as people write it, or an id."""
        if bench := self.bench:
            self._jobs.run(
                "follow", lambda: bench.lookup.resolve(target), lambda answer: self._say(_meant(answer))
            )

    def above(self, symbol: SymbolRef) -> None:
        """The type of a member, or what encloses a type; a type of the global namespace has nothing above it."""
        if is_member_id(symbol.id):
            self._say(self.Found(symbol.id.rpartition("_")[0]))
        elif symbol.container:
            self.named(symbol.container)

    def _say(self, message: Message) -> None:
        self._owner.post_message(message)


def _outcome(found: Definition, file: str, line: int) -> Message:
    """Return the message for the definition of a name on `line` of `file`."""
    if found.certain and found.line is not None:
        return Definitions.Found(f"{file}:{found.line}")
    if not found.symbols:
        return _told(found.reason or "There is no name under the cursor.")
    symbol, *others = found.symbols
    if others and not found.certain:
        return Definitions.Ambiguous(found)
    if (symbol.file, symbol.start_line) == (file, line):
        return _told(f"This is the declaration of {symbol.label}.", "u shows where it is used.")
    return Definitions.Found(symbol.id)


def _meant(answer: ResolveAnswer) -> Message:
    """Return the message for a name that was followed."""
    if answer.symbol is not None and answer.symbol.kind is Kind.NAMESPACE:
        return _told(f"{answer.symbol.path} is a namespace.")
    if answer.symbol is not None:
        return Definitions.Found(answer.symbol.id)
    if answer.candidates:
        reason = f"{answer.query} may be one of several."
        return Definitions.Ambiguous(Definition(name=answer.query, symbols=answer.candidates, reason=reason))
    return _told(f"{answer.query} is not declared in this workspace.")


def _told(message: str, what_to_do: str = "") -> Tell:
    return Tell(Notice(severity="information", message=message, what_to_do=what_to_do))
