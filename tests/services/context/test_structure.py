"""Units of a workspace: types with all that is nested in them, what names what, and which of them are tests."""

from __future__ import annotations

import numpy as np
import pytest

from services.context.ground_cache import StructureBuilder
from services.context.structure import Folders, Structure, is_test, words_of
from tests.support.workspace import indexed

FILES = {
    "src/Orders.cs": "namespace Shop; public class Orders { class Line { Price price; Orders order; } Stock stock; }",
    "src/Stock.cs": "namespace Shop; public partial class Stock { }",
    "src/Stock.More.cs": "namespace Shop; public partial class Stock { public int Left() => new Price().Cents; }",
    "src/Price.cs": "namespace Shop; public struct Price { public int Cents; }",
    "tests/OrdersTests.cs": "namespace Shop.Tests; public class OrdersTests { Shop.Orders orders; }",
}


@pytest.fixture(scope="module")
def structure(tmp_path_factory: pytest.TempPathFactory) -> Structure:
    with indexed(tmp_path_factory.mktemp("units"), FILES) as bench:
        bench.index.relate()
        bench.index.read_bodies()
        return StructureBuilder().update(bench.index.facade.catalogue, bench.index.facade.graph())


def _at(structure: Structure, name: str) -> int:
    (found,) = structure.names.by_name[name]
    return found


def _named(structure: Structure, name: str) -> set[str]:
    return {structure.units[at].name for at in structure.used(_at(structure, name))}


def test_a_nested_type_is_a_part_of_the_outermost_one(structure: Structure) -> None:
    assert sorted(unit.name for unit in structure.units.values()) == [
        "Orders",
        "OrdersTests",
        "Price",
        "Stock",
    ]
    assert {structure.units[at].name for at in structure.unit_of.values()} == {
        "Orders",
        "OrdersTests",
        "Price",
        "Stock",
    }


def test_what_a_nested_type_names_the_outermost_one_names(structure: Structure) -> None:
    assert _named(structure, "Orders") == {"Price", "Stock"}


def test_bodies_count_and_nothing_names_itself(structure: Structure) -> None:
    assert _named(structure, "Stock") == {"Price"}
    assert not (structure.edges.source == structure.edges.target).any()


def test_a_partial_type_is_one_unit_of_two_files(structure: Structure) -> None:
    assert structure.units[_at(structure, "Stock")].paths == ("src/Stock.More.cs", "src/Stock.cs")
    assert structure.at_path["src/Stock.More.cs"] == structure.at_path["src/Stock.cs"]


def test_the_score_of_a_unit_is_that_of_its_best_file(structure: Structure) -> None:
    scores = structure.of_paths({"src/Stock.cs": 0.2, "src/Stock.More.cs": 0.7, "gone.cs": 5.0})
    assert scores[_at(structure, "Stock")] == 0.7
    assert np.count_nonzero(scores) == 1


def test_tests_are_told_by_where_they_lie(structure: Structure) -> None:
    assert [structure.units[at].name for at in structure.tests] == ["OrdersTests"]


def test_names_with_words_in_common_are_alike_and_most_like_themselves(structure: Structure) -> None:
    orders = _at(structure, "Orders")
    like = structure.names.like({orders: 1.0})
    assert like[orders] > like[_at(structure, "OrdersTests")] > 0
    assert like[_at(structure, "Price")] == 0


def test_a_whole_name_counts_more_than_its_words(structure: Structure) -> None:
    by_words = structure.names.named({"order": 1.0}, iter(()))
    assert by_words[_at(structure, "Orders")] > by_words[_at(structure, "OrdersTests")] > 0
    by_name = structure.names.named({}, iter(["OrdersTests", "Unknown"]))
    assert by_name[_at(structure, "OrdersTests")] > by_words.max()


@pytest.mark.parametrize(
    "path",
    [
        "tests/A.cs",
        "src/Shop.Tests/A.cs",
        "src/OrdersTest.cs",
        "src/OrderSpecs.cs",
        "test/unit/A.cs",
        "UnitTests/A.cs",
        "src/Shop.IntegrationTests/A.cs",
        "benchmarks/Run.cs",
        "src/PerfRunner.cs",
    ],
)
def test_a_file_that_tests_others_is_known_by_its_path(path: str) -> None:
    assert is_test(path)


@pytest.mark.parametrize(
    "path",
    [
        "src/Contest.cs",
        "src/Latest.cs",
        "src/Protest/A.cs",
        "src/Attestation.cs",
        "src/Greatest.cs",
        "src/Perfect.cs",
    ],
)
def test_a_word_that_only_has_test_in_it_makes_no_test(path: str) -> None:
    assert not is_test(path)


def test_words_of_a_folder_lead_to_all_that_stands_in_it(structure: Structure) -> None:
    found = structure.folders.named({"test": 1.0})
    assert np.flatnonzero(found).tolist() == [_at(structure, "OrdersTests")]


def test_what_every_folder_is_called_tells_nothing() -> None:
    folders = Folders({"src/Sales.Api": [0, 1], "src/Stock": [2]}, 3)
    assert not folders.named({"src": 1.0, "price": 1.0}).any()
    assert np.flatnonzero(folders.named({"stock": 1.0})).tolist() == [2]


def test_of_several_folders_of_a_unit_the_best_counts() -> None:
    folders = Folders({"Sales": [0, 1], "Sales/Rare": [1], "Other": [2, 3]}, 4)
    found = folders.named(dict.fromkeys(words_of("SalesRare"), 1.0))
    assert found[1] > found[0] > found[2] == 0
