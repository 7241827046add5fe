"""Members of a type that a question touches."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.bench.bench import Bench
from services.context.packing import RelevantMembers
from services.context.query import ContextQuery, Seed
from tests.support.workspace import indexed

FILES = {
    "Till.cs": """public class Till {
    public void Open() { }
    public Receipt Print(int copies) { return null; }
    public void PrintReceipt() { }
    public void Close() { }
}
public class Receipt { }
"""
}


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with indexed(tmp_path, FILES) as bench:
        yield bench


def first(bench: Bench, query: ContextQuery) -> list[str]:
    detail = bench.index.facade.detail(bench.lookup.sure("Till").whole.index)
    assert detail is not None
    return [
        each.name for each in RelevantMembers(query, lambda _: 1.0).first(detail.members) if not each.implicit
    ]


def test_members_with_the_words_in_their_names_or_types_come_first(bench: Bench) -> None:
    assert set(first(bench, ContextQuery("the receipt"))[:2]) == {"PrintReceipt", "Print"}


def test_without_words_members_stand_as_in_the_source(bench: Bench) -> None:
    assert first(bench, ContextQuery()) == ["Open", "Print", "PrintReceipt", "Close"]


def test_a_seed_touches_what_its_member_names(bench: Bench) -> None:
    assert first(bench, ContextQuery(seeds=(Seed(0, "void Run() { till.Close(); }", "Run"),)))[0] == "Close"
