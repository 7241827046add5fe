import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from services.model import Access, Base, Kind, Parameter, Quality, TypeLink, TypePart
from services.prompt.outline.outline import MEMBER_LIMIT, type_outline
from tests.services.prompt.samples import detail, json_convert, nested, symbol, type_symbol

WHOLE = """\
# Newtonsoft.Json.JsonConvert  T_7K2M9QXA
public abstract partial class · src/Json/JsonConvert.cs:52-1102, \
src/Json/JsonConvert.Async.cs:3-90 · Newtonsoft.Json

Provides methods for converting between .NET types and JSON types.

Public API

    Constructors
    + JsonConvert()

    Properties
    + int Depth { get; set; }

    Methods
    + static string SerializeObject(object? value)  // Serializes the object to JSON.
    + static string SerializeObject(object? value, Formatting formatting)
    + static T? DeserializeObject<T>(string value)
    + protected virtual void Check()

    Events
    + event EventHandler? Done

    Operators
    + static bool operator ==(JsonConvert a, JsonConvert b)

    Constants and fields
    + const string Null = "null"

    Nested types
    + class Settings<T>  T_SETTINGS

Not shown: 2 members, neither public nor protected.

- Extends: Converter<Token>
- Implements: IDisposable
- DependsOn: JsonWriter<T>, JsonReader
- Used by: 41 types: User00, User01, User02, User03, User04, User05 and 35 more
- Quality: repaired (read after repairs to syntax that the parser refuses): src/Json/JsonConvert.Async.cs
- Hashes: structure 9F2A441C · impl 5BC19F77 · doc 17AD90B2
"""


def lines_of(text):
    return [line.strip() for line in text.splitlines()]


def test_a_type_with_everything():
    assert type_outline(json_convert()) == WHOLE


def test_users_that_are_tests_are_named_behind_the_others():
    users = (TypeLink(fqn="N.Tests.OrderTests", count=9), TypeLink(fqn="N.Shop", count=1))
    assert "- Used by: 2 types: Shop, OrderTests" in type_outline(replace(detail(None), used_by=users))


def test_an_internal_type_shows_what_it_offers():
    members = [symbol("public void Run()", accessibility=Access(declared="public", effective="internal"))]
    assert "+ void Run()" in type_outline(detail(type_symbol(), *members))


def test_overloads_stand_together():
    given = [symbol("void A()"), symbol("void B()"), symbol("void A(int x)")]
    shown = [line for line in lines_of(type_outline(detail(None, *given))) if line.startswith("+")]
    assert shown == ["+ void A()", "+ void A(int x)", "+ void B()"]


def test_what_is_obsolete_is_marked():
    old, older = symbol("public void Old()", doc_first_line="Use New."), symbol("public void Old(int x)")
    inner = nested("Inner")
    marked = detail(None, old, older, nested=(inner,), obsolete=frozenset({old.id, inner.id}))
    text = type_outline(marked)
    assert "+ [Obsolete] void Old()  // Use New." in text
    assert "+ void Old(int x)" in text
    assert "+ [Obsolete] class Inner" in text


def test_an_obsolete_type_says_so_first():
    kind = type_symbol()
    assert "\n[Obsolete] public class · " in type_outline(detail(kind, obsolete=frozenset({kind.id})))


def test_documentation_is_not_repeated_on_overloads():
    members = [
        symbol("void A()", doc_first_line="Does."),
        symbol("void A(int x)", doc_first_line="Does."),
        symbol("void A(long x)", doc_first_line="Does it long."),
        symbol("void B()", doc_first_line="Does it long."),
    ]
    shown = [line for line in lines_of(type_outline(detail(None, *members))) if line.startswith("+")]
    assert shown == [
        "+ void A()  // Does.",
        "+ void A(int x)",
        "+ void A(long x)  // Does it long.",
        "+ void B()  // Does it long.",
    ]


def test_boilerplate_above_constructors_is_left_out():
    made = symbol(
        "public A()",
        kind=Kind.CONSTRUCTOR,
        name=".ctor",
        doc_first_line="Initializes a new instance of the A class.",
    )
    other = replace(
        made,
        doc_first_line=f"{made.doc_first_line[:-1]} with a full name.",
        signature="public A(string name)",
    )
    comma = replace(
        made,
        doc_first_line=f"{made.doc_first_line[:-1]}, with an age in years.",
        signature="public A(int age)",
    )
    named = replace(
        made, doc_first_line=f"{made.doc_first_line[:-1]} with a size.", signature="public A(long size)"
    )
    text = type_outline(detail(None, made, other, comma, named))
    assert "+ A()\n" in text
    assert "+ A(int age)  // with an age in years.\n" in text
    assert "+ A(string name)  // with a full name.\n" in text
    assert "+ A(long size)\n" in text


def test_a_comment_that_the_declaration_says_already_is_left_out():
    said = [
        ("Task Report(string id, Info info)", "Reports the information."),
        ("Task Send<T>(string sessionId, Command<T> command)", "Sends the specified Command to a session."),
        ("Session Find(string token)", "Find a session by the given token."),
        ("void Stop(bool now)", "Stops it unless it is idle."),
    ]
    members = [symbol(f"public {line}", doc_first_line=doc, name=line.split("(")[0]) for line, doc in said]
    text = type_outline(detail(None, *members))
    assert [doc for _, doc in said if doc in text] == ["Stops it unless it is idle."]


def test_how_a_method_is_implemented_is_left_out():
    members = [symbol("public static async Task Run()", modifiers=("static", "async"))]
    assert "+ static Task Run()" in type_outline(detail(None, *members))


def test_a_signature_over_several_lines_is_shown_on_one():
    text = type_outline(
        detail(None, symbol("public void Many(\n        int a,\r\n        int b)", name="Many"))
    )
    assert "+ void Many( int a, int b)" in text


def test_a_signature_without_accessibility_gets_it_unless_public():
    members = [symbol("void Hook()", access="protected"), symbol("void Open()")]
    text = type_outline(detail(None, *members))
    assert "+ protected void Hook()" in text
    assert "+ void Open()" in text


def enum_values(count, **given):
    return [symbol(f"Value{n} = {n}", kind=Kind.ENUM_MEMBER, name=f"Value{n}", **given) for n in range(count)]


def test_enum_values_are_compact_and_say_what_they_are_based_on():
    kind = type_symbol("N.Flags", kind=Kind.ENUM, bases=(Base(text="byte"),))
    text = type_outline(detail(kind, *enum_values(3)))
    assert "public enum : byte" in text
    assert "    Values\n    Value0 = 0, Value1 = 1, Value2 = 2\n" in text
    assert "Implements" not in text


def test_documented_enum_values_have_a_line_each():
    text = type_outline(detail(type_symbol("N.E", kind=Kind.ENUM), *enum_values(2, doc_first_line="Said.")))
    assert "    + Value0 = 0  // Said.\n    + Value1 = 1  // Said.\n" in text


def test_a_huge_type_is_cut_with_a_count():
    methods = [symbol(f"void M{n}()") for n in range(MEMBER_LIMIT + 50)]
    text = type_outline(detail(None, *methods))
    assert f"+ void M{MEMBER_LIMIT - 1}()" in text
    assert f"+ void M{MEMBER_LIMIT}()" not in text
    assert f"… 50 more of {MEMBER_LIMIT + 50} members" in text


def test_a_huge_enum_is_cut_with_a_true_count():
    text = type_outline(detail(type_symbol("N.Big", kind=Kind.ENUM), *enum_values(5000)))
    assert f"Value{MEMBER_LIMIT - 1} = {MEMBER_LIMIT - 1}\n\n    … {5000 - MEMBER_LIMIT} more of 5000" in text
    assert f"Value{MEMBER_LIMIT} " not in text


def test_a_delegate_shows_its_declaration():
    kind = type_symbol(
        "N.Callback`1", kind=Kind.DELEGATE, signature="public delegate void Callback<T>(T value)"
    )
    text = type_outline(detail(kind, symbol("void Invoke(T value)", implicit=True)))
    assert "Public API\n\n    public delegate void Callback<T>(T value)\n" in text
    assert "Invoke" not in text


def test_a_record_shows_its_declaration_and_positional_properties():
    kind = type_symbol(
        "N.Point",
        kind=Kind.RECORD,
        signature="public record Point(int X)",
        parameters=(Parameter(type="int", name="X"),),
    )
    x = symbol("public int X { get; init; }", kind=Kind.PROPERTY, name="X", implicit=True)
    text = type_outline(detail(kind, x, symbol("public bool Equals(Point? p)", implicit=True)))
    assert "    public record Point(int X)\n\n    Properties\n    + int X { get; init; }\n" in text
    assert "Equals" not in text


@pytest.mark.parametrize(
    "limits", ["IBox<in T, out R>", "IBox<T, R> where T : class, new() where R : notnull"]
)
def test_constraints_and_variance_of_a_type_are_shown_with_its_declaration(limits):
    signature = f"public interface {limits}"
    kind = type_symbol(
        "N.IBox`2", kind=Kind.INTERFACE, type_parameters=("T", "R"), arity=2, signature=signature
    )
    text = type_outline(detail(kind, symbol("public R Get(T at)")))
    assert f"Public API\n\n    {signature}\n\n    Methods\n    + R Get(T at)\n" in text
    assert f"Public API\n\n    {signature}\n" in type_outline(detail(kind))


def test_a_type_whose_parameters_may_be_anything_has_no_line_for_its_declaration():
    kind = type_symbol("N.Box`1", type_parameters=("T",), arity=1, signature="public class Box<T>")
    assert "public class Box<T>" not in type_outline(detail(kind, symbol("public T Get()")))


def test_of_a_record_only_what_comes_of_its_parameters_is_shown():
    def made(signature, kind, name, *types):
        parameters = tuple(Parameter(type=each, name="p") for each in types)
        return symbol(
            signature, kind=kind, name=name, implicit=True, parameters=parameters, declaring_type="N.Point"
        )

    text = type_outline(
        detail(
            type_symbol("N.Point", kind=Kind.RECORD),
            made("public Point(int X)", Kind.CONSTRUCTOR, ".ctor", "int"),
            made("protected Point(Point original)", Kind.CONSTRUCTOR, ".ctor", "Point"),
            made("protected virtual Type EqualityContract { get; }", Kind.PROPERTY, "EqualityContract"),
        )
    )
    assert [line for line in lines_of(text) if line.startswith("+")] == ["+ Point(int X)"]


def test_a_type_of_many_parts_lists_them_apart():
    parts = tuple(TypePart(file=f"src/P{n:02}.cs", start_line=1, end_line=9) for n in range(20))
    text = type_outline(detail(type_symbol(modifiers=("partial", "abstract")), parts=parts))
    assert "public abstract partial class · src/P00.cs:1-9 and 19 more parts · Newtonsoft.Json\n" in text
    assert "- Parts: src/P01.cs:1-9, " in text
    assert "src/P12.cs:1-9 and 7 more\n" in text


def test_the_quality_of_parts_is_summed_up():
    parts = [TypePart(file=f"{n}.cs", start_line=1, end_line=2, quality=Quality.REPAIRED) for n in range(5)]
    told = "- Quality: repaired (read after repairs to syntax that the parser refuses)"
    assert f"{told}\n" in type_outline(detail(parts=tuple(parts)))
    exact = TypePart(file="exact.cs", start_line=1, end_line=2)
    assert f"{told}: 5 of 6 files\n" in type_outline(detail(parts=(*parts, exact)))


def test_a_type_without_anything_public_says_so():
    assert "Public API: none." in type_outline(detail())
    assert "Not shown: 1 member" in type_outline(detail(None, symbol("void M()", access="private")))


def test_the_base_class_of_a_type_of_several_parts_may_stand_first_in_any():
    bases = (Base(text="ISync"), Base(text="Odd<T>"), Base(text="IEven"))
    split = type_symbol("N.Policy", bases=bases)
    parts = tuple(TypePart(file=f"{n}.cs", start_line=1, end_line=2) for n in range(2))
    text = type_outline(detail(split, parts=parts))
    assert "- Extends: Odd<T>\n- Implements: ISync, IEven\n" in text
    assert "- Implements: ISync, Odd<T>, IEven\n" in type_outline(detail(split))


def test_a_type_that_only_inherits_says_so():
    derived = type_symbol("N.Odd", bases=(Base(text="Even"),))
    assert "Public API: only what it inherits." in type_outline(detail(derived))
    both = type_symbol("N.IOdd", kind=Kind.INTERFACE, bases=(Base(text="IEven"),))
    assert "Public API: only what it inherits." in type_outline(detail(both))
    marked = type_symbol("N.Odd", bases=(Base(text="IEven"),))
    assert "Public API: none." in type_outline(detail(marked))


def test_an_interface_extends_nothing():
    kind = type_symbol("N.IOdd", kind=Kind.INTERFACE, bases=(Base(text="Odd"), Base(text="IEven")))
    assert "- Implements: Odd, IEven\n" in type_outline(detail(kind))


def test_a_long_doc_is_cut_at_a_word():
    text = type_outline(detail(None, doc="word " * 100))
    assert lines_of(text)[3].endswith("word …")
    assert len(lines_of(text)[3]) < 250


TEXT = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=30)


@given(signatures=st.lists(TEXT, max_size=5), doc=TEXT, uses=st.permutations(range(4)))
def test_equal_types_give_equal_text_of_one_line_a_member(signatures, doc, uses):
    members = [symbol(text, name="m", doc_first_line=doc) for text in signatures]
    links = [TypeLink(fqn=f"N.T{n}", count=n % 2) for n in uses]
    text = type_outline(detail(None, *members, depends_on=tuple(links)))
    assert text == type_outline(detail(None, *members, depends_on=tuple(sorted(links, key=lambda x: x.fqn))))
    assert sum(line.startswith("    + ") for line in text.split("\n")) == len(members)
    assert text.endswith("\n")
