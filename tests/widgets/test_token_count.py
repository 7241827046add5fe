from __future__ import annotations

import pytest

from widgets.token_count import token_count


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
