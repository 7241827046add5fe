"""A workspace on disk: solutions, projects that refer to each other without circles, files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from uuid import NAMESPACE_URL, uuid5

from benchmarks.synthetic.files import plan_files, written
from benchmarks.synthetic.names import Names, pick
from benchmarks.synthetic.types import Planned
from benchmarks.synthetic.words import AREAS, LAYERS

COMPANY = "Meridian"
_MOST_FILES = 250
_CSHARP = "{9A19103F-16F7-4668-BE54-9A1E7A4F7556}"
_PROPS = """<Project>
  <PropertyGroup>
    <TargetFramework>net8.0</TargetFramework>
    <Nullable>enable</Nullable>
    <ImplicitUsings>enable</ImplicitUsings>
  </PropertyGroup>
</Project>
"""


@dataclass(slots=True)
class ProjectPlan:
    """A project. `path`: of its folder; `files`: what each file declares; `references`: projects before it."""

    name: str
    path: str
    files: list[list[Planned]]
    references: list[ProjectPlan] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Made:
    """Written files: C# files and their bytes, projects."""

    files: int
    size: int
    projects: int


def generate(folder: Path, *, files: int, seed: int) -> Made:
    """Writes a workspace of `files` C# files into `folder`, the same for the same seed. Raises OSError."""
    count = size = projects = 0
    plans: list[ProjectPlan] = []
    for path, text in texts(files, seed, plans):
        data = text.encode()
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        if path.endswith(".cs"):
            count, size = count + 1, size + len(data)
        projects += path.endswith(".csproj")
    return Made(count, size, projects)


def texts(files: int, seed: int, plans: list[ProjectPlan] | None = None) -> Iterator[tuple[str, str]]:
    """(path, text) of everything in the workspace. `plans` takes up the projects as they are made."""
    names = Names()
    done = [] if plans is None else plans
    left = files
    while left:
        random = Random(f"{seed}:{len(done)}")
        plan = _project(random, names, done, min(left, _files_in_project(random)))
        left -= len(plan.files)
        done.append(plan)
        visible = [planned for other in plan.references for types in other.files for planned in types]
        for path, text in written(random, names, plan.files, visible):
            yield f"{plan.path}/{path}", text
        yield f"{plan.path}/{plan.name}.csproj", _project_file(plan)
    yield "Directory.Build.props", _PROPS
    yield f"{COMPANY}.sln", _solution(done)
    for area in sorted({plan.path.split("/")[1] for plan in done}):
        yield f"src/{area}/{area}.slnx", _area_solution(done, area)


def _files_in_project(random: Random) -> int:
    return min(_MOST_FILES, 8 + int(60 * pow(2.718, 0.9 * random.normalvariate())))


def _project(random: Random, names: Names, before: Sequence[ProjectPlan], count: int) -> ProjectPlan:
    area = pick(random, AREAS)
    name = f"{COMPANY}.{area}.{pick(random, LAYERS)}"
    tested = bool(before) and random.random() < 0.25
    if tested:
        area, name = before[-1].path.split("/")[1], f"{before[-1].name}.Tests"
    taken = {plan.name for plan in before}
    unique, number = name, 2
    while unique in taken:
        unique, number = f"{name}{number}", number + 1
    plan = ProjectPlan(unique, f"src/{area}/{unique}", plan_files(random, names, unique, count))
    wanted = 1 + int(random.random() * 4)
    plan.references = random.sample(list(before), min(len(before), wanted))
    if tested and before[-1] not in plan.references:
        plan.references.append(before[-1])
    return plan


def _project_file(plan: ProjectPlan) -> str:
    up = "../" * (plan.path.count("/") + 1)
    references = "".join(
        f'    <ProjectReference Include="{up}{other.path}/{other.name}.csproj" />\n'
        for other in plan.references
    )
    items = f"  <ItemGroup>\n{references}  </ItemGroup>\n" if references else ""
    return f'<Project Sdk="Microsoft.NET.Sdk">\n{items}</Project>\n'


def _solution(plans: Sequence[ProjectPlan]) -> str:
    lines = ["", "Microsoft Visual Studio Solution File, Format Version 12.00"]
    for plan in plans:
        path = f"{plan.path}/{plan.name}.csproj".replace("/", "\\")
        identity = str(uuid5(NAMESPACE_URL, plan.name)).upper()
        lines += [f'Project("{_CSHARP}") = "{plan.name}", "{path}", "{{{identity}}}"', "EndProject"]
    return "\n".join([*lines, "Global", "EndGlobal", ""])


def _area_solution(plans: Sequence[ProjectPlan], area: str) -> str:
    paths = [f"{plan.name}/{plan.name}.csproj" for plan in plans if plan.path.split("/")[1] == area]
    return "<Solution>\n" + "".join(f'  <Project Path="{path}" />\n' for path in paths) + "</Solution>\n"
