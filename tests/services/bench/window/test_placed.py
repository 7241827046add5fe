"""Where the items of a copy in parts stand: whoever got fewer parts is never told to have more than stood in them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.bench.window.changes_since import placed
from services.model import Level, Window
from services.model.copies import ReceiptItem
from services.prompt.receipts import Part
from services.prompt.render.shown import Rendering, Shown


def parts(*contents: str) -> list[Part]:
    return [Part(n, len(contents), "", content, "") for n, content in enumerate(contents, 1)]


def rendering(texts: dict[str, str]) -> Rendering:
    shown = tuple(
        Shown(key=key, level=Level.WHOLE, text=text, tokens=1, version="1", pinned=True)
        for key, text in texts.items()
    )
    window = Window(
        text="", tokens=0, budget=0, pinned_tokens=0, soft_budget=0, model="", tokenizer="", approximate=False,
        items=(), omitted=(),
    )  # fmt: skip
    return Rendering(window, shown)


def where(texts: dict[str, str], *contents: str, sent: bool = True) -> list[tuple[int, ...]]:
    items = [
        ReceiptItem(key=key, label=key, hash="", version="", level=Level.WHOLE, tokens=1, sent=sent)
        for key in texts
    ]
    return [item.parts for item in placed(items, rendering(texts), parts(*contents))]


@pytest.mark.parametrize(
    ("text", "contents", "expected"),
    [
        pytest.param("b\n", ("a\n", "b\n", "c\n"), (2,), id="in one part"),
        pytest.param("a\nb\n", ("a\n", "b\n"), (1, 2), id="over two parts"),
        pytest.param("b\n", ("a\nb\n", "c\nb\n", "d\n"), (1, 2), id="in two places"),
        pytest.param("x\n", ("a\n", "b\n"), (1, 2), id="not as it is"),
        pytest.param("", ("a\n", "b\n"), (1, 2), id="nothing"),
        pytest.param("a\n", ("a\n",), (), id="all in one part"),
    ],
)
def test_an_item_is_in_the_parts_that_its_text_is_in(
    text: str, contents: tuple[str, ...], expected: tuple[int, ...]
) -> None:
    assert where({"note:1": text}, *contents) == [expected]


def test_what_an_earlier_copy_left_is_in_no_part() -> None:
    assert where({"note:1": "a\n"}, "a\n", "b\n", sent=False) == [()]


lines = st.lists(st.sampled_from(["a\n", "b\n", "c\n"]), min_size=1, max_size=3).map("".join)


@given(st.lists(lines, min_size=2, max_size=4), st.data())
def test_an_item_stands_whole_in_the_parts_that_are_told(texts: list[str], data: st.DataObject) -> None:
    """Wherever the text is cut, and however alike its items are."""
    whole = "".join(texts)
    cuts = sorted(data.draw(st.sets(st.integers(1, len(whole) - 1), min_size=1, max_size=3)))
    contents = [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    keys = [f"note:{n}" for n in range(len(texts))]
    found = where(dict(zip(keys, texts, strict=True)), *contents)
    at = 0
    for text, its in zip(texts, found, strict=True):
        own = {sum(cut <= place for cut in cuts) + 1 for place in range(at, at + len(text))}
        assert own <= set(its)
        at += len(text)
