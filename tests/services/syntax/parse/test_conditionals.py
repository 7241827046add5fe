"""The expressions of `#if`."""

import pytest

from services.syntax.parse.lexer import evaluate


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("A", True),
        ("B", False),
        ("!B", True),
        ("!!A", True),
        ("A && B", False),
        ("A || B", True),
        ("B && B || A", True),
        ("A || B && B", True),
        ("(A || B) && B", False),
        ("A == true", True),
        ("A != B", True),
        ("B == false && A", True),
        ("A // && B", True),
        ("true", True),
        ("", False),
        ("A B", False),
        ("(A", False),
        ("A &&", False),
        ("1", False),
        ("A & B", False),
        ("é || A", True),
    ],
)
def test_an_expression_has_the_value_the_language_gives_it(expression: str, value: bool) -> None:
    assert evaluate(expression, {"A"}) is value


def test_nesting_past_reason_is_false() -> None:
    assert evaluate("(" * 100_000 + "A" + ")" * 100_000, {"A"}) is False
