"""Who starts while somebody is at work finds the index that they have."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from services.bench import quiet
from tests.support.workspace import edit, indexed, opened


def test_an_edit_is_kept_at_the_next_quiet_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quiet.Quiet.__init__, "__kwdefaults__", {"seconds": 0.05})
    with indexed(tmp_path, {"A.cs": "class A { }"}) as bench:
        bench.watch()
        edit(tmp_path, "A.cs", "class Changed { }")
        bench.refresh()
        deadline = time.monotonic() + 20
        while bench._index._held.unsaved and time.monotonic() < deadline:
            time.sleep(0.01)
        with opened(tmp_path) as other:
            assert other.load()
            assert [hit.symbol.label for hit in other.search("").hits] == ["Changed"]


def test_what_was_kept_is_not_beside_a_refresh(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.cs": "class A { }"}) as bench:
        edit(tmp_path, "A.cs", "class Changed { }")
        bench.refresh()
        for _ in range(2):
            bench._index.keep()
            with opened(tmp_path) as other:
                assert other.load()
                assert other.refresh() == ()
