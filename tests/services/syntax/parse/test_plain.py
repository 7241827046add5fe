"""Members read from their text are what their nodes say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.model import Quality
from services.syntax.parse import parsing
from services.syntax.parse.lexer import lex
from services.syntax.parse.parsing import read_file
from services.syntax.parse.plain import plain_members
from services.syntax.parse.skeleton import without_bodies
from services.syntax.records.declaration import FileRecord

PLAIN = (
    "public int Count;",
    "private static readonly Dictionary<string, List<int?>> _known = new Dictionary<string, List<int?>>(1, 2);",
    "const int A = 1;",
    "const long Long = Some.Very.Long.Path.To.A.Value.That.Is.Longer.Than.What.Is.Shown.Of.It;",
    "int[] Many = { 1 };",
    "Func<int, int> f = (a) => { return a; };",
    "volatile bool stop   ;",
    "void Run() { Do(); }",
    "T Of<T, U>(this T one, ref U two, int three = -1, A.B four = C.D) { }",
    "void Short() => X();",
    "int Get() => 1 ;",
    "int Get(\n  int a,\n  // why\n  int b\n) { return a + b; }",
    "abstract void Later(int? a, int[,] b, A.B<C>[] c);",
    "public Shape(int a) : base(a, (b), new C { D = 1 }) { e = a; }",
    "public Shape() : this(1) => e = 2;",
    "static Shape() { }",
    "public int Size { get; private set; }",
    "public int Size { get { return 1; } internal set { x = value; } } ",
    "public int Size { get; } = Compute(1, 2);",
    "public int Size => 1;",
    "[Obsolete] void A() { }",
    '[Obsolete("no, use (b)"), Other(typeof(int))] [Third] public int A;',
)
BY_NODES = (
    "public static bool operator ==(Shape a, Shape b) => a.Equals(b);",
    "public static bool operator true(Shape a) { return b; }",
    "public static implicit operator int(Shape a) => 1;",
    "int this[int at] { get { return 1; } }",
    "event Action Changed;",
    "delegate void Changes();",
    "record Point(int X);",
    "class Empty;",
    "~Shape() { }",
    'const string Name = "a, b; c";',
    "int a, b = 2;",
    "int a = F(1, 2), b;",
    "int c = x < y, d = z > (w);",
    "ref int slot;",
    "public required string Name { get; init; }",
    "async Task<int> Run(int a, string b = null, params object[] rest) => await Go(a);",
    "void A(char four = 'c') { }",
    "T Of<T>(T one) where T : class => one;",
    "partial void Later();",
    "extern static void Outside(int* p);",
    "(int, string) Two((int a, int b) c) => default;",
    "void IShape.Draw() { }",
    "public int Size { get { return 1; } protected internal set { x = value; } } ",
    "public int Size { readonly get => 1; }",
    "int IShape.Size { get; set; }",
    "partial int Size { get; }",
    "[Other(new int[] { 1 })] public int A;",
    "[return: NotNull] string A() => b;",
    "string @class(int @ref) => null;",
    "string Größe() => null;",
    "void A([In] int b) { }",
    "void A(in int b, scoped Span<int> c, ref readonly int d) { }",
    "void A(int b = default, int c = 1 << 2, string d = nameof(A)) { }",
)
ENUM_MEMBERS = (
    "A",
    "B = 2",
    "C = -1",
    "D = A | B",
    "[Old] E",
    "F = 'c'",
    "G = Other.Enum.Member",
    "H = 1 << 3",
)


def by_nodes(source: bytes, monkeypatch: pytest.MonkeyPatch) -> FileRecord:
    """The record of a file of which no member is taken for plain."""
    with monkeypatch.context() as patched:
        patched.setattr(parsing, "plain_members", lambda *_: {})
        return read_file(source)


def in_a_type(*members: str) -> bytes:
    """A file with one type."""
    return ("class Shape\n{\n    " + "\n    ".join(members) + "\n}\n").encode()


@pytest.mark.parametrize("member", (*PLAIN, *BY_NODES, "event Action Changed;"))
def test_a_member_is_what_its_nodes_say(member: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source = in_a_type(member)
    read = read_file(source)
    assert read == by_nodes(source, monkeypatch)
    assert len(read.declarations) > 1


@pytest.mark.parametrize(("members", "plain"), [(PLAIN, 1), (BY_NODES, 0)])
def test_what_is_certain_is_read_from_its_text(members: tuple[str, ...], plain: int) -> None:
    for member in members:
        lexed = lex(in_a_type(member))
        found = plain_members(without_bodies(lexed.clean), lexed.code)
        assert sum(map(len, found.values())) == plain, member


def test_members_of_an_enum_are_what_their_nodes_say(monkeypatch: pytest.MonkeyPatch) -> None:
    source = ("enum E { " + ", ".join(ENUM_MEMBERS) + " }").encode()
    read = read_file(source)
    assert read == by_nodes(source, monkeypatch)
    assert [each.name for each in read.declarations] == ["E", *"ABCDEFGH"]


words = st.sampled_from(("", "public ", "private  protected ", "internal static\n", "async ", "new virtual "))
names = st.sampled_from(("A", "_b1", "C.D", "get", "var"))
types = st.recursive(
    st.sampled_from(("int", "void", "A.B", "string?", "T[]", "int[,]?", "dynamic")),
    lambda inner: st.builds(
        "{}<{}>{}".format, names, st.lists(inner, min_size=1, max_size=3).map(", ".join), st.just("?")
    ),
    max_leaves=5,
)
values = st.sampled_from(
    ("1", "-1.5f", "null", "A.B", '"x"', "new()", "new List<int>(2)", "F(a, b)", "a < b", "[1, 2]")
)
parameters = st.lists(
    st.builds(
        "{}{} {}{}".format,
        st.sampled_from(("", "ref ", "this ", "params ", "[In] ")),
        types,
        names,
        st.one_of(st.just(""), values.map(" = {}".format)),
    ),
    max_size=3,
).map(", ".join)
bodies = st.sampled_from(
    (";", " { }", " { return 1; }", "\n=> 1;", " => F(() => { });", " where T : new() { }")
)
attributes = st.sampled_from(
    ("", "[A] ", "[A(1), B.C]\n[D] ", '[A("]")] ', "[field: A] ", "[A(new[] { 1 })] ")
)
members = st.one_of(
    st.builds("{}{}{} {}({}){}".format, attributes, words, types, names, parameters, bodies),
    st.builds("{}{}{} {}<T, U>({}){}".format, attributes, words, types, names, parameters, bodies),
    st.builds("{}{}Shape({}) : base({}){}".format, attributes, words, parameters, values, bodies),
    st.builds("{}{}{} {} = {};".format, attributes, words, types, names, values),
    st.builds("{}const {} {} = {}, {};".format, words, types, names, values, names),
    st.builds(
        "{}{}{} {} {{ {} }}{}".format,
        attributes,
        words,
        types,
        names,
        st.sampled_from(
            ("get;", "get; private set;", "get { return 1; } set { }", "add { } remove => x;", "[A] get;")
        ),
        st.one_of(st.just(""), values.map(" = {};".format)),
    ),
)


# What may stand beside members, or look like one where it is none.
odd = st.sampled_from(
    (
        "class B { ",
        "enum E { A = 1, B } ",
        "} ",
        "{ ",
        "int x = 1; ",
        "return x; ",
        "= new A { } as B; ",
        ", c = { } ",
        "[A(new[] { 1 })] ",
        "int[] d = { 1 }, e = { }; ",
        "namespace N { ",
        "using A; ",
        "record struct R(int X); ",
        "(",
        ")",
        ";",
        "switch { _ => 1 } ",
        "where T : new() ",
        "\n#if X\n",
        "\n#else\n",
        "\n#endif\n",
        "// int y;\n",
        "interface I { int P { get; } } ",
    )
)


def compared(source: bytes) -> None:
    """Where the grammar takes the whole file, it says the same without its plain members; else no less is known."""
    with pytest.MonkeyPatch.context() as patched:
        whole = by_nodes(source, patched)
    read = read_file(source)
    if whole.quality in (Quality.EXACT, Quality.DIRECTIVES):
        assert read == whole
    elif read != whole:
        assert read.quality in (Quality.EXACT, Quality.DIRECTIVES)


@given(st.lists(members, min_size=1, max_size=4))
def test_generated_members_are_what_their_nodes_say(found: list[str]) -> None:
    compared(in_a_type(*found))


@given(st.lists(st.one_of(members, odd), max_size=8))
def test_whatever_stands_beside_them_members_are_what_their_nodes_say(found: list[str]) -> None:
    compared(in_a_type(*found))
    compared(" ".join(found).encode())
