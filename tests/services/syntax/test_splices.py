"""A text with stretches replaced, and the way back from every place in it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from services.syntax.layout import Splice, Spliced

TEXT = b"0123456789"
SPLICES = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 2), st.binary(max_size=3)), max_size=4
)  # a gap before, bytes that go, and what comes


def placed(drawn: list[tuple[int, int, bytes]]) -> list[Splice]:
    """Splices that do not overlap."""
    at, made = 0, []
    for gap, size, text in drawn:
        at += gap
        if at + size > len(TEXT):
            break
        made.append(Splice(at, size, text))
        at += size + 1
    return made


def written(splices: list[Splice]) -> tuple[bytes, list[int | None]]:
    """The new text a byte at a time, and where each byte is from; None for one that was put in."""
    text, origins, done = b"", [], 0
    for at, size, new in splices:
        text += TEXT[done:at] + new
        origins += [*range(done, at), *[None] * len(new)]
        done = at + size
    return text + TEXT[done:], [*origins, *range(done, len(TEXT))]


@given(SPLICES)
def test_stretches_are_replaced_in_any_order(drawn: list[tuple[int, int, bytes]]) -> None:
    splices = placed(drawn)
    assert Spliced(TEXT, splices).text == Spliced(TEXT, splices[::-1]).text == written(splices)[0]


@given(SPLICES)
def test_what_stood_before_leads_back_to_its_place(drawn: list[tuple[int, int, bytes]]) -> None:
    splices = placed(drawn)
    spliced = Spliced(TEXT, splices)
    for offset, origin in enumerate(written(splices)[1]):
        if origin is not None:
            assert spliced.origin(offset) == origin
            assert spliced.ending(offset + 1) == origin + 1
    assert spliced.origin(len(spliced.text)) >= max((each.at + each.size for each in splices), default=0)


@given(SPLICES)
def test_what_was_put_in_leads_to_where_it_stands(drawn: list[tuple[int, int, bytes]]) -> None:
    splices = [each for each in placed(drawn) if len(each.text) != each.size]
    spliced = Spliced(TEXT, splices)
    shift = 0
    for at, size, new in splices:
        begin = at + shift
        assert [spliced.origin(begin + each) for each in range(len(new))] == [at] * len(new)
        assert [spliced.ending(begin + each + 1) for each in range(len(new))] == [at] * len(new)
        shift += len(new) - size


def test_several_at_one_place_stand_in_their_order() -> None:
    spliced = Spliced(b"ab", [Splice(1, 0, b"("), Splice(1, 0, b")")])
    assert spliced.text == b"a()b"
    assert [spliced.origin(at) for at in range(5)] == [0, 1, 1, 1, 2]


def test_a_replacement_of_the_same_size_keeps_the_places_inside_it() -> None:
    spliced = Spliced(b"abcdef", [Splice(2, 2, b"XY")])
    assert spliced.text == b"abXYef"
    assert [spliced.origin(at) for at in range(6)] == list(range(6))
