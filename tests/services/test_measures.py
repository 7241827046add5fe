"""Figures, and the memory of what was used."""

from pathlib import Path

from services.bench.window.usage import Usage
from services.measures import Measures
from services.workspace.files.root import Root
from services.workspace.state import StateFolder


def test_a_series_has_its_middle_and_its_edge() -> None:
    measures = Measures()
    for value in range(1, 101):
        measures.add("a", value)
    measures.count("b", 3)
    with measures.timed("c"):
        pass
    summary = measures.summary()
    assert summary["a"] == {"count": 100, "p50": 51, "p95": 96}
    assert summary["b"] == 3
    assert "c" in summary


def test_uses_are_shared_and_the_oldest_forgotten(tmp_path: Path) -> None:
    with Root.open(tmp_path) as root, StateFolder.open(root) as state:
        one, other = Usage(state), Usage(state)
        one.visit("T_1")
        other.visit("T_2")
        for at in range(512):
            one.visit(f"T_X{at}")
        weights = Usage(state).weights()
        assert len(weights) == 512
        assert "T_1" not in weights
        assert all(0 < weight <= 1 for weight in weights.values())


def test_a_damaged_file_of_uses_is_an_empty_one(tmp_path: Path) -> None:
    with Root.open(tmp_path) as root, StateFolder.open(root) as state:
        state.write("access.json", b'{"T_1": "never"}')
        usage = Usage(state)
        assert usage.weights() == {}
        usage.visit("T_2")
        assert list(Usage(state).weights()) == ["T_2"]
