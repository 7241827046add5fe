"""Values of `$(…)` and item transforms, at the functions that make them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.msbuild.language.environment import VirtualFiles
from services.msbuild.language.expansion import (
    ITEMS,
    ExpressionScope,
    Listed,
    chosen,
    expand,
    specs_of,
    this_file,
)
from services.msbuild.language.paths import VirtualRoot
from services.msbuild.language.properties import MAX_LENGTH, ExpandedText, Properties
from tests.services.msbuild.memory import Memory

FILES = Memory({"src/A/One.cs": "", "src/B/Two.cs": ""})


def scope(**values: str) -> ExpressionScope:
    environment = VirtualFiles(FILES, VirtualRoot("Work"), "linux")
    return ExpressionScope(
        Properties(values), environment, "/Work/src/A/A.csproj", this_file("/Work/Common.props")
    )


def shown(text: str, **values: str) -> str:
    found = expand(text, scope(**values))
    assert found.doubt is None
    return found.value


@given(st.text(max_size=60).filter(lambda text: "$(" not in text))
def test_a_text_without_references_is_itself(text: str) -> None:
    assert expand(text, scope()) == ExpandedText(text)


@given(st.lists(st.sampled_from(["$(A)", "$(a)", "$(Unset)", "-", "(", "$", "%3B", "é"]), max_size=8))
def test_each_reference_gives_way_to_its_value_and_all_else_stays(parts: list[str]) -> None:
    values = {"$(A)": "x;y", "$(a)": "x;y", "$(Unset)": ""}
    assert shown("|".join(parts), A="x;y") == "|".join(values.get(each, each) for each in parts)


def test_what_depends_on_the_file_is_of_the_file_and_the_rest_of_the_project() -> None:
    assert shown("$(MSBuildThisFileName)$(MSBuildThisFileExtension)") == "Common.props"
    assert shown("$(MSBuildThisFileDirectory)|$(MSBuildThisFileDirectoryNoRoot)") == "/Work/|Work/"
    assert shown("$([System.IO.Path]::GetFullPath('One.cs'))") == "/Work/src/A/One.cs"


@pytest.mark.parametrize(
    "text",
    [
        "$(Name.)",
        "$([System.Guid]::NewGuid())",
        "$(Name.Substring(99))",
        "$(Name.Substring(1, 5))",
        "$(Name.Substring(-1))",
        "$(Name.Remove(6))",
        "$(Name.Remove(4, 2))",
        "$(Name.Insert(6, 'x'))",
        "$(Name[99])",
        "$([MSBuild]::Divide(1, 0))",
        "$(Name.Replace('%(Identity)', ''))",
        "$(Name.Substring('@(Compile)'))",
    ],
)
def test_what_cannot_be_had_is_empty_and_says_so(text: str) -> None:
    found = expand(f"a{text}b", scope(Name="value"))
    assert found.value == "ab"
    assert found.doubt


@given(st.text("abc", max_size=6), st.integers(0, 6), st.integers(0, 6))
def test_parts_of_a_text_are_those_within_it(value: str, start: int, length: int) -> None:
    own = scope(X=value)
    answers = [
        expand(f"$(X.Substring({start}, {length}))", own),
        expand(f"$(X.Remove({start}, {length}))", own),
        expand(f"$(X.Insert({start}, '-'))", own),
    ]
    assert [bool(each.doubt) for each in answers[:2]] == [start + length > len(value)] * 2
    assert bool(answers[2].doubt) is (start > len(value))
    if not answers[0].doubt:
        assert answers[0].value == value[start : start + length]
        assert answers[1].value == value[:start] + value[start + length :]
        assert answers[2].value == f"{value[:start]}-{value[start:]}"


def test_a_doubt_goes_on_to_what_is_made_of_it() -> None:
    own = scope()
    own.properties.put("Made", expand("$([System.Guid]::NewGuid())", own))
    assert expand("[$(Made)]", own) == ExpandedText("[]", own.properties.text("Made").doubt)
    assert expand("$(Made.Length)", own).doubt


def test_a_value_that_grows_past_the_longest_is_a_doubt() -> None:
    half = "x" * (MAX_LENGTH // 2)
    assert len(shown("$(A)$(A)", A=half)) == 2 * len(half)
    found = expand("$(A)$(A)$(A)", scope(A=half))
    assert (found.value, bool(found.doubt)) == ("", True)


def test_a_project_s_room_is_spent_by_all_its_values() -> None:
    own = scope(A="x" * MAX_LENGTH)
    answers = [expand("$(A)", own).doubt for _ in range(40)]
    assert answers[0] is None
    assert answers[-1]
    assert own.properties.exhausted


def items(*specs: str, **metadata: str) -> Listed:
    return [(spec, dict(metadata)) for spec in specs]


@pytest.mark.parametrize(
    ("template", "spec", "made"),
    [
        ("%(Identity)", "a/b.tar.gz", "a/b.tar.gz"),
        ("%(Filename)|%(Extension)", "a/b.tar.gz", "b.tar|.gz"),
        ("%(filename)%(EXTENSION)", "b", "b"),
        ("%(RelativeDir)x", "a\\b\\c.cs", "a/b/x"),
        ("%(RelativeDir)x", "c.cs", "x"),
        ("%(Mine)-%(Compile.Mine)-%(None)", "c.cs", "own-own-"),
        ("%(Filename.cs)", "c.cs", ""),
        ("100%", "c.cs", "100%"),
    ],
)
def test_a_transform_fills_in_the_metadata_of_each_item(template: str, spec: str, made: str) -> None:
    assert specs_of(items(spec, mine="own"), template) == [made]


@given(st.lists(st.sampled_from(["a.cs", "A.cs", "b.cs", "B.CS", "c.cs"]), max_size=8))
def test_distinct_keeps_the_first_of_each_name_in_its_place(specs: list[str]) -> None:
    firsts = {spec.casefold(): spec for spec in reversed(specs)}
    order = list(dict.fromkeys(spec.casefold() for spec in specs))
    assert specs_of(chosen(items(*specs), "Distinct", "", bool), None) == [firsts[name] for name in order]


@given(st.lists(st.sampled_from([("a", "1"), ("b", "1"), ("c", "2"), ("d", "")]), max_size=8))
def test_with_and_without_a_value_of_metadata_part_the_items(pairs: list[tuple[str, str]]) -> None:
    listed = [(spec, {"take": value}) for spec, value in pairs]
    taken = chosen(listed, "WithMetadataValue", "'Take', '1'", bool)
    left = chosen(listed, "WithoutMetadataValue", "'Take', '1'", bool)
    assert [spec for spec, _ in taken] == [spec for spec, value in pairs if value == "1"]
    assert [spec for spec, _ in left] == [spec for spec, value in pairs if value != "1"]
    assert chosen(listed, "HasMetadata", "'TAKE'", bool) == [each for each in listed if each[1]["take"]]
    assert specs_of(chosen(listed, "count", "", bool), None) == [str(len(pairs))]


def test_exists_asks_for_each_item() -> None:
    assert chosen(items("a", "b", "a"), "Exists", "", lambda spec: spec == "a") == items("a", "a")


@pytest.mark.parametrize(
    ("text", "kind", "rest"),
    [
        ("@(Compile)", "Compile", {}),
        ("@( My-Items )", "My-Items", {}),
        ("@(A->'%(Filename).cs')", "A", {"template": "%(Filename).cs"}),
        ("@(A -> 'x', ' ')", "A", {"template": "x", "separator": " "}),
        ("@(A, '')", "A", {"separator": ""}),
        (
            "@(A->withMetadataValue('b', 'c'))",
            "A",
            {"function": "withMetadataValue", "arguments": "'b', 'c'"},
        ),
    ],
)
def test_a_reference_to_items_names_its_parts(text: str, kind: str, rest: dict[str, str]) -> None:
    found = ITEMS.fullmatch(text)
    assert found is not None
    assert {name: part for name, part in found.groupdict().items() if part is not None} == {
        "kind": kind
    } | rest


@pytest.mark.parametrize("text", ["@()", "@(1)", "@(A->Reverse())", "@(A->'x'->'y')", "@(A", "@(A B)"])
def test_other_references_are_not_understood(text: str) -> None:
    assert ITEMS.fullmatch(text) is None
