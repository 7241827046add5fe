"""Items in the order in which they stand, against a plain statement of what each element does."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.msbuild import Package
from tests.services.msbuild.memory import only, sdk, sources, workspace

TREE = ("A/One.cs", "A/Two.cs", "A/Sub/Three.cs", "A/Sub/Deep/Four.cs", "Shared/Five.cs")
SPECS = {
    "*.cs": "A/*.cs",
    "Sub\\*.cs": "A/Sub/*.cs",
    "**/*.cs": "A/**.cs",
    "Sub/**": "A/Sub/**",
    "../Shared/**/*.CS": "Shared/**.cs",
    "one.cs": "A/One.cs",
    "./Sub/../Two.cs": "A/Two.cs",
    "T*.cs": "A/T*.cs",
    "Gone.cs": "A/Gone.cs",
}
"""What a specification means from the project `A/A.csproj`, as a pattern: `*` stays in a folder, `**` does not."""


def meant(spec: str) -> set[str]:
    pattern = SPECS[spec]
    flat = "**" not in pattern
    return {
        path
        for path in TREE
        if fnmatchcase(path, pattern.replace("**", "*"))
        and (not flat or path.count("/") == pattern.count("/"))
    }


OPERATIONS = st.tuples(
    st.sampled_from(["Include", "Remove"]),
    st.lists(st.sampled_from(sorted(SPECS)), min_size=1, max_size=3),
    st.lists(st.sampled_from(sorted(SPECS)), max_size=2),
)


@given(st.lists(OPERATIONS, max_size=6))
def test_sources_are_those_included_and_not_excluded_until_they_are_removed(
    operations: list[tuple[str, list[str], list[str]]],
) -> None:
    xml, wanted = "", set[str]()
    for way, specs, excluded in operations:
        named = set[str]().union(*map(meant, specs))
        if way == "Remove":
            wanted -= named
            xml += f'<Compile Remove="{";".join(specs)}" />'
        else:
            wanted |= named - set[str]().union(*map(meant, excluded))
            xml += f'<Compile Include="{"; ".join(specs)}" Exclude="{";".join(excluded)}" />'
    body = "<PropertyGroup><EnableDefaultItems>false</EnableDefaultItems></PropertyGroup>"
    project = only({"A/A.csproj": sdk(f"{body}<ItemGroup>{xml}</ItemGroup>"), **sources(*TREE)})
    assert set(project.files) == wanted
    assert project.unknown == 0


def packages(xml: str) -> dict[str, str]:
    """The versions of the packages that items leave."""
    project = only({"A/A.csproj": sdk(f"<ItemGroup>{xml}</ItemGroup>"), **sources("A/One.cs")})
    return {each.name: each.version for each in project.packages}


THREE = """<PackageReference Include="A.Core;A.Web" Version="1" /><PackageReference Include="B"><Version>2</Version>
</PackageReference>"""


@pytest.mark.parametrize(
    ("xml", "left"),
    [
        ("", {"A.Core": "1", "A.Web": "1", "B": "2"}),
        ('<PackageReference Remove="a.core;Unknown" />', {"A.Web": "1", "B": "2"}),
        ('<PackageReference Remove="A.*" />', {"B": "2"}),
        ('<PackageReference Remove="@(PackageReference)" />', {}),
        ('<PackageReference Update="b" Version="3" />', {"A.Core": "1", "A.Web": "1", "B": "3"}),
        ('<PackageReference Update="A.*" Version="3" />', {"A.Core": "3", "A.Web": "3", "B": "2"}),
        (
            '<PackageReference Update="*" Version="%(Version).%(Identity)" />',
            {"A.Core": "1.A.Core", "A.Web": "1.A.Web", "B": "2.B"},
        ),
        (
            """<PackageReference Update="*"><Version Condition="'%(Version)' == '1'">9</Version></PackageReference>""",
            {"A.Core": "9", "A.Web": "9", "B": "2"},
        ),
        ('<PackageReference Include="C" Exclude="c" Version="1" />', {"A.Core": "1", "A.Web": "1", "B": "2"}),
        ('<PackageReference Remove="*" /><Mine Include="C" /><PackageReference Include="@(Mine)" />', {"C": ""}),
    ],
)  # fmt: skip
def test_items_of_other_kinds_are_removed_and_updated_by_name_and_pattern(
    xml: str, left: dict[str, str]
) -> None:
    assert packages(THREE + xml) == left


def test_metadata_that_an_element_gives_sees_what_came_before_it() -> None:
    xml = """<PackageReference Include="A" Version="1" />
      <PackageReference Update="A"><VersionOverride>%(Version).0</VersionOverride></PackageReference>"""
    assert packages(xml) == {"A": "1.0"}


@pytest.mark.parametrize(
    ("metadata", "package"),
    [
        ("", Package(name="A", version="1")),
        ('PrivateAssets="All"', Package(name="A", version="1", flows=False)),
        ('PrivateAssets="analyzers; Build"', Package(name="A", version="1")),
        ('IncludeAssets="runtime; compile"', Package(name="A", version="1")),
        ('IncludeAssets="runtime"', None),
        ('ExcludeAssets="COMPILE"', None),
        ('IncludeAssets="none"', None),
    ],
)
def test_a_package_counts_where_the_compiler_is_given_its_assemblies(
    metadata: str, package: Package | None
) -> None:
    xml = f'<ItemGroup><PackageReference Include="A" Version="1" {metadata} /></ItemGroup>'
    project = only({"A/A.csproj": sdk(xml), **sources("A/One.cs")})
    assert project.packages == ((package,) if package else ())


def test_a_reference_by_pattern_is_one_to_each_project_that_it_means() -> None:
    body = '<ItemGroup><ProjectReference Include="../L*/*.csproj" Exclude="..\\Lib2\\*.csproj" /></ItemGroup>'
    libraries = {f"{name}/{name}.csproj": sdk() for name in ("Lib1", "Lib2", "Lib3", "Other")}
    found = workspace({"A/A.csproj": sdk(body), **libraries, **sources("A/One.cs")}).projects
    own = next(each for each in found if each.path == "A/A.csproj")
    assert own.references == ("Lib1/Lib1.csproj", "Lib3/Lib3.csproj")
