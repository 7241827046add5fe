"""A call whose client has gone ends midway: a window that is rendered, suggestions, a search for context."""

from __future__ import annotations

import threading

import pytest

from services.errors import Cancelled
from services.operations import Work, by_name
from services.source.journal.actor import Owner
from tests.support.serving import SHOP, served

AGENT = Owner("tester")


class AfterAWhile(threading.Event):
    """Set once it has been asked so many times: a client that leaves while the call is at work."""

    def __init__(self, asked: int) -> None:
        super().__init__()
        self._left = asked

    def is_set(self) -> bool:
        self._left -= 1
        return self._left < 0


@pytest.fixture(scope="module")
def serving(tmp_path_factory):
    with served(tmp_path_factory.mktemp("shop"), SHOP) as made:
        yield made


@pytest.mark.parametrize(
    ("name", "arguments"), [("GetPromptWindow", {}), ("Suggest", {}), ("FindContext", {"words": "orders"})]
)
def test_a_call_ends_midway(serving, name, arguments):
    operation = by_name(name)
    serving.call(by_name("Pin"), {"path": "Shop.Orders", "level": "whole"}, agent=AGENT)
    file = serving.bench.root / "Shop/Orders.cs"
    file.write_text(f"{file.read_text()}// {name}\n")
    with pytest.raises(Cancelled):
        serving.call(operation, arguments, agent=AGENT, work=Work(cancel=AfterAWhile(1)))
    serving.call(operation, arguments, agent=AGENT)
