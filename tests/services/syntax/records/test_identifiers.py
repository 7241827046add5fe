r"""Names written with escapes, with formatting characters or with `@` are the names that the language means."""

from __future__ import annotations

import pytest

from services.model import Kind
from services.syntax.parse.parsing import read_file
from services.syntax.records.declaration import Declaration
from services.syntax.records.words import as_meant

JOINER = "\N{ZERO WIDTH JOINER}"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (r"\u0041bc", "Abc"),
        (r"\U00000041bc", "Abc"),
        (r"a\u0041\u0042c", "aABc"),
        (r"cl\u0061ss", "class"),
        (r"List<\u0041, B[]>", "List<A, B[]>"),
        (r"gr\u00F6\u00dfe", "größe"),
        (r"\U00020000", "\N{CJK UNIFIED IDEOGRAPH-20000}"),
        (rf"Ze{JOINER}ro", "Zero"),
        (r"Ze\u200Dro", "Zero"),
        ("größe", "größe"),
        ("plain", "plain"),
        # No name can hold these.
        (r"a\u0020b", r"a\u0020b"),
        (r"a\u002Eb", r"a\u002Eb"),
        (r"a\uD83D", r"a\uD83D"),
        (r"a\U00110000", r"a\U00110000"),
        (r"a\u004", r"a\u004"),
        (r"a\x41", r"a\x41"),
    ],
)
def test_a_name_is_what_the_language_means(written: str, meant: str) -> None:
    assert as_meant(written) == meant


def only(source: str) -> Declaration:
    declarations = read_file(source.encode()).declarations
    assert len(declarations) == 1, declarations
    return declarations[0]


@pytest.mark.parametrize(
    "name", [r"\u0041bc", r"A\u0062c", r"\U00000041bc", f"Ab{JOINER}c", "@Abc", r"@\u0041bc"]
)
@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("class {0};", Kind.CLASS),
        ("class {0} {{ }}", Kind.CLASS),
        ("struct {0}<T> where T : class {{ }}", Kind.STRUCT),
        ("interface {0} {{ }}", Kind.INTERFACE),
        ("record {0};", Kind.RECORD),
        ("record struct {0} {{ }}", Kind.RECORD_STRUCT),
        ("enum {0} {{ }}", Kind.ENUM),
        ("delegate void {0}();", Kind.DELEGATE),
    ],
    ids=lambda value: value if isinstance(value, Kind) else "",
)
def test_a_type_has_the_name_that_is_meant(source: str, kind: Kind, name: str) -> None:
    found = only(source.format(name))
    assert (found.kind, found.name) == (kind, "Abc")


MEMBERS = [
    ("int {0};", Kind.FIELD),
    ("const int {0} = 1;", Kind.CONSTANT),
    ("int {0} {{ get; set; }}", Kind.PROPERTY),
    ("int {0}() => 1;", Kind.METHOD),
    ("void {0}<T>(int a) {{ a = 1; }}", Kind.METHOD),
    ("event System.Action {0};", Kind.EVENT),
    ("class {0} {{ }}", Kind.CLASS),
]


@pytest.mark.parametrize("name", [r"\u0041bc", r"\U00000041bc", f"Ab{JOINER}c", r"@A\u0062c"])
@pytest.mark.parametrize(
    ("member", "kind"), MEMBERS, ids=lambda value: value if isinstance(value, Kind) else ""
)
def test_a_member_has_the_name_that_is_meant_beside_plain_ones(member: str, kind: Kind, name: str) -> None:
    source = f"class \\u0044 {{ int first; {member.format(name)} int Last() {{ return first; }} }}"
    found = read_file(source.encode()).declarations
    assert [each.name for each in found] == ["D", "first", "Abc", "Last"]
    assert found[2].kind is kind


def test_what_a_declaration_names_is_named_as_meant_too() -> None:
    source = (
        "using \\u0046oo = S\\u0079stem.Text;\n"
        "namespace N.\\u0041b { [Obs\\u006Flete] class A<\\u0054> : B\\u0061se<\\u0054> {\n"
        "  List<\\u0041> Make(\\u0041 p\\u0061ram) => null; void I\\u0046oo.Run() { } } }\n"
    )
    record = read_file(source.encode())
    assert [(using.alias, using.name) for using in record.scopes[0].usings] == [("Foo", "System.Text")]
    assert record.scopes[1].namespace == "N.Ab"
    type_, make, run = record.declarations
    assert (type_.type_parameters, type_.bases, type_.attributes) == (("T",), ("Base<T>",), ("Obsolete",))
    assert make.returns == "List<A>"
    assert make.parameters is not None
    assert [(each.type, each.name) for each in make.parameters] == [("A", "param")]
    assert (run.explicit, run.name) == ("IFoo", "Run")


def test_text_in_strings_stays_as_it_is_written() -> None:
    joined = f'"a{JOINER}b\\u0041"'
    found = read_file(f"class A {{ void B(string \\u0043 = {joined}) {{ }} }}".encode()).declarations[1]
    assert found.parameters is not None
    assert (found.parameters[0].name, found.parameters[0].default) == ("C", joined)


def test_places_are_those_of_the_text_as_written() -> None:
    source = b"class A\n{\n  int \\u0042() { return 1; }\n}\n"
    found = read_file(source).declarations[1]
    assert source[found.start : found.end] == b"int \\u0042() { return 1; }"
    assert (found.start_line, found.end_line) == (3, 3)


def test_an_escape_is_no_other_declaration() -> None:
    """Whoever writes the name plainly changes neither what others see nor what it does."""
    plain = read_file(b"public class A { public int B(C c) { return 1; } }")
    escaped = read_file(b"public class \\u0041 { public int \\u0042(\\u0043 c) { return 1; } }")
    for one, other in zip(plain.declarations, escaped.declarations, strict=True):
        assert (one.structure, one.impl) == (other.structure, other.impl)
    assert plain.signatures == escaped.signatures
