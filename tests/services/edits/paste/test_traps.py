"""Answers that a careless reader would put in the wrong place: each is asked about, or lands where it must."""

from __future__ import annotations

import pytest

from services.errors import UsageError
from tests.support.pasting import MemoryFiles, after, pasted

TWICE = """class A
{
    void One()
    {
        Begin();
        Work();
        End();
    }

    void Two()
    {
        Begin();
        Work();
        End();
    }
}
"""


def asked(answer: str, files: MemoryFiles | dict[str, str]) -> str:
    landing = pasted(answer, files)
    assert landing.problems
    return " ".join(problem.sentence for problem in landing.problems)


def fence(text: str, info: str = "csharp") -> str:
    return f"```{info}\n{text}\n```\n"


def test_a_block_that_fits_twice_is_asked_about_with_its_places() -> None:
    told = asked(
        "A.cs\n<<<<<<< SEARCH\n        Work();\n=======\n        Rest();\n>>>>>>> REPLACE\n", {"A.cs": TWICE}
    )
    assert "lines 6, 13" in told


def test_the_numbers_of_a_diff_that_is_right_in_all_decide_between_two_places() -> None:
    diff = (
        "--- a/A.cs\n+++ b/A.cs\n@@ -12,3 +12,3 @@\n         Begin();\n"
        "-        Work();\n+        Rest();\n         End();\n"
    )
    made = after(pasted(diff, {"A.cs": TWICE}), "A.cs") or ""
    assert made.split("\n")[12] == "        Rest();"
    assert "fits 2 places" in asked(diff.replace("-12,3 +12,3", "-9,3 +9,3"), {"A.cs": TWICE})
    assert "fits 2 places" in asked(diff.replace("-12,3", "-12,4"), {"A.cs": TWICE})


def test_numbers_decide_nothing_among_many_places() -> None:
    text = "x\n" + "{\n}\n" * 9
    assert "fits 9 places" in asked(
        "--- a/A.txt\n+++ b/A.txt\n@@ -4,2 +4,3 @@\n {\n+y\n }\n", {"A.txt": text}
    )


def test_a_heading_of_a_patch_decides_between_two_places_where_it_stands_once() -> None:
    patch = (
        "*** Begin Patch\n*** Update File: A.cs\n@@ void Two()\n"
        "         Begin();\n-        Work();\n+        Rest();\n*** End Patch\n"
    )
    made = after(pasted(patch, {"A.cs": TWICE}), "A.cs") or ""
    assert made.split("\n")[12] == "        Rest();"
    assert "fits 2 places" in asked(patch.replace("void Two()", "void Three()"), {"A.cs": TWICE})
    assert "fits 2 places" in asked(patch.replace("void Two()", "class A"), {"A.cs": TWICE})


def test_a_hunk_that_only_adds_says_of_no_line_where() -> None:
    diff = "--- a/A.cs\n+++ b/A.cs\n@@ -5,0 +6,1 @@\n+        More();\n"
    assert "says of no line where" in asked(diff, {"A.cs": TWICE})


def test_a_hunk_that_ends_with_what_it_adds_is_not_added_twice() -> None:
    files = {"A.txt": "one\ntwo\nthree\n"}
    diff = "--- a/A.txt\n+++ b/A.txt\n@@ @@\n one\n two\n+new\n"
    made = after(pasted(diff, files), "A.txt")
    assert made == "one\ntwo\nnew\nthree\n"
    assert "already" in asked(diff, MemoryFiles({"A.txt": made or ""}))
    again = pasted(diff, MemoryFiles({"A.txt": made or ""}, {"A.txt": [files["A.txt"]]}))
    assert (again.edits, again.there) == ((), ("A.txt",))


def test_lines_that_are_taken_away_are_not_taken_for_gone_because_their_neighbours_meet_elsewhere() -> None:
    """The end of what goes is like the end of what stands before it."""
    text = "a();\n}\n\n[Fact]\nvoid X()\n{\n    a();\n}\n\n[Fact]\nvoid Y()\n{\n}\n"
    answer = (
        "A.txt\n<<<<<<< SEARCH\n a();\n  }\n\n[Fact]\n  void X()\n{\n a();\n}\n\n[Fact]\n void Y()\n=======\n"
        "a();\n}\n\n[Fact]\nvoid Y()\n>>>>>>> REPLACE\n"
    )
    assert after(pasted(answer, {"A.txt": text}), "A.txt") == "a();\n}\n\n[Fact]\nvoid Y()\n{\n}\n"


def test_a_mark_between_lines_that_occur_twice_is_asked_about() -> None:
    shown = "class A\n{\n    // ...\n        Begin();\n        Work(2);\n        End();\n    // ...\n}"
    assert asked(fence(shown, "csharp title=A.cs"), {"A.cs": TWICE})


def test_a_member_of_the_same_name_in_two_types_is_asked_about() -> None:
    text = (
        "class A { \n    void M()\n    {\n        a();\n    }\n}\nclass B { \n"
        "    void M()\n    {\n        b();\n    }\n}\n"
    )
    landing = pasted(fence("    void M()\n    {\n        c();\n    }"), {"A.cs": text})
    assert landing.problems
    assert not landing.edits


def test_an_overload_with_another_signature_is_no_new_version_of_one_of_two() -> None:
    text = "class A\n{\n    void M(int a)\n    {\n    }\n\n    void M(string a)\n    {\n    }\n}\n"
    assert asked(fence("    void M(long a)\n    {\n        x();\n    }"), {"A.cs": text})
    made = (
        after(pasted(fence("    void M(string a)\n    {\n        x();\n    }"), {"A.cs": text}), "A.cs") or ""
    )
    assert made.index("string a") < made.index("x();")


def test_a_new_member_without_a_type_around_it_has_no_place() -> None:
    assert asked(fence("    void Three()\n    {\n    }"), {"A.cs": TWICE})
    assert asked(fence("    void One()\n    {\n    }\n\n    void Three()\n    {\n    }"), {"A.cs": TWICE})


def test_statements_are_no_members() -> None:
    assert asked("Add this:\n" + fence("await One();\nreturn Two();"), {"A.cs": TWICE})


def test_what_was_handed_over_and_is_only_quoted_is_no_edit() -> None:
    quoted = "    void Two()\n    {\n        Begin();\n        Work();\n        End();\n    }"
    with pytest.raises(UsageError, match="no edit"):
        pasted("It is this one:\n" + fence(quoted), {"A.cs": TWICE})


@pytest.mark.parametrize(
    "text", ["", "I would not change it.", "word " * 200_000, "```\n```", "```bash\ndotnet test\n```"]
)
def test_words_are_no_edit(text: str) -> None:
    with pytest.raises(UsageError, match="no edit"):
        pasted(text, {"A.cs": TWICE})


@pytest.mark.parametrize(
    "answer",
    [
        "```csharp\nclass A\n{\n",
        "*** Begin Patch\n*** Update File: A.cs\n@@\n-        Work();\n",
        "A.cs\n<<<<<<< SEARCH\n        Work();\n=======\n",
    ],
)
def test_an_answer_that_was_cut_off_is_refused(answer: str) -> None:
    with pytest.raises(UsageError, match=r"cut off|does not end"):
        pasted(answer, {"A.cs": TWICE})


@pytest.mark.parametrize(
    "path", ["../../etc/passwd", "/etc/passwd", "C:/Windows/x.ini", "src/../../x.cs", "~/x"]
)
@pytest.mark.parametrize(
    "form", ["--- {0}\n+++ {0}\n@@ @@\n-root\n+toor\n", "--- /dev/null\n+++ b/{0}\n@@ -0,0 +1 @@\n+x\n"]
)
def test_a_path_that_leads_out_is_refused(path: str, form: str) -> None:
    landing = pasted(form.format(path), {"A.cs": TWICE})
    assert landing.problems
    assert not landing.edits


def test_a_diff_of_another_repository_fits_nowhere() -> None:
    told = asked(
        "--- a/src/Other.cs\n+++ b/src/Other.cs\n@@ -1,2 +1,2 @@\n-class B\n+class C\n {\n",
        {"src/A.cs": TWICE},
    )
    assert "no file src/Other.cs" in told


def test_what_nearly_fits_is_told_with_the_first_line_that_differs() -> None:
    diff = "--- a/A.cs\n+++ b/A.cs\n@@ @@\n     void Two()\n     {\n         Begins();\n-        Work();\n"
    problem = pasted(diff, {"A.cs": TWICE}).problems[0]
    assert (problem.line, problem.wanted, problem.found) == (12, "        Begins();", "        Begin();")


def test_all_lands_or_nothing() -> None:
    diff = (
        "--- a/A.cs\n+++ b/A.cs\n@@ @@\n-    void Two()\n+    void Zwei()\n"
        "@@ @@\n-    void Three()\n+    void Drei()\n"
    )
    landing = pasted(diff, {"A.cs": TWICE})
    assert len(landing.problems) == 1
    assert len(landing.edits) == 1  # what a person may choose to take alone


def test_two_pieces_that_change_the_same_lines_are_refused() -> None:
    block = "A.cs\n<<<<<<< SEARCH\n    void Two()\n=======\n    void {}()\n>>>>>>> REPLACE\n"
    assert asked(block.replace("{}", "B") + block.replace("{}", "C"), {"A.cs": TWICE})


def test_blocks_one_behind_the_other_see_what_the_ones_before_made() -> None:
    answer = (
        "A.cs\n<<<<<<< SEARCH\n    void Two()\n=======\n    void Zwei()\n>>>>>>> REPLACE\n"
        "<<<<<<< SEARCH\n    void Zwei()\n    {\n=======\n    void Zwei()\n    {\n        Now();\n>>>>>>> REPLACE\n"
    )
    assert "void Zwei()\n    {\n        Now();\n        Begin();" in (
        after(pasted(answer, {"A.cs": TWICE}), "A.cs") or ""
    )


def test_a_mark_in_new_lines_is_never_written() -> None:
    answer = (
        "A.cs\n<<<<<<< SEARCH\n    void Two()\n=======\n"
        "    // ... existing code ...\n    void Zwei()\n>>>>>>> REPLACE\n"
    )
    assert "left out" in asked(answer, {"A.cs": TWICE})


def test_a_comment_that_the_file_has_is_no_mark() -> None:
    text = "class A\n{\n    // ...\n    int a;\n}\n"
    made = after(
        pasted(fence("class A\n{\n    // ...\n    int a = 1;\n}", "csharp title=A.cs"), {"A.cs": text}),
        "A.cs",
    )
    assert made == text.replace("int a;", "int a = 1;")


def test_a_whole_file_that_forgot_a_member_is_asked_about_unless_words_tell_of_it() -> None:
    short = TWICE[: TWICE.index("    void Two()")].rstrip() + "\n}"
    assert "`Two`" in asked(fence(short, "csharp title=A.cs"), {"A.cs": TWICE})
    told = "I removed `Two`, which nothing calls.\n\n" + fence(short, "csharp title=A.cs")
    assert "Two" not in (after(pasted(told, {"A.cs": TWICE}), "A.cs") or "")


def test_an_unknown_mark_of_a_secret_is_never_written() -> None:
    answer = (
        "A.cs\n<<<<<<< SEARCH\n    void Two()\n=======\n"
        "    // [[secret:password:ABC234]]\n    void Two()\n>>>>>>> REPLACE\n"
    )
    assert "no copy is known" in asked(answer, {"A.cs": TWICE})


def test_a_file_that_would_no_longer_parse_is_not_written() -> None:
    answer = "A.cs\n<<<<<<< SEARCH\n    void Two()\n    {\n=======\n    void Two()\n>>>>>>> REPLACE\n"
    assert "no longer parse" in asked(answer, {"A.cs": TWICE})


def test_the_same_lines_changed_by_somebody_else_are_a_conflict() -> None:
    disk = TWICE.replace("void Two()", "void Second()")
    files = MemoryFiles({"A.cs": disk}, {"A.cs": [TWICE]})
    diff = "--- a/A.cs\n+++ b/A.cs\n@@ @@\n-    void Two()\n+    void Zwei()\n"
    assert "same lines" in asked(diff, files)


def test_a_file_that_went_on_elsewhere_is_merged() -> None:
    disk = TWICE.replace("class A", "class A // theirs")
    files = MemoryFiles({"A.cs": disk}, {"A.cs": [TWICE]})
    diff = "--- a/A.cs\n+++ b/A.cs\n@@ @@\n-    void Two()\n+    void Zwei()\n"
    assert after(pasted(diff, files), "A.cs") == disk.replace("Two", "Zwei")


def test_an_older_copy_counts_where_the_latest_does_not_fit() -> None:
    latest = TWICE.replace("void Two()", "void Zwei()")
    files = MemoryFiles({"A.cs": latest}, {"A.cs": [latest, TWICE]})
    diff = "--- a/A.cs\n+++ b/A.cs\n@@ @@\n-    void Two()\n+    void Zwei()\n"
    assert pasted(diff, files).there == ("A.cs",)


LISTED = """class A
{
    void One()
    {
        Begin();
    }

    void Two()
    {
        Finish();
    }
}
"""


@pytest.mark.parametrize("mark", ["// ...", "// ... existing code ...", "// the rest stays as before"])
def test_a_mark_among_new_lines_that_stands_for_nothing_is_asked_about(mark: str) -> None:
    grown = LISTED.replace(
        "    void Two()",
        f"    void New()\n    {{\n        First(1);\n        {mark}\n        Second(2);\n    }}\n\n    void Two()",
    )
    told = asked(f"`A.cs`\n\n{fence(grown)}", {"A.cs": LISTED})
    assert "stands for no line of the file" in told or "not whole" in told


def test_a_mark_between_new_lines_that_stands_for_lines_of_the_file_is_filled_in() -> None:
    body = "        First(1);\n        // ... existing code ...\n        Second(2);"
    shown = f"class A\n{{\n    void One()\n    {{\n{body}\n    }}\n\n    // ...\n}}"
    made = after(pasted(f"`A.cs`\n\n{fence(shown)}", {"A.cs": LISTED}), "A.cs")
    assert made == LISTED.replace("Begin();", "First(1);\n        Begin();\n        Second(2);")


_MEMBERS = "class A\n{\n    int a;\n\n    void One() { }\n}\n"
_MARK = "    // ... existing code ...\n"
_NEW = "    void New() { }\n"


@pytest.mark.parametrize(
    ("members", "order"),
    [
        pytest.param(_MARK + "\n" + _NEW, ["int a", "One()", "New()"], id="behind a mark, at the end"),
        pytest.param(_NEW + "\n" + _MARK, ["New()", "int a", "One()"], id="before a mark, at the start"),
    ],
)
def test_a_new_member_next_to_a_mark_goes_to_the_end_it_is_at(members: str, order: list[str]) -> None:
    block = fence(f"class A\n{{\n{members}}}")
    made = after(pasted("A.cs\n" + block, {"A.cs": _MEMBERS}), "A.cs") or ""
    assert sorted(order, key=made.index) == order


def test_a_new_member_between_two_marks_is_asked_about() -> None:
    block = fence(f"class A\n{{\n{_MARK}{_NEW}{_MARK}}}")
    assert "between two marks" in asked("A.cs\n" + block, {"A.cs": _MEMBERS})


def test_a_member_is_renamed_where_it_stands_and_left_out_elsewhere() -> None:
    member = "    void {}()\n    {{\n        Begin();\n        Work();\n        End();\n    }}\n"
    rest = "    int two;\n    int three;\n    int four;\n"
    files = {"A.cs": f"class A\n{{\n{member.format('One')}{rest}}}\n"}
    renamed = f"class A\n{{\n{member.format('Uno')}{rest}}}\n"
    assert after(pasted("A.cs\n" + fence(renamed), files), "A.cs") == renamed
    moved = f"class A\n{{\n{rest}{member.format('Uno')}}}\n"
    assert "leaves out `One`, and does not say that it is to go" in asked("A.cs\n" + fence(moved), files)
