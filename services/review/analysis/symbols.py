"""What of the code a change touches, who calls it, and which tests reach it."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from services.errors import CodeCortexError
from services.index.index import Index
from services.model import Grade, SymbolRef
from services.model.review import Finding, Severity
from services.review.analysis.change import ChangedFile
from services.review.api.compare import ApiChanges, compared
from services.review.api.sides import FileSides
from services.source.read.objects import TEST_PROJECT

_MOST_CALLERS = 50
_DEEPEST = 3
"""Calls between a test and what it reaches."""
_MOST_SEARCHES = 120
MOST_PLACES = 12


@dataclass(slots=True)
class Caller:
    """Somebody who uses a symbol. `changed`: whether the change touches that place."""

    symbol: SymbolRef
    path: str
    line: int
    changed: bool


@dataclass(slots=True)
class Reach:
    """The tests that reach a changed member. `steps`: calls between, by the path of the test."""

    member: SymbolRef
    tests: dict[str, int] = field(default_factory=dict)


class Code:
    """Looks a change up in the index of its new side. The names of the index have to be worked out (`relate`)."""

    def __init__(
        self, index: Index, files: Sequence[ChangedFile], *, cancel: threading.Event | None = None
    ) -> None:
        self.index = index
        self._files = files
        self._cancel = cancel
        self._touched = {file.path: file.touched for file in files}
        self._callers: dict[str, list[Caller]] = {}

    def changed(self) -> dict[str, SymbolRef]:
        """The members, and types where no member is, that the change touches on the new side, by id."""
        found: dict[str, SymbolRef] = {}
        for file in self._files:
            for line in sorted(file.touched) if file.is_code else ():
                ref = self.index.enclosing(file.path, line)
                if ref is not None:
                    found.setdefault(ref.id, ref)
        return found

    def api(self) -> ApiChanges:
        """What changed of the public API in the files of the change."""
        sides = FileSides(self.index)
        old: dict[str, object] = {}
        new: dict[str, object] = {}
        for file in self._files:
            if file.is_code and not self.is_test(file.path):
                path = file.change.old_path or file.path
                old |= sides.symbols(path, file.old, known_as=file.path)
                new |= sides.symbols(file.path, file.new)
        return compared(old, new, name="it")  # pyright: ignore[reportArgumentType]

    def api_findings(self, changes: ApiChanges) -> Iterator[Finding]:
        """What changed of the public API, what breaks first."""
        broken = {each.id for each in changes.breaking}
        told = {change.id: change for change in (*changes.changed, *changes.added, *changes.removed)}
        for each in changes.breaking:
            change = told.get(each.id)
            symbol = (change.after or change.before) if change is not None else None
            yield Finding(
                kind="api", severity=Severity.BLOCKER, file=symbol.file if symbol is not None else "",
                line=change.after.line if change is not None and change.after is not None else None,
                code=each.code, symbol=each.id, text=f"Breaking ({each.code}): {each.sentence}.",
            )  # fmt: skip
        for change in (*changes.changed, *changes.removed, *changes.added):
            symbol = change.after or change.before
            if change.id in broken or symbol is None or symbol.implicit:
                continue
            words = symbol.signature if change.way != "changed" or change.before is None else (
                f"{change.before.signature} is now {symbol.signature}")  # fmt: skip
            yield Finding(
                kind="api", severity=Severity.SUGGESTION, file=symbol.file,
                line=symbol.line if change.after is not None else None, symbol=change.id,
                text=f"Public API {change.way}: {words}.",
            )  # fmt: skip

    def caller_findings(self, changes: ApiChanges) -> Iterator[Finding]:
        """Who uses what changed in the API and did not change with it."""
        for change in changes.changed:
            symbol = change.after
            ref = self.index.enclosing(symbol.file, symbol.line) if symbol is not None else None
            if symbol is None or ref is None:
                continue
            callers = self.callers(ref.id)
            left = [each for each in callers if not each.changed]
            if left:
                places = tuple(dict.fromkeys(f"{each.path}:{each.line}" for each in left))
                text = f"{symbol.named} changed; {len(left)} of {len(callers)} uses of it did not change with it."
                yield Finding(
                    kind="callers", severity=Severity.WARNING, file=symbol.file, line=symbol.line, symbol=change.id,
                    text=text, places=places[:MOST_PLACES],
                )  # fmt: skip

    def test_findings(self, matrix: Iterable[Reach]) -> Iterator[Finding]:
        """Changed members that no test reaches, and for others the tests that do."""
        for reach in matrix:
            ref = reach.member
            if not reach.tests:
                text = f"No test reaches {ref.path}, which changed."
                yield Finding(
                    kind="tests", severity=Severity.WARNING, file=ref.file, line=ref.start_line, symbol=ref.id,
                    text=text,
                )  # fmt: skip
                continue
            nearest = sorted(reach.tests, key=lambda path: (reach.tests[path], path))
            text = f"{len(nearest)} tests reach {ref.path}."
            yield Finding(
                kind="tests", severity=Severity.PRAISE, file=ref.file, line=ref.start_line, symbol=ref.id, text=text,
                places=tuple(nearest[:MOST_PLACES]),
            )  # fmt: skip

    def matrix(self) -> list[Reach]:
        """Changed members with the tests that reach them through uses, the nearest first."""
        budget = _MOST_SEARCHES
        found: list[Reach] = []
        for id_, ref in self.changed().items():
            if id_.count("_") < 2 or self.is_test(ref.file):
                continue
            reach = Reach(ref)
            seen, level = {id_}, [id_]
            for step in range(_DEEPEST):
                following: list[str] = []
                for at in level:
                    if budget <= 0:
                        break
                    budget -= at not in self._callers
                    for caller in self.callers(at):
                        if self.is_test(caller.path):
                            reach.tests.setdefault(caller.symbol.path, step)
                        elif caller.symbol.id not in seen:
                            seen.add(caller.symbol.id)
                            following.append(caller.symbol.id)
                level = following if not reach.tests else []
            found.append(reach)
        return found

    def callers(self, id_: str) -> list[Caller]:
        """Who uses a symbol, one for each place around it; bound uses alone."""
        if id_ not in self._callers:
            found = callers_of(self.index, id_, touched=self._touched, cancel=self._cancel)
            self._callers[id_] = list(found)
        return self._callers[id_]

    def is_test(self, path: str) -> bool:
        """Whether a file is of a project of tests."""
        types = self.index.types_in(path)
        if types:
            catalogue = self.index.catalogue
            return TEST_PROJECT.search(catalogue.projects[catalogue.type(types[0]).project]) is not None
        return any(TEST_PROJECT.search(step) for step in path.split("/"))


def callers_of(
    index: Index,
    id_: str,
    *,
    touched: Mapping[str, Collection[int]] = MappingProxyType({}),
    by_line: bool = False,
    cancel: threading.Event | None = None,
) -> Iterator[Caller]:
    """Who uses a symbol, one for each place around it, or for each line; bound uses alone. `touched`: the lines of each
    file that the change touches."""
    resolution = index.resolve(id_)
    if not resolution.found:
        return
    told: set[tuple[str, str, int]] = set()
    try:
        for file in index.usages(resolution.found[0], cancel=cancel):
            for spot in file.spots:
                ref = index.declared(file.file, spot.declaration)
                if ref is None or spot.grade is Grade.NAME_MATCH:
                    continue
                key = (ref.id, file.path, spot.line if by_line else 0)
                if key in told:
                    continue
                told.add(key)
                yield Caller(ref, file.path, spot.line, spot.line in touched.get(file.path, ()))
                if len(told) >= _MOST_CALLERS:
                    return
    except CodeCortexError as error:
        if error.code == "Cancelled":
            raise
