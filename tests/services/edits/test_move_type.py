"""Types moved to files of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.errors import CodeCortexError, EditConflict, UsageError
from tests.support.workspace import indexed, project

SHOP = """// Copyright of the shop.
using System;
using System.Collections.Generic;

namespace Shop;

/// <summary>What is bought.</summary>
[Serializable]
public class Basket
{
    private readonly List<Item> _items = new();
}

// What a basket holds.
public class Item
{
    public Basket In;
}
"""
BASKET = """// Copyright of the shop.
using System;
using System.Collections.Generic;

namespace Shop;

/// <summary>What is bought.</summary>
[Serializable]
public class Basket
{
    private readonly List<Item> _items = new();
}

"""
ITEM = """// Copyright of the shop.
using System;
using System.Collections.Generic;

namespace Shop;

// What a basket holds.
public class Item
{
    public Basket In;
}
"""


def test_a_type_takes_usings_namespace_and_comments_along(tmp_path: Path) -> None:
    with indexed(tmp_path, {"P.csproj": project(), "Shop.cs": SHOP}) as bench:
        answer = bench.refactoring.move("Shop.Item")
        assert answer.written
        assert (tmp_path / "Item.cs").read_text() == ITEM
        assert (tmp_path / "Shop.cs").read_text() == BASKET
        bench.writing.undo(None)
        assert not (tmp_path / "Item.cs").exists()
        assert (tmp_path / "Shop.cs").read_text() == SHOP


def test_a_type_in_a_block_of_its_namespace(tmp_path: Path) -> None:
    block = "namespace Shop\n{\n    class A\n    {\n    }\n\n    class B\n    {\n    }\n}\n"
    with indexed(tmp_path, {"P.csproj": project(), "A.cs": block}) as bench:
        bench.refactoring.move("Shop.B")
        assert (tmp_path / "B.cs").read_text() == "namespace Shop\n{\n    class B\n    {\n    }\n}\n"


@pytest.mark.parametrize(
    ("text", "name", "why"),
    [
        ("class A { class B { } } class C { }", "A.B", "inside a type"),
        ("class A { }", "A", "file of its own"),
        ("class A { } class B { }", "B", "already"),
        ("partial class C { } partial class C { } class D { }", "C", "parts"),
        ("class A { int n; } class D { }", "A.n", "not a member"),
        ("file class C { } class D { }", "C", "file alone"),
    ],
)
def test_what_has_no_file_of_its_own_is_refused(tmp_path: Path, text: str, name: str, why: str) -> None:
    files = {"P.csproj": project(), "A.cs": text, "B.cs": ""}
    with indexed(tmp_path, files) as bench, pytest.raises(UsageError, match=why):
        bench.refactoring.move(name)


def test_a_type_that_uses_what_its_file_alone_knows_stays(tmp_path: Path) -> None:
    text = "file class Secret { public int N; }\nclass Teller { int M() => new Secret().N; }\n"
    with indexed(tmp_path, {"P.csproj": project(), "A.cs": text}) as bench:
        with pytest.raises((EditConflict, CodeCortexError)):
            bench.refactoring.move("Teller")
        assert (tmp_path / "A.cs").read_text() == text
