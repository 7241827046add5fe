"""Agreement of usages and definitions: usages of a symbol lead to it, and references to it are among its usages.

    python -m benchmarks.round_trips FOLDER … [-n 300] [--seed 1] [--show 5]

Of a copy of each FOLDER, so many symbols are asked for their usages and so many names for what they mean, by chance.
Where a constructor is called, its type is used too: the definition of such a place may be either.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.harness.corpus import copied, settings
from services.errors import UsageError
from services.index.symbols.placed import FoundSymbol
from services.model import Definition, Grade, Kind
from services.syntax.records.words import KEYWORDS

if TYPE_CHECKING:
    from services.bench import Bench

_WORD = re.compile(r"@?[^\W\d]\w*")
_MOST_OF_ONE = 200
"""Usages of one symbol that are followed."""
_NAMELESS = frozenset({Kind.OPERATOR, Kind.CONVERSION, Kind.INDEXER})


@dataclass
class Trips:
    """Result: the number of places followed, and those from which no way leads back, each as a sentence."""

    there: int = 0
    back: int = 0
    lost: list[str] = field(default_factory=list[str])


class RoundTrips:
    """Round trips in one workspace."""

    def __init__(self, bench: Bench, random_: random.Random) -> None:
        self._bench = bench
        self._index = bench.index.facade  # pyright: ignore[reportPrivateUsage]
        self._random = random_
        self._places: dict[str, set[tuple[str, int, int]]] = {}
        self.trips = Trips()

    def follow(self, count: int) -> Trips:
        """Follows usages of so many symbols to what they mean, and so many names to the usages of that."""
        symbols = sorted(symbol.id for symbol in self._index.symbols() if not symbol.implicit)
        for id_ in self._random.sample(symbols, min(count, len(symbols))):
            self._there(id_)
        names = list(self._names())
        for path, line, column in self._random.sample(names, min(count, len(names))):
            self._back(path, line, column)
        return self.trips

    def _there(self, id_: str) -> None:
        found = self._found(id_)
        if found is None or (found.member is not None and found.member.declaration.kind in _NAMELESS):
            return
        ids = {id_}
        if found.member is not None and found.member.declaration.kind is Kind.CONSTRUCTOR:
            ids.add(_type_of(id_))  # a primary one stands at its type
        for path, line, column in sorted(self._usages(id_))[:_MOST_OF_ONE]:
            self.trips.there += 1
            definition = self._index.files.definition(path, line, column)
            if not any(self._leads(definition, each) for each in ids):
                told = ", ".join(each.path for each in definition.symbols) or definition.reason or "nothing"
                self.trips.lost.append(f"{path}:{line}:{column + 1} uses {id_} and leads to {told}")

    def _leads(self, definition: Definition, id_: str) -> bool:
        """Whether a definition is a symbol, or the constructor of the type that it is."""
        return any(
            each.id == id_ or (each.kind == Kind.CONSTRUCTOR and each.id.startswith(f"{id_}_"))
            for each in definition.symbols
        )

    def _back(self, path: str, line: int, column: int) -> None:
        definition = self._index.files.definition(path, line, column)
        if not definition.certain or definition.line is not None or len(definition.symbols) != 1:
            return
        symbol = definition.symbols[0]
        around = self._index.files.enclosing(path, line)
        if around is not None and around.id == symbol.id:
            return  # perhaps the name of the declaration itself
        self.trips.back += 1
        type_ = symbol.id if symbol.kind != Kind.CONSTRUCTOR else _type_of(symbol.id)
        if all((path, line, column) not in self._usages(each) for each in {symbol.id, type_}):
            self.trips.lost.append(
                f"{path}:{line}:{column + 1} leads to {symbol.path}, which is not used there"
            )

    def _found(self, id_: str) -> FoundSymbol | None:
        found = self._index.resolve(id_).found
        return found[0] if len(found) == 1 else None

    def _usages(self, id_: str) -> set[tuple[str, int, int]]:
        known = self._places.get(id_)
        if known is None:
            known = self._places[id_] = set()
            found = self._found(id_)
            try:
                files = list(self._index.usages(found)) if found is not None else []
            except UsageError:
                files = []
            for file in files:
                known.update((file.path, s.line, s.column) for s in file.spots if s.grade == Grade.BOUND)
        return known

    def _names(self) -> Iterator[tuple[str, int, int]]:
        """Words of code, keywords aside: most of them names."""
        for path in sorted(self._index.paths()):
            text = (self._bench.root / path).read_text("utf-8-sig", "replace")
            for number, line in enumerate(text.split("\n"), 1):
                code = line.split("//")[0]
                for word in _WORD.finditer(code):
                    if word[0] not in KEYWORDS:
                        yield path, number, word.start()


def _type_of(id_: str) -> str:
    """The id of the type of a member's."""
    return "_".join(id_.split("_")[:2])


def main() -> None:
    """Follow, and print the results."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.round_trips", description="Follow usages and definitions both ways."
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("-n", dest="count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=5)
    chosen = parser.parse_args()
    from services.bench import Bench

    for folder in chosen.folders:
        with (
            copied(folder, name=folder.resolve().name, workers=2, rounds=1, kept=True) as corpus,
            Bench.open(corpus.folder, settings=settings(2)) as bench,
        ):
            bench.index.load()
            bench.index.refresh()
            trips = RoundTrips(bench, random.Random(chosen.seed)).follow(chosen.count)
        followed = trips.there + trips.back
        print(
            f"{corpus.name}: {trips.there:,} usages and {trips.back:,} names followed, {len(trips.lost)} lost "
            f"({100 * (1 - len(trips.lost) / max(1, followed)):.2f} % agree)",
            flush=True,
        )
        for each in trips.lost[: chosen.show]:
            print(f"  {each}")


if __name__ == "__main__":
    main()
