from __future__ import annotations

from rich.cells import cell_len

from widgets.format.shorten import gap_of, keep_end, shorten_member

LABEL = "Retry(this PolicyBuilder, int, Action<Exception, int>)"


def left(label: str, width: int) -> str:
    start, after, end = gap_of(label, width, overloaded=True)
    return f"{label[:start]}…{label[after:end]}" if after else label


def test_of_a_path_the_end_is_kept_and_what_fits_is_whole() -> None:
    assert keep_end("src/Retry/Helper.cs:11", 14) == "…/Helper.cs:11"
    assert keep_end("src/A.cs", 8) == "src/A.cs"
    assert keep_end("src/A.cs", 0) == ""


def test_a_wide_or_unsafe_character_takes_the_cells_it_is_shown_in() -> None:
    for text in ("日本語日本語日本語", "a\x1b[31m\u202ebcdef"):
        for width in range(12):
            assert cell_len(keep_end(text, width)) <= width


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
