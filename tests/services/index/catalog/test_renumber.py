"""The numbers of projects when the list of projects is another, and whose names may then mean something else."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.index.catalog.renumber import differing, numbers_under, within_sight
from services.msbuild.language.info import GlobalUsing, Package, PackageAssembly, ProjectInfo

PATHS = st.lists(st.sampled_from("abcdefgh"), unique=True)


@given(PATHS, PATHS)
def test_the_projects_of_now_come_first_and_those_that_are_gone_keep_a_number(
    known: list[str], now: list[str]
) -> None:
    names, numbers = numbers_under(known, now)
    assert names[: len(now)] == now
    assert sorted(names) == sorted({*known, *now})
    assert {names[number] for number in numbers.values()} == set(known)
    assert [names[numbers[at]] for at in range(len(known))] == known


def project(path: str, *references: str) -> ProjectInfo:
    return ProjectInfo(name=path, path=path, assembly_name=path, root_namespace=path, references=references)


def test_whoever_refers_to_a_project_directly_or_not_sees_it() -> None:
    infos = [project("core"), project("lib", "core"), project("app", "lib"), project("other")]
    assert within_sight(infos, {0}) == {0, 1, 2}
    assert within_sight(infos, {2}) == {2}
    assert within_sight(infos, set()) == set()
    assert within_sight(infos, {3, 9}) == {3, 9}


def test_projects_that_refer_to_each_other_are_walked_once() -> None:
    assert within_sight([project("a", "b"), project("b", "a")], {0}) == {0, 1}


MEANING = {
    "usings": (GlobalUsing(name="System"),),
    "references": ("core", "lib"),
    "packages": (Package(name="P"),),
    "assemblies": (PackageAssembly(package="P", version="1", path="p.dll", places=()),),
    "internals_visible_to": ("T",),
    "assembly_name": "Other",
    "root_namespace": "Other",
    "target_framework": "net8.0",
}


@pytest.mark.parametrize("name", MEANING)
def test_what_changes_what_names_mean_reaches_those_that_refer_to_it(name: str) -> None:
    before = [project("core"), project("lib", "core"), project("app", "lib")]
    after = [before[0], msgspec.structs.replace(before[1], **{name: MEANING[name]}), before[2]]
    assert differing(before, after) == {1, 2}


@pytest.mark.parametrize("change", [{"files": ("a.cs",)}, {"nullable": True}, {"unknown": 3}])
def test_what_changes_no_name_makes_no_difference(change: dict[str, object]) -> None:
    before = [project("core"), project("app", "core")]
    after = [msgspec.structs.replace(before[0], **change), before[1]]
    assert differing(before, after) == set()


def test_a_new_project_differs_and_one_that_only_moved_in_the_list_does_not() -> None:
    before = [project("core"), project("app", "core")]
    assert differing(before, [project("new"), *before]) == {0}
    assert differing(before, before[::-1]) == set()
