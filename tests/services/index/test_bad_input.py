"""What must not hurt: each of these stands beside a good file, which is indexed as ever, and is said."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from services.bench.bench import Bench
from tests.support.workspace import indexed, project

GOOD = {"good/Good.csproj": project(), "good/Good.cs": "public class Good { public void Go() { } }"}


def types(bench: Bench) -> set[str]:
    return {symbol.fqn for symbol in bench.index.symbols() if symbol.is_type}


def said(bench: Bench) -> str:
    return "\n".join(f"{notice.file}: {notice.message}" for notice in bench.health.notices())


def reference(path: str) -> str:
    return project().replace(
        "</Project>", f'<ItemGroup><ProjectReference Include="{path}" /></ItemGroup></Project>'
    )


BOMB = (
    '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY a{n} "{"&a" + (str(n - 1) if n else "") + ";" * 1}">' for n in range(9))
    + "]><Project>&a8;</Project>"
)
SOLUTION = (
    'Project("{FAE04EC0-301F-11D3-BF4B-00C04F79EFBC}") = "Gone", "gone\\Gone.csproj", "{1}"\nEndProject\n'
)
IMPORT = '<Project><Import Project="{}" /></Project>'

PROJECTS: dict[str, tuple[Mapping[str, str], str]] = {
    "references in a circle": (
        {"a/A.csproj": reference("../b/B.csproj"), "b/B.csproj": reference("../a/A.csproj")},
        "circle",
    ),
    "imports in a circle": (
        {
            "a/A.csproj": project().replace("</Project>", '<Import Project="x.props" /></Project>'),
            "a/x.props": IMPORT.format("y.props"),
            "a/y.props": IMPORT.format("x.props"),
        },
        "circle",
    ),
    "a solution of what is not there": (
        {"All.sln": "Microsoft Visual Studio Solution File, Format Version 12.00\n" + SOLUTION},
        "Gone.csproj",
    ),
    "an XML bomb": ({"a/A.csproj": BOMB, "a/A.cs": "class A {}"}, "cannot be read"),
}


@pytest.mark.parametrize(("files", "message"), PROJECTS.values(), ids=PROJECTS)
def test_bad_projects(tmp_path: Path, files: Mapping[str, str], message: str) -> None:
    with indexed(tmp_path, {**GOOD, **files}) as bench:
        assert "Good" in types(bench)
        assert message in said(bench)


WORDS = "class { } public int x ( ) ; => < > , = [ ]"


def tokens(count: int) -> str:
    rng = random.Random(7)
    words = WORDS.split()
    return " ".join(rng.choice(words) for _ in range(count))


DEEP = 10_000
SOURCES: dict[str, tuple[str, str]] = {
    "types nested deep": ("class A { " * 3 * DEEP + "}" * 3 * DEEP, "exact"),
    "blocks nested deep": ("class A { void M() " + "{" * DEEP + "}" * DEEP + " }", "exact"),
    "brackets nested deep": ("class A { int x = " + "(" * DEEP + "1" + ")" * DEEP + "; }", "exact"),
    "ranks without an end": ("class A { int" + "[]" * DEEP + " x; int" + "*" * DEEP + " y; }", "exact"),
    "unbalanced directives": ("#if A\n" * 5_000 + "class A {}\n#endif\n#else\n" * 100, "directives"),
    "many declarators": ("class A { int " + ", ".join(f"x{n} = {n}" for n in range(5_000)) + "; }", "exact"),
    "no sense at all": ("class A { }\n" + tokens(16_000), "failed"),
    "a string without an end": ('class A { string x = """' + "abc \n" * 20_000, "failed"),
}


@pytest.mark.parametrize(("source", "quality"), SOURCES.values(), ids=SOURCES)
def test_bad_sources(tmp_path: Path, source: str, quality: str) -> None:
    began = time.thread_time()
    with indexed(tmp_path, {**GOOD, "bad/Bad.csproj": project(), "bad/Bad.cs": source}) as bench:
        assert "Good" in types(bench)
        assert bench.health.status().quality.get(quality, 0) >= 1
    assert time.thread_time() - began < 30


def test_fields_that_share_a_declaration_are_bound_once_and_have_their_own_values(tmp_path: Path) -> None:
    many = ", ".join(f"x{n} = new Made()" for n in range(5_000))
    source = (
        f"class A {{ Made {many}, last = Made.Make(); }} class Made {{ public static Made Make() => null; }}"
    )
    began = time.thread_time()
    with indexed(tmp_path, {"A.cs": source}) as bench:
        bench.index.relate_whole()
        assert [
            each.enclosing and each.enclosing.path for each in bench.usages.find("Made.Make()").usages
        ] == ["A.last"]
        assert bench.usages.find("Made").total > 5_000
    assert time.thread_time() - began < 30


@pytest.mark.parametrize(("deep", "told"), [(50, 50), (3_000, None)])
def test_usages_inside_calls_nested_deep(tmp_path: Path, deep: int, told: int | None) -> None:
    source = (
        "class A { int F(int a) => a; int F(string a) => 1; int M() => "
        + "F(" * deep
        + "1"
        + ")" * deep
        + "; }"
    )
    with indexed(tmp_path, {"A.cs": source}) as bench:
        found = bench.usages.find("A.F(int)").usages
        assert told is None or len(found) == told


def test_files_that_could_not_be_read_whole_are_said(tmp_path: Path) -> None:
    with indexed(tmp_path, {**GOOD, "bad/A.cs": "class A { }\n" + tokens(16_000)}) as bench:
        assert "bad/A.cs: 1 C# file could not be read whole: bad/A.cs." in said(bench)


def test_a_file_too_hard_to_parse_keeps_its_beginning(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.cs": "public class First { public int X; }\n" + tokens(16_000)}) as bench:
        assert bench.health.status().quality == {"failed": 1}
        assert "First" in types(bench)


def test_one_line_of_ten_megabytes_is_left_out_and_said(tmp_path: Path) -> None:
    line = "class A { " + "void M() { } " * 800_000 + "}"
    with indexed(tmp_path, {**GOOD, "bad/Line.cs": line}) as bench:
        assert types(bench) == {"Good"}
        assert "bad/Line.cs" in said(bench)


def test_thousands_of_parts_are_one_type(tmp_path: Path) -> None:
    parts = "\n".join(f"partial class Many {{ public int F{n}; }}" for n in range(5_000))
    with indexed(tmp_path, {**GOOD, "bad/Many.cs": parts}) as bench:
        assert types(bench) == {"Good", "Many"}
        detail = bench.outlines.detail("Many")
        assert (len(detail.parts), len(detail.members)) == (5_000, 5_001)
        assert bench.outlines.outline("Many").text.count("\n") < 400


@pytest.mark.parametrize("name", ["Größe", "Ключ", "名前", "اسم", "שם", "नाम", "ชื่อ", "𝒳"])
def test_names_in_every_script(tmp_path: Path, name: str) -> None:
    inside = (
        f"public {name} {name}2() => null; public record {name}3(int {name}); void Use() {{ {name}2(); }}"
    )
    source = f"namespace {name}s {{ public class {name} {{ {inside} }} }}"
    with indexed(tmp_path, {"A.cs": source}) as bench:
        found = bench.lookup.resolve(f"{name}s.{name}.{name}2").symbol
        assert found is not None
        assert found.label == f"{name}2()"
        assert f"{name}s.{name}+{name}3" in types(bench)
        (usage,) = bench.usages.find(found.id).usages
        assert usage.grade == "bound"
        assert bench.index.search(name, limit=5).hits[0].symbol.label == name


def test_two_projects_that_declare_the_same_type_have_two_ids(tmp_path: Path) -> None:
    files = {f"{name}/{name}.csproj": project() for name in "ab"} | {
        f"{name}/Twin.cs": f"namespace N; public class Twin {{ int {name}; }}" for name in "ab"
    }
    with indexed(tmp_path, {**GOOD, **files}) as bench:
        answer = bench.lookup.resolve("N.Twin")
        assert sorted(candidate.project for candidate in answer.candidates) == ["a", "b"]
        assert len({candidate.id for candidate in answer.candidates}) == 2
        assert "Good" in types(bench)
