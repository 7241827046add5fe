from __future__ import annotations

import pytest

from widgets.format.shorten import counted, token_count


@pytest.mark.parametrize(
    ("tokens", "approximate", "text"),
    [
        (None, False, ""),
        (None, True, ""),
        (0, False, "0"),
        (812, True, "≈812"),
        (1234567, False, "1 234 567"),
    ],
)
def test_costs_are_grouped_marked_or_blank(tokens: int | None, approximate: bool, text: str) -> None:
    assert token_count(tokens, approximate=approximate).replace("\N{NO-BREAK SPACE}", " ") == text


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 items"), (1, "1 item"), (2, "2 items"), (1200, "1 200 items")]
)
def test_what_is_counted_is_named_in_its_number(number: int, text: str) -> None:
    assert counted(number, "item").replace("\N{NO-BREAK SPACE}", " ") == text
    assert counted(number, "item is", "items are").endswith(" is" if number == 1 else "s are")
