"""Which projects a project can name types of."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from services.index.names.framework import FrameworkTable
from services.index.names.visibility import ProjectVisibility
from services.msbuild import Package, ProjectInfo

NAMES = "abcde"
NO_FRAMEWORK = FrameworkTable("")


def project(name: str, *references: str, elsewhere: bool = False) -> ProjectInfo:
    path = f"{name}.csproj"
    return ProjectInfo(
        name=name,
        path=path,
        assembly_name=name,
        root_namespace=f"My.{name}",
        references=tuple(f"{each}.csproj" for each in references),
        refers_elsewhere=elsewhere,
    )


def reachable(references: dict[str, set[str]], start: str) -> set[str]:
    found = set(references[start])
    while more := {each for name in found for each in references[name]} - found:
        found |= more
    return found


@given(
    st.fixed_dictionaries({name: st.sets(st.sampled_from(NAMES)) for name in NAMES}),
    st.sets(st.sampled_from(NAMES)),
)
def test_references_lead_on_and_so_does_what_is_not_known(
    references: dict[str, set[str]], elsewhere: set[str]
) -> None:
    projects = [project(name, *sorted(references[name]), elsewhere=name in elsewhere) for name in NAMES]
    sight = ProjectVisibility(projects, NO_FRAMEWORK)
    for at, name in enumerate(NAMES):
        seen = reachable(references, name)
        assert {NAMES[each] for each in sight.seen[at]} == seen
        assert sight.blind[at] is bool((seen | {name}) & elsewhere)


def test_a_reference_to_a_project_that_is_not_there_shows_nothing() -> None:
    assert ProjectVisibility([project("a", "gone")], NO_FRAMEWORK).seen == [frozenset()]


def test_names_of_projects_are_roots_each_once() -> None:
    same = ProjectInfo(name="c", path="c.csproj", assembly_name="My.a", root_namespace="")
    sight = ProjectVisibility([project("a"), same], NO_FRAMEWORK)
    assert sorted(sight.roots) == ["My.a", "a"]


def test_packages_flow_through_references_unless_they_are_private() -> None:
    flows = Package(name="Newtonsoft.Json", version="13.0.3")
    stays = Package(name="Polly", version="8.0.0", flows=False)
    library = ProjectInfo(
        name="lib", path="lib.csproj", assembly_name="lib", root_namespace="lib", packages=(flows, stays)
    )
    sight = ProjectVisibility([project("app", "lib"), library, project("alone")], NO_FRAMEWORK)
    json, polly = "Newtonsoft.Json.JsonConvert", "Polly.ResiliencePipeline"
    assert [sight.foreign(at, json) is not None for at in range(3)] == [True, True, False]
    assert [sight.foreign(at, polly) is not None for at in range(3)] == [False, True, False]
    assert sight.foreign(9, json) is None
