"""Comments follow their lines, marks fall with them, and what is told of a review is in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.bench.bench import Bench
from services.errors import UsageError
from services.model import DiffLine, FileChange, Hunk
from services.model.review import CommentState, Review, ReviewComment, Severity
from services.review.anchors import followed, said, with_comments
from services.review.look import (
    ReviewedState,
    digest_of,
    digests_of,
    interdiff,
    look_at,
    marked,
    progress_of,
    shown_lines,
    whole_files,
)
from services.review.markdown import counted, fence, place_of, review_markdown, said_below
from services.review.opened import OpenedChange
from services.source.diffs.hunks import hunks_of
from tests.support.review_change import CODE, committed, write

words = st.lists(st.sampled_from(["a", "b", "c", "", "}"]), max_size=12)
FILE = FileChange(path="A.cs", status="modified")


def lines(texts: list[str]) -> list[str]:
    return [f"{text}\n" for text in texts]


def hunks(old: list[str], new: list[str], *, context: int = 1) -> tuple[Hunk, ...]:
    return hunks_of(lines(old), lines(new), context=context)


def shown(texts: list[str]) -> Mapping[int, DiffLine]:
    return {at: DiffLine(text=text, new=at) for at, text in enumerate(texts, 1)}


# Comments


@given(words, words, st.integers(1, 12), st.integers(1, 3))
def test_a_comment_stands_at_its_lines_nearest_to_where_it_was(
    old: list[str], new: list[str], line: int, count: int
) -> None:
    block = old[line - 1 : line - 1 + count]
    if not "".join(block):
        return
    comment = ReviewComment(file="A.cs", line=line, quoted="\n".join(block), text="Why?")
    there = [at for at in range(1, len(new) + 2) if new[at - 1 : at - 1 + len(block)] == block]
    now = followed(comment, shown(new))
    assert now.outdated is not bool(there)
    assert now.line in (there or [line])
    assert all(abs((now.line or 0) - line) <= abs(at - line) for at in there)
    assert now.outdated or (now.end_line or now.line) == (now.line or 0) + len(block) - 1
    assert followed(now, shown(new)) == now


@given(words, st.integers(1, 12))
def test_a_comment_that_is_outdated_comes_back_with_its_lines(texts: list[str], line: int) -> None:
    if not texts[line - 1 : line] or not texts[line - 1]:
        return
    comment = ReviewComment(file="A.cs", line=line, quoted=texts[line - 1], text="Why?")
    gone = followed(comment, {})
    assert (gone.outdated, gone.line) == (True, line)
    assert followed(gone, shown(texts)) == comment


def test_lines_that_the_change_does_not_show_are_looked_for_in_the_whole_file() -> None:
    comment = ReviewComment(file="A.cs", line=2, end_line=3, quoted="b\nc", text="Why?")
    whole = ["x", "x", "x", "b", "c"]
    now = followed(comment, shown(["x"]), lambda: whole)
    assert (now.line, now.end_line, now.outdated) == (4, 5, False)
    assert followed(comment, shown(["x"]), lambda: None).outdated


@pytest.mark.parametrize(
    "comment",
    [ReviewComment(), ReviewComment(file="A.cs"), ReviewComment(file="A.cs", line=3)],
    ids=["on the whole", "on a file", "on a line that is not quoted"],
)  # fmt: skip
def test_a_comment_that_quotes_nothing_stays_where_it_is(comment: ReviewComment) -> None:
    assert followed(comment, shown(["a"])) is comment


comments = st.builds(
    ReviewComment,
    id=st.uuids().map(str),
    file=st.sampled_from(["", "A.cs"]),
    line=st.none() | st.integers(1, 3),
    text=st.sampled_from(["Why?", "How?"]),
)


@given(st.lists(comments, max_size=5, unique_by=said), st.lists(comments, max_size=5))
def test_what_says_the_same_at_the_same_place_is_taken_once(
    there: list[ReviewComment], new: list[ReviewComment]
) -> None:
    review = with_comments(Review(id="R", change="", comments=tuple(there)), new, (), "")
    assert list(review.comments[: len(there)]) == there
    assert len({said(each) for each in review.comments}) == len(review.comments)
    assert {said(each) for each in review.comments} == {said(each) for each in (*there, *new)}
    assert with_comments(review, new, (), "") == review


def test_a_summary_stays_until_there_is_another() -> None:
    review = Review(id="R", change="", summary="Fine.")
    assert with_comments(review, (), (), "").summary == "Fine."
    assert with_comments(review, (), (), "Not so.").summary == "Not so."


# Looks


@given(words, words)
def test_nothing_changed_since_a_look_at_the_same(old: list[str], new: list[str]) -> None:
    change = [(FILE, hunks(old, new))]
    look = msgspec.json.decode(msgspec.json.encode(look_at(change, signature="1", at=7)), type=ReviewedState)
    found = interdiff(look, change)
    assert found.looked_at == 7
    assert [(each.status, each.hunks_new, each.lines) for each in found.files] == [("same", 0, ())]
    assert digests_of(look) == {digest_of("A.cs", hunk) for hunk in change[0][1]}


@given(words, words, words)
def test_what_changed_since_a_look_leads_from_one_new_side_to_the_other(
    old: list[str], before: list[str], now: list[str]
) -> None:
    every = len(old) + len(before) + len(now)
    look = look_at([(FILE, hunks(old, before, context=every))], signature="1", at=1)
    current = hunks(old, now, context=every)
    [file] = interdiff(look, [(FILE, current)]).files
    was = [line.removeprefix("WAS: - ") for line in file.lines if line.startswith("WAS")]
    new = dict(line.removeprefix("NEW_LINE_").split(": + ") for line in file.lines if line.startswith("NEW"))
    assert all(now[int(number) - 1] == text for number, text in new.items())
    assert (file.status == "same") == (look == look_at([(FILE, current)], signature="1", at=1))
    seen, there = (
        sorted(side) if changed else [] for side, changed in ((before, old != before), (now, old != now))
    )
    assert sorted([*seen, *new.values()]) == sorted([*there, *was]) or file.status == "same"


def test_files_that_came_and_went_since_a_look_are_told() -> None:
    change = hunks(["a"], ["b"])
    look = look_at([(FILE, change)], signature="1", at=1)
    found = interdiff(look, [(FileChange(path="B.cs", status="added"), change)])
    assert [(each.path, each.status) for each in found.files] == [("B.cs", "new"), ("A.cs", "gone")]
    assert [each.status for each in interdiff(None, [(FILE, change)]).files] == ["new"]


@given(words, words, words)
def test_a_mark_falls_where_its_hunk_changes_and_nowhere_else(
    old: list[str], before: list[str], now: list[str]
) -> None:
    first, second = hunks(old, before), hunks(old, now)
    digests = [digest_of("A.cs", hunk) for hunk in first]
    review = marked(Review(id="R", change=""), "A.cs", digests, by="kim", reviewed=True)
    assert progress_of([(FILE, first)], review.marks).reviewed == max(1, len(first)) * bool(first)
    alike = [hunk for hunk in second if any(_text(hunk) == _text(each) for each in first)]
    assert progress_of([(FILE, second)], review.marks).reviewed == len(alike)
    assert ("A.cs" in whole_files([(FILE, second)], review.marks)) == (bool(second) and alike == list(second))
    assert marked(review, "A.cs", digests, by="kim", reviewed=False).marks == ()


def _text(hunk: Hunk) -> list[tuple[str, str]]:
    return [(line.sign, line.text) for line in hunk.lines]


def test_a_line_end_that_comes_or_goes_at_the_end_of_a_file_is_another_hunk() -> None:
    came, went = hunks_of(["a"], ["a\n"]), hunks_of(["a\n"], ["a"])
    assert [_text(each) for each in came] == [_text(each) for each in went]
    assert digest_of("A.cs", came[0]) != digest_of("A.cs", went[0])
    look = look_at([(FILE, came)], signature="1", at=1)
    assert [each.status for each in interdiff(look, [(FILE, went)]).files] == ["changed"]


def test_the_same_hunk_of_another_file_is_not_marked_with_it() -> None:
    [hunk] = hunks(["a"], ["b"])
    review = marked(Review(id="R", change=""), "A.cs", [digest_of("A.cs", hunk)], by="kim", reviewed=True)
    assert progress_of([(FileChange(path="B.cs", status="modified"), [hunk])], review.marks).reviewed == 0


def test_lines_shown_are_those_of_the_new_side() -> None:
    assert {at: line.text for at, line in shown_lines(hunks(["a", "b"], ["a", "c"])).items()} == {
        1: "a",
        2: "c",
    }


# As text


@given(st.text("`a\n ", max_size=30))
def test_a_fence_does_not_stand_in_what_it_holds(text: str) -> None:
    assert fence(text) not in text
    assert set(fence(text)) == {"`"}
    assert len(fence(text)) >= 3


def test_a_review_is_told_by_file_and_line_with_what_is_suggested() -> None:
    review = Review(id="R", change="HEAD", title="Shop", summary="Mostly fine.", comments=(
        ReviewComment(file="B.cs", line=9, text="Why?", severity=Severity.QUESTION, author="kim"),
        ReviewComment(file="B.cs", line=2, end_line=4, text="", suggestion="a\n```\nb", category="style"),
        ReviewComment(text="All in all.", severity=Severity.PRAISE, state=CommentState.PUBLISHED),
        ReviewComment(file="A.cs", text="Gone.", outdated=True, author_kind="model"),
    ))  # fmt: skip
    assert review_markdown(review) == (
        "# Review: Shop\n\nMostly fine.\n\n2 suggestions, 1 praise, 1 question\n\n"
        "## The change as a whole\n\n**Praise** (person, published)\n\nAll in all.\n\n"
        "## A.cs\n\n**Suggestion** (model, draft)\n*Its lines are not in the change any more.*\n\nGone.\n\n"
        "## B.cs\n\n**Suggestion** · lines 2-4 · style (person, draft)\n\n````suggestion\na\n```\nb\n````\n\n"
        "**Question** · line 9 (kim, draft)\n\nWhy?\n"
    )
    published = review_markdown(review, states=[CommentState.PUBLISHED])
    assert "All in all." in published
    assert "## A.cs" not in published
    assert counted(()) == "No comments."


def test_a_comment_below_its_line_shows_what_it_would_put_there() -> None:
    comment = ReviewComment(file="A.cs", line=3, text="Shorter:\nplease", suggestion="x\ny", author="kim")
    assert said_below(comment) == ["suggestion, draft · kim: Shorter:", "please", "+ x", "+ y"]
    assert said_below(msgspec.structs.replace(comment, suggestion=""))[-1] == "suggested: nothing"
    assert place_of(ReviewComment()) == ""


# Over a workspace


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with committed(tmp_path) as made:
        yield made


def test_every_comment_that_is_told_to_be_taken_is_in_the_review(bench: Bench) -> None:
    write(bench, CODE.replace("return a;", "return a + 1;"))
    made = ReviewComment(file="Shop.cs", line=7, text="Why?")
    [first] = bench.review.add("", made).taken
    [again] = bench.review.add("", made).taken
    assert bench.review.comment("", again.id) == first


@pytest.mark.parametrize(
    ("asked", "path"),
    [
        ("Lib/Shop.cs", "Lib/Shop.cs"),
        ("Shop.cs", "Lib/Shop.cs"),
        ("./Shop.cs", "Lib/Shop.cs"),
        ("/Lib/Shop.cs", None),
        (".editorconfig", "Lib/.editorconfig"),
        ("./.editorconfig", "Lib/.editorconfig"),
        ("editorconfig", None),
        ("hop.cs", None),
        ("", None),
        ("./", None),
        ("Two.cs", None),
    ],
)
def test_a_file_of_a_change_is_named_by_its_path_or_the_end_of_it(
    bench: Bench, asked: str, path: str | None
) -> None:
    for name in ("Lib/.editorconfig", "Lib/Two.cs", "Lib.Tests/Two.cs"):
        (bench.root / name).write_text("x\n")
    write(bench, "\n" + CODE)
    opened: OpenedChange = bench.review.open("")
    if path is None:
        with pytest.raises(UsageError, match="has no file"):
            opened.file(asked)
    else:
        assert opened.file(asked).path == path
