"""Quality of search for typed queries by a typing model over real names, stored in a file.

    python -m benchmarks.search.typed_queries make FOLDER … [--seed 7] [--out benchmarks/search/typed_queries.jsonl]
    python -m benchmarks.search.typed_queries run FOLDER … [--queries benchmarks/search/typed_queries.jsonl]

`make` draws symbols whose name only one symbol has, types and members outside of tests, from each folder (named as the
folder is), and types each as people do: two words of the name, humps, or the name in small letters with a slip (two
letters exchanged, one left out, doubled, or its neighbour on the keyboard in its place). Nobody picks: a fixed seed
does, and nothing of the ranking is looked at. `run` says how often what was meant comes first, and among three.

`typed_by_hand.jsonl` has queries that a person wrote over Dapper, StackExchange.Redis, Polly, Newtonsoft.Json, jellyfin
and WinForms before looking at what comes first: also plurals, forms of verbs, initials, words in another order, and
members behind their types. `typed_at_first_sight.jsonl` has such queries over WinForms, Polly, Newtonsoft.Json and
jellyfin, and over Serilog, FluentValidation and Hangfire, by which no rule was made, but for slips in long words, to
which the first of both sets led. `typed_over_quartz.jsonl` has such queries over Quartz.NET,
`typed_blind_first.jsonl` and `typed_blind_second.jsonl` over NLog, MassTransit and ImageSharp.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from services.bench import Bench
from services.model import Symbol, SymbolRef
from services.settings import Settings

KINDS = ("two words", "humps", "slip")
PER_FOLDER = {"two words": 5, "humps": 4, "slip": 4}
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+|\d+")
_TEST = re.compile(r"(?:^|[/.])tests?(?:[/.]|$)", re.IGNORECASE)
_ARGUMENTS = re.compile(r"<[^<>]*>")
_KEYBOARD = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_DEFAULT = Path(__file__).with_name("typed_queries.jsonl")


class TypedQuery(msgspec.Struct, frozen=True):
    """Typed text, its repository, and the intended symbol."""

    repository: str
    kind: str
    query: str
    id: str
    fqn: str


def words(name: str) -> list[str]:
    """The words of a name, as capitals part them."""
    return _WORD.findall(name)


def two_words(name: str, chance: random.Random) -> str:
    """Two words of the name in their order, one of them perhaps only begun."""
    parts = words(name)
    first, second = sorted(chance.sample(range(len(parts)), 2))
    last = parts[second]
    return f"{parts[first]} {last if chance.random() < 0.6 else last[: max(3, len(last) - 2)]}".lower()


def humps(name: str, chance: random.Random) -> str:
    """The capitals of the name, with a letter or two more of its last word."""
    parts = words(name)
    return "".join(part[0].upper() for part in parts) + parts[-1][1 : chance.randrange(2, 4)]


def slip(name: str, chance: random.Random) -> str:
    """The name in small letters with one slip, not in its first letter."""
    typed = name.lower()
    at = chance.randrange(1, len(typed) - 1)
    match chance.randrange(4):
        case 0:
            return typed[:at] + typed[at + 1] + typed[at] + typed[at + 2 :]
        case 1:
            return typed[:at] + typed[at + 1 :]
        case 2:
            return typed[:at] + typed[at] + typed[at:]
        case _:
            return typed[:at] + _neighbour(typed[at], chance) + typed[at + 1 :]


_TYPED: dict[str, Callable[[str, random.Random], str]] = {
    "two words": two_words,
    "humps": humps,
    "slip": slip,
}


def _neighbour(letter: str, chance: random.Random) -> str:
    row = next((row for row in _KEYBOARD if letter in row), letter)
    at = row.index(letter)
    return row[chance.choice([each for each in (at - 1, at + 1) if 0 <= each < len(row)] or [at])]


def drawn(folder: Path, seed: int) -> Iterator[TypedQuery]:
    """The queries of one folder."""
    with Bench.open(folder, settings=Settings()) as bench:
        bench.index.refresh()
        symbols = [each for each in bench.index.symbols() if not each.implicit]
    counts = Counter(each.name for each in symbols)
    chance = random.Random(f"{seed} {folder.name}")
    fit = {each.id: each for each in symbols if counts[each.name] == 1 and _is_fit(each)}
    chosen = iter(chance.sample(sorted(fit), min(len(fit), sum(PER_FOLDER.values()))))
    for kind, count in PER_FOLDER.items():
        for _ in range(count):
            symbol = fit[next(chosen)]
            yield TypedQuery(folder.name, kind, _TYPED[kind](symbol.name, chance), symbol.id, symbol.fqn)


def _is_fit(symbol: Symbol) -> bool:
    """Whether a person would look for it by two words, humps and a slip."""
    return (
        not _TEST.search(symbol.file)
        and len(words(symbol.name)) > 1
        and len(symbol.name) > 5
        and symbol.name.isalnum()
    )


def places(folder: Path, queries: list[TypedQuery]) -> Iterator[tuple[TypedQuery, int | None]]:
    """Yield the rank of each, from 1; None where it is not among the first fifty."""
    with Bench.open(folder, settings=Settings()) as bench:
        bench.index.refresh()
        bench.index.relate()
        for query in queries:
            hits = bench.index.search(query.query, limit=50).hits
            yield query, next((at for at, hit in enumerate(hits, 1) if _is_meant(hit.symbol, query)), None)


def _is_meant(symbol: SymbolRef, query: TypedQuery) -> bool:
    """Whether it is the symbol, or another overload of it."""
    path = _ARGUMENTS.sub(lambda found: f"`{found[0].count(',') + 1}", symbol.path)
    return symbol.id == query.id or query.fqn.replace("+", ".") in (symbol.path.replace("+", "."), path)


def main() -> None:
    """Make the file, or run it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("act", choices=("make", "run"))
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--queries", "--out", type=Path, default=_DEFAULT)
    asked = parser.parse_args()
    if asked.act == "make":
        made = [query for folder in asked.folders for query in drawn(folder.resolve(), asked.seed)]
        asked.queries.write_bytes(b"".join(msgspec.json.encode(query) + b"\n" for query in made))
        return
    lines = asked.queries.read_bytes().splitlines()
    queries = [msgspec.json.decode(line, type=TypedQuery) for line in lines]
    told: dict[str, list[int | None]] = defaultdict(list)
    for folder in asked.folders:
        own = [query for query in queries if query.repository == folder.resolve().name]
        for query, place in places(folder, own):
            told[query.kind].append(place)
            if place != 1:
                print(f"{query.repository}: {query.query!r} meant {query.fqn}: place {place}")
    for kind, found in (*told.items(), ("all", [place for each in told.values() for place in each])):
        first, three = (sum(place is not None and place <= most for place in found) for most in (1, 3))
        print(
            f"{kind}: {len(found)} queries, first {first / len(found):.0%}, among three {three / len(found):.0%}"
        )


if __name__ == "__main__":
    main()
