"""The test types about a type (SPEC section 7, includeType `testclasses`).

They are the types named after it: `OrderTest`, `OrderTests`, `TestOrder` for `Order`. Where there is none, they are the
outermost types of test projects whose text names it as a word. A project whose name ends in `Test` or `Tests`, or has
such a part between dots, is a test project.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.errors import CodeCortexError
from services.index.catalog.catalogue import TypeEntry
from services.index.index import Index
from services.index.symbols.placed import Whole
from services.source.read.reader import Reader

MOST = 50
"""Types found by their text. One that more of them name is no longer tested by any in particular."""

_TEST_PROJECT = re.compile(r"(?i)(?:^|[._-])\w*tests?(?:$|[._-])")


def tests_of(index: Index, whole: Whole, reader: Reader) -> list[Whole]:
    """The test types about a type, sorted by name."""
    named = [at for at, entry in _others(index, whole) if entry.name in _names(whole.entry.name)]
    found = named or [at for at, _ in _referring(index, whole, reader)][:MOST]
    wholes = (index.describer.whole(at) for at in found)
    return sorted((each for each in wholes if each is not None), key=lambda each: each.entry.fqn)


def _names(name: str) -> frozenset[str]:
    return frozenset({f"{name}Test", f"{name}Tests", f"{name}_Tests", f"Test{name}"})


def _others(index: Index, whole: Whole) -> Iterator[tuple[int, TypeEntry]]:
    return ((at, entry) for at, entry in index.catalogue.live_types() if at != whole.index)


def _referring(index: Index, whole: Whole, reader: Reader) -> Iterator[tuple[int, TypeEntry]]:
    """Outermost types of test projects with the name in one of their declarations' files, in it as a word."""
    catalogue = index.catalogue
    tests = {at for at, name in enumerate(catalogue.projects) if _TEST_PROJECT.search(name)}
    word = re.compile(rb"\b" + re.escape(whole.entry.name.encode()) + rb"\b")
    for at, entry in _others(index, whole):
        if entry.project in tests and "+" not in entry.fqn and entry.project != whole.entry.project:
            paths = (catalogue.file(file).path for file, _ in entry.parts)
            if any(_names_it(reader, path, word) for path in paths):
                yield at, entry


def _names_it(reader: Reader, path: str, word: re.Pattern[bytes]) -> bool:
    try:
        text, _ = reader.text(path)
    except CodeCortexError:
        return False
    return word.search(text.data) is not None
