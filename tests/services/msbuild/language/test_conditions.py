"""Conditions answer yes, no, or that they were not understood; then they count as no and are counted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.msbuild.language.paths import FileTable
from tests.services.msbuild.memory import only, properties, sdk, sources

PROPERTIES = "<X>Value</X><Empty></Empty><V>2.10</V><True>TRUE</True><Path>a/b/</Path>"


def holds(condition: str) -> bool | None:
    escaped = condition.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    project = properties(f'{PROPERTIES}<DefineConstants Condition="{escaped}">HELD</DefineConstants>')
    return None if project.unknown else "HELD" in project.defines


@pytest.mark.parametrize(
    "condition",
    [
        "'$(X)' == 'value'",
        "'$(X)'=='VALUE'",
        "$(X) == Value",
        "'$(Empty)' == ''",
        "'$(NeverSet)' == ''",
        "'$(X)' != 'other'",
        "'$(True)' == 'true'",
        "'$(True)' == 'on'",
        "$(True)",
        "!('$(X)' == 'other')",
        "'1.0' == '1'",
        "'0x10' == '16'",
        "2 > 1 and 2 >= 2 and 1 < 2 and 1 <= 1",
        "'2.10.0' > '2.9.1'",
        "'$(X)' == 'a' or '$(X)' == 'b' or '$(X)' == 'value'",
        "'$(X)' == 'value' AND ('$(Empty)' == 'x' OR '$(V)' == '2.10')",
        "'a' == 'b' and 'a' == 'a' or 'a' == 'a'",
        "HasTrailingSlash('$(Path)')",
        "Exists('One.cs') and Exists('../A') and Exists('$(MSBuildProjectFullPath)')",
        "!Exists('Two.cs')",
        "$(X.StartsWith('Val')) and !$(X.Contains('z'))",
        "'$([MSBuild]::GetTargetFrameworkIdentifier('$(TargetFramework)'))' == '.NETCoreApp'",
        "$([MSBuild]::IsTargetFrameworkCompatible('$(TargetFramework)', 'net6.0'))",
        "!$([MSBuild]::IsTargetFrameworkCompatible('$(Unset)', 'net6.0'))",
        "'$(X.Replace('V', \"v\"))' == 'value'",
        " \n '$(X)'\t== 'Value' ",
        "'(a) and b' == '(A) AND B'",
        "'%41' == 'a'",
    ],
)
def test_it_holds(condition):
    assert holds(condition) is True


@pytest.mark.parametrize(
    "condition",
    [
        "'$(X)' == ''",
        "'$(X)' != 'VALUE'",
        "false",
        "!true",
        "'$(Empty)' == 'a' or '$(X)' == 'b'",
        "Exists('')",
        "Exists('../../../etc/passwd')",
        "Exists('/etc/passwd')",
        "HasTrailingSlash('a')",
        "'a' == 'a' and ('a' == 'b')",
        "'2.9.0' > '2.10.0'",
    ],
)
def test_it_does_not_hold(condition):
    assert holds(condition) is False


@pytest.mark.parametrize(
    "condition",
    [
        "'$(X)' == ",
        "== 'a'",
        "('$(X)' == 'Value'",
        "'unfinished",
        "$(Empty)",
        "'abc'",
        "'a' > 'b'",
        "Unheard('x')",
        "'$([System.Guid]::NewGuid())' == ''",
        "'$(X.Unheard())' == ''",
        "'@(Nothing)' == ''",
        "'a' = 'b'",
        "(" * 500 + "true" + ")" * 500,
        "$(" * 500,
    ],
)
def test_what_is_not_understood_is_false_and_counted(condition):
    assert holds(condition) is None
    assert holds(f"'a' == 'a' and {condition}") is None


def test_what_is_not_understood_does_not_matter_where_the_rest_decides():
    assert holds("'a' == 'b' and '$([System.Guid]::NewGuid())' == ''") is False
    assert holds("'a' == 'a' or '$([System.Guid]::NewGuid())' == ''") is True


def test_an_unknown_value_is_counted_where_it_is_used_not_where_it_is_made():
    unused = properties("<Copyright>$([System.DateTime]::Now.Year)</Copyright>")
    assert unused.unknown == 0
    made = "<Made>$([System.DateTime]::Now.Year)</Made><Passed>v$(Made)</Passed>"
    used = properties(f"""{made}<LangVersion Condition="'$(Passed)' == 'v1'">9</LangVersion>""")
    assert used.unknown == 1
    assert used.lang_version is None
    named = properties(f"{made}<AssemblyName>$(Passed)</AssemblyName>")
    assert (named.name, named.unknown > 0) == ("A", True)


@given(st.text(alphabet="'\"()!=<>andor $@%x.,;|[]:`", max_size=40))
def test_no_text_breaks_a_condition(text):
    project = properties(f'<DefineConstants Condition="{_attribute(text)}">HELD</DefineConstants>')
    assert project.files == ("A/One.cs",)


@given(st.text(alphabet="$()[]'\".,:ab 0-", max_size=40))
def test_no_text_breaks_an_expression(text):
    project = properties(f"<DefineConstants>{_attribute(text)}</DefineConstants>")
    assert project.files == ("A/One.cs",)


def test_items_in_a_condition_are_those_so_far():
    body = """<ItemGroup><Extra Include="x" /></ItemGroup>
      <ItemGroup Condition="'@(Extra)' == 'x'"><Using Include="First" /></ItemGroup>
      <ItemGroup><Using Include="Second" Condition="'@(Extra)' == ''" /></ItemGroup>"""
    project = only({"A/A.csproj": sdk(body), **sources("A/One.cs")})
    assert [using.name for using in project.usings] == ["First"]
    assert project.unknown == 0


def test_a_table_knows_the_folders_above_its_files():
    table = FileTable(["src/a/b/x.cs"])
    assert table.is_folder("SRC/A")
    assert not table.is_folder("src/a/b/x.cs")


def _attribute(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
