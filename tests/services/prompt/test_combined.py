"""Items shown together: no line of any is lost, none is shown twice at the edge of a range, and costs add up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.model import Level
from services.prompt.items import KINDS, Rendered, Request
from services.prompt.render.combined import Plan, Span, combine, spans_of
from services.prompt.render.content import Content
from services.prompt.render.ladder import Candidate, Rung
from services.prompt.render.render_cache import Piece

LAST = 14
ENDINGS = ("\n", "\r\n")
ODD = ("\x0c", "\x0b", "\x1c", "\x85", "\u2028", "\u2029", "\r", "")
"""What `str.splitlines` takes for the end of a line, and no compiler does."""
FILE = {n: f"{n}{ODD[n % len(ODD)]}x{ENDINGS[n % 2]}" for n in range(1, LAST)} | {LAST: f"{LAST}"}
"""Lines by number; the last one has no ending."""

spans = st.tuples(st.integers(1, LAST), st.integers(1, LAST)).map(sorted).map(tuple)
ranges = st.lists(spans, min_size=1, max_size=6)


def measured(content: Content) -> Piece:
    return Piece(content.text, len(content.text))


def candidate(kind: str, place: tuple[int, int], *, id_: str | None = None, pinned: bool = True) -> Candidate:
    start, end = place
    text = "".join(FILE[n] for n in range(start, end + 1))
    rendered = Rendered(
        label=f"A.cs:{start}-{end}", text=text, version="1", file="A.cs", start_line=start, end_line=end,
        is_source=True, symbol_id=id_,
    )  # fmt: skip
    level = Level.RANGE if kind == "range" else Level.BODIES
    content = Content(
        key=f"{kind}:{id_ or place}",
        kind=KINDS[kind],
        level=level,
        rendered=rendered,
        text=text,
        pinned=pinned,
    )
    return Candidate(content.key, rendered.label, pinned, (Rung(content, measured(content)),))


def nothing(request: Request, pinned: bool) -> Rung | None:
    """Rendering of members together that is not there."""
    return None


def shown(candidates: Iterable[Candidate]) -> list[int]:
    """The numbers of all lines that are shown, read from the texts themselves."""
    found: list[int] = []
    for each in candidates:
        content = each.rungs[0].content
        for _, start, end in spans_of(content):
            found += range(start, end + 1)
    return found


def combined(items: Sequence[Candidate]) -> Sequence[Candidate]:
    plan = combine(items, nothing, measured)
    return items if plan is None else plan.candidates


@given(ranges)
def test_every_line_of_every_range_is_shown(places: list[tuple[int, int]]) -> None:
    items = [candidate("range", place) for place in places]
    assert set(shown(combined(items))) == set(shown(items))


@given(ranges)
def test_a_range_shows_the_lines_it_says_it_shows(places: list[tuple[int, int]]) -> None:
    for each in combined([candidate("range", place) for place in places]):
        content = each.rungs[0].content
        [(_, start, end)] = spans_of(content)
        assert content.text == "".join(FILE[n] for n in range(start, end + 1))
        assert content.rendered.label.endswith(f":{start}-{end}")
        assert each.rungs[0].piece == measured(content)


@given(ranges)
def test_no_range_begins_or_ends_with_a_line_shown_before_it(places: list[tuple[int, int]]) -> None:
    made = combined([candidate("range", place) for place in places])
    for n, each in enumerate(made):
        lines = shown([each])
        assert not {lines[0], lines[-1]} & set(shown(made[:n]))


@given(ranges)
def test_what_is_combined_once_stays_as_it_is(places: list[tuple[int, int]]) -> None:
    once = combined([candidate("range", place) for place in places])
    assert combine(once, nothing, measured) is None


@given(ranges)
def test_the_items_cost_together_what_their_texts_cost(places: list[tuple[int, int]]) -> None:
    items = [candidate("range", place) for place in places]
    plan = combine(items, nothing, measured)
    if plan is None:
        return
    taken = [each.rungs[0] for each in plan.candidates]
    costs = plan.costs(items, taken)
    assert sum(costs) == sum(rung.piece.tokens for rung in taken)
    assert [cost == 0 for cost in costs] == [n in plan.held for n in range(len(items))]
    assert [plan.places[lead] for lead in plan.leads] == list(range(len(plan.candidates)))


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        pytest.param(
            [(1, 4), (1, 10)], [(1, 10)], id="a larger range behind a smaller one has all its lines"
        ),
        pytest.param([(1, 10), (1, 4)], [(1, 10)], id="a smaller one stands in a larger one before it"),
        pytest.param([(3, 6), (3, 6)], [(3, 6)], id="of equals the first is shown"),
        pytest.param([(6, 10), (1, 5), (3, 12)], [(1, 5), (6, 12)], id="one stands in it and one begins it"),
        pytest.param([(1, 5), (6, 10), (3, 8)], [(1, 5), (6, 10)], id="two before it show all of it"),
        pytest.param([(4, 6), (1, 9)], [(1, 9)], id="what lies amid it costs it nothing"),
        pytest.param([(1, 3), (4, 6)], [(1, 3), (4, 6)], id="neighbours share nothing"),
    ],
)
def test_ranges_share_their_lines(places: list[tuple[int, int]], expected: list[tuple[int, int]]) -> None:
    made = combined([candidate("range", place) for place in places])
    assert [spans_of(each.rungs[0].content)[0][1:] for each in made] == expected


def test_ranges_of_other_files_share_nothing() -> None:
    first, second = candidate("range", (1, 5)), candidate("range", (3, 8))
    [rung] = second.rungs
    moved = Rendered(
        label="B.cs", text=rung.content.text, version="1", spans=(("B.cs", 3, 8),), is_source=True
    )
    content = Content(
        key="range:B.cs:3-8",
        kind=KINDS["range"],
        level=Level.RANGE,
        rendered=moved,
        text=moved.text,
        pinned=True,
    )
    assert (
        combine([first, Candidate("b", "b", True, (Rung(content, rung.piece),))], nothing, measured) is None
    )


def shell(request: Request, pinned: bool) -> Rung:
    """Members of one type in one declaration: the lines of each, by the last figures of its id."""
    found: list[Span] = []
    for id_ in request.members:
        start = int(id_.rpartition("_")[2])
        found.append(("A.cs", start, start + 1))
    text = "".join(FILE[n] for _, start, end in found for n in range(start, end + 1))
    rendered = Rendered(label=str(request.key), text=text, version="1", spans=tuple(found))
    content = Content(
        key=str(request.key),
        kind=KINDS["type"],
        level=request.level,
        rendered=rendered,
        text=text,
        pinned=pinned,
    )
    return Rung(content, measured(content))


def member(owner: str, start: int, *, pinned: bool = True) -> Candidate:
    return candidate("member", (start, start + 1), id_=f"T_{owner}_{start}", pinned=pinned)


def combined_members(items: Sequence[Candidate]) -> Plan:
    plan = combine(items, shell, measured)
    assert plan is not None
    return plan


def test_members_of_one_type_stand_in_one_shell_at_the_place_of_the_first() -> None:
    plan = combined_members([member("A", 1), member("B", 5), member("A", 9)])
    assert [each.rungs[0].content.key for each in plan.candidates] == ["type:T_A", "type:T_B"]
    assert shown(plan.candidates) == [1, 2, 9, 10, 5, 6]
    assert plan.places == (0, 1, 0)
    assert plan.leads == (0, 1)


def test_pinned_members_and_recent_ones_stand_apart() -> None:
    plan = combined_members([member("A", 1), member("A", 5, pinned=False)])
    assert [(each.pinned, shown([each])) for each in plan.candidates] == [(True, [1, 2]), (False, [5, 6])]


@given(ranges, st.lists(st.tuples(st.sampled_from("AB"), st.integers(1, LAST - 1)), unique=True, max_size=4))
def test_members_and_ranges_together_lose_no_line(
    places: list[tuple[int, int]], members: list[tuple[str, int]]
) -> None:
    items = [*(member(*each) for each in members), *(candidate("range", place) for place in places)]
    for order in (items, items[::-1]):
        plan = combine(order, shell, measured)
        made = order if plan is None else plan.candidates
        assert set(shown(made)) == set(shown(order))
        costs = [] if plan is None else plan.costs(order, [each.rungs[0] for each in made])
        assert min(costs, default=0) >= 0
        assert plan is None or sum(costs) == sum(each.rungs[0].piece.tokens for each in made)


def test_an_item_that_shows_nothing_leaves_all_as_they_are() -> None:
    gone = Candidate("file:B.cs", "B.cs", True, (), "It is gone.")
    assert combine([candidate("range", (1, 5)), gone, candidate("range", (3, 8))], nothing, measured) is None
