"""Files of the program's own that were damaged: what was lost with them is said, once it is looked for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from services.bench import Bench
from services.operations import by_name
from tests.support.state import state_of
from tests.support.workspace import indexed, opened, project

FILES = {
    "A/A.csproj": project(),
    "A/Order.cs": "namespace A;\npublic class Order { public int Number; }\n",
    "A/Line.cs": "namespace A;\npublic class Line { public Order Of; }\n",
}
READ, ASK = ("getObjectSource", {"object": "A.Order"}), ("FindContext", {"words": "order number"})
PACK, LOOK = ("BuildPack", {"name": "core", "filter": "type:*"}), ("Status", {})


def called(bench: Bench, step: tuple[str, dict[str, Any]]) -> None:
    operation = by_name(step[0])
    assert operation is not None
    operation.run(bench, step[1])


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    root = tmp_path_factory.mktemp("damaged")
    with indexed(root, FILES) as bench:
        for step in (READ, ASK, PACK):
            called(bench, step)
        bench.state.write("history.bin", b"")
    yield root


@pytest.mark.parametrize("data", [b"", bytes(500), b'{"series": 3}', b"\xff\xfe"])
@pytest.mark.parametrize(
    ("file", "step", "said"),
    [
        ("measures.json", LOOK, "the figures of earlier (measures.json)"),
        ("reads.db", READ, "the log of reads (reads.db)"),
        ("history.bin", ASK, "the history (history.bin)"),
        ("words.db", ASK, "the words of files (words.db)"),
        ("packs/core.md", LOOK, "packs/core.md is not the text that was built."),
    ],
)
def test_what_was_lost_is_said(
    folder: Path, file: str, data: bytes, step: tuple[str, dict[str, Any]], said: str
) -> None:
    state = folder / ".context" if file.startswith("packs/") else state_of(folder)
    before = (state / file).read_bytes()
    (state / file).write_bytes(data)
    with opened(folder) as bench:
        bench.index.load()
        called(bench, step)
        messages = [notice.message for notice in bench.health.notices()]
        assert [message for message in messages if said in message], messages
    (state / file).write_bytes(before)


def test_of_what_is_whole_nothing_is_said(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        for step in (READ, ASK, PACK):
            called(bench, step)
    with opened(tmp_path) as bench:
        bench.index.load()
        for step in (READ, ASK, LOOK):
            called(bench, step)
        assert bench.health.notices() == ()
