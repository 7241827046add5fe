from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.errors import UsageError
from services.review.sources.patch_text import ParsedFile, emphasized, parse_changes
from services.review.sources.source import NewSide, PatchChanges
from services.source.text.differ import unified_diff
from tests.support.numbered_reader import applied

LINES = st.lists(
    st.sampled_from(["a", "b", "", "--- x", "+++ y", "@@ -1 +1 @@", "diff --git a/x b/x", "\r"]), max_size=9
)


@given(LINES, LINES, st.booleans(), st.booleans())
def test_what_a_diff_says_of_the_lines_is_read(
    a: list[str], b: list[str], open_a: bool, open_b: bool
) -> None:
    old, new = [f"{line}\n" for line in a], [f"{line}\n" for line in b]
    for lines, opened in ((old, open_a), (new, open_b)):
        if opened and lines and lines[-1].strip():
            lines[-1] = lines[-1][:-1]
    text = unified_diff("x", old, new)
    if text:
        (file,) = parse_changes(text)
        bare = [line.replace("\r", "") for line in new]
        assert [line.replace("\r", "") for line in applied(old, file.hunks)] == bare


HUNK = "@@ -1,2 +1,2 @@ class C\n a\n-b\n+c\n"


def only(text: str) -> ParsedFile:
    (file,) = parse_changes(text)
    return file


def test_renames_with_edits_modes_and_quoted_paths() -> None:
    file = only(
        'diff --git "a/o\\303\\266.cs" "b/n w.cs"\nold mode 100644\nnew mode 100755\nsimilarity index 80%\n'
        f'rename from "o\\303\\266.cs"\nrename to n w.cs\nindex 1..2\n--- "a/o\\303\\266.cs"\n+++ b/n w.cs\t\n{HUNK}'
    )
    change = file.change
    assert (change.old_path, change.path, change.status) == ("oö.cs", "n w.cs", "renamed")
    assert change.mode_changed
    assert (change.added, change.deleted, file.hunks[0].heading) == (1, 1, "class C")


@pytest.mark.parametrize(("head", "status", "binary"), [
    ("diff --git a/x.png b/x.png\nindex 1..2 100644\nBinary files a/x.png and b/x.png differ\n", "modified", True),
    ("diff --git a/x b/x\nnew file mode 100644\nindex 0..1\nGIT binary patch\nliteral 3\nKcmZ\n\nliteral 0\nH\n\n",
     "added", True),
    ("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", "modified", False),
    ("diff --git a/x b/x\ndeleted file mode 100644\nindex 1..0\n", "deleted", False),
    ("diff --git a/s b/s\nindex 1..2 160000\n--- a/s\n+++ b/s\n@@ -1 +1 @@\n-Subproject commit 1\n+Subproject 2\n",
     "modified", False),
])  # fmt: skip
def test_files_without_lines_are_told_of(head: str, status: str, binary: bool) -> None:
    change = only(head).change
    assert (change.status, change.binary) == (status, binary)


def test_a_combined_diff_is_told_of_without_lines() -> None:
    merged_text = (
        "diff --cc m.cs\nindex 1,2..3\n--- a/m.cs\n+++ b/m.cs\n@@@ -1,1 -1,1 +1,2 @@@\n- a\n -b\n++c\n"
    )
    text = f"{merged_text}diff --git a/x b/x\n--- a/x\n+++ b/x\n{HUNK}"
    merged, plain = parse_changes(text)
    assert (merged.change.path, merged.hunks, "combined" in merged.change.note) == ("m.cs", (), True)
    assert len(plain.hunks) == 1


def test_counts_that_lie_spoil_their_file_alone() -> None:
    text = f"--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n a\n-b\n+c\n--- a/y\n+++ b/y\n{HUNK}"
    lying, right = parse_changes(text)
    assert "line 3" in lying.change.note
    assert (lying.hunks, len(right.hunks)) == ((), 1)


def test_hunks_out_of_order_are_told() -> None:
    assert "out of order" in only(f"--- a/x\n+++ b/x\n@@ -9 +9 @@\n-a\n+b\n{HUNK}").change.note


def test_mails_crlf_and_other_prefixes_are_read() -> None:
    mail = f"From: a\nSubject: b\n---\n x | 2 +-\n\ndiff --git i/x w/x\n--- i/x\n+++ w/x\n{HUNK}-- \n2.40\n".replace(
        "\n", "\r\n"
    )
    file = only(mail)
    assert (file.change.path, [line.text for line in file.hunks[0].lines]) == ("x", ["a", "b", "c"])
    assert only(f"--- src/x\n+++ src/x\n{HUNK}").change.path == "src/x"
    assert only(f"--- a/x\n+++ b/x\n{HUNK}".replace("@@ class C", "@@")).change.path == "x"


@pytest.mark.parametrize("text", ["", "hello", "--- a\n+++ b\n", "@@ -1 +1 @@\n-a\n+b\n"])
def test_what_has_no_diff_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="no diff"):
        parse_changes(text)


def test_thirty_thousand_lines_are_read() -> None:
    body = "".join(f"+line {number}\n" for number in range(30_000))
    file = only(
        f"diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1,30000 @@\n{body}"
    )
    assert (file.change.added, file.hunks[0].lines[-1].new) == (30_000, 30_000)


def test_what_differs_within_lines_is_marked() -> None:
    hunk = emphasized(only("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-int first = one;\n+int first = two;\n").hunks[0])
    assert [line.spans for line in hunk.lines] == [((12, 15),), ((12, 15),)]


def test_a_patch_says_whether_the_workspace_has_its_new_side() -> None:
    text = f"--- a/x\n+++ b/x\n{HUNK}"
    sides = {
        lines: PatchChanges.of_text(
            text, name="p", title="p", lines=lambda _, lines=lines: list(lines)
        ).new_side
        for lines in (("a", "c"), ("a", "b"), ("other",))
    }
    assert list(sides.values()) == [NewSide.DISK, NewSide.NONE, NewSide.NONE]
