"""Going from place to place: from a name to what it means, and back; each place is read from the workspace before it
counts as visited.

Where one has been, and is: a line of places to go back and forward on.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace
from textual.dom import DOMNode
from textual.message import Message

from services.model import Definition, Kind, Notice, ResolveAnswer, SymbolRef, is_member_id
from services.model.source import is_adt
from workbench.code.opened import Opened, Place, read
from workbench.commands.situation import DIFF
from workbench.ui.jobs import Jobs, lane
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


_KEPT = 100


class Spot(Struct, frozen=True):
    """A place, and where in it one was: the line of the cursor (0: not known) and the view. `jump`: one came to that
    line from another of the same place; `label`, `file`: its name and its file, once it was read."""

    place: str
    line: int = 0
    view: str = ""
    jump: bool = False
    label: str = ""
    file: str = ""


class History(Struct, frozen=True):
    """`spots` in the order they were visited, `at` the one shown; -1 while there is none."""

    spots: tuple[Spot, ...] = ()
    at: int = -1

    @property
    def spot(self) -> Spot | None:
        """The place shown, and where one was in it when it was left."""
        return self.spots[self.at] if self.spots else None

    @property
    def current(self) -> str | None:
        """The place shown."""
        return self.spot.place if self.spot else None

    @property
    def places(self) -> tuple[str, ...]:
        """All of them, in the order they were visited."""
        return tuple(spot.place for spot in self.spots)

    def left_at(self, line: int, view: str) -> History:
        """Return the history with the current position in the place shown."""
        if self.spot is None:
            return self
        spot = replace(self.spot, line=line, view=view)
        return replace(self, spots=(*self.spots[: self.at], spot, *self.spots[self.at + 1 :]))

    @property
    def others(self) -> tuple[Spot, ...]:
        """What was visited, the last first, once each, without the place shown."""
        order = (*self.spots[: self.at + 1][::-1], *self.spots[self.at + 1 :])
        once: dict[tuple[str, int], Spot] = {}
        for spot in order:
            once.setdefault((spot.place, spot.line if spot.jump else 0), spot)
        return tuple(once.values())[1:]

    def called(self, label: str, file: str) -> History:
        """Return the history with the name and the file of the place shown."""
        if self.spot is None:
            return self
        spot = replace(self.spot, label=label, file=file)
        return replace(self, spots=(*self.spots[: self.at], spot, *self.spots[self.at + 1 :]))

    @property
    def can_go_back(self) -> bool:
        """Whether an earlier place exists."""
        return self.at > 0

    @property
    def can_go_forward(self) -> bool:
        """Whether going back can be undone."""
        return self.at < len(self.spots) - 1

    def visit(self, place: str) -> History:
        """At `place`; what was ahead is forgotten. The same place twice is one, unless it was left for a diff, which
        can be come back to."""
        spot = self.spot
        if spot and place == spot.place and spot.view != DIFF:
            return self
        spots = (*self.spots[: self.at + 1], Spot(place))[-_KEPT:]
        return History(spots, len(spots) - 1)

    def jumped(self, before: int, after: int, view: str) -> History:
        """Return the history with the same place, left at line `before` for line `after` of it. Going back from
        several jumps leads to the place before the first."""
        spot = self.spot
        if spot is None:
            return self
        kept = self.spots[: self.at]
        if not (spot.jump and spot.line == before):
            kept = (*kept, replace(spot, line=before, view=view))
        spots = (*kept, replace(spot, line=after, view=view, jump=True))[-_KEPT:]
        return History(spots, len(spots) - 1)

    def step(self, places: int) -> History:
        """So many places on, -1 for back; no further than there are."""
        return replace(self, at=min(max(self.at + places, min(0, len(self.spots) - 1)), len(self.spots) - 1))


class Arrival(Struct, frozen=True):
    """Arrival at a place. `spot`: the position to return to in it; `column`: in its line; `reloaded`: the same place
    was read again from disk; `preview`: it is only shown while the cursor of a list is on it."""

    opened: Opened
    spot: Spot | None = None
    column: int | None = None
    reloaded: bool = False
    preview: bool = False


class Visits:
    """Reads places with the jobs of a node. `here` answers the line and the view that one is about to leave;
    `arrived` shows what was read."""

    def __init__(
        self, jobs: Jobs, *, here: Callable[[], tuple[int, str]], arrived: Callable[[Arrival], None]
    ) -> None:
        self._jobs = jobs
        self._here = here
        self._arrived = arrived
        self.bench: Bench | None = None
        self.history = History()
        self._looking = False
        """Whether what is on its way is a preview."""
        self._ahead: dict[str, Future[Opened]] = {}
        """What is read of the place under the cursor of a list, at most one."""
        self.previewed = ""
        """The place that is shown while the cursor of a list is on it; empty where what is shown was opened."""

    @property
    def is_going(self) -> bool:
        """Whether a place is on its way to be opened."""
        return self._jobs.is_running("open") and not self._looking

    @property
    def are_none(self) -> bool:
        """Whether nothing is shown, and nothing on its way to be."""
        return self.history.spot is None and not self._jobs.is_running("open")

    def go(
        self,
        place: str,
        *,
        quiet: bool = False,
        column: int | None = None,
        view: str = "",
    ) -> None:
        """To a symbol's id, `file:line` or `file:start-end`. `quiet`: it may have gone since, and then nothing is
        said; `view`: the one it is shown in."""
        spot = Spot(place, view=view) if view else None
        self._read(self._left.visit(place), spot, quiet=quiet, column=column)

    def preview(self, place: str, *, column: int | None = None) -> None:
        """Show a place without a visit; a vanished one is ignored. During a navigation nothing is previewed."""
        bench = self.bench
        if bench is None or self.is_going:
            return
        left, self._looking = self._left, True
        ahead = self._ahead.pop(place, None)
        call = ahead.result if ahead is not None else lambda: read(bench, Place.parse(place), again=True)

        def arrived(opened: Opened) -> None:
            self.history, self.previewed, self._looking = left, place, False
            self._arrived(Arrival(opened, column=column, preview=True))

        def failed(_: Exception) -> None:
            self._looking = False

        self._jobs.run("open", call, arrived, failed=failed)

    def read_ahead(self, place: str) -> None:
        """Begin to read a place that is previewed once the cursor rests; of a system, which may be slow, later."""
        for waiting in self._ahead.values():
            waiting.cancel()
        self._ahead.clear()
        bench = self.bench
        if bench is not None and not self.is_going and not is_adt(place):
            self._ahead[place] = lane("previews").submit(lambda: read(bench, Place.parse(place), again=True))

    def put_back(self) -> bool:
        """Show again what was open before the preview; answer whether anything was."""
        self.cancel_preview()
        self.previewed = ""
        self._read(self.history, self.history.spot, quiet=True, reloaded=True)
        return self.history.spot is not None

    def cancel_preview(self) -> None:
        """Show no preview that is still being read."""
        if self._looking:
            self._looking = False
            self._jobs.drop("open")

    def step(self, places: int) -> None:
        """Back (-1) or forward (1), to where in the place one was."""
        there = self._left.step(places)
        self._read(there, there.spot)

    def reload(self) -> None:
        """Read the place shown again, if there is one. It may have gone: then nothing changes. Where one is on the way
        to another place that is read again, once one is there. A preview stays in front of it."""
        self._jobs.after("open", self._read_again)

    def _read_again(self) -> None:
        if self.previewed:
            self.preview(self.previewed)
        else:
            self._read(self.history, quiet=True, reloaded=True)

    @property
    def _left(self) -> History:
        """The history, knowing where one is about to leave; that is known already where a preview is shown."""
        return self.history if self.previewed else self.history.left_at(*self._here())

    def _read(
        self,
        history: History,
        spot: Spot | None = None,
        *,
        quiet: bool = False,
        column: int | None = None,
        reloaded: bool = False,
    ) -> None:
        bench, place = self.bench, history.current
        if bench is None or place is None:
            return
        self._looking = False

        def arrived(opened: Opened) -> None:
            self.history, self.previewed = history.called(opened.path, opened.source.file), ""
            self._arrived(Arrival(opened, spot, column, reloaded))

        failed: Callable[[Exception], None] | None = (lambda _: None) if quiet else None
        self._jobs.run(
            "open", lambda: read(bench, Place.parse(place), again=reloaded), arrived, failed=failed
        )
