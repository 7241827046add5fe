"""Where not everything fits, details go before items do, and what went is said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from services.errors import BudgetExceeded, UsageError
from services.model import ItemFlag, Level
from services.prompt.items import KINDS, Chosen, ItemKey
from services.prompt.render.ladder import Budget, WindowOptions
from services.prompt.render.render_cache import pieces_of
from services.prompt.render.renderer import View
from services.prompt.tokens.tokenizers import counter_for
from services.prompt.window import PromptWindow
from tests.services.prompt.support import Clock, MemoryFiles, Shown, lines


@pytest.fixture
def options(encodings):
    return WindowOptions(model="gpt-4o", counter=counter_for("gpt-4o", encodings), budget=Budget(tokens=2000))


@pytest.fixture
def shown():
    made = Shown()
    for name in "ABC":
        key = made.put(name, lines(100, f"{name} outline"))
        made.put_lower(key, signature=f"class {name}\n", range=lines(300, f"{name} source"))
    return made


@pytest.fixture
def window(shown, options):
    return PromptWindow(MemoryFiles(), shown, options=options, now=Clock())


A, B, C = (ItemKey("type", name) for name in "ABC")


def use(window, options, tokens, **given_):
    window.use(replace(options, budget=Budget(tokens=tokens, **given_)))


def levels(window):
    return [(item.label, item.level) for item in window.items]


def test_the_last_used_keep_their_detail_longest(window, options):
    for key in (C, B, A):
        window.visit(key)
    use(window, options, 1100)
    answer = window.window()
    assert levels(answer) == [("A", "outline"), ("B", "outline"), ("C", "signature")]
    assert answer.items[2].flags == (ItemFlag.LOWERED,)
    (lowered,) = answer.lowered
    assert (lowered.key, lowered.wanted, lowered.shown) == ("type:C", "outline", "signature")
    more = f"{lowered.tokens} tokens more"
    assert lowered.reason == (
        f"Shown as type signature: as type outline it takes {more}, which do not fit the budget."
    )
    listed = f"- type:C · {lowered.tokens} tokens more as type outline\n"
    assert answer.text.endswith(f"## Not shown\n\nAsk for any of it by its key.\n\n{listed}")


def test_recent_items_give_way_before_pinned_ones(window, options):
    window.visit(A)
    window.visit(B)
    window.pin(C)
    use(window, options, 860)
    answer = window.window()
    assert levels(answer) == [("C", "outline"), ("B", "outline"), ("A", "signature")]
    assert [item.flags for item in answer.items] == [(), (ItemFlag.CUT,), (ItemFlag.LOWERED,)]


def test_nothing_is_left_out_while_its_least_fits(window, options):
    for key in (A, B, C):
        window.pin(key, force=True)
    use(window, options, 150)
    answer = window.window()
    assert [level for _, level in levels(answer)] == ["signature"] * 3
    assert answer.omitted == ()
    assert len(answer.lowered) == 3


def test_what_room_is_left_goes_to_the_first_that_lost_detail(window, options):
    window.pin(A, force=True)
    window.set_level(A, Level.RANGE, force=True)
    use(window, options, 900)
    answer = window.window()
    assert levels(answer) == [("A", "range")]
    assert answer.items[0].flags == (ItemFlag.CUT,)
    assert answer.tokens > 800


def test_a_level_that_is_chosen_stays(window, shown):
    window.pin(A)
    assert window.set_level(A, Level.SIGNATURE).items[0].level == "signature"
    assert window.pin(A).items[0].wanted == "signature"
    window.unpin(A)
    assert window.window().items[0].wanted == "signature"
    assert window.pin_all((Chosen(key=A, level=Level.RANGE),), force=True).items[0].level == "range"


def test_levels_that_are_not_there_are_refused(window, shown):
    window.pin(A)
    with pytest.raises(UsageError, match="Name the members"):
        window.set_level(A, Level.BODIES)
    with pytest.raises(UsageError, match="not in the prompt window"):
        window.set_level(B, Level.SIGNATURE)
    window.pin(shown.put("note:1", "words\n"))
    with pytest.raises(UsageError, match=r"A note has no level signature\. It has whole\."):
        window.set_level(ItemKey("note", "1"), Level.SIGNATURE)
    with pytest.raises(UsageError, match="A member has no level range"):
        KINDS["member"].level("range")


def test_more_detail_past_the_soft_budget_is_refused(window):
    window.pin(A)
    with pytest.raises(BudgetExceeded, match="A takes"):
        window.set_level(A, Level.RANGE)
    assert window.window().items[0].level == "outline"
    assert window.set_level(A, Level.RANGE, force=True).items[0].wanted == "range"


def test_many_are_pinned_or_none(window):
    with pytest.raises(BudgetExceeded, match="3 items take"):
        window.pin_all((Chosen(key=A), Chosen(key=B), Chosen(key=C)))
    assert window.window().items == ()
    chosen = [Chosen(key=key, level=Level.SIGNATURE) for key in (A, B, C)]
    assert levels(window.pin_all(chosen)) == [(name, "signature") for name in "ABC"]


def test_pinned_items_are_moved(window):
    for key in (A, B, C):
        window.pin(key, force=True)
    assert [label for label, _ in levels(window.move(C, beside=A))] == ["C", "A", "B"]
    assert [label for label, _ in levels(window.move(C, beside=A, after=True))] == ["A", "C", "B"]
    assert [label for label, _ in levels(window.move(C, beside=C))] == ["A", "C", "B"]
    window.unpin(C)
    for pair in ((C, A), (A, C)):
        with pytest.raises(UsageError, match="C is not pinned, only recent"):
            window.move(pair[0], beside=pair[1])


def test_what_is_far_too_large_is_not_counted(window, shown, options):
    counted = []

    class Counter:
        name, exact = "few", True

        def units(self, texts):
            counted.extend(texts)
            return options.counter.units(texts)

        def tokens(self, units):
            return units

    use(window, replace(options, counter=Counter()), 1_000)
    window.pin(shown.put("file:huge.txt", "x = 1;\n" * 5_000_000), force=True)
    answer = window.window()
    assert answer.tokens <= 1_000
    assert sum(map(len, counted)) < 100_000
    assert answer.items[0].flags == (ItemFlag.CUT,)


def test_sizes_that_were_not_counted_say_about(window, shown, options):
    use(window, options, 500)
    window.pin(shown.put("file:huge.txt", "x" * 36_000_000), force=True)
    answer = window.window()
    assert answer.omitted[0].tokens > 8_000_000
    assert "- file:huge.txt · file:huge.txt: about 9 0" in answer.text


def test_a_pin_larger_than_all_pins_may_be_says_what_else_to_do(window, shown, options):
    use(window, options, 500)
    with pytest.raises(BudgetExceeded, match=r"takes about 9 .* Pin lines of it, or less detail"):
        window.pin(shown.put("file:huge.txt", "x" * 36_000_000))


def test_a_text_is_estimated_above_what_fits_however_it_is_made(options):
    room = Budget(tokens=100, max_chars=200).room
    (piece,) = pieces_of([" " * 801], options.counter, most=room)
    assert not piece.counted
    assert not room.holds(piece.tokens, piece.chars)
    assert piece.tokens > 100


def test_a_rendering_of_some_items_alone_changes_nothing_of_the_window(window):
    window.pin(A)
    window.pin(B)
    alone = window.rendering(view=View(only=frozenset({"type:A"})))
    assert "A outline 7" in alone.window.text
    assert "B outline 7" not in alone.window.text
    assert "B outline 7" in window.window().text
    (piece,) = alone.shown
    assert (piece.key, piece.level) == ("type:A", "outline")
    assert piece.text in alone.window.text


def test_what_the_text_shows_can_be_asked(window, options):
    for key in (C, B, A):
        window.visit(key)
    use(window, options, 650)
    shown = window.rendering().shown
    assert [(each.key, each.level) for each in shown] == [
        ("type:A", "outline"),
        ("type:B", "signature"),
        ("type:C", "signature"),
    ]
    assert shown[1].text == "class B\n"


LEVEL_TEXTS = st.dictionaries(
    st.sampled_from(["signature", "range", "whole"]), st.integers(0, 60), min_size=0, max_size=3
)


@pytest.mark.parametrize("model", ["gpt-4o", "gpt-4"])
@pytest.mark.parametrize("form", ["md", "xml", "json"])
def test_no_ladder_leads_above_the_budget(encodings, model, form):
    counter = counter_for(model, encodings)

    @given(
        st.lists(st.tuples(st.integers(1, 60), LEVEL_TEXTS, st.booleans()), min_size=1, max_size=8),
        st.integers(1, 900),
        st.none() | st.integers(1, 3000),
    )
    def check(items, budget, max_chars):
        shown = Shown()
        limits = Budget(tokens=budget, max_chars=max_chars)
        options = WindowOptions(model=model, counter=counter, budget=limits)
        window = PromptWindow(files := MemoryFiles(), shown, options=options, now=Clock())
        for n, (size, others, pinned) in enumerate(items):
            key = shown.put(f"T{n}", lines(size, f"o{n}"))
            shown.put_lower(key, **{level: lines(count, f"{level}{n}") for level, count in others.items()})
            window.pin(key, force=True) if pinned else window.visit(key)
            if "whole" in others:
                window.set_level(key, Level.WHOLE, force=True)
        answer = window.window(format=form)
        assert answer.tokens == counter.count(answer.text) <= budget
        assert max_chars is None or len(answer.text) <= max_chars
        shown_keys = {item.key for item in answer.items if item.level is not None}
        assert shown_keys | {each.key for each in answer.omitted} == {item.key for item in answer.items}
        assert {each.key for each in answer.lowered} == {
            item.key for item in answer.items if ItemFlag.LOWERED in item.flags
        }
        assert all(item.level == item.wanted for item in answer.items if item.flags == ())
        assert PromptWindow(files, shown, options=options).window(format=form) == answer

    check()
