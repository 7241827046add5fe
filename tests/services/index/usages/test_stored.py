"""Usages of types looked up in what the bodies of files were bound for, which is kept beside the graph."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.bench import Bench
from services.index.usages.bound_texts import WORD
from tests.support.workspace import indexed, opened

FILES = {
    "A.cs": (
        "using B = N.A; namespace N { [X(typeof(A))] public class A { A a = new A(); }"
        " class X : System.Attribute { public X(object o) {} } }"
    ),
    "Use.cs": (
        '/// <see cref="N.A"/>\nclass Use : N.A { object M(object o) => o is N.A a ? nameof(N.A) : a; }'
    ),
}


def _told(bench: Bench, path: str = "N.A", *, crefs: bool = True) -> list[tuple[str, int, int, str, str]]:
    usages = bench.usages.find(path, crefs=crefs).usages
    return [(u.file, u.line, u.column, u.kind, u.grade) for u in usages]


def test_what_is_looked_up_is_what_is_bound(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        bound, without = _told(bench), _told(bench, crefs=False)
    with opened(tmp_path) as bench:
        bench.index.refresh()
        bench.index.relate()
        bench.index.read_bodies()
        graph = bench.index.facade.graph()
        assert all(graph.bodies.places(file) for file in range(len(FILES)))
        assert _told(bench) == bound
        assert _told(bench) == bound  # and again
        assert _told(bench, crefs=False) == without
    assert len(bound) > len(without) > 5


def test_what_changed_is_bound_anew(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        bench.index.relate()
        bench.index.read_bodies()
        before = _told(bench)
        (tmp_path / "Use.cs").write_text(
            "class Use { N.A a; Other.A b; }\nnamespace Other { class A {} }", "utf-8"
        )
        bench.index.refresh()
        bench.index.relate()
        bench.index.read_bodies()
        after = _told(bench)
    assert [row for row in after if row[0] == "Use.cs"] == [("Use.cs", 1, 14, "type", "bound")]
    assert [row for row in after if row[0] == "A.cs"] == [row for row in before if row[0] == "A.cs"]


def test_a_constructor_is_found_where_its_type_is_not_named(tmp_path: Path) -> None:
    files = {
        "A.cs": "class A { public A(int n) {} } class B { public static void Do(A a) {} }",
        "C.cs": "class C { void M() => B.Do(new(1)); object n = new(); }",
        "D.cs": "class D { object n = new(); }",
    }
    with indexed(tmp_path, files) as bench:
        bound = _told(bench, "A.A(int)")
        bench.index.relate()
        bench.index.read_bodies()
    with opened(tmp_path) as bench:
        bench.index.refresh()
        bench.index.relate()
        looked_up = _told(bench, "A.A(int)")
    assert bound == looked_up == [("C.cs", 1, 27, "new", "bound")]


def test_an_edit_leaves_what_is_known_of_the_bodies_of_other_files(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        bench.index.relate()
        bench.index.read_bodies()
        facade = bench.index.facade
        before = {facade.catalogue.file(file).path for file in facade.graph().bodies.files()}
        edited = next(iter(FILES))
        (tmp_path / edited).write_text(FILES[edited] + "\nclass Later {}\n", "utf-8")
        bench.index.refresh()
        bench.index.relate()
        after = {facade.catalogue.file(file).path for file in facade.graph().bodies.files()}
    assert before == set(FILES)
    assert after >= before - {edited}


def test_reasons_of_delegates_are_told_from_what_was_kept(tmp_path: Path) -> None:
    source = (
        "public delegate int Del(int a, int b);\nclass Use { int M(Del d) { Del e = x => x; return d(1); } }"
    )
    with indexed(tmp_path, {"A.cs": source}) as bench:
        bound = [(u.line, u.column, u.grade, u.reason) for u in bench.usages.find("Del").usages]
    with opened(tmp_path) as bench:
        bench.index.refresh()
        bench.index.relate()
        bench.index.read_bodies()
        assert bench.index.facade.graph().bodies.places(0)
        assert [(u.line, u.column, u.grade, u.reason) for u in bench.usages.find("Del").usages] == bound
    assert [reason for *_, reason in bound if reason] == ["takes 2, the function 1", "takes 2, given 1"]


@pytest.mark.parametrize(
    ("code", "settled"),
    [
        ("_ = a.N + a.N;", ["N", "N"]),
        ("a.Do(1); a.ToString();", ["Do", "ToString"]),
        ("int N = 0; N++;", []),
        ("_ = far.N + d.N;", []),
        ("_ = nameof(a.Do);", []),
        ("Total = new Total().N;", ["N", "Total", "Total"]),
        ("Take(n: 1);", ["Take"]),
        ("a.Missing();", []),
    ],
)
def test_names_that_can_mean_one_symbol_alone_are_settled(
    tmp_path: Path, code: str, settled: list[str]
) -> None:
    head = (
        "class A { public int N; public void Do(int n) {} public void Do(string s) {} } class Total { public int N; }\n"
        "class Use { A a; object Total; void Take(int n) {} void M(dynamic d, Far.Away far) {"
    )
    with indexed(tmp_path, {"A.cs": f"{head} {code} }} }}"}) as bench:
        bench.index.relate()
        bench.index.read_bodies()
        texts = bench.index.facade.bound_texts()
        assert texts is not None
        (text,) = texts.holding(["Use"])
        found = [WORD.match(text.text, at) for at in texts.settled(text) if at > len(head)]
    assert sorted(each[0].decode() for each in found if each is not None and each[0] != b"a") == settled
