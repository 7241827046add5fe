from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.index.aliases import folded
from tests.support.workspace import edit, indexed

SHOP = """namespace Shop;
public class Basket
{
    public int Count() => 1;
    public void Add(string name, int price) { }
    public decimal Total { get; }
}
"""


def test_a_renamed_type_and_its_members_are_found_by_their_old_ids(tmp_path: Path) -> None:
    with indexed(tmp_path, {"Basket.cs": SHOP}) as bench:
        old = bench.lookup.resolve("Shop.Basket").resolved
        member = bench.lookup.resolve("Basket.Count").resolved
        assert old is not None
        assert member is not None
        edit(tmp_path, "Basket.cs", SHOP.replace("Basket", "Cart"))
        bench.index.refresh()
        now = bench.lookup.resolve(old.type_id).resolved
        assert now is not None
        assert now.path == "Shop.Cart"
        moved = bench.lookup.resolve(member.member_id or "").resolved
        assert moved is not None
        assert moved.path == "Shop.Cart.Count"


def test_a_type_moved_to_another_namespace_and_back_keeps_one_alias(tmp_path: Path) -> None:
    with indexed(tmp_path, {"Basket.cs": SHOP}) as bench:
        first = bench.lookup.resolve("Basket").resolved
        assert first is not None
        edit(tmp_path, "Basket.cs", SHOP.replace("namespace Shop", "namespace Store"))
        bench.index.refresh()
        away = bench.lookup.resolve("Basket").resolved
        assert away is not None
        assert away.type_id != first.type_id
        assert bench.lookup.resolve(first.type_id).resolved == away
        edit(tmp_path, "Basket.cs", SHOP)
        bench.index.refresh()
        back = bench.lookup.resolve(away.type_id).resolved
        assert back == first
        kept = msgspec.json.decode(bench.state.read("aliases.json") or b"{}")
        assert kept[away.type_id] == first.type_id
        assert first.type_id not in kept


def test_what_is_pinned_follows_a_rename(tmp_path: Path) -> None:
    with indexed(tmp_path, {"Basket.cs": SHOP}) as bench:
        bench.window.pin("Shop.Basket")
        edit(tmp_path, "Basket.cs", SHOP.replace("Basket", "Cart"))
        bench.index.refresh()
        window = bench.window.render()
        assert "public class Cart\n// namespace Shop\n" in window.text
        assert not window.items[0].flags


@pytest.mark.parametrize("other", ["public int Hours() => 1;", "public int Count() => 1;"])
def test_a_type_that_is_unlike_is_no_successor(tmp_path: Path, other: str) -> None:
    with indexed(tmp_path, {"Basket.cs": SHOP}) as bench:
        old = bench.lookup.resolve("Basket").resolved
        assert old is not None
        edit(tmp_path, "Basket.cs", f"namespace Shop; public class Clock {{ {other} }}")
        bench.index.refresh()
        assert bench.lookup.resolve(old.type_id).resolved is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("class Basket { int One() => 1; }", "class Cart { int One() => 1; }"),
        ("enum Colour { Red }", "enum Hue { Red }"),
        ("interface IOne { void Do(int a); }", "interface IDo { void Do(int b); }"),
        ("class Basket { public int One; Basket() {} }", "class Cart { public int One; Cart() {} }"),
    ],
)
def test_a_renamed_type_with_one_member_is_found_by_its_old_id(tmp_path: Path, old: str, new: str) -> None:
    with indexed(tmp_path, {"One.cs": old}) as bench:
        (was,) = (symbol for symbol in bench.index.symbols() if symbol.is_type)
        edit(tmp_path, "One.cs", new)
        bench.index.refresh()
        now = bench.lookup.resolve(was.id).resolved
        assert now is not None
        assert now.path == new.split()[1]


@pytest.mark.parametrize(
    "new",
    [
        "class Cart { int Two() => 1; }",
        "class Cart { int One(int a) => 1; }",
        "struct Cart { int One() => 1; }",
        "class Cart { int One() => 1; int Two() => 1; }",
        "class Cart { int One() => 1; } class Trolley { int One() => 1; }",
        "class Cart { }",
    ],
)
def test_a_type_with_one_member_has_no_doubtful_successor(tmp_path: Path, new: str) -> None:
    with indexed(tmp_path, {"One.cs": "class Basket { int One() => 1; }"}) as bench:
        (was,) = (symbol for symbol in bench.index.symbols() if symbol.is_type)
        edit(tmp_path, "One.cs", new)
        bench.index.refresh()
        assert bench.lookup.resolve(was.id).resolved is None


IDS = st.sampled_from(["T_A", "T_B", "T_C", "T_D"])


@given(st.lists(st.tuples(IDS, IDS), max_size=8))
def test_chains_are_folded(steps: list[tuple[str, str]]) -> None:
    known: dict[str, str] = {}
    for old, new in steps:
        known = folded(known, {old: new}) if old != new else known
        assert not known.keys() & set(known.values())
