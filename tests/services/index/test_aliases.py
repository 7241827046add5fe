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
        old = bench.resolve("Shop.Basket").resolved
        member = bench.resolve("Basket.Count").resolved
        assert old is not None
        assert member is not None
        edit(tmp_path, "Basket.cs", SHOP.replace("Basket", "Cart"))
        bench.refresh()
        now = bench.resolve(old.type_id).resolved
        assert now is not None
        assert now.path == "Shop.Cart"
        moved = bench.resolve(member.member_id or "").resolved
        assert moved is not None
        assert moved.path == "Shop.Cart.Count"


def test_a_type_moved_to_another_namespace_and_back_keeps_one_alias(tmp_path: Path) -> None:
    with indexed(tmp_path, {"Basket.cs": SHOP}) as bench:
        first = bench.resolve("Basket").resolved
        assert first is not None
        edit(tmp_path, "Basket.cs", SHOP.replace("namespace Shop", "namespace Store"))
        bench.refresh()
        away = bench.resolve("Basket").resolved
        assert away is not None
        assert away.type_id != first.type_id
        assert bench.resolve(first.type_id).resolved == away
        edit(tmp_path, "Basket.cs", SHOP)
        bench.refresh()
        back = bench.resolve(away.type_id).resolved
        assert back == first
        kept = msgspec.json.decode(bench.state.read("aliases.json") or b"{}")
        assert kept[away.type_id] == first.type_id
        assert first.type_id not in kept


def test_what_is_pinned_follows_a_rename(tmp_path: Path) -> None:
    with indexed(tmp_path, {"Basket.cs": SHOP}) as bench:
        bench.pin("Shop.Basket")
        edit(tmp_path, "Basket.cs", SHOP.replace("Basket", "Cart"))
        bench.refresh()
        window = bench.window()
        assert "Shop.Cart" in window.text
        assert not window.items[0].flags


@pytest.mark.parametrize("other", ["public int Hours() => 1;", "public int Count() => 1;"])
def test_a_type_that_is_unlike_is_no_successor(tmp_path: Path, other: str) -> None:
    with indexed(tmp_path, {"Basket.cs": SHOP}) as bench:
        old = bench.resolve("Basket").resolved
        assert old is not None
        edit(tmp_path, "Basket.cs", f"namespace Shop; public class Clock {{ {other} }}")
        bench.refresh()
        assert bench.resolve(old.type_id).resolved is None


IDS = st.sampled_from(["T_A", "T_B", "T_C", "T_D"])


@given(st.lists(st.tuples(IDS, IDS), max_size=8))
def test_chains_are_folded(steps: list[tuple[str, str]]) -> None:
    known: dict[str, str] = {}
    for old, new in steps:
        known = folded(known, {old: new}) if old != new else known
        assert not known.keys() & set(known.values())
