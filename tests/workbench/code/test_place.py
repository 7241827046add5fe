"""What can be opened, as one string: read back as it was written, whatever files and symbols are called."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from services.model import Kind, Level, WindowItem
from tests.support.stage_bench import HEIGHT, TREE, ref
from workbench.code.opened import Place, lines_of, steps_of, target_of

FILES = st.text(st.sampled_from("ab/._- Äß漢()"), min_size=1).filter(lambda name: not name.endswith(":"))


@pytest.mark.parametrize(
    "id_", ["T_0123ABCD", "T_0123ABCD_KJEDB6", "T_0123ABCD_KJEDB6.2", "T_0123ABCDEFGH_0123ABCDEFGH.17"]
)
def test_the_id_of_a_symbol_is_no_file_also_where_a_number_tells_it_from_its_twin(id_: str) -> None:
    place = Place.parse(id_)
    assert (place, place.is_range) == (Place(id_), False)


@given(FILES, st.integers(1, 10**6), st.integers(1, 10**6))
def test_lines_of_a_file_are_what_stands_behind_its_name(file: str, start: int, end: int) -> None:
    text = f"{file}:{start}-{end}"
    assert Place.parse(text) == Place(text, file, start, end)
    assert Place.parse(f"{file}:{start}") == Place(f"{file}:{start}", file, start)
    assert Place.parse(file) == Place(file, file)
    assert Place.parse(file).is_range


@pytest.mark.parametrize(
    ("text", "file"),
    [
        ("a:b.cs", "a:b.cs"),
        ("a.cs:", "a.cs:"),
        ("a.cs:x-y", "a.cs:x-y"),
        ("two\nlines.cs:3", "two\nlines.cs"),
        ("T_x.cs", "T_x.cs"),
    ],
    ids=["colon", "colon at the end", "no numbers", "line end", "begins as an id"],
)
def test_what_is_no_range_belongs_to_the_name(text: str, file: str) -> None:
    assert Place.parse(text).file == file


def test_nothing_is_a_place_of_nothing() -> None:
    assert (Place.parse(""), Place.parse("").is_range) == (Place(""), False)


def item(key: str, symbol_id: str | None = None) -> WindowItem:
    return WindowItem(
        key=key,
        kind="outline",
        label="x",
        detail="",
        pinned=True,
        tokens=1,
        symbol_id=symbol_id,
        level=Level.OUTLINE,
    )


@pytest.mark.parametrize(
    ("shown", "target"),
    [
        (item("type:T_AAAAAAAA", "T_AAAAAAAA"), "T_AAAAAAAA"),
        (item("range:src/A.cs:3-9"), "src/A.cs:3-9"),
        (item("file:a:b.cs"), "a:b.cs"),
    ],
    ids=["symbol", "lines", "file with a colon"],
)
def test_an_item_of_the_window_is_opened_by_its_symbol_or_else_by_what_its_key_names(
    shown: WindowItem, target: str
) -> None:
    assert target_of(shown) == target


@given(
    st.lists(st.text(st.sampled_from("ab \t\x0b\x0c\x85\u2028é\r")), max_size=6),
    st.booleans(),
    st.sampled_from(["\n", "\r\n"]),
)
def test_a_line_ends_at_a_line_feed_and_nowhere_else(lines: list[str], ended: bool, ending: str) -> None:
    lines = [line.rstrip("\r") for line in lines]
    text = ending.join(lines) + (ending if ended and lines else "")
    wanted = lines if ended or not lines or lines[-1] else lines[:-1]
    assert lines_of(text) == wanted


@pytest.mark.parametrize(
    ("container", "names"),
    [
        ("", []),
        ("Orchard", [("Orchard", "Orchard")]),
        ("A.B.C", [("A", "A"), ("A.B", "B"), ("A.B.C", "C")]),
        (
            "A.Box<T, List<U>>.Lid",
            [("A", "A"), ("A.Box<T, List<U>>", "Box<T, List<U>>"), ("A.Box<T, List<U>>.Lid", "Lid")],
        ),
        ("A.Map<B.Key>", [("A", "A"), ("A.Map<B.Key>", "Map<B.Key>")]),
    ],
    ids=["global", "one", "several", "type arguments", "a dot in a type argument"],
)
def test_the_way_to_a_symbol_has_a_step_for_each_name(container: str, names: list[tuple[str, str]]) -> None:
    symbol = replace(HEIGHT, container=container)
    assert steps_of(symbol) == [*names, (HEIGHT.id, HEIGHT.label)]


def test_there_is_no_way_to_no_symbol() -> None:
    assert steps_of(None) == []


def test_a_type_of_a_namespace_is_reached_through_it() -> None:
    assert steps_of(TREE) == [("Orchard", "Orchard"), (TREE.id, "Tree")]
    assert steps_of(ref("T_X", Kind.CLASS, "Alone", 1)) == [("T_X", "Alone")]
