"""Packs over a real workspace: what is in them, in which order, kept how, and what they say of what is gone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.bench.bench import Bench
from services.errors import InvalidFilter, UsageError, WorkspaceError
from services.model import ItemState, Level, Pack
from services.prompt.tokens.tokenizers import EncodingCounter, counter_for
from tests.support.workspace import edit, indexed, project

FILES = {
    "Shop/Shop.csproj": project(),
    "Shop/Model.cs": """
namespace Shop.Model;
public class Money { public decimal Amount; }
public class Line { public Money Price; }
public class Order { public Line First; internal Secret Hidden() => null; public Invoice Bill; }
public class Invoice { public Order Of; }
internal class Secret { }
[System.Obsolete] public sealed class Old { }
public interface IShip { void Ship(Order order); }
""",
    "Shop.Tests/Shop.Tests.csproj": project().replace(
        "</Project>", '<ItemGroup><ProjectReference Include="../Shop/Shop.csproj"/></ItemGroup></Project>'
    ),
    "Shop.Tests/OrderTests.cs": """
namespace Shop.Tests;
public class OrderTests { public Shop.Model.Order Subject; }
""",
}


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with indexed(tmp_path, FILES) as bench:
        yield bench


def names(pack: Pack) -> list[str]:
    return [each.name.rpartition(".")[2] for each in pack.types]


CHOICES = {
    "type:Money": {"Money"},
    "tag:obsolete": {"Old"},
    "tag:interface": {"IShip"},
    "tag:test": {"OrderTests"},
    "access:internal": {"Secret"},
    "depends:Money": {"Line"},
    "tag:Shop.Tests": {"OrderTests"},
    "namespace:Shop.Model tag:class !tag:obsolete access:public": {"Money", "Line", "Order", "Invoice"},
    "namespace:Shop": {"Money", "Line", "Order", "Invoice", "Secret", "Old", "IShip", "OrderTests"},
}


def test_a_filter_chooses(bench: Bench) -> None:
    for wanted, expected in CHOICES.items():
        chosen = [each.name for each in bench.packs.build("a", filter=wanted).types if each.chosen]
        assert {name.rpartition(".")[2] for name in chosen} == expected, wanted


def test_direct_public_dependencies_come_too_and_first(bench: Bench) -> None:
    pack = bench.packs.build("a", filter="type:IShip")
    assert [(each.name, each.chosen) for each in pack.types] == [
        ("Shop.Model.Order", False),
        ("Shop.Model.IShip", True),
    ]
    assert pack.text.index("class Order") < pack.text.index("interface IShip")


def test_types_that_depend_on_each_other_stand_together(bench: Bench) -> None:
    pack = bench.packs.build("a", filter="namespace:Shop.Model access:public")
    order = names(pack)
    assert order.index("Money") < order.index("Line") < order.index("Order")
    assert abs(order.index("Order") - order.index("Invoice")) == 1
    circles = {name: each.circle for name, each in zip(order, pack.types, strict=True)}
    assert circles["Order"] == circles["Invoice"] > 0
    assert circles["Money"] == 0


def test_the_text_never_exceeds_its_budget(bench: Bench) -> None:
    counter = counter_for(bench.settings.window.model, EncodingCounter())
    for budget in (60, 150, 250, 400, 700):
        pack = bench.packs.build("a", filter="namespace:Shop", budget=budget)
        assert pack.tokens == counter.count(pack.text) <= budget
        assert len(pack.types) + len(pack.omitted) == 8
        assert all(each.label in pack.text for each in pack.omitted) or not pack.types


def test_detail_goes_before_types_and_dependencies_before_what_was_chosen(bench: Bench) -> None:
    whole = bench.packs.build("a", filter="type:IShip OR type:Line")
    less = bench.packs.build("a", budget=whole.tokens - 10)
    levels = {each.name.rpartition(".")[2]: each.level for each in less.types}
    assert not less.omitted
    assert levels["IShip"] is levels["Line"] is Level.OUTLINE
    assert Level.SIGNATURE in levels.values()


def test_nothing_is_written_until_the_content_changes(bench: Bench, tmp_path: Path) -> None:
    first = bench.packs.build("a", filter="type:Money OR type:Line", budget=150)
    files = [tmp_path / ".context" / "packs" / name for name in ("a.md", "a.toml")]
    before = [(file.read_bytes(), file.stat().st_mtime_ns) for file in files]
    again = bench.packs.build("a")
    assert first.rebuilt
    assert not again.rebuilt
    assert (again.text, again.types, again.omitted) == (first.text, first.types, first.omitted)
    assert [(file.read_bytes(), file.stat().st_mtime_ns) for file in files] == before
    edit(tmp_path, "Shop/Model.cs", FILES["Shop/Model.cs"].replace("Amount", "Value"))
    bench.index.refresh()
    assert bench.packs.build("a").rebuilt


def test_a_text_somebody_else_wrote_is_built_again(bench: Bench, tmp_path: Path) -> None:
    first = bench.packs.build("a", filter="type:Money")
    (tmp_path / ".context/packs/a.md").write_text("<<<<<<< merge\n")
    again = bench.packs.build("a")
    assert again.rebuilt
    assert again.text == first.text == (tmp_path / ".context/packs/a.md").read_text()


def test_types_that_are_gone_are_said_and_the_rest_is_built(bench: Bench, tmp_path: Path) -> None:
    bench.packs.build("a", filter="type:Money OR type:Nowhere", types=["Shop.Model.Old", "Shop.Never"])
    edit(tmp_path, "Shop/Model.cs", FILES["Shop/Model.cs"].replace("class Old", "class Renewed"))
    bench.index.refresh()
    pack = bench.packs.build("a", types=["Shop.Model.Old"])
    assert "nowhere" in pack.gone
    assert names(pack) == ["Money"]
    assert any("Old" in each for each in pack.gone)


def test_what_a_person_adds_to_the_file_stays(bench: Bench, tmp_path: Path) -> None:
    bench.packs.build("a", filter="type:Money")
    file = tmp_path / ".context/packs/a.toml"
    file.write_text("# Ours.\n" + file.read_text().replace("type:Money", "type:Line"))
    pack = bench.packs.build("a")
    assert "Line" in names(pack)
    assert file.read_text().startswith("# Ours.\n")


@pytest.mark.parametrize("damage", ["filter = [", "", "\n"])
def test_a_damaged_file_is_named_listed_and_can_be_deleted(bench: Bench, tmp_path: Path, damage: str) -> None:
    bench.packs.build("a", filter="type:Money")
    (tmp_path / ".context/packs/a.toml").write_text(damage)
    with pytest.raises(WorkspaceError, match=r"packs/a\.toml cannot be understood"):
        bench.packs.build("a")
    assert "cannot be understood" in bench.packs.all()[0].problem
    bench.packs.delete("a")
    assert bench.packs.all() == ()


NO_NAMES = ("", ".", "..", "a/b", "../a", "a b", "con", "NUL.x", "a.", "-a", "é", "x" * 65, "a\0")


def test_a_name_that_is_none_is_refused_before_anything_is_written(bench: Bench, tmp_path: Path) -> None:
    for name in NO_NAMES:
        with pytest.raises(UsageError, match="is no name of a pack"):
            bench.packs.build(name, filter="type:Money")
    assert not (tmp_path / ".context/packs").exists()


def test_a_wrong_filter_changes_nothing(bench: Bench) -> None:
    before = bench.packs.build("a", filter="type:Money")
    with pytest.raises(InvalidFilter):
        bench.packs.build("a", filter="type:Money OR")
    assert bench.packs.build("a").text == before.text


def test_a_new_pack_of_nothing_is_not_made(bench: Bench) -> None:
    for wanted in (None, "type:Nowhere"):
        with pytest.raises(UsageError):
            bench.packs.build("a", filter=wanted)
    assert bench.packs.all() == ()


def test_a_filter_that_matches_nothing_never_replaces_a_pack(bench: Bench, tmp_path: Path) -> None:
    bench.packs.build("a", filter="type:Money")
    before = {path.name: path.read_bytes() for path in (tmp_path / ".context/packs").iterdir()}
    for wanted in ("type:Nowhere", "namespace:No.Such", "type:Money !type:Money"):
        with pytest.raises(UsageError, match="stays as it is"):
            bench.packs.build("a", filter=wanted)
    assert {path.name: path.read_bytes() for path in (tmp_path / ".context/packs").iterdir()} == before


def test_active_packs_raise_their_types_in_the_recent_part(bench: Bench) -> None:
    bench.packs.build("a", filter="type:Money")
    for name in ("Money", "Old", "Secret"):
        bench.window.visit(f"Shop.{'Model.'}{name}")
    assert [item.label for item in bench.window.render().items] == ["Secret", "Old", "Money"]
    bench.window.visit("Shop.Model.Money")
    bench.window.visit("Shop.Model.Old")  # Old 3, Money 2 -> 3: the last used stays first
    assert bench.packs.activate("a").active
    assert [item.label for item in bench.window.render().items] == ["Old", "Money", "Secret"]
    bench.window.visit("Shop.Model.Line")
    bench.window.visit("Shop.Model.Secret")  # Secret 4, Line 3, Old 2, Money 1 -> 1.5
    assert [item.label for item in bench.window.render().items] == ["Secret", "Line", "Old", "Money"]
    bench.packs.activate("a", active=False)
    assert not bench.packs.all()[0].active


def test_a_pack_can_be_pinned(bench: Bench) -> None:
    pack = bench.packs.build("a", filter="type:Money")
    assert "# Pack a" in bench.window.pin("pack:a").text
    window = bench.window.set_level("pack:a", "signature")
    assert "Pack a: Shop.Model.Money" in window.text
    assert pack.types[0].id in bench.packs.types_of("a")
    bench.packs.delete("a")
    assert "Money" not in bench.window.render().text


def test_a_pinned_pack_says_what_its_types_say_now_and_its_file_stays(bench: Bench, tmp_path: Path) -> None:
    bench.packs.build("a", filter="type:Money")
    bench.window.pin("pack:a")
    before = (tmp_path / ".context/packs/a.md").read_text()
    model = FILES["Shop/Model.cs"]
    edit(tmp_path, "Shop/Model.cs", model.replace("public decimal Amount;", "public int Cents2;"))
    (item,) = bench.window.render().items
    assert "Cents2" in bench.window.render().text
    assert (item.state, item.state_detail != "") == (ItemState.BODY_CHANGED, True)
    assert (tmp_path / ".context/packs/a.md").read_text() == before
    assert "Cents2" in bench.packs.build("a").text
    assert bench.window.render().items[0].state is ItemState.FRESH


def test_a_pinned_pack_has_a_type_that_matches_since(bench: Bench, tmp_path: Path) -> None:
    bench.packs.build("shop", filter="namespace:Shop.Model")
    assert "Refund" not in bench.window.pin("pack:shop").text
    edit(tmp_path, "Shop/Refund.cs", "namespace Shop.Model; public class Refund { }\n")
    bench.index.refresh()
    window = bench.window.render()
    assert "class Refund" in window.text
    assert window.items[0].state is ItemState.BODY_CHANGED


def test_a_pack_says_to_whoever_reads_it_what_is_not_there(bench: Bench) -> None:
    assert "Nowhere" not in bench.packs.build("a", filter="type:Money").text
    pack = bench.packs.build("a", types=["Shop.Never"])
    assert pack.text.endswith("Named by the pack and not there: Shop.Never.\n")
    assert not bench.packs.build("a").rebuilt


def test_there_is_nothing_to_delete_or_activate(bench: Bench) -> None:
    for act in (bench.packs.delete, bench.packs.activate):
        with pytest.raises(UsageError, match="There is no pack"):
            act("a")
