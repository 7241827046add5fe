from hypothesis import given
from hypothesis import strategies as st

from services.prompt.items import KINDS, Rendered
from services.prompt.render.content import (
    LEAST_LINES,
    LEAST_TOKENS,
    Content,
    RemainingBudget,
    cut_to,
    grouped,
)


def content(text, kind="type", **given_):
    is_source = kind == "range"
    rendered = Rendered(label="A", text=text, version="1", is_source=is_source, **given_)
    its = KINDS[kind]
    return Content(key="k", kind=its, level=its.usual, rendered=rendered, text=text, pinned=True)


LINES = st.lists(st.text(st.sampled_from("ab\r\u2028 "), max_size=9), min_size=1, max_size=60)


@given(LINES, st.integers(0, 400).map(lambda n: n + LEAST_TOKENS), st.booleans())
def test_the_most_whole_lines_that_fit_are_kept(lines, room, ended):
    whole = content("\n".join(lines) + ("\n" if ended else ""))
    total = whole.text.count("\n") + (not whole.text.endswith("\n"))

    def fits(shorter):
        return len(shorter.text) <= room

    cut = cut_to(RemainingBudget(room, None), whole, tokens=len(whole.text), fits=fits)
    best = max(
        (n for n in range(total) if sum(len(line) + 1 for line in whole.text.split("\n")[:n]) <= room),
        default=0,
    )
    if best < LEAST_LINES:
        assert cut is None
    else:
        assert cut.text == "".join(f"{line}\n" for line in whole.text.split("\n")[:best])
        assert f"({total - best} line" in cut.cut


def test_a_huge_text_is_not_counted_beyond_what_could_fit():
    measured = []

    def fits(shorter):
        measured.append(len(shorter.text))
        return len(shorter.text) <= 500

    cut = cut_to(
        RemainingBudget(100, None), content(("x" * 99 + "\n") * 200_000), tokens=9_000_000, fits=fits
    )
    assert len(cut.text) == 500
    assert sum(measured) < 30_000
    assert cut.cut == "Cut: the rest is not shown (199 995 lines, about 8 999 775 tokens)."


def test_lines_of_a_source_are_named():
    cut = cut_to(
        RemainingBudget(60, None),
        content("a\n" * 50, "range", start_line=11),
        tokens=100,
        fits=lambda c: len(c.text) <= 20,
    )
    assert cut.cut == "Cut: lines 21-60 are not shown (40 lines, about 80 tokens)."


def test_next_to_no_room_is_not_used():
    assert (
        cut_to(RemainingBudget(LEAST_TOKENS - 1, None), content("a\n" * 50), tokens=100, fits=lambda _: True)
        is None
    )


def test_numbers_are_grouped():
    assert [grouped(n) for n in (0, 999, 1000, 1234567)] == ["0", "999", "1 000", "1 234 567"]
