"""Rows in several segments, some of them gone, are answered as the rows that count in one segment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from random import Random
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.index.search import SearchSegment, SymbolRow, Symbols, SymbolSearch, engine, ranking
from services.index.search.filter.tiers import Tiers
from services.index.search.match.texts import Texts, hashes_of
from tests.services.index.search.support import ACCESSES, WORDS, queries, rows

FILTERS = ("", " kind:class", " in:core", " access:public")


@contextmanager
def few_candidates() -> Iterator[None]:
    """So few that they matter among the rows of an example."""
    with (
        patch.object(engine, "POOL", 3),
        patch.object(ranking, "MOST", 2),
        patch.object(ranking, "_TWINS", 1),
    ):
        yield


def over(parts: Sequence[Sequence[int]], symbols: Sequence[SymbolRow], dead: set[int]) -> SymbolSearch:
    """A search over segments of these rows, by their numbers, each the file of its own."""
    return SymbolSearch(
        [
            SearchSegment(
                Symbols.build([symbols[at] for at in part]),
                np.array([at in dead for at in part]),
                origins=np.array(part, np.uint32),
            )
            for part in parts
            if part
        ]
    )


def answered(search: SymbolSearch, order: Sequence[int], query: str, *, limit: int = 3) -> object:
    """All that an answer says, with the rows by their numbers. `order`: the numbers of all rows."""
    found = search.search(query, limit=limit)
    hits = [(order[h.number], h.score, h.name_positions, h.container_positions) for h in found.hits]
    return hits, found.total, found.searched, found.typos


def parted(numbers: list[int], cuts: Sequence[int]) -> list[list[int]]:
    ends = [0, *sorted(cut % (len(numbers) + 1) for cut in cuts), len(numbers)]
    return [numbers[begin:end] for begin, end in pairwise(ends)]


@given(rows, rows, queries | st.just(""), st.lists(st.integers(0, 99), max_size=3), st.randoms())
@settings(max_examples=60)
def test_segments_with_dead_rows_answer_as_one_of_the_rows_that_count(
    symbols: list[SymbolRow], gone: list[SymbolRow], query: str, cuts: list[int], random: Random
) -> None:
    every = [*symbols, *gone]
    dead = set(range(len(symbols), len(every)))
    numbers = list(range(len(every)))
    random.shuffle(numbers)
    fresh = list(range(len(symbols)))
    with few_candidates():
        parts, whole = over(parted(numbers, cuts), every, dead), over([fresh], every, set())
        for added in FILTERS:
            own = answered(parts, numbers, query + added)
            assert own == answered(whole, fresh, query + added)


@pytest.mark.parametrize("seed", range(4))
def test_among_more_symbols_than_are_scored_the_same_ones_are_found_in_the_same_order(seed: int) -> None:
    random = Random(seed)
    every = [
        SymbolRow(
            name="".join(random.choices(WORDS, k=random.randint(1, 3))),
            container=".".join(random.choices(WORDS[:6], k=2)),
            kind=random.choice(["class", "method", "field", "constructor"]),
            access=random.choice(ACCESSES),
            project=random.choice(["Core", "Web"]),
            boost=float(random.randint(0, 40)),
        )
        for _ in range(2_400)
    ]
    numbers = random.sample(range(2_400), 2_400)
    dead = set(numbers[:300])
    fresh = [at for at in range(2_400) if at not in dead]
    parts = over([numbers[:2_000], numbers[2_000:2_350], numbers[2_350:]], every, dead)
    whole = over([fresh], every, set())
    words = [word.lower() for word in WORDS if len(word) > 1]
    asked = [*words, *(word[:2] for word in words), "", "j", "js", "JC", "GV", "serilaize", "Json.", "value."]
    asked += [f"{random.choice(words)} {random.choice(words)[:3]}" for _ in range(20)]
    for query in asked:
        own = answered(parts, numbers, query, limit=60)
        assert own == answered(whole, fresh, query, limit=60), query


def test_what_a_name_is_worth_counts_in_all_segments() -> None:
    def row(access: str, boost: float) -> SymbolRow:
        return SymbolRow(name="Name", container="A", kind="class", access=access, boost=boost)

    search = over([[0], [1], [2]], [row("private", 1), row("public", 3), row("internal", 100)], {2})
    tiers = Tiers(search._searches)
    assert [symbols.fame.tolist() for symbols in tiers.symbols] == [[2], [2], [2]]
    assert [view.access.tolist() for view in tiers.views(())] == [[0], [0], [0]]


@given(st.lists(st.text(max_size=9), unique=True, max_size=30))
def test_texts_have_the_same_hash_wherever_they_stand(texts: list[str]) -> None:
    own = hashes_of(Texts.build(texts)).tolist()
    assert len(set(own)) == len(texts)
    assert hashes_of(Texts.build(texts[::-1])).tolist() == own[::-1]
