"""What is hidden matches nothing, keeps its lines, and is told by its placeholder."""

from __future__ import annotations

import re

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from services.model import GrepMatch
from services.source.grep_search import Hidden, Piece

PARTS = st.lists(
    st.tuples(st.booleans(), st.text("ab\né", min_size=1, max_size=6)), min_size=1, max_size=8
).map(lambda parts: [(hidden and at % 2 == 1, part) for at, (hidden, part) in enumerate(parts)])


def taken_apart(parts: list[tuple[bool, str]]) -> tuple[bytes, list[Piece], str]:
    """The whole text, its hidden pieces, and the text as it is to be told."""
    data, pieces, told = b"", [], ""
    for number, (hidden, part) in enumerate(parts):
        start = len(data)
        data += part.encode()
        if hidden:
            pieces.append((start, len(data), f"[[secret {number}]]"))
        told += f"[[secret {number}]]" + "\n" * part.count("\n") if hidden else part
    return data, pieces, told


def matched(hidden: Hidden, number: int, around: int = 0) -> GrepMatch:
    lines = hidden.data.decode().split("\n")
    return GrepMatch(
        file="a",
        line_number=number,
        content=lines[number - 1],
        context_before=tuple(lines[max(0, number - 1 - around) : number - 1]),
        context_after=tuple(lines[number : number + around]),
    )


@given(PARTS)
def test_every_line_is_told_with_what_stands_for_its_secrets(parts: list[tuple[bool, str]]) -> None:
    data, pieces, told = taken_apart(parts)
    hidden = Hidden(data, pieces, "a")
    lines = told.split("\n")
    assert hidden.data.count(b"\n") == data.count(b"\n")
    for number in range(1, len(lines) + 1):
        match = hidden.told(matched(hidden, number, around=2))
        assert match.content == lines[number - 1]
        assert match.context_before == tuple(lines[max(0, number - 3) : number - 1])
        assert match.context_after == tuple(lines[number : number + 2])


@given(PARTS)
def test_nothing_of_a_hidden_piece_is_searched(parts: list[tuple[bool, str]]) -> None:
    parts = [(hidden, part.replace("a", "x").replace("é", "x") if hidden else part) for hidden, part in parts]
    data, pieces, _ = taken_apart(parts)
    assert b"x" not in Hidden(data, pieces, "x").data


def test_no_pattern_names_the_mark_nor_has_the_text_it() -> None:
    data = "a\ufdd0 secret \ufdd2".encode()
    start = data.index(b"secret")
    hidden = Hidden(data, [(start, start + 6, "[[…]]")], "[\ufdd1]")
    assert re.search("[\ufdd1]", hidden.data.decode()) is None
    assert hidden.data.decode().count("\ufdd0") == 1
    assert hidden.told(matched(hidden, 1)).content == "a\ufdd0 [[…]] \ufdd2"


def test_only_spans_before_the_first_secret_are_told() -> None:
    hidden = Hidden(b"one key two", [(4, 7, "[[a long placeholder]]")], "o")
    match = msgspec.structs.replace(matched(hidden, 1), spans=((0, 1), (2, 4), (3, 5), (6, 8)))
    assert hidden.told(match).spans == ((0, 1), (2, 4))
    plain = Hidden(b"one key two", [], "o")
    assert plain.told(msgspec.structs.replace(matched(plain, 1), spans=((0, 1), (8, 11)))).spans == (
        (0, 1),
        (8, 11),
    )
