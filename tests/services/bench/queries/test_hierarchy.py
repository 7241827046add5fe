"""Callers, callees, bases and what derives or overrides, one step or several."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.bench import Bench
from services.errors import SymbolNotFound
from services.model import Direction
from tests.support.workspace import indexed, project

CODE = """namespace Zoo;
public interface IAnimal { string Sound(int times); }
public abstract class Animal : IAnimal
{
    public abstract string Sound(int times);
    public virtual string Name() => Sound(1);
    public virtual string Name(string prefix) => prefix + Name();
}
public class Dog : Animal
{
    private const string Bark = "wuff";
    public override string Sound(int times) => Bark;
    public string Twice() => Sound(2) + Name() + Sound(3);
}
public class Puppy : Dog { public override string Name() => "small " + base.Name(); }
public class Stone : IAnimal { string IAnimal.Sound(int times) => ""; }
public sealed class Circle { public void A() { B(); } public void B() { A(); } }
"""


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    folder: Path = tmp_path_factory.mktemp("zoo")
    files = {"Zoo.csproj": project(), "Zoo.cs": CODE, "tests/ZooTests.cs": (
        "namespace Zoo.Tests; public class ZooTests { public void T() { new Dog().Twice(); new Dog().Twice(); } }"
    )}  # fmt: skip
    with indexed(folder, files) as opened:
        yield opened


def _names(bench: Bench, path: str, direction: Direction) -> list[str]:
    return [each.name.removeprefix("Zoo.") for each in bench.hierarchy.step(path, direction)]


@pytest.mark.parametrize(
    ("path", "direction", "names"),
    [
        ("Zoo.Animal", Direction.BASES, ["IAnimal"]),
        ("Zoo.IAnimal", Direction.DERIVED, ["Animal", "Stone"]),
        ("Zoo.Animal", Direction.DERIVED, ["Dog"]),
        ("Zoo.Puppy", Direction.BASES, ["Dog"]),
        ("Zoo.IAnimal.Sound", Direction.DERIVED, ["Animal.Sound", "Stone.Sound"]),
        ("Zoo.Animal.Sound", Direction.DERIVED, ["Dog.Sound"]),
        ("Zoo.Dog.Sound", Direction.BASES, ["Animal.Sound"]),
        ("Zoo.Animal.Name()", Direction.DERIVED, ["Puppy.Name"]),
        ("Zoo.Puppy.Name", Direction.BASES, ["Animal.Name"]),
        ("Zoo.Animal.Name(string)", Direction.DERIVED, []),
        ("Zoo.Dog.Twice", Direction.CALLEES, ["Dog.Sound", "Animal.Name"]),
        ("Zoo.Dog.Sound", Direction.CALLEES, ["Dog.Bark"]),
        ("Zoo.Circle.A", Direction.CALLERS, ["Circle.B"]),
    ],
)  # fmt: skip
def test_one_step(bench: Bench, path: str, direction: Direction, names: list[str]) -> None:
    assert _names(bench, path, direction) == names


def test_callers_are_told_with_how_often_and_where_tests_last(bench: Bench) -> None:
    (caller,) = bench.hierarchy.step("Zoo.Dog.Twice", Direction.CALLERS)
    assert (caller.name, caller.count, caller.file) == ("Zoo.Tests.ZooTests.T", 2, "tests/ZooTests.cs")
    callers = [each.file for each in bench.hierarchy.step("Zoo.Dog", Direction.CALLERS)]
    assert callers == sorted(callers, key=lambda file: file.startswith("tests"))


def test_a_tree_unfolds_each_symbol_once(bench: Bench) -> None:
    answer = bench.hierarchy.tree("Zoo.IAnimal", Direction.DERIVED, depth=3)
    assert [(row.depth, row.name) for row in answer.rows] == [
        (1, "Zoo.Animal"), (2, "Zoo.Dog"), (3, "Zoo.Puppy"), (1, "Zoo.Stone"),
    ]  # fmt: skip
    rows = bench.hierarchy.tree("Zoo.Circle.A", Direction.CALLEES, depth=8).rows
    assert [(row.name, row.again) for row in rows] == [("Zoo.Circle.B", False), ("Zoo.Circle.A", True)]
    cut = bench.hierarchy.tree("Zoo.IAnimal", Direction.DERIVED, depth=3, limit=2)
    assert (len(cut.rows), cut.truncated) == (2, True)


def test_what_is_not_there_is_not_found(bench: Bench) -> None:
    with pytest.raises(SymbolNotFound):
        bench.hierarchy.step("Zoo.Nothing", Direction.BASES)
