"""Names with wildcards as expressions."""

from __future__ import annotations

import re

import pytest

from services.index.resolve.written import wildcards


@pytest.mark.parametrize(
    ("segments", "text", "fits"),
    [
        (("Store",), "Store", True),
        (("Sto?e",), "Store", True),
        (("S*e",), "Store", True),
        (("*a*a*",), "banana", True),
        (("*a*b*c",), "xaybzc", True),
        (("*a*b*c",), "xbyazc", False),
        (("*1*2*3*",), "a1b2c3d", True),
        (("A.B*",), "AxBc", False),
        (("*a*b*", "*c*d*"), "xaxb.cxdx", True),
        (("*a*b*", "*c*d*"), "ab.dc", False),
    ],
)
def test_stars_and_question_marks_stand_for_characters(
    segments: tuple[str, ...], text: str, fits: bool
) -> None:
    assert (re.fullmatch(wildcards(*segments), text) is not None) is fits


def test_a_wildcard_stays_in_its_segment() -> None:
    expression = wildcards("a*z", character="[^.]")
    assert re.fullmatch(expression, "abcz")
    assert not re.fullmatch(expression, "ab.cz")
