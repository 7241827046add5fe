"""Columns survive being written and mapped again."""

from __future__ import annotations

import subprocess
import sys
from mmap import mmap
from pathlib import Path
from subprocess import PIPE
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from services.index.search import SearchSegment, SymbolRow, Symbols, SymbolSearch, Texts, load, save
from tests.services.index.search.support import JSON


def origins(symbols: Symbols) -> Any:
    return np.arange(len(symbols), dtype=np.uint32)


def test_mapped_columns_answer_as_built_ones(tmp_path):
    built = Symbols.build(JSON)
    save(built, origins(built), tmp_path)
    mapped, found = load(tmp_path, built.projects)
    assert found.tolist() == origins(built).tolist()
    assert isinstance(mapped.boost.base, mmap)
    for query in ("json ser", "JCSO", "über", "in:net so"):
        assert SymbolSearch([SearchSegment(mapped)]).search(query) == SymbolSearch(
            [SearchSegment(built)]
        ).search(query)


def test_texts_are_given_back():
    given = ["", "Json", "ÜberStraße", "x" * 300, "😀", "\ud800"]
    column = Texts.build(given)
    assert [column.text(index) for index in range(len(given))] == given
    assert column.lengths.tolist() == [0, 4, 10, 300, 1, 1]


def test_unknown_kinds_and_names_without_symbols_are_refused():
    with pytest.raises(ValueError):
        Symbols.build([SymbolRow(name="A", container="", kind="galaxy", access="public")])
    none = {
        name: np.zeros(1, np.uint8)
        for name in ("name_id", "container_id", "kind", "access", "project_id", "boost")
    }
    with pytest.raises(ValueError):
        Symbols.from_columns(Texts.build(["A", "B"]), Texts.build([""]), projects=["P"], rows=none)


_LOOKS = """
import sys
from mmap import mmap
from pathlib import Path
from services.index.search import load

arrays = load(Path(sys.argv[1]), [])[0].arrays()
print("mapped", flush=True)
sys.stdin.readline()
print(sum(int(array.astype("int64").sum()) for array in arrays.values()))
"""


def test_a_process_that_has_columns_mapped_outlives_another_that_writes_them(tmp_path: Path) -> None:
    """Written in place, they would be shorter than what is mapped: the system kills who looks there (SIGBUS)."""
    many = Symbols.build([replace(JSON[0], name=f"Name{n}") for n in range(20_000)])
    save(many, origins(many), tmp_path)
    whole = sum(int(array.astype("int64").sum()) for array in load(tmp_path, [])[0].arrays().values())
    reader = subprocess.Popen(
        [sys.executable, "-c", _LOOKS, str(tmp_path)], stdin=PIPE, stdout=PIPE, text=True
    )
    with reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == "mapped\n"
        for rows in (JSON[:1], [], JSON):
            save(built := Symbols.build(rows), origins(built), tmp_path)
        told, _ = reader.communicate("look\n")
    assert (reader.returncode, told.strip()) == (0, str(whole))
    assert not [file for file in tmp_path.iterdir() if file.suffix != ".npy"]


def test_a_file_of_objects_is_not_read_as_columns(tmp_path: Path) -> None:
    built = Symbols.build(JSON)
    save(built, origins(built), tmp_path)
    np.save(tmp_path / "boost.npy", np.array([object()]), allow_pickle=True)
    with pytest.raises(ValueError, match=r"boost\.npy"):
        load(tmp_path, [])
