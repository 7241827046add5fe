"""Items that carry their own data, held against the files as they are now."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.bench.items.anchors import Anchors
from services.bench.items.embedded import EmbeddedItems, chosen_hunk, chosen_note, chosen_search, hunks_of
from services.model import GrepAnswer, GrepMatch, ItemState, Level
from services.prompt.items import KINDS, Chosen, Rendered, Request


class Files:
    """The part of Anchors that embedded items ask: lines of files, and where a type is now."""

    def __init__(self, **files: list[str]) -> None:
        self.files = {f"{name}.cs": lines for name, lines in files.items()}
        self.now: dict[str, str] = {}

    def text_lines(self, file: str) -> list[str] | None:
        return self.files.get(file)

    def found(self, id_: str) -> Any:
        return self.now.get(id_)

    def lines_of(self, found: Any) -> tuple[str, int, int]:
        return found, 1, 1


def shown(files: Files, chosen: Chosen, level: Level = Level.WHOLE) -> Rendered:
    items = EmbeddedItems(cast("Anchors", files))
    rendered = items.render(Request(key=chosen.key, level=level, data=chosen.data or {}), "v")
    assert rendered is not None
    assert rendered.version == "v"
    return rendered


def answer(*found: tuple[str, int, str], **given_: Any) -> GrepAnswer:
    matches = tuple(
        GrepMatch(file=file, line_number=line, content=text, context_before=(), context_after=(), spans=())
        for file, line, text in found
    )
    values: dict[str, Any] = {
        "pattern": "x",
        "matches": matches,
        "match_count": len(matches),
        "line_count": 9,
        "truncated": False,
    }
    return GrepAnswer(**{**values, **given_})


def search(*found: tuple[str, int, str], context: int = 0, lead: str = "") -> Chosen:
    return chosen_search(answer(*found), lead=lambda _: lead, context=context)


HUNK = "@@ -3,3 +3,4 @@ class A\n one\n-two\n+TWO\n+more\n three\n"


# Notes


@given(st.text(min_size=1, max_size=200).filter(str.strip))
def test_a_note_says_what_was_written_and_ends_its_line(text: str) -> None:
    found = shown(Files(), chosen_note(text))
    assert found.text in (text, f"{text}\n")
    assert found.text.endswith("\n")
    assert "\n" not in found.label
    assert len(found.label) <= 40


def test_the_same_words_are_the_same_note_and_others_are_not() -> None:
    assert chosen_note("a").key == chosen_note("a").key != chosen_note("b").key


# Searches


def test_a_line_that_stands_where_it_was_found_is_fresh() -> None:
    found = shown(Files(A=["a", "x", "b"]), search(("A.cs", 2, "x\r\n")))
    assert (found.state, found.changed, found.text) == (ItemState.FRESH, False, "A.cs\n2: x\n")


def test_a_line_that_moved_is_shown_where_it_is_with_a_word() -> None:
    found = shown(Files(A=["new", "a", "x"]), search(("A.cs", 2, "x")))
    assert (found.state, found.text) == (ItemState.MOVED, "A.cs\n3: x\n")
    assert found.state_detail == "1 of the lines moved."


def test_of_several_like_it_the_nearest_is_meant() -> None:
    found = shown(Files(A=["x", *["-"] * 5, "x", "-"]), search(("A.cs", 6, "x")))
    assert found.text == "A.cs\n7: x\n"


def test_a_line_that_is_gone_is_said_to_be_gone() -> None:
    found = shown(Files(A=["a", "x"]), search(("A.cs", 2, "x"), ("A.cs", 1, "y")))
    assert (found.state, found.changed) == (ItemState.BODY_CHANGED, True)
    assert found.state_detail == "1 of 2 lines found are no longer there."
    assert found.text == "A.cs\n2: x\n"


def test_lines_around_a_match_are_marked_apart_from_it() -> None:
    found = shown(Files(A=["a", "x", "b", "c"]), search(("A.cs", 2, "x"), context=1))
    assert found.text == "A.cs\n1- a\n2: x\n3- b\n"


def test_a_file_with_another_name_is_found_through_its_type() -> None:
    files = Files(B=["x"])
    files.now["T_1"] = "B.cs"
    found = shown(files, search(("A.cs", 1, "x"), lead="T_1"))
    assert (found.text, found.state) == ("B.cs\n1: x\n", ItemState.MOVED)
    assert "A.cs is B.cs now." in found.state_detail


@pytest.mark.parametrize("level", sorted(KINDS["grep"].levels))
def test_every_level_says_how_much_was_found(level: Level) -> None:
    found = shown(
        Files(A=["x", "x"], B=["x"]), search(("A.cs", 1, "x"), ("A.cs", 2, "x"), ("B.cs", 1, "x")), level
    )
    assert found.detail == "3 matches in 2 files"
    assert found.text.endswith("\n")


def test_a_level_less_says_where_and_the_least_how_many() -> None:
    files, chosen = Files(A=["x", "x"]), search(("A.cs", 1, "x"), ("A.cs", 2, "x"))
    assert shown(files, chosen, Level.OUTLINE).text == "A.cs: lines 1, 2\n"
    assert shown(files, chosen, Level.SIGNATURE).text == "x: 2 matches in 1 file\n"


def test_the_same_search_is_the_same_item_whatever_it_finds() -> None:
    assert search(("A.cs", 1, "x")).key == search(("B.cs", 9, "y")).key
    assert chosen_search(answer(object="A.cs"), lead=lambda _: "").key != search().key


# Hunks


def test_a_hunk_is_told_by_the_lines_of_its_new_side() -> None:
    chosen = chosen_hunk("A.cs", HUNK)
    assert str(chosen.key) == "hunk:A.cs:3-6"
    found = shown(Files(A=["", "", "one", "TWO", "more", "three"]), chosen)
    assert (found.label, found.detail, found.state) == ("A.cs:3-6", "+2 -1", ItemState.FRESH)
    assert found.text == f"--- A.cs\n{HUNK}"
    assert (found.start_line, found.end_line) == (3, 6)


def test_a_hunk_that_moved_is_told_where_it_is() -> None:
    found = shown(Files(A=["one", "TWO", "more", "three"]), chosen_hunk("A.cs", HUNK))
    assert (found.state, found.label) == (ItemState.MOVED, "A.cs:1-4")
    assert found.state_detail == "These lines moved from line 3 to 1."


def test_a_hunk_of_lines_that_are_gone_says_so() -> None:
    found = shown(Files(A=["one", "two", "three"]), chosen_hunk("A.cs", HUNK))
    assert (found.state, found.changed) == (ItemState.BODY_CHANGED, True)


@pytest.mark.parametrize("mark", ["\f", "\v", "\x1c", "\x85", "\u2028"])
def test_only_a_line_feed_ends_a_line_of_a_hunk(mark: str) -> None:
    """SAFETY, Bytes: old code has form feeds in it."""
    found = shown(Files(A=["one", f"a{mark}b"]), chosen_hunk("A.cs", f"@@ -1 +1,2 @@\n one\n+a{mark}b\n"))
    assert (found.state, found.label) == (ItemState.FRESH, "A.cs:1-2")


def test_what_is_no_hunk_is_refused() -> None:
    with pytest.raises(ValueError, match="begins with @@"):
        chosen_hunk("A.cs", "+one\n")


@given(st.lists(st.integers(0, 5), min_size=1, max_size=4))
def test_the_hunks_of_a_diff_are_all_of_it(sizes: list[int]) -> None:
    texts = [f"@@ -{at * 10},0 +{at * 10},{size} @@\n" + "+x\n" * size for at, size in enumerate(sizes, 1)]
    found = list(hunks_of("--- a/A.cs\n+++ b/A.cs\n" + "".join(texts)))
    assert [text for _, _, text in found] == texts
    assert [(first, last) for first, last, _ in found] == [
        (at * 10, at * 10 + max(0, size - 1)) for at, size in enumerate(sizes, 1)
    ]


@pytest.mark.parametrize("kind", ["note", "grep", "hunk"])
def test_data_of_another_form_shows_nothing(kind: str) -> None:
    key = SimpleNamespace(kind=kind)
    items = EmbeddedItems(cast("Anchors", Files()))
    request = Request(key=cast("Any", key), level=Level.WHOLE, data={"later": 1})
    assert items.render(request, "v") is None
    assert items.files_of(request) == items.leads_of(request) == ()
