"""Search in a process of its own says what search here says, whatever changes and whatever becomes of the process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.bench import Bench
from services.index.search.searcher import SearchProcess
from services.model import SearchAnswer
from tests.support.workspace import edit, indexed, project

FILES = {
    "A.csproj": project(),
    "Orders.cs": "namespace Shop; public partial class Orders { public void PlaceOrder() { } int total; }",
    "More.cs": "namespace Shop; public partial class Orders { public void Cancel() { } }",
    "Basket.cs": "namespace Shop.Web; public class Basket { public Orders Ordered { get; } }",
}
QUERIES = ("", "o", "or", "orders", "ordres", "shop cancel", "kind:method o", "SWB", "nothing of the kind")


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with indexed(tmp_path, FILES) as bench:
        yield bench


def answers(bench: Bench) -> list[tuple[object, ...]]:
    """What is found, without how long it took."""
    return [told(bench.index.facade.search(query, limit=20)) for query in QUERIES]


def told(answer: SearchAnswer) -> tuple[object, ...]:
    return answer.hits, answer.total, answer.searched


def process_of(bench: Bench) -> SearchProcess:
    process = bench.index.facade._core._search_process
    assert process is not None
    return process


def test_it_finds_what_search_here_finds_before_and_after_edits(bench: Bench, tmp_path: Path) -> None:
    here = answers(bench)
    bench.index.facade.search_in_worker()
    assert answers(bench) == here
    assert process_of(bench).is_there

    edit(tmp_path, "More.cs", "namespace Shop; public partial class Orders { public void Refund() { } }")
    edit(tmp_path, "A.csproj", project() + "\n")
    bench.index.refresh()
    bench.index.relate()
    apart = answers(bench)
    assert [hit.symbol.label for hit in bench.index.search("refund").hits] == ["Refund()"]
    assert bench.index.search("cancel").hits == ()
    assert process_of(bench).is_there
    process_of(bench).stop()
    assert answers(bench) == apart


def test_a_search_goes_on_here_where_the_process_dies(bench: Bench) -> None:
    here = answers(bench)
    bench.index.facade.search_in_worker()
    process = process_of(bench)
    assert answers(bench) == here
    assert process._process is not None
    process._process.kill()
    process._process.join()
    assert answers(bench) == here
    assert not process.is_there


def test_a_process_that_is_not_there_in_time_is_not_used() -> None:
    process = SearchProcess()
    assert not process.start(patience=0)
    assert not process.is_there


def test_it_ends_with_the_index(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        bench.index.facade.search_in_worker()
        running = process_of(bench)._process
        assert running is not None and running.is_alive()
        bench.index.search("o")
    assert not running.is_alive()
