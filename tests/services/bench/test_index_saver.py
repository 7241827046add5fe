"""Who starts while somebody is at work finds the index that they have."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from services.concurrency.background import Debouncer
from services.errors import Cancelled
from services.index.catalog.catalogue import Catalogue
from tests.support.eventually import eventually
from tests.support.workspace import edit, indexed, opened, project


def test_an_edit_is_kept_at_the_next_quiet_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(Debouncer.__init__.__kwdefaults__, "seconds", 0.05)
    with indexed(tmp_path, {"A.cs": "class A { }"}) as bench:
        bench.watch()
        edit(tmp_path, "A.cs", "class Changed { }")
        bench.index.refresh()
        eventually(lambda: not bench.index.facade._core.unsaved)
        with opened(tmp_path) as other:
            assert other.index.load()
            assert [hit.symbol.label for hit in other.index.search("").hits] == ["Changed"]


def test_what_was_kept_is_not_beside_a_refresh(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.cs": "class A { }"}) as bench:
        edit(tmp_path, "A.cs", "class Changed { }")
        bench.index.refresh()
        for _ in range(2):
            bench.index.facade.keep()
            with opened(tmp_path) as other:
                assert other.index.load()
                assert other.index.refresh() == ()


def test_what_the_first_change_needs_is_made_while_nobody_waits(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.csproj": project(), "A.cs": "class A { }"}) as bench:
        bench.index.relate()
    with opened(tmp_path) as bench:
        assert bench.index.load()
        bench.index.refresh()
        held = bench.index.facade._core
        assert Catalogue.units.peek(held.published.catalogue) is None
        bench.watch()
        catalogue = held.published.catalogue
        eventually(lambda: all("_index" in vars(texts) for texts in (catalogue.names, catalogue.rests)))
        eventually(lambda: Catalogue.units.peek(catalogue) == {(0, "A.cs"): 0})
        edit(tmp_path, "A.cs", "class Changed { }")
        bench.index.refresh()
        assert [hit.symbol.label for hit in bench.index.search("").hits] == ["Changed"]


def test_getting_ready_ends_with_the_bench(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.csproj": project(), "A.cs": "class A { }"}) as bench:
        cancel = threading.Event()
        cancel.set()
        with pytest.raises(Cancelled):
            bench.index.facade.prepare(cancel)
