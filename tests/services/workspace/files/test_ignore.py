"""Ignore files, line by line, as gitignore(5) tells them; whole trees are compared with git in test_walk.py."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.workspace.files.ignore import is_ignored, parse_rules


def ignored(lines: str, path: str, *, is_folder: bool = False) -> bool:
    return is_ignored([parse_rules(lines.encode())], path.encode(), is_folder=is_folder)


@pytest.mark.parametrize(
    ("line", "hit", "missed"),
    [
        ("x.cs", ["x.cs", "a/b/x.cs"], ["x.csx", "ax.cs"]),
        ("/x.cs", ["x.cs"], ["a/x.cs"]),
        ("a/x.cs", ["a/x.cs"], ["b/a/x.cs"]),
        ("*.cs", ["x.cs", "a/.cs"], ["x.c"]),
        ("a/*.cs", ["a/x.cs"], ["a/b/x.cs"]),
        ("**/b", ["b", "a/b", "a/c/b"], ["ab"]),
        ("a/**", ["a/x", "a/b/x"], ["a"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["ab", "a/xb"]),
        ("a**b", ["axb", "ab"], ["a/b"]),
        ("?.cs", ["x.cs"], ["xy.cs", ".cs"]),
        ("[ab].cs", ["a.cs", "b.cs"], ["c.cs"]),
        ("[!ab].cs", ["c.cs"], ["a.cs"]),
        ("[^ab].cs", ["c.cs"], ["a.cs"]),
        ("[a-c].cs", ["b.cs"], ["d.cs"]),
        ("[]].cs", ["].cs"], ["[.cs"]),
        ("[[:digit:]].cs", ["1.cs"], ["a.cs"]),
        ("a[/]b", [], ["a/b"]),
        ("\\#x", ["#x"], ["x"]),
        ("\\!x", ["!x"], ["x"]),
        ("x\\ ", ["x "], ["x"]),
        ("x ", ["x"], ["x "]),
        ("a\\*b", ["a*b"], ["axb"]),
    ],
)
def test_a_line(line: str, hit: list[str], missed: list[str]) -> None:
    assert [path for path in hit if not ignored(line, path)] == []
    assert [path for path in missed if ignored(line, path)] == []


@pytest.mark.parametrize("line", ["", "   ", "# x", "/", "!", "\r"])
def test_a_line_that_says_nothing_ignores_nothing(line: str) -> None:
    for path in ("x", "# x", "a/x", " "):
        assert not ignored(line, path)


@pytest.mark.parametrize("line", ["[", "[a", "a[b-", "x\\", "[[:nothing:]]"])
def test_a_line_that_is_malformed_matches_nothing(line: str) -> None:
    for path in ("[", "a", "x", "[a", "x\\", "n"):
        assert not ignored(line, path)


def test_a_slash_at_the_end_means_folders_alone() -> None:
    assert ignored("bin/", "a/bin", is_folder=True)
    assert not ignored("bin/", "a/bin")


def test_the_last_line_that_matches_decides() -> None:
    lines = "*.cs\n!keep.cs\nkeep*\n!keep.cs\n"
    assert ignored(lines, "x.cs")
    assert not ignored(lines, "keep.cs")
    assert ignored(lines, "keep.txt")


def test_a_nearer_file_decides_before_one_further_out() -> None:
    outer, inner = parse_rules(b"*.cs\n"), parse_rules(b"!x.cs\n", b"a/")
    assert not is_ignored([outer, inner], b"a/x.cs", is_folder=False)
    assert is_ignored([outer, inner], b"a/y.cs", is_folder=False)


def test_a_path_in_a_line_begins_at_the_folder_of_its_file() -> None:
    rules = [parse_rules(b"/x\n", b"a/b/")]
    assert is_ignored(rules, b"a/b/x", is_folder=False)
    assert not is_ignored(rules, b"a/b/c/x", is_folder=False)


@pytest.mark.parametrize("data", [b"\xef\xbb\xbfx\n", b"x\r\n", b"x"])
def test_neither_a_mark_nor_the_kind_of_line_end_counts(data: bytes) -> None:
    assert is_ignored([parse_rules(data)], b"x", is_folder=False)


def test_names_are_bytes() -> None:
    assert is_ignored([parse_rules(b"\xff*\n")], b"\xffx", is_folder=False)
    assert ignored("??", "é"), "a letter of two bytes"


@given(st.text("ab/*?[]!\\- ", max_size=12), st.text("ab/", min_size=1, max_size=8))
def test_any_line_is_answered(line: str, path: str) -> None:
    assert ignored(line, path.strip("/") or "a") in (True, False)


@given(st.text("ab/*?", min_size=1, max_size=8), st.text("ab", min_size=1, max_size=6))
def test_a_line_taken_back_at_once_ignores_nothing(line: str, path: str) -> None:
    assert not ignored(f"{line}\n!{line}\n", path)


def test_a_line_that_would_hang_a_backtracking_matcher_does_not() -> None:
    assert not ignored("a*" * 40 + "b", "a" * 200)


def test_a_line_longer_than_any_path_matches_nothing() -> None:
    assert parse_rules(b"a*" * 500_000).patterns == ()
    assert ignored("x" * 5_000 + "\nx.cs", "x.cs")
