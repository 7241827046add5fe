from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.syntax.highlight import START, highlight, highlight_lines


def coloured(text: str) -> list[list[tuple[str, str]]]:
    """(style, text) of each span of each line."""
    return [
        [(span.style, line[span.start : span.end]) for span in spans]
        for line, spans in zip(text.split("\n"), highlight(text), strict=True)
    ]


def styles(line: str) -> dict[str, str]:
    """text -> style of the spans of one line."""
    return {text: style for style, text in coloured(line)[0]}


def test_keywords_types_methods_and_numbers_of_a_declaration() -> None:
    found = styles("public static Task<int> Run(CancellationToken token = default, int n = 0x1F_u)")
    assert found == {
        "public": "keyword",
        "static": "keyword",
        "Task": "type",
        "int": "keyword",
        "Run": "method",
        "CancellationToken": "type",
        "default": "keyword",
        "0x1F_u": "number",
    }


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("class Foo", "Foo"),
        ("var x = new Foo();", "Foo"),
        ("if (x is Foo)", "Foo"),
        ("y = x as Foo;", "Foo"),
        ("typeof(Foo)", "Foo"),
        ("List<Foo> x", "Foo"),
        ("Foo? x", "Foo"),
        ("Foo[,] x", "Foo"),
    ],
)
def test_a_name_where_a_type_stands_is_a_type(line: str, name: str) -> None:
    assert styles(line)[name] == "type"


def test_a_qualified_name_after_new_is_a_type_to_its_end() -> None:
    assert styles("new Foo.Bar()") == {"new": "keyword", "Foo": "type", "Bar": "type"}


def test_a_generic_call_is_a_method() -> None:
    assert styles("x.Get<List<int>>(y)")["Get"] == "method"


def test_a_keyword_written_with_an_at_sign_is_a_name() -> None:
    assert "@class" not in styles("int @class;")


@pytest.mark.parametrize(
    ("line", "word", "is_keyword"),
    [
        ("async Task X()", "async", True),
        ("int async = 1;", "async", False),
        ("public int X { get; private set; }", "get", True),
        ("public int X { get; private set; }", "set", True),
        ("x.get();", "get", False),
        ("from x in y where x.Z select x", "where", True),
        ("var when = 1;", "when", False),
    ],
)
def test_contextual_words_are_keywords_only_where_they_stand_as_such(
    line: str, word: str, is_keyword: bool
) -> None:
    assert (styles(line).get(word) == "keyword") is is_keyword


def test_escapes_stand_out_in_a_string() -> None:
    assert coloured(r'"a\n\u0041"') == [
        [("string", '"a'), ("escape", r"\n"), ("escape", r"\u0041"), ("string", '"')]
    ]


@pytest.mark.parametrize("char", ["'a'", r"'\''", r"'\u0041'", "'\"'"])
def test_character_literals(char: str) -> None:
    assert coloured(f"{char} 1") == [[("char", char), ("number", "1")]]


def test_an_unterminated_string_ends_with_its_line() -> None:
    assert coloured('x = "abc\nint') == [[("string", '"abc')], [("keyword", "int")]]


def test_a_verbatim_string_goes_over_lines_and_doubles_its_quotes() -> None:
    assert coloured('@"a ""b"" \\\n c" int') == [
        [("string", '@"'), ("string", 'a ""b"" \\')],
        [("string", ' c"'), ("keyword", "int")],
    ]


def test_a_raw_string_ends_with_as_many_quotes_as_it_began_with() -> None:
    assert coloured('""""\n a """ b\n """" int') == [
        [("string", '""""')],
        [("string", ' a """ b')],
        [("string", ' """"'), ("keyword", "int")],
    ]


def test_three_quotes_with_text_behind_and_no_end_swallow_nothing() -> None:
    assert coloured('""" x\nint')[1] == [("keyword", "int")]


def test_holes_of_an_interpolated_string_are_code() -> None:
    assert coloured('$"a{{b}} {F("c", $"{1}")} d" int') == [
        [
            ("string", '$"'),
            ("string", "a{{b}} "),
            ("punctuation", "{"),
            ("method", "F"),
            ("string", '"c"'),
            ("string", '$"'),
            ("punctuation", "{"),
            ("number", "1"),
            ("punctuation", "}"),
            ("string", '"'),
            ("punctuation", "}"),
            ("string", ' d"'),
            ("keyword", "int"),
        ]
    ]


def test_braces_within_a_hole_do_not_end_it() -> None:
    assert coloured('$"{new { A = 1 }}" int')[0][-3:] == [
        ("punctuation", "}"),
        ("string", '"'),
        ("keyword", "int"),
    ]


def test_a_raw_string_with_two_dollars_opens_holes_with_two_braces() -> None:
    assert coloured('$$"""a {b} {{1}} c"""') == [
        [
            ("string", '$$"""'),
            ("string", "a {b} "),
            ("punctuation", "{{"),
            ("number", "1"),
            ("punctuation", "}}"),
            ("string", ' c"""'),
        ]
    ]


def test_comments_and_their_kinds() -> None:
    assert coloured("/// doc\n// note\nx /* a\nb */ int\n/** doc\n*/") == [
        [("doc", "/// doc")],
        [("comment", "// note")],
        [("comment", "/*"), ("comment", " a")],
        [("comment", "b */"), ("keyword", "int")],
        [("doc", "/*"), ("doc", "* doc")],
        [("doc", "*/")],
    ]


def test_quotes_in_a_comment_open_nothing() -> None:
    assert coloured("// it's \"\nint")[1] == [("keyword", "int")]


def test_a_directive_is_one_span_but_not_within_a_string() -> None:
    assert coloured('  #if X // y\n@"\n#if\n"') == [
        [("preprocessor", "  #if X // y")],
        [("string", '@"')],
        [("string", "#if")],
        [("string", '"')],
    ]


def test_an_attribute_stands_first_on_its_line() -> None:
    assert styles("  [Obsolete] int x")["Obsolete"] == "attribute"
    assert styles("[assembly: CLSCompliant(true)]")["CLSCompliant"] == "attribute"
    assert "Index" not in styles("x[Index]")


def test_a_page_from_a_checkpoint_is_coloured_like_the_whole() -> None:
    text = 'int a;\n/* x\ny */ var s = @"\n" + $@"{a\n} b" + """\n q\n""";\nint z;'
    lines = text.split("\n")
    whole, end = highlight_lines(lines, START)
    assert end == START
    for cut in range(len(lines) + 1):
        head, state = highlight_lines(lines[:cut], START)
        tail, _ = highlight_lines(lines[cut:], state)
        assert head + tail == whole


@given(st.text(alphabet="ab A0\"'@${}/*\\\n#[]<>(,.get_", max_size=60) | st.text(max_size=40))
def test_spans_are_in_order_apart_and_within_their_line(text: str) -> None:
    lines = text.split("\n")
    found = highlight(text)
    assert len(found) == len(lines)
    for line, spans in zip(lines, found, strict=True):
        edges = [edge for span in spans for edge in (span.start, span.end)]
        assert edges == sorted(edges)
        assert all(span.start < span.end for span in spans)
        assert not edges or edges[-1] <= len(line)


HOSTILE = [
    '"',
    '@"',
    '$"',
    '$"{',
    '$@"{\n',
    '"""" ',
    "$",
    '$$"""{{',
    "/*",
    "'",
    "\\",
    "{",
    "A[],",
    "A<",
    "A ",
    "get;",
    "[ ",
    "(A\t",
    "é",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_time_is_linear_whatever_the_text(piece: str) -> None:
    """Eight times the text takes about eight times as long; quadratic work would take 64 times."""

    def seconds(size: int) -> float:
        text, began = piece * (size // len(piece)), time.process_time()
        highlight(text)
        return time.process_time() - began

    small = min(seconds(20_000) for _ in range(3))
    assert min(seconds(160_000) for _ in range(3)) < 24 * small + 0.02


def test_one_line_of_a_megabyte() -> None:
    line = 'var x = new Foo(1, "a"); ' * 40_000
    assert len(highlight(line)[0]) == 5 * 40_000
