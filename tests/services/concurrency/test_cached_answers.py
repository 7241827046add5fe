"""Answers kept for as long as they are true."""

from __future__ import annotations

from pathlib import Path

from services.bench import Bench
from services.concurrency.latest import CachedAnswers
from services.settings import IndexSettings, Settings
from tests.support.serving import SHOP
from tests.support.workspace import edit, write_workspace


def test_an_answer_is_made_once_while_the_moment_lasts() -> None:
    moment, made = [1], []
    kept: CachedAnswers[int] = CachedAnswers(lambda: moment[0])
    assert [kept.get("q", lambda: made.append(1) or len(made)) for _ in range(3)] == [1, 1, 1]
    moment[0] = 2
    assert kept.get("q", lambda: made.append(1) or len(made)) == 2


def test_an_answer_during_which_the_moment_passed_is_not_kept() -> None:
    moment = [1]
    kept: CachedAnswers[str] = CachedAnswers(lambda: moment[0])

    def slow() -> str:
        moment[0] += 1
        return "old"

    assert kept.get("q", slow) == "old"
    assert kept.get("q", lambda: "new") == "new"


def test_the_longest_unasked_goes_first() -> None:
    kept: CachedAnswers[str] = CachedAnswers(lambda: 0, most=2)
    for question in "aba":
        kept.get(question, lambda: "first")
    kept.get("c", lambda: "first")
    assert (kept.get("a", lambda: "again"), kept.get("b", lambda: "again")) == ("first", "again")


def test_an_outline_says_while_dependencies_are_being_worked_out(tmp_path: Path) -> None:
    write_workspace(tmp_path, SHOP)
    settings = Settings(index=IndexSettings(workers=1))
    with Bench.open(tmp_path, settings=settings, patience=5.0) as bench:
        bench.index.refresh()
        first = bench.outlines.outline("Shop.Order")
        bench.index.relate()
        whole = bench.outlines.outline("Shop.Order")
        edit(tmp_path, "Shop/Orders.cs", SHOP["Shop/Orders.cs"].replace("Order order", "int order"))
        bench.index.refresh()
        after = bench.outlines.outline("Shop.Order")
    assert (first.relating, whole.relating, after.relating) == (True, False, False)
    assert "used by" in whole.text
    assert "used by" not in first.text
    assert "used by" not in after.text


def test_where_there_are_no_projects_nothing_is_being_worked_out(tmp_path: Path) -> None:
    write_workspace(tmp_path, {"A.cs": "class A { }\n"})
    settings = Settings(index=IndexSettings(workers=1))
    with Bench.open(tmp_path, settings=settings, patience=5.0) as bench:
        bench.index.refresh()
        bench.index.relate()
        assert not bench.outlines.outline("A").relating


def test_searches_and_outlines_follow_edits_and_use(tmp_path: Path) -> None:
    write_workspace(tmp_path, SHOP)
    with Bench.open(tmp_path, settings=Settings(index=IndexSettings(workers=1))) as bench:
        bench.index.refresh()
        assert bench.index.search("Orde").hits == bench.index.search("Orde").hits
        assert (
            "int Add"
            in bench.outlines.outline("Shop.Orders").text
            == bench.outlines.outline("Shop.Orders").text
        )
        edit(tmp_path, "Shop/Orders.cs", SHOP["Shop/Orders.cs"].replace("int Add", "long Adding"))
        assert "long Adding" in bench.outlines.outline("Shop.Orders").text
        assert bench.index.search("Adding").hits
        bench.window.visit("Shop.Orders.Adding")
        assert bench.index.search("", limit=2).hits[0].symbol.label.startswith("Add")
        bench.window.visit("Shop.Orders")
        assert bench.index.search("", limit=2).hits[0].symbol.label == "Orders"


def test_a_search_says_which_filter_means_nothing_that_there_is(tmp_path: Path) -> None:
    write_workspace(tmp_path, SHOP)
    with Bench.open(tmp_path, settings=Settings(index=IndexSettings(workers=1))) as bench:
        bench.index.refresh()
        assert "'nowhere' in its name: there is Shop" in bench.index.search("in:nowhere Orders").advice
        assert bench.index.search("in:shop Orders").advice == ""
        assert bench.index.search("no such name").advice == ""


def test_only_the_answer_of_the_last_version_is_kept() -> None:
    kept: CachedAnswers[str] = CachedAnswers(lambda: 0)
    made: list[str] = []

    def asked(version: str) -> str:
        return kept.get("question", lambda: made.append(version) or version, version=version)

    assert [asked(each) for each in ("one", "one", "two", "one", "one")] == [
        "one",
        "one",
        "two",
        "one",
        "one",
    ]
    assert made == ["one", "two", "one"]
