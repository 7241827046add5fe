"""Answer to a question without a model: relevant locations, reasons, and connections."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from itertools import pairwise
from typing import TypeVar

import msgspec

from services.bench.queries.sources import Grep
from services.bench.window.context import ContextFinder, ContextRequest
from services.concurrency.cancellation import until
from services.context.packing import connections
from services.context.structure import Structure
from services.context.words import STOP_WORDS, humps, identifiers
from services.index.index import Index
from services.index.symbols.describe import Placed
from services.model import (
    Conclusion,
    Context,
    ContextItem,
    Evidence,
    GrepAnswer,
    Kind,
    Link,
    Progress,
)
from services.workspace.state import StateFolder

T = TypeVar("T")

_PLACES = 10
_LINKED = 6
_MOST_LINKS = 8
_MOST_LINES = 12
_MOST_MEMBERS = 40
_MATCHES = 200
_LEAST_LETTERS = 4
_NAMELESS = frozenset({Kind.INDEXER, Kind.OPERATOR, Kind.CONVERSION})
_MAKES = re.compile(r"\b(?:new|base|this)\s*\(")
_CANCELLED = "The question was cancelled."
_HEAD = "Found by the program alone, from names, text, structure and history; nobody has judged it."


class _Steps:
    """Phase of the work, with progress for each step."""

    def __init__(
        self, phase: str, report: Callable[[Progress], None] | None, cancel: threading.Event | None
    ) -> None:
        self._phase = phase
        self._report = report
        self._cancel = cancel

    def __call__(self, steps: Sequence[T]) -> Iterator[T]:
        """Yield the steps, reporting each before it is done. Raises Cancelled."""
        for done, step in enumerate(until(self._cancel, steps, message=_CANCELLED)):
            if self._report is not None:
                self._report(Progress(phase=self._phase, done=done, total=len(steps), unit="steps"))
            yield step


class Investigation:
    """Thread-safe."""

    def __init__(
        self,
        index: Index,
        finder: ContextFinder,
        *,
        grep: Callable[[Grep], GrepAnswer],
        pin: Callable[[Sequence[ContextItem]], object],
        state: StateFolder,
    ) -> None:
        """`pin`: pins items as they are offered."""
        self._index = index
        self._finder = finder
        self._grep = grep
        self._pin = pin
        self._state = state

    def conclude(
        self,
        asked: ContextRequest,
        *,
        pin: bool = False,
        report: Callable[[Progress], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> Conclusion:
        """Return the findings about a question, written to a file too. Raises as ContextFinder.find; BudgetExceeded
        where pins take too much; ReadOnly."""
        found = self._finder.find(asked, report=report, cancel=cancel)
        items = found.items[:_PLACES]
        with self._index.reading():
            structure = self._finder.structure()
            links = tuple(self._links(structure, items, _Steps("Searching call paths", report, cancel)))
        steps = _Steps("Searching lines", report, cancel)
        evidence = tuple(self._evidence(asked.words, items, steps))
        told = Conclusion(
            question=asked.words, items=items, links=links, evidence=evidence, commits=found.commits
        )
        about = "\0".join((asked.words, *asked.within))
        name = f"ops/static-{sha256(about.encode()).hexdigest()[:12]}.md"
        text = written(told, found, asked.within)
        self._state.write(name, text.encode())
        self._state.shared.record(name, text.encode())
        if pin:
            self._pin(items)
        return msgspec.structs.replace(told, text=text, file=str(self._state.path(name)))

    def _links(self, structure: Structure, items: Sequence[ContextItem], steps: _Steps) -> Iterator[Link]:
        """How the first of them hang together: a way along which each names the next, by member where that is known."""
        at = self._index.identities.find
        units = [unit for item in items[:_LINKED] if (unit := at(item.symbol.id)) is not None]
        found = connections(units, structure.used)[:_MOST_LINKS]
        pairs = dict.fromkeys(pair for way in found for pair in pairwise(way))
        calls = {pair: self._call(structure, *pair) for pair in steps(list(pairs))}
        for way in found:
            names = [structure.units[unit].name for unit in way]
            yield Link(
                types=tuple(names), calls=tuple(told for pair in pairwise(way) if (told := calls[pair]))
            )

    def _call(self, structure: Structure, one: int, other: int) -> str:
        """`A.Foo → B.Bar` where a body of one type uses a member of the other; empty where none is known to."""
        whole = self._index.describer.whole(one)
        members = [m for m in whole.members if not m.implicit] if whole is not None else []
        names = self._declared_names(other)
        for member in members[:_MOST_MEMBERS]:
            declaration = member.declaration
            if not self._may_use(member, names):
                continue
            used = self._index.files.mentions_in_declaration(member.file, member.at).members
            for file, at in used:
                ref = self._index.files.declared(file, at)
                owner = (
                    self._index.identities.find("_".join(ref.id.split("_")[:2])) if ref is not None else None
                )
                if ref is not None and owner is not None and structure.unit_of.get(owner) == other:
                    return f"{structure.units[one].name}.{declaration.name} → {_short(ref.path)}"
        return ""

    def _declared_names(self, unit: int) -> frozenset[str]:
        """The names by which a body can use a type's members, more than these among them; none where it may need
        none: what the language finds by an operator or an index."""
        whole = self._index.describer.whole(unit)
        files = dict.fromkeys(part.file for part in whole.parts) if whole is not None else ()
        every = [
            d for file in files if (record := self._index.records.record(file)) for d in record.declarations
        ]
        if any(declaration.kind in _NAMELESS for declaration in every):
            return frozenset()
        return frozenset(name for declaration in every for name in identifiers(declaration.name))

    def _may_use(self, member: Placed, names: frozenset[str]) -> bool:
        """Whether the source of a member with a body has one of these names, or makes what it does not name: far
        quicker told than what it means."""
        declaration = member.declaration
        has_body = declaration.body[1] > declaration.body[0]
        text = self._index.records.text(member.file) if has_body else None
        if text is None:
            return False
        source = text[declaration.start : declaration.end].decode("utf-8", "replace")
        named = not names or not names.isdisjoint(identifiers(source))
        return named or _MAKES.search(source) is not None

    def _evidence(self, words: str, items: Sequence[ContextItem], steps: _Steps) -> Iterator[Evidence]:
        """Lines of the places found that have a name of the question, the rarest first."""
        files = {item.symbol.file for item in items}
        names = [name for name in dict.fromkeys(identifiers(words)) if _tells(name)]
        left = _MOST_LINES
        for name in steps(sorted(names, key=lambda name: (-len(humps(name)), -len(name)))):
            answer = self._grep(
                Grep(pattern=name, case_insensitive=True, most=_MATCHES, literal=True, word=True)
            )
            for match in answer.matches:
                if match.file in files and left:
                    left -= 1
                    yield Evidence(path=match.file, line=match.line_number, text=match.content.strip()[:200])
            if not left:
                return


def _short(path: str) -> str:
    """A member's path from its type on."""
    return ".".join(path.rsplit(".", 2)[-2:])


def _tells(name: str) -> bool:
    return len(name) >= _LEAST_LETTERS and name.lower() not in STOP_WORDS


def written(told: Conclusion, found: Context, within: Sequence[str] = ()) -> str:
    """A conclusion as Markdown. `within`: what the question was limited to."""
    title = told.question.strip().partition("\n")[0][:200]
    scope = ["", f"Looked at: {', '.join(f'`{path}`' for path in within)}."] if within else []
    rows = [f"# {title}", "", f"**Static.** {_HEAD}", *scope, "", "## Places", ""]
    if not told.items:
        rows.append("Nothing was found." if not within else "Nothing was found there.")
    for item in told.items:
        where = f"{item.symbol.file}:{item.symbol.start_line}"
        rows.append(f"- `{item.symbol.path}` ({where}): {'; '.join(item.reasons)}")
    if told.links:
        rows += ["", "## How they hang together", ""]
        rows += [f"- {' → '.join(f'`{name}`' for name in link.types)}{_calls(link)}" for link in told.links]
    if told.evidence:
        rows += ["", "## Lines", ""]
        rows += [f"- `{each.path}:{each.line}` `{each.text.replace('`', chr(39))}`" for each in told.evidence]
    frames = [place for place in found.places if place.kind == "frame" and place.symbol is not None]
    if frames:
        rows += ["", "## Frames", ""]
        rows += [f"- `{place.symbol.path}` ({place.path}:{place.line})" for place in frames if place.symbol]
    rows += ["", f"{told.commits} commits were asked.", ""]
    return "\n".join(rows)


def _calls(link: Link) -> str:
    return f": {', '.join(link.calls)}" if link.calls else ""
