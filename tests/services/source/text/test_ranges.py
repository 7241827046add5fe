"""Ranged reads are slices of the file, whatever it holds."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.errors import LineOutOfRange
from services.model import SourcePiece
from services.source.read.reader import SourceReader
from services.source.text.ranges import covers
from services.workspace.files.root import Root

WORDS = ("a", "é", "\t", "\x1b[31m", "\r", "\n", "\n", "\r\n", "\v", "\x85", "\u2028", "\u202e")
CONTENTS = st.lists(st.sampled_from(WORDS), max_size=25).map("".join)
FORMS = st.sampled_from((("utf-8", b""), ("utf-8", codecs.BOM_UTF8), ("utf-16-le", codecs.BOM_UTF16_LE)))
ends = st.none() | st.integers(-2, 14)


def plain_lines(content: str) -> list[str]:
    """Lines with their endings, by the plainest reading of the rule."""
    *whole, rest = content.split("\n")
    return [line + "\n" for line in whole] + ([rest] if rest else [])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(CONTENTS, FORMS, ends, ends)
def test_a_read_is_a_slice_of_the_lines(
    tmp_path: Path, content: str, form: tuple[str, bytes], start: int | None, end: int | None
) -> None:
    (tmp_path / "a").write_bytes(form[1] + content.encode(form[0]))
    lines = plain_lines(content)
    first, last = 1 if start is None else start, len(lines) if end is None else min(end, len(lines))
    asked = start is not None or end is not None
    with Root.open(tmp_path) as root:
        reader = SourceReader(root)
        if first < 1 or (asked and last < first):
            with pytest.raises(LineOutOfRange) as raised:
                reader.read("a", start=start, end=end)
            details = raised.value.details
            assert (details["lineCount"], details["startLine"], details["endLine"]) == (
                len(lines),
                start,
                end,
            )
            assert reader.content("a")[0].lines == ()
            return
        read = reader.read("a", start=start, end=end)
        assert read.content == "".join(lines[first - 1 : last])
        assert (read.line_count, read.start_line, read.end_line) == (len(lines), first, last)
        seen = reader.cache.seen("a", read.token)
        assert not lines or covers(seen.lines, first, last)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(CONTENTS.filter(bool), st.data())
def test_pieces_are_the_slices_one_after_the_other(tmp_path: Path, content: str, data: st.DataObject) -> None:
    (tmp_path / "a").write_bytes(content.encode())
    lines = plain_lines(content)
    at = st.integers(1, len(lines))
    chosen = data.draw(st.lists(st.tuples(at, at).map(sorted), min_size=1, max_size=4))
    pieces = [SourcePiece(file="a", start_line=first, end_line=last) for first, last in chosen]
    with Root.open(tmp_path) as root:
        read = SourceReader(root).read_pieces(pieces)
    slices = ["".join(lines[first - 1 : last]) for first, last in chosen]
    # A piece that ends its file without an ending gets that of the line before, or LF.
    told = ["".join(_ended(slices, ending)) for ending in ("\n", "\r\n")]
    assert read.content in told
    assert {piece.token for piece in read.pieces} == {read.token}


def _ended(slices: list[str], ending: str) -> list[str]:
    return [text if text.endswith("\n") else text + ending for text in slices[:-1]] + slices[-1:]
