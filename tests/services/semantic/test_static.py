"""Notes read off the code: what they say of each kind of type, and what they leave out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.bench.bench import Bench
from services.semantic.values import NoteFields
from tests.support.workspace import indexed, project

FILES = {
    "Shop.csproj": project(),
    "Shop.cs": """namespace Shop;
/// <summary>Class RandomComparer.</summary>
public class RandomComparer : ISorter { public int Compare(int a, int b) { return 0; } public Till? Next() => null; }
/// <summary>Sorts what is bought.</summary>
public interface ISorter { bool TrySort(int[] them); }
/// <summary>The "Close Till" task.</summary>
public class CloseTillTask { public void Run() { } }
public enum Colour { Red, Green, Blue }
public static class Maths { public static int Twice(int a) => 2 * a; }
public class Till
{
    // TODO: [InlineData("/server/a.mp4", 1996)]
    // TODO: Count what is returned, which nobody does today although everybody who looks at the figures asks for it.
    public Till(ISorter sorter, IClock clock) { }
    public int Total { get; set; }
}
public interface IClock { }
public class Job : IClock { public void Run() { } }
public class Maker { public Maker(int a, int b, int c, int d, int e) { }
    object Made() { return new Till(null, null); } }
public class TillTests { public void Adds_up() { new Till(null, null); } public class Sample { } }
""",
}


SERVICES = "All that it is made with are interfaces: a container hands them out, most likely."


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with indexed(tmp_path_factory.mktemp("shop"), FILES) as made:
        yield made


def note(bench: Bench, name: str) -> NoteFields:
    return bench.notes.get(bench.lookup.sure(name).whole.id).fields


def test_documentation_that_only_repeats_the_name_is_none(bench: Bench) -> None:
    role = note(bench, "RandomComparer").role
    assert role == (
        "Compares values: random. It is an ISorter. It offers `Compare`, `Next`. "
        "(Derived from its declaration: its documentation only repeats its name.)"
    )
    assert note(bench, "ISorter").role == "Sorts what is bought."
    assert note(bench, "CloseTillTask").role.startswith('The "Close Till" task. It offers `Run`. (Derived')


def test_what_has_no_documentation_is_told_by_its_members(bench: Bench) -> None:
    assert note(bench, "Colour").role.startswith(
        "An enum for colour. One of `Red`, `Green`, `Blue`. (Derived"
    )
    assert "It offers `Twice`." in note(bench, "Maths").role
    assert "It holds `Total`." in note(bench, "Till").role
    assert note(bench, "TillTests").role.startswith("Tests: till. It checks `Adds_up`.")


@pytest.mark.parametrize(
    "mark",
    ["[Fact]", "[Theory, InlineData(1)]", "[Test]", "[ConditionalFact(1)]", "[NUnit.Framework.TestCase(1)]"],
)
def test_what_is_marked_as_tests_is_told_as_tests(tmp_path: Path, mark: str) -> None:
    code = f"public class TillSpecs\n{{\n    {mark}\n    public void Adds_up() {{ }}\n}}\n"
    with indexed(tmp_path, {"S.csproj": project(), "TillSpecs.cs": code}) as bench:
        told = note(bench, "TillSpecs")
        assert told.role.startswith("Tests: till. It checks `Adds_up`.")
        assert told.lifecycle == "- Made by what runs the tests."
        assert told.recommendations.startswith("What runs the tests finds it")


@pytest.mark.parametrize("code", ["[Artifact]", "int[] test = Fact();", "[Factory]", "[Testable]"])
def test_what_is_marked_as_another_is_no_test(tmp_path: Path, code: str) -> None:
    files = {
        "S.csproj": project(),
        "Till.cs": f"public class Till\n{{\n    {code}\n    public int A() => 1;\n}}\n",
    }
    with indexed(tmp_path, files) as bench:
        assert "It offers `A`." in note(bench, "Till").role


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("ISorter", "- An interface: whoever implements it says how long it lives."),
        ("Colour", "- A value."),
        ("Maths", "- Static: it is never made."),
        ("Job", "- Made by `new Job()`."),
        ("TillTests", "- Made by what runs the tests."),
        ("Sample", "- Made by `new Sample()`."),
        ("Maker", "- Made by `new Maker(int, int, int and 2 more)`."),
        ("Till", f"- Made by `new Till(ISorter sorter, IClock clock)`.\n- {SERVICES}"),
    ],
)
def test_how_a_type_comes_into_being(bench: Bench, name: str, said: str) -> None:
    assert note(bench, name).lifecycle == said


def test_answers_that_may_be_nothing_are_edge_cases(bench: Bench) -> None:
    assert note(bench, "RandomComparer").edge_cases == "- May answer null: `Next`."
    assert note(bench, "ISorter").edge_cases == "- Say whether they could, and do not throw: `TrySort`."


def test_marks_end_between_words_and_commented_code_is_none(bench: Bench) -> None:
    assert note(bench, "Till").limitations == (
        "- TODO: Count what is returned, which nobody does today although everybody who looks at the figures asks …"
    )


def test_what_nobody_names_is_said_only_where_bodies_are_known(bench: Bench) -> None:
    unknown = "No declaration names it. What bodies name is not known yet."
    assert note(bench, "Job").recommendations == unknown
    bench.index.read_bodies()
    assert note(bench, "Job").recommendations == (
        "Nothing in the workspace names it. It may be found as an IClock, or by reflection."
    )
    assert (
        note(bench, "Till").recommendations
        == "- See how `Maker`, `RandomComparer` use it.\n- Tested by `TillTests`."
    )
    assert "What runs the tests finds it" in note(bench, "TillTests").recommendations
