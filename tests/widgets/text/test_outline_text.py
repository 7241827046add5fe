from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from widgets.text.outline_view import read_outline

OUTLINE = """# Json.JsonConvert  T_7K2
public class · src/JsonConvert.cs:5-90 · Json

Turns Values into `JToken` and back.

Public API

    Constructors
    + JsonConvert()

    Properties
    + Formatting Depth { get; set; }

    Methods
    + static Task<JToken> Load(Stream source, Format f = Format.None)  // Reads Foo.
    + T? Get<T>(TKey key) where T : IFoo

    Events
    + event EventHandler? Done

    Values
    None, Indented

    Nested types
    + class Settings<T>  T_SETTINGS

Not shown: 3 Members, private.

- Extends: Json.Base
- DependsOn: JsonReader, JsonWriter and 3 more
- JsonReader: Reads Text.
- Hashes: Structure ABCD
"""
LINES = OUTLINE.split("\n")


def links(start: str) -> list[str]:
    row = next(row for row, line in enumerate(LINES) if line.strip().startswith(start))
    return [LINES[row][span.start : span.end] for span in read_outline(LINES)[row].links]


def headings() -> list[str]:
    return [
        line[span.start : span.end].strip()
        for line, read in zip(LINES, read_outline(LINES), strict=True)
        for span in read.spans
        if span.style == "heading"
    ]


def test_headings_titles_and_labels_stand_out() -> None:
    assert headings() == [
        "# Json.JsonConvert  T_7K2",
        "Public API",
        "Constructors",
        "Properties",
        "Methods",
        "Events",
        "Values",
        "Nested types",
        "Extends",
        "DependsOn",
        "JsonReader",
        "Hashes",
    ]


def test_types_of_members_are_links_and_declared_names_are_not() -> None:
    assert links("+ JsonConvert()") == []
    assert links("+ Formatting") == ["Formatting"]
    assert links("+ static") == ["Task", "JToken", "Stream", "Format", "Format.None"]
    assert links("+ T?") == ["IFoo"]
    assert links("+ event") == ["EventHandler"]
    assert links("+ class") == ["Settings"]


def test_values_of_an_enum_and_prose_are_no_links() -> None:
    assert links("None") == []
    assert links("Not shown") == []
    assert links("Turns") == ["JToken"]
    assert links("- JsonReader") == []
    assert links("- Hashes") == []


def test_relations_are_links_to_the_last_name() -> None:
    assert links("- Extends") == ["Json.Base"]
    assert links("- DependsOn") == ["JsonReader", "JsonWriter"]


DECLARED = """[Route("items"), Authorize] public sealed class Items : Controller, ISync
// Keeps Things in order.
// namespace Shop · src/Items.cs:5-90
// used by 41 types: Basket, Order and 39 more
{ // public unless said
 [HttpGet("{id}")] Task<Item> Get(int id, Part? part = null); // Reads Foo.
 // … 2 private
}
"""


def declared_links(row: int) -> list[str]:
    lines = DECLARED.split("\n")
    return [lines[row][span.start : span.end] for span in read_outline(lines)[row].links]


def test_declarations_are_code_and_comments_name_types_where_they_say_so() -> None:
    assert declared_links(0) == ["Authorize", "Items", "Controller", "ISync"]
    assert [declared_links(row) for row in (1, 2, 4, 6, 7)] == [[]] * 5
    assert declared_links(3) == ["Basket", "Order"]
    assert declared_links(5) == ["Task", "Item", "Part"]
    read = read_outline(DECLARED.split("\n"))
    assert [span.style for span in read[1].spans] == ["comment"]


@given(st.lists(st.text(alphabet='Ab .`"/<>(){}=:,-#+[?', max_size=40), max_size=8))
def test_spans_are_in_order_apart_and_within_their_line(lines: list[str]) -> None:
    for line, read in zip(lines, read_outline(lines), strict=True):
        edges = [edge for span in read.spans for edge in (span.start, span.end)]
        assert edges == sorted(edges)
        assert not edges or edges[-1] <= len(line)
        assert set(read.links) <= set(read.spans)
