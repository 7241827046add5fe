"""Types in metadata are read as they were written, whatever they are made of (ECMA-335 II.23.2)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.errors import NotAnAssembly
from services.index.external.metadata import coded, compressed, uncoded
from services.index.external.signature import Hints, SignatureReader

OBJECT, STRING, INT = b"\x1c", b"\x0e", b"\x08"
NAMES = {1: "A.B", 2: "List`1", 3: "System.ValueTuple`2", 4: "System.ValueTuple`8", 5: "System.ValueTuple`1"}
NAMES |= {6: "System.ValueTuple`3", 300: "Far", 70_000: "Farther"}

Written = tuple[bytes, str]
"""A type in the bytes of a signature, and as text."""


def number(value: int) -> bytes:
    """A compressed number."""
    if value < 0x80:
        return bytes([value])
    if value < 0x4000:
        return (value | 0x8000).to_bytes(2, "big")
    return (value | 0xC000_0000).to_bytes(4, "big")


def named(at: int, value_type: bool = False) -> Written:
    return bytes([0x11 if value_type else 0x12]) + number(at), NAMES[at]


def constructed(at: int, *of: bytes) -> bytes:
    return b"\x15\x12" + number(at) + number(len(of)) + b"".join(of)


def array(item: Written, rank: int) -> Written:
    """With two bounds of its dimensions."""
    data, text = item
    here = f"[{',' * (rank - 1)}]"
    brackets = len(text)
    while text[:brackets].endswith("]") and text[:brackets].rpartition("[")[2].strip(",]") == "":
        brackets = text[:brackets].rindex("[")
    return (
        b"\x14" + data + number(rank) + b"\x02\x03\x81\x00\x01\x00",
        text[:brackets] + here + text[brackets:],
    )


LEAVES = st.sampled_from(
    [(INT, "System.Int32"), (STRING, "System.String"), (b"\x13\x01", "!1")]
) | st.sampled_from(
    [(b"\x1e\x02", "!!2"), named(1), named(300, value_type=True), named(70_000), (b"\x19", "System.UIntPtr")]
)
TYPES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        inner.map(lambda each: (b"\x0f" + each[0], each[1] + "*")),
        inner.map(lambda each: (constructed(2, each[0]), f"List`1[{each[1]}]")),
        st.tuples(inner, inner).map(
            lambda two: (constructed(3, two[0][0], two[1][0]), f"({two[0][1]},{two[1][1]})")
        ),
        st.tuples(inner, st.integers(1, 4)).map(lambda each: array(*each)),
        inner.map(lambda each: (b"\x1f\x05\x20\x81\x00" + each[0], each[1])),  # modifiers
    ),
    max_leaves=5,
)


def read(blob: bytes) -> SignatureReader:
    return SignatureReader(blob, NAMES.__getitem__)


@given(TYPES, st.binary(max_size=3))
def test_a_type_is_read_as_it_was_written_and_no_further(written: Written, behind: bytes) -> None:
    data, text = written
    signature = read(data + behind)
    assert signature.type() == text
    assert signature.position == len(data)


@given(TYPES)
def test_a_signature_that_is_cut_off_is_no_assembly(written: Written) -> None:
    data, _ = written
    for length in range(len(data)):
        with pytest.raises(NotAnAssembly):
            read(data[:length]).type()


@given(st.integers(0, 0x1FFF_FFFF), st.binary(max_size=2))
def test_a_compressed_number_is_read_back(value: int, before: bytes) -> None:
    data = before + number(value)
    assert compressed(data + b"\xff", len(before)) == (value, len(data))


@pytest.mark.parametrize("element", [0x00, 0x17, 0x1A, 0x21, 0x46, 0x7F])
def test_an_element_that_is_none_is_refused(element: int) -> None:
    with pytest.raises(NotAnAssembly) as raised:
        read(bytes([element])).type()
    assert raised.value.details["element"] == element


def test_ranks_of_arrays_in_arrays_stand_outermost_first() -> None:
    assert read(b"\x1d" + array((INT, "System.Int32"), 2)[0]).type() == "System.Int32[][,]"
    assert read(array((b"\x1d" + INT, "System.Int32[]"), 3)[0]).type() == "System.Int32[,,][]"
    assert read(b"\x1d" + constructed(2, b"\x1d" + INT)).type() == "List`1[System.Int32[]][]"


def test_a_damaged_rank_fills_no_memory() -> None:
    assert read(b"\x14" + INT + number(0x1FFF_FFFF) + b"\x00\x00").type() == f"System.Int32[{',' * 31}]"


def test_pointers_to_functions_have_no_name_and_are_passed_over() -> None:
    signature = read(b"\x1b\x00\x02" + INT + STRING + b"\x1d" + INT + STRING)
    assert (signature.type(), signature.type()) == ("?", "System.String")


def test_long_tuples_are_one() -> None:
    seven = [INT] * 7
    assert read(constructed(4, *seven, constructed(5, STRING))).type() == (
        f"({'System.Int32,' * 7}System.String)"
    )
    assert read(constructed(4, *seven, constructed(3, STRING, STRING))).type() == (
        f"({'System.Int32,' * 7}System.String,System.String)"
    )
    assert read(constructed(4, *seven, STRING)).type() == (
        f"System.ValueTuple`8[{'System.Int32,' * 7}System.String]"
    )
    assert read(constructed(5, STRING)).type() == "System.ValueTuple`1[System.String]"


def test_names_of_elements_are_taken_in_the_order_of_the_parts() -> None:
    two = constructed(3, constructed(3, INT, STRING), INT)
    assert read(two).hinted(Hints(names=("outer", "", "a", "b"))) == (
        "((System.Int32 a,System.String b) outer,System.Int32)"
    )
    assert read(two).hinted(Hints(names=("outer",))) == ("((System.Int32,System.String) outer,System.Int32)")
    long = constructed(4, *[INT] * 7, constructed(3, STRING, STRING))
    assert " " not in read(long).hinted(Hints(names=tuple("abcdefghi")))


def test_parts_that_are_dynamic_are_counted_as_they_stand() -> None:
    pair = constructed(3, OBJECT, b"\x1d" + OBJECT)
    assert read(pair).hinted(Hints(dynamic=(False, True, False, False))) == "(dynamic,System.Object[])"
    assert read(pair).hinted(Hints(dynamic=(False, False, False, True))) == "(System.Object,dynamic[])"
    assert read(pair).hinted(Hints(dynamic=(False, True))) == "(dynamic,System.Object[])"
    assert read(pair).hinted(Hints(dynamic=None)) == "(dynamic,dynamic[])"
    assert read(pair).hinted() == "(System.Object,System.Object[])"
    assert read(b"\x20\x05" + OBJECT).hinted(Hints(dynamic=(False, True))) == "dynamic"
    assert read(STRING).hinted(Hints(dynamic=None)) == "System.String"


def test_a_reference_is_told_past_its_modifiers_and_leaves_the_cursor() -> None:
    signature = read(b"\x1f\x81\x00\x10" + INT + STRING)
    assert signature.is_reference(0)
    assert not signature.is_reference(4)
    assert signature.position == 0
    assert signature.type() == "System.Int32&"
    assert signature.hinted() == "System.String"
    assert read(b"\x10" + INT).hinted() == "System.Int32"


@given(st.integers(0, 1 << 20), st.integers(0, 4))
def test_a_coded_index_says_its_table_and_row(row: int, at: int) -> None:
    tables = (0x02, 0x01, 0x1A, 0x06, 0x1B)
    assert coded(uncoded(tables[at], row, "MemberRefParent"), "MemberRefParent") == (tables[at], row)


def test_a_tag_past_the_last_table_is_damage() -> None:
    with pytest.raises(NotAnAssembly, match="damaged"):
        coded(5, "MemberRefParent")
