"""`index.json` and outlines by type: what a reader without an index finds."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from services.bench.bench import Bench
from services.errors import Cancelled, SymbolNotFound
from services.index.export import same_but_for_the_time
from services.settings import IndexSettings, Settings
from tests.support.workspace import edit, indexed, project, write_workspace

FILES = {
    "a/A.csproj": project("<TargetFramework>net8.0</TargetFramework>"),
    "a/A.cs": (
        "namespace N;\n/// <summary>One.</summary>\n"
        "public class A { B b; class Inner {} }\npublic class B { A a; }\n"
    ),
    "b/B.csproj": project("<TargetFramework>net48</TargetFramework>"),
    "b/Leaf.cs": "namespace M { enum Leaf { X } class Top { Leaf leaf; } }",
}


def document(folder: Path) -> dict[str, Any]:
    return json.loads((folder / ".context/index.json").read_bytes())


def test_the_file_is_as_its_schema_says(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        answer = bench.export()
        hashes = bench.detail("N.A").hashes
        ids = {symbol.fqn: symbol.id for symbol in bench.symbols() if symbol.is_type}
    made = document(tmp_path)
    assert (answer.types, answer.projects, answer.outlines, answer.changed) == (5, 2, 0, True)
    assert list(made) == ["schemaVersion", "generatedAt", "projects", "types", "packs", "configSnapshot"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", made["generatedAt"])
    assert made["configSnapshot"] == {
        "hashVersion": "1",
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


def test_circles_share_a_group_and_depth_counts_from_the_leaves(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        bench.export()
    rows = {row["fqn"]: row for row in document(tmp_path)["types"]}
    assert rows["N.A"]["semanticGroupId"] == rows["N.B"]["semanticGroupId"] is not None
    assert rows["M.Top"]["semanticGroupId"] is None
    assert (rows["M.Leaf"]["depthHint"], rows["M.Top"]["depthHint"]) == (0, 1)


def test_equal_states_give_equal_bytes_and_an_old_file_is_left_alone(tmp_path: Path) -> None:
    first, second = tmp_path / "one", tmp_path / "two"
    data = []
    for folder in (first, second):
        with indexed(folder, FILES) as bench:
            bench.export()
            data.append((folder / ".context/index.json").read_bytes())
            assert not bench.export().changed
            assert (folder / ".context/index.json").read_bytes() == data[-1]
    assert same_but_for_the_time(*data)


def test_an_edit_changes_the_rows_of_its_types_and_the_hash_of_its_project(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        bench.export()
        before = document(tmp_path)
        edit(tmp_path, "a/A.cs", FILES["a/A.cs"].replace("A a;", "A a = null;"))
        bench.refresh()
        assert bench.export().changed
    after = document(tmp_path)
    changed = [row["fqn"] for row, old in zip(after["types"], before["types"], strict=True) if row != old]
    assert changed == ["N.B"]
    assert [
        new["hash"] == old["hash"] for new, old in zip(after["projects"], before["projects"], strict=True)
    ] == [False, True]


def test_outlines_are_written_when_asked_for_and_those_of_types_that_are_gone_removed(tmp_path: Path) -> None:
    folder = tmp_path / ".context/types"
    with indexed(tmp_path, FILES) as bench:
        id_ = bench.resolve("N.A").resolved.type_id
        assert bench.export(["N.A"]).outlines == 1
        assert [path.name for path in folder.iterdir()] == [f"{id_}.outline.md"]
        text = (folder / f"{id_}.outline.md").read_text()
        assert text == bench.outline("N.A").text
        assert bench.export(outlines=True).outlines == 5
        edit(tmp_path, "b/Leaf.cs", "")
        bench.refresh()
        answer = bench.export(outlines=True)
        assert (answer.outlines, answer.removed) == (3, 2)
        assert len(list(folder.iterdir())) == 3
        with pytest.raises(SymbolNotFound):
            bench.export(["N.Nowhere"])


def test_an_outline_holds_what_readers_look_for(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        text, hashes = bench.outline("N.A").text, bench.detail("N.A").hashes
    for wanted in ("N.A", "class", "a/A.cs", "· A", "One.", *hashes.values()):
        assert wanted in text


def test_a_cancelled_export_leaves_what_was_there(tmp_path: Path) -> None:
    cancel = threading.Event()
    with indexed(tmp_path, FILES) as bench:
        bench.export()
        before = (tmp_path / ".context/index.json").read_bytes()
        edit(tmp_path, "a/A.cs", "class Other {}")
        bench.refresh()
        cancel.set()
        with pytest.raises(Cancelled):
            bench.export(cancel=cancel)
        assert (tmp_path / ".context/index.json").read_bytes() == before


@contextmanager
def watching(folder: Path, *, export: bool) -> Iterator[Bench]:
    write_workspace(folder, FILES)
    settings = Settings(index=IndexSettings(workers=1, export=export))
    with Bench.open(folder, settings=settings) as bench:
        bench.refresh()
        bench.watch()
        yield bench


def test_an_open_workbench_exports_when_it_is_quiet(tmp_path: Path) -> None:
    with watching(tmp_path, export=True):
        deadline = time.monotonic() + 20
        while not (tmp_path / ".context/index.json").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        assert len(document(tmp_path)["types"]) == 5


def test_the_setting_turns_that_off(tmp_path: Path) -> None:
    with watching(tmp_path, export=False) as bench:
        edit(tmp_path, "a/A.cs", "class Other {}")
        bench.refresh()
    assert not (tmp_path / ".context/index.json").exists()


def test_packs_are_listed_once_they_are_built(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        pack = bench.packs.build("leaves", filter="namespace:M")
        bench.export()
        (row,) = document(tmp_path)["packs"]
    assert row["name"] == "leaves"
    assert row["tokenEstimate"] == pack.tokens
    assert row["typeIds"] == sorted(each.id for each in pack.types)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", row["lastBuild"])
