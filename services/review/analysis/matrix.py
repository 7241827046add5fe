"""Which tests reach the members that a change touches: through uses, from the member back to the tests.

A body is bound only where that may tell something: what no test names, no test calls.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Protocol

import msgspec

from services.index.index import Index
from services.index.symbols.test_names import TEST_ATTRIBUTES
from services.model import Kind, SymbolRef
from services.syntax.records.declaration import Declaration

MOST_TESTS = 25
"""Tests of a member beyond which no others are looked for."""
_MOST_USERS = 20
"""Users of a member whose tests are looked for where it has none itself."""
_DEEPEST = 8
"""Calls between a test and what it reaches."""
_MOST_SEARCHES = 400
"""Members whose users are looked for in a change, where no test uses them themselves."""
_HELPERS = 4
"""Calls between a test and what it reaches through helpers of tests, itself included."""
_ARGUMENTS = re.compile(r"<[^<>]*>")
_WORD = re.compile(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*")
_NAMED = frozenset({Kind.METHOD, Kind.PROPERTY, Kind.FIELD, Kind.EVENT, Kind.CONSTANT, Kind.ENUM_MEMBER})
"""Kinds of members that are used by their own name alone."""

Use = tuple[SymbolRef, str]
"""Who uses something, and the file that they stand in."""


class Uses(Protocol):
    """Answers who uses what."""

    index: Index

    def is_test(self, path: str) -> bool:
        """Whether a file is of a project of tests."""
        ...

    def is_run(self, ref: SymbolRef) -> bool:
        """Whether a member of such a project is a test, or is run with the tests of its type, and no helper of
        tests."""
        ...

    def uses(
        self,
        id_: str,
        *,
        within: Callable[[str], bool],
        inside: Callable[[Declaration], bool] | None = None,
        most: int,
    ) -> Sequence[Use]:
        """Return at most `most` bound uses of a symbol in the files that `within` accepts and the declarations that
        `inside` accepts."""
        ...


class Reach(msgspec.Struct):
    """The tests that reach a changed member. `tests`: the members that are called on the way, the test's own callee
    first, by the path of the test, at most so many as are looked for; `whole`: whether all that leads to it was looked
    for, without which no tests says nothing."""

    member: SymbolRef
    tests: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    whole: bool = True


class _Front(msgspec.Struct):
    """How far the search for the tests of a member has come. `ways`: the members between each symbol that was met and
    the member, itself included, by id; `level`: ids of those whose users are looked for next."""

    reach: Reach
    ways: dict[str, tuple[str, ...]]
    level: list[str]


class TestMatrix:
    """Changed members × tests."""

    __test__ = False

    def __init__(self, uses: Uses) -> None:
        self._uses = uses
        self._tests: dict[str, Mapping[str, tuple[str, ...]]] = {}
        self._users: dict[str, Sequence[Use]] = {}
        self._searches = _MOST_SEARCHES

    def of(self, members: Sequence[SymbolRef]) -> list[Reach]:
        """Each member with the tests that reach it, the nearest first. Where no test uses a member itself, the tests of
        what uses it are looked for, and so on."""
        fronts = [_Front(Reach(ref), {ref.id: ()}, [ref.id]) for ref in members]
        for step in range(_DEEPEST):
            for front in fronts:
                if front.reach.tests:
                    continue
                if step:
                    self._advance(front)
                if not step and not self._may_be_named(front.reach.member):
                    continue
                for id_ in front.level:
                    left = MOST_TESTS - len(front.reach.tests)
                    for test, way in islice(self._tests_of(id_).items(), left):
                        front.reach.tests.setdefault(test, (*way, *front.ways[id_]))
        for front in fronts:
            front.reach.whole = front.reach.whole and (bool(front.reach.tests) or not front.level)
        return [front.reach for front in fronts]

    def _advance(self, front: _Front) -> None:
        """Advance from members to their users along edges that may lead back to a test."""
        following: list[str] = []
        for id_ in front.level:
            if id_ not in self._users and not self._searches:
                front.reach.whole = False
                continue
            users = self._users_of(id_)
            front.reach.whole = front.reach.whole and len(users) < _MOST_USERS
            for user, _ in users:
                if user.id not in front.ways:
                    front.ways[user.id] = (user.path, *front.ways[id_])
                    following.append(user.id)
        front.level = following

    def _may_be_named(self, member: SymbolRef) -> bool:
        """Whether a test may use the member directly: a test file contains its name, or it is used without a name."""
        name = _own_name(member.label)
        return member.kind not in _NAMED or not name or name in self._in_tests

    def _tests_of(self, id_: str) -> Mapping[str, tuple[str, ...]]:
        """The tests that use a member, by path, each with the helpers of tests through which it does: none where some
        use it themselves."""
        if id_ not in self._tests:
            self._tests[id_] = self._nearest_tests(id_)
        return self._tests[id_]

    def _nearest_tests(self, id_: str) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        level, met = {id_: tuple[str, ...]()}, {id_}
        for _ in range(_HELPERS):
            following: dict[str, tuple[str, ...]] = {}
            for at, way in level.items():
                for user, _ in self._uses.uses(at, within=self._uses.is_test, most=MOST_TESTS):
                    if not self._marks_tests or self._uses.is_run(user):
                        found.setdefault(user.path, way)
                    elif user.id not in met:
                        following[user.id] = (user.path, *way)
            met |= following.keys()
            level = following
            if found or not level:
                break
        return found

    @cached_property
    def _marks_tests(self) -> bool:
        """Whether attributes tell which members are tests."""
        return not TEST_ATTRIBUTES.isdisjoint(self._in_tests)

    def _users_of(self, id_: str) -> Sequence[Use]:
        if id_ not in self._users:
            self._searches -= 1
            names = self._named
            self._users[id_] = self._uses.uses(
                id_,
                within=lambda path: not self._uses.is_test(path),
                inside=lambda each: each.kind not in _NAMED or each.name in names,
                most=_MOST_USERS,
            )
        return self._users[id_]

    @cached_property
    def _in_tests(self) -> frozenset[str]:
        """The words of all tests."""
        return frozenset().union(
            *(self._words(file) for file, path in self._files() if self._uses.is_test(path))
        )

    @cached_property
    def _named(self) -> frozenset[str]:
        """The names that tests have in them, those in what is named so, and so on."""
        left = list(self._bodies())
        names, met = self._in_tests, frozenset[str]()
        while names != met:
            met = names
            names = names.union(*(words for each, words in left if each.name in met))
            left = [(each, words) for each, words in left if each.name not in met]
        return names

    def _bodies(self) -> Iterator[tuple[Declaration, frozenset[str]]]:
        """Members outside of tests, each with the words in it."""
        records = self._uses.index.records
        for file, path in self._files():
            record, text = records.record(file), records.text(file)
            if self._uses.is_test(path) or record is None or text is None:
                continue
            for each in record.declarations:
                if (each.body[1] > each.body[0] and each.kind in _NAMED) or each.kind is Kind.CONSTRUCTOR:
                    yield each, _words(text[each.start : each.end])

    def _words(self, file: int) -> frozenset[str]:
        return _words(self._uses.index.records.text(file) or b"")

    def _files(self) -> Iterator[tuple[int, str]]:
        for at, entry in enumerate(self._uses.index.catalogue.files):
            if entry is not None and entry.path.endswith(".cs"):
                yield at, entry.path


def _own_name(label: str) -> str:
    """The bare name in a label, which begins with its interface for an explicit member; empty where it is not clear."""
    name = label.partition("(")[0]
    while _ARGUMENTS.search(name) is not None:
        name = _ARGUMENTS.sub("", name)
    name = name.rpartition(".")[2]
    return name if name.isidentifier() else ""


def _words(text: bytes) -> frozenset[str]:
    return frozenset(word.decode("utf-8", "replace") for word in set(_WORD.findall(text)))
