"""What the lexer blanks, hides and finds; every view keeps the file's offsets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.syntax.parse.lexer import lex, with_line_feeds

_PIECES = [
    *(b'"', b'@"', b'$"', b'$@"', b'@$"', b'"""', b'$"""', b'$$"""', b'""""', b"'", b"\\", b"{", b"}", b"{{"),
    *(b"}}", b"\n", b"\r\n", b"/*", b"*/", b"//", b"///", b"/**", b"#", b"\n#if A", b"\n#else", b"\n#endif"),
    *(
        b"\n#elif !A",
        b"\n#region x'",
        b"\n#define A",
        b" ",
        b"a",
        b";",
        b"\xef\xbb\xbf",
        b"\0",
        b"\xff",
        b":x",
    ),
]
sources = st.lists(st.sampled_from(_PIECES) | st.binary(max_size=4), max_size=40).map(b"".join)


def kept(source: bytes) -> bytes:
    """What is left of a source, blanks folded."""
    return b" ".join(lex(source, frozenset({"A"})).clean.split())


@given(sources)
def test_every_view_keeps_length_and_lines(source: bytes) -> None:
    lexed = lex(source, frozenset({"A"}))
    assert len(lexed.clean) == len(lexed.code) == len(source)
    lines = [at for at, byte in enumerate(with_line_feeds(source)) if byte == 10]
    assert [at for at, byte in enumerate(lexed.clean) if byte == 10] == lines
    assert all(at in lines for at, byte in enumerate(lexed.code) if byte == 10)
    assert all(0 <= start < end <= len(source) for start, end in lexed.docs + lexed.directives)


@pytest.mark.parametrize(
    "literal",
    [
        '"a;b"',
        r'"\"; {"',
        r'"\\"',
        '@"c:\\"',
        '@"a ""{;"" b"',
        '@"two\nlines {"',
        '"""raw " and "" {"""',
        '""""raw """ inside""""',
        '"""\n  { "quoted" }\n  """',
        '$"{a}; {{ }}"',
        '$"{f("x;")} {"}"}"',
        '$"{$"{$"{a}"}"};"',
        '$"{d:hh\\:mm;}"',
        "$\"{d:hh':'mm} {c('}')}\"",
        '$"{new[] { 1, 2 }.Length}"',
        '$@"{a} ""{b}"" \\"',
        '@$"{f(@"\\")};"',
        '$"""{a} "q" ;"""',
        '$"""{f("""nested;""")} ;"""',
        '$$"""{ {{f("}}")}} }"""',
        '$""',
        '$@""',
        '""',
    ],
)
def test_a_string_is_one_empty_literal_and_code_goes_on_behind_it(literal: str) -> None:
    clean = lex(f"x = {literal}; y".encode()).clean
    assert clean.startswith(b"x = ")
    assert clean.endswith(b"; y")
    assert not clean[4:-3].strip(b'@" \n')


@pytest.mark.parametrize("literal", ["'\"'", r"'\''", r"'\\'", r"'\u0022'", "'{'", "'/'"])
def test_a_character_opens_nothing(literal: str) -> None:
    assert kept(f"x = {literal}; y".encode()).endswith(b"; y")
    assert b"{" not in kept(f"x = {literal}; y".encode())


@pytest.mark.parametrize("opening", [b'"a', b'$"a', b'$"a {b'])
def test_an_unterminated_string_ends_with_its_line_or_its_hole(opening: bytes) -> None:
    clean = lex(b"x = " + opening + b"\n};\nclass B { }").clean
    assert b"class B" in clean


@pytest.mark.parametrize("opening", [b'"""', b'@"', b'$@"', b'$"""', b"/*"])
def test_what_may_span_lines_ends_with_the_file(opening: bytes) -> None:
    source = opening + b"a\nclass B { }\n"
    assert b"class" not in lex(source).clean


@pytest.mark.parametrize(
    "comment", ["// a \" '", '/* " { \n */', "/// <see cref='x'/>", "/** } */", "/**/", "/***/"]
)
def test_comments_are_blank(comment: str) -> None:
    assert kept(f"a;{comment}\nb;".encode()) == b"a; b;"


def test_doc_comments_are_runs() -> None:
    source = b"/// one\n/// two\nclass A {\n    /** three */ int x; //// no\n/* no */ // no\n/// four\n\n/// five\n}"
    found = [source[start:end] for start, end in lex(source).docs]
    assert found == [b"/// one\n/// two", b"/** three */", b"/// four\n\n/// five"]


def test_the_branch_that_is_taken_stays() -> None:
    source = b"#if X\na\n#elif A && !B\nb\n#elif A\nc\n#else\nd\n#endif\ne"
    assert kept(source) == b"b e"
    assert b" ".join(lex(source).clean.split()) == b"d e"


def test_conditions_nest_in_both_branches() -> None:
    source = b"#if A\n #if X\n  a\n #else\n  b\n #endif\n#else\n #if A\n  c\n #else\n  d\n #endif\n#endif\ne"
    assert kept(source) == b"b e"


def test_text_in_a_branch_that_is_left_out_is_not_lexed() -> None:
    assert kept(b"#if X\n it's \" not /* code\n#endif\na") == b"a"


def test_a_directive_in_a_string_or_comment_is_text() -> None:
    assert (
        kept(b'a @"\n#if X\n" b /*\n#if X\n*/ c """\n#if X\n""" d').replace(b'@" "', b"S") == b"a S b c S d"
    )


def test_define_and_undef_count_from_there() -> None:
    assert kept(b"#define B // why\n#if B\na\n#endif\n#undef A\n#if A\nb\n#endif\nc") == b"a c"


def test_a_region_name_is_free_text() -> None:
    source = b"#region it's \"here\nint a;\n  #endregion /* no\nint b;"
    assert kept(source) == b"int a; int b;"
    assert [source[start:end] for start, end in lex(source).directives] == [
        b"#region it's \"here",
        b"#endregion /* no",
    ]


def test_a_hash_within_a_line_is_no_directive() -> None:
    lexed = lex(b'a # if X "s" // c\n# b "t" #c\nd')
    assert lexed.clean.split() == [b"a", b"#", b"if", b"X", b'"', b'"', b"d"]
    assert len(lexed.directives) == 1


def test_a_byte_order_mark_is_blank_and_a_directive_may_follow_it() -> None:
    lexed = lex(b"\xef\xbb\xbf#if X\na\n#endif\nb")
    assert lexed.clean.split() == [b"b"]
    assert lexed.conditional


def test_an_unbalanced_directive_changes_nothing() -> None:
    assert kept(b"#endif\na\n#else\nb\n#elif X\nc") == b"a b c"


def test_the_code_view_keeps_strings_with_their_blanks_hidden() -> None:
    code = lex(b'a = "b  c"; // d\n').code
    assert code.split() == [b"a", b"=", b'"b\x01\x01c";']


_HOSTILE = [
    *(b"$", b"@", b'"', b'$"{', b'$@"{', b"'\\", b'$"{"', b"/*", b"*/", b"{{", b'""', b"# ", b"#\n", b"\\a"),
    *(b"#if A\n", b"#if X\n#else\n", b"///\na\n", b"'", b"/", b"$\"{'", b"{[}", b"=>", b"#elif X\n"),
]


@pytest.mark.parametrize("piece", _HOSTILE)
@pytest.mark.parametrize("opening", [b"", b'"', b'$@"', b"/*"])
def test_a_megabyte_of_anything_on_a_line_ends(piece: bytes, opening: bytes) -> None:
    # A quadratic rule takes minutes here, a linear one a fraction of a second.
    source = opening + piece * (150_000 // len(piece))
    assert len(lex(source).clean) == len(source)


@pytest.mark.parametrize("end", ["\r", "\x85", "\u2028", "\u2029"])
def test_a_comment_and_a_directive_end_where_lines_of_the_language_do(end: str) -> None:
    text = "#if B\nGone\n#endif\n// a\nA1 // b\n/// doc\nA2 @'x\ny'\n#region r\nA3"
    lexed = lex(text.replace("\n", end).replace("'", '"').encode())
    assert lexed.clean.replace(b'@"', b"").replace(b'"', b"").split() == [b"A1", b"A2", b"A3"]
    assert len(lexed.clean) == len(lexed.code) == len(lexed.source)
    assert len(lexed.docs) == 1


def test_a_line_end_of_two_characters_stays_one() -> None:
    assert with_line_feeds(b"a\r\nb\rc") == b"a\r\nb\nc"
    assert lex(b"a // b\r\nc").clean.split(b"\n")[1] == b"c"


def test_the_text_of_a_string_keeps_its_line_ends() -> None:
    assert lex('@"a\u2028b"'.encode()).code == '@"a\u2028b"'.encode()
