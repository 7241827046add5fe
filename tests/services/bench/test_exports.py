"""`index.json` and outlines by type: what a reader without an index finds."""

from __future__ import annotations

import json
import os
import re
import subprocess
import threading
import unittest.mock
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from services.bench.bench import Bench
from services.concurrency import background
from services.concurrency.cancellation import BackgroundCancel
from services.errors import Cancelled, SymbolNotFound
from services.index import export, hashes
from services.index.export import same_but_for_the_time
from services.index.hashes import Hashes
from services.semantic.values import Author, NoteFields
from services.settings import IndexSettings, Settings
from tests.support.eventually import eventually
from tests.support.workspace import edit, indexed, project, write_workspace

FILES = {
    "a/A.csproj": project("<TargetFramework>net8.0</TargetFramework>"),
    "a/A.cs": (
        "namespace N;\n/// <summary>Keeps apples.</summary>\n"
        "public class A { B b; class Inner {} }\npublic class B { A a; }\n"
    ),
    "b/B.csproj": project("<TargetFramework>net48</TargetFramework>"),
    "b/Leaf.cs": "namespace M { enum Leaf { X } class Top { Leaf leaf; } }",
}


def as_file(bench: Bench, path: str) -> str | None:
    return bench.content.symbols.file_outline(bench.lookup.found(path))


def document(folder: Path) -> dict[str, Any]:
    return json.loads((folder / ".context/index.json").read_bytes())


def test_the_file_is_as_its_schema_says(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        answer = bench.exports.write()
        hashes = bench.outlines.detail("N.A").hashes
        ids = {symbol.fqn: symbol.id for symbol in bench.index.symbols() if symbol.is_type}
    made = document(tmp_path)
    assert (answer.types, answer.projects, answer.outlines, answer.changed) == (5, 2, 0, True)
    assert list(made) == ["schemaVersion", "generatedAt", "projects", "types", "packs", "configSnapshot"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", made["generatedAt"])
    assert made["configSnapshot"] == {
        "hashVersion": "3",
        "structureHashIncludesXmlDoc": False,
        "includeInternalForDependencies": False,
    }
    assert [(p["id"], p["name"], p["path"], p["tfm"]) for p in made["projects"]] == [
        ("P1", "A", "a/A.csproj", "net8.0"),
        ("P2", "B", "b/B.csproj", "net48"),
    ]
    assert [row["fqn"] for row in made["types"]] == ["N.A", "N.A+Inner", "N.B", "M.Leaf", "M.Top"]
    first = made["types"][0]
    assert first.pop("semanticGroupId").startswith("G_")
    assert first == {
        "id": ids["N.A"],
        "fqn": "N.A",
        "projectId": "P1",
        "kind": "class",
        "file": "a/A.cs",
        "structureHash": hashes["structure"],
        "implHash": hashes["impl"],
        "xmlDocHash": hashes["doc"],
        "semanticState": "none",
        "depthHint": 0,
    }


def test_states_of_notes_are_those_of_their_types(tmp_path: Path) -> None:
    fields = NoteFields(role="a", lifecycle="b", edge_cases="c", limitations="d", recommendations="e")
    with indexed(tmp_path, FILES) as bench:
        for name in ("M.Leaf", "M.Top"):
            bench.notes.put(bench.lookup.sure(name).whole.id, fields, Author.PERSON, "me")
        edit(tmp_path, "b/Leaf.cs", "namespace M { enum Leaf { X } class Top { Leaf leaf; int more; } }")
        bench.index.refresh()
        bench.exports.write()
    rows = {row["fqn"]: row["semanticState"] for row in document(tmp_path)["types"]}
    assert rows == {"N.A": "none", "N.A+Inner": "none", "N.B": "none", "M.Leaf": "cached", "M.Top": "stale"}


def test_circles_share_a_group_and_depth_counts_from_the_leaves(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        bench.exports.write()
    rows = {row["fqn"]: row for row in document(tmp_path)["types"]}
    assert rows["N.A"]["semanticGroupId"] == rows["N.B"]["semanticGroupId"] is not None
    assert rows["M.Top"]["semanticGroupId"] is None
    assert (rows["M.Leaf"]["depthHint"], rows["M.Top"]["depthHint"]) == (0, 1)


def test_equal_states_give_equal_bytes_and_an_old_file_is_left_alone(tmp_path: Path) -> None:
    first, second = tmp_path / "one", tmp_path / "two"
    data = []
    for folder in (first, second):
        with indexed(folder, FILES) as bench:
            bench.exports.write()
            data.append((folder / ".context/index.json").read_bytes())
            assert not bench.exports.write().changed
            assert (folder / ".context/index.json").read_bytes() == data[-1]
    assert same_but_for_the_time(*data)


def test_an_edit_changes_the_rows_of_its_types_and_the_hash_of_its_project(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        bench.exports.write()
        before = document(tmp_path)
        edit(tmp_path, "a/A.cs", FILES["a/A.cs"].replace("A a;", "A a = null;"))
        bench.index.refresh()
        assert bench.exports.write().changed
    after = document(tmp_path)
    changed = [row["fqn"] for row, old in zip(after["types"], before["types"], strict=True) if row != old]
    assert changed == ["N.B"]
    assert [
        new["hash"] == old["hash"] for new, old in zip(after["projects"], before["projects"], strict=True)
    ] == [False, True]


def test_outlines_are_written_when_asked_for_and_those_of_types_that_are_gone_removed(tmp_path: Path) -> None:
    folder = tmp_path / ".context/types"
    with indexed(tmp_path, FILES) as bench:
        id_ = bench.lookup.resolve("N.A").resolved.type_id
        assert bench.exports.write(["N.A"]).outlines == 1
        assert [path.name for path in folder.iterdir()] == [f"{id_}.outline.md"]
        text = (folder / f"{id_}.outline.md").read_text()
        assert text == as_file(bench, "N.A")
        assert bench.exports.write(outlines=True).outlines == 5
        edit(tmp_path, "b/Leaf.cs", "")
        bench.index.refresh()
        answer = bench.exports.write(outlines=True)
        assert (answer.outlines, answer.removed) == (3, 2)
        assert len(list(folder.iterdir())) == 3
        with pytest.raises(SymbolNotFound):
            bench.exports.write(["N.Nowhere"])


def test_an_outline_holds_what_readers_look_for(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        text, hashes = as_file(bench, "N.A"), bench.outlines.detail("N.A").hashes
    for wanted in ("N.A", "class", "a/A.cs", "· A", "Keeps apples.", *hashes.values()):
        assert wanted in text


def test_a_cancelled_export_leaves_what_was_there(tmp_path: Path) -> None:
    cancel = threading.Event()
    with indexed(tmp_path, FILES) as bench:
        bench.exports.write()
        before = (tmp_path / ".context/index.json").read_bytes()
        edit(tmp_path, "a/A.cs", "class Other {}")
        bench.index.refresh()
        cancel.set()
        with pytest.raises(Cancelled):
            bench.exports.write(cancel=cancel)
        assert (tmp_path / ".context/index.json").read_bytes() == before


MANY = FILES | {
    "a/Parts.cs": "partial class P { partial void M(); public record R(int X); }",
    "a/More.cs": "/// <summary>Two.</summary>\npartial class P { partial void M() { } enum E { A } }",
}


def exported(folder: Path, *, quietly: bool = False) -> bytes:
    """The file of a fresh index."""
    with indexed(folder, MANY) as bench:
        bench.index.relate()
        if quietly:
            bench.state.shared.write("prompt_window.md", b"")
            bench.exports._write_changed(threading.Event(), lambda: True, indexes=True)
        else:
            bench.exports.write()
        return (folder / ".context/index.json").read_bytes()


@pytest.mark.parametrize("quietly", [False, True])
def test_workers_hash_many_types_as_they_are_hashed_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, quietly: bool
) -> None:
    here = exported(tmp_path / "here")
    monkeypatch.setattr(export, "WORTH_WORKERS", 1)
    monkeypatch.setattr(Hashes, "of", lambda *_: pytest.fail("hashed here"))
    assert same_but_for_the_time(exported(tmp_path / "apart", quietly=quietly), here)


def test_a_worker_that_dies_leaves_the_hashes_to_be_worked_out_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = exported(tmp_path / "here")
    monkeypatch.setattr(export, "WORTH_WORKERS", 1)
    monkeypatch.setattr(hashes, "_hash", _die)
    assert same_but_for_the_time(exported(tmp_path / "apart"), here)


def _die(_: object) -> bytes:
    os._exit(9)


def test_an_export_by_workers_can_be_cancelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "WORTH_WORKERS", 1)
    cancel = threading.Event()
    with indexed(tmp_path, MANY) as bench:
        bench.index.relate()
        cancel.set()
        with pytest.raises(Cancelled):
            bench.exports.write(cancel=cancel)
    assert not (tmp_path / ".context/index.json").exists()


def test_what_changed_while_workers_hashed_is_exported_as_it_is_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "WORTH_WORKERS", 1)
    from_workers = Hashes.from_workers

    def change(*given: Any, **named: Any) -> Iterator[Any]:
        yield from from_workers(*given, **named)
        edit(tmp_path, "a/A.cs", MANY["a/A.cs"].replace("A a;", "A a = null;"))
        bench.index.refresh()

    with indexed(tmp_path, MANY) as bench:
        monkeypatch.setattr(Hashes, "from_workers", change)
        bench.exports.write()
        told = bench.outlines.detail("N.B").hashes["impl"]
    rows = {row["fqn"]: row["implHash"] for row in document(tmp_path)["types"]}
    assert rows["N.B"] == told


def test_a_project_that_comes_first_gives_the_others_other_numbers(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        bench.exports.write()
        edit(tmp_path, "0/First.cs", "class First {}")
        edit(tmp_path, "0/First.csproj", project())
        bench.index.refresh()
        bench.exports.write()
        ids = {row["name"]: row["id"] for row in document(tmp_path)["projects"]}
        of = {row["fqn"]: row["projectId"] for row in document(tmp_path)["types"]}
    assert ids == {"First": "P1", "A": "P2", "B": "P3"}
    assert (of["First"], of["N.A"], of["M.Leaf"]) == ("P1", "P2", "P3")


@contextmanager
def watching(
    folder: Path, *, export: bool, files: Mapping[str, str] = FILES, asked: bool = True
) -> Iterator[Bench]:
    """`asked`: somebody has asked for a readable file before."""
    write_workspace(folder, files)
    settings = Settings(index=IndexSettings(workers=1, export=export))
    with (
        unittest.mock.patch.object(background, "QUIET_SECONDS", 0.05),
        Bench.open(folder, settings=settings) as bench,
    ):
        if asked:
            bench.state.shared.write("prompt_window.md", b"")
        bench.index.refresh()
        bench.watch()
        yield bench


def test_an_open_workbench_exports_when_it_is_quiet(tmp_path: Path) -> None:
    with watching(tmp_path, export=True):
        assert eventually((tmp_path / ".context/index.json").exists)
        assert len(document(tmp_path)["types"]) == 5


def test_an_open_workbench_exports_nothing_before_somebody_asks_for_a_file(tmp_path: Path) -> None:
    with watching(tmp_path, export=True, asked=False) as bench:
        bench.exports._write_changed(BackgroundCancel(patience=60.0), lambda: True, indexes=True)
    assert not (tmp_path / ".context").exists()


def test_an_export_that_nobody_asked_for_rests_while_it_is_held(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        cancel, ended = BackgroundCancel(patience=60.0), threading.Event()

        def job() -> None:
            with pytest.raises(Cancelled):
                export.Exporter(bench.index.facade).document(
                    report=lambda _: None, cancel=cancel, quietly=True
                )
            ended.set()

        cancel.pause(60.0)
        thread = threading.Thread(target=job)
        thread.start()
        assert not ended.wait(0.05)
        cancel.set()
        thread.join(50)
        assert ended.is_set()


def listed(folder: Path) -> list[str]:
    return [path.name.removesuffix(".outline.md") for path in sorted((folder / ".context/types").iterdir())]


def test_every_export_renews_the_outlines_that_are_there(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        bench.exports.write(["N.A", "M.Leaf"])
        edit(tmp_path, "a/A.cs", FILES["a/A.cs"].replace("Keeps apples.", "Another."))
        edit(tmp_path, "b/Leaf.cs", "namespace M { class Top { int leaf; } }")
        bench.index.refresh()
        answer = bench.exports.write()
        assert (answer.outlines, answer.removed) == (0, 1)
        (left,) = listed(tmp_path)
        assert left == bench.lookup.resolve("N.A").resolved.type_id
        assert (tmp_path / f".context/types/{left}.outline.md").read_text() == as_file(bench, "N.A")
        assert "Another." in as_file(bench, "N.A")


def test_an_outline_goes_with_its_type_to_another_name(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        bench.exports.write(["M.Leaf"])
        edit(tmp_path, "b/Leaf.cs", FILES["b/Leaf.cs"].replace("Leaf", "Blade").replace("leaf", "blade"))
        bench.index.refresh()
        bench.exports.write()
        assert listed(tmp_path) == [bench.lookup.resolve("M.Blade").resolved.type_id]


@pytest.mark.parametrize("export", [True, False])
def test_an_open_workbench_keeps_exported_outlines_up_to_date(tmp_path: Path, *, export: bool) -> None:
    with indexed(tmp_path, FILES) as bench:
        bench.exports.write(["N.B", "M.Leaf"])
        id_ = bench.lookup.resolve("N.B").resolved.type_id
    edit(tmp_path, "a/A.cs", FILES["a/A.cs"].replace("A a;", "A changed;"))
    edit(tmp_path, "b/Leaf.cs", "")
    with watching(tmp_path, export=export, files={}) as bench:
        path = tmp_path / f".context/types/{id_}.outline.md"
        assert eventually(lambda: "changed" in path.read_text() or listed(tmp_path) == [id_])
        assert eventually(lambda: listed(tmp_path) == [id_] and path.read_text() == as_file(bench, "N.B"))


def test_the_file_follows_packs_wherever_they_are_built(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        bench.packs.build("early", filter="namespace:N")
        assert not (tmp_path / ".context/index.json").exists()
        bench.exports.write()
        before = document(tmp_path)
        bench.packs.build("leaves", filter="namespace:M")
        assert [row["name"] for row in document(tmp_path)["packs"]] == ["early", "leaves"]
        bench.packs.delete("early")
        after = document(tmp_path)
        assert [row["name"] for row in after["packs"]] == ["leaves"]
        assert {**after, "packs": 0} == {**before, "packs": 0}
        assert not bench.exports.write().changed


def test_the_file_of_an_open_workbench_follows_packs_of_other_processes(tmp_path: Path) -> None:
    with watching(tmp_path, export=True) as bench:
        assert eventually((tmp_path / ".context/index.json").exists)
        bench.packs.build("leaves", filter="namespace:M")
        assert eventually(lambda: len(document(tmp_path)["packs"]) == 1)
        for name in ("leaves.toml", "leaves.md"):
            (tmp_path / ".context/packs" / name).unlink()
        assert eventually(lambda: document(tmp_path)["packs"] == [])


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"schemaVersion": "1.0"}'])
def test_a_damaged_file_keeps_nobody_from_building_a_pack(tmp_path: Path, damage: bytes) -> None:
    with indexed(tmp_path, FILES) as bench:
        bench.exports.write()
        (tmp_path / ".context/index.json").write_bytes(damage)
        assert bench.packs.build("leaves", filter="namespace:M").types
        assert (tmp_path / ".context/index.json").read_bytes() == damage


def test_git_sees_the_file_once_it_is_asked_for(tmp_path: Path) -> None:
    def seen() -> bool:
        told = subprocess.run(
            ["git", "status", "--porcelain", "-uall"],
            cwd=tmp_path,
            check=True,
            capture_output=True,
            text=True,
        )
        return "index.json" in told.stdout

    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    with watching(tmp_path, export=True) as bench:
        assert eventually((tmp_path / ".context/index.json").exists)
        assert not seen()
        bench.exports.write()
        assert seen()


def test_the_setting_turns_that_off(tmp_path: Path) -> None:
    with watching(tmp_path, export=False) as bench:
        edit(tmp_path, "a/A.cs", "class Other {}")
        bench.index.refresh()
    assert not (tmp_path / ".context/index.json").exists()


def test_packs_are_listed_once_they_are_built(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        pack = bench.packs.build("leaves", filter="namespace:M")
        bench.exports.write()
        (row,) = document(tmp_path)["packs"]
    assert row["name"] == "leaves"
    assert row["tokenEstimate"] == pack.tokens
    assert row["typeIds"] == sorted(each.id for each in pack.types)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", row["lastBuild"])
