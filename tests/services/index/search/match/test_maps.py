"""Letter maps: each text's letters and humps by position, however many texts and however long."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.index.search.match.alphabet import LetterMaps, Marks, Words, build_maps, code_of, fold

TEXTS = st.lists(st.text("abAB9_.+éß", min_size=1, max_size=40) | st.just("x" * 70 + "Y"), max_size=5)


def mapped(texts: list[str], longest: int, ids: list[int] | None = None) -> LetterMaps:
    points = np.array([ord(char) for text in texts for char in text], np.uint32)
    starts = np.cumsum([0, *map(len, texts)])
    chosen = np.arange(len(texts)) if ids is None else np.array(ids, np.int64)
    return build_maps(Marks.of(points, starts), starts, chosen, longest=longest)


def places(words: Words, text: int) -> list[int]:
    """The positions that have a bit."""
    width = words.dtype.itemsize * 8
    return [
        number * width + bit
        for number in range(len(words))
        for bit in range(width)
        if int(words[number, text]) >> bit & 1
    ]


@pytest.mark.parametrize("longest", [31, 63, 127])
@given(texts=TEXTS)
def test_a_letter_is_where_it_stands_as_far_as_texts_are_mapped(longest: int, texts: list[str]) -> None:
    maps = mapped(texts, longest)
    for at, text in enumerate(texts):
        shown = fold(text)[:longest]
        for code in set(map(code_of, "ab9_.é")):
            wanted = [place for place, char in enumerate(shown) if code_of(char) == code]
            assert places(maps.letters[code], at) == wanted
            assert bool(int(maps.present[at]) >> code & 1) is bool(wanted)
        assert maps.lengths[at] == len(shown)


@given(TEXTS, st.data())
def test_some_texts_are_mapped_as_they_are_among_all(texts: list[str], data: st.DataObject) -> None:
    ids = data.draw(st.lists(st.sampled_from(range(len(texts))), unique=True) if texts else st.just([]))
    whole, some = mapped(texts, 63), mapped(texts, 63, sorted(ids))
    assert some.ids.tolist() == sorted(ids)
    assert (some.letters == whole.letters[:, :, sorted(ids)]).all()
    assert (some.humps == whole.humps[:, sorted(ids)]).all()


@pytest.mark.parametrize(
    ("text", "humps"),
    [
        ("getValue", [0, 3]),
        ("XMLParser", [0, 3]),
        ("IEnumerable", [0, 1]),
        ("_field", [1]),
        ("A.B+C", [0, 2, 4]),
        ("Utf8Text", [0, 3, 4]),
        ("überÄnderung", [0, 4]),
        ("lower", [0]),
    ],
)
def test_words_begin_where_a_reader_sees_them_begin(text: str, humps: list[int]) -> None:
    around = ["Zz", text, "zz"]
    assert places(mapped(around, 31).humps, 1) == humps


@given(TEXTS)
def test_maps_kept_as_arrays_come_back(texts: list[str]) -> None:
    maps = mapped(texts, 63)
    again = LetterMaps.from_arrays(maps.arrays("names/"), "names/")
    assert all(np.array_equal(getattr(again, name), getattr(maps, name)) for name in LetterMaps.__slots__)
