"""Editing lines by hand: drafts, their diffs, writing them, and bringing them together with what others wrote."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from services.bench import Bench
from services.errors import LockRequired, UsageError, VersionConflict
from services.model import Draft, MergeChoice
from tests.support.state import state_of
from tests.support.workspace import edit, indexed

LINES = "".join(f"// line {number}\n" for number in range(1, 21))


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with indexed(tmp_path, {"A.cs": LINES}) as opened:
        yield opened


def typed(draft: Draft, text: str) -> Draft:
    return msgspec.structs.replace(draft, text=text)


def content(bench: Bench) -> str:
    return bench.sources.read("A.cs").content


def test_a_draft_begins_as_the_lines_are_and_changes_nothing(bench: Bench) -> None:
    draft = bench.patching.begin("A.cs", 3, 5)
    assert draft.text == "// line 3\n// line 4\n// line 5\n"
    assert bench.patching.diff(draft) == ""


def test_the_journal_goes_on_where_the_state_was_deleted_meanwhile(bench: Bench, tmp_path: Path) -> None:
    draft = typed(bench.patching.begin("A.cs", 3, 3), "// three\n")
    lost = bench.patching.lock(draft)
    state = state_of(tmp_path)
    shutil.rmtree(state)
    with pytest.raises(LockRequired, match=r"^Nothing was written"):
        bench.patching.apply(draft, lost)
    assert bench.patching.apply(draft, bench.patching.lock(draft))[0].updated
    assert (state / "writes.db").exists()
    assert content(bench) == LINES.replace("// line 3\n", draft.text)


def test_the_diff_shows_what_would_be_written(bench: Bench) -> None:
    diff = bench.patching.diff(typed(bench.patching.begin("A.cs", 3, 3), "// three\n"))
    assert "-// line 3\n+// three\n" in diff
    assert content(bench) == LINES


def test_applying_writes_and_the_next_draft_has_the_new_lines(bench: Bench) -> None:
    draft = typed(bench.patching.begin("A.cs", 3, 3), "// three\n// and more\n")
    handle = bench.patching.lock(draft)
    answer, following = bench.patching.apply(draft, handle)
    assert answer.updated
    assert (following.start, following.end, following.text) == (3, 4, draft.text)
    assert content(bench) == LINES.replace("// line 3\n", draft.text)
    again, _ = bench.patching.apply(typed(following, "// 3\n"), handle)
    assert again.updated


def test_lines_can_be_deleted(bench: Bench) -> None:
    draft = typed(bench.patching.begin("A.cs", 20, 20), "")
    _, following = bench.patching.apply(draft, bench.patching.lock(draft))
    assert content(bench) == LINES.removesuffix("// line 20\n")
    assert (following.start, following.end) == (19, 19)


def test_without_a_lock_nothing_is_written(bench: Bench) -> None:
    draft = typed(bench.patching.begin("A.cs", 3, 3), "// three\n")
    with pytest.raises(LockRequired):
        bench.patching.apply(draft, "no handle")
    assert content(bench) == LINES


def test_a_file_that_cannot_be_decoded_is_not_edited(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "L.cs").write_bytes("// gr\xfcn\n".encode("latin-1"))
    with pytest.raises(UsageError, match="cannot be edited"):
        bench.patching.begin("L.cs", 1, 1)


def test_what_was_typed_outlives_the_program_until_it_is_written_or_thrown_away(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.cs": LINES}) as first:
        first.patching.keep(typed(first.patching.begin("A.cs", 3, 3), "// three\n"))
    with indexed(tmp_path, {}) as second:
        (kept,) = second.patching.drafts()
        assert (kept.file, kept.text) == ("A.cs", "// three\n")
        second.patching.apply(kept, second.patching.lock(kept))
        assert second.patching.drafts() == ()
        assert "// three\n" in content(second)


def test_a_damaged_draft_is_left_out(bench: Bench) -> None:
    bench.patching.keep(bench.patching.begin("A.cs", 1, 1))
    bench.state.write("drafts/zz.json", b"{")
    assert len(bench.patching.drafts()) == 1


def conflicting(bench: Bench, tmp_path: Path, theirs: str) -> tuple[Draft, str]:
    """A draft of lines 10 to 12 whose file somebody has meanwhile written as `theirs`."""
    draft = typed(bench.patching.begin("A.cs", 10, 12), "// line 10\n// MINE\n// line 12\n")
    handle = bench.patching.lock(draft)
    edit(tmp_path, "A.cs", theirs)
    with pytest.raises(VersionConflict):
        bench.patching.apply(draft, handle)
    return draft, handle


def test_changes_elsewhere_go_together(bench: Bench, tmp_path: Path) -> None:
    theirs = "// new first line\n" + LINES
    draft, handle = conflicting(bench, tmp_path, theirs)
    rebased = bench.patching.rebase(draft)
    assert rebased.hunks == ()
    _, following = bench.patching.write_resolved(rebased, MergeChoice.MINE, handle)
    assert content(bench) == theirs.replace("// line 11\n", "// MINE\n")
    assert (following.start, following.end) == (11, 13)
    assert following.text == draft.text


@pytest.mark.parametrize(
    ("choice", "line"), [(MergeChoice.MINE, "// MINE\n"), (MergeChoice.THEIRS, "// THEIRS\n")]
)
def test_where_both_changed_a_line_a_person_chooses(
    bench: Bench, tmp_path: Path, choice: MergeChoice, line: str
) -> None:
    theirs = LINES.replace("// line 11\n", "// THEIRS\n").replace("// line 1\n", "// first\n")
    draft, handle = conflicting(bench, tmp_path, theirs)
    rebased = bench.patching.rebase(draft)
    (hunk,) = rebased.hunks
    assert (hunk.start_line, hunk.base, hunk.mine, hunk.theirs) == (
        11, "// line 11\n", "// MINE\n", "// THEIRS\n")  # fmt: skip
    text, diff = bench.patching.resolved(rebased, choice)
    assert text == theirs.replace("// THEIRS\n", line)
    assert (diff == "") == (choice is MergeChoice.THEIRS)
    bench.patching.write_resolved(rebased, choice, handle)
    assert content(bench) == text


def test_a_file_that_changes_while_a_person_chooses_is_not_overwritten(bench: Bench, tmp_path: Path) -> None:
    draft, handle = conflicting(bench, tmp_path, LINES.replace("line 11", "THEIRS"))
    rebased = bench.patching.rebase(draft)
    edit(tmp_path, "A.cs", LINES.replace("line 11", "ONCE MORE"))
    with pytest.raises(VersionConflict):
        bench.patching.write_resolved(rebased, MergeChoice.MINE, handle)
    assert "ONCE MORE" in content(bench)


def test_the_text_can_be_edited_on_over_the_file_as_it_is(bench: Bench, tmp_path: Path) -> None:
    draft, handle = conflicting(bench, tmp_path, "// new\n" + LINES.replace("// line 11\n", "// a\n// b\n"))
    moved = bench.patching.onto(bench.patching.rebase(draft))
    assert (moved.start, moved.end, moved.text) == (11, 14, draft.text)
    bench.patching.apply(moved, handle)
    assert content(bench) == "// new\n" + LINES.replace("line 11", "MINE")
