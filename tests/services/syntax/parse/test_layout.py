"""How a file is laid out changes no declaration: blanks, line ends and comments between its words do not count."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.syntax.parse.parsing import read_file
from services.syntax.records.declaration import Declaration, FileRecord

SOURCE = """using System;
namespace Shop.Orders
{
    [Serializable, Obsolete("a  b")]
    public sealed class Order<TKey> : Base<TKey>, IOrder where TKey : notnull
    {
        private const int Most = 10, Least = - 1;
        private readonly Dictionary<TKey, List<int>> _items = new Dictionary<TKey, List<int>>();
        public Order(TKey key, string name = "x // y") : base(key) { Size = name.Length; }
        public int Size { get; private set; } = 1;
        public string Name => Size > 1 ? "many" : "one /* a */";
        public static bool operator ==(Order<TKey> a, Order<TKey> b) => Equals(a, b);
        int IOrder.Count<T>(ref readonly T first, params T[] rest) { return rest.Length + Most; }
        public event EventHandler Changed { add { } remove { } }
        private enum State : byte { New = 1, Done = New << 2 }
        public delegate ref TKey Maker(in TKey key);
    }
    readonly record struct Point(int X, int Y = 2);
}
"""
WRITTEN = SOURCE.encode()
IN_TEXTS = ("a  b", "x // y", "one /* a */")


def _gaps() -> list[int]:
    """Where a blank stands between two words."""
    inside = {at for text in IN_TEXTS for at in range(SOURCE.index(text), SOURCE.index(text) + len(text) + 1)}
    return [at for at, char in enumerate(SOURCE) if char == " " and at not in inside]


GAPS = _gaps()
FILLINGS = st.sampled_from(["  ", "\n", "\r\n\t", " /* ; { é */ ", " // ' \" }\n", "\n\n /**/ "])


def meant(each: Declaration) -> Declaration:
    """A declaration without the places where it stands."""
    nowhere = {"start": 0, "end": 0, "start_line": 0, "end_line": 0, "body": (0, 0), "header": ()}
    return msgspec.structs.replace(each, **nowhere)


def all_meant(record: FileRecord) -> list[Declaration]:
    return [meant(each) for each in record.declarations]


@given(st.dictionaries(st.sampled_from(GAPS), FILLINGS, max_size=12))
def test_what_stands_between_words_changes_no_declaration(fillings: dict[int, str]) -> None:
    text = "".join(fillings.get(at, char) for at, char in enumerate(SOURCE))
    plain, found = read_file(WRITTEN), read_file(text.encode())
    assert all_meant(found) == all_meant(plain)
    assert found.quality is plain.quality
    data = text.encode()
    for one, other in zip(plain.declarations, found.declarations, strict=True):
        first, last = WRITTEN[one.start : one.end].split(), data[other.start : other.end].split()
        assert (first[0], first[-1]) == (last[0], last[-1])
        assert other.start_line == data.count(b"\n", 0, other.start) + 1
        assert other.end_line == data.count(b"\n", 0, other.end) + 1


@pytest.mark.parametrize("end", ["\r\n", "\n", "\n\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_a_byte_order_mark_do_not_count(end: str, mark: str) -> None:
    found = read_file((mark + SOURCE.replace("\n", end)).encode())
    assert all_meant(found) == all_meant(read_file(WRITTEN))


@given(
    st.integers(0, len(SOURCE)),
    st.integers(0, 6),
    st.sampled_from(["", "{", "}", "(", '"', "/*", ";", "é", "#if A\n"]),
)
def test_declarations_of_a_damaged_file_lie_in_their_types(at: int, gone: int, put: str) -> None:
    data = (SOURCE[:at] + put + SOURCE[at + gone :]).encode()
    found = read_file(data).declarations
    for each in found:
        assert 0 <= each.start <= each.end <= len(data)
        assert each.start_line == data.count(b"\n", 0, each.start) + 1
        if each.parent >= 0:
            outer = found[each.parent]
            assert outer.start <= each.start <= each.end <= outer.end
        if each.body[1]:
            assert each.start <= each.body[0] <= each.body[1] <= each.end
