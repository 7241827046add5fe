import pytest

from services.model import Kind
from services.prompt.outline.names import short_names, symbol_name, type_name
from services.prompt.outline.outline import signature_of
from tests.services.prompt.samples import symbol, type_symbol


@pytest.mark.parametrize(
    ("fqn", "parameters", "name"),
    [
        ("A.B", (), "A.B"),
        ("A.B`1", ("TItem",), "A.B<TItem>"),
        ("A.B`1", (), "A.B<T>"),
        ("A.B`2", (), "A.B<T1, T2>"),
        ("A.B`1+C`2", ("K", "V"), "A.B<T>.C<K, V>"),
        ("A.B`1+C", (), "A.B<T>.C"),
        ("A.B`1+C`0", (), "A.B<T>.C"),
        ("A.B", ("T",), "A.B<T>"),
    ],
)
def test_types_are_named_as_people_write_them(fqn, parameters, name):
    assert type_name(fqn, parameters) == name


def test_a_generic_enclosing_type_does_not_lend_its_parameters():
    assert symbol_name(type_symbol("A.B`1+C", type_parameters=())) == "A.B<T>.C"


def test_members_are_named_within_their_type():
    assert (
        symbol_name(symbol("T Get<T>()", name="Get", type_parameters=("T",)))
        == "Newtonsoft.Json.JsonConvert.Get<T>"
    )
    indexer = symbol("int this[int i]", kind=Kind.INDEXER, name="Item")
    assert symbol_name(indexer) == "Newtonsoft.Json.JsonConvert.this[]"
    explicit = symbol("void IDisposable.Dispose()", name="Dispose", explicit_interface="IDisposable")
    assert symbol_name(explicit) == "Newtonsoft.Json.JsonConvert.IDisposable.Dispose"


def test_a_member_is_named_by_the_type_parameters_of_its_type():
    get = symbol("R Get(T at)", name="Get", declaring_type="N.A`1+IBox`2")
    owner = type_symbol("N.A`1+IBox`2", type_parameters=("T", "R"))
    assert symbol_name(get) == "N.A<T>.IBox<T1, T2>.Get"
    assert symbol_name(get, owner) == "N.A<T>.IBox<T, R>.Get"
    assert "  // N.A<T>.IBox<T, R>.Get " in signature_of(get, owner)


def test_simple_names_are_used_where_they_are_not_shared():
    assert short_names(["A.X", "B.X", "B.Y`1"]) == {"A.X": "A.X", "B.X": "B.X", "B.Y`1": "Y<T>"}
