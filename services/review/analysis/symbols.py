"""Symbols that a change touches, their callers, and the tests that reach them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from types import MappingProxyType

import msgspec

from services.errors import CodeCortexError
from services.index.index import Index
from services.index.symbols.attributes import attribute_name
from services.index.symbols.test_names import is_among_tests, marks_test, names_tests
from services.model import Grade, Kind, SymbolRef
from services.model.review import Finding, Severity
from services.review.analysis.matrix import MOST_TESTS, Reach, TestMatrix
from services.review.api.compare import ApiChanges, compared
from services.review.api.sides import FileSides
from services.review.api.symbol import name_in_id
from services.review.opened import ChangedFile
from services.syntax.records.declaration import Declaration

_MOST_CALLERS = 50
_MOST_SHOWN = 12
"""Tests, and other users, of a member that a pack shows."""
MOST_PLACES = 12


class Caller(msgspec.Struct):
    """Somebody who uses a symbol. `changed`: whether the change touches that place."""

    symbol: SymbolRef
    path: str
    line: int
    changed: bool


class Code:
    """Looks a change up in the index of its new side. The names of the index have to be worked out (`relate`)."""

    def __init__(
        self, index: Index, files: Sequence[ChangedFile], *, cancel: threading.Event | None = None
    ) -> None:
        self.index = index
        self._files = files
        self._cancel = cancel
        self._touched = {file.path: file.touched for file in files}
        self._callers: dict[tuple[str, bool | None], list[Caller]] = {}
        self._tests: dict[str, bool] = {}

    def changed(self) -> dict[str, SymbolRef]:
        """The members, and types where no member is, that the change touches on the new side, by id."""
        found: dict[str, SymbolRef] = {}
        for file in self._files:
            for ref in self.index.files.enclosing_each(file.path, file.touched) if file.is_code else ():
                found.setdefault(ref.id, ref)
        return found

    def api(self) -> ApiChanges:
        """Return the changes of the public API in the files of the change."""
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
        """Yield findings about the public API, breaking changes first."""
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
        """Yield findings about callers of changed API that the change does not touch."""
        for change in changes.changed:
            symbol = change.after
            if symbol is None:
                continue
            # The ids of a change are of its files alone; the index may have others.
            ref = self.index.files.enclosing(symbol.file, symbol.line, name=name_in_id(symbol.id))
            if ref is None:
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
        alone: dict[str, list[SymbolRef]] = {}
        unknown: list[SymbolRef] = []
        for reach in matrix:
            ref = reach.member
            if reach.tests:
                nearest = sorted(reach.tests, key=lambda path: (len(reach.tests[path]), path))
                several = f"{len(nearest)}{' or more' * (len(nearest) >= MOST_TESTS)} tests reach"
                tests = "1 test reaches" if len(nearest) == 1 else several
                yield Finding(
                    kind="tests", severity=Severity.PRAISE, file=ref.file, line=self._changes_at(ref), symbol=ref.id,
                    text=f"{tests} {ref.path}.", places=tuple(nearest[:MOST_PLACES]),
                )  # fmt: skip
            elif ref.project in self._untested:
                alone.setdefault(ref.project, []).append(ref)
            elif reach.whole:
                text = f"No test reaches {ref.path}, which changed."
                yield Finding(
                    kind="tests", severity=Severity.WARNING, file=ref.file, line=self._changes_at(ref), symbol=ref.id,
                    text=text,
                )  # fmt: skip
            else:
                unknown.append(ref)
        for project, members in alone.items():
            yield _of_members(members, f"No project of tests refers to {project}, of which {{}} changed.")
        if unknown:
            why = "too much leads there. Review the change in parts to know."
            yield _of_members(unknown, f"Whether a test reaches {{}} is not known: {why}")

    def _changes_at(self, ref: SymbolRef) -> int:
        """Return the first line of a member that the change touches, where a comment can be attached."""
        touched = self._touched.get(ref.file, ())
        return min(
            (line for line in touched if ref.start_line <= line <= ref.end_line), default=ref.start_line
        )

    @cached_property
    def _untested(self) -> frozenset[str]:
        """The projects that no project of tests refers to, by itself or through others."""
        numbers = range(len(self.index.catalogue.projects))
        known = {info.path: info for number in numbers if (info := self.index.info(number)) is not None}
        left = [path for path, info in known.items() if names_tests(info.name)]
        met: set[str] = set()
        while left:
            path = left.pop()
            if path in known and path not in met:
                met.add(path)
                left.extend(known[path].references)
        return frozenset(known[path].name for path in known.keys() - met) if met else frozenset()

    def matrix(self) -> list[Reach]:
        """Changed members that no tool wrote, with the tests that reach them, the nearest first."""
        written = {file.path for file in self._files if not file.is_generated}
        members = [
            ref
            for id_, ref in self.changed().items()
            if id_.count("_") >= 2 and ref.file in written and not self.is_test(ref.file)
        ]
        return TestMatrix(self).of(members)

    def uses(
        self,
        id_: str,
        *,
        within: Callable[[str], bool],
        inside: Callable[[Declaration], bool] | None = None,
        most: int,
    ) -> Sequence[tuple[SymbolRef, str]]:
        """Return the uses of a symbol for the test matrix."""
        found = callers_of(self.index, id_, within=within, inside=inside, cancel=self._cancel)
        return [(each.symbol, each.path) for each in islice(found, most)]

    def callers(self, id_: str, *, tests: bool | None = None) -> list[Caller]:
        """Return the bound callers of a symbol, one for each enclosing declaration. `tests`: only those in test
        projects, or only those in others; None for all."""
        key = (id_, tests)
        if key not in self._callers:
            within = None if tests is None else lambda path: self.is_test(path) is tests
            found = callers_of(self.index, id_, touched=self._touched, within=within, cancel=self._cancel)
            self._callers[key] = list(islice(found, _MOST_CALLERS if tests is None else _MOST_SHOWN))
        return self._callers[key]

    def is_test(self, path: str) -> bool:
        """Whether a file is of a project of tests."""
        if path not in self._tests:
            self._tests[path] = self._is_test(path)
        return self._tests[path]

    def is_run(self, ref: SymbolRef) -> bool:
        """Whether a member of a project of tests is a test, or is run with those of its type: its constructor,
        a field, a method with another attribute."""
        found = self.index.resolve(ref.id).one
        if found is None or found.member is None:
            return found is None
        own = found.member.declaration
        if own.kind is Kind.METHOD and not own.attributes:
            return False
        return any(
            marks_test(attribute_name(attribute))
            for each in found.whole.members
            for attribute in each.declaration.attributes
        )

    def _is_test(self, path: str) -> bool:
        types = self.index.files.types_in(path)
        if types:
            catalogue = self.index.catalogue
            return names_tests(catalogue.projects[catalogue.type(types[0]).project])
        return is_among_tests(path)


def _of_members(members: Sequence[SymbolRef], text: str) -> Finding:
    """Combine a message about several members into one finding, located at the first of them."""
    first = members[0]
    named = first.path if len(members) == 1 else f"{len(members)} members"
    return Finding(
        kind="tests", severity=Severity.SUGGESTION, file=first.file, line=first.start_line, symbol=first.id,
        text=text.format(named), places=tuple(f"{each.file}:{each.start_line}" for each in members[:MOST_PLACES]),
    )  # fmt: skip


def callers_of(
    index: Index,
    id_: str,
    *,
    touched: Mapping[str, Collection[int]] = MappingProxyType({}),
    by_line: bool = False,
    nameless: bool = False,
    within: Callable[[str], bool] | None = None,
    inside: Callable[[Declaration], bool] | None = None,
    cancel: threading.Event | None = None,
) -> Iterator[Caller]:
    """Yield the bound uses of a symbol, one for each enclosing declaration, or one for each line. `touched`: the
    lines of each file that the change touches; `within`: accepts files; `inside`: accepts declarations;
    `nameless`: also uses without a name, such as `foreach`."""
    resolution = index.resolve(id_)
    if not resolution.found:
        return
    told: set[tuple[str, str, int]] = set()
    try:
        for file in index.usages(
            resolution.found[0],
            nameless=nameless,
            crefs=False,
            within=within,
            inside=inside,
            cancel=cancel,
        ):
            for spot in file.spots:
                ref = index.files.declared(file.file, spot.declaration)
                if ref is None or spot.grade is Grade.NAME_MATCH:
                    continue
                key = (ref.id, file.path, spot.line if by_line else 0)
                if key in told:
                    continue
                told.add(key)
                yield Caller(ref, file.path, spot.line, spot.line in touched.get(file.path, ()))
    except CodeCortexError as error:
        if error.code == "Cancelled":
            raise
