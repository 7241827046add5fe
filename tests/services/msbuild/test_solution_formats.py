"""The projects of a solution, read from each of the formats that it may have."""

from __future__ import annotations

import json
from collections.abc import Callable
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.msbuild.selection import SolutionEntry, SolutionError, entries

NAMES = st.text("aB1 .-éß&'+[]", min_size=1, max_size=8).map(lambda text: text.strip(" .") or "x")
PATHS = st.lists(st.lists(NAMES, min_size=1, max_size=3).map("/".join).map("{}.csproj".format), max_size=5)
HEADER = "Microsoft Visual Studio Solution File, Format Version 12.00"
TYPE = "{9A19103F-16F7-4668-BE54-9A1E7A4F7556}"


def sln(paths: list[str]) -> str:
    lines = ["", HEADER]
    for path in paths:
        windows = path.replace("/", "\\")
        lines += [f'Project("{TYPE}") = "Name", "{windows}", "{{1}}"', "EndProject"]
    return "\n".join([*lines, "Global", "EndGlobal", ""])


def slnx(paths: list[str]) -> str:
    projects = [f"<Project Path={quoteattr(path)} />" for path in paths]
    inside = [f'<Folder Name="/f/">{each}</Folder>' if at % 2 else each for at, each in enumerate(projects)]
    return "\n".join(["<Solution>", *inside, "</Solution>"])


def slnf(paths: list[str]) -> str:
    listed = {"path": "All.sln", "projects": [path.replace("/", "\\") for path in paths]}
    return json.dumps({"solution": listed})


FORMATS = {"sln": (sln, True), "slnx": (slnx, True), "slnf": (slnf, False)}


@given(PATHS, st.sampled_from(sorted(FORMATS)), st.sampled_from(["", "build", "a/b"]), st.booleans())
def test_every_format_names_the_projects_in_their_order(
    paths: list[str], suffix: str, folder: str, has_mark: bool
) -> None:
    write, has_lines = FORMATS[suffix]
    content = write(paths).encode("utf-8-sig" if has_mark else "utf-8")
    found = entries(f"{folder}/All.{suffix}".lstrip("/"), content)
    assert [each.path for each in found] == [f"{folder}/{path}".lstrip("/") for path in paths]
    assert all((each.line is not None) is has_lines for each in found)


@given(PATHS)
def test_a_solution_says_where_each_project_stands(paths: list[str]) -> None:
    text = sln(paths).replace("\n", "\r\n")
    lines = text.split("\r\n")
    for path, each in zip(paths, entries("All.sln", text.encode("utf-16")), strict=True):
        assert each.line is not None
        assert path.replace("/", "\\") in lines[each.line - 1]


@pytest.mark.parametrize(
    ("solution", "named", "path"),
    [
        ("All.sln", "..\\Out\\Out.csproj", "../Out/Out.csproj"),
        ("a/b/All.sln", "..\\x\\.\\X.csproj", "a/x/X.csproj"),
        ("a/All.sln", "X.FSPROJ", "a/X.FSPROJ"),
        ("a/All.sln", "Shared\\S.shproj", "a/Shared/S.shproj"),
    ],
)
def test_paths_are_seen_from_the_solution(solution: str, named: str, path: str) -> None:
    assert [each.path for each in entries(solution, sln([named]).encode())] == [path]


@pytest.mark.parametrize("named", ["Solution Items", "web\\", "http://localhost/site", "README.md"])
def test_folders_and_sites_are_no_projects(named: str) -> None:
    assert entries("All.sln", sln([named, "A.csproj"]).encode()) == [SolutionEntry("A.csproj", 5)]


@pytest.mark.parametrize(
    ("filter_", "solution", "project"),
    [
        ("F.slnf", "src\\All.sln", "src/A/A.csproj"),
        ("filters/F.slnf", "..\\All.sln", "A/A.csproj"),
        ("filters/F.slnf", "All.sln", "filters/A/A.csproj"),
        ("F.slnf", "..\\Outside\\All.sln", "../Outside/A/A.csproj"),
    ],
)
def test_a_filter_s_projects_are_seen_from_its_solution(filter_: str, solution: str, project: str) -> None:
    content = json.dumps({"solution": {"path": solution, "projects": ["A\\A.csproj"]}})
    assert entries(filter_, content.encode()) == [SolutionEntry(project, None)]


def _refused(path: str, content: bytes) -> SolutionError:
    with pytest.raises(SolutionError) as refused:
        entries(path, content)
    return refused.value


BROKEN: list[tuple[str, bytes, int | None]] = [
    ("A.sln", b"", 1),
    ("A.sln", b"\n" * 11 + HEADER.encode(), 1),
    ("A.slnx", b"<Solution>\n<Project", 2),
    ("A.slnf", b"", None),
    ("A.slnf", b"[]", None),
    ("A.slnf", b'{"solution": {"projects": []}}', None),
    ("A.slnf", b'{"solution": {"path": "\xff"}}', None),
]


@pytest.mark.parametrize(("path", "content", "line"), BROKEN)
def test_what_is_none_says_so_and_where(path: str, content: bytes, line: int | None) -> None:
    error = _refused(path, content)
    assert error.message
    assert error.line == line


WRITERS: list[Callable[[list[str]], str]] = [sln, slnx, slnf]


@given(st.sampled_from(WRITERS), st.integers(0, 200), st.binary(max_size=3))
def test_damage_is_refused_or_leaves_projects_that_have_a_path(
    write: Callable[[list[str]], str], at: int, put: bytes
) -> None:
    content = write(["a/A.csproj", "B.csproj"]).encode()
    content = content[:at] + put + content[at + 1 :]
    try:
        found = entries(f"All.{write.__name__}", content)
    except SolutionError:
        return
    assert all(each.path for each in found)
