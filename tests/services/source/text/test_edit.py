"""Edits of lines: bytes outside the range stay, endings are those of the neighbours."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.errors import LineOutOfRange, NotText, ReadOnly, UsageError
from services.source.text.edit import Edit, apply_edit, rewrite
from services.workspace.text import decode


@pytest.mark.parametrize(
    ("data", "edit", "after"),
    [
        (b"a\nb\nc\n", (2, 2, "x"), b"a\nx\nc\n"),
        (b"a\nb\nc\n", (2, 2, "x\n"), b"a\nx\nc\n"),
        (b"a\nb\nc\n", (2, 2, "x\n\n"), b"a\nx\n\nc\n"),
        (b"a\nb\nc\n", (2, 3, ""), b"a\n"),
        (b"a\r\nb\r\n", (1, 1, "x\ny"), b"x\r\ny\r\nb\r\n"),
        (b"a\r\nb\n", (2, 2, "x\ny"), b"a\r\nx\ny\n"),
        (b"a\nb\r\nc\n", (1, 3, "A\nB\nC"), b"A\nB\r\nC\n"),
        (b"a\r\nb\r\n", (1, 1, "x\r\ny\r\n"), b"x\r\ny\r\nb\r\n"),
        (b"a\r\nb", (2, 2, "x"), b"a\r\nx"),
        (b"a\r\nb", (3, 2, "x"), b"a\r\nb\r\nx"),
        (b"a\r\n", (2, 1, "x"), b"a\r\nx\r\n"),
        (b"a\n", (1, 0, "x"), b"x\na\n"),
        (b"", (1, 0, "x"), b"x\n"),
        (b"a", (1, 1, "x\ny"), b"x\ny"),
        (codecs.BOM_UTF8 + b"a\n", (1, 1, "\ufeffx"), codecs.BOM_UTF8 + b"x\n"),
        (b"a\n", (1, 1, "\ufeffx"), b"x\n"),
        (b"a\rb\n", (1, 1, "x\ry"), b"x\ry\n"),
    ],
)
def test_lines_in_the_place_of_others(data: bytes, edit: tuple[int, int, str], after: bytes) -> None:
    assert apply_edit(decode(data), Edit(*edit)).data == after


def test_utf_16_stays_utf_16() -> None:
    data = codecs.BOM_UTF16_LE + "a\r\nb\r\n".encode("utf-16-le")
    after = apply_edit(decode(data), Edit(2, 2, "ü\nż")).data
    assert after == codecs.BOM_UTF16_LE + "a\r\nü\r\nż\r\n".encode("utf-16-le")


@pytest.mark.parametrize(("start", "end"), [(0, 0), (-1, 1), (2, 0), (4, 4), (5, 4), (1, 9)])
def test_ranges_that_are_not_there(start: int, end: int) -> None:
    with pytest.raises(LineOutOfRange) as caught:
        apply_edit(decode(b"a\nb\nc\n"), Edit(start, end, "x"))
    assert caught.value.details["lineCount"] == 3


def test_a_nul_is_refused() -> None:
    with pytest.raises(UsageError, match="NUL"):
        apply_edit(decode(b"a\n"), Edit(1, 1, "x\0"))


def test_bytes_that_cannot_be_decoded_make_a_file_read_only() -> None:
    with pytest.raises(ReadOnly, match="read-only"):
        apply_edit(decode(b"a\n\xff\n"), Edit(1, 1, "x"))


def test_a_character_that_the_encoding_has_not_is_refused() -> None:
    with pytest.raises(ReadOnly, match="does not exist"):
        apply_edit(decode(b"\xe9\n", encoding="cp1252"), Edit(1, 1, "ż"))
    with pytest.raises(ReadOnly):
        apply_edit(decode(b"a\n"), Edit(1, 1, "\ud800"))


def test_an_edit_never_makes_a_file_read_as_another_encoding() -> None:
    with pytest.raises(NotText):
        apply_edit(decode(b"\xef\xbb\nb\n" if False else b"b\n"), Edit(1, 1, "\ufeff\ufeffx"))


FILES = st.lists(st.tuples(st.text("ab\rü", max_size=3), st.sampled_from(["\n", "\r\n"])), max_size=6)


@given(FILES, st.text("ab\rü", max_size=2), st.data())
def test_bytes_outside_the_range_stay(lines: list[tuple[str, str]], last: str, data: st.DataObject) -> None:
    text = decode(("".join(line + ending for line, ending in lines) + last).encode())
    start = data.draw(st.integers(1, text.line_count + 1))
    end = data.draw(st.integers(start - 1, text.line_count))
    content = data.draw(st.text("xy\n\r", max_size=5))
    first, after = text.span(start, end)
    edited = apply_edit(text, Edit(start, end, content))
    assert edited.data.startswith(text.data[:first])
    assert edited.data.endswith(text.data[after:])
    new = decode(edited.data)
    assert new.line_count - text.line_count == (edited.new[1] - edited.new[0]) - (end - start)


@given(FILES, st.text("ab\rü", max_size=2))
def test_writing_what_was_read_changes_nothing(lines: list[tuple[str, str]], last: str) -> None:
    text = decode(("".join(line + ending for line, ending in lines) + last).encode())
    assert rewrite(text, text.content) == text.data


def test_a_whole_new_text_keeps_the_endings_of_lines_that_stay() -> None:
    assert rewrite(decode(b"a\r\nb\nc\r\n"), "a\nx\nc\n") == b"a\r\nx\nc\r\n"
