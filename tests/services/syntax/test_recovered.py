"""Files that are broken keep their declarations: what a person has while typing."""

from pathlib import Path

import pytest

from benchmarks.index.broken import Source, cuts, is_sane, losses, tokens
from services.model import Kind, Quality
from services.syntax.parse.parsing import read_file
from services.syntax.records.declaration import FileRecord

SAMPLE = """\
using System;
using System.Collections.Generic;

namespace Shop.Orders
{
    /// <summary>What is ordered.</summary>
    [Serializable]
    public sealed class Order<TKey, TItem> : Base<TKey>, IOrder
        where TKey : notnull
    {
        public const int Most = 10;

        private readonly Dictionary<TKey, List<TItem>> _items = new Dictionary<TKey, List<TItem>>();

        public Order(TKey key, int size = 3)
            : base(key)
        {
            if (size > Most)
            {
                throw new ArgumentException("too many, by far", nameof(size));
            }
            else
            {
                Size = size;
            }
        }

        public int Size { get; private set; } = 1;

        public string Name => Size > 1
            ? "many"
            : "one";

        public event EventHandler Changed;

        public static bool operator ==(Order<TKey, TItem> a, Order<TKey, TItem> b) => Equals(a, b);

        [Obsolete("use Add", error: false)]
        protected internal void Put(TKey key, params TItem[] items)
        {
            foreach (var each in items)
            {
                Console.WriteLine(string.Join(",", new[] { 1, 2 }), each switch
                {
                    null => "none",
                    _ => "some",
                });
            }

            Run(() => {
                Size++;
            });
        }

        public int this[int at] => at;

        private struct Line
        {
            public decimal Price;
            public int Count;

            public decimal Sum()
            {
                return Price * Count;
            }
        }
    }

    public enum State
    {
        [Obsolete("no")]
        Unknown = 0,

        Sent = 1 << 2,
        Paid,
    }

    public interface IOrder
    {
        int Size { get; }

        void Clear();
    }

    public record Customer(string Name, int Age = 3)
    {
        public string Shown => Name;
    }

    public delegate void Sent(Customer to, State state);
}
"""


def read(source: str) -> FileRecord:
    return read_file(source.encode())


def names(source: str) -> list[str]:
    return [each.name for each in read(source).declarations]


def sources(text: str) -> list[Source]:
    """The text as it is, with file-scoped namespace, with tabs, with the braces of K&R, and with CRLF."""
    body = text.replace("namespace Shop.Orders\n{\n", "namespace Shop.Orders;\n\n").rstrip().removesuffix("}")
    scoped = "\n".join(line.removeprefix("    ") for line in body.split("\n"))
    lines: list[str] = []
    for line in text.split("\n"):
        if line.strip() == "{" and lines:
            lines[-1] += " {"
        else:
            lines.append(line)
    forms = (text, scoped, text.replace("    ", "\t"), "\n".join(lines), text.replace("\n", "\r\n"))
    return [Source("Order.cs", form.encode(), frozenset()) for form in forms]


@pytest.mark.parametrize("form", range(5))
def test_no_token_that_is_missing_costs_declarations_outside_of_where_it_was(form: int) -> None:
    source = sources(SAMPLE)[form]
    assert read_file(source.text).quality is Quality.EXACT
    wanted = lost = 0
    for start, end in (place for sort in tokens(source) for place in sort):
        found = losses(source, (start, end))
        wanted += found.wanted
        lost += found.lost.total()
    # Without its keyword nobody can tell a struct or a record from a class.
    assert wanted > 4_000
    assert lost <= 0.002 * wanted


@pytest.mark.parametrize("token", ["{", "}", "(", ")", ";", ","])
def test_a_sign_that_is_missing_costs_none_at_all(token: str) -> None:
    source = sources(SAMPLE)[0]
    at = -1
    while (at := source.text.find(token.encode(), at + 1)) >= 0:
        # The brackets and the comma of what a type is named by tell what it is.
        if (
            source.text[:at]
            .rpartition(b"\n")[2]
            .strip()
            .startswith((b"public sealed class", b"public record", b"///"))
        ):
            continue
        if source.text[:at].rpartition(b"\n")[2].count(b'"') % 2:
            continue
        assert not losses(source, (at, at + 1)).lost, source.text[at - 60 : at + 20].decode()


def test_a_broken_file_says_so() -> None:
    assert (
        read(SAMPLE.replace("return Price * Count;\n            }", "return Price * Count;")).quality
        is Quality.FAILED
    )


@pytest.mark.parametrize(
    ("broken", "expected"),
    [
        ("class A\n{\n    int X => F()\n    int Y => G();\n}", ["A", "X", "Y"]),
        ("class A\n{\n    int x = 1\n    int y = 2;\n}", ["A", "x", "y"]),
        ("class A\n{\n    int X { get; } = 1\n    int Y { get; } = 2;\n}", ["A", "X", "Y"]),
        ("namespace N\n\npublic class A\n{\n    int x;\n}", ["A", "x"]),
        ("using System\nnamespace N;\npublic class A\n{\n}", ["A"]),
        ("class A\n{\n    void M(\n    {\n    }\n\n    void N() { }\n}", ["A", "M", "N"]),
        (
            "class A\n{\n    void M()\n    {\n        if (x)\n        {\n\n    void N() { }\n}",
            ["A", "M", "N"],
        ),
        (
            "class A\n{\n    public void M()\n        F();\n    }\n\n    public void N() { }\n}",
            ["A", "M", "N"],
        ),
        ("class A\n{\n    int x;\n\nclass B\n{\n    int y;\n}", ["A", "x", "B", "y"]),
        ("class A { int x; void M() { ", ["A", "x", "M"]),
        ("class A\n    int x;\n    void M() { }\n}\n", ["A", "x", "M"]),
    ],
)
def test_what_is_half_written_keeps_what_stands_around_it(broken: str, expected: list[str]) -> None:
    assert names(broken) == expected


@pytest.mark.parametrize(
    ("broken", "kind"),
    [
        ("public sealed A : B\n{\n    public int X;\n}", Kind.CLASS),
        ("public readonly A\n{\n    public readonly int X;\n}", Kind.STRUCT),
        ("public readonly record A(int X);", Kind.RECORD_STRUCT),
        ("[Flags(Of = 1)]\npublic A\n{\n    B = 1,\n    C,\n}", Kind.ENUM),
        ("public IA\n{\n    int M();\n    int X { get; }\n}", Kind.INTERFACE),
    ],
)
def test_a_type_that_lacks_its_keyword_is_known_by_what_it_holds(broken: str, kind: Kind) -> None:
    assert read(broken).declarations[0].kind is kind


@pytest.mark.parametrize("broken", ["N.M\n{\n    class A { }\n}", "using System;\nN.M;\n\nclass A { }"])
def test_a_namespace_without_its_keyword_is_one(broken: str) -> None:
    record = read(broken)
    assert record.scopes[record.declarations[0].scope].namespace == "N.M"


def test_ranges_lead_to_the_file_and_not_to_what_was_made_of_it() -> None:
    source = "class A\n{\n    void M(int a\n    {\n    }\n\n    int N(string b) => 1;\n\nclass B { int y; }\n"
    found = {each.name: each for each in read(source).declarations}
    assert source[found["N"].start : found["N"].end] == "int N(string b) => 1;"
    assert (found["N"].start_line, found["y"].start_line) == (7, 9)
    assert [(p.type, p.name) for p in found["M"].parameters or ()] == [("int", "a")]
    assert source[found["A"].start : found["A"].end].endswith("=> 1;")


@pytest.mark.parametrize(
    "half", ["int X = ;", "int[] X = { 1, };\n    int Y = F(1, );", "int this[int at] => ;"]
)
def test_a_member_that_lacks_a_name_is_there(half: str) -> None:
    found = read(f"class A\n{{\n    {half}\n    int Z;\n}}").declarations
    assert [each.name for each in found][1:] in (["X", "Z"], ["X", "Y", "Z"], ["this[]", "Z"])


def test_code_that_is_laid_out_in_no_way_closes_at_its_end() -> None:
    first = "namespace N\n{\nclass A\n{\nvoid M()\n{\nF();\n}\nint x;\n}\n"
    second = "class B\n{\nvoid M()\n{\nif (x)\n{\nF();\n}\n}\nint y;\n}\n"
    assert {"A", "M", "x", "B"} <= set(names(first + second))


@pytest.mark.parametrize(
    "source",
    [
        "class A {" * 5_000,
        "}" * 20_000,
        "\n".join(" " * (at % 60) + "{" for at in range(5_000)) + "\n}" * 5_000,
        "class A { int x = " + "{ 1 } " * 5_000,
        "class A\n{\n" + "    int x = 1\n" * 2_000,
        "class A { void M(" + "int a, " * 5_000,
        "enum A { " + "B = ( , " * 2_000,
    ],
)
def test_hostile_text_ends_and_makes_sense(source: str) -> None:
    assert is_sane(read(source), len(source))


def test_cuts_of_files_make_sense(tmp_path: Path) -> None:
    (tmp_path / "Order.cs").write_text(SAMPLE)
    count, wrong, _, _ = cuts(tmp_path, 200, 7)
    assert (count, wrong) == (200, [])
