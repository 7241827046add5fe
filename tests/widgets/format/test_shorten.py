from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from widgets.format.display import visible
from widgets.format.shorten import gap_of, keep_end, shorten_member

LABEL = "Retry(this PolicyBuilder, int, Action<Exception, int>)"


def left(label: str, width: int) -> str:
    start, after, end = gap_of(label, width, overloads=(label,))
    return f"{label[:start]}…{label[after:end]}" if after else label


def test_of_a_path_the_end_is_kept_and_what_fits_is_whole() -> None:
    assert keep_end("src/Retry/Helper.cs:11", 14) == "…/Helper.cs:11"
    assert keep_end("src/A.cs", 8) == "src/A.cs"
    assert keep_end("src/A.cs", 0) == ""


def test_a_wide_or_unsafe_character_takes_the_cells_it_is_shown_in() -> None:
    for text in ("日本語日本語日本語", "a\x1b[31m\u202ebcdef"):
        for width in range(12):
            assert cell_len(keep_end(text, width)) <= width


TEXTS = st.text(st.sampled_from("ab./(,)e\u0301漢\x1b\u202e"), max_size=30)


@given(TEXTS, st.integers(-3, 40))
def test_of_what_does_not_fit_the_end_is_kept_and_what_fits_is_whole(text: str, width: int) -> None:
    shown, kept = visible(text), keep_end(text, width)
    if width > 0 and cell_len(shown) <= width:
        assert kept == shown
    else:
        assert cell_len(kept) <= max(0, width)
        assert shown.endswith(kept.removeprefix("…"))


def test_no_mark_of_a_letter_that_was_left_out_is_put_on_the_ellipsis() -> None:
    assert keep_end("e\u0301" * 4, 4) == "e\u0301" * 4
    assert keep_end("e\u0301" * 4, 3) == "…" + "e\u0301" * 2


@given(TEXTS, st.integers(0, 40))
def test_a_member_never_takes_more_cells_than_there_are(label: str, width: int) -> None:
    shown = shorten_member(label, width)
    assert cell_len(shown) <= width
    assert shown == visible(label) or cell_len(visible(label)) > width or not width


@pytest.mark.parametrize("overloaded", [False, True], ids=["alone", "overloaded"])
@given(label=st.text(st.sampled_from("abc<,()"), max_size=40), width=st.integers(2, 50))
def test_what_is_left_of_a_label_fits_and_is_its_start_and_an_end_of_it(
    overloaded: bool, label: str, width: int
) -> None:
    start, after, end = gap_of(label, width, overloads=(label,) if overloaded else ())
    if (start, after) == (0, 0):
        whole = label if overloaded else label.partition("(")[0]
        assert (end, len(whole) <= width) == (len(label), True)
    else:
        assert 0 <= start <= after <= end <= len(label)
        assert len(label[:start]) + 1 + len(label[after:end]) <= width
        assert not overloaded or end == len(label)


def test_of_a_member_the_parameters_go_before_its_name_does() -> None:
    label = "Polly.RetryHelper.GetDelay(int, bool)"
    assert shorten_member(label, 40) == label
    assert shorten_member(label, 30) == "Polly.RetryHelper.GetDelay(…)"
    assert shorten_member(label, 26) == "Polly.RetryHelper.GetDelay"
    assert shorten_member(label, 18) == "…ryHelper.GetDelay"
    assert shorten_member("AVeryLongTypeName", 8) == "AVeryLo…"


def test_of_an_overload_name_and_last_parameters_are_kept() -> None:
    assert left(LABEL, 60) == LABEL
    assert left(LABEL, 24) == "Retry(…<Exception, int>)"
    other = left(LABEL.replace(", int>)", ", int, Context>)"), 24)
    assert other.startswith("Retry(…")
    assert other.endswith("Context>)")


def test_a_long_name_leaves_half_of_the_room_to_the_parameters() -> None:
    label = "RaiseResultSequenceAndOrCancellationAsync<TResult>(int, CancellationToken)"
    assert left(label, 20) == "RaiseResu…tionToken)"
