"""Names that nothing known declares: bound where one place alone can have them, and left open everywhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.workspace import edit, indexed, project


def type_of_at(
    folder: Path, source: str, packages: tuple[str, ...], root: str, references: str = ""
) -> str | None:
    listed = (
        "".join(f'<PackageReference Include="{name}" Version="1.0.0" />' for name in packages) + references
    )
    properties = f"<TargetFramework>net8.0</TargetFramework><RootNamespace>{root}</RootNamespace>"
    text = project(properties).replace("</Project>", f"<ItemGroup>{listed}</ItemGroup></Project>")
    with indexed(folder, {"A.csproj": text, "A.cs": source}) as bench:
        (field,) = (symbol for symbol in bench.symbols() if symbol.name == "At")
        return field.return_type_fqn


@pytest.mark.parametrize(
    ("source", "packages", "root", "expected"),
    [
        ("using Far; namespace Own; class Grid { Thing At; }", ("Far",), "Own", "Far.Thing"),
        ("using Far; namespace Own; class Grid { Thing<int, Grid[]> At; }", ("Far",), "Own",
         "Far.Thing<int, Own.Grid[]>"),
        ("using Far; namespace Own; class Grid { Thing<Other.Lost> At; }", ("Far",), "Own", None),
        ("using Far; using Near; namespace Own; class Grid { Thing At; }", ("Far", "Near"), "Own", None),
        # The namespace around the name may be a package's too.
        ("using Far.Text; namespace Far.Testing; class Grid { Thing At; }", ("Far.Common",), "Far.Testing", None),
        ("using Far; using Far.Text; namespace Own.Far; class Far { Thing At; }", ("Far.Common",), "Own", None),
        ("using Far.Text; namespace Far.Trace; class Grid { Thing At; }", ("Far",), "Own", None),
        ("namespace Far.Testing; class Grid { Thing At; }", ("Far.Common",), "Far.Testing", "Far.Thing"),
        # What is named like the project itself is its own.
        ("using Far; namespace Own.Parts; class Grid { Thing At; }", ("Far",), "Own", "Far.Thing"),
        # An alias is what it says, and nothing else of that name.
        ("using Far; using Thing = Near.Text.Other; namespace Own; class Grid { Thing At; }", ("Far",), "Own",
         "Near.Text.Other"),
        ("using Far; using Thing = global::Near.Other; class Grid { Thing[] At; }", ("Far",), "Own", "Near.Other[]"),
        ("using Far; namespace Own { using Thing = Near.Other; class Grid { Thing At; } }", ("Far",), "Own", None),
        ("using Far; using Thing = Near.Other<int>; class Grid { Thing At; }", ("Far",), "Own", None),
        # A package of which all is listed has no other types.
        ("using Dapper; using Far; namespace Own; class Grid { Thing At; }", ("Far", "Dapper"), "Own", None),
    ],
)  # fmt: skip
def test_a_name_that_nothing_known_declares(
    tmp_path: Path, source: str, packages: tuple[str, ...], root: str, expected: str | None
) -> None:
    assert type_of_at(tmp_path, source, packages, root) == expected


@pytest.mark.parametrize("attributes", ["", 'ReferenceOutputAssembly="false"'])
def test_a_project_that_is_not_there_may_declare_any_name(tmp_path: Path, attributes: str) -> None:
    source = "using Far; namespace Own; class Grid { Thing At; }"
    reference = f'<ProjectReference Include="../Gone/Gone.fsproj" {attributes} />'
    expected = "Far.Thing" if attributes else None
    assert type_of_at(tmp_path, source, ("Far",), "Own", reference) == expected


def test_a_package_of_which_all_is_listed_has_no_other_types(tmp_path: Path) -> None:
    text = project("<TargetFramework>net8.0</TargetFramework>").replace(
        "</Project>",
        '<ItemGroup><PackageReference Include="Dapper" Version="2.1.79" /></ItemGroup></Project>',
    )
    source = "using Dapper; using Far; namespace Own; class Grid { Thing At; }"
    with indexed(tmp_path, {"A.csproj": text, "A.cs": source}) as bench:
        (field,) = (symbol for symbol in bench.symbols() if symbol.name == "At")
        assert field.return_type_fqn == "Far.Thing"


def test_what_one_file_tells_of_another_does_not_hang_on_which_came_first(tmp_path: Path) -> None:
    packages = "".join(f'<PackageReference Include="{name}" Version="1.0.0" />' for name in ("Far", "Near"))
    files = {
        "A.csproj": project().replace("</Project>", f"<ItemGroup>{packages}</ItemGroup></Project>"),
        "B.cs": "using Far; using Near; namespace Own; class Grid { Thing At; }",
    }
    with indexed(tmp_path, files) as bench:
        edit(tmp_path, "A.cs", "using Far; namespace Own; class Cell { Thing Of; }")
        bench.refresh()
        found = {symbol.name: symbol.return_type_fqn for symbol in bench.symbols()}
    assert (found["Of"], found["At"]) == ("Far.Thing", "Far.Thing")
