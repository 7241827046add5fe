"""Figures, and the memory of what was used."""

from pathlib import Path
from typing import Any

import pytest

from services.bench import Bench
from services.bench.window.usage import RecentUse
from services.errors import CodeCortexError
from services.measures import Measures, alarms
from services.operations import by_name
from services.settings import Settings
from services.workspace.files.root import Root
from services.workspace.state import StateFolder
from tests.support.workspace import edit, indexed


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
        one, other = RecentUse(state), RecentUse(state)
        one.visit("T_1")
        other.visit("T_2")
        for at in range(512):
            one.visit(f"T_X{at}")
        weights = RecentUse(state).weights()
        assert len(weights) == 512
        assert "T_1" not in weights
        assert all(0 < weight <= 1 for weight in weights.values())


def test_a_damaged_file_of_uses_is_an_empty_one(tmp_path: Path) -> None:
    with Root.open(tmp_path) as root, StateFolder.open(root) as state:
        state.write("access.json", b'{"T_1": "never"}')
        usage = RecentUse(state)
        assert usage.weights() == {}
        usage.visit("T_2")
        assert list(RecentUse(state).weights()) == ["T_2"]


def test_figures_outlive_their_process_and_are_shared(tmp_path: Path) -> None:
    with Root.open(tmp_path) as root, StateFolder.open(root) as state:
        one, other = Measures(state), Measures(state)
        for value in range(1, 51):
            one.add("a.ms", value)
            other.add("a.ms", value + 50)
        one.count("b")
        other.count("b", 2)
        one.close()
        assert other.summary()["a.ms"] == {"count": 100, "p50": 51, "p95": 96}
        other.close()
        one.close()
        assert Measures(state).summary() == {"a.ms": {"count": 100, "p50": 51.0, "p95": 96.0}, "b": 3}
        last = Measures(state)
        for _ in range(600):
            last.add("a.ms", 7.0)
        last.close()
        assert Measures(state).summary()["a.ms"] == {"count": 512, "p50": 7.0, "p95": 7.0}


@pytest.mark.parametrize("damage", [b"", b"{", b"[1]", b'{"series": {"a": "b"}}', b"\xff"])
def test_damaged_figures_are_none(tmp_path: Path, damage: bytes) -> None:
    with Root.open(tmp_path) as root, StateFolder.open(root) as state:
        state.write("measures.json", damage)
        measures = Measures(state)
        measures.add("a", 1.0)
        measures.close()
        assert Measures(state).summary() == {"a": {"count": 1, "p50": 1.0, "p95": 1.0}}


def test_shares_are_of_what_was_tried() -> None:
    measures = Measures()
    assert "edit.apply.success.rate" not in measures.summary()
    with measures.tried():
        pass
    with pytest.raises(ZeroDivisionError), measures.tried():
        raise ZeroDivisionError
    measures.count("outline.gen.count")
    measures.count("outline.cache.hits", 3)
    measures.gauge("semantic.queue.length", 4)
    assert measures.summary() == {
        "edit.apply.success.rate": 0.5,
        "outline.gen.count": 1,
        "outline.cache.hitRatio": 0.75,
        "semantic.queue.length": 4,
    }


@pytest.mark.parametrize(
    ("summary", "memory", "words"),
    [
        ({"symbol.resolve.ms": {"count": 20, "p50": 1.0, "p95": 100.1}}, 1.0, ["P95 is 100 ms"]),
        ({"symbol.resolve.ms": {"count": 19, "p50": 1.0, "p95": 900.0}}, 1.0, []),
        ({"symbol.resolve.ms": {"count": 99, "p50": 99.0, "p95": 100.0}}, 2_000.0, []),
        ({"semantic.queue.length": 51.0}, 2_001.0, ["51 semantic notes", "2001 MB"]),
        ({"semantic.queue.length": 50.0}, 0.0, []),
        ({}, 0.0, []),
    ],
)
def test_alarms_ring_past_their_thresholds(summary: dict[str, Any], memory: float, words: list[str]) -> None:
    said = [notice.message for notice in alarms(summary, memory=memory)]
    assert len(said) == len(words)
    assert all(word in message for word, message in zip(words, said, strict=True))


def test_status_tells_what_was_measured_here_and_in_the_process_before(tmp_path: Path) -> None:
    files = {"A.cs": "namespace N;\npublic class A { public int B() => 1; }\n"}
    with indexed(tmp_path, files) as bench:
        for _ in range(3):
            bench.outlines.outline("N.A")
        bench.window.pin("N.A")
        bench.window.render()
        token = bench.sources.read("A.cs").token
        handle = bench.writing.lock("A.cs").lock_handle
        patch = by_name("setObjectSourceV2")
        assert patch is not None
        given = {
            "object": "A.cs",
            "startLine": 1,
            "endLine": 1,
            "content": "namespace M;",
            "lockHandle": handle,
        }
        patch.run(bench, {**given, "token": token, "dryRun": True})
        patch.run(bench, {**given, "token": token})
        with pytest.raises(CodeCortexError):
            patch.run(bench, {**given, "token": "1_0123456789abcdef"})
        bench.writing.unlock("A.cs", handle or "")
        bench.writing.undo(None)
        status = bench.health.status()
    assert (status.types_indexed, status.semantic_queue_length, status.alarms) == (1, 0, ())
    assert status.p95_resolve_ms == status.measures["symbol.resolve.ms"]["p95"] > 0
    assert status.uptime_sec >= 0
    assert status.measures["outline.gen.count"] == 1
    assert status.measures["outline.cache.hitRatio"] == 0.6667
    assert status.measures["edit.apply.success.rate"] == 0.5
    assert status.measures["edit.rollback.count"] == 1
    for name in ("prompt.budget.usage.ratio", "index.refresh.ms", "index.relate.ms", "index.load.ms"):
        assert name in status.measures or name == "index.load.ms"
    edit(tmp_path, "A.cs", files["A.cs"])
    with Bench.open(tmp_path, settings=Settings()) as later:
        later.index.load()
        again = later.health.status()
    assert (
        again.measures.items()
        >= {
            "outline.gen.count": 1,
            "edit.apply.success.rate": 0.5,
            "symbol.resolve.ms": status.measures["symbol.resolve.ms"],
        }.items()
    )
    assert "index.load.ms" in again.measures
