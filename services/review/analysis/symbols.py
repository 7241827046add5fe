"""Symbols that a change touches, their callers, and the tests that reach them."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
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
    """The tests that reach a changed member. `tests`: calls between, by the path of the test; `whole`: whether all that
    uses it was looked for, without which no tests says nothing."""

    member: SymbolRef
    tests: dict[str, int] = field(default_factory=dict)
    whole: bool = True


@dataclass(slots=True)
class _Front:
    """How far the search for the tests of a member has come. `seen`: ids of what was met; `level`: of those whose users
    are looked for next."""

    reach: Reach
    seen: set[str]
    level: list[str]


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

    def test_findings(self, matrix: Sequence[Reach]) -> Iterator[Finding]:
        """Changed members that no test reaches, and for others the tests that do."""
        for reach in matrix:
            ref = reach.member
            if reach.tests:
                nearest = sorted(reach.tests, key=lambda path: (reach.tests[path], path))
                tests = "1 test reaches" if len(nearest) == 1 else f"{len(nearest)} tests reach"
                yield Finding(
                    kind="tests", severity=Severity.PRAISE, file=ref.file, line=ref.start_line, symbol=ref.id,
                    text=f"{tests} {ref.path}.", places=tuple(nearest[:MOST_PLACES]),
                )  # fmt: skip
            elif reach.whole:
                text = f"No test reaches {ref.path}, which changed."
                yield Finding(
                    kind="tests", severity=Severity.WARNING, file=ref.file, line=ref.start_line, symbol=ref.id,
                    text=text,
                )  # fmt: skip
        yield from _unknown([reach.member for reach in matrix if not reach.tests and not reach.whole])

    def matrix(self) -> list[Reach]:
        """Changed members with the tests that reach them through uses, the nearest first. What uses each of them is
        looked for before what uses its users is, so that a change with many members leaves out the far tests first."""
        fronts = [
            _Front(Reach(ref), {id_}, [id_])
            for id_, ref in self.changed().items()
            if id_.count("_") >= 2 and not self.is_test(ref.file)
        ]
        searches = _MOST_SEARCHES
        for step in range(_DEEPEST):
            for front in fronts:
                if not front.reach.tests:
                    searches -= self._advance(front, step, searches)
        return [front.reach for front in fronts]

    def _advance(self, front: _Front, step: int, most: int) -> int:
        """Goes from those that use a member to those that use these; how many searches it took, of `most`."""
        took, following = 0, list[str]()
        for at in front.level:
            is_new = at not in self._callers
            if is_new and took >= most:
                front.reach.whole = False
                continue
            took += is_new
            for caller in self.callers(at):
                if self.is_test(caller.path):
                    front.reach.tests.setdefault(caller.symbol.path, step)
                elif caller.symbol.id not in front.seen:
                    front.seen.add(caller.symbol.id)
                    following.append(caller.symbol.id)
        front.level = following
        return took

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


def _unknown(members: Sequence[SymbolRef]) -> Iterator[Finding]:
    """That the tests of some members were not all looked for."""
    if members:
        first = members[0]
        text = (
            f"Whether a test reaches {len(members)} more changed members is not known: the change touches too many. "
            "Review it in parts to know."
        )
        yield Finding(
            kind="tests", severity=Severity.SUGGESTION, file=first.file, line=first.start_line, symbol=first.id,
            text=text, places=tuple(f"{each.file}:{each.start_line}" for each in members[:MOST_PLACES]),
        )  # fmt: skip


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
