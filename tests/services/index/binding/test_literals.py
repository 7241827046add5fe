"""Literals: the types that the language gives them (C# specification 6.4.5)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.index.binding.literals import integer
from services.index.binding.types.types import Type

MOST = {"Int32": 2**31 - 1, "UInt32": 2**32 - 1, "Int64": 2**63 - 1, "UInt64": 2**64 - 1}
ORDER = {
    "": ["Int32", "UInt32", "Int64", "UInt64"],
    "u": ["UInt32", "UInt64"],
    "l": ["Int64", "UInt64"],
    "ul": ["UInt64"],
}
"""By suffix, the types that are tried, the first that holds the value taken."""
BASES: dict[str, Callable[[int], str]] = {"": str, "0x": lambda n: f"0x{n:x}", "0b": lambda n: f"0b{n:b}"}
VALUES = st.integers(0, 2**64 - 1) | st.sampled_from(
    [0, *MOST.values(), *(each + 1 for each in MOST.values())][:-1]
)


def _type(text: str) -> str:
    found = integer(text).type
    assert isinstance(found, Type)
    return found.fqn.removeprefix("System.")


@given(VALUES, st.sampled_from(sorted(ORDER)), st.sampled_from(sorted(BASES)))
def test_an_integer_has_the_first_type_that_holds_it(value: int, suffix: str, base: str) -> None:
    wanted = next(name for name in ORDER[suffix] if value <= MOST[name])
    assert _type(BASES[base](value) + suffix) == wanted


@given(VALUES, st.sampled_from(["U", "L", "UL", "Ul", "uL", "LU", "Lu", "lU", "lu"]))
def test_neither_the_case_nor_the_order_of_a_suffix_matters(value: int, suffix: str) -> None:
    plain = "".join(sorted(suffix.lower(), reverse=True))
    assert _type(f"{value}{suffix}") == _type(f"{value}{plain}")


@given(VALUES, st.sampled_from(sorted(BASES)))
def test_underscores_between_digits_do_not_matter(value: int, base: str) -> None:
    text = BASES[base](value)
    digits = text.removeprefix(base)
    assert _type(base + "_".join(digits)) == _type(text)


@given(st.integers(0, 2**33))
def test_only_what_is_an_int_is_known_as_a_constant(value: int) -> None:
    assert integer(str(value)).constant == (value if value < 2**31 else None)


@pytest.mark.parametrize("text", ["", "0x", "0b2", "12z", "_"])
def test_what_is_no_number_counts_as_an_int_without_a_value(text: str) -> None:
    found = integer(text)
    assert (_type(text), found.constant) == ("Int32", None)
