"""Completeness and suggestions over a real workspace."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.bench.bench import Bench
from services.model import Completeness, Level
from tests.support.workspace import edit, indexed, project

CODE = """namespace Shop;
using Money2 = Shop.Money;
public class Money { public static Money Zero; public decimal Amount; }
public class Store { public Basket Find(int id) => null; private Secret secret; }
public class Basket { public Line Top; }
public class Line { }
public class Secret { }
public class Unrelated { }
public static class Texts { public static string Shown(this Money money) => ""; }
public class Clerk
{
    private readonly Store store = new();
    public string Serve(int id)
    {
        // Unrelated, in a comment
        var basket = this.store.Find(id);
        Money2 total = Money.Zero;
        var Secret = "Unrelated";
        return Secret + basket.Top + total.Shown();
    }
    public void Rest(Unrelated other) { }
}
"""
FILES = {"Shop.csproj": project(), "Clerk.cs": CODE}
SERVE = "Clerk.cs:13-20"


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with indexed(tmp_path, FILES) as bench:
        yield bench


def missing(answer: Completeness) -> set[str]:
    return {each.symbol.label for each in answer.missing}


def test_bodies_refer_to_what_they_name_and_to_what_they_use_unnamed(bench: Bench) -> None:
    bench.window.pin(SERVE)
    found = {each.symbol.label: each for each in bench.advice.completeness().missing}
    assert set(found) == {"Money", "Store", "Basket", "Texts", "store"}
    assert (found["Money"].named, found["Store"].named, found["Basket"].named) == (2, 0, 0)
    assert found["Store"].used == found["Texts"].used == 1
    assert found["Basket"].used == 2  # by `var`, and where its member is reached
    assert 0 < found["Money"].signature <= found["Money"].outline


def test_outlines_refer_to_what_their_public_signatures_name(bench: Bench) -> None:
    bench.window.pin("Shop.Store")
    assert missing(bench.advice.completeness()) == {"Basket"}
    bench.window.set_level("Shop.Store", "signature")
    assert missing(bench.advice.completeness()) == set()


def test_a_member_with_its_body_refers_as_its_lines_do(bench: Bench) -> None:
    bench.window.pin("Shop.Clerk.Serve", level="bodies")
    by_member = missing(bench.advice.completeness())
    bench.window.dismiss("Shop.Clerk.Serve")
    bench.window.pin(SERVE)
    assert by_member == missing(bench.advice.completeness()) - {"store"}  # which stands above the body


def test_what_a_file_declares_is_shown_by_it(bench: Bench) -> None:
    bench.window.pin("Clerk.cs")
    answer = bench.advice.completeness()
    assert answer.missing == ()
    assert answer.unneeded == () or answer.unneeded[0].key == "file:Clerk.cs"


def test_one_act_pins_all_that_fits(bench: Bench) -> None:
    bench.window.pin(SERVE)
    answer = bench.advice.completeness(add=True)
    assert len(answer.added) == 5
    assert not missing(answer) & {"Money", "Store", "Basket", "Texts", "store"}
    shown = {item.label for item in bench.window.render().items}
    assert {"Money", "Store", "Basket", "Texts"} <= shown


def test_where_not_all_fits_the_best_set_does_and_the_budget_holds(bench: Bench) -> None:
    pinned = bench.window.pin(SERVE).pinned_tokens
    whole = bench.advice.completeness()
    everything = sum(each.outline for each in whole.missing)
    for less in (1, everything // 3, everything // 2, everything - 1, everything):
        budget = pinned + everything - less
        answer = bench.advice.completeness(budget=budget)
        levels = {each.symbol.label: each.suggested for each in answer.missing}
        assert answer.suggested_tokens <= answer.room == everything - less
        assert None in levels.values() or Level.SIGNATURE in levels.values()
    tight = bench.advice.completeness(budget=pinned + 250, add=True)
    assert bench.window.render().pinned_tokens <= pinned + 250
    assert tight.added


def test_no_room_suggests_nothing(bench: Bench) -> None:
    bench.window.pin(SERVE)
    answer = bench.advice.completeness(budget=1, add=True)
    assert (answer.room, answer.suggested_tokens, answer.added) == (0, 0, ())
    assert len(answer.missing) == 5


def test_an_edit_is_seen(bench: Bench, tmp_path: Path) -> None:
    bench.window.pin(SERVE)
    assert "Basket" in missing(bench.advice.completeness())
    edit(tmp_path, "Clerk.cs", CODE.replace("basket.Top", "new Line()"))
    assert "Line" in missing(bench.advice.completeness())


def test_a_type_that_comes_changes_what_a_name_in_an_unchanged_file_means(
    bench: Bench, tmp_path: Path
) -> None:
    edit(tmp_path, "Late.cs", "namespace Shop; public class Asker { public Answer Of() => null; }")
    bench.index.refresh()
    bench.window.pin("Shop.Asker")
    assert missing(bench.advice.completeness()) == set()
    edit(tmp_path, "Answer.cs", "namespace Shop; public class Answer { }")
    bench.index.refresh()
    assert missing(bench.advice.completeness()) == {"Answer"}


def test_pins_that_nothing_refers_to(bench: Bench) -> None:
    for name in (SERVE, "Shop.Store", "Shop.Line"):
        bench.window.pin(name)
    found = {each.label: each.refers for each in bench.advice.completeness().unneeded}
    assert set(found) == {SERVE, "Line"}
    assert found["Line"] == 0 < found[SERVE]


def test_a_pack_shows_its_types(bench: Bench) -> None:
    bench.packs.build("a", filter="type:Basket")
    bench.window.pin("Shop.Store")
    bench.window.pin("pack:a")
    assert missing(bench.advice.completeness()) == set()


def test_suggestions_are_related_have_a_reason_and_add_nothing(bench: Bench) -> None:
    bench.window.pin("Shop.Store")
    before = bench.window.render()
    answer = bench.advice.suggestions()
    assert bench.window.render() == before
    first = answer.suggestions[0]
    reasons = {each.symbol.label: each.reason for each in answer.suggestions}
    assert first.score == 1
    assert "named by Store" in reasons["Basket"]
    assert "names Store" in reasons["Clerk"]
    assert "Line" in reasons
    assert "Store" not in reasons
    assert [each.score for each in answer.suggestions] == sorted(
        (e.score for e in answer.suggestions), reverse=True
    )
    assert len(bench.advice.suggestions(limit=1).suggestions) == 1


def test_a_reason_tells_a_generic_type_from_its_namesake(bench: Bench, tmp_path: Path) -> None:
    code = "namespace Shop;\npublic class Box { public Box<int> Inner; }\npublic class Box<T> { }\n"
    edit(tmp_path, "Box.cs", code)
    bench.index.refresh()
    bench.window.pin("Box.cs:3-3")
    reasons = {each.symbol.label: each.reason for each in bench.advice.suggestions().suggestions}
    assert reasons["Box"].startswith("names Box<T>")


def test_members_that_a_body_uses_are_suggested(bench: Bench) -> None:
    bench.window.pin(SERVE)
    reasons = {each.symbol.path: each.reason for each in bench.advice.suggestions().suggestions}
    assert reasons["Shop.Store.Find"] == "used once by the source in the window"


def test_an_empty_window_lacks_nothing_and_suggests_nothing(bench: Bench) -> None:
    answer = bench.advice.completeness(add=True)
    assert (answer.referred, answer.missing, answer.unneeded, answer.added) == (0, (), (), ())
    assert bench.advice.suggestions().suggestions == ()


def test_completeness_counts_members_that_the_source_uses(bench: Bench) -> None:
    bench.window.pin(SERVE)
    answer = bench.advice.completeness()
    assert (answer.referred, answer.shown) == (5, 0)  # store, Find, Top, Zero, Shown
    assert (answer.types, answer.types_shown) == (4, 0)
    bench.window.pin("Shop.Money")
    bench.window.pin("Shop.Store", level="signature")
    answer = bench.advice.completeness()
    assert (answer.shown, answer.types_shown) == (1, 2)  # Money.Zero; Store, but not its Find
    bench.window.set_level("Shop.Store", "outline")
    assert bench.advice.completeness().shown == 2
    bench.window.set_level("Shop.Store", "used")
    assert bench.advice.completeness().shown == 2
    bench.window.pin("Shop.Texts.Shown")
    bench.window.pin("Shop.Clerk.store", level="bodies")
    assert bench.advice.completeness().shown == 4
    bench.window.pin("folder:.")
    answer = bench.advice.completeness()
    assert (answer.referred, answer.shown) == (5, 5)


def test_what_the_same_item_declares_does_not_count(bench: Bench) -> None:
    bench.window.pin("Clerk.cs")
    answer = bench.advice.completeness()
    assert (answer.referred, answer.shown) == (0, 0)


PRICES = """namespace Shop;
public static class Prices
{
    private const decimal Rate = 0.19m;
    private static decimal Rounded(decimal amount) => decimal.Round(amount, 2);
    public static decimal Gross(decimal net) => Rounded(net + Taxed(net));
    public static decimal Taxed(decimal net) => net * Rate;
    public static decimal Unused(decimal net) => net;
}
"""


@pytest.fixture
def prices(tmp_path: Path) -> Iterator[Bench]:
    with indexed(tmp_path, {"Shop.csproj": project(), "Prices.cs": PRICES}) as bench:
        yield bench


def test_what_a_shown_body_calls_in_its_own_class_is_offered_with_its_body(prices: Bench) -> None:
    prices.window.pin("Shop.Prices.Gross", level="bodies")
    answer = prices.advice.completeness()
    offered = {each.symbol.path: each.suggested for each in answer.missing}
    assert offered == {"Shop.Prices.Rounded": Level.BODIES, "Shop.Prices.Taxed": Level.BODIES}
    assert (answer.referred, answer.shown, answer.types) == (2, 0, 0)
    added = prices.advice.completeness(add=True)
    assert len(added.added) == 2
    assert added.missing == ()  # Rate stands above the bodies, with its value
    text = prices.window.render().text
    assert "const decimal Rate = 0.19m;" in text
    assert "=> decimal.Round(amount, 2);" in text
    assert "net;" not in text.replace("net * Rate;", "")


def test_lines_alone_lack_the_constants_they_use_which_are_told_with_their_values(prices: Bench) -> None:
    prices.window.pin("Prices.cs:7-7")
    (rate,) = prices.advice.completeness().missing
    assert (rate.symbol.label, rate.value, rate.used, rate.suggested) == ("Rate", "0.19m", 1, Level.BODIES)
    prices.window.pin("Prices.cs:4-4")
    assert prices.advice.completeness().missing == ()


def test_a_type_shown_whole_lacks_none_of_its_members(prices: Bench) -> None:
    prices.window.pin("Shop.Prices", level="whole")
    assert prices.advice.completeness().missing == ()
