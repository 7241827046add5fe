from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from widgets.format.display import clip, expand_tabs, fit, is_plain, is_safe, visible

EVERY_CHARACTER = st.characters(exclude_categories=())
HOSTILE_TEXT = st.text(
    alphabet=EVERY_CHARACTER | st.sampled_from("\x1b\x07\x9b\u202e\u2066\u200b\ud800\r\n\t")
)
ACTED_ON = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def acted_on(character: str) -> bool:
    """Whether a terminal obeys, reorders by or hides the character, by the tables of this Python."""
    return unicodedata.category(character) in ACTED_ON


def test_nothing_of_these_categories_is_called_safe() -> None:
    missed = [hex(code) for code in range(sys.maxunicode + 1) if acted_on(chr(code)) and is_safe(chr(code))]
    assert missed == []


@given(HOSTILE_TEXT)
def test_nothing_a_terminal_acts_on_survives(text: str) -> None:
    shown = visible(text)
    assert not any(acted_on(character) for character in shown)
    shown.encode()


@given(HOSTILE_TEXT)
def test_what_is_shown_needs_no_showing_again(text: str) -> None:
    assert visible(visible(text)) == visible(text)


@given(st.text(alphabet=st.characters(codec="latin-1", categories=["L", "N", "P", "S"])))
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]52;c;x\x07", "␛]52;c;x␇"),
        ("a\nb\tc\x7f", "a␊b␉c␡"),
        ("\x9b31m", "⟨U+009B⟩31m"),
        ("x\u202ey", "x⟨U+202E⟩y"),
        ("x\u200by\u2028z", "x⟨U+200B⟩y⟨U+2028⟩z"),
        ("\ud800", "⟨U+D800⟩"),
        ("\U000e0041", "⟨U+E0041⟩"),
        ("[bold]x[/]", "[bold]x[/]"),
    ],
)
def test_each_is_shown_as_a_symbol(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ("\tx", "    x"),
        ("ab\tc", "ab  c"),
        ("abcd\te", "abcd    e"),
        ("漢\tx", "漢  x"),
        ("\x1b\tx", "\x1b   x"),
        ("", ""),
    ],
)
def test_tabs_go_to_the_next_stop(text: str, expanded: str) -> None:
    assert expand_tabs(text) == expanded


@given(st.text(alphabet=EVERY_CHARACTER), st.integers(0, 40))
def test_fitted_text_is_as_wide_as_asked(text: str, width: int) -> None:
    assert cell_len(fit(text, width)) == width


@given(st.text(alphabet=EVERY_CHARACTER | st.sampled_from("e\u0301\u0323漢")), st.integers(0, 40))
def test_clipped_text_is_whole_where_it_fits_and_else_its_start_and_an_ellipsis(
    text: str, width: int
) -> None:
    shown, clipped = visible(text), clip(text, width)
    if cell_len(shown) <= width:
        assert clipped == shown
    else:
        assert cell_len(clipped) <= width
        assert clipped == "" or shown.startswith(clipped.removesuffix("…").rstrip(" "))
        assert clipped.endswith("…") or not width


def test_a_name_with_decomposed_letters_is_cut_by_its_cells_and_not_by_its_characters() -> None:
    name = "Cafe\u0301e\u0301e\u0301.cs"
    assert fit(name, 12) == f"{name}   "
    assert clip(name, 9) == name
    assert clip(name, 5) == "Cafe\u0301…"


def test_text_that_does_not_fit_ends_in_an_ellipsis() -> None:
    assert fit("abcdef", 4) == "abc…"
    assert fit("漢字漢字", 4) == "漢 …"
    assert fit("abc", 5) == "abc  "


def test_plain_is_one_cell_a_character() -> None:
    assert is_plain("abc ~")
    assert not is_plain("a\tb")
    assert not is_plain("é")
