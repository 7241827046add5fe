"""Of equal matches private ones come last, and whether others are public says nothing."""

from pathlib import Path

from tests.support.workspace import indexed


def test_an_internal_type_stands_before_a_public_one_with_a_longer_name(tmp_path: Path) -> None:
    files = {
        "A.cs": "namespace Chaos; internal class ChaosLatencyStrategy { private class ChaosLatencyCore { } }",
        "B.cs": "namespace Chaos; public class ChaosLatencyStrategyOptions { }",
    }
    with indexed(tmp_path, files) as bench:
        labels = [hit.symbol.label for hit in bench.index.search("chaos latency").hits]
    assert labels[:3] == [
        "ChaosLatencyStrategy",
        "ChaosLatencyCore",  # fewer words that were not typed
        "ChaosLatencyStrategyOptions",
    ]
