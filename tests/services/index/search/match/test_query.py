"""The query language."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from services.index.search.match.query import MAX_TERMS, Where, may_name_projects, parse


def shape(text):
    return [(term.text, term.where) for term in parse(text).terms]


def test_terms_and_filters_are_told_apart():
    query = parse("json KIND:Method ser ns:Foo.Bar in: access:public")
    assert [term.text for term in query.terms] == ["json", "ser"]
    assert query.filters == (("access", "public"), ("kind", "method"), ("ns", "foo.bar"))


def test_a_dot_parts_container_and_name():
    assert shape("Json.JsonConvert.Ser") == [("json.jsonconvert", Where.CONTAINER), ("ser", Where.NAME)]
    assert shape("JsonConvert.") == [("jsonconvert", Where.CONTAINER)]
    assert shape(".Ser") == [("ser", Where.NAME)]


def test_type_arguments_and_parameters_are_left_out():
    assert shape("List<int") == [("list", Where.ANY)]
    assert shape("Serialize(obj") == [("serialize", Where.ANY)]


def test_capitals_are_remembered():
    assert parse("JCSO").terms[0].humps
    assert not parse("J").terms[0].humps
    assert parse("JsonC").terms[0].capitals == (True, False, False, False, True)


@given(st.text())
def test_every_text_is_a_query(text):
    query = parse(text)
    assert len(query.terms) <= MAX_TERMS
    assert all(term.text and len(term.text) == len(term.capitals) for term in query.terms)


def test_filters_have_the_names_that_packs_and_people_give_them():
    assert parse("ser namespace:Foo Project:Core") == parse("ser ns:Foo in:Core")


@given(st.text(alphabet="iInNpProjectT: a", max_size=14))
def test_no_filter_of_projects_is_overlooked(text):
    if any(field == "in" for field, _ in parse(text).filters):
        assert may_name_projects(text)


def test_other_queries_name_no_projects():
    assert may_name_projects("a IN:core")
    assert may_name_projects("Project:core a")
    assert not may_name_projects("in kind:class ns:main access:public namespace:x")
