"""What changes a hash and what does not (SPEC section 3), over generated types."""

from collections import defaultdict
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.index.symbols.placed import head_digest
from services.model import TYPE_KINDS, Quality
from services.syntax.parse.parsing import read_file
from services.syntax.records.declaration import Declaration
from services.syntax.records.hashing import base32, base32_of, combined, normalised


@dataclass(frozen=True)
class Part:
    """One member, in the pieces that hashes tell apart."""

    doc: str
    attribute: str
    access: str
    head: str
    body: str

    def text(self, gap: str = " ", note: str = "") -> str:
        """The member laid out with `gap` between tokens, and with a comment."""
        words = [self.attribute, self.access, self.head, note, self.body]
        return f"\n/// <summary>{self.doc}</summary>\n" + gap.join(filter(None, words))


Hashes = tuple[bytes, bytes, bytes]


def hashes(
    members: list[Part], *, head: str = "public class A : B", gap: str = " ", note: str = ""
) -> Hashes:
    """structure, impl and doc of the type with these members."""
    return of(f"{head} {{{gap.join(part.text(gap, note) for part in members)}\n}}")


def of(source: str) -> Hashes:
    """structure, impl and doc of everything that a source declares."""
    record = read_file(source.encode())
    assert record.quality is Quality.EXACT, source
    declared: tuple[Declaration, ...] = record.declarations
    heads: dict[str, list[Declaration]] = defaultdict(list)
    for each in declared:
        if each.kind in TYPE_KINDS:
            heads[each.name].append(each)
    return (
        combined(
            [*map(head_digest, heads.values()), *(each.structure for each in declared if each.structure)]
        ),
        combined(each.impl for each in declared if each.impl),
        combined(each.docs for each in declared if each.docs),
    )


_HEADS = [
    *(("int M{}(int a)", "{ return a - -1; }"), ("string M{}(string s = null)", '=> "a  b" + s;')),
    *(("int P{}", "{ get { return 1; } private set { x = value; } }"), ("int Q{}", "{ get; } = 3;")),
    *(("List<int> f{}", "= new() { 1, 2 };"), ("const string C{}", '= "x y";'), ("event Action E{}", ";")),
    *(
        ("T G{}<T>(T t) where T : class", "{ /* note */ yield return t; }"),
        ("class N{}", "{ int y = 4; int z; }"),
    ),
]


@st.composite
def types(draw: st.DrawFn) -> list[Part]:
    """A few members with different names."""
    chosen = draw(st.lists(st.sampled_from(_HEADS), min_size=1, max_size=6))
    return [
        Part(
            draw(st.sampled_from(["One.", "Two words.", "Three & more."])).replace("&", "&amp;"),
            draw(st.sampled_from(["", "[X]", '[Y("a  b")]'])),
            draw(st.sampled_from(["public", "internal", "protected", "private"])),
            head.format(at),
            body,
        )
        for at, (head, body) in enumerate(chosen)
    ]


gaps = st.sampled_from([" ", "  ", "\n", "\r\n\t", "\n\n    "])


@given(types(), gaps, st.sampled_from(["", "/* why */", "// why\n"]), st.randoms())
def test_layout_comments_and_order_change_nothing(members: list[Part], gap: str, note: str, random) -> None:
    shuffled = members.copy()
    random.shuffle(shuffled)
    assert hashes(shuffled, gap=gap, note=note) == hashes(members)


@given(types(), st.data())
def test_a_body_changes_impl_alone(members: list[Part], data: st.DataObject) -> None:
    bodied = [part for part in members if part.body != ";" and "class N" not in part.head]
    if not bodied:
        return
    part = data.draw(st.sampled_from(bodied))
    body = part.body.replace("1", "7").replace('"', '"!').replace("3", "5").replace("yield", "goto")
    before, after = hashes(members), hashes(swapped(members, part, replace(part, body=body)))
    assert (before[0], before[2]) == (after[0], after[2])
    assert before[1] != after[1]


@given(types(), st.data())
def test_a_doc_comment_changes_docs_alone(members: list[Part], data: st.DataObject) -> None:
    part = data.draw(st.sampled_from(members))
    before, after = hashes(members), hashes(swapped(members, part, replace(part, doc="Another.")))
    assert before[:2] == after[:2]
    assert before[2] != after[2]


@given(types(), st.data())
def test_what_callers_see_changes_structure(members: list[Part], data: st.DataObject) -> None:
    seen = [part for part in members if part.access != "private"]
    if not seen:
        return
    part = data.draw(st.sampled_from(seen))
    changed = data.draw(
        st.sampled_from(
            [
                replace(part, attribute="[Z]"),
                replace(part, access="protected internal"),
                replace(part, head=part.head.replace("int ", "long ").replace("string ", "object ").replace(
                    "class N", "struct N").replace("List<int>", "int").replace("Action", "F").replace("T G", "int G")),
            ]
        )
    )  # fmt: skip
    assert hashes(members)[0] != hashes(swapped(members, part, changed))[0]


@given(types())
def test_bases_and_the_type_s_own_access_change_structure(members: list[Part]) -> None:
    usual = hashes(members)[0]
    assert usual != hashes(members, head="public class A : B, I")[0]
    assert usual != hashes(members, head="internal class A : B")[0]
    assert usual != hashes(members, head="[X] public class A : B")[0]
    assert usual != hashes(members, head="public sealed class A : B")[0]
    assert usual == hashes(members, head="public   class A\n:B")[0]


@given(types(), st.randoms(), st.sampled_from(["", "public "]))
def test_the_number_of_parts_changes_nothing(members: list[Part], random, access: str) -> None:
    places = [random.randrange(3) for _ in members]
    heads = ["public partial class A : B", f"{access}partial class A", f"{access}partial class A : B"]
    parts = (
        f"{head} {{ {' '.join(m.text() for m, place in zip(members, places, strict=True) if place == at)}\n}}"
        for at, head in enumerate(heads)
    )
    assert of("\n".join(parts)) == hashes(members)


@given(types(), st.data())
def test_a_default_changes_impl_alone(members: list[Part], data: st.DataObject) -> None:
    with_default = [part for part in members if "= null" in part.head and part.access != "private"]
    if not with_default:
        return
    part = data.draw(st.sampled_from(with_default))
    changed = replace(
        part, head=part.head.replace("null", data.draw(st.sampled_from(['"a"', '"a b"', "default"])))
    )
    before, after = hashes(members), hashes(swapped(members, part, changed))
    assert (before[0], before[2]) == (after[0], after[2])
    assert before[1] != after[1]


@given(types(), st.data())
def test_a_private_member_that_comes_or_changes_is_impl_alone(
    members: list[Part], data: st.DataObject
) -> None:
    head, body = data.draw(st.sampled_from([each for each in _HEADS if "class N" not in each[0]]))
    added = Part("One.", "", "private", head.format("New"), body)
    changed = replace(
        added, attribute="[Z]", head=added.head.replace("int", "long").replace("string", "object")
    )
    usual, one, other = hashes(members), hashes([*members, added]), hashes([*members, changed])
    assert usual[0] == one[0] == other[0]
    assert len({usual[1], one[1], other[1]}) == 3


def test_declarators_that_share_a_declaration_count_each_for_itself() -> None:
    usual = of("class A { private int a = 1, b = 2; public int c, d; }")
    assert usual == of("class A {\n public int d,\n c; private int b = 2, /* why */ a = 1; }")
    assert usual[1] != of("class A { private int a = 1, b = 3; public int c, d; }")[1]
    assert usual[1] != of("class A { private long a = 1, b = 2; public int c, d; }")[1]
    assert usual[0] != of("class A { private int a = 1, b = 2; public long c, d; }")[0]


def swapped(members: list[Part], old: Part, new: Part) -> list[Part]:
    return [new if part is old else part for part in members]


def test_a_private_member_is_impl_alone() -> None:
    before, after = of("class A { private int x; }"), of("class A { private long x; }")
    assert before[0] == after[0]
    assert before[1] != after[1]


def test_the_order_in_a_private_nested_type_does_not_count() -> None:
    first, second = "int y = 4;", "int M() { return 1; }"
    assert of(f"class A {{ class N {{ {first} {second} }} }}") == of(
        f"class A {{ class N {{ {second} {first} }} }}"
    )


def test_renaming_a_parameter_changes_no_structure() -> None:
    assert of("class A { public void M(int a) { } }")[0] == of("class A { public void M(int b) { } }")[0]


def test_a_default_is_impl_however_long() -> None:
    long = "x" * 60
    before = of(f'class A {{ public void M(string s = "{long}a") {{ }} }}')
    after = of(f'class A {{ public void M(string s = "{long}b") {{ }} }}')
    assert before[0] == after[0]
    assert before[1] != after[1]


def test_a_constant_too_long_to_show_still_counts() -> None:
    long = "x" * 80
    assert of(f'class A {{ public const string S = "{long}a"; }}') != of(
        f'class A {{ public const string S = "{long}b"; }}'
    )


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("a - -b", "a--b", False),
        ("a + +b", "a++b", False),
        ("a & &b", "a&&b", False),
        ("a-b", "a - b", True),
        ("return x", "returnx", False),
        ("f( a , b )", "f(a,b)", True),
        ("a  +\n b", "a+b", True),
        ("x is not  y", "x is not y", True),
        ("é a", "éa", False),
    ],
)
def test_blanks_count_where_they_part_tokens(one: str, other: str, same: bool) -> None:
    assert (normalised(one.encode()) == normalised(other.encode())) is same


@pytest.mark.parametrize("body", ['"a b"', '"a  b"', '@"a\nb"', '$"a {x} b"', "'a'", '"""a b"""'])
def test_text_in_strings_counts_to_the_blank(body: str) -> None:
    other = body.replace(" ", "   ").replace("\n", " ").replace("'a'", "' '")
    assert (
        of(f"class A {{ public object M() => {body}; }}")[1]
        != of(f"class A {{ public object M() => {other}; }}")[1]
    )


def test_base32_is_crockford_s_most_significant_bits_first() -> None:
    assert base32(b"\xff\x00\x00\x00\x01", 8) == "ZW000001"
    assert base32(bytes(range(8)), 8) == "000G40R4"


@given(st.binary(min_size=4, max_size=32))
def test_a_number_of_the_first_bits_has_the_same_characters(digest: bytes) -> None:
    assert base32_of(int.from_bytes(digest[:4], "big") >> 2) == base32(digest, 6)
