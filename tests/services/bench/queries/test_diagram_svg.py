"""Graphs are laid out in layers, whatever circles they have."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from services.bench.queries.pictures import _layers, _places, svg
from services.model import GraphEdge, GraphNode

PAIRS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=40)


@given(st.integers(0, 10), PAIRS)
def test_every_type_has_a_place_of_its_own(count: int, pairs: list[tuple[int, int]]) -> None:
    ids = [f"T{n}" for n in range(count)]
    edges = [(f"T{a}", f"T{b}") for a, b in pairs if a < count and b < count]
    layers = _layers(ids, edges)
    assert sorted(id_ for layer in layers for id_ in layer) == sorted(ids)
    if all(a < b for a, b in edges):  # no circle: every arrow goes down
        at = {id_: depth for depth, layer in enumerate(layers) for id_ in layer}
        assert all(at[a] < at[b] for a, b in edges)
    places = _places(layers, dict.fromkeys(ids, 40)) if ids else {}
    assert len(set(places.values())) == len(ids)


def test_names_are_text_not_markup() -> None:
    node = GraphNode(id="T", name="List<T>", path='A."<b>"', kind="class")
    drawn = svg([node], [GraphEdge(source="T", target="T", relation="uses")])
    assert "List&lt;T&gt;" in drawn
    assert "<b>" not in drawn
