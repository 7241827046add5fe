"""Patterns from outside: what RE2 takes, what is refused and why, and that none takes long."""

from __future__ import annotations

import ast
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import re2
from hypothesis import assume, example, given
from hypothesis import strategies as st

from services.errors import PatternInvalid
from services.source.grep_pattern import LONGEST_PATTERN, compiled, required_texts

PIECES = (
    "a",
    "b",
    "ab",
    "k",
    "é",
    ".",
    "\\.",
    "\\d",
    "\\x61",
    "\\141",
    "[ab]",
    "[^a]",
    "[]a]",
    "[[:alpha:]]",
    "\\pL",
)
MARKS = ("", "", "", "*", "+", "?", "{2}", "{0,2}", "+?")
ATOMS = st.sampled_from(PIECES)
PATTERNS = st.recursive(
    st.tuples(ATOMS, st.sampled_from(MARKS)).map("".join),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4).map("".join),
        st.lists(inner, min_size=1, max_size=3).map("|".join),
        st.tuples(st.sampled_from(("(", "(?:")), inner, st.sampled_from((")", ")?", ")*", "){2}"))).map(
            "".join
        ),
        inner.map(lambda each: f"^{each}"),
        inner.map(lambda each: f"{each}$"),
    ),
    max_leaves=6,
)


@pytest.mark.parametrize(
    ("pattern", "reason", "position"),
    [
        ("ab(?=c)", "look-ahead", 2),
        ("(?!c)", "look-ahead", 0),
        ("x(?<=c)d", "look-behind", 1),
        ("(?<!c)", "look-behind", 0),
        (r"(a)\1", "back-references", 3),
        (r"(a)b\2", "back-references", 4),
        ("(?P<n>a)(?P=n)", "back-references", 8),
        ("(?>a)", "atomic", 0),
        ("[a", "missing ]", 0),
        ("(a", "missing )", 0),
        ("a)", "unexpected )", 0),
        ("*a", "no argument", 0),
        ("a{1001}", "repetition", 1),
        ("", "empty", None),
        ("a\nb", "line by line", 1),
        ("a\0", "NUL", 1),
        ("\ud800", "not Unicode", 0),
        ("x" * (LONGEST_PATTERN + 1), "longer than", LONGEST_PATTERN),
        (r"(?:\pL{500}\pN{400})", "", None),
    ],
)
def test_what_cannot_be_searched_for_is_refused_with_reason_and_position(
    pattern: str, reason: str, position: int | None
) -> None:
    with pytest.raises(PatternInvalid, match="cannot be searched for") as raised:
        compiled(pattern)
    value = raised.value.as_value()
    assert (value["code"], value["retry"], value["retryAction"]) == (4006, False, None)
    assert reason in value["details"]["reason"]
    assert value["details"]["position"] == position


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        ("needle", (("needle",),)),
        (r"public\s+Exec\w+\(", (("public", "Exec"),)),
        ("ab+cd", (("ab", "cd"),)),
        ("ab?cd", (("cd",),)),
        ("ab{0}cd", (("cd",),)),
        ("foo|barn", (("foo",), ("barn",))),
        ("foo|b", ()),
        ("(foo|bar)baz", (("baz",),)),
        ("[foo]bar", (("bar",),)),
        (r"a\.b", (("a.b",),)),
        (r"\x66oo", (("oo",),)),
        (r"\dab", (("ab",),)),
        ("(?i)foo", ()),
        (r"\Qa.b\E", ()),
        ("x", ()),
        ("[]x]yz", (("yz",),)),
        (r"(?:a)?(bc)*de", (("de",),)),
    ],
)
def test_a_match_needs_the_text_that_stands_outside_what_is_optional(
    pattern: str, texts: tuple[tuple[str, ...], ...]
) -> None:
    assert required_texts(pattern) == texts


@given(PATTERNS, st.text(alphabet="abkKſé1 .\r", max_size=30), st.booleans())
@example("ſ", "S", True)
@example("kk", "KK", True)
def test_a_text_without_the_required_one_never_matches(
    pattern: str, line: str, case_insensitive: bool
) -> None:
    try:
        made = compiled(pattern, case_insensitive=case_insensitive)
    except PatternInvalid:
        assume(False)
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = not case_insensitive
    if re2.compile(pattern.encode(), options).search(line.encode()) is not None:
        assert made.may_match(line.encode())


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        ("(a+)+$", "a" * 50_000 + "!"),
        ("(a|aa)+$", "a" * 50_000 + "!"),
        ("(.*)(.*)(.*)(.*)x", "y" * 50_000),
        ("([a-z]+)*9", "z" * 50_000),
        ("[ab]*a[ab]{60}c", "ab" * 25_000),
        ("(?:a?){50}a{50}", "a" * 49),
    ],
)
def test_patterns_that_hang_other_engines_end_soon(pattern: str, line: str) -> None:
    began = time.monotonic()
    compiled(pattern).matches(line.encode())
    assert time.monotonic() - began < 60


def test_spans_count_characters_and_leave_out_what_is_empty() -> None:
    line = "né é🙂é"
    assert compiled("é").spans(line.encode(), line) == ((1, 2), (3, 4), (5, 6))
    assert compiled("x*").spans(line.encode(), line) == ()
    assert compiled("É", case_insensitive=True).spans(line.encode(), line)[0] == (1, 2)


def _calls_of_re2() -> Iterator[tuple[str, ast.Call]]:
    root = Path(__file__).parents[4]
    for package in ("services", "workbench", "widgets", "themes"):
        for file in (root / package).rglob("*.py"):
            text = file.read_text("utf-8")
            for node in ast.walk(ast.parse(text)) if "re2" in text else ():
                if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re2."):
                    yield text, node


def test_re2_writes_nothing_to_the_screen() -> None:
    """It logs to the process's own standard error unless each pattern and set is told not to."""
    bare = {"re2.escape": 1, "re2.Options": 0, "re2.compile": 2, "re2.Set.SearchSet": 1}
    for text, call in _calls_of_re2():
        name = ast.unparse(call.func)
        assert len(call.args) >= bare[name], ast.unparse(call)
        assert name != "re2.Options" or "log_errors = False" in text


@pytest.mark.parametrize("pattern", ["(", "a{1001}", r"(\pL{500}){2}", "(a", "[z-a]", r"(.*a.{12}){3}"])
def test_a_pattern_that_is_refused_is_told_by_the_error_alone(
    pattern: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with suppress(PatternInvalid):
        compiled(pattern).matches(bytes(range(256)) * 200)
    assert capfd.readouterr().err == ""
