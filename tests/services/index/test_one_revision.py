"""Readers hold one revision, and what a pass leaves is what a fresh index has."""

from __future__ import annotations

import random
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

from benchmarks.index.branch_switches import Dump, differences, dump
from services.bench import Bench
from services.errors import Cancelled
from services.index.catalog.store import StoredFile
from services.model import Progress
from tests.support.workspace import edit, indexed, opened, project, write_workspace

SHARED = '<ItemGroup><Compile Include="../Shared/*.cs" /></ItemGroup>'
PROJECTS = {
    f"{name}/{name}.csproj": project().replace("</Project>", f"{SHARED}</Project>")
    for name in ("A", "B", "C")
}


def fresh(folder: Path) -> Dump:
    """What an index that is made anew knows of a folder."""
    copy = folder.parent / "anew" / folder.name  # a folder without projects is one that has its name
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(".context"))
    with opened(copy) as bench:
        return dump(bench)


def test_an_edited_file_that_three_projects_share_leaves_what_a_fresh_index_has(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    files = {**PROJECTS, "Shared/One.cs": "public class One { public void Do() { } public int Count; }"}
    with indexed(folder, files) as bench:
        for text in (
            "public class One { }",
            "public class Two { void A() { } void B() { } }",
            "",
            "class One { }",
        ):
            edit(folder, "Shared/One.cs", text)
            bench.index.refresh()
            assert len(bench.index.facade.catalogue) >= 0
        assert differences(dump(bench), fresh(folder)) == []


def test_a_partial_record_whose_files_become_a_class_is_a_class(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    with indexed(
        folder, {"One.cs": "partial record R { int A; }", "Two.cs": "partial record R { int B; }"}
    ) as bench:
        for name in ("One.cs", "Two.cs"):
            edit(folder, name, (folder / name).read_text().replace("record", "class"))
        bench.index.refresh()
        assert bench.lookup.resolve("R").symbol.kind == "class"  # pyright: ignore[reportOptionalMemberAccess]
        assert differences(dump(bench), fresh(folder)) == []


@pytest.mark.parametrize("seed", range(6))
def test_files_that_come_go_and_change_leave_what_a_fresh_index_has(tmp_path: Path, seed: int) -> None:
    folder, choose = tmp_path / "shop", random.Random(seed)
    with indexed(folder, {**PROJECTS, "Shared/T0.cs": "public class T0 { }"}) as bench:
        for _ in range(12):
            for _ in range(choose.randint(1, 4)):
                _change(folder, choose)
            bench.index.refresh()
            if choose.random() < 0.5:
                bench.index.relate()
        assert differences(dump(bench), fresh(folder)) == []


def _change(folder: Path, choose: random.Random) -> None:
    place = choose.choice(("Shared", "A", "B"))
    path = f"{place}/T{choose.randrange(4)}.cs"
    if choose.random() < 0.25:
        (folder / path).unlink(missing_ok=True)
        return
    kind = choose.choice(("class", "struct", "record", "interface"))
    name, other = choose.randrange(4), choose.randrange(4)
    fields = " ".join(f"public T{other} F{n};" for n in range(choose.randrange(4)))
    edit(folder, path, f"namespace N {{ public partial {kind} T{name} {{ {fields} }} }}")


@pytest.mark.parametrize("seed", range(3))
def test_projects_that_come_and_go_leave_what_a_fresh_index_has(tmp_path: Path, seed: int) -> None:
    folder, choose = tmp_path / "shop", random.Random(seed)
    with indexed(
        folder, {**PROJECTS, "Shared/T0.cs": "public class T0 { }", "D/T.cs": "class D { T0 T; }"}
    ) as bench:
        for _ in range(6):
            path = choose.choice(("A/A.csproj", "B/B.csproj", "D/D.csproj"))
            if (folder / path).exists():
                (folder / path).unlink()
            else:
                write_workspace(folder, {path: PROJECTS.get(path, project())})
            _change(folder, choose)
            bench.index.refresh()
            bench.index.relate()
        assert differences(dump(bench), fresh(folder)) == []


# Readers


def test_a_reader_keeps_its_revision_while_the_file_changes(tmp_path: Path) -> None:
    """What it found before is described as it was, and the next question is about the next revision."""
    with indexed(tmp_path, {"A.cs": "class Before { int One; int Two; int Three; }"}) as bench:
        index = bench.index.facade
        found = index.resolve("Before").found[0]
        with index.reading():
            asked = threading.Thread(
                target=lambda: (edit(tmp_path, "A.cs", "class After { }"), bench.index.refresh())
            )
            asked.start()
            asked.join()
            hits = [hit.symbol.label for hit in index.search("Before", limit=5).hits]
            detail = index.detail(found.whole.index)
            assert hits == ["Before"]
            assert detail is not None
            assert [member.name for member in detail.members if not member.implicit] == [
                "One",
                "Two",
                "Three",
            ]
            assert index.resolve("After").found == ()
            assert index.describer.whole(found.whole.index) is not None
        assert bench.index.search("Before").hits == ()
        assert index.resolve("After").how == "exact"


def test_a_file_that_shrank_in_the_store_alone_is_read_as_it_was(tmp_path: Path) -> None:
    """The store may be ahead of what readers hold: of this process while a pass runs, of others at any time."""
    long, short = "class A { int One; int Two; int Three; }", "class A { }"
    with indexed(tmp_path, {"A.cs": long}) as bench, opened(tmp_path) as other:
        bench.index.facade._persistence.save()
        assert other.index.load()
        edit(tmp_path, "A.cs", short)
        bench.index.refresh()
        index = other.index.facade
        at = index.catalogue.type_at[0, "A", ""]
        detail = index.detail(at)
        assert detail is not None
        assert [member.name for member in detail.members if not member.implicit] == ["One", "Two", "Three"]


def test_an_answer_is_of_one_revision_although_the_next_comes_in_the_middle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with indexed(tmp_path, {"A.cs": "class Tree { int One; }"}) as bench:
        finder = bench.index.facade._core.published.finder
        find = finder.find

        def meanwhile(*given: Any, **named: Any) -> Any:
            answer = find(*given, **named)
            monkeypatch.setattr(finder, "find", find)
            edit(tmp_path, "A.cs", "// later\n\nclass Bush { }")
            changing = threading.Thread(target=bench.index.refresh)
            changing.start()
            changing.join()
            return answer

        monkeypatch.setattr(finder, "find", meanwhile)
        answer = bench.index.search("Tree")
        assert [(hit.symbol.label, hit.symbol.start_line) for hit in answer.hits] == [("Tree", 1)]
        assert [hit.symbol.start_line for hit in bench.index.search("Bush").hits] == [3]


def test_a_pass_that_is_cancelled_shows_nothing_and_the_next_one_all(tmp_path: Path) -> None:
    files = {f"F{n}.cs": f"class Old{n} {{ }}" for n in range(8)}
    with indexed(tmp_path, files) as bench:
        before = bench.index.facade.catalogue
        for name in files:
            edit(tmp_path, name, files[name].replace("Old", "Newer"))
        cancel = threading.Event()

        def stop(progress: Progress) -> None:
            if progress.phase == "Reading C#":
                cancel.set()
                raise Cancelled("enough")

        with pytest.raises(Cancelled):
            bench.index.refresh(progress=stop, cancel=cancel)
        assert bench.index.facade.catalogue is before
        assert bench.index.search("Old3").hits[0].symbol.label == "Old3"
        bench.index.refresh()
        assert bench.index.search("Newer3").hits[0].symbol.label == "Newer3"
        assert not bench.index.search("Old3").hits
        columns = bench.index.facade.catalogue.columns
        assert len(columns.name) == len(columns.dead) == 16, "rows that were given up are not kept"


def test_dependencies_are_of_the_revision_that_is_read(tmp_path: Path) -> None:
    with indexed(
        tmp_path, {"P.csproj": project(), "A.cs": "class A { B One; }", "B.cs": "class B { } class C { }"}
    ) as bench:
        bench.index.relate()
        index = bench.index.facade
        with index.reading():

            def change() -> None:
                edit(tmp_path, "A.cs", "class A { C One; }")
                bench.index.refresh()
                bench.index.relate()

            changing = threading.Thread(target=change)
            changing.start()
            changing.join()
            assert _named(bench) == ["B"]
        assert _named(bench) == ["C"]


def _named(bench: Bench) -> list[str]:
    index = bench.index.facade
    detail = index.detail(index.catalogue.type_at[0, "A", ""])
    assert detail is not None
    return [link.fqn for link in detail.depends_on if link.type_id]


def test_what_depends_on_a_type_as_often_is_told_by_name(tmp_path: Path) -> None:
    files = {f"{name}.cs": f"class {name} {{ Often O; }}" for name in ("Zoo", "Ant", "Fox")}
    with indexed(tmp_path, {"P.csproj": project(), "Often.cs": "class Often { }", **files}) as bench:
        bench.index.relate()
        edit(tmp_path, "Ant.cs", "class Ant { Often Again; }")
        bench.index.refresh()
        bench.index.relate()
        index = bench.index.facade
        detail = index.detail(index.catalogue.type_at[0, "Often", ""])
        assert detail is not None
        assert [link.fqn for link in detail.used_by] == ["Ant", "Fox", "Zoo"]


@pytest.mark.parametrize("later", ["// later\n\nclass Tree { int One; }", "class Tree { }"])
def test_lines_of_a_symbol_are_of_the_text_that_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, later: str
) -> None:
    """The file may be written after the place of its symbols was looked up, and before they are read."""
    with indexed(tmp_path, {"A.cs": "\n\n\nclass Tree { int Two; }"}) as bench:
        reader = bench.reader
        read = reader.read

        def meanwhile(*given: Any, **named: Any) -> Any:
            monkeypatch.setattr(reader, "read", read)
            edit(tmp_path, "A.cs", later)
            return read(*given, **named)

        monkeypatch.setattr(reader, "read", meanwhile)
        assert bench.sources.read("Tree").content == later.rpartition("\n")[2]


def test_an_earlier_record_is_found_by_its_stamp_until_nobody_can_need_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with indexed(tmp_path, {"A.cs": "class A { }"}) as bench:
        store = bench.index.facade._core.store
        store.put([StoredFile("A.cs", "", 1, 1, b"one")])
        store.put([StoredFile("A.cs", "", 2, 2, b"two")])
        assert (store.raw("A.cs", "", (1, 1)), store.raw("A.cs", "")) == (b"one", b"two")
        monkeypatch.setattr("services.index.catalog.store._PATIENCE", -1.0)
        store.put([StoredFile("B.cs", "", 1, 1, b"other")])
        assert store.raw("A.cs", "", (1, 1)) is None
        store.forget([("A.cs", "")])
        assert (store.raw("A.cs", ""), store.raw("A.cs", "", (2, 2))) == (None, b"two")
