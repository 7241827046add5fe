"""Files in an encoding that the settings declare are read, searched, indexed and written in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.bench import Bench
from services.bench.queries.sources import Grep
from services.errors import CodeCortexError, ReadOnly
from services.settings import FileSettings, IndexSettings, Settings
from services.source.text.edit import Edit

SOURCE = "/// <summary>Größe des Baums.</summary>\r\nclass Baum\r\n{\r\n    int höhe;\r\n}\r\n"


def opened(folder: Path, encoding: str) -> Bench:
    settings = Settings(index=IndexSettings(workers=1), files=FileSettings(encoding=encoding))
    bench = Bench.open(folder, settings=settings)
    bench.index.load()
    bench.index.refresh()
    return bench


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "Baum.cs").write_bytes(SOURCE.encode("cp1252"))
    return tmp_path


@pytest.fixture
def bench(folder: Path) -> Iterator[Bench]:
    with opened(folder, "cp1252") as made:
        yield made


def test_such_a_file_is_read_and_indexed_as_what_it_says(bench: Bench) -> None:
    read = bench.sources.read("Baum.cs")
    assert (read.content, read.encoding, read.writable) == (SOURCE, "cp1252", True)
    assert "Größe des Baums." in bench.outlines.outline("Baum").text
    assert bench.lookup.resolve("Baum.höhe").resolved is not None
    assert not [notice for notice in bench.health.notices() if notice.file]


@pytest.mark.parametrize("pattern", ["höhe", "h.he;", "HÖHE"])
def test_it_is_searched_in_characters(bench: Bench, pattern: str) -> None:
    grep = Grep(pattern=pattern, case_insensitive=pattern.isupper())
    assert [match.line_number for match in bench.sources.grep(grep).matches] == [4]


def test_it_is_written_in_its_encoding_and_undone(bench: Bench, folder: Path) -> None:
    before = (folder / "Baum.cs").read_bytes()
    token = bench.sources.read("Baum.cs").token
    handle = bench.writing.lock("Baum.cs").lock_handle or ""
    answer = bench.writing.edit("Baum.cs", Edit(4, 4, "    int länge;"), token=token, handle=handle)
    assert "+    int länge;" in answer.diff
    assert (folder / "Baum.cs").read_bytes() == SOURCE.replace("höhe", "länge").encode("cp1252")
    bench.writing.undo("Baum.cs", (handle,))
    assert (folder / "Baum.cs").read_bytes() == before


def test_what_the_encoding_does_not_have_is_refused_and_nothing_is_written(
    bench: Bench, folder: Path
) -> None:
    token = bench.sources.read("Baum.cs").token
    handle = bench.writing.lock("Baum.cs").lock_handle or ""
    with pytest.raises(ReadOnly, match="cp1252"):
        bench.writing.edit("Baum.cs", Edit(4, 4, "    int 木;"), token=token, handle=handle)
    assert (folder / "Baum.cs").read_bytes() == SOURCE.encode("cp1252")


def test_what_would_be_read_as_unicode_afterwards_is_refused(bench: Bench, folder: Path) -> None:
    (folder / "Baum.cs").write_bytes("// ö\n// x\n".encode("cp1252"))
    token = bench.sources.read("Baum.cs").token
    handle = bench.writing.lock("Baum.cs").lock_handle or ""
    with pytest.raises(CodeCortexError, match="would be read as utf-8"):
        bench.writing.replace("Baum.cs", "// Ã¶\n// x\n", handle=handle, token=token)
    assert (folder / "Baum.cs").read_bytes() == "// ö\n// x\n".encode("cp1252")


def test_without_one_it_is_shown_and_not_written(folder: Path) -> None:
    with opened(folder, "none") as bench:
        assert not bench.sources.read("Baum.cs").writable
        assert [notice.file for notice in bench.health.notices() if notice.file] == ["Baum.cs"]


def test_a_copy_of_what_was_not_decoded_says_so(folder: Path) -> None:
    with opened(folder, "none") as bench:
        bench.window.pin("Baum.cs")
        assert "files.encoding" in bench.window.render().text


def test_one_that_cannot_be_used_is_a_notice(folder: Path) -> None:
    with opened(folder, "klingon") as bench:
        assert any("klingon" in notice.message for notice in bench.health.notices())
        assert not bench.sources.read("Baum.cs").writable


def test_another_one_reads_everything_again(folder: Path) -> None:
    with opened(folder, "none") as bench:
        assert "Größe" not in bench.outlines.outline("Baum").text
    with opened(folder, "cp1252") as bench:
        assert "Größe" in bench.outlines.outline("Baum").text
