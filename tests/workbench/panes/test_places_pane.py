"""Matches and usages as rows under their files."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from services.model import Grade, GrepFile, GrepMatch, Usage
from tests.support.stage_bench import HEIGHT
from widgets.lists.place_list import PlaceRow
from workbench.panes.places_pane import BOUND_SIGN, NAME_SIGN, RELATED_SIGN, files_of, grep_rows, usage_rows

FILES = ("src/A.cs", "src/B.cs", "src/C.cs")
MATCHES = st.lists(
    st.builds(
        GrepMatch,
        file=st.sampled_from(FILES),
        line_number=st.integers(4, 90),
        content=st.just("hit"),
        context_before=st.lists(st.just("before"), max_size=3).map(tuple),
        context_after=st.lists(st.just("after"), max_size=3).map(tuple),
        spans=st.just(((0, 3),)),
    ),
    max_size=9,
)
USAGES = st.lists(
    st.builds(
        Usage,
        file=st.sampled_from(FILES),
        line=st.integers(1, 90),
        column=st.integers(20, 30),
        end_column=st.integers(31, 40),
        snippet=st.just("x" * 60),
        snippet_start=st.integers(0, 20),
        grade=st.sampled_from(list(Grade)),
        kind=st.sampled_from(["call", "write"]),
        enclosing=st.sampled_from([None, HEIGHT]),
    ),
    max_size=9,
).map(lambda usages: sorted(usages, key=lambda usage: usage.file))


@given(MATCHES)
def test_every_match_stands_under_its_file_with_the_lines_around_it_numbered_on(
    matches: list[GrepMatch],
) -> None:
    files = files_of(matches, line_count=100)
    assert sum(file.match_count for file in files) == len(matches)
    assert len({file.file for file in files}) == len(files)
    rows, at = list(grep_rows(files)), 0
    for file in files:
        assert rows[at] == PlaceRow(file.file, count=file.match_count)
        at += 1
        for match in file.matches:
            around = [*match.context_before, match.content, *match.context_after]
            those = rows[at : at + len(around)]
            first = match.line_number - len(match.context_before)
            assert [(row.file, row.line, row.text) for row in those] == [
                (file.file, first + number, text) for number, text in enumerate(around)
            ]
            assert [row.line for row in those if not row.dim] == [match.line_number]
            assert [row.spans for row in those if row.spans] == [match.spans]
            at += len(around)
    assert at == len(rows)


def test_matches_of_one_file_that_come_apart_are_one_group() -> None:
    matches = [GrepMatch(file=file, line_number=9, content="x") for file in ("b", "a", "b")]
    assert [(file.file, file.match_count) for file in files_of(matches, line_count=9)] == [("b", 2), ("a", 1)]
    assert files_of([], line_count=9) == []


def test_a_file_of_which_only_some_matches_are_told_counts_them_all() -> None:
    match = GrepMatch(file="a", line_number=1, content="x")
    found = GrepFile(file="a", matches=(match,), match_count=70, line_count=99, truncated=True)
    assert next(grep_rows([found])).count == 70


@given(USAGES, st.booleans())
def test_usages_are_counted_under_their_files_and_what_is_lit_is_the_name(
    usages: list[Usage], bound: bool
) -> None:
    rows = list(usage_rows(usages, bound_only=bound))
    wanted = [usage for usage in usages if usage.grade == Grade.BOUND or not bound]
    heads = [row for row in rows if row.line is None]
    places = [row for row in rows if row.line is not None]
    assert [(row.file, row.line) for row in places] == [(usage.file, usage.line) for usage in wanted]
    assert [row.file for row in heads] == sorted({usage.file for usage in wanted})
    assert all(head.count == sum(row.file == head.file for row in places) for head in heads)
    for row, usage in zip(places, wanted, strict=True):
        ((start, end),) = row.spans
        assert (start + usage.snippet_start, end + usage.snippet_start) == (usage.column, usage.end_column)


def test_a_sign_and_a_word_say_how_sure_a_usage_is() -> None:
    usages = [
        Usage(
            file="a", line=1, column=0, end_column=1, snippet="x", grade=grade, kind="call", enclosing=HEIGHT
        )
        for grade in Grade
    ]
    _, *rows = usage_rows(usages, bound_only=False)
    assert [(row.sign, row.note) for row in rows] == [
        (BOUND_SIGN, "call in Height"),
        (RELATED_SIGN, "related, call in Height"),
        (NAME_SIGN, "name match, call in Height"),
    ]
