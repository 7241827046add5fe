"""Which file is read for which project."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.index.build.project_cache import ProjectRequest
from services.index.build.units import IndexPlan, plan
from services.workspace.files.root import Root
from tests.support.workspace import project, write_workspace

_LINKED = '<ItemGroup><Compile Include="../One/Shared.cs" /></ItemGroup></Project>'


@pytest.fixture
def made(tmp_path: Path) -> IndexPlan:
    files = {
        "One/One.csproj": project(),
        "One/Shared.cs": "class Shared { }",
        "One/A.cs": "class A { }",
        "Two/Two.csproj": project("<DefineConstants>TWO</DefineConstants>").replace("</Project>", _LINKED),
        "Two/B.cs": "class B { }",
    }
    return plan(Root.open(write_workspace(tmp_path, files)), ProjectRequest(), known=None, cancel=None)


@pytest.mark.parametrize(
    "paths", [(), ("One/A.cs",), ("One/Shared.cs", "Two/B.cs"), ("Gone.cs", "One/Shared.cs")]
)
def test_units_of_some_files_are_those_of_all(made: IndexPlan, paths: tuple[str, ...]) -> None:
    assert made.units_of(set(paths)) == tuple(unit for unit in made.units if unit.path in paths)


def test_a_file_of_two_projects_is_the_first_ones(made: IndexPlan) -> None:
    shared = [unit for unit in made.units if unit.path == "One/Shared.cs"]
    assert [(unit.project, unit.shadow) for unit in shared] == [(0, False), (1, True)]
    assert len({unit.symbols for unit in shared}) == 2


def test_a_plan_with_other_stamps_differs_in_them_alone(made: IndexPlan) -> None:
    stamp = made.stamps["One/A.cs"]._replace(size=77)
    later = made.stamped({"One/A.cs": stamp})
    assert later.stamps == {**made.stamps, "One/A.cs": stamp}
    assert later.units == made.units
    assert later.digest != made.digest
    assert later.stamped({"One/A.cs": made.stamps["One/A.cs"]}).digest == made.digest
