"""Types that several projects compile from the same files."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.bench.bench import Bench
from services.model import Symbol
from tests.services.index.symbols.test_identities import type_id
from tests.support.workspace import edit, indexed, opened, project


def compiling(files: str, references: Sequence[str] = (), properties: str = "") -> str:
    """A project file that compiles these files of other folders too."""
    items = [f'<Compile Include="{each}" />' for each in files.split()]
    items += [f'<ProjectReference Include="../{each}/{each}.csproj" />' for each in references]
    return project(properties).replace("</Project>", f"<ItemGroup>{''.join(items)}</ItemGroup></Project>")


TWO = {
    "A.Strong/A.Strong.csproj": compiling("../A/*.cs"),
    "A/A.csproj": project(),
    "A/X.cs": "namespace N; public class X { public int M() => 1; } public class Y { X x; }",
}


def types(bench: Bench) -> dict[str, Symbol]:
    """The types by id."""
    return {each.id: each for each in bench.symbols() if each.is_type}


def test_what_two_projects_compile_is_one_symbol_of_both(tmp_path: Path) -> None:
    with indexed(tmp_path, TWO) as bench:
        found = [each for each in bench.symbols() if not each.implicit]
        assert Counter(each.fqn for each in found) == Counter(["N.X", "N.X.M", "N.Y", "N.Y.x"])
        assert {each.projects for each in found} == {("A", "A.Strong")}
        assert {each.project for each in found} == {"A"}
        assert set(types(bench)) == {type_id("N.X|class|0"), type_id("N.Y|class|0")}
        assert bench.status().types == 2


@pytest.mark.parametrize(
    "path", ["N.X", "X", "N.X.M", "M", "X.M()", "N.?", "Y", "N.X.M*", type_id("N.X|class|0")]
)
def test_it_is_resolved_as_one(tmp_path: Path, path: str) -> None:
    with indexed(tmp_path, TWO) as bench:
        answer = bench.resolve(path)
        found = (answer.symbol, *answer.candidates)
        ids = [each.id for each in found if each is not None]
        assert len(ids) == len(set(ids)) == (2 if "?" in path else 1)


def test_the_first_project_is_the_one_whose_folder_holds_the_file(tmp_path: Path) -> None:
    files = {
        "A/A.csproj": compiling("../Z/X.cs ../Z/In/W.cs"),
        "Z/Z.csproj": project(),
        "Z/In/In.csproj": project(),
        "Z/X.cs": "class X { }",
        "Z/In/W.cs": "class W { }",
    }
    with indexed(tmp_path, files) as bench:
        found = {each.fqn: each.projects for each in types(bench).values()}
        assert found == {"X": ("Z", "A"), "W": ("In", "A", "Z")}
        hit = bench.search("X", limit=1).hits[0].symbol
        assert (hit.project, hit.id) == ("Z", type_id("X|class|0"))


def test_another_type_of_the_key_in_another_file_is_told_apart(tmp_path: Path) -> None:
    files = {**TWO, "C/C.csproj": project(), "C/X.cs": "namespace N; public class X { }"}
    with indexed(tmp_path, files) as bench:
        found = {each.id: each.projects for each in types(bench).values() if each.name == "X"}
        assert found == {type_id("N.X|class|0|A"): ("A", "A.Strong"), type_id("N.X|class|0|C"): ("C",)}


def test_it_is_used_through_each_project(tmp_path: Path) -> None:
    use = "using N; class {0} {{ int M(X x) => x.M(); }}"
    files = {
        **TWO,
        "T1/T1.csproj": compiling("", ["A"]),
        "T1/T.cs": use.format("T1"),
        "T2/T2.csproj": compiling("", ["A.Strong"]),
        "T2/T.cs": use.format("T2"),
        "T3/T3.csproj": project(),
        "T3/T.cs": use.format("T3"),
    }
    with indexed(tmp_path, files) as bench:
        for path in ("N.X", "N.X.M"):
            found = bench.usages(path, limit=99).usages
            bound = {each.file for each in found if each.grade == "bound" and each.file.startswith("T")}
            assert bound == {"T1/T.cs", "T2/T.cs"}
        bench.relate()
        used_by = bench.detail("N.X").used_by
        assert {each.fqn: each.count for each in used_by} == {"N.Y": 1, "T1": 1, "T2": 1}


def test_extensions_are_bound_through_each_project(tmp_path: Path) -> None:
    files = {
        **TWO,
        "A/E.cs": "namespace N; public static class E { public static void Go(this X x) { } }",
        "T/T.csproj": compiling("", ["A.Strong"]),
        "T/T.cs": "using N; class T { void M(X x) { x.Go(); E.Go(x); } }",
    }
    with indexed(tmp_path, files) as bench:
        found = bench.usages("N.E.Go", limit=9).usages
        assert [each.grade for each in found] == ["bound", "bound"]


def test_it_stays_one_after_a_start(tmp_path: Path) -> None:
    with indexed(tmp_path, TWO) as bench:
        before = types(bench)
        assert bench.resolve("N.X").symbol is not None
    with opened(tmp_path) as bench:
        assert bench.load()
        for id_ in before:
            answer = bench.resolve(id_)
            assert answer.symbol is not None
            assert answer.symbol.project == "A"
        assert types(bench) == before


def test_a_part_that_one_project_alone_compiles_makes_two_of_it_and_back(tmp_path: Path) -> None:
    files = {
        **TWO,
        "A/X.cs": "namespace N; public partial class X { }",
        "U/U.csproj": compiling("", ["A.Strong"]),
        "U/U.cs": "class U { N.X x; }",
    }
    with indexed(tmp_path, files) as bench:
        bench.relate()
        one = types(bench)
        edit(tmp_path, "A.Strong/More.cs", "namespace N; public partial class X { int only; }")
        bench.refresh()
        bench.relate()
        found = {each.id: each.projects for each in types(bench).values() if each.name == "X"}
        assert found == {type_id("N.X|class|0|A"): ("A",), type_id("N.X|class|0|A.Strong"): ("A.Strong",)}
        two = {id_: bench.detail(id_) for id_ in found}
        users = {id_: [each.fqn for each in detail.used_by] for id_, detail in two.items() if detail}
        assert users == {type_id("N.X|class|0|A"): [], type_id("N.X|class|0|A.Strong"): ["U"]}
        (tmp_path / "A.Strong/More.cs").unlink()
        bench.refresh()
        assert types(bench) == one


def test_one_change_of_it_is_told_once(tmp_path: Path) -> None:
    with indexed(tmp_path, TWO) as bench:
        edit(tmp_path, "A/X.cs", TWO["A/X.cs"].replace("=> 1", "=> 2"))
        assert [change.id for change in bench.refresh()] == [type_id("N.X|class|0"), type_id("N.Y|class|0")]


COMPILED = st.dictionaries(
    st.sampled_from("ABCD"), st.frozensets(st.sampled_from(["P", "Q", "R"]), min_size=1), min_size=2
)


@given(COMPILED)
@settings(max_examples=20, deadline=None)
def test_ids_are_one_to_one_with_key_and_files(
    tmp_path_factory: pytest.TempPathFactory, compiled: Mapping
) -> None:
    there = sorted(frozenset().union(*compiled.values()))
    files = {f"f/{name}.cs": f"partial class X {{ int {name}; }} class {name} {{ }}" for name in there}
    for name, paths in compiled.items():
        files[f"{name}/{name}.csproj"] = compiling(" ".join(f"../f/{path}.cs" for path in sorted(paths)))
    with indexed(tmp_path_factory.mktemp("w"), files) as bench:
        every = [each for each in bench.symbols() if each.is_type]
        assert len({each.id for each in every}) == len(every)
        wholes = {each.projects for each in every if each.name == "X"}
        expected: dict[frozenset[str], list[str]] = {}
        for name, paths in sorted(compiled.items()):
            expected.setdefault(paths, []).append(name)
        assert wholes == set(map(tuple, expected.values()))
        for each in every:
            answer = bench.resolve(each.id).symbol
            assert answer is not None
            assert (answer.id, answer.project) == (each.id, each.project)
            key = f"{each.fqn}|class|0"
            lone = len(wholes) == 1 or each.name != "X"
            assert each.id == type_id(key if lone else f"{key}|{each.project}")
