"""Questions answered without a model."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.bench.bench import Bench
from services.bench.window.context import ContextRequest
from services.context.packing import connections, ways
from services.errors import Cancelled
from services.model import Progress
from tests.support.workspace import indexed, project

FILES = {
    "Shop.csproj": project(),
    "Till.cs": """namespace Shop;
public class Till
{
    Basket basket;
    public int Close() { return basket.Total(); }
}""",
    "Basket.cs": """namespace Shop;
public class Basket
{
    Voucher v;
    public int Total() { return v.Redeem(); }
}""",
    "Voucher.cs": "namespace Shop; public class Voucher { public int Redeem() { return 3; } }",
    "Clock.cs": "namespace Shop; public class Clock { }",
}


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with indexed(tmp_path, FILES) as bench:
        yield bench


def test_a_conclusion_tells_places_why_and_how_they_hang_together(bench: Bench, tmp_path: Path) -> None:
    told = bench.investigation.conclude(ContextRequest("How does the till redeem a voucher?"))
    assert told.kind == "static"
    assert {"Till", "Voucher"} <= {item.symbol.label for item in told.items}
    assert ("Till", "Basket", "Voucher") in [link.types for link in told.links]
    calls = next(link.calls for link in told.links if len(link.types) == 3)
    assert calls == ("Till.Close → Basket.Total", "Basket.Total → Voucher.Redeem")
    assert any(each.path == "Voucher.cs" and "Redeem" in each.text for each in told.evidence)
    text = (tmp_path / told.file).read_text()
    assert text == told.text
    assert "**Static.**" in text
    assert "`Till` → `Basket` → `Voucher`: Till.Close → Basket.Total" in text


def test_what_was_found_can_be_pinned(bench: Bench) -> None:
    told = bench.investigation.conclude(ContextRequest("redeem a voucher"), pin=True)
    pinned = {item.label for item in bench.window.render().items if item.pinned}
    assert {item.symbol.label for item in told.items} == pinned != set()


def test_a_question_that_nothing_answers_says_so_without_places(bench: Bench) -> None:
    told = bench.investigation.conclude(ContextRequest("quaternions"))
    assert (told.items, told.links, told.evidence) == ((), (), ())
    assert told.text.startswith("# quaternions")


def test_ways_are_the_shortest_and_parts_of_others_are_not_told_again() -> None:
    names = {1: [2, 3], 2: [3], 3: [4], 4: []}
    assert ways(1, {4, 3}, names.__getitem__) == [(1, 3), (1, 3, 4)]
    assert connections([1, 3, 4], names.__getitem__) == [(1, 3, 4)]
    assert connections([4], names.__getitem__) == []


def test_circles_end() -> None:
    names = {1: [2], 2: [1]}
    assert connections([1, 2], names.__getitem__) == [(1, 2), (2, 1)]


def test_each_phase_is_told_while_it_goes_on(bench: Bench) -> None:
    told: list[Progress] = []
    bench.investigation.conclude(ContextRequest("How does the till redeem a voucher?"), report=told.append)
    phases = {each.phase: each for each in told}
    assert {"Searching call paths", "Searching lines"} <= phases.keys()
    paths = [each for each in told if each.phase == "Searching call paths"]
    assert [each.done for each in paths] == list(range(len(paths)))
    assert {each.total for each in paths} == {len(paths)}


def test_a_question_is_cancelled_while_paths_are_searched(bench: Bench) -> None:
    cancel = threading.Event()

    def stop(progress: Progress) -> None:
        if progress.phase == "Searching call paths":
            cancel.set()

    with pytest.raises(Cancelled):
        bench.investigation.conclude(
            ContextRequest("redeem a voucher at the till"), report=stop, cancel=cancel
        )


@pytest.mark.parametrize(
    ("uses", "declares", "call"),
    [
        ("void Go(B b) { var x = b[3]; }", "public int this[int at] => at;", "A.Go → B.this[]"),
        ("B Go() { B b = new(3); return b; }", "public B(int at) { }", "A.Go → B.B"),
        ("B b; int Go() { return b.Count; }", "public int Count => 3;", "A.Go → B.Count"),
        ("int Go(B b) { return b.GetHashCode(); }", "public int Count => 3;", ""),
    ],
)
def test_a_call_is_found_where_the_body_does_not_name_it(
    tmp_path: Path, uses: str, declares: str, call: str
) -> None:
    files = {
        "X.csproj": project(),
        "A.cs": f"public class A {{ {uses} }}",
        "B.cs": f"public class B {{ {declares} }}",
    }
    with indexed(tmp_path, files) as bench:
        told = bench.investigation.conclude(ContextRequest("class A and class B"))
    assert [each for link in told.links for each in link.calls] == ([call] if call else [])
