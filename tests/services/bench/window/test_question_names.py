"""Questions that are limited to a part of the workspace, as operations that can be followed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from services.bench.bench import Bench
from services.errors import SymbolNotFound
from services.model.window import Conclusion
from services.operations import by_name
from services.ops.jobs import OpState
from tests.support.workspace import indexed, project

FILES = {
    "src/Shop/Shop.csproj": project(),
    "src/Shop/Basket.cs": "namespace Shop.Cart; public class Basket { public int Total() => 1; class DeepBasket { } }",
    "src/Shop/Order.cs": "namespace Shop.Orders; public class BasketOrder { public Shop.Cart.Basket Basket; }",
    "src/Mail/Mail.csproj": project(),
    "src/Mail/Letter.cs": "namespace Post; public class BasketLetter { } public class BasketStamp { }",
}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with indexed(tmp_path_factory.mktemp("scopes"), FILES) as made:
        yield made


def call(bench: Bench, name: str, **arguments: Any) -> Any:
    operation = by_name(name)
    assert operation is not None
    return operation.run(bench, arguments)


def names(found: Conclusion) -> set[str]:
    return {item.symbol.label for item in found.items}


EVERY = {"Basket", "BasketOrder", "BasketLetter", "BasketStamp"}


@pytest.mark.parametrize(("scope", "expected"), [
    ((), EVERY),
    (("Shop.Cart",), {"Basket"}),
    (("Shop",), {"Basket", "BasketOrder"}),  # the namespace around others, and the project
    (("Mail",), {"BasketLetter", "BasketStamp"}),
    (("src/Mail/Mail.csproj",), {"BasketLetter", "BasketStamp"}),
    (("src/Mail/",), {"BasketLetter", "BasketStamp"}),
    (("./src",), EVERY),
    ((".",), EVERY),
    (("src/Shop/Order.cs",), {"BasketOrder"}),
    (("BasketStamp",), {"BasketStamp"}),
    (("Shop.Orders", "Post.BasketStamp"), {"BasketOrder", "BasketStamp"}),
    (("Shop.Cart.Basket.Total",), {"Basket"}),
])  # fmt: skip
def test_a_scope_limits_what_is_answered(bench: Bench, scope: tuple[str, ...], expected: set[str]) -> None:
    assert names(call(bench, "Investigate", question="basket", scopePaths=list(scope))) == expected


def test_what_limits_nothing_is_refused(bench: Bench) -> None:
    with pytest.raises(SymbolNotFound):
        call(bench, "Investigate", question="basket", scopePaths=["Shop.Cellar"])


def test_an_investigation_without_a_model_is_an_operation(bench: Bench) -> None:
    found = call(bench, "Investigate", question="basket", scopePaths=["Shop.Cart"])
    op = bench.ops.jobs.get(found.op_id)
    assert (op.kind, op.state, op.question, op.scope) == (
        "investigate",
        OpState.DONE,
        "basket",
        ("Shop.Cart",),
    )
    events = list(call(bench, "StreamOp", opId=found.op_id, follow=True))
    assert [each.kind for each in events[-2:]] == ["concluded", "done"]
    assert events[-2].refs == ("src/Shop/Basket.cs:1",)
    assert list(call(bench, "StreamOp", opId=found.op_id, after=len(events))) == []
    assert call(bench, "GetConclusion", opId=found.op_id).text == found.text
    assert "Looked at: `Shop.Cart`." in found.text


def test_a_nested_type_is_answered_by_its_own_name(bench: Bench) -> None:
    found = call(bench, "FindContext", words="why is DeepBasket there")
    first, second = found.items[:2]
    assert (first.symbol.path, first.reasons) == ("Shop.Cart.Basket.DeepBasket", ("the text names it",))
    assert second.symbol.path == "Shop.Cart.Basket"
