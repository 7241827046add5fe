"""Outlines as models read them: C# declarations, the type's own on the first line."""

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from services.model import Base, Documentation, Kind, Quality, TypeLink, TypePart
from services.prompt.items import Named
from services.prompt.outline.csharp_outline import (
    OutlineStyle,
    declared_alike,
    listed,
    member_declared,
    type_declared,
)
from services.prompt.outline.outline import MEMBER_LIMIT
from services.prompt.outline.outline_members import is_state
from tests.services.prompt.samples import FILE, detail, json_convert, nested, symbol, type_symbol

WHOLE = """\
public class JsonConvert : Converter<Token>, IDisposable
// Methods for converting between .NET types and JSON types.
// namespace Newtonsoft.Json · src/Json/JsonConvert.cs:52-1102
// also src/Json/JsonConvert.Async.cs:3-90
// used by 41 types: User00, User01, User02 and 38 more
// repaired (read after repairs to syntax that the parser refuses): src/Json/JsonConvert.Async.cs
{ // public unless said
 const string Null = "null";
 JsonConvert();
 int Depth { get; set; }
 event EventHandler? Done;
 static string SerializeObject(object? value); // Serializes the object to JSON.
 static string SerializeObject(object? value, Formatting formatting);
 static T? DeserializeObject<T>(string value);
 protected virtual void Check();
 static bool operator ==(JsonConvert a, JsonConvert b);
 class Settings<T> { … }
 // … 2 internal, private
}
"""


def members_of(text):
    return [line.strip() for line in text.splitlines() if line.startswith(" ")]


def test_a_type_with_everything():
    assert type_declared(json_convert()) == WHOLE


def test_the_line_of_ids_and_that_of_the_place_are_on_request():
    text = type_declared(json_convert(), OutlineStyle(ids=True, placed=False))
    assert "\n// T_7K2M9QXA · structure 9F2A441C · impl 5BC19F77 · doc 17AD90B2\n" in text
    assert "src/Json/JsonConvert.cs" not in text
    assert "T_7K2" not in type_declared(json_convert())


def test_attributes_stand_before_what_they_mark():
    get = symbol("public Item Get(int id)")
    kind = type_symbol("N.Items", bases=(Base(text="Controller"),))
    marked = {kind.id: ('Route("items")', "Authorize"), get.id: ('HttpGet("{id}")',)}
    text = type_declared(detail(kind, get, attributes=marked))
    assert text.startswith('[Route("items"), Authorize] public class Items : Controller\n')
    assert members_of(text) == ['[HttpGet("{id}")] public Item Get(int id);']


def test_a_namespace_is_said_unless_the_folders_say_it():
    beside = replace(type_symbol("A.B.Thing"), file="src/A/B/Thing.cs")
    other = replace(beside, file="src/Things.cs")
    assert "namespace" not in type_declared(detail(beside))
    assert "// namespace A.B · src/Things.cs:52-1102\n" in type_declared(detail(other))
    inner = replace(beside, fqn="A.B.Outer+Thing", declaring_type="A.B.Outer")
    assert "// in Outer · " in type_declared(detail(inner))
    assert "// in A.B.Outer · " in type_declared(detail(replace(inner, file="src/Things.cs")))


def test_a_primary_constructor_and_positional_properties_stand_in_the_declaration_alone():
    kind = type_symbol("N.Point", kind=Kind.RECORD, signature="public record Point(int X)")
    made = symbol("public Point(int X)", kind=Kind.CONSTRUCTOR, name=".ctor")
    x = symbol("public int X { get; init; }", kind=Kind.PROPERTY, name="X", implicit=True)
    own = symbol("public Point(string text)", kind=Kind.CONSTRUCTOR, name=".ctor")
    assert members_of(type_declared(detail(kind, made, x, own))) == ["public Point(string text);"]


def test_private_state_is_told_from_other_private_members():
    field = symbol("private readonly int _count", kind=Kind.FIELD, access="private", name="_count")
    auto = symbol("private int Size { get; set; }", kind=Kind.PROPERTY, access="private", name="Size")
    computed = symbol("private int Twice { get; }", kind=Kind.METHOD, access="private", name="Twice")
    of = detail(None, field, auto, computed, symbol("public void Run()"))
    assert [is_state(each) for each in of.members] == [True, True, False, False]


def test_members_of_an_interface_need_no_access():
    kind = type_symbol("N.IShop", kind=Kind.INTERFACE)
    assert members_of(type_declared(detail(kind, symbol("public void Open()")))) == ["void Open();"]


def test_values_of_an_enum_are_packed_unless_they_say_more():
    kind = type_symbol("N.Flags", kind=Kind.ENUM, bases=(Base(text="byte"),))
    values = [symbol(f"V{n} = {n}", kind=Kind.ENUM_MEMBER, name=f"V{n}") for n in range(3)]
    text = type_declared(detail(kind, *values))
    assert text.startswith("public enum Flags : byte\n")
    assert members_of(text) == ["V0 = 0, V1 = 1, V2 = 2"]
    said = [replace(each, doc_first_line="Is said of no other thing.") for each in values]
    assert members_of(type_declared(detail(kind, *said)))[0] == "V0 = 0, // Is said of no other thing."


def test_members_of_an_extension_block_stand_in_it():
    block = "extension<T>(IEnumerable<(T, int)> source)"
    members = [
        symbol(f"public int {block}.Size()", kind=Kind.EXTENSION_MEMBER, name="Size"),
        symbol(f"public bool {block}.IsEmpty {{ get; }}", kind=Kind.EXTENSION_MEMBER, name="IsEmpty"),
    ]
    lines = type_declared(detail(type_symbol("N.Extensions"), *members)).splitlines()
    assert lines[-6:] == [
        f" {block}",
        " {",
        "  public int Size();",
        "  public bool IsEmpty { get; }",
        " }",
        "}",
    ]


def test_a_delegate_and_a_type_without_members_are_one_declaration():
    kind = type_symbol("N.Call`1", kind=Kind.DELEGATE, signature="public delegate void Call<T>(T value)")
    assert type_declared(detail(kind), OutlineStyle(placed=False)).startswith(
        "public delegate void Call<T>(T value);\n"
    )
    assert type_declared(detail(type_symbol("N.Empty"))).startswith("public class Empty { }\n")


def test_chosen_members_are_listed_whatever_their_access_and_the_rest_is_counted():
    whole = json_convert()
    chosen = [each.id for each in whole.members if each.name in ("SerializeObject", "depth")]
    assert members_of(type_declared(whole, OutlineStyle(members=chosen))) == [
        "private int depth;",
        "public static string SerializeObject(object? value); // Serializes the object to JSON.",
        "public static string SerializeObject(object? value, Formatting formatting);",
        "// … 8 more",
    ]
    assert type_declared(whole, OutlineStyle(members=["M_GONE"])) == WHOLE


def test_members_others_use_are_those_that_they_or_the_question_name():
    used, asked, other = (
        symbol("public void Run()"),
        symbol("public void MoveItem()"),
        symbol("public void Stop()"),
    )
    hidden = symbol("private void Hide()", access="private")
    named = Named(frozenset({"Run", "Hide"}), frozenset(), frozenset({"move", "item", "an"}))
    of = detail(
        None, used, asked, other, hidden, symbol("public JsonConvert()", kind=Kind.CONSTRUCTOR, name="Run")
    )
    assert members_of(type_declared(of, OutlineStyle(named=named))) == [
        "public void Run();",
        "public void MoveItem();",
        "// … 3 more",
    ]
    asked_for = Named(frozenset(), frozenset({"Hide"}), frozenset())
    assert members_of(type_declared(of, OutlineStyle(named=asked_for)))[0] == "private void Hide();"
    assert members_of(type_declared(of, OutlineStyle(named=Named()))) == ["// … 5 more"]


def test_members_beside_those_of_the_level_are_listed_without_documentation():
    run = symbol("public void Run()", doc_first_line="Runs until the queue is empty.")
    hide = symbol("private void Hide()", access="private", doc_first_line="Waits for a lock before.")
    style = OutlineStyle(named=Named(), also=[run.id])
    assert members_of(type_declared(detail(None, run, hide), style)) == [
        "public void Run();",
        "// … 1 private",
    ]
    assert members_of(type_declared(detail(None, run, hide), OutlineStyle(also=[hide.id]))) == [
        "public void Run(); // Runs until the queue is empty.",
        "private void Hide();",
    ]
    many = [symbol(f"public void M{n}()") for n in range(MEMBER_LIMIT + 50)]
    style = OutlineStyle(also=[many[-1].id])
    assert f"M{MEMBER_LIMIT + 49}()" in type_declared(detail(None, *many), style)
    assert listed(detail(None, *many), style) == {each.id for each in [*many[:MEMBER_LIMIT], many[-1]]}


def test_documentation_of_an_overload_that_says_nothing_beyond_those_above_it_is_left_out():
    once = symbol("public void Retry()", doc_first_line="Tries the action again at most once.")
    times = symbol(
        "public void Retry(int count)", doc_first_line="Tries the action again at most count once."
    )
    long = symbol("public void Retry(bool ever)", doc_first_line="Tries the action again until it succeeds.")
    assert members_of(type_declared(detail(None, once, times, long))) == [
        "public void Retry(); // Tries the action again at most once.",
        "public void Retry(int count);",
        "public void Retry(bool ever); // Tries the action again until it succeeds.",
    ]


def test_attributes_that_many_members_in_a_row_have_are_said_once():
    tests = [symbol(f"public void Works{n}()") for n in range(5)]
    other = symbol("public void Fails()")
    marked = {each.id: ("Fact",) for each in tests} | {other.id: ("Theory",)}
    of = replace(detail(None, *tests, other), attributes=marked)
    assert members_of(type_declared(of)) == [
        "// [Fact] on each of the next 5:",
        *(f"void Works{n}();" for n in range(5)),
        "[Theory] void Fails();",
    ]


def test_where_many_members_are_public_the_word_stands_once():
    of = detail(None, *(symbol(f"public void Run{n}()") for n in range(5)), symbol("protected void Stop()"))
    text = type_declared(of)
    assert "\n{ // public unless said\n void Run0();\n" in text
    assert "\n protected void Stop();\n" in text
    few = type_declared(detail(None, *(symbol(f"public void Run{n}()") for n in range(4))))
    assert "\n{\n public void Run0();\n" in few


def test_a_primary_constructor_of_a_generic_type_stands_in_the_declaration_alone():
    kind = type_symbol("N.Box`1", signature="public class Box<T>(T value)", type_parameters=("T",))
    made = symbol("public Box(T value)", kind=Kind.CONSTRUCTOR, name="Box")
    assert members_of(type_declared(detail(kind, made))) == []


def test_documentation_leaves_out_what_its_declaration_says_first():
    made = symbol(
        "public static Policy Retry()",
        return_type="Policy",
        doc_first_line="Builds a Policy that will retry once at most.",
    )
    assert members_of(type_declared(detail(None, made))) == [
        "public static Policy Retry(); // Retry once at most."
    ]


def test_what_a_base_declares_alike_is_not_said_again():
    base = detail(
        type_symbol("N.IShop", kind=Kind.INTERFACE),
        symbol("Task<int> Sell(int count = 1)"),
        symbol("void Open()", doc_first_line="Opens it at seven."),
        symbol("void Close()"),
    )
    shop = detail(
        None,
        symbol("public async Task<int> Sell(int count = 1)", modifiers=("async",)),
        symbol("public virtual void Open()"),
        symbol("public void Close()", doc_first_line="Closes it for good."),
        symbol("public void Clean()"),
    )
    alike = declared_alike(shop, base)
    assert (alike.ids, alike.every) == ({each.id for each in shop.members[:3]}, True)
    assert alike.differing == {shop.members[2].id}
    assert members_of(type_declared(shop, OutlineStyle(elsewhere={"IShop": alike}))) == [
        "// as declared in IShop: all",
        "// Close: Closes it for good.",
        "public void Clean();",
    ]
    some = declared_alike(replace(shop, members=shop.members[:2]), base)
    assert (some.every, some.differing) == (False, frozenset())


def test_hidden_accessors_and_namespaces_do_not_make_a_member_another():
    base = detail(
        type_symbol("N.IShop", kind=Kind.INTERFACE),
        symbol("bool IsOpen { get; }", kind=Kind.PROPERTY),
        symbol("bool IsFull { get; }", kind=Kind.PROPERTY),
        symbol("void Sell(Guid id, Goods what)"),
    )
    shop = detail(
        None,
        symbol("public bool IsOpen { get; private set; }", kind=Kind.PROPERTY),
        symbol("public bool IsFull { get; set; }", kind=Kind.PROPERTY),
        symbol("public void Sell(Guid id, Shops.Wares.Goods what)"),
    )
    assert declared_alike(shop, base).ids == {shop.members[0].id, shop.members[2].id}


def test_members_that_differ_in_a_namespace_are_not_alike():
    one = symbol("public void Sell(Wares.Goods what)")
    base = detail(None, symbol("public void Sell(Services.Goods what)"), symbol("void N.IShop.Open()"))
    open_ = symbol("void IShop.Open()", explicit_interface="N.IShop")
    assert not declared_alike(detail(None, one, open_), base).ids


def test_of_overloads_that_differ_in_a_namespace_only_the_same_one_is_alike():
    one, other = symbol("public void Sell(Wares.Goods what)"), symbol("public void Sell(Services.Goods what)")
    short = symbol("public void Sell(Goods what)")
    for there in (one, other):
        assert declared_alike(detail(None, one, other), detail(None, there)).ids == {there.id}
    assert not declared_alike(detail(None, one, other), detail(None, short)).ids
    assert not declared_alike(detail(None, short), detail(None, one, other)).ids
    assert declared_alike(detail(None, short), detail(None, one)).ids == {short.id}


def test_texts_that_are_the_default_of_a_parameter_are_compared_whole():
    one, other = symbol('void Sell(string what = "a.b")'), symbol('void Sell(string what = "b")')
    assert not declared_alike(detail(None, one), detail(None, other)).ids


def test_of_a_huge_type_the_rest_is_counted():
    methods = [symbol(f"public void M{n}()") for n in range(3_000)]
    text = type_declared(detail(None, *methods))
    assert f"// … {3_000 - MEMBER_LIMIT} more" in text
    assert "M2999()" in type_declared(detail(None, *methods), OutlineStyle(whole=True))


def test_a_member_with_its_overloads():
    whole = json_convert()
    style = OutlineStyle(ids=True)
    assert member_declared(whole.members[1], whole, style) == (
        "public static string SerializeObject(object? value);\n"
        "// Serializes the object to JSON.\n"
        "// in class JsonConvert\n"
        "// Provides methods for converting between .NET types and JSON types.\n"
        "// namespace Newtonsoft.Json · src/Json/JsonConvert.cs:60-64\n"
        "// overload: public static string SerializeObject(object? value, Formatting formatting);\n"
        "// T_7K2M9QXA_SERIAL51\n"
    )


def test_of_parameters_and_result_is_told_what_the_signature_does_not_say():
    said = Documentation(
        parameters={"userName": "The user name.", "limit": "At most this many."},
        returns="A Task representing the asynchronous operation.",
        exceptions={"ArgumentException": "The user name."},
    )
    find = symbol("Task Find(string userName, int limit)")
    text = member_declared(find, detail(doc="Class JsonConvert."), said=said)
    assert text.splitlines()[1:3] == [
        "// limit: At most this many.",
        "// Throws ArgumentException: The user name.",
    ]


def test_a_member_of_a_file_that_did_not_parse_says_so():
    part = TypePart(file=FILE, start_line=1, end_line=9, quality=Quality.FAILED)
    text = member_declared(symbol("void M()"), detail(parts=(part,)))
    assert "// failed (the file does not parse, members may be missing)\n" in text


def test_what_is_obsolete_is_marked_also_where_its_source_cannot_be_read():
    old = symbol("public void Old()")
    assert "[Obsolete] public void Old();" in type_declared(detail(None, old, obsolete=frozenset({old.id})))


def test_a_nested_type_is_named_with_its_access():
    inner = nested("Inner", access="protected")
    assert members_of(type_declared(detail(nested=(inner,)))) == ["protected class Inner { … }"]


TEXT = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=30)


@given(signatures=st.lists(TEXT, max_size=5), doc=TEXT, uses=st.permutations(range(4)))
@settings(max_examples=60, deadline=None)
def test_equal_types_give_equal_text(signatures, doc, uses):
    members = [symbol(text, name="m", doc_first_line=doc) for text in signatures]
    links = [TypeLink(fqn=f"N.T{n}", count=n % 2) for n in uses]
    text = type_declared(detail(None, *members, used_by=tuple(links)))
    assert text == type_declared(detail(None, *members, used_by=tuple(sorted(links, key=lambda x: x.fqn))))
    assert text.endswith("\n")
