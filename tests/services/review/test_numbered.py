from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.errors import UsageError
from services.model import DiffLine, FileChange, Hunk
from services.review.opened import ShownLines, find_new_line_number
from services.review.packing import numbered
from services.source.diffs.hunks import hunks_of
from tests.support.numbered_reader import applied, parse_numbered

CHANGE = FileChange(path="src/Button.tsx", status="modified")
WORDS = st.sampled_from(
    ["a", "b", "c", "", "+ a", "+", "\\+ a", "  + b", "- c", "@@", "File: x", "x" * 40, "é\u2028"]
)
LINES = st.lists(WORDS, max_size=14)


def text(lines: list[str], open_end: bool) -> list[str]:
    if not lines:
        return []
    return [*(f"{line}\n" for line in lines[:-1]), lines[-1] if open_end and lines[-1] else f"{lines[-1]}\n"]


def test_a_diff_is_written_as_the_contract_has_it() -> None:
    hunk = Hunk(old_start=10, old_count=3, new_start=12, new_count=3, lines=(
        DiffLine(text="const Button = () => {", old=10, new=12),
        DiffLine(text="  const [state] = useState(null);", new=13),
        DiffLine(text="const old = 1;", old=11),
        DiffLine(text="};", old=12, new=14),
    ))  # fmt: skip
    assert numbered([(CHANGE, [hunk])]) == (
        "File: src/Button.tsx\n"
        "@@ -10,3 +12,3 @@\n"
        "NEW_LINE_12: const Button = () => {\n"
        "NEW_LINE_13: +   const [state] = useState(null);\n"
        "DELETED (was line 11): - const old = 1;\n"
        "NEW_LINE_14: };\n"
    )


@given(LINES, LINES, st.booleans(), st.booleans(), st.integers(0, 3))
def test_a_numbered_diff_applied_gives_the_new_side(a: list[str], b: list[str], open_a: bool, open_b: bool,
                                                    context: int) -> None:  # fmt: skip
    old, new = text(a, open_a), text(b, open_b)
    hunks = hunks_of(old, new, context=context)
    (read,) = parse_numbered(numbered([(CHANGE, hunks)]))
    assert applied(old, read.hunks) == new


@given(LINES, LINES)
def test_no_number_of_a_deleted_line_passes(a: list[str], b: list[str]) -> None:
    hunks = hunks_of(text(a, False), text(b, False))
    shown = ShownLines(hunks)
    for number, line in shown.gone.items():
        assert shown.find_new_line_number(number).line is None
        placed = shown.find_new_line_number(number, line.text)
        if placed.line is not None:  # what it quotes stands on the new side too, as a line of that side
            assert line.text.strip() in shown.new[placed.line].text


@given(LINES, LINES)
def test_every_new_line_is_reachable(a: list[str], b: list[str]) -> None:
    shown = ShownLines(hunks_of(text(a, False), text(b, False)))
    for number, line in shown.new.items():
        quote = line.text if line.text.strip() else ""
        if quote or number not in shown.gone:
            assert shown.find_new_line_number(number, quote).line == number


def test_a_wrong_number_is_corrected_by_what_is_quoted() -> None:
    hunks = hunks_of(["one\n", "two\n", "three\n"], ["zero\n", "one\n", "2\n", "three\n"])
    placed = find_new_line_number(hunks, 1, "three")
    assert (placed.line, placed.corrected, placed.quoted) == (4, True, "three")
    assert find_new_line_number(hunks, 2, "NEW_LINE_3: + 2").line == 3
    assert find_new_line_number(hunks, None, "one\n2").end_line == 3


def test_what_cannot_be_placed_says_why() -> None:
    hunks = hunks_of(["one\n", "two\n", "x\n", "x\n"], ["one\n", "x\n", "x\n"])
    assert "deleted" in find_new_line_number(hunks, 2, "two").reason
    assert "several" in find_new_line_number(hunks, 1, "x").reason
    assert "not among" in find_new_line_number(hunks, 900).reason
    assert "no line" in find_new_line_number(hunks, 1, "something else").reason
    assert "quote the code" in find_new_line_number(hunks, 2).reason


def test_what_is_known_of_a_file_stands_under_its_path() -> None:
    moved = FileChange(path="b\n.cs", old_path="a.cs", status="renamed", old_mode="100644", new_mode="100755")
    assert numbered([(moved, ())]) == ("File: b\\x0a.cs\n[renamed from a.cs]\n[mode 100644 is now 100755]\n")


@pytest.mark.parametrize("damaged", [
    "", "@@ -1,1 +1,1 @@\n", "File: a\nNEW_LINE_1: x\n", "File: a\n@@ -1,1 +1,2 @@\nNEW_LINE_1: x\n",
    "File: a\n@@ -1,1 +1,1 @@\nNEW_LINE_2: x\n", "File: a\n@@ -1,1 +1,1 @@\n 1: x\n",
])  # fmt: skip
def test_a_damaged_diff_is_refused_with_its_line(damaged: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_numbered(damaged)
    assert refused.value.details["line"] >= 1


def test_another_version_of_the_file_is_refused() -> None:
    (read,) = parse_numbered(numbered([(CHANGE, hunks_of(["a\n"], ["b\n"]))]))
    with pytest.raises(UsageError, match="another version"):
        applied(["c\n"], read.hunks)


def test_new_lines_end_as_their_neighbours_do() -> None:
    (read,) = parse_numbered(numbered([(CHANGE, hunks_of(["a\n", "c\n"], ["a\n", "b\n", "c\n"]))]))
    assert applied(["a\r\n", "c\r\n"], read.hunks) == ["a\r\n", "b\r\n", "c\r\n"]
