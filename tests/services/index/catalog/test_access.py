"""Accessibility inside accessibility."""

from itertools import product

import pytest

from services.index.catalog.access import narrowed, widest

NAMES = ("public", "protected internal", "protected", "internal", "private protected", "private", "file")


@pytest.mark.parametrize(
    ("outer", "inner", "both"),
    [
        ("public", "public", "public"),
        ("public", "protected", "protected"),
        ("internal", "public", "internal"),
        ("internal", "protected", "private protected"),
        ("protected", "internal", "private protected"),
        ("protected internal", "internal", "internal"),
        ("protected internal", "protected", "protected"),
        ("private protected", "public", "private protected"),
        ("private", "public", "private"),
        ("public", "private", "private"),
        ("file", "public", "file"),
        ("file", "private", "private"),
    ],
)
def test_who_sees_both_sees_the_inner_one(outer: str, inner: str, both: str) -> None:
    assert narrowed(outer, inner) == both


@pytest.mark.parametrize(("one", "other"), list(product(NAMES, NAMES)))
def test_narrowing_is_symmetric_and_never_widens(one: str, other: str) -> None:
    both = narrowed(one, other)
    assert both == narrowed(other, one)
    assert narrowed(both, one) == both


def test_of_parts_the_declared_access_counts() -> None:
    assert widest(["internal", "public"]) == "public"
    assert widest(["internal", "file"]) == "file"
    assert widest(["private"]) == "private"
