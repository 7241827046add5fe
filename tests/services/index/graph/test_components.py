"""Groups, layers and reach of a graph, against what they are by definition."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from services.index.graph.components import components, depths, reached

Graph = dict[int, list[int]]
GRAPHS = st.integers(1, 8).flatmap(
    lambda size: st.fixed_dictionaries(
        {node: st.lists(st.integers(0, size - 1), max_size=4) for node in range(size)}
    )
)


def closure(graph: Graph, start: int) -> set[int]:
    """What a way of one step or more leads to."""
    found: set[int] = set()
    waiting = list(graph.get(start, ()))
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += graph.get(node, ())
    return found


@given(GRAPHS)
def test_a_group_is_what_leads_to_each_other(graph: Graph) -> None:
    ways = {node: closure(graph, node) | {node} for node in graph}
    groups = components(graph)
    assert sorted(node for group in groups for node in group) == sorted(graph)
    assert {frozenset(group) for group in groups} == {
        frozenset(other for other in graph if other in ways[node] and node in ways[other]) for node in graph
    }


@given(GRAPHS)
def test_a_group_comes_after_every_group_that_it_leads_to(graph: Graph) -> None:
    place = {node: at for at, group in enumerate(components(graph)) for node in group}
    assert all(place[other] <= place[node] for node, others in graph.items() for other in others)


@given(GRAPHS)
def test_a_layer_is_one_more_than_the_nearest_below(graph: Graph) -> None:
    found = depths(graph)
    for group in components(graph):
        outside = [found[other] for node in group for other in graph[node] if other not in group]
        assert {found[node] for node in group} == {min(outside) + 1 if outside else 0}


def test_what_is_only_named_is_a_leaf_and_a_circle_is_one_node() -> None:
    assert depths({1: [2], 2: [3]}) == {3: 0, 2: 1, 1: 2}
    assert depths({1: [2], 2: [1, 3], 3: [], 4: [1, 3]}) == {3: 0, 1: 1, 2: 1, 4: 1}


def test_a_long_chain_needs_no_deep_stack() -> None:
    size = 50_000
    found = depths({node: [node + 1] for node in range(size)})
    assert (found[0], found[size]) == (size, 0)


@given(GRAPHS, st.lists(st.integers(0, 7), max_size=3))
def test_everything_that_ways_lead_to_is_reached_once_and_the_start_only_by_a_way(
    graph: Graph, start: list[int]
) -> None:
    found = reached(graph, start)
    assert len(found) == len(set(found))
    assert set(found) == set().union(*(closure(graph, node) for node in start))


@given(GRAPHS, st.sets(st.integers(0, 7)))
def test_only_ways_within_are_gone(graph: Graph, within: set[int]) -> None:
    inner = {node: [other for other in others if other in within] for node, others in graph.items()}
    assert set(reached(graph, [0], within=within)) == closure(inner, 0)


def test_near_comes_before_far_and_equally_far_by_the_order() -> None:
    graph = {0: [3, 1, 2], 3: [9], 1: [8], 2: []}
    assert reached(graph, [0]) == [3, 1, 2, 9, 8]
    assert reached(graph, [0], order=lambda node: node) == [1, 2, 3, 8, 9]
