"""What is said of projects together: circles, names that clash, and files that none of them has."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.msbuild.evaluation import cycles
from services.msbuild.language.info import ProjectInfo
from services.msbuild.project import gather
from tests.services.msbuild.memory import messages, sdk, sources, workspace

NAMES = "abcde"


def project(path: str, *references: str, files: tuple[str, ...] = ()) -> ProjectInfo:
    name = path.rpartition("/")[2].removesuffix(".csproj")
    return ProjectInfo(
        name=name, path=path, assembly_name=name, root_namespace=name, references=references, files=files
    )


def reaches(references: dict[str, list[str]], start: str, target: str) -> bool:
    seen, waiting = set[str](), list(references[start])
    while waiting:
        each = waiting.pop()
        if each not in seen:
            seen.add(each)
            waiting += references[each]
    return target in seen


@given(st.fixed_dictionaries({name: st.lists(st.sampled_from(NAMES), max_size=3) for name in NAMES}))
def test_a_circle_is_told_where_there_is_one_and_is_one(references: dict[str, list[str]]) -> None:
    notices = cycles([project(name, *found) for name, found in references.items()])
    assert bool(notices) is any(reaches(references, name, name) for name in NAMES)
    for notice in notices:
        way = notice.message.rpartition(": ")[2].split(" → ")
        assert way[0] == way[-1]
        assert len(set(way)) == len(way) - 1
        assert all(after in references[before] for before, after in pairwise(way))
        assert notice.file == way[-2]


def test_a_reference_to_what_is_not_there_closes_no_circle() -> None:
    assert cycles([project("a", "gone", "a2"), project("a2", "gone")]) == []


def test_a_long_chain_of_references_is_followed_to_its_end() -> None:
    names = [f"p{at}" for at in range(5_000)]
    chain = [project(name, after) for name, after in zip(names, [*names[1:], names[0]], strict=True)]
    assert len(cycles(chain)) == 1


def test_projects_of_one_name_are_told_apart_by_folder_and_then_by_file() -> None:
    files = {path: sdk() for path in ("a/Core.csproj", "b/Core.csproj", "Web.csproj")}
    found = {each.path: each.name for each in workspace({**files, **sources("a/x.cs")}).projects}
    assert found == {
        "a/Core.csproj": "Core (a)",
        "b/Core.csproj": "Core (b)",
        "Web.csproj": "Web",
    }
    same = "<PropertyGroup><AssemblyName>Core</AssemblyName></PropertyGroup>"
    files = {path: sdk(same) for path in ("a/One.csproj", "a/Two.csproj")}
    assert [each.name for each in workspace(files | sources("a/x.cs")).projects] == [
        "Core (a/One.csproj)",
        "Core (a/Two.csproj)",
    ]


def test_a_circle_of_projects_is_told_once_with_the_rest() -> None:
    def refers(to: str) -> str:
        return sdk(f'<ItemGroup><ProjectReference Include="../{to}/{to}.csproj" /></ItemGroup>')

    found = workspace({"A/A.csproj": refers("B"), "B/B.csproj": refers("A"), **sources("A/x.cs", "B/y.cs")})
    circles = [text for text in messages(found) if "circle" in text]
    assert circles == [
        "These projects reference each other in a circle: A/A.csproj → B/B.csproj → A/A.csproj"
    ]


@given(st.sets(st.sampled_from(["a.cs", "P/b.cs", "P/c.cs", "Q/d.cs", "P.Tests/e.cs"])))
def test_every_file_is_in_a_project_or_gathered(owned: set[str]) -> None:
    files = ["Q/d.cs", "a.cs", "P/c.cs", "P/b.cs", "P.Tests/e.cs"]
    own = project("P/P.csproj", files=tuple(sorted(owned)))
    gathered = [file for each in gather(files, [own], "Work") for file in each.files]
    assert gathered == sorted(set(files) - owned)


@pytest.mark.parametrize(
    ("file", "is_gathered"),
    [
        ("P/bin/Debug/x.cs", False),
        ("P/obj/x.cs", False),
        ("P/objects/x.cs", True),
        ("P/Sub/obj/x.cs", True),
        ("obj/x.cs", True),
        ("Q/obj/x.cs", True),
    ],
)
def test_what_the_build_of_a_project_made_is_not_gathered(file: str, is_gathered: bool) -> None:
    found = gather([file, "loose.cs"], [project("P/P.csproj")], "Work")
    assert (file in found[0].files) is is_gathered


def test_output_beside_a_project_in_the_root_is_its_own() -> None:
    (found,) = gather(["obj/x.cs", "bin/y.cs", "z.cs"], [project("P.csproj")], "Work")
    assert found.files == ("z.cs",)


def test_the_gathered_project_takes_no_other_s_name() -> None:
    (found,) = gather(["loose.cs"], [project("Work.csproj")], "work")
    assert (found.name, found.path, found.evaluated) == ("work (no project)", ".", False)
    (alone,) = gather([], [], "Work")
    assert (alone.name, alone.files) == ("Work", ())
    assert gather([], [project("P.csproj")], "Work") == []
