from __future__ import annotations

from pathlib import Path

import pytest

from services.errors import UsageError
from services.model import DiffLine, Hunk
from services.model.review import ReviewComment, Severity
from tests.support.review_change import committed
from widgets.text.diff_rows import DiffRows, DiffShape
from workbench.review.publishing import read_comment

HUNK = Hunk(old_start=1, old_count=2, new_start=1, new_count=2, lines=(
    DiffLine(text="a", old=1, new=1), DiffLine(text="b", old=2), DiffLine(text="c", new=2),
))  # fmt: skip


@pytest.mark.parametrize("split", [False, True])
def test_comments_stand_under_their_lines(split: bool) -> None:
    rows = DiffRows((HUNK,), DiffShape(split=split, notes={2: ("question, draft · m: Why?", "more")}))
    told = [rows.at(at) for at in range(len(rows))]
    notes = [at for at, row in enumerate(told) if row.note]
    assert [told[at].note for at in notes] == ["question, draft · m: Why?", "more"]
    assert told[notes[0] - 1].new == 2
    assert {told[at].new for at in notes} == {2}
    assert rows.row_of(2) == notes[0] - 1
    assert rows[notes[0]] == "question, draft · m: Why?"
    assert rows.new_line(notes[1]) == 2


@pytest.mark.parametrize(("text", "severity", "said"), [
    ("Why?", Severity.SUGGESTION, "Why?"), ("question: Why?", Severity.QUESTION, "Why?"),
    ("Blocker: it fails", Severity.BLOCKER, "it fails"), ("note: x", Severity.SUGGESTION, "note: x"),
])  # fmt: skip
def test_a_word_says_how_much_a_comment_matters(text: str, severity: Severity, said: str) -> None:
    comment = read_comment(text, "a.cs", 3)
    assert (comment.severity, comment.text, comment.line) == (severity, said, 3)


@pytest.mark.parametrize(("text", "said", "suggestion"), [
    ("Why?\n```suggestion\n  a();\n  b();\n```", "Why?", "  a();\n  b();"),
    ("```suggestion\n```\nNot needed.", "Not needed.", ""),
    ("```suggestion:-0+1\na\n```", "", "a"),
    ("one\n````suggestion\n```\n````\ntwo", "one\ntwo", "```"),
    ("```suggestion\nnever closed", "```suggestion\nnever closed", None),
    ("```csharp\na();\n```", "```csharp\na();\n```", None),
    ("warning: odd\r\n```suggestion\r\nb\r\n```", "odd", "b"),
])  # fmt: skip
def test_a_fence_holds_the_lines_that_are_suggested(text: str, said: str, suggestion: str | None) -> None:
    comment = read_comment(text, "a.cs", 3)
    assert (comment.text, comment.suggestion) == (said, suggestion)


PATCH = """--- a/src/Tree.cs
+++ b/src/Tree.cs
@@ -3 +3 @@
-    int width;
+    int height;
"""


def test_a_diff_that_was_pasted_is_found_again(tmp_path: Path) -> None:
    with committed(tmp_path) as bench:
        opened = bench.review.open(PATCH)
        again = bench.review.shown(opened.source.name)
        assert again is opened
        assert [hunk.new_start for hunk in again.source.hunks(again.file("Tree.cs"), ignore_space=True)] == [
            3
        ]
        assert again.source.texts(again.file("Tree.cs")) == ("", "")
        assert bench.review.standing(opened.source.name) is None
        bench.review.add(
            opened.source.name, ReviewComment(file="Tree.cs", line=3, text="Why?", quoted="int height;")
        )
        kept = bench.review.standing(opened.source.name)
        assert kept is not None
        assert [each.line for each in kept.review.comments] == [3]
        with pytest.raises(UsageError, match="No diff was pasted"):
            bench.review.open("pasted:0000000000")
