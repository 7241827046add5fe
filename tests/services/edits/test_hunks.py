"""Hunks of an edit, chosen one by one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from services.edits.places import hunks_of, with_hunks
from services.source.write.file_edits import FileEdit
from services.workspace.text import decode

OLD = "".join(f"line {n}\r\n" for n in range(40))
NEW = OLD.replace("line 3\r\n", "three\r\n").replace("line 20\r\n", "").replace("line 39\r\n", "line 39")
EDIT = FileEdit("A.cs", decode(b"\xef\xbb\xbf" + OLD.encode()), b"\xef\xbb\xbf" + NEW.encode())


def _made(edit: FileEdit | None) -> str:
    assert edit is not None
    assert edit.after is not None
    return edit.after.decode()


def test_each_hunk_is_told_with_its_line_and_diff() -> None:
    hunks = hunks_of(EDIT)
    assert [(each.number, each.line) for each in hunks] == [(0, 4), (1, 21), (2, 40)]
    assert "-line 3\r\n+three\r\n" in hunks[0].diff
    assert "line 20" not in hunks[0].diff


def test_hunks_that_are_chosen_are_made_and_no_byte_else() -> None:
    only = _made(with_hunks(EDIT, {1}))
    assert only == "\ufeff" + OLD.replace("line 20\r\n", "")
    assert _made(with_hunks(EDIT, {0, 2})) == "\ufeff" + NEW.replace("line 19\r\n", "line 19\r\nline 20\r\n")
    assert with_hunks(EDIT, ()) is None
    assert with_hunks(EDIT, {0, 1, 2}) == EDIT


def test_a_file_that_is_made_or_goes_is_one_hunk() -> None:
    made, gone = FileEdit("B.cs", None, b"a\n"), FileEdit("A.cs", EDIT.before, None)
    for edit in (made, gone):
        (hunk,) = hunks_of(edit)
        assert hunk.line == 0
        assert with_hunks(edit, {0}) == edit
        assert with_hunks(edit, ()) is None
    assert "+++ b/B.cs" in hunks_of(made)[0].diff
    assert "+++ /dev/null" in hunks_of(gone)[0].diff


@given(st.lists(st.sampled_from("abc\n"), max_size=60), st.lists(st.sampled_from("abc\n"), max_size=60))
def test_all_hunks_make_the_edit_and_each_alone_a_part_of_it(old: list[str], new: list[str]) -> None:
    edit = FileEdit("a.txt", decode("".join(old).encode()), "".join(new).encode())
    if old == new:
        return
    numbers = {each.number for each in hunks_of(edit)}
    made = with_hunks(edit, numbers)
    assert made is not None
    assert made.after == edit.after
