"""Why a type changed (SPEC section 6)."""

from pathlib import Path

import pytest

from tests.support.workspace import edit, indexed

TEXT = "public class A\n{\n    /// <summary>One.</summary>\n    public int M() { return 1; }\n    int x = 1;\n}\n"


@pytest.mark.parametrize(
    ("old", "new", "change"),
    [
        ("public int M", "public long M", "structure"),
        ("public class A", "public class A : I", "structure"),
        ("public class A", "[X] public class A", "structure"),
        ("public int M", "internal int M", "structure"),
        ("return 1", "return 2", "public behaviour"),
        ("x = 1", "x = 2", "internal"),
        ("int x = 1;", "", "internal"),
        ("One.", "Two.", "docs"),
        ("    int x", "\n  // why\n  int   x", "cosmetic"),
    ],
)
def test_a_change_has_the_class_of_what_it_touches(tmp_path: Path, old: str, new: str, change: str) -> None:
    with indexed(tmp_path, {"A.cs": TEXT, "B.cs": "class B { }"}) as bench:
        edit(tmp_path, "A.cs", TEXT.replace(old, new))
        assert [(each.fqn, each.change.value) for each in bench.refresh()] == [("A", change)]


def test_a_first_refresh_changes_nothing_and_an_idle_one_neither(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.cs": TEXT}) as bench:
        assert bench.refresh() == ()


def test_a_part_that_comes_or_goes_changes_its_type(tmp_path: Path) -> None:
    with indexed(
        tmp_path, {"A.cs": "partial class A { }", "B.cs": "partial class A { public int X; }"}
    ) as bench:
        (tmp_path / "B.cs").unlink()
        assert [(each.fqn, each.change.value) for each in bench.refresh()] == [("A", "structure")]


def test_subscribers_are_told_until_they_stop(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.cs": TEXT}) as bench:
        told: list[str] = []
        stop = bench.subscribe(lambda changes: told.extend(each.fqn for each in changes))
        edit(tmp_path, "A.cs", TEXT.replace("return 1", "return 2"))
        bench.refresh()
        stop()
        edit(tmp_path, "A.cs", TEXT)
        bench.refresh()
        assert told == ["A"]
