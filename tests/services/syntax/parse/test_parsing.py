"""A file's bytes to its declarations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.model import Kind, Quality
from services.syntax.parse.parsing import read_file
from services.syntax.records.declaration import Declaration, FileRecord, ParameterRecord, Using


def read(source: str, *symbols: str) -> FileRecord:
    return read_file(source.encode(), frozenset(symbols))


def declared(source: str) -> dict[str, Declaration]:
    """Declarations by name, of a source that must parse as it stands."""
    record = read(source)
    assert record.quality is Quality.EXACT
    return {each.name: each for each in record.declarations}


def member(text: str, of: str = "class") -> Declaration:
    """The only member of a type."""
    record = read(f"{of} A {{ {text} }}")
    assert record.quality in (Quality.EXACT, Quality.REPAIRED)
    assert len(record.declarations) == 2
    return record.declarations[1]


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("class A { }", Kind.CLASS),
        ("struct A { }", Kind.STRUCT),
        ("record A;", Kind.RECORD),
        ("record class A { }", Kind.RECORD),
        ("record struct A(int X);", Kind.RECORD_STRUCT),
        ("readonly record struct A { }", Kind.RECORD_STRUCT),
        ("interface A { }", Kind.INTERFACE),
        ("enum A { }", Kind.ENUM),
        ("delegate void A();", Kind.DELEGATE),
    ],
)
def test_kinds_of_types(source: str, kind: Kind) -> None:
    only = declared(source)["A"]
    assert (only.kind, only.access) == (kind, "internal")


@pytest.mark.parametrize(
    ("text", "kind", "name", "returns"),
    [
        ("int x;", Kind.FIELD, "x", "int"),
        ("const int X = 1;", Kind.CONSTANT, "X", "int"),
        ("List<int> P { get; set; }", Kind.PROPERTY, "P", "List<int>"),
        ("int this[int i] => i;", Kind.INDEXER, "this[]", "int"),
        ("event Action E;", Kind.EVENT, "E", "Action"),
        ("event Action E { add { } remove { } }", Kind.EVENT, "E", "Action"),
        ("(int a, string b) M() { }", Kind.METHOD, "M", "(int a, string b)"),
        ("ref readonly int M() => ref x;", Kind.METHOD, "M", "ref readonly int"),
        ("A() { }", Kind.CONSTRUCTOR, "A", None),
        ("static A() { }", Kind.CONSTRUCTOR, "A", None),
        ("~A() { }", Kind.DESTRUCTOR, "~A", None),
        ("public static A operator -(A a) => a;", Kind.OPERATOR, "operator -", "A"),
        ("public static A operator checked -(A a) => a;", Kind.OPERATOR, "operator checked -", "A"),
        ("public static bool operator true(A a) => true;", Kind.OPERATOR, "operator true", "bool"),
        ("public static A operator >>>(A a, int b) => a;", Kind.OPERATOR, "operator >>>", "A"),
        ("public static implicit operator int(A a) => 1;", Kind.CONVERSION, "implicit operator", "int"),
        (
            "public static explicit operator checked B?(A a) => 1;",
            Kind.CONVERSION,
            "explicit operator checked",
            "B?",
        ),
        ("unsafe fixed byte b[30];", Kind.FIELD, "b", "byte"),
        ("int @class;", Kind.FIELD, "class", "int"),
    ],
)
def test_kinds_of_members(text: str, kind: Kind, name: str, returns: str | None) -> None:
    only = member(text)
    assert (only.kind, only.name, only.returns) == (kind, name, returns)


def test_modifiers_and_access_are_told_apart() -> None:
    only = member("protected internal static async override Task M() { }")
    assert only.access == "protected internal"
    assert only.modifiers == ("static", "async", "override")
    assert member("private protected int x;").access == "private protected"


@pytest.mark.parametrize(
    ("of", "text", "access"),
    [
        ("class", "int x;", "private"),
        ("struct", "void M() { }", "private"),
        ("interface", "void M();", "public"),
        ("enum", "X", "public"),
        ("record", "class N { }", "private"),
    ],
)
def test_what_is_not_written_is_the_language_s_default(of: str, text: str, access: str) -> None:
    assert member(text, of).access == access


def test_parameters_keep_modifier_type_name_and_default() -> None:
    only = member(
        'void M(this ref readonly int a, scoped ref Span<int> b, out int c, [X] in int d, string s = "a  b",'
        " scoped Span<int> e, params scoped List<int> rest) { }"
    )
    assert only.parameters == (
        ParameterRecord("int", "this ref readonly", "a", ""),
        ParameterRecord("Span<int>", "scoped ref", "b", ""),
        ParameterRecord("int", "out", "c", ""),
        ParameterRecord("int", "in", "d", ""),
        ParameterRecord("string", "", "s", '"a  b"'),
        ParameterRecord("Span<int>", "scoped", "e", ""),
        ParameterRecord("List<int>", "params scoped", "rest", ""),
    )
    only = member("void M(in int a, params int[] rest) { }")
    assert only.parameters is not None
    assert only.parameters[1] == ParameterRecord("int[]", "params", "rest", "")


def test_a_long_default_is_cut() -> None:
    (parameter,) = member(f'void M(string s = "{"x" * 60}") {{ }}').parameters or ()
    assert parameter.default == "…"


@pytest.mark.parametrize(
    ("text", "accessors"),
    [
        ("int P { get; private set; }", (("get", ""), ("set", "private"))),
        ("int P { get; protected internal init; }", (("get", ""), ("init", "protected internal"))),
        ("int P => 1;", (("get", ""),)),
        ("int P { get => 1; set { } }", (("get", ""), ("set", ""))),
        ("event Action E { add { } remove { } }", (("add", ""), ("remove", ""))),
        ("event Action E;", (("add", ""), ("remove", ""))),
        ("int x;", ()),
    ],
)
def test_accessors(text: str, accessors: tuple[tuple[str, str], ...]) -> None:
    assert member(text).accessors == accessors


@pytest.mark.parametrize(
    ("text", "explicit", "name"),
    [
        ("void IDisposable.Dispose() { }", "IDisposable", "Dispose"),
        ("int I<int>.P { get; }", "I<int>", "P"),
        ("int I.this[int i] => 1;", "I", "this[]"),
        ("event Action I.E { add { } remove { } }", "I", "E"),
        ("static A I<A>.operator +(A a, A b) => a;", "I<A>", "operator +"),
    ],
)
def test_explicit_interfaces(text: str, explicit: str, name: str) -> None:
    only = member(text)
    assert (only.explicit, only.name) == (explicit, name)


def test_generics_and_constraints() -> None:
    only = declared("class A<in T, U> : B<T>, I where T : class, new() where U : struct { }")["A"]
    assert only.type_parameters == ("T", "U")
    assert only.constraints == "where T : class, new() where U : struct"
    assert only.bases == ("B<T>", "I")


def test_each_declarator_is_a_symbol() -> None:
    found = declared('class A { public const string S = "a  b", T = "x"; int a, b = 2; event Action E, F; }')
    assert [found[name].kind for name in ("S", "T", "a", "b", "E", "F")] == [
        *(Kind.CONSTANT, Kind.CONSTANT, Kind.FIELD, Kind.FIELD, Kind.EVENT, Kind.EVENT)
    ]
    assert (found["S"].value, found["T"].value, found["b"].value) == ('"a  b"', '"x"', "")


@pytest.mark.parametrize("value", ["'a'", r"'\n'", r"'\''", r"'\\'", r"'\x4'", r"'\x41'", r"'\u0041'", "'é'"])
def test_a_character_is_kept_as_written(value: str) -> None:
    found = declared(
        f"class A {{ const char C = {value}, D = 'd'; void M(char c = {value}, int i = 0) {{ }} }}"
    )
    assert (found["C"].value, found["D"].value) == (value, "'d'")
    assert found["M"].parameters == (
        ParameterRecord("char", "", "c", value),
        ParameterRecord("int", "", "i", "0"),
    )


def test_a_primary_constructor_and_its_base_call() -> None:
    only = declared("class A(int x, string y = null) : B(x), I { }")["A"]
    assert only.parameters == (
        ParameterRecord("int", "", "x", ""),
        ParameterRecord("string", "", "y", "null"),
    )
    assert only.bases == ("B", "I")


def test_enum_members_keep_their_values() -> None:
    found = declared("enum E : byte { A, B = 1 << 2, [X] C = B | A }")
    assert [found[name].value for name in "ABC"] == ["", "1 << 2", "B | A"]
    assert found["E"].bases == ("byte",)


def test_delegates() -> None:
    only = declared("public delegate T F<out T>(ref int a);")["F"]
    assert (only.returns, only.type_parameters) == ("T", ("T",))
    assert only.parameters == (ParameterRecord("int", "ref", "a", ""),)


def test_nested_types_know_their_parent_and_come_behind_it() -> None:
    record = read("class A { class B { int x; } int y; } struct C { }")
    assert [(each.name, each.parent) for each in record.declarations] == [
        *(("A", -1), ("B", 0), ("x", 1), ("y", 0), ("C", -1))
    ]


def test_extension_blocks_give_their_members_a_receiver() -> None:
    record = read(
        "static class E { extension(string s) { public int L => 1; } extension(Path) { int Q() { } } }"
    )
    found = {each.name: each for each in record.declarations}
    assert set(found) == {"E", "L", "Q"}
    assert found["L"].kind is found["Q"].kind is Kind.EXTENSION_MEMBER
    assert found["L"].receiver == ParameterRecord("string", "", "s", "")
    assert found["Q"].receiver == ParameterRecord("Path", "", "", "")
    assert found["L"].parent == 0


@pytest.mark.parametrize(
    "head", ["struct A", "enum A", "class A<T> : B where T : class", "record A(int X) : B"]
)
def test_a_semicolon_behind_a_nested_type_is_no_part_of_it(head: str) -> None:
    source = f"namespace N {{ class O {{ int[] a = {{ 1 }} ; {head} {{ }}\n ; int b; }} ; }}"
    record = read(source)
    assert record.quality is Quality.REPAIRED
    found = {each.name: source[each.start : each.end] for each in record.declarations}
    assert found["A"] == f"{head} {{ }}"
    assert (found["a"], found["b"]) == ("int[] a = { 1 } ;", "int b;")


def test_an_unsafe_destructor_is_one() -> None:
    source = "class A { unsafe ~A() { F(); } int x; }"
    record = read(source)
    assert record.quality is Quality.REPAIRED
    found = record.declarations[1]
    assert (found.kind, source[found.start : found.end]) == (Kind.DESTRUCTOR, "unsafe ~A() { F(); }")


@pytest.mark.parametrize("parameters", ["", "<T>", "<T, U>"])
@pytest.mark.parametrize(
    ("receiver", "type_", "name"),
    [
        *(
            (each, each, "")
            for each in ("nint", "System.Console", "global::A.B", "List<int>", "N<A>.B", "Grüße")
        ),
        *(
            (each, each, "")
            for each in ("int[]", "T?", "(int, string)", "(int a, int b)", "A<B, C<D>>", "@class")
        ),
        ("\n  System.Console\n", "System.Console", ""),
        ("List<int>y", "List<int>", "y"),
        ("(int a, int b) t", "(int a, int b)", "t"),
        ("[A(1)] T @class", "T", "class"),
    ],
)
def test_the_receiver_of_an_extension_block_is_a_type_with_or_without_a_name(
    receiver: str, type_: str, name: str, parameters: str
) -> None:
    record = read(
        f"static class E {{ extension{parameters}({receiver}) {{ public static int L => 1; }} int x; }}"
    )
    assert record.quality is Quality.REPAIRED
    assert [each.name for each in record.declarations] == ["E", "L", "x"]
    assert record.declarations[1].receiver == ParameterRecord(type_, "", name, "")


def test_statements_outside_types_hide_none() -> None:
    source = 'a.B(x => { c(); }).D("e", y =>\n {\n f();\n }).G();\nclass A { int x; }'
    record = read(source)
    assert record.quality is Quality.EXACT
    assert [each.name for each in record.declarations] == ["Program", "A", "x"]


def test_namespaces_of_both_forms_and_nested() -> None:
    record = read("namespace A.B { namespace C { class X { } } class Y { } }")
    assert [record.scopes[each.scope].namespace for each in record.declarations] == ["A.B.C", "A.B"]
    record = read("using S;\nnamespace A.B;\nusing T;\nclass X { }")
    assert record.scopes[record.declarations[0].scope].namespace == "A.B"
    assert [[using.name for using in scope.usings] for scope in record.scopes] == [["S"], ["T"]]


def test_usings_of_every_form() -> None:
    record = read(
        "global using A;\nusing static B.C;\nusing D = E.F<int>;\nglobal using static G.H;\nusing unsafe P = int*;"
    )
    assert record.scopes[0].usings == (
        Using("A", "", False, True),
        Using("B.C", "", True, False),
        Using("E.F<int>", "D", False, False),
        Using("G.H", "", True, True),
        Using("int*", "P", False, False),
    )


def test_attributes_are_kept_by_name() -> None:
    found = declared('[A("x"), B.C] [D<int>] class X { [return: E] [F] void M() { } }')
    assert found["X"].attributes == ("A", "B.C", "D<int>")
    assert found["M"].attributes == ("E", "F")


def test_friends_are_read_from_the_assembly_attribute() -> None:
    record = read(
        '[assembly: InternalsVisibleTo("Tests, PublicKey=00ff")]\n[assembly: Other("x")] class A { }'
    )
    assert record.friends == ("Tests",)


def test_lines_and_docs() -> None:
    source = "\n/// <summary>One.</summary>\n[X]\nclass A\n{\n    // no\n    int x;\n\n"
    source += "    /** Two. */ void M()\n    {\n    }\n}\n"
    record = read(source)
    found = {each.name: each for each in record.declarations}
    assert [(each.start_line, each.end_line) for each in found.values()] == [(3, 12), (7, 7), (9, 11)]
    assert source[slice(*found["A"].doc)] == "/// <summary>One.</summary>"
    assert source[slice(*found["M"].doc)] == "/** Two. */"
    assert found["x"].doc == (0, 0)
    assert record.line_count == 12


def test_lines_count_line_feeds_alone() -> None:
    record = read("class A\r\n{\r\n int x;\r int y;\x0c\r\n int z;\r\n}")
    assert [each.start_line for each in record.declarations] == [1, 3, 3, 4]
    assert record.line_count == 5


def test_the_branch_of_the_project_s_symbols_is_declared() -> None:
    source = "class A {\n#if X\n int x;\n#else\n int y;\n#endif\n}"
    assert [each.name for each in read(source, "X").declarations] == ["A", "x"]
    record = read(source)
    assert [each.name for each in record.declarations] == ["A", "y"]
    assert (record.quality, record.conditional) == (Quality.DIRECTIVES, True)


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("public ref partial struct A { int x; }", "A x"),
        ("class A { bool async; int await; string partial { get; set; } int required, file, scoped; }",
         "A async await partial required file scoped"),
        ("class A { void M(bool async, int field) => N(async, 1); int x = async ? 1 : 2; }", "A M x"),
        ("class A { object o = [type]; object p = [field, method, property]; object q = [async]; }", "A o p q"),
        ("class A { Action f = () => a?.b = 1; Action g = () => a?[0] = 1; int x; }", "A f g x"),
        ("class A { void M() => a?.b = 1; int x; }", "A M x"),
        ("class A { D f = (ref int x) => x; D g = (out y, ref z) => z; int x; }", "A f g x"),
        ("class A { T x = *(T*)p; T Y => *(T*)p; T Z() { return *(T*)p; } }", "A x Y Z"),
        ("class A<T> where T : allows ref struct { int x; }", "A x"),
        ("class A { public void operator +=(int a) { } public void operator checked -=(int a) { } int x; }",
         "A operator += operator checked -= x"),
        ("class A { public void operator ++() { } int x; }", "A operator ++ x"),
        ("class A { bool x = y is [1, .. var r]; bool Z => y is [.. var r, 2]; }", "A x Z"),
        ("static class A { extension<T>(T[] s) where T : class { public int L => 1; } int x; }", "A L x"),
        ("partial class A { public partial A(); public partial event Action E; }", "A A E"),
        ("$if$ ($version$ >= 3.5)using X;\n$endif$namespace $safeprojectname$ { class $safeitemname$ { int x; } }",
         "$safeitemname$ x"),
        ("class A { void M(scoped params Span<int> a, int b) { } int x; }", "A M x"),
        ("using nuint = System.UInt64; class A { nuint x; }", "A x"),
        ("class A\u0601<T> { int \u0d02\u0601, x; void M(int \u00e9\u200d) { } }", "A \u0d02 x M"),
        ("class A { [set: NotNull] int x; [field: N] [get : N] int Y { get; }; int z; }", "A x Y z"),
    ],
)  # fmt: skip
def test_syntax_that_the_grammar_refuses_keeps_its_names(source: str, names: str) -> None:
    record = read(source)
    assert record.quality in (Quality.EXACT, Quality.REPAIRED)
    assert " ".join(each.name for each in record.declarations) == names


def test_what_was_rewritten_reads_as_written() -> None:
    found = {each.name: each for each in read(
        "public ref partial struct A<T> where T : allows ref struct { void M(bool async, int required = 1) { } }"
    ).declarations}  # fmt: skip
    assert set(found["A"].modifiers) == {"ref", "partial"}
    assert found["A"].constraints == "where T : allows ref struct"
    assert [(p.type, p.name) for p in found["M"].parameters or ()] == [("bool", "async"), ("int", "required")]


def test_an_error_in_an_initializer_costs_no_declaration() -> None:
    record = read(
        "class A { int G = foo(a ! ! b b) : 2, H = 3; void M(int a = 2); } enum E { A = 1 +, B = 2, C, D }"
    )
    assert record.quality is Quality.BODIES_SKIPPED
    assert [each.name for each in record.declarations] == ["A", "G", "H", "M", "E", "A", "B", "C", "D"]
    assert record.declarations[2].start_line == 1


def test_a_file_that_cannot_be_repaired_gives_what_was_recovered() -> None:
    record = read("class A { int x; void M() { } } class %% B { int ? ! y; } class C { int z; }")
    assert record.quality is Quality.FAILED
    assert {"A", "x", "M", "C", "z"} <= {each.name for each in record.declarations}


def test_nesting_without_end_is_cut() -> None:
    depth = 10_000
    record = read("class A {" * depth + "}" * depth)
    assert 50 < len(record.declarations) < depth
    assert read("namespace A {" * depth + "class B { }" + "}" * depth).quality is Quality.EXACT
    assert len(read(f"class A {{ int x = {'(' * depth}1{')' * depth}; int y; }}").declarations) == 3


@given(st.lists(st.sampled_from(
    ["class A", "{", "}", "(", ")", "int x", ";", "=", "=>", "<", ">", "[", "]", "operator", "extension", "where T",
     "namespace N", "using", "enum E", "record R", ",", "get;", "event", "~", '"', "#if X\n", "static", "\xff", "~A"]
), max_size=30))  # fmt: skip
def test_no_content_raises_and_every_range_lies_in_the_file(pieces: list[str]) -> None:
    source = " ".join(pieces)
    record = read(source)
    for at, each in enumerate(record.declarations):
        assert 0 <= each.start <= each.end <= len(source.encode())
        assert 1 <= each.start_line <= each.end_line
        assert each.parent < at


def test_top_level_statements_are_a_part_of_program() -> None:
    source = "using System;\n\nint count = 1;\nvoid Run()\n{\n}\nRun();\n\nclass A { };\n"
    program, only = read(source).declarations
    assert (program.name, program.kind, program.access, program.modifiers) == (
        "Program",
        Kind.CLASS,
        "internal",
        ("partial",),
    )
    assert (program.start_line, program.end_line, only.start_line) == (3, 7, 9)
    assert source[program.start : program.end].endswith("Run();")
    assert program.impl != read(source.replace("= 1", "= 2")).declarations[0].impl


@pytest.mark.parametrize(
    "source", ["class A { };", "namespace N { class A { } }", "class A { void M( }\nint x = ;"]
)
def test_what_is_no_statement_makes_no_program(source: str) -> None:
    assert "Program" not in [each.name for each in read(source).declarations]


def test_top_level_statements_that_are_broken_are_still_those_of_program() -> None:
    record = read("using System;\n\nRun(1;\nRun(2);\n\nclass A\n{\n    int x;\n}\n")
    assert [each.name for each in record.declarations] == ["Program", "A", "x"]


def test_a_header_says_where_a_primary_constructor_and_its_parameters_stand() -> None:
    source = "[A]\npublic record Point<T>(\n    int X,\n    [B] T Y = default,\n    params int[] Rest)\n    : Base(X);"
    header = read(source).declarations[0].header
    assert [source[each.start : each.end] for each in header] == [
        "Point<T>(\n    int X,\n    [B] T Y = default,\n    params int[] Rest)",
        "int X",
        "[B] T Y = default",
        "params int[] Rest",
    ]
    assert [(each.start_line, each.end_line) for each in header] == [(2, 5), (3, 3), (4, 4), (5, 5)]
    assert read("delegate void A(int x);").declarations[0].header == ()


@pytest.mark.parametrize("text", ["static A() { }", "void IA.M() { }", "int IA.P => 1;"])
def test_static_constructors_and_explicit_members_are_private_in_interfaces_too(text: str) -> None:
    assert member(text, "interface").access == "private"
