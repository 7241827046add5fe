"""Structure kept up with changes: what comes of any of them is what is made of the result at once."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from services.bench.bench import Bench
from services.context.ground_cache import StructureBuilder
from services.context.structure import Structure
from tests.support.workspace import edit, indexed, project

PROJECTS = {
    "One/One.csproj": project(),
    "Two/Two.csproj": '<Project Sdk="Microsoft.NET.Sdk"><ItemGroup><ProjectReference Include="../One/One.csproj" />'
    '<Compile Include="../One/Shared0.cs" Link="Shared0.cs" /></ItemGroup></Project>',
}
NAMES = ("Order", "OrderLine", "Stock", "Price", "Till")


def text(chance: random.Random) -> str:
    """Types that name each other by chance, some nested, some partial."""
    rows = ["namespace Shop;"]
    for name in chance.sample(NAMES, chance.randint(0, 2)):
        one, other, third = chance.choices(NAMES, k=3)
        inner = f"class Inner{chance.randint(0, 1)} {{ {other} it; void Go() {{ {third}.Run(); }} }}"
        access = chance.choice(("public", "file", "internal"))
        rows.append(
            f"{access} partial class {name} {{ {one} a; {chance.choice((inner, ''))}"
            f" public static void Run() {{ {third} x = null; }} }}"
        )
    return "\n".join(rows)


def files(chance: random.Random) -> dict[str, str]:
    paths = [
        f"{folder}/{name}{n}.cs" for folder in ("One", "Two") for name in ("Shared", "Own") for n in range(2)
    ]
    return {path: text(chance) for path in paths}


def same(one: Structure, other: Structure) -> bool:
    edges = zip(one.edges, other.edges, strict=True)
    return (
        (one.units, one.size, one.at_path, one.unit_of, one.tests)
        == (other.units, other.size, other.at_path, other.unit_of, other.tests)
        and all(np.array_equal(a, b) for a, b in edges)
        and np.array_equal(one.numbers, other.numbers)
        and one.names.by_name == other.names.by_name
        and all(np.array_equal(one.names.like({at: 1.0}), other.names.like({at: 1.0})) for at in one.units)
    )


def anew(bench: Bench) -> Structure:
    return StructureBuilder().update(bench.index.facade.catalogue, bench.index.facade.graph())


@pytest.mark.parametrize("seed", range(4))
def test_what_comes_of_changes_is_what_is_made_of_the_result_at_once(tmp_path: Path, seed: int) -> None:
    chance, builder = random.Random(seed), StructureBuilder()
    with indexed(tmp_path, {**PROJECTS, **files(chance)}) as bench:
        for _ in range(14):
            path = tmp_path / chance.choice(sorted(files(chance)))
            if path.exists() and chance.random() < 0.25:
                path.unlink()
            else:
                edit(tmp_path, path.relative_to(tmp_path).as_posix(), text(chance))
            bench.index.refresh()
            for step in (bench.index.relate, bench.index.read_bodies):
                if chance.random() < 0.7:
                    step()
                facade = bench.index.facade
                assert same(builder.update(facade.catalogue, facade.graph()), anew(bench))
        assert anew(bench).units


def test_what_was_given_stays_as_it_was(tmp_path: Path) -> None:
    builder = StructureBuilder()
    with indexed(tmp_path, {**PROJECTS, "One/A.cs": "class A { B b; } class B { }"}) as bench:
        bench.index.relate()
        before = builder.update(bench.index.facade.catalogue, bench.index.facade.graph())
        kept = (
            dict(before.units),
            dict(before.unit_of),
            before.edges.target.tolist(),
            dict(before.names.by_name),
        )
        edit(tmp_path, "One/A.cs", "class A { C c; } class C { }")
        bench.index.refresh()
        bench.index.relate()
        after = builder.update(bench.index.facade.catalogue, bench.index.facade.graph())
    assert kept == (before.units, before.unit_of, before.edges.target.tolist(), before.names.by_name)
    assert {unit.name for unit in after.units.values()} == {"A", "C"}


def test_a_question_about_an_earlier_revision_is_answered_for_that_one(tmp_path: Path) -> None:
    builder = StructureBuilder()
    with indexed(tmp_path, {**PROJECTS, "One/A.cs": "class A { }"}) as bench:
        before = (bench.index.facade.catalogue, bench.index.facade.graph())
        edit(tmp_path, "One/B.cs", "class B { }")
        bench.index.refresh()
        now = (bench.index.facade.catalogue, bench.index.facade.graph())
        structures = [builder.update(*revision) for revision in (now, before, now)]
    names = [{unit.name for unit in structure.units.values()} for structure in structures]
    assert names == [{"A", "B"}, {"A"}, {"A", "B"}]


def test_what_has_not_changed_is_not_made_anew(tmp_path: Path) -> None:
    builder = StructureBuilder()
    with indexed(tmp_path, {**PROJECTS, **files(random.Random(1))}) as bench:
        bench.index.relate()
        made = builder.update(bench.index.facade.catalogue, bench.index.facade.graph())
        assert builder.update(bench.index.facade.catalogue, bench.index.facade.graph()) is made


def test_bodies_that_are_read_later_count_in_the_next_question(tmp_path: Path) -> None:
    code: Mapping[str, str] = {
        "A.cs": "class A { void Go() { B.Run(); } }",
        "B.cs": "class B { public static void Run() { } }",
    }
    with indexed(tmp_path, {"X.csproj": project(), **code}) as bench:
        bench.index.relate()
        assert not len(bench.context.structure().edges.source)
        bench.index.read_bodies()
        assert len(bench.context.structure().edges.source) == 1
