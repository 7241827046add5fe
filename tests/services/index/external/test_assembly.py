"""What a compiler wrote into an assembly, and what is read of it."""

from __future__ import annotations

import random
import struct
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.errors import NotAnAssembly
from services.index.external.assembly import Assembly
from services.index.external.signature import SignatureReader
from services.index.external.table import MemberRow, ParameterRow, TypeParameterRow, TypeRow
from services.index.names.framework import is_writable
from tests.support.assembly_image import library
from tests.support.restored import SHOP

GENERIC = "System.Collections.Generic"


@pytest.fixture(scope="module")
def shop() -> dict[str, TypeRow]:
    return {row.fqn: row for row in Assembly(SHOP.read_bytes()).types()}


def member(row: TypeRow, name: str, *, what: str = "", takes: int | None = None) -> MemberRow:
    (found,) = (
        each
        for each in row.members
        if each.name == name and what in ("", each.what) and takes in (None, len(each.parameters))
    )
    return found


def test_kinds_modifiers_and_bases_are_those_of_the_declaration(shop: dict[str, TypeRow]) -> None:
    heads = {name: (row.kind, row.flags, row.base) for name, row in shop.items()}
    assert heads == {
        "Shop.Pricing`2": ("delegate", "sealed", "System.MulticastDelegate"),
        "Shop.IItem": ("interface", "abstract", ""),
        "Shop.Kept": ("class", "", f"{GENERIC}.List`1[System.String]"),
        "Shop.Shelf": ("class", "", "Shop.Kept"),
        "Shop.Shelf+Colour": ("enum", "sealed", ""),
        "Shop.Pile`1": ("class", "abstract", ""),
        "Shop.Pile`1+Cursor`1": ("struct", "sealed", ""),
        "Shop.Tower": ("class", "sealed", "Shop.Pile`1[Shop.Tower]"),
        "Shop.Offers": ("class", "static", ""),
    }
    assert shop["Shop.Tower"].assembly == "Shop"
    assert set(shop["Shop.Shelf"].interfaces) == {"Shop.IItem", "System.IComparable`1[Shop.IItem]"}


def test_type_parameters_have_their_constraints_and_nested_types_their_own_alone(
    shop: dict[str, TypeRow],
) -> None:
    assert shop["Shop.Pile`1"].parameters == (TypeParameterRow("T", ("Shop.IItem",), "class new"),)
    assert shop["Shop.Pile`1+Cursor`1"].parameters == (TypeParameterRow("TStep", ("!0",), ""),)
    fields = {each.name: each.type for each in shop["Shop.Pile`1+Cursor`1"].members}
    assert fields == {"Step": "!1", "Item": "!0", "Grid": "!0[][,]"}
    sort = member(shop["Shop.Pile`1"], "Sort")
    assert sort.flags == "ap"
    assert sort.type_parameters == (TypeParameterRow("TKey", ("System.IComparable`1[!!0]",), "struct"),)
    assert [each.type for each in sort.parameters] == [
        "System.Func`2[!0,!!0]",
        "System.Nullable`1[System.Int32][,]",
    ]


def test_a_delegate_has_its_call(shop: dict[str, TypeRow]) -> None:
    taken = (ParameterRow("item", "!0", ""), ParameterRow("amounts", "System.Int32[]", "params"))
    assert shop["Shop.Pricing`2"].call == ("!1", taken)
    assert shop["Shop.Pricing`2"].members == ()


def test_members_are_those_that_a_program_can_name(shop: dict[str, TypeRow]) -> None:
    names = [each.name for each in shop["Shop.Shelf"].members]
    assert not {"secret", "Secret", "get_Name", "add_Sold"} & set(names)
    assert [each.name for each in shop["Shop.Shelf+Colour"].members] == ["Red", "Green"]
    assert [each.name for each in shop["Shop.Offers"].members] == ["Cheap", "Plain"]
    assert not any("CompareTo" in name for name in names)  # explicit


def test_parameters_say_how_they_are_passed(shop: dict[str, TypeRow]) -> None:
    find = member(shop["Shop.Shelf"], "Find")
    assert [(each.name, each.type, each.way) for each in find.parameters] == [
        ("at", "System.Int32", "ref"),
        ("left", "System.String", "out"),
        ("right", "System.Int32", ""),
    ]
    made = member(shop["Shop.Shelf"], ".ctor", takes=2)
    assert [each.way for each in made.parameters] == ["", "?"]
    cheap = member(shop["Shop.Offers"], "Cheap")
    assert cheap.flags == "sx"
    assert cheap.parameters[-1].way == "params"


def test_tuples_have_their_names_and_dynamic_is_no_object(shop: dict[str, TypeRow]) -> None:
    assert (
        member(shop["Shop.Shelf"], "Find").type
        == "(System.Int32 Row,(System.String First,System.Int32) Place)"
    )
    loose = member(shop["Shop.Shelf"], "Loose")
    assert [loose.type, *(each.type for each in loose.parameters)] == [
        "dynamic",
        "dynamic",
        f"{GENERIC}.Dictionary`2[System.String,dynamic]",
    ]
    assert member(shop["Shop.Tower"], "Raw").type == "System.Void*"


def test_properties_indexers_events_and_operators_are_members(shop: dict[str, TypeRow]) -> None:
    shelf = shop["Shop.Shelf"]
    assert member(shelf, "Name") == MemberRow("p", "Name", "", "System.String")
    assert member(shelf, "Sold") == MemberRow("e", "Sold", "", "System.EventHandler")
    indexers = {
        tuple(p.type for p in each.parameters): each.type for each in shelf.members if each.what == "i"
    }
    assert indexers == {
        ("System.Int32", "System.Int64"): "System.String",
        ("System.String",): "System.String",
    }
    assert {each.name for each in shelf.members if each.what == "o"} == {
        "op_Addition",
        "op_Implicit",
        "op_Explicit",
    }
    assert member(shop["Shop.Pile`1"], "Top").flags == "ar"
    assert member(shop["Shop.Tower"], "Top").flags == "or"


def test_an_internal_base_class_is_stepped_over_and_what_is_forwarded_is_told() -> None:
    assembly = Assembly(library())
    rows = {row.fqn: row for row in assembly.types()}
    assert assembly.name == "Tiny"
    assert list(rows) == [
        "Tiny.Box`1",
        "Tiny.Box`1+Colour",
        "Tiny.Box`1+Cursor",
        "Tiny.Tools",
        "Tiny.Pipe",
        "Tiny.Done",
    ]
    assert rows["Tiny.Pipe"].base == "System.IO.Stream"
    assert rows["Tiny.Box`1"].base == f"{GENERIC}.List`1[!0]"
    assert rows["Tiny.Box`1"].interfaces == ("System.IDisposable",)
    assert list(assembly.forwarded()) == ["System.Uri"]


@pytest.mark.parametrize("image", [b"", b"MZ", b"plain text", library()[:300], library()[:700]])
def test_what_is_not_an_assembly_is_refused(image: bytes) -> None:
    with pytest.raises(NotAnAssembly):
        list(Assembly(image).types())


@pytest.mark.parametrize("part", [0.05, 0.3, 0.5, 0.7])
def test_an_assembly_that_is_cut_short_is_refused(part: float) -> None:
    image = SHOP.read_bytes()
    with pytest.raises(NotAnAssembly):
        list(Assembly(image[: int(len(image) * part)]).types())


@given(st.dictionaries(st.integers(0, len(library()) - 1), st.integers(0, 255), min_size=1, max_size=8))
def test_a_damaged_assembly_is_read_or_refused_and_nothing_else(changes: dict[int, int]) -> None:
    image = bytearray(library())
    for position, byte in changes.items():
        image[position] = byte
    try:
        assembly = Assembly(bytes(image))
        rows = list(assembly.types())
        assert all(is_writable(row.fqn.rpartition(".")[2]) for row in rows)
        assert all(isinstance(name, str) for name in (assembly.name, *assembly.forwarded()))
    except NotAnAssembly:
        return


HUGE = (0, 1, 0x7F, 0xFF, 0xFFFF, 0x1000_0000, 0x1FFF_FFFF, 0x7FFF_FFFF, 0xFFFF_FFFF)


def mutated(source: random.Random) -> bytes:
    """An assembly with numbers that say too much, and pieces of it where others were."""
    image = bytearray(source.choice((SHOP.read_bytes(), library())))
    for _ in range(source.choice((1, 2, 4, 16))):
        at, size, other = (source.randrange(len(image) - 64) for _ in range(3))
        match source.randrange(3):
            case 0:
                struct.pack_into("<I", image, at, source.choice(HUGE))
            case 1:
                image[at : at + 4] = b"\xdf\xff\xff\xff"  # the largest number of a signature
            case _:
                image[at : at + size % 64] = image[other : other + size % 64]
    return bytes(image)


def test_whatever_numbers_an_assembly_has_it_takes_little_memory() -> None:
    source, outcomes = random.Random(44), {True: 0, False: 0}
    tracemalloc.start()
    try:
        for _ in range(400):
            tracemalloc.reset_peak()
            try:
                assembly = Assembly(mutated(source))
                outcomes[len([*assembly.types(), *assembly.forwarded()]) >= 0] += 1
            except NotAnAssembly:
                outcomes[False] += 1
            assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
    assert min(outcomes.values()) > 50


@pytest.mark.parametrize("signature", [
    b"\x06\x15\x11\x09\xdf\xff\xff\xff", b"\x06\x14\x08\x01\xdf\xff\xff\xff", b"\x00\xdf\xff\xff\xff",
    b"\x06\x1b\x00\xdf\xff\xff\xff", b"\x06" + b"\x1d" * 50,
])  # fmt: skip
def test_a_signature_has_no_more_parts_than_bytes(signature: bytes) -> None:
    read = SignatureReader(signature, lambda _: "System.ValueTuple`9")
    with pytest.raises(NotAnAssembly):
        if read.number() == 6:
            read.type()
        else:
            read.count()


def test_bytes_that_many_rows_name_are_not_read_again_and_again() -> None:
    """Every type here claims every method: what comes of it would grow with the square of the file."""
    image = library("Tiny", types=1_000)
    with pytest.raises(NotAnAssembly, match="damaged"):
        list(Assembly(image).types())
