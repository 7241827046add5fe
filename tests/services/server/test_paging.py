"""Long answers in pages."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.errors import UsageError
from services.prompt.tokens.tokenizers import EncodingCounter, counter_for
from services.server.failures import json_text
from services.server.paging import CURSOR, PAGE_TOKENS, Answer, Pages

COUNT = counter_for("gpt-5", EncodingCounter()).count


def all_pages(answer, *, kept=True):
    pages = Pages(COUNT)
    page = pages.first(Answer(answer), "call")
    yield page
    while CURSOR in page:
        if not kept:
            pages = Pages(COUNT)
        page = pages.next(page[CURSOR], "call", lambda: Answer(answer))
        yield page


def test_a_short_answer_is_one_page_as_it_is():
    answer = {"text": "short", "rows": [1, 2]}
    assert list(all_pages(answer)) == [answer]


@pytest.mark.parametrize("kept", [True, False])
def test_rows_of_all_pages_are_the_rows_and_no_page_is_too_long(kept):
    rows = [{"file": f"src/File{i}.cs", "line": i} for i in range(5_000)]
    pages = list(all_pages({"total": 5_000, "rows": rows}, kept=kept))
    assert [row for page in pages for row in page["rows"]] == rows
    assert all(page["total"] == 5_000 for page in pages)
    assert all(COUNT(json_text(page)) <= PAGE_TOKENS + 100 for page in pages)
    assert len(pages) > 2


@given(st.lists(st.text(alphabet="ab \r\x0b\u2028é", max_size=30), min_size=1, max_size=60))
def test_a_text_is_put_together_again_from_its_pages(lines):
    text = "\n".join(lines) * 400
    assert "".join(page["text"] for page in all_pages({"text": text})) == text


def test_lines_of_source_keep_their_numbers():
    content = "".join(f"int field{i} = {i};\n" for i in range(10, 4_000))
    answer = {"content": content, "startLine": 10, "endLine": 3_999, "pieces": []}
    last = 9
    for page in all_pages(answer):
        assert page["startLine"] == last + 1
        assert page["content"].startswith(f"int field{page['startLine']} ")
        last = page["endLine"]
    assert last == 3_999


def test_one_line_that_is_longer_than_a_page_is_cut_inside():
    text = "x y z " * 20_000
    assert "".join(page["text"] for page in all_pages({"text": text})) == text


@pytest.mark.parametrize("kept", [True, False])
def test_a_row_that_is_longer_than_a_page_goes_on_on_the_next(kept):
    texts = ["".join(f"+ line {at} of {name}\n" for at in range(9_000)) for name in "ab"]
    rows = [{"path": f"{at}.cs", "diff": text, "hunks": at} for at, text in enumerate(["short\n", *texts])]
    pages = list(all_pages({"files": rows}, kept=kept))
    assert all(COUNT(json_text(page)) <= PAGE_TOKENS + 100 for page in pages)
    assert all(len({row["path"] for row in page["files"]}) == len(page["files"]) for page in pages)
    for row in rows:
        parts = [part for page in pages for part in page["files"] if part["path"] == row["path"]]
        assert "".join(part["diff"] for part in parts) == row["diff"]
        assert all({**part, "diff": row["diff"]} == row for part in parts)


def test_what_is_long_below_the_rows_says_what_was_left_out():
    pages = list(all_pages({"rows": [{"parts": ["word " * 40_000]}]}))
    assert len(pages) == 1
    assert "characters left out" in pages[0]["rows"][0]["parts"][0]


@pytest.mark.parametrize("cursor", ["", "x", "WzFd", "é", "W10", "a" * 5000])
def test_what_is_no_cursor_is_refused(cursor):
    with pytest.raises(UsageError):
        Pages(COUNT).next(cursor, "call", lambda: Answer({"rows": []}))


def test_a_cursor_of_an_answer_that_has_changed_is_refused():
    rows = [{"file": f"src/File{i}.cs"} for i in range(5_000)]
    cursor = Pages(COUNT).first(Answer({"rows": rows}), "call")[CURSOR]
    with pytest.raises(UsageError, match="another by now"):
        Pages(COUNT).next(cursor, "call", lambda: Answer({"rows": rows[1:]}))


def test_pieces_of_a_part_are_told_as_far_as_a_page_shows_them():
    """The lines that the pages tell, page after page, are the lines of all pieces, each once."""
    whole = [("a.cs", 5, 2_000), ("b.cs", 1, 1), ("c.cs", 7, 3_000)]
    pieces = [{"file": file, "startLine": first, "endLine": last} for file, first, last in whole]
    lines = [(file, line) for file, first, last in whole for line in range(first, last + 1)]
    content = "".join(f"{file} line {line}\n" for file, line in lines)
    told = []
    for page in all_pages({"content": content, "startLine": 5, "endLine": 2_000, "pieces": pieces}):
        here = [
            f"{piece['file']} line {line}\n"
            for piece in page["pieces"]
            for line in range(piece["startLine"], piece["endLine"] + 1)
        ]
        assert page["content"] == "".join(here)
        told += here
    assert "".join(told) == content


def crafted(*values):
    text = json.dumps(values)
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def test_a_cursor_that_no_answer_gave_is_refused():
    rows = {"rows": [f"row {i} of many" for i in range(5_000)]}
    pages = Pages(COUNT, lambda: b"key")
    given = pages.first(Answer(rows), "call")[CURSOR]
    digest, field, unit, sign = json.loads(base64.urlsafe_b64decode(given + "=" * (-len(given) % 4)))
    forged = [
        (digest, field, unit + 1, sign),
        (digest, field, -1, sign),
        (digest, 7, unit, sign),
        (digest, field, unit),
        (digest, field, unit, ""),
        (digest, field, unit, "é"),
        (digest, 10**30, unit, sign),
    ]
    for values in forged:
        with pytest.raises(UsageError, match="no cursor"):
            pages.next(crafted(*values), "call", lambda: Answer(rows))
    with pytest.raises(UsageError, match="no cursor"):
        Pages(COUNT, lambda: b"another").next(given, "call", lambda: Answer(rows))
    assert pages.next(given, "call", lambda: Answer(rows))["rows"]


def test_of_a_huge_text_few_tokens_are_counted():
    counted = 0

    def count(text):
        nonlocal counted
        counted += len(text)
        return COUNT(text)

    pages = Pages(count)
    text = "some words of a line\n" * 400_000
    page = pages.first(Answer({"text": text}), "call")
    pages.next(page[CURSOR], "call", lambda: Answer({"text": text}))
    assert counted < len(text) / 10
