"""A long text begins with its contents and their costs; interfaces stand first and source last."""

import pytest

from services.prompt.items import ItemKey, Order
from services.prompt.render.ladder import Budget, WindowOptions
from services.prompt.tokens.tokenizers import EncodingCounter, counter_for
from services.prompt.window import PromptWindow
from tests.services.prompt.support import Clock, MemoryFiles, Shown, lines

COUNTER = counter_for("gpt-4o", EncodingCounter())


def window_of(shown, tokens=8_000):
    options = WindowOptions(model="gpt-4o", counter=COUNTER, budget=Budget(tokens=tokens))
    return PromptWindow(MemoryFiles(), shown, options=options, now=Clock())


def pinned(count):
    shown = Shown()
    for n in range(count):
        shown.put(f"T{n}", lines(60))
    window = window_of(shown)
    for n in range(count):
        window.pin(ItemKey("type", f"T{n}"), force=True)
    return window


@pytest.mark.parametrize("form", ["md", "xml", "json"])
def test_more_than_eight_items_have_contents_with_costs(form):
    few, many = pinned(8).window(format=form), pinned(9).window(format=form)
    assert "T8 · type outline · " not in few.text
    assert many.tokens == COUNTER.count(many.text)
    if form == "json":
        return
    costs = {item.label: item.tokens for item in many.items}
    rows = [f"{label} · type outline · {cost} tokens" for label, cost in costs.items()]
    assert [row for row in rows if row not in many.text.split("line 59")[0]] == []


def test_the_text_is_ordered_by_what_items_are_and_the_list_by_when_they_were_pinned():
    shown = Shown()
    for name, order in (
        ("Body", Order.SOURCE),
        ("Test", Order.TEST),
        ("User", Order.USER),
        ("IFace", Order.CONTRACT),
    ):
        shown.put(name, f"text of {name}\n", order=order)
    window = window_of(shown)
    for name in ("Body", "Test", "User", "IFace"):
        made = window.pin(ItemKey("type", name), force=True)
    found = sorted(("IFace", "User", "Test", "Body"), key=lambda name: made.text.index(f"text of {name}"))
    assert found == ["IFace", "User", "Test", "Body"]
    assert [item.label for item in made.items] == ["Body", "Test", "User", "IFace"]


@pytest.mark.parametrize("form", ["md", "xml", "json"])
def test_what_was_pinned_first_keeps_its_place_where_room_is_short_wherever_it_stands(form):
    shown = Shown()
    shown.put("Late", lines(60), order=Order.SOURCE)
    shown.put("Early", lines(60), order=Order.CONTRACT)
    window = window_of(shown, tokens=340)
    for name in ("Late", "Early"):
        window.pin(ItemKey("type", name), force=True)
    made = window.window(format=form)
    assert made.tokens <= 340
    assert [item.level is not None and not item.flags for item in made.items] == [True, False]
