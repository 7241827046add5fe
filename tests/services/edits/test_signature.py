"""Changed parameter lists with their calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.errors import EditConflict, UsageError
from tests.support.workspace import indexed, project

CASES = [
    (
        "b, a",
        'int M(int a, string b) => a; int N() => M(1, "x");',
        'int M(string b, int a) => a; int N() => M("x", 1);',
    ),
    (
        "b, a",
        "int M(int a, int b) => a; int N() => M(b: 1, a: 2);",
        "int M(int b, int a) => a; int N() => M(1, 2);",
    ),
    ("a", "int M(int a, int b) => a; int N() => M(1, 2);", "int M(int a) => a; int N() => M(1);"),
    (
        "a, int c := 7",
        "int M(int a) => a; int N() => this.M(1) + M(a: 2);",
        "int M(int a, int c) => a; int N() => this.M(1, 7) + M(2, 7);",
    ),
    ("a, int c = 7", "int M(int a) => a; int N() => M(1);", "int M(int a, int c = 7) => a; int N() => M(1);"),
    (
        "a, c, b",
        "int M(int a, int b = 1, int c = 2) => a; int N() => M(1) + M(1, 5) + M(1, c: 6);",
        "int M(int a, int c = 2, int b = 1) => a; int N() => M(1) + M(1, b: 5) + M(1, 6);",
    ),
    (
        "b, a, rest",
        "int M(int a, int b, params int[] rest) => a; int N() => M(1, 2, 3, 4) + M(1, 2);",
        "int M(int b, int a, params int[] rest) => a; int N() => M(2, 1, 3, 4) + M(2, 1);",
    ),
    (
        "b, a",
        "int M(int a, int b) => a; int F() => 1; int N() => M(F(), F());",
        "int M(int b, int a) => a; int F() => 1; int N() => M(a: F(), b: F());",
    ),
    (
        "b, a",
        "int M(int a, int b) => a; int N() => M(M(1, 2), 3);",
        "int M(int b, int a) => a; int N() => M(3, M(2, 1));",
    ),
    (
        "System.Func<int, int> f := null, a",
        "int M(int a) => a; int N() => M(1);",
        "int M(System.Func<int, int> f, int a) => a; int N() => M(null, 1);",
    ),
]


@pytest.mark.parametrize(("parameters", "before", "after"), CASES)
def test_calls_follow(tmp_path: Path, parameters: str, before: str, after: str) -> None:
    with indexed(tmp_path, {"P.csproj": project(), "A.cs": f"class A {{ {before} }}\n"}) as bench:
        bench.refactoring.change_signature("A.M", parameters)
        assert (tmp_path / "A.cs").read_text() == f"class A {{ {after} }}\n"


def test_overrides_and_implementations_change_together(tmp_path: Path) -> None:
    text = (
        "interface I { int M(int a, int b); }\nclass A : I { public virtual int M(int x, int y) => x; }\n"
        "class B : A { public override int M(int p, int q) => base.M(p, q); }\n"
        "class C { int N(I i, B b) => i.M(1, 2) + b.M(q: 4, p: 3); }\n"
    )
    with indexed(tmp_path, {"P.csproj": project(), "A.cs": text}) as bench:
        bench.refactoring.change_signature("I.M", "b, a")
        assert (tmp_path / "A.cs").read_text() == (
            "interface I { int M(int b, int a); }\nclass A : I { public virtual int M(int y, int x) => x; }\n"
            "class B : A { public override int M(int q, int p) => base.M(q, p); }\n"
            "class C { int N(I i, B b) => i.M(2, 1) + b.M(4, 3); }\n"
        )


def test_an_extension_method_is_called_both_ways(tmp_path: Path) -> None:
    text = (
        "static class X { public static int M(this int n, int a, int b) => n; }\n"
        "class C { int N() => 1.M(2, 3) + X.M(1, 2, 3); }\n"
    )
    with indexed(tmp_path, {"P.csproj": project(), "A.cs": text}) as bench:
        bench.refactoring.change_signature("X.M", "n, b, a")
        assert "1.M(3, 2) + X.M(1, 3, 2)" in (tmp_path / "A.cs").read_text()


@pytest.mark.parametrize(
    ("parameters", "code", "why"),
    [
        ("", "int M(int a) => a;", "a is used there"),
        ("b, a", "int M(int a, int b) => a; System.Func<int, int, int> F() => M;", "without being called"),
        ("a", "int M(int a, int b) => a; int F() => 1; int N() => M(1, F());", "does something"),
        ("a, int c := 1", "int M(int a) => a; int M(int a, int c) => 2;", "overload"),
    ],
)
def test_what_would_change_what_the_code_does_is_refused(
    tmp_path: Path, parameters: str, code: str, why: str
) -> None:
    name = "A.M(int)" if "c)" in code else "A.M"
    files = {"P.csproj": project(), "A.cs": f"class A {{ {code} }}\n"}
    with indexed(tmp_path, files) as bench, pytest.raises(EditConflict, match=why):
        bench.refactoring.change_signature(name, parameters)


def test_an_override_of_the_framework_is_refused(tmp_path: Path) -> None:
    files = {"P.csproj": project(), "A.cs": "class A { public override int GetHashCode() => 1; }\n"}
    with indexed(tmp_path, files) as bench, pytest.raises(EditConflict, match="has to stay as it is"):
        bench.refactoring.change_signature("A.GetHashCode", "int n = 0")


@pytest.mark.parametrize(
    ("parameters", "why"),
    [("x", "no parameter"), ("a, a", "twice"), ("a, b", "already"), ("b, int c = 1, a", "no default")],
)
def test_a_list_that_makes_no_sense_is_refused(tmp_path: Path, parameters: str, why: str) -> None:
    with indexed(
        tmp_path, {"P.csproj": project(), "A.cs": "class A { int M(int a, int b) => a + b; }\n"}
    ) as bench:
        with pytest.raises(UsageError, match=why):
            bench.refactoring.change_signature("A.M", parameters)
        with pytest.raises(UsageError, match="method"):
            bench.refactoring.change_signature("A", parameters)
