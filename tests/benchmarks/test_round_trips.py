"""Usages and definitions agree over the programs that are the language, feature by feature."""

from __future__ import annotations

import random
import tarfile
from pathlib import Path

from benchmarks.round_trips import RoundTrips
from tests.support.workspace import opened

_CASES = Path(__file__).parents[1] / "services" / "index" / "truth" / "cases.tar.xz"


def test_what_uses_a_symbol_leads_to_it_and_what_leads_to_it_uses_it(tmp_path: Path) -> None:
    with tarfile.open(_CASES) as archive:
        archive.extractall(tmp_path, filter="data")
    with opened(tmp_path) as bench:
        bench.index.refresh()
        trips = RoundTrips(bench, random.Random(1)).follow(400)
    assert trips.lost == []
    assert trips.there > 500
    assert trips.back > 50
