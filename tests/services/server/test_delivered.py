"""A write needs lines that were shown: those of later pages have not been, until they are asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.errors import CodeCortexError
from services.operations import by_name
from services.server.paging import CURSOR, shown
from services.server.serving import Serving
from services.source.journal.actor import Owner
from tests.support.serving import SHOP, served
from tests.support.workspace import project

AGENT = Owner("tester")
LONG = "".join(f"// line {i} of many, long enough to be counted\n" for i in range(1, 4_001))


def read(serving: Serving, **arguments):
    return serving.call(by_name("getObjectSourceV2"), {"object": "a.txt", **arguments}, agent=AGENT)


def try_to_replace(serving: Serving, line: int, token: str, file: str = "a.txt") -> str | None:
    """What refuses a rehearsed write of one line; None where nothing does."""
    handle = serving.call(by_name("lock"), {"object": file}, agent=AGENT)["LOCK_HANDLE"]
    lines = {"startLine": line, "endLine": line, "content": "other\n", "dryRun": True}
    change = {"object": file, "token": token, "lockHandle": handle, **lines}
    try:
        serving.call(by_name("setObjectSourceV2"), change, agent=AGENT)
    except CodeCortexError as error:
        return type(error).__name__
    finally:
        serving.call(by_name("unLock"), {"object": file, "lockHandle": handle}, agent=AGENT)
    return None


def test_lines_of_a_page_that_was_not_asked_for_cannot_be_written(tmp_path: Path) -> None:
    with served(tmp_path, {**SHOP, "a.txt": LONG}) as serving:
        page = read(serving)
        last = page["endLine"]
        assert CURSOR in page
        assert try_to_replace(serving, last, page["token"]) is None
        assert try_to_replace(serving, last + 1, page["token"]) is not None
        read(serving, cursor=page[CURSOR])
        assert try_to_replace(serving, last + 1, page["token"]) is None
        assert try_to_replace(serving, 4_000, page["token"]) is not None


def test_the_second_page_counts_where_its_answer_had_to_be_made_again(tmp_path: Path) -> None:
    with served(tmp_path, {**SHOP, "a.txt": LONG}) as serving:
        page = read(serving)
    with Serving.open(tmp_path, serving.bench.settings) as again:
        read(again, cursor=page[CURSOR])
        assert try_to_replace(again, page["endLine"] + 1, page["token"]) is None


def test_what_json_rpc_answers_whole_counts_whole(tmp_path: Path) -> None:
    with served(tmp_path, {**SHOP, "a.txt": LONG}) as serving:
        answer = serving.whole(by_name("getObjectSourceV2"), {"object": "a.txt"}, agent=AGENT)
        assert try_to_replace(serving, 4_000, answer["token"]) is None


def test_a_part_of_a_type_counts_piece_by_piece(tmp_path: Path) -> None:
    member = "    public int Member{}() => {}; // words that take room on a page\n"
    files = {
        f"S/{name}.cs": "namespace S;\npublic partial class A\n{\n"
        + "".join(member.format(name + str(i), i) for i in range(700))
        + "}\n"
        for name in ("One", "Two")
    }
    with served(tmp_path, {"S/S.csproj": project(), **files}) as serving:
        asked = {"object": "S.A", "includeType": "definitions"}
        page = serving.call(by_name("getObjectSourceV2"), asked, agent=AGENT)
        assert CURSOR in page
        piece = page["pieces"][-1]
        file, last = piece["file"], piece["endLine"]
        assert try_to_replace(serving, last, piece["token"], file) is None
        assert try_to_replace(serving, last + 1, piece["token"], file) is not None


def test_what_a_pin_renders_was_not_shown(tmp_path: Path) -> None:
    """The answer of `pin` has no source in it, and the window may leave any of it out."""
    with served(tmp_path) as serving:
        one = read(serving, object="Shop/Orders.cs", startLine=1, endLine=1)
        serving.call(by_name("Pin"), {"path": "Shop/Orders.cs", "level": "whole"}, agent=AGENT)
        assert try_to_replace(serving, 8, one["token"], "Shop/Orders.cs") is not None


@given(st.integers(1, 50), st.integers(0, 50), st.booleans(), st.booleans())
def test_a_line_cut_by_the_end_of_a_page_is_not_shown_by_it(first, more, is_cut, ends) -> None:
    page = {"content": "x\n" if ends else "x", "token": "t", "file": "a", "startLine": first}
    page |= {"endLine": first + more} | ({CURSOR: "c"} if is_cut else {})
    lines = [line for _, a, b in shown(page) for line in range(a, b + 1)]
    assert lines == list(range(first, first + more + (0 if is_cut and not ends else 1)))


@pytest.mark.parametrize("page", [None, [], {"content": "x"}, {"content": "", "token": "t"}])
def test_what_is_no_source_shows_none(page) -> None:
    assert list(shown(page)) == []
