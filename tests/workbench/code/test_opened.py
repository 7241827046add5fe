from __future__ import annotations

from pathlib import Path

from services.bench import Bench
from services.settings import Settings
from services.source.read.known_lines import FILE, ReadLog
from services.source.read.token import digest_of
from tests.support.workspace import indexed
from workbench.code.opened import Place, read


def test_a_file_counts_as_read_once_it_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "A.cs"
    path.write_text("class A\n{\n}\n", "utf-8")
    with Bench.open(tmp_path, settings=Settings()) as bench:
        opened = read(bench, Place.parse("A.cs"))
        reads = ReadLog(bench.state.path(FILE))
        digest = digest_of(path.read_bytes())
        assert reads.lines("A.cs", digest) is None
        opened.count()
        assert reads.lines("A.cs", digest) == ((1, 3),)
        reads.close()


def test_each_of_two_members_that_are_declared_alike_opens_where_it_is_declared(tmp_path: Path) -> None:
    files = {"A.cs": "class A\n{\n    void Go() { }\n    void Go() { int x; }\n}\n"}
    with indexed(tmp_path, files) as bench:
        symbols = [hit.symbol for hit in bench.index.search("Go").hits]
        opened = [read(bench, Place.parse(symbol.id)) for symbol in symbols]
    assert sorted(each.note for each in opened) == ["A.cs:3", "A.cs:4"]
    assert {each.title for each in opened} == {"Go()"}
