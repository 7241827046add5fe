"""What goes stale with a change, and changes that more than one pass brought."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from services.bench.bench import Bench
from services.errors import Cancelled
from services.model import ChangeClass, Progress, TypeChange
from services.settings import IndexSettings, Settings
from tests.support.workspace import edit, indexed, project

FILES = {
    "A.csproj": project(),
    "Base.cs": "public class Base { public void Go() { int x = 1; } }",
    "Middle.cs": "public class Middle { public Base Of; }",
    "Top.cs": "public class Top { public Middle Of; }",
    "Other.cs": "public class Other { public Ring Of; }",
    "Ring.cs": "public class Ring { public Round Next; public void Turn() { int x = 1; } }",
    "Round.cs": "public class Round { public Ring Back; }",
}


def names(bench: Bench, change: TypeChange) -> list[str]:
    found = {symbol.id: symbol.fqn for symbol in bench.index.symbols() if symbol.is_type}
    return [found[id_] for id_ in change.stale]


def changed(bench: Bench, path: str, text: str) -> TypeChange:
    edit(bench.root, path, text)
    (change,) = bench.index.refresh()
    return change


def test_downstream_goes_stale_with_structure_the_nearest_first(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        bench.index.relate()
        change = changed(bench, "Base.cs", FILES["Base.cs"].replace("Go()", "Go(int a)"))
        assert change.change is ChangeClass.STRUCTURE
        assert names(bench, change) == ["Middle", "Top"]


def test_what_a_type_does_makes_nobody_stale_but_its_circle(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        bench.index.relate()
        change = changed(bench, "Base.cs", FILES["Base.cs"].replace("1", "2"))
        assert (change.change, change.stale) == (ChangeClass.PUBLIC_BEHAVIOUR, ())
        change = changed(bench, "Ring.cs", FILES["Ring.cs"].replace("1", "2"))
        assert names(bench, change) == ["Round"]
        change = changed(bench, "Ring.cs", FILES["Ring.cs"].replace("Turn()", "Turn(int a)"))
        assert sorted(names(bench, change)) == ["Other", "Round"]


def test_words_make_a_new_outline_and_nothing_stale(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        bench.index.relate()
        change = changed(bench, "Base.cs", "/// <summary>One.</summary>\n" + FILES["Base.cs"])
        assert (change.change, change.stale) == (ChangeClass.DOCS, ())


def test_a_type_that_goes_makes_its_users_stale(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        bench.index.relate()
        change = changed(bench, "Middle.cs", "")
        assert change.change is ChangeClass.REMOVED
        assert names(bench, change) == ["Top"]


def test_edges_stay_right_over_edits(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        bench.index.relate()
        changed(bench, "Top.cs", "public class Top { public Other Of; }")
        bench.index.relate()
        assert changed(bench, "Middle.cs", "public class Middle { public Base Off; }").stale == ()
        bench.index.relate()
        assert names(bench, changed(bench, "Other.cs", "public class Other { public Ring Off; }")) == ["Top"]


def kinds(changes: tuple[TypeChange, ...]) -> dict[str, str]:
    return {change.fqn: str(change.change) for change in changes}


def test_changes_are_told_when_the_list_of_projects_changes(tmp_path: Path) -> None:
    files = {"b/B.csproj": project(), "b/B.cs": "class B {}", "c/C.csproj": project(), "c/C.cs": "class C {}"}
    with indexed(tmp_path, files) as bench:
        before = {symbol.fqn: symbol.id for symbol in bench.index.symbols()}
        edit(tmp_path, "a/A.csproj", project())
        edit(tmp_path, "a/A.cs", "class A {}")
        edit(tmp_path, "c/C.cs", "class C { int x; }")
        assert kinds(bench.index.refresh()) == {"A": "added", "C": "internal"}
        now = {symbol.fqn: (symbol.id, symbol.project) for symbol in bench.index.symbols() if symbol.is_type}
        assert now["B"] == (before["B"], "B")
        assert now["C"] == (before["C"], "C")
        assert [hit.symbol.label for hit in bench.index.search("in:C c", limit=9).hits][:1] == ["C"]
        (tmp_path / "b/B.csproj").unlink()
        (tmp_path / "b/B.cs").unlink()
        assert kinds(bench.index.refresh()) == {"B": "removed"}
        assert [hit.symbol.label for hit in bench.index.search("in:C", limit=9).hits][:1] == ["C"]
        assert bench.index.search("kind:class B", limit=9).hits == ()
    with Bench.open(tmp_path, settings=bench.settings) as again:
        assert again.index.load()
        assert again.index.refresh() == ()
        assert sorted(symbol.fqn for symbol in again.index.symbols() if symbol.is_type) == ["A", "C"]


def test_a_project_with_another_name_is_the_same_project(tmp_path: Path) -> None:
    files = {"b/B.csproj": project(), "b/B.cs": "class B {}"}
    with indexed(tmp_path, files) as bench:
        edit(tmp_path, "b/B.csproj", project("<AssemblyName>Other</AssemblyName>"))
        assert bench.index.refresh() == ()
        (symbol,) = (symbol for symbol in bench.index.symbols() if symbol.is_type)
        assert symbol.project == "Other"


def test_changes_of_a_cancelled_pass_are_told_by_the_next(tmp_path: Path) -> None:
    files = {f"F{n}.cs": f"class T{n} {{ }}" for n in range(40)}
    with indexed(tmp_path, files) as bench:
        for n in range(1, 40):
            edit(
                tmp_path, f"F{n}.cs", f"class T{n} {{ int x; }} class New{n} {{ {'// ' + 'x' * 90_000} \n }}"
            )
        (tmp_path / "F0.cs").unlink()
        cancel = threading.Event()

        def stop(progress: Progress) -> None:
            if progress.phase == "Reading C#":
                cancel.set()

        with pytest.raises(Cancelled):
            bench.index.refresh(progress=stop, cancel=cancel)
        told = kinds(bench.index.refresh())
    assert told == (
        {f"T{n}": "internal" for n in range(1, 40)}
        | {f"New{n}": "added" for n in range(1, 40)}
        | {"T0": "removed"}
    )


def test_what_is_said_for_a_whole_project_binds_its_files_anew(tmp_path: Path) -> None:
    files = {
        "A.csproj": project(),
        "One.cs": "namespace One { public class Item {} }",
        "Two.cs": "namespace Two { public class Item {} }",
        "Usings.cs": "global using One;",
        "User.cs": "class User { Item item; }",
    }
    with indexed(tmp_path, files) as bench:
        bench.index.relate()
        assert [link.fqn for link in bench.outlines.detail("User").depends_on] == ["One.Item"]
        edit(tmp_path, "Usings.cs", "global using Two;")
        bench.index.refresh()
        bench.index.relate()
        assert [link.fqn for link in bench.outlines.detail("User").depends_on] == ["Two.Item"]


def test_references_that_change_bind_anew(tmp_path: Path) -> None:
    reference = '<ItemGroup><ProjectReference Include="../b/B.csproj" /></ItemGroup>'
    with_reference = project().replace("</Project>", reference + "</Project>")
    files = {
        "a/A.csproj": project(),
        "a/User.cs": "class User { N.Item item; }",
        "b/B.csproj": project(),
        "b/Item.cs": "namespace N { public class Item {} }",
    }
    with indexed(tmp_path, files) as bench:
        bench.index.relate()
        assert bench.outlines.detail("User").depends_on == ()
        edit(tmp_path, "a/A.csproj", with_reference)
        bench.index.refresh()
        bench.index.relate()
        assert [link.fqn for link in bench.outlines.detail("User").depends_on] == ["N.Item"]


def test_of_two_projects_with_one_name_the_same_is_meant_whatever_came_first(tmp_path: Path) -> None:
    references = "".join(f'<ProjectReference Include="../{name}/{name}.csproj" />' for name in "bc")
    user = project().replace("</Project>", f"<ItemGroup>{references}</ItemGroup></Project>")
    item = "namespace N { public class Item {} }"
    files = {"a/A.csproj": user, "a/User.cs": "class User { N.Item item; }"} | {
        "b/b.csproj": project(), "c/c.csproj": project(), "c/Item.cs": item,
    }  # fmt: skip
    with indexed(tmp_path, files) as bench:
        bench.index.relate()
        edit(tmp_path, "b/Item.cs", item)
        bench.index.refresh()
        bench.index.relate()
        (link,) = bench.outlines.detail("User").depends_on
        symbol = bench.lookup.resolve(link.type_id or "").symbol
        assert symbol is not None
        assert symbol.project == "b"


def test_dependencies_are_kept_as_soon_as_they_are_worked_out(tmp_path: Path) -> None:
    """A terminal may be closed without a word, and they take long."""
    with indexed(tmp_path, FILES) as bench:
        bench.index.relate()
        with Bench.open(bench.root, settings=bench.settings) as other:
            assert other.index.load()
            assert other.index.is_related


@pytest.mark.parametrize("relates", [True, False])
def test_every_process_tells_the_same_of_what_went_stale(tmp_path: Path, *, relates: bool) -> None:
    names = [f"T{number:02}" for number in range(12)]
    uses = {f"{name}.cs": f"class {name} {{ Base b; }}" for name in names}
    files = {
        "Base.cs": "public class Base { public int X; }",
        "Last.cs": "class Last { T03 a; T01 b; }",
        **uses,
    }
    with indexed(tmp_path, dict(reversed(files.items()))) as one:
        told: dict[str, list[TypeChange]] = {"one": [], "other": []}
        with Bench.open(tmp_path, settings=Settings(index=IndexSettings(workers=1))) as other:
            other.index.refresh()
            if relates:
                one.index.relate()
            one.sharing.subscribe(told["one"].extend)
            other.sharing.subscribe(told["other"].extend)
            edit(tmp_path, "T05.cs", "class T05 { Base b; int more; }")  # comes last in one of them
            one.index.refresh()
            edit(tmp_path, "Base.cs", "public class Base { public long X; }")
            other.index.refresh()
            one.index.refresh()
        lists = {key: [each.stale for each in changes if each.fqn == "Base"] for key, changes in told.items()}
        (stale,) = lists["one"]
        assert lists["other"] == [stale]
        assert [one.lookup.resolve(id_).resolved.path for id_ in stale] == [*names, "Last"]
