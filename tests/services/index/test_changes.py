"""Why a type changed (SPEC section 6)."""

from pathlib import Path

import pytest

from services.bench import Bench
from services.index.symbols.placed import public_part
from services.model import ChangeClass
from services.settings import IndexSettings, Settings
from tests.support.workspace import edit, indexed, write_workspace

TEXT = """public class A
{
    /// <summary>One.</summary>
    public int M() { return 1; }
    int x = 1;
    internal void I() { }
    int H() => 1;
    public int R => Near();
    int Near() => 3 + Far;
    int Far => 5 + y;
    int y = 7;
    public A() : this(3) { }
    private A(int Z) { Z(); void Z() { } }
}
"""


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
        ("public int M() { return 1; }", "public int M() { return H(); }", "public behaviour"),
        ("internal void I() { }", "internal void I(int a) { }", "internal"),
        ("internal void I() { }", "internal void I() { I(); }", "public behaviour"),
        ("=> 1;", "=> 2;", "internal"),
        ("3 + Far", "4 + Far", "public behaviour"),
        ("5 + y", "6 + y", "public behaviour"),
        ("y = 7", "y = 8", "public behaviour"),
        ("Z() { }", "Z() { int a; }", "public behaviour"),
    ],
)
def test_a_change_has_the_class_of_what_it_touches(tmp_path: Path, old: str, new: str, change: str) -> None:
    with indexed(tmp_path, {"A.cs": TEXT, "B.cs": "class B { }"}) as bench:
        edit(tmp_path, "A.cs", TEXT.replace(old, new))
        assert [(each.fqn, each.change.value) for each in bench.index.refresh()] == [("A", change)]


def classes(folder: Path, old: str, new: str, **rules: bool) -> list[str]:
    """How `A` changes where hashes are made by other rules."""
    settings = Settings(index=IndexSettings(workers=1, **rules))
    write_workspace(folder, {"A.cs": TEXT})
    with Bench.open(folder, settings=settings) as bench:
        bench.index.refresh()
        edit(folder, "A.cs", TEXT.replace(old, new))
        return [each.change.value for each in bench.index.refresh()]


def test_internal_members_and_docs_count_for_structure_where_the_settings_say_so(tmp_path: Path) -> None:
    internal = ("internal void I() { }", "internal void I(int a) { }")
    assert classes(tmp_path / "a", *internal, hash_internal=True) == ["structure"]
    assert classes(tmp_path / "b", *internal, hash_docs=True) == ["internal"]
    assert classes(tmp_path / "c", "One.", "Two.", hash_docs=True) == ["structure"]
    assert classes(tmp_path / "d", "One.", "Two.", hash_internal=True) == ["docs"]
    assert classes(tmp_path / "e", "int x = 1;", "long x = 1;", hash_internal=True, hash_docs=True) == [
        "internal"
    ]


def test_the_halves_of_an_impl_hash_tell_public_behaviour_from_the_rest(tmp_path: Path) -> None:
    def impl(old: str = "", new: str = "") -> str:
        edit(tmp_path, "A.cs", TEXT.replace(old, new) if old else TEXT)
        bench.index.refresh()
        return bench.outlines.detail("A").hashes["impl"]

    with indexed(tmp_path, {"A.cs": TEXT}) as bench:
        usual, inner, outer = impl(), impl("x = 1", "x = 2"), impl("=> 3", "=> 4")
        assert len(usual) == 8
        assert public_part(inner) == public_part(usual) != public_part(outer)
        assert inner.removeprefix(public_part(inner)) != usual.removeprefix(public_part(usual))
        assert outer.removeprefix(public_part(outer)) == usual.removeprefix(public_part(usual))


def test_a_cosmetic_edit_wakes_only_those_who_show_lines(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.cs": TEXT, "B.cs": "class B { }"}) as bench:
        woken: list[str] = []
        lines: list[str] = []
        bench.sharing.subscribe(lambda changes: woken.extend(f"{each.fqn} {each.change}" for each in changes))
        bench.sharing.subscribe(lambda changes: lines.extend(each.fqn for each in changes), cosmetic=True)
        edit(tmp_path, "A.cs", f"// Moved by a line.\n{TEXT}")
        assert [each.change for each in bench.index.refresh()] == [ChangeClass.COSMETIC]
        assert (woken, lines) == ([], ["A"])
        edit(tmp_path, "A.cs", TEXT.replace("return 1", "return 2"))
        edit(tmp_path, "B.cs", "  class B { }")
        bench.index.refresh()
        assert (woken, lines) == (["A public behaviour"], ["A", "A", "B"])


def test_a_first_refresh_changes_nothing_and_an_idle_one_neither(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.cs": TEXT}) as bench:
        assert bench.index.refresh() == ()


def test_a_part_that_comes_or_goes_changes_its_type(tmp_path: Path) -> None:
    with indexed(
        tmp_path, {"A.cs": "partial class A { }", "B.cs": "partial class A { public int X; }"}
    ) as bench:
        (tmp_path / "B.cs").unlink()
        assert [(each.fqn, each.change.value) for each in bench.index.refresh()] == [("A", "structure")]


def test_subscribers_are_told_until_they_stop(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.cs": TEXT}) as bench:
        told: list[str] = []
        stop = bench.sharing.subscribe(lambda changes: told.extend(each.fqn for each in changes))
        edit(tmp_path, "A.cs", TEXT.replace("return 1", "return 2"))
        bench.index.refresh()
        stop()
        edit(tmp_path, "A.cs", TEXT)
        bench.index.refresh()
        assert told == ["A"]
