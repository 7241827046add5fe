"""Types that several projects compile from the same files."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.bench.bench import Bench
from services.errors import UsageError
from services.model import Direction, Symbol
from tests.services.index.symbols.test_identities import type_id
from tests.support.workspace import edit, indexed, opened, project, write_workspace


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
    return {each.id: each for each in bench.index.symbols() if each.is_type}


def test_what_two_projects_compile_is_one_symbol_of_both(tmp_path: Path) -> None:
    with indexed(tmp_path, TWO) as bench:
        found = [each for each in bench.index.symbols() if not each.implicit]
        assert Counter(each.fqn for each in found) == Counter(["N.X", "N.X.M", "N.Y", "N.Y.x"])
        assert {each.projects for each in found} == {("A", "A.Strong")}
        assert {each.project for each in found} == {"A"}
        assert set(types(bench)) == {type_id("N.X|class|0"), type_id("N.Y|class|0")}
        assert bench.health.status().types == 2


@pytest.mark.parametrize(
    "path", ["N.X", "X", "N.X.M", "M", "X.M()", "N.?", "Y", "N.X.M*", type_id("N.X|class|0")]
)
def test_it_is_resolved_as_one(tmp_path: Path, path: str) -> None:
    with indexed(tmp_path, TWO) as bench:
        answer = bench.lookup.resolve(path)
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
        hit = bench.index.search("X", limit=1).hits[0].symbol
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
            found = bench.usages.find(path, limit=99).usages
            bound = {each.file for each in found if each.grade == "bound" and each.file.startswith("T")}
            assert bound == {"T1/T.cs", "T2/T.cs"}
        bench.index.relate()
        used_by = bench.outlines.detail("N.X").used_by
        assert {each.fqn: each.count for each in used_by} == {"N.Y": 1, "T1": 1, "T2": 1}


def test_extensions_are_bound_through_each_project(tmp_path: Path) -> None:
    files = {
        **TWO,
        "A/E.cs": "namespace N; public static class E { public static void Go(this X x) { } }",
        "T/T.csproj": compiling("", ["A.Strong"]),
        "T/T.cs": "using N; class T { void M(X x) { x.Go(); E.Go(x); } }",
    }
    with indexed(tmp_path, files) as bench:
        found = bench.usages.find("N.E.Go", limit=9).usages
        assert [each.grade for each in found] == ["bound", "bound"]


def test_it_stays_one_after_a_start(tmp_path: Path) -> None:
    with indexed(tmp_path, TWO) as bench:
        before = types(bench)
        assert bench.lookup.resolve("N.X").symbol is not None
    with opened(tmp_path) as bench:
        assert bench.index.load()
        for id_ in before:
            answer = bench.lookup.resolve(id_)
            assert answer.symbol is not None
            assert answer.symbol.project == "A"
        assert types(bench) == before


def test_a_part_that_one_project_alone_compiles_leaves_it_one(tmp_path: Path) -> None:
    files = {
        **TWO,
        "A/X.cs": "namespace N; public partial class X { public int M() => 1; }",
        "U/U.csproj": compiling("", ["A.Strong"]),
        "U/U.cs": "class U { N.X x; int Go() => x.M() + x.Only; }",
    }
    with indexed(tmp_path, files) as bench:
        bench.index.relate()
        one = types(bench)
        edit(tmp_path, "A.Strong/More.cs", "namespace N; public partial class X { public int Only; }")
        told = [(change.id, change.change) for change in bench.index.refresh()]
        bench.index.relate()
        found = {each.fqn: each.projects for each in bench.index.symbols() if each.fqn.startswith("N.X")}
        assert found == {
            "N.X": ("A.Strong", "A"),
            "N.X.M": ("A.Strong", "A"),
            "N.X.Only": ("A.Strong",),
            "N.X.X": ("A.Strong", "A"),
        }
        assert set(types(bench)) == set(one)
        assert told == [(type_id("N.X|class|0"), "structure")]
        assert [each.fqn for each in bench.outlines.detail("N.X").used_by] == ["U"]
        for path in ("N.X.M", "N.X.Only"):
            assert [each.grade for each in bench.usages.find(path, limit=9).usages] == ["bound"]
        (tmp_path / "A.Strong/More.cs").unlink()
        bench.index.refresh()
        assert types(bench) == one


def test_parts_that_neither_project_shares_make_two_of_it(tmp_path: Path) -> None:
    files = {
        **TWO,
        "A/X.cs": "namespace N; public partial class X { }",
    }
    files["A.Strong/A.Strong.csproj"] = compiling("../A/X.cs")
    files |= {
        f"{name}/Own.cs": "namespace N; public partial class X { int only; }" for name in ("A", "A.Strong")
    }
    with indexed(tmp_path, files) as bench:
        found = {each.id: each.projects for each in types(bench).values() if each.name == "X"}
        assert found == {type_id("N.X|class|0|A"): ("A",), type_id("N.X|class|0|A.Strong"): ("A.Strong",)}


def test_one_change_of_it_is_told_once(tmp_path: Path) -> None:
    with indexed(tmp_path, TWO) as bench:
        edit(tmp_path, "A/X.cs", TWO["A/X.cs"].replace("=> 1", "=> 2"))
        assert [change.id for change in bench.index.refresh()] == [
            type_id("N.X|class|0"),
            type_id("N.Y|class|0"),
        ]


STRONG = "<DefineConstants>STRONG</DefineConstants>"
"""What one of two projects defines."""


def left(to: str, *others: str) -> str:
    """A file in which the preprocessor leaves a member and a type to who defines `to`, and others to `others`."""
    held = "".join(f"\n#if {each}\npublic int M{each};\n#endif\n" for each in (to, *others))
    alone = f"#if {to}\npublic class W {{ public int In; }}\n#endif"
    return f"namespace N;\npublic class X\n{{\npublic int Mine;{held}}}\n{alone}"


def hits(bench: Bench, query: str) -> list[str]:
    """The paths that a search finds."""
    return sorted(hit.symbol.path for hit in bench.index.search(query, limit=50).hits)


def test_what_the_preprocessor_leaves_to_one_project_is_found(tmp_path: Path) -> None:
    files = {
        **TWO,
        "A.Strong/A.Strong.csproj": compiling("../A/*.cs", properties=STRONG),
        "A/X.cs": left("STRONG"),
    }
    everything = ["N.W", "N.W.In", "N.X", "N.X.MSTRONG", "N.X.Mine"]
    with indexed(tmp_path, files) as bench:
        assert (hits(bench, "MSTRONG"), hits(bench, "In ns:N.W")) == (["N.X.MSTRONG"], ["N.W.In"])
        assert bench.lookup.resolve("MSTRONG").symbol is not None
        assert hits(bench, "") == everything
        status = bench.health.status()
        assert (status.types, status.members) == (2, 3)
    with opened(tmp_path) as bench:
        assert bench.index.load()
        assert hits(bench, "") == everything
        (tmp_path / "A.Strong/A.Strong.csproj").write_text(compiling("../A/*.cs"))
        bench.index.refresh()
        assert hits(bench, "") == ["N.X", "N.X.Mine"]
        (tmp_path / "A/A.csproj").write_text(project(STRONG))
        bench.index.refresh()
        assert hits(bench, "") == everything
        (tmp_path / "A.Strong/A.Strong.csproj").unlink()
        bench.index.refresh()
        assert hits(bench, "") == everything


def test_its_hashes_are_of_what_every_project_declares_whoever_asks(tmp_path: Path) -> None:
    files = {
        **TWO,
        "A.Strong/A.Strong.csproj": compiling("../A/*.cs", properties=STRONG),
        "A/X.cs": left("STRONG"),
    }
    with indexed(tmp_path, files) as bench:
        bench.exports.write()
        rows = json.loads((tmp_path / ".context/index.json").read_bytes())["types"]
        (exported,) = (row for row in rows if row["fqn"] == "N.X")
        hashes = bench.outlines.detail("N.X").hashes
        assert (exported["structureHash"], exported["implHash"]) == (hashes["structure"], hashes["impl"])
        edit(tmp_path, "A/X.cs", left("STRONG").replace("int MSTRONG", "long MSTRONG"))
        assert [(change.fqn, change.change) for change in bench.index.refresh()] == [
            ("N.W", "cosmetic"),
            ("N.X", "structure"),
        ]


def test_a_project_that_comes_to_compile_it_is_told_of_its_members_too(tmp_path: Path) -> None:
    files = {
        **TWO,
        "A.Strong/A.Strong.csproj": compiling("../A/*.cs", properties=STRONG),
        "A/X.cs": left("STRONG"),
        "B/B.csproj": project(),
    }

    def projects(bench: Bench) -> dict[str, tuple[str, ...]]:
        return {each.fqn: each.projects for each in bench.outlines.detail("N.X").members if not each.implicit}

    with indexed(tmp_path, files) as bench:
        assert projects(bench) == {"N.X.Mine": ("A", "A.Strong"), "N.X.MSTRONG": ("A.Strong",)}
        edit(tmp_path, "B/B.csproj", compiling("../A/*.cs"))
        bench.index.refresh()
        assert projects(bench) == {"N.X.Mine": ("A", "A.Strong", "B"), "N.X.MSTRONG": ("A.Strong",)}


def test_each_of_its_projects_finds_what_it_declares(tmp_path: Path) -> None:
    files = {
        **TWO,
        "A.Strong/A.Strong.csproj": compiling("../A/*.cs", properties=STRONG),
        "A/A.csproj": project("<DefineConstants>WEAK</DefineConstants>"),
        "A/X.cs": left("STRONG", "WEAK"),
        "A/Y.cs": "namespace N; class Y { }",
        "A.Strong/Own.cs": "class Own { }",
    }
    both, strong = ["N.X", "N.X.Mine", "N.Y"], ["N.W", "N.W.In", "N.X.MSTRONG", "Own"]
    with indexed(tmp_path, files) as bench:
        assert hits(bench, "in:A.Strong") == sorted([*both, *strong])
        edit(tmp_path, "A/Y.cs", "namespace N; class Y { int y; }")
        bench.index.refresh()
        assert hits(bench, "y in:A.Strong") == ["N.Y", "N.Y.y"]
        assert hits(bench, "kind:field in:a.strong") == ["N.W.In", "N.X.MSTRONG", "N.X.Mine", "N.Y.y"]
        (tmp_path / "A.Strong/A.Strong.csproj").write_text(compiling("../A/X.cs"))
        bench.index.refresh()
        assert hits(bench, "y in:A.Strong") == []


COMPILED = st.dictionaries(
    st.sampled_from("ABCD"), st.frozensets(st.sampled_from(["P", "Q", "R"]), min_size=1), min_size=2
)


@given(COMPILED)
@settings(max_examples=20)
def test_ids_are_one_to_one_with_key_and_files(
    tmp_path_factory: pytest.TempPathFactory, compiled: Mapping
) -> None:
    there = sorted(frozenset().union(*compiled.values()))
    files = {f"f/{name}.cs": f"partial class X {{ int {name}; }} class {name} {{ }}" for name in there}
    for name, paths in compiled.items():
        files[f"{name}/{name}.csproj"] = compiling(" ".join(f"../f/{path}.cs" for path in sorted(paths)))
    with indexed(tmp_path_factory.mktemp("w"), files) as bench:
        every = [each for each in bench.index.symbols() if each.is_type]
        assert len({each.id for each in every}) == len(every)
        wholes = [each.projects for each in every if each.name == "X"]
        assert sorted(name for projects in wholes for name in projects) == sorted(compiled)
        for first, *others in wholes:
            assert all(compiled[other] <= compiled[first] for other in others)
            assert not any(compiled[first] <= compiled[other[0]] for other in wholes if other[0] != first)
        for each in every:
            answer = bench.lookup.resolve(each.id).symbol
            assert answer is not None
            assert (answer.id, answer.project) == (each.id, each.project)
            key = f"{each.fqn}|class|0"
            lone = len(wholes) == 1 or each.name != "X"
            assert each.id == type_id(key if lone else f"{key}|{each.project}")


BRANCHES = """namespace N;
public class X
{
    public int Both { get; set; }
    public int Shared() => Both;
#if STRONG
    public int Strong;
    public int Uses() => Strong + Both;
    public void Take(long n) { }
#else
    public int Weak;
    public int Uses() => Weak + Both;
    public void Take(string s) { }
#endif
}
"""


def branched(tmp_path: Path) -> Bench:
    files = {
        **TWO,
        "A.Strong/A.Strong.csproj": compiling("../A/*.cs", properties=STRONG),
        "A.Strong/In.cs": "namespace N; class In { int M(X x) => x.Strong + x.Both; void T(X x) => x.Take(1); }",
        "A/X.cs": BRANCHES,
        "A/Out.cs": "namespace N; class Out { int M(X x) => x.Weak; }",
    }
    write_workspace(
        tmp_path, {**files, "A.Strong/A.Strong.csproj": compiling("../A/X.cs", properties=STRONG)}
    )
    return opened(tmp_path)


def test_usages_are_found_in_every_text_that_the_preprocessor_leaves(tmp_path: Path) -> None:
    with branched(tmp_path) as bench:
        bench.index.refresh()

        def used(path: str) -> list[tuple[str, int, str]]:
            return sorted((each.file, each.line, each.grade) for each in bench.usages.find(path).usages)

        assert used("X.Strong") == [("A.Strong/In.cs", 1, "bound"), ("A/X.cs", 8, "bound")]
        assert used("X.Weak") == [("A/Out.cs", 1, "bound"), ("A/X.cs", 12, "bound")]
        assert used("X.Both") == [
            ("A.Strong/In.cs", 1, "bound"),
            ("A/X.cs", 5, "bound"),
            ("A/X.cs", 8, "bound"),
            ("A/X.cs", 12, "bound"),
        ]
        assert used("X.Take(long)") == [("A.Strong/In.cs", 1, "bound")]
        assert used("X.Take(string)") == []
        callers = {each.name for each in bench.hierarchy.step("X.Strong", Direction.CALLERS)}
        assert callers == {"N.X.Uses", "N.In.M"}
        both = [each.name for each in bench.hierarchy.step("X.Both", Direction.CALLERS)]
        assert sorted(both) == ["N.In.M", "N.X.Shared", "N.X.Uses"]


@pytest.mark.parametrize(("line", "column", "name"), [(8, 25, "Strong"), (12, 25, "Weak"), (5, 27, "Both")])
def test_names_are_followed_in_every_text_that_the_preprocessor_leaves(
    tmp_path: Path, line: int, column: int, name: str
) -> None:
    with branched(tmp_path) as bench:
        bench.index.refresh()
        found = bench.index.facade.files.definition("A/X.cs", line, column)
        assert ([each.path for each in found.symbols], found.certain) == ([f"N.X.{name}"], True)


def test_a_line_stands_in_what_any_of_its_projects_declares_there(tmp_path: Path) -> None:
    with branched(tmp_path) as bench:
        bench.index.refresh()
        around = {line: bench.index.facade.files.enclosing("A/X.cs", line) for line in (5, 8, 9, 12, 15)}
        assert {line: ref and ref.path for line, ref in around.items()} == {
            5: "N.X.Shared",
            8: "N.X.Uses",
            9: "N.X.Take",
            12: "N.X.Uses",
            15: "N.X",
        }


PARTS = {
    "A/A.csproj": project(),
    "A/X.cs": "namespace N; public partial class X { public static int S; }",
    "A/More.cs": "namespace N; /// <summary>Speaks for it.</summary>\npublic partial class X { public int Only; }",
    "B/B.csproj": compiling("../A/X.cs"),
    "B/U.cs": "class U { int M() => N.X.S; }",
    "C/C.csproj": compiling("", ["A"]),
    "C/U.cs": "class V { int M() => N.X.S; }",
}
"""A type of two parts, of which another project compiles one."""


@pytest.mark.parametrize(("path", "part"), [("B/U.cs", "A/X.cs"), ("C/U.cs", "A/More.cs")])
def test_a_name_leads_to_a_part_that_its_project_sees(tmp_path: Path, path: str, part: str) -> None:
    with indexed(tmp_path, PARTS) as bench:
        found = bench.index.facade.files.definition(path, 1, 24)
        assert ([(each.path, each.file) for each in found.symbols], found.certain) == ([("N.X", part)], True)


def test_usages_of_what_one_project_compiles_are_told_from_those_of_another(tmp_path: Path) -> None:
    with indexed(
        tmp_path, {**PARTS, "D/D.csproj": compiling("", ["B"]), "D/U.cs": "class W { N.X x; }"}
    ) as bench:

        def used(project: str, path: str = "N.X") -> set[str]:
            return {each.file for each in bench.usages.find(path, project=project).usages}

        assert used("") == {"B/U.cs", "C/U.cs", "D/U.cs"}
        assert (used("A"), used("B")) == ({"C/U.cs"}, {"B/U.cs", "D/U.cs"})
        assert (used("A", "N.X.S"), used("B", "N.X.S")) == ({"C/U.cs"}, {"B/U.cs"})
        with pytest.raises(UsageError, match=r"C does not compile X\. These do: A, B\."):
            used("C")


def test_usages_in_a_file_that_both_projects_compile_are_of_what_each_compiles(tmp_path: Path) -> None:
    with indexed(tmp_path, TWO) as bench:
        for project_ in ("", "A", "A.Strong"):
            found = bench.usages.find("N.X", project=project_)
            assert [(each.file, each.grade) for each in found.usages] == [("A/X.cs", "bound")]
