"""Rankings: many made one, tests behind the rest, and the walk over what names what (SPEC section 18)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.context.ranking import RANKED, RandomWalk, fused, last, ranked
from services.context.structure import Edges

UNITS = st.integers(0, 30)
RANKINGS = st.dictionaries(
    st.sampled_from(["text", "names", "graph", "together", "like"]), st.lists(UNITS, unique=True), max_size=5
)
GRAPHS = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11), st.integers(1, 40)), max_size=30)
SEEDS = st.dictionaries(st.integers(0, 11), st.floats(0.1, 5.0), min_size=1, max_size=4)


def walk(edges: list[tuple[int, int, int]], size: int = 12) -> RandomWalk:
    pairs = np.array(edges, np.int64).reshape(-1, 3)
    return RandomWalk(Edges(pairs[:, 0], pairs[:, 1], pairs[:, 2].astype(np.float64)), size)


@given(RANKINGS)
def test_what_any_signal_ranks_is_in_the_answer_once_and_best_first(
    rankings: Mapping[str, list[int]],
) -> None:
    scores = fused(rankings)
    assert set(scores) == {at for ranking in rankings.values() for at in ranking}
    assert list(scores.values()) == sorted(scores.values(), reverse=True)


@given(RANKINGS, UNITS)
def test_one_more_signal_for_a_unit_never_makes_it_worse(
    rankings: Mapping[str, list[int]], unit: int
) -> None:
    before = fused(rankings)
    after = fused({**rankings, "lately": [unit]})
    others = [at for at in before if at != unit]
    assert after[unit] > before.get(unit, 0.0)
    assert [at for at in after if at != unit] == others


@given(st.lists(UNITS, unique=True, min_size=1))
def test_one_signal_alone_keeps_its_order(ranking: list[int]) -> None:
    assert list(fused({"text": ranking})) == ranking


def test_two_signals_outweigh_one_that_is_first() -> None:
    assert next(iter(fused({"text": [1, 2], "graph": [2, 1], "like": [3, 2]}))) == 2


def test_what_changed_lately_counts_half_of_any_other_signal() -> None:
    scores = fused({"lately": [1], "text": [2]})
    assert scores[2] == pytest.approx(2 * scores[1])


@given(RANKINGS, st.sets(UNITS))
def test_what_comes_last_keeps_its_order_behind_the_rest(
    rankings: Mapping[str, list[int]], behind: set[int]
) -> None:
    scores = fused(rankings)
    order = last(scores, behind)
    assert sorted(order) == sorted(scores)
    assert [at in behind for at in order] == sorted(at in behind for at in order)
    for part in (True, False):
        kept = [at for at in scores if (at in behind) is part]
        assert [at for at in order if (at in behind) is part] == kept


@given(st.lists(st.floats(0.0, 9.0), min_size=31, max_size=31), st.sets(UNITS), st.sets(UNITS))
def test_only_what_scores_and_is_asked_for_is_ranked(
    scores: list[float], units: set[int], without: set[int]
) -> None:
    numbers = np.array(sorted(units), np.int64)
    found = ranked(np.array(scores), numbers, without)
    assert set(found) == {at for at in units - without if scores[at] > 0}
    assert [scores[at] for at in found] == sorted((scores[at] for at in found), reverse=True)


def test_a_ranking_ends_where_it_no_longer_counts() -> None:
    many = np.arange(RANKED + 50, 0, -1, dtype=np.float64)
    assert ranked(many, np.arange(len(many)), {0, 1}) == list(range(2, RANKED + 2))


@given(GRAPHS, SEEDS)
def test_a_walk_is_somewhere_all_the_time(edges: list[tuple[int, int, int]], seeds: dict[int, float]) -> None:
    found = walk(edges).scores(seeds)
    assert found.sum() == pytest.approx(1.0)
    assert (found >= 0).all()


@given(GRAPHS, SEEDS)
def test_a_walk_reaches_what_hangs_together_with_a_seed_and_nothing_else(
    edges: list[tuple[int, int, int]], seeds: dict[int, float]
) -> None:
    reached = set(seeds)
    for _ in range(10):
        reached |= {b for a, b, _ in edges if a in reached} | {a for a, b, _ in edges if b in reached}
    assert set(np.flatnonzero(walk(edges).scores(seeds)).tolist()) <= reached


@given(GRAPHS, SEEDS, st.floats(0.5, 50))
def test_how_much_all_seeds_weigh_does_not_matter(
    edges: list[tuple[int, int, int]], seeds: dict[int, float], times: float
) -> None:
    heavier = {at: times * weight for at, weight in seeds.items()}
    np.testing.assert_allclose(walk(edges).scores(seeds), walk(edges).scores(heavier), atol=1e-12)


def test_without_seeds_a_walk_is_nowhere() -> None:
    assert not walk([(0, 1, 1)]).scores({}).any()


def test_what_is_named_often_is_nearer_than_what_is_named_once() -> None:
    found = walk([(0, 1, 20), (0, 2, 1)]).scores({0: 1.0})
    assert found[1] > found[2] > 0


def test_what_everything_names_says_little() -> None:
    everyone = [(other, 1, 1) for other in range(3, 12)]
    found = walk([(0, 1, 1), (0, 2, 1), *everyone]).scores({0: 1.0})
    assert found[2] > 1.5 * found[1]
