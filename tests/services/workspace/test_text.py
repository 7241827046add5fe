"""Bytes to lines and back: nothing is lost, nothing is guessed, and only LF ends a line."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from services.errors import LineOutOfRange, NotText, ReadOnly, UsageError
from services.workspace.text import Text, decode, encode

PIECES = (
    "a",
    "é",
    "語",
    "🙂",
    "\n",
    "\r\n",
    "\r",
    "\v",
    "\f",
    "\x1c",
    "\x85",
    "\u2028",
    "\u2029",
    "\u0a00",
    "\u000a",
)
CONTENT = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
FORMS = st.sampled_from(
    [
        ("utf-8", b""),
        ("utf-8", codecs.BOM_UTF8),
        ("utf-16-le", codecs.BOM_UTF16_LE),
        ("utf-16-be", codecs.BOM_UTF16_BE),
    ]
)


def reference_lines(content: str) -> list[str]:
    """Lines with their endings, by the plainest reading of the rule."""
    lines = [line + "\n" for line in content.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


@given(CONTENT, FORMS)
def test_content_comes_back_with_encoding_bom_and_bytes(content: str, form: tuple[str, bytes]) -> None:
    encoding, bom = form
    data = bom + content.encode(encoding)
    text = decode(data)
    assert (text.content, text.encoding, text.bom, text.writable) == (content, encoding, bom, True)
    assert encode(text) == data


@given(CONTENT, FORMS)
def test_lines_are_what_the_rule_says(content: str, form: tuple[str, bytes]) -> None:
    encoding, bom = form
    text = decode(bom + content.encode(encoding))
    lines = reference_lines(content)
    assert text.line_count == len(lines)
    assert list(text.lines()) == lines
    assert text.final_newline == content.endswith("\n")
    assert [text.line(n) + text.ending(n) for n in range(1, len(lines) + 1)] == lines
    assert all(text.ending(n) in ("\n", "\r\n", "") for n in range(1, len(lines) + 1))


@given(CONTENT, FORMS, st.data())
def test_a_slice_is_its_lines_and_its_span_their_bytes(
    content: str, form: tuple[str, bytes], data: st.DataObject
) -> None:
    encoding, bom = form
    text = decode(bom + content.encode(encoding))
    lines = reference_lines(content)
    start = data.draw(st.integers(1, len(lines) + 1))
    end = data.draw(st.integers(start - 1, len(lines)))
    assert text.slice(start, end) == "".join(lines[start - 1 : end])
    first, last = text.span(start, end)
    assert text.data[first:last].decode(encoding) == text.slice(start, end)
    for number in range(start, end + 1):
        assert text.line_at(text.offsets[number - 1]) == number
        assert text.line_at(text.offsets[number] - 1) == number


@given(st.binary(max_size=200), st.sampled_from([None, "cp1252", "shift_jis", "gb18030"]))
@example(b"\xff\xfea", None)
@example(b"\xff\xfe\x00\xd8", None)
@example(b"\x81\x39\xee\x39", "gb18030")
def test_any_bytes_are_text_kept_whole_or_binary(data: bytes, encoding: str | None) -> None:
    try:
        text = decode(data, encoding=encoding)
    except NotText:
        assert b"\0" in data
        return
    assert "".join(text.lines()) == text.content
    assert text.data == data
    if text.writable:
        assert encode(text) == data
    else:
        with pytest.raises(ReadOnly):
            encode(text)


@pytest.mark.parametrize(
    ("data", "lines", "newline", "final"),
    [
        (b"", 0, "", False),
        (b"\xef\xbb\xbf", 0, "", False),
        (b"a", 1, "", False),
        (b"a\n", 1, "\n", True),
        (b"\n", 1, "\n", True),
        (b"a\r\nb", 2, "\r\n", False),
        (b"a\r\nb\n", 2, None, True),
        (b"a\rb\r", 1, "", False),
        (b"a\r\r\n", 1, "\r\n", True),
        ("a\r\nb\r\n".encode("utf-16"), 2, "\r\n", True),
        ("a\u0a0d\u000d".encode("utf-16-be").join([codecs.BOM_UTF16_BE, b"\0\n"]), 1, "\r\n", True),
    ],
)
def test_line_count_newline_style_and_final_newline(
    data: bytes, lines: int, newline: str | None, final: bool
) -> None:
    text = decode(data)
    assert (text.line_count, text.newline, text.final_newline) == (lines, newline, final)


@pytest.mark.parametrize("data", [b"a\0b", b"\x7fELF\0", "no mark".encode("utf-16-le"), "x".encode("utf-32")])
def test_nul_without_a_utf16_mark_is_binary(data: bytes) -> None:
    with pytest.raises(NotText, match=r"a\.dll"):
        decode(data, "a.dll")


def test_nul_is_looked_for_in_the_first_8000_bytes() -> None:
    with pytest.raises(NotText):
        decode(b"a" * 7_999 + b"\0")
    assert decode(b"a" * 8_000 + b"\0").writable


def test_bytes_that_are_no_utf8_are_shown_and_read_only_unless_an_encoding_is_declared() -> None:
    data = "é\nb".encode("cp1252")
    guessed = decode(data)
    assert (guessed.content, guessed.writable) == ("\ufffd\nb", False)
    with pytest.raises(ReadOnly):
        guessed.encode("c")
    declared = decode(data, encoding="cp1252")
    assert (declared.slice(1, 1), declared.writable, encode(declared)) == ("é\n", True, data)


def test_utf8_wins_over_a_declared_encoding() -> None:
    assert decode("é".encode(), encoding="cp1252").content == "é"


def test_a_character_the_encoding_does_not_have_cannot_be_written() -> None:
    with pytest.raises(ReadOnly, match="語"):
        decode("é".encode("cp1252"), encoding="cp1252").encode("語")


@pytest.mark.parametrize(
    "name", ["nonsense", "utf-7", "hz", "iso2022_jp", "cp037", "utf-16", "rot13", "base64", "idna"]
)
def test_an_encoding_that_could_corrupt_source_cannot_be_declared(name: str) -> None:
    with pytest.raises(UsageError, match="cannot be declared"):
        decode(b"\xe9", encoding=name)


@pytest.mark.parametrize(("start", "end"), [(0, 1), (1, 3), (4, 3), (2, 0), (-1, 1)])
def test_a_range_that_does_not_exist_is_refused(start: int, end: int) -> None:
    with pytest.raises(LineOutOfRange) as caught:
        decode(b"a\nb\n").slice(start, end)
    assert caught.value.details == {"lineCount": 2, "startLine": start, "endLine": end}


def test_the_place_before_a_line_is_an_empty_span() -> None:
    text = decode(b"\xef\xbb\xbfa\nb")
    assert [text.span(line, line - 1) for line in (1, 2, 3)] == [(3, 3), (5, 5), (6, 6)]


def test_a_text_is_a_value() -> None:
    assert decode(b"a") == Text(data=b"a", encoding="utf-8")


_TEXTS = st.text(alphabet="ab\n\r", max_size=12).map(str.encode)


@given(_TEXTS, _TEXTS, _TEXTS, _TEXTS, st.sampled_from([b"", b"\xef\xbb\xbf"]))
def test_lines_taken_over_from_a_text_are_those_counted_anew(
    head: bytes, old: bytes, new: bytes, tail: bytes, bom: bytes
) -> None:
    before, after, anew = (decode(bom + head + each + tail) for each in (old, new, new))
    if bom == after.bom == before.bom:
        after.count_as(before, (len(bom + head), len(tail)))
    assert after.offsets == anew.offsets
