"""Names that nothing known declares: bound where one place alone can have them, and left open everywhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.bench.bench import Bench
from tests.support.workspace import edit, indexed, opened, project


def type_of_at(
    folder: Path, source: str, packages: tuple[str, ...], root: str, references: str = ""
) -> str | None:
    listed = (
        "".join(f'<PackageReference Include="{name}" Version="1.0.0" />' for name in packages) + references
    )
    properties = f"<TargetFramework>net8.0</TargetFramework><RootNamespace>{root}</RootNamespace>"
    text = project(properties).replace("</Project>", f"<ItemGroup>{listed}</ItemGroup></Project>")
    with indexed(folder, {"A.csproj": text, "A.cs": source}) as bench:
        (field,) = (symbol for symbol in bench.index.symbols() if symbol.name == "At")
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
        # What cannot be bound beside a class is an interface, which brings no nested types.
        ("using Far; class Grid : Base, Lost.I { Thing At; } class Base { }", ("Far",), "Own", "Far.Thing"),
        ("using Far; class Grid : Lost.Base { Thing At; } class Base { }", ("Far",), "Own", None),
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
        (field,) = (symbol for symbol in bench.index.symbols() if symbol.name == "At")
        assert field.return_type_fqn == "Far.Thing"


def packaged(**files: str) -> dict[str, str]:
    """A project with packages of which nothing is listed, and files of it by name."""
    listed = "".join(f'<PackageReference Include="{name}" Version="1.0.0" />' for name in ("Far", "Near"))
    properties = "<TargetFramework>net8.0</TargetFramework><RootNamespace>Own</RootNamespace>"
    text = project(properties).replace("</Project>", f"<ItemGroup>{listed}</ItemGroup></Project>")
    return {"A.csproj": text} | {f"{name}.cs": source for name, source in files.items()}


TELLING = "using Far; namespace Own; class Cell { Thing Of; }"
ASKING = "using Far; using Near; namespace Own; class Grid { Thing At; }"


def types(bench: Bench) -> dict[str, str | None]:
    return {symbol.name: symbol.return_type_fqn for symbol in bench.index.symbols() if not symbol.is_type}


@pytest.mark.parametrize("telling", ["A", "C"])
def test_what_one_file_tells_of_another_does_not_hang_on_which_came_first(
    tmp_path: Path, telling: str
) -> None:
    with indexed(tmp_path, packaged(B=ASKING)) as bench:
        assert types(bench)["At"] is None
        edit(tmp_path, f"{telling}.cs", TELLING)
        bench.index.refresh()
        assert (types(bench)["Of"], types(bench)["At"]) == ("Far.Thing", "Far.Thing")


def test_what_a_file_told_goes_with_it(tmp_path: Path) -> None:
    with indexed(tmp_path, packaged(A=TELLING, B=ASKING)) as bench:
        assert types(bench)["At"] == "Far.Thing"
        edit(tmp_path, "A.cs", "using Near; namespace Own; class Cell { Thing Of; }")
        bench.index.refresh()
        assert types(bench)["At"] == "Near.Thing"
        (tmp_path / "A.cs").unlink()
        bench.index.refresh()
        assert types(bench)["At"] is None


def test_what_two_files_tell_differently_tells_nothing(tmp_path: Path) -> None:
    other = "using Near; namespace Own; class Far { Thing Near; }"
    with indexed(tmp_path, packaged(A=TELLING, B=ASKING, C=other)) as bench:
        assert types(bench)["At"] is None


def test_what_files_told_is_kept(tmp_path: Path) -> None:
    files = packaged(A=TELLING, B=ASKING)
    with indexed(tmp_path, files) as bench:
        assert types(bench)["At"] == "Far.Thing"
    with opened(tmp_path) as bench:
        assert bench.index.load()
        bench.index.refresh()
        assert bench.index.is_related
        assert types(bench)["At"] == "Far.Thing"


def test_an_attribute_does_not_tell_which_of_its_two_names_there_is(tmp_path: Path) -> None:
    telling = "using Far; namespace Own; [Thing] class Cell { }"
    with indexed(tmp_path, packaged(A=telling, B=ASKING)) as bench:
        assert types(bench)["At"] is None


def test_a_namespace_that_comes_to_have_types_leaves_another_alone(tmp_path: Path) -> None:
    telling = "using Far; using Own.Parts; namespace Own; class Cell { Thing Of; }"
    with indexed(tmp_path, packaged(A=telling, B=ASKING)) as bench:
        assert (types(bench)["Of"], types(bench)["At"]) == (None, None)
        edit(tmp_path, "P.cs", "namespace Own.Parts; class Part { }")
        bench.index.refresh()
        assert (types(bench)["Of"], types(bench)["At"]) == ("Far.Thing", "Far.Thing")
