"""Interfaces made of the public members of a type."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.errors import EditConflict, UsageError
from tests.support.workspace import indexed, project

SHOP = """using System;
using System.Collections.Generic;

namespace Shop;

public class Basket<T> : IDisposable where T : class
{
    public int Count { get; private set; }
    public T this[int at] => null;
    public event Action Changed;
    public List<T> All<U>(U one, int n = 3) where U : T => null;
    public static int Made;
    internal void Hidden() { }
    public override string ToString() => "";
    public void Dispose() { }
}

class Other { }
"""
MADE = """using System;
using System.Collections.Generic;

namespace Shop;

public interface IBasket<T> where T : class
{
    int Count { get; }
    T this[int at] { get; }
    event Action Changed;
    List<T> All<U>(U one, int n = 3) where U : T;
    void Dispose();
}
"""


def test_public_members_become_an_interface_in_a_file_of_its_own(tmp_path: Path) -> None:
    with indexed(tmp_path, {"P.csproj": project(), "Shop.cs": SHOP}) as bench:
        answer = bench.refactoring.extract_interface("Shop.Basket", "IBasket")
        assert answer.created == "public interface IBasket<T> where T : class"
        assert (tmp_path / "IBasket.cs").read_text() == MADE
        assert "Basket<T> : IDisposable, IBasket<T> where" in (tmp_path / "Shop.cs").read_text()
        bench.writing.undo(None)
        assert (tmp_path / "Shop.cs").read_text() == SHOP


def test_members_can_be_chosen(tmp_path: Path) -> None:
    files = {
        "P.csproj": project(),
        "A.cs": "class A { public int N; public void M() { } public void K() { } }\n",
    }
    with indexed(tmp_path, files) as bench:
        bench.refactoring.extract_interface("A", "IA", ["K"])
        assert (tmp_path / "IA.cs").read_text() == "internal interface IA\n{\n    void K();\n}\n"
        assert (tmp_path / "A.cs").read_text().startswith("class A : IA {")


@pytest.mark.parametrize(
    ("name", "new", "members", "why"),
    [
        ("A", "IA", ["Gone"], "no public member"),
        ("B", "IB", [], "no public members"),
        ("A.M", "IA", [], "made of a class"),
        ("A", "1", [], "identifier"),
    ],
)
def test_what_has_no_interface_is_refused(
    tmp_path: Path, name: str, new: str, members: list[str], why: str
) -> None:
    files = {"P.csproj": project(), "A.cs": "class A { public void M() { } } class B { } interface IC { }\n"}
    with indexed(tmp_path, files) as bench, pytest.raises(UsageError, match=why):
        bench.refactoring.extract_interface(name, new, members)


def test_a_name_that_is_there_is_refused(tmp_path: Path) -> None:
    files = {"P.csproj": project(), "A.cs": "class A { public void M() { } } interface IC { }\n"}
    with indexed(tmp_path, files) as bench, pytest.raises(EditConflict, match="already"):
        bench.refactoring.extract_interface("A", "IC")
