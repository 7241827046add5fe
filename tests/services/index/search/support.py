"""Symbols and strategies for the tests of search."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from services.index.search import ACCESSES, SearchSegment, SymbolRow, Symbols, SymbolSearch

WORDS = [
    "Json",
    "Convert",
    "Serialize",
    "Object",
    "Get",
    "Set",
    "Value",
    "XML",
    "Reader",
    "Io",
    "9",
    "_x",
    "Über",
    "ß",
]

JSON = [
    SymbolRow(name="JsonConvert", container="Newtonsoft.Json", kind="class", access="public", boost=50),
    SymbolRow(
        name="SerializeObject",
        container="Newtonsoft.Json.JsonConvert",
        kind="method",
        access="public",
        boost=9,
    ),
    SymbolRow(
        name="SerializeObject", container="Newtonsoft.Json.JsonConvert", kind="method", access="private"
    ),
    SymbolRow(
        name="DeserializeObject", container="Newtonsoft.Json.JsonConvert", kind="method", access="public"
    ),
    SymbolRow(name="JsonConverter", container="Newtonsoft.Json", kind="class", access="public"),
    SymbolRow(name="WriteJson", container="Newtonsoft.Json.JsonConverter", kind="method", access="public"),
    SymbolRow(name="Socket", container="My.Net", kind="class", access="public", project="Net"),
    SymbolRow(name="Sofa", container="My.Home", kind="record struct", access="internal", project="Home"),
    SymbolRow(name="ÜberStraße", container="My.Größe", kind="class", access="public", project="Home"),
]

names = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map("".join)
containers = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map("".join), max_size=4).map(
    ".".join
)
rows = st.lists(
    st.builds(
        SymbolRow,
        name=names,
        container=containers,
        kind=st.sampled_from(["class", "method", "enum", "enum member"]),
        access=st.sampled_from(ACCESSES),
        project=st.sampled_from(["Core", "Web"]),
        boost=st.integers(0, 3).map(float),
    ),
    min_size=1,
    max_size=16,
)
pieces = st.text("jsonconvertgxÜüßSOCJ9_", min_size=1, max_size=6) | names.map(lambda name: name[:7])
queries = st.lists(pieces, min_size=1, max_size=3).map(" ".join)


def searching(*parts: Sequence[SymbolRow]) -> SymbolSearch:
    """A search over one segment for each part."""
    return SymbolSearch([SearchSegment(Symbols.build(part)) for part in parts])


def paths(search: SymbolSearch, query: str, rows: Sequence[SymbolRow], **options) -> list[str]:
    """The dotted paths a query finds, best first."""
    return [
        f"{rows[hit.number].container}.{rows[hit.number].name}"
        for hit in search.search(query, **options).hits
    ]
