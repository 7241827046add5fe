"""Frames of stack traces, read as .NET prints them: types, member, parameters and place, in the words of the source."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.context.frames import (
    CONSTRUCTOR,
    MOST_FRAMES,
    STATEMENTS,
    STATIC_CONSTRUCTOR,
    StackFrame,
    frames,
    runtime_types,
    simple_type,
)

MEMBERS = {
    "Shop.Order.Touch()": ("Shop.Order", "Touch"),
    "Shop.Order..ctor(String name)": ("Shop.Order", CONSTRUCTOR),
    "Shop.Order..cctor()": ("Shop.Order", STATIC_CONSTRUCTOR),
    "Shop.Order.get_Total()": ("Shop.Order", "Total"),
    "Shop.Order.init_Total(Int32 value)": ("Shop.Order", "Total"),
    "Shop.Order.add_Changed(EventHandler value)": ("Shop.Order", "Changed"),
    "Shop.Order.get_Item(Int32 i)": ("Shop.Order", "this[]"),
    "Shop.Order.op_Equality(Order a, Order b)": ("Shop.Order", "operator =="),
    "Shop.Order.op_CheckedAddition(Order a, Order b)": ("Shop.Order", "operator +"),
    "Shop.Order.op_Implicit(Order o)": ("Shop.Order", "implicit operator"),
    "Shop.Outer`1.Inner`2.Find[T](T key)": ("Shop.Outer.Inner", "Find"),
    "Shop.Outer+Inner.Find(Int32 key)": ("Shop.Outer.Inner", "Find"),
    "async Task<Int32> Shop.Order.SendAsync(Int32 n)": ("Shop.Order", "SendAsync"),
    "Shop.Order.<SendAsync>d__3.MoveNext()": ("Shop.Order", "SendAsync"),
    "Shop.Order.<>c.<Sum>b__2_0(Line l)": ("Shop.Order", "Sum"),
    "Shop.Order.<>c.<.ctor>b__2_0()": ("Shop.Order", CONSTRUCTOR),
    "Shop.Order.<>c__DisplayClass5_0`1.<Sum>b__0(T x)": ("Shop.Order", "Sum"),
    "Shop.Order.<Send>g__Retry|2_1(Int32 n)": ("Shop.Order", "Send"),
    "Shop.Order.<get_Total>g__Sum|7_0()": ("Shop.Order", "Total"),
    "Shop.Order.<>c__DisplayClass5_0.<<SendAsync>b__0>d.MoveNext()": ("Shop.Order", "SendAsync"),
    "Program.<Main>$(String[] args)": ("Program", STATEMENTS),
    "Program.<<Main>$>g__Down|0_20(Int32 n)": ("Program", STATEMENTS),
    "Shop.Order.Shop.IAudited.Record(String s)": ("Shop.Order.Shop.IAudited", "Record"),
    "Shop.Order.<Shop.IAudited.Record>b__3_0(Object o)": ("Shop.Order.Shop.IAudited", "Record"),
    "Shop.Order.<Shop-IAudited-SendAsync>d__3.MoveNext()": ("Shop.Order.Shop.IAudited", "SendAsync"),
    "Shop.Order.<System-IEnumerable<Shop-Pair<A,B>>-GetEnumerator>d__3.MoveNext()": (
        "Shop.Order.System.IEnumerable",
        "GetEnumerator",
    ),
    "Shop.<Orders>F3A10FF__Hidden.Touch()": ("Shop.Hidden", "Touch"),
    "Shop.<Orders>F3A10FF__Hidden`1.<SendAsync>d__3.MoveNext()": ("Shop.Hidden", "SendAsync"),
}


def only(text: str) -> StackFrame:
    [frame] = frames(text)
    return frame


@pytest.mark.parametrize("written", MEMBERS)
def test_a_frame_is_of_the_member_that_the_source_declares(written: str) -> None:
    frame = only(f"   at {written} in /src/Shop.cs:line 7")
    types, member = MEMBERS[written]
    assert (".".join(frame.types), frame.member) == (types, member)
    assert (frame.path, frame.line) == ("/src/Shop.cs", 7)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("()", ()),
        ("(Int32 a, String b)", ("int", "string")),
        ("(IEnumerable`1 lines, Func`2 f)", ("ienumerable", "func")),
        ("(System.Func`2[System.Int32,System.String] f, Int32 n)", ("func", "int")),
        ("(Int32[] a, Byte[,] b, T& c, Char* d)", ("int[]", "byte[]", "t", "char")),
        ("(ref Int32 a, out String b, params Int32[] c)", ("int", "string", "int[]")),
        ("(Dictionary<String, List<Int32>> a, (Int32, String) b)", ("dictionary", "valuetuple")),
        ("(Int32)", ("int",)),
    ],
)
def test_parameters_are_told_by_the_simple_names_of_their_types(
    written: str, expected: tuple[str, ...]
) -> None:
    assert only(f"   at Shop.Order.Find{written}").parameters == expected


def test_of_what_the_compiler_made_no_parameters_are_told() -> None:
    assert only("   at Shop.Order.<>c.<Sum>b__2_0(Line l)").parameters is None


@pytest.mark.parametrize(
    "written",
    [
        "   at Shop.Order.Touch() in C:\\a b\\Orders.cs:line 59",
        "   bei Shop.Order.Touch() in C:\\a b\\Orders.cs:Zeile 59.",
        "   à Shop.Order.Touch() dans C:\\a b\\Orders.cs:ligne 59",
        "   en Shop.Order.Touch() en C:\\a b\\Orders.cs:línea 59",
        "   в Shop.Order.Touch() в C:\\a b\\Orders.cs:строка 59",
        "   在 Shop.Order.Touch() 位置 C:\\a b\\Orders.cs:行号 59",
        "   場所 Shop.Order.Touch() 場所 C:\\a b\\Orders.cs:行 59",
        "   위치: Shop.Order.Touch() 파일 C:\\a b\\Orders.cs:줄 59",
        "> 1. at Shop.Order.Touch() in C:\\a b\\Orders.cs:line 59",
        "\t| at Shop.Order.Touch() in C:\\a b\\Orders.cs:line 59\r",
    ],
)  # fmt: skip
def test_a_frame_is_read_in_the_languages_that_dotnet_speaks(written: str) -> None:
    frame = only(written)
    assert (frame.types, frame.member) == (("Shop", "Order"), "Touch")
    assert (frame.path, frame.line) == ("C:\\a b\\Orders.cs", 59)


@pytest.mark.parametrize(
    "written",
    [
        pytest.param("", id="nothing"),
        pytest.param("--- End of stack trace from previous location ---", id="a rule between traces"),
        pytest.param("   at lambda_method(Closure, Object)", id="a method of no type"),
        pytest.param("Look at Shop.Order (now)", id="prose"),
        pytest.param("   at " + "a." * 900 + "b()", id="a name too long to be one"),
    ],
)
def test_what_is_no_frame_of_a_member_is_none(written: str) -> None:
    assert frames(written) == []


names = st.sampled_from(["Shop.A.B()", "Shop.A.C(Int32 a)", "Shop.A.C(String a)", "Shop.D..ctor()"])
placed = st.tuples(names, st.sampled_from(["", " in /src/A.cs:line 1", " in /src/A.cs:line 2"]))


@given(st.lists(placed, max_size=12), st.text("x \n\r", max_size=4))
def test_each_frame_is_told_once_in_the_order_of_the_text(told: list[tuple[str, str]], between: str) -> None:
    text = f"\n{between}\n".join(f"   at {name}{where}" for name, where in told)
    assert [frame.text for frame in frames(text)] == [
        f"at {name}{where}" for name, where in dict.fromkeys(told)
    ]


@pytest.mark.parametrize("ending", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_a_trace_has_all_its_frames_whatever_ends_its_lines(ending: str) -> None:
    lines = ["System.Exception: No.", "   at Shop.A.B()", "   at Shop.C.D() in C:\\C.cs:line 3", ""]
    found = frames(ending.join(lines))
    assert [(frame.text, frame.path, frame.line) for frame in found] == [
        ("at Shop.A.B()", "", 0),
        (lines[2].strip(), "C:\\C.cs", 3),
    ]


def test_of_many_frames_the_innermost_are_told() -> None:
    found = frames("\n".join(f"   at Shop.A.M{n}()" for n in range(MOST_FRAMES + 9)))
    assert [frame.member for frame in found] == [f"M{n}" for n in range(MOST_FRAMES)]


@given(st.text("<>[]()`.+,|_$-at AMx1\n", max_size=60))
def test_whatever_stands_in_a_text_a_frame_has_a_type_and_a_member(written: str) -> None:
    for frame in frames(f"   at Shop.{written}"):
        assert frame.member
        assert all(frame.types)
        assert frame.text in written or frame.text.startswith("at Shop.")


@pytest.mark.parametrize(
    ("source", "runtime"),
    [
        ("int", "Int32"),
        ("System.Int32", "System.Int32"),
        ("global::System.Int32", "Int32"),
        ("string?", "String"),
        ("int[]", "Int32[]"),
        ("int[,]?", "Int32[,]"),
        ("List<int[]>", "List`1"),
        (
            "Func<string, List<int>>?",
            "System.Func`2[System.String,System.Collections.Generic.List`1[System.Int32]]",
        ),
        ("Outer<int>.Inner", "Inner"),
        ("Outer.Inner[]", "Shop.Outer+Inner[]"),
        ("(int, string)", "ValueTuple`2"),
        ("(int a, (long, long) b)?", "Nullable`1"),
        ("int?", "Nullable`1"),
        ("DateTime?", "Nullable`1"),
        ("Order?", "Order"),
        ("ref int", "Int32&"),
        ("nint", "IntPtr"),
        ("T", "T"),
    ],
)
def test_a_type_of_the_source_is_known_by_what_the_runtime_calls_it(source: str, runtime: str) -> None:
    assert simple_type(runtime) in runtime_types(source.removeprefix("ref "))


@pytest.mark.parametrize(
    ("source", "runtime"),
    [("int?", "Int32"), ("int", "Nullable`1"), ("int[]", "Int32"), ("List<int>", "Int32"), ("string[]?", "Nullable`1")],
)  # fmt: skip
def test_another_type_is_told_apart(source: str, runtime: str) -> None:
    assert simple_type(runtime) not in runtime_types(source)
