"""Matching lines: the same as asking RE2 about every line, with context that tells no line twice."""

from __future__ import annotations

import codecs
import threading
import time

import pytest
import re2
from hypothesis import assume, example, given
from hypothesis import strategies as st

from services.errors import Cancelled, PatternInvalid
from services.source.grep_lines import LONGEST_LINE
from services.source.grep_pattern import compiled
from services.source.grep_search import GrepRequest, GrepTotals, grep_text
from services.workspace.text import decode
from tests.services.source.test_grep_pattern import PATTERNS

ANCHORED = st.sampled_from(
    (
        r"\Aa",
        r"b\z",
        "(?-m)^a",
        "(?-m:a$)",
        "^$",
        "$",
        "^",
        "a*",
        r"\s",
        r"a\s",
        r"[^a]",
        ".$",
        r"b\b",
        r"\B",
        "\r",
        "(?s).b",
    )
)
LINES = st.lists(
    st.sampled_from(("a", "b", "ab", "k", "é", "1", " ", "\r", "\n", "\n", "\r\n", "\v", "\u2028")),
    max_size=25,
)
CONTENTS = LINES.map("".join)
FORMS = st.sampled_from((("utf-8", b""), ("utf-8", codecs.BOM_UTF8), ("utf-16-le", codecs.BOM_UTF16_LE)))


Line = tuple[int, str, tuple[tuple[int, int], ...]]


def naive(pattern: str, data: bytes, case_insensitive: bool) -> list[Line]:
    """Number, text and spans of the lines that match, each searched by itself."""
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = not case_insensitive
    expression = re2.compile(pattern, options)
    text = decode(data)
    found: list[Line] = []
    for number in range(1, text.line_count + 1):
        line = text.line(number)
        spans = [match.span() for match in expression.finditer(line)]
        if spans:
            found.append((number, line, tuple(span for span in spans if span[1] > span[0])))
    return found


@given(PATTERNS | ANCHORED, CONTENTS, FORMS, st.booleans())
@example("$", "a\r\n", ("utf-8", b""), False)
@example("a$", "a\r\r\na\r\na\r", ("utf-8", b""), False)
@example("^a", "a\n", ("utf-8", codecs.BOM_UTF8), False)
@example("x*", "\n\n", ("utf-8", b""), False)
@example("ab", "abab é ab\r\nb", ("utf-8", b""), False)
@example(r"\.", "a.b..", ("utf-8", b""), False)
def test_a_grep_finds_the_lines_that_re2_finds_one_by_one(
    pattern: str, content: str, form: tuple[str, bytes], case_insensitive: bool
) -> None:
    try:
        made = compiled(pattern, case_insensitive=case_insensitive)
    except PatternInvalid:
        assume(False)
    data = form[1] + content.encode(form[0])
    found = grep_text("a", data, GrepRequest(made, 0, 1000))
    expected = naive(pattern, data, case_insensitive)
    assert [(m.line_number, m.content, m.spans) for m in found.matches] == expected
    lines = content.count("\n") + (bool(content) and not content.endswith("\n"))
    assert found.line_count == (lines if expected else 0)


@given(st.binary(max_size=60))
def test_bytes_that_are_no_text_are_searched_as_they_are_shown(data: bytes) -> None:
    assume(b"\0" not in data and not data.startswith((codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE)))
    text = decode(data)
    found = grep_text("a", data, GrepRequest(compiled("."), 0, 1000))
    assert [m.content for m in found.matches] == [
        line for number in range(1, text.line_count + 1) if (line := text.line(number)).strip("\n")
    ]


@given(st.lists(st.sampled_from(("hit", "miss", "")), max_size=20), st.integers(0, 4), st.integers(1, 6))
def test_context_is_what_stands_around_and_no_line_is_told_twice(
    lines: list[str], context: int, most: int
) -> None:
    found = grep_text("a", "\n".join(lines).encode(), GrepRequest(compiled("hit"), context, most))
    hits = [number for number, line in enumerate(lines, 1) if line == "hit"]
    assert [match.line_number for match in found.matches] == hits[:most]
    assert found.truncated == (len(hits) > most)
    told: list[int] = []
    for match in found.matches:
        first = match.line_number - len(match.context_before)
        told += range(first, match.line_number + len(match.context_after) + 1)
        assert [*match.context_before, match.content, *match.context_after] == lines[first - 1 : told[-1]]
    assert len(told) == len(set(told))
    near = {n for hit in hits[:most] for n in range(hit - context, hit + context + 1) if 0 < n <= len(lines)}
    trailing = 1 if lines and not lines[-1] else 0
    assert near - set(told) <= {len(lines)} if trailing else near == set(told)


@given(
    st.lists(st.integers(1, 30), unique=True, max_size=8),
    st.lists(st.tuples(st.integers(1, 30), st.integers(0, 5)), max_size=4),
)
def test_in_ranges_only_their_lines_count(hits: list[int], stretches: list[tuple[int, int]]) -> None:
    ranges: list[tuple[int, int]] = []
    for start, length in sorted(stretches):
        if not ranges or start > ranges[-1][1]:
            ranges.append((start, start + length))
    data = b"".join(b"hit\n" if number in hits else b"miss\n" for number in range(1, 31))
    found = grep_text("a", data, GrepRequest(compiled("hit"), 0, 100), ranges=ranges)
    assert [m.line_number for m in found.matches] == [
        n for n in sorted(hits) if any(a <= n <= b for a, b in ranges)
    ]


def test_a_line_that_is_too_long_is_left_out_and_counted() -> None:
    tally = GrepTotals()
    data = b"hit\n" + b"x" * 5_000_000 + b"hit\nhit\n" + b"hit" + b"y" * LONGEST_LINE
    found = grep_text("a", data, GrepRequest(compiled("hit"), 1, 10), tally=tally)
    assert [m.line_number for m in found.matches] == [1, 3]
    assert tally.long_lines == 2
    assert (
        max(len(line) for m in found.matches for line in (*m.context_before, *m.context_after))
        == LONGEST_LINE
    )


@pytest.mark.parametrize(
    "data",
    [
        b"a" * 3_000_000,
        b"ab" * 30_000 + b"\n",
        b"\n" * 1_000_000,
        (b"ab" * 200 + b"\n") * 2_000,
        b"a\n" * 300_000,
    ],
)
@pytest.mark.parametrize("pattern", ["[ab]*a[ab]{80}c", "(a|b|ab)*c", "(.*)(.*)(.*)=x", r"(?-m)(\pL+\s?)+!$"])
def test_no_text_makes_a_search_hang(pattern: str, data: bytes) -> None:
    began = time.monotonic()
    grep_text("a", data, GrepRequest(compiled(pattern), 0, 10))
    assert time.monotonic() - began < 60


def test_a_search_stops_when_it_is_cancelled() -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        grep_text("a", b"hit\n", GrepRequest(compiled("hit")), cancel=cancel)
