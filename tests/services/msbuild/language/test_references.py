"""The syntax of `$(…)`, taken apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.msbuild.language.expansion import BrokenReference, PropertyReference, closing, parse

NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_-]{0,8}", fullmatch=True)
PLAIN = st.text("ab ;%@()'.[]", max_size=10).filter(lambda text: "(" not in text and ")" not in text)


def only(text: str) -> PropertyReference:
    (found,) = parse(text)
    assert isinstance(found, PropertyReference)
    return found


@given(st.lists(st.tuples(PLAIN, NAMES), max_size=4), PLAIN)
def test_names_between_texts_come_apart_in_their_order(pairs: list[tuple[str, str]], end: str) -> None:
    text = "".join(f"{plain}$({name})" for plain, name in pairs) + end
    found = [each.name if isinstance(each, PropertyReference) else each for each in parse(text)]
    wanted = [part for plain, name in pairs for part in (plain, name.casefold())] + [end]
    assert found == [part for part in wanted if part]


@given(NAMES, NAMES, st.lists(st.text("ab c", max_size=4), max_size=3))
def test_a_method_has_its_arguments_unquoted(name: str, method: str, arguments: list[str]) -> None:
    quoted = ", ".join(f"'{each}'" for each in arguments)
    (link,) = only(f"$( {name}.{method}({quoted}) )").links
    assert link.name == method
    assert link.arguments == tuple((each,) if each else () for each in arguments)


@pytest.mark.parametrize(
    ("text", "type_", "name", "arguments", "links"),
    [
        ("$([MSBuild]::Add(1, 2))", "MSBuild", "Add", (("1",), ("2",)), []),
        ("$([System.DateTime]::Now)", "System.DateTime", "Now", None, []),
        ("$([A]::B().C)", "A", "B", (), ["C"]),
        ("$(A.B.C('x').D[0])", "", "a", None, ["B", "C", "D", ""]),
        ("$(A[1][2])", "", "a", None, ["", ""]),
        ("$([A]::B('a,b', `c)`, \"d'\"))", "A", "B", (("a,b",), ("c)",), ("d'",)), []),
        ("$([A]::B([x, y], (1, 2)))", "A", "B", (("[x, y]",), ("(1, 2)",)), []),
    ],
    ids=lambda value: value if isinstance(value, str) and value.startswith("$") else "",
)
def test_functions_members_and_indices(
    text: str, type_: str, name: str, arguments: object, links: list[str]
) -> None:
    found = only(text)
    assert (found.type, found.name, found.arguments) == (type_, name, arguments)
    assert [link.name for link in found.links] == links
    assert found.text == text


def test_an_argument_may_be_an_expression() -> None:
    found = only("$([A]::B('x$(C.D('y'))z'))")
    assert found.arguments is not None
    before, inner, after = found.arguments[0]
    assert (before, after) == ("x", "z")
    assert isinstance(inner, PropertyReference)
    assert (inner.name, [link.name for link in inner.links]) == ("c", ["D"])


@pytest.mark.parametrize(
    "text", ["$()", "$(1)", "$(A B)", "$(A.)", "$(A[0)", "$([A])", "$([A]:B)", "$([A]::)", "$(A.B(C)"]
)
def test_what_makes_no_sense_is_quoted_as_it_stands(text: str) -> None:
    found = parse(f"a{text}b" if text.count("(") == text.count(")") else text)
    broken = [each for each in found if isinstance(each, BrokenReference)]
    assert [each.text for each in broken] == [text] or found == (text,)


def test_nesting_without_end_is_broken_and_not_followed() -> None:
    text = "$(A.B('" * 200 + "'))" * 200
    found = parse(text)
    assert len(found) <= 200
    assert parse("$(" * 1_000) == ("$(" * 1_000,)


@given(st.text("()'\"`ab", max_size=20))
def test_a_bracket_closes_where_as_many_close_as_open(text: str) -> None:
    at = closing(text, 0)
    if at < 0:
        return
    inside = text[:at]
    assert text[at] == ")"
    if not set(inside) & set("'\"`"):
        assert inside.count("(") == inside.count(")")


@pytest.mark.parametrize(
    ("text", "at"), [(")", 0), ("a(b)c)", 5), ("')')", 3), ("'a)", 2), ("(", -1), ("", -1), ("`'`)x)", 3)]
)
def test_where_a_bracket_closes(text: str, at: int) -> None:
    assert closing(text, 0) == at
