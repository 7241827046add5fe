"""The bulletin: each batch is read once by everybody, and what was missed counts as everything."""

from __future__ import annotations

from pathlib import Path

from services.index.bulletin import Bulletin
from services.index.catalog.store import Store


def _pair(folder: Path) -> tuple[Bulletin, Bulletin]:
    return Bulletin(Store(folder / "index.db")), Bulletin(Store(folder / "index.db"))


def test_a_batch_is_news_once(tmp_path: Path) -> None:
    writer, reader = _pair(tmp_path)
    writer.add(["a.cs"])
    reader.news()  # the series begins: anything may have changed
    writer.add(["b.cs", "a.cs"])
    writer.add(["c.cs"])
    assert reader.news() == {"a.cs", "b.cs", "c.cs"}
    assert reader.news() == frozenset()


def test_the_first_batch_of_a_series_may_have_changed_anything(tmp_path: Path) -> None:
    writer, reader = _pair(tmp_path)
    assert reader.news() == frozenset()
    writer.add(["a.cs"])
    assert reader.news() is None


def test_a_batch_of_everything_and_one_of_too_many_files_say_so(tmp_path: Path) -> None:
    writer, reader = _pair(tmp_path)
    writer.add([])
    reader.news()
    writer.add(None)
    assert reader.news() is None
    writer.add(f"{number}.cs" for number in range(10_000))
    assert reader.news() is None


def test_whoever_missed_batches_is_told_that_anything_may_have_changed(tmp_path: Path) -> None:
    writer, reader = _pair(tmp_path)
    writer.add([])
    reader.news()
    for number in range(200):
        writer.add([f"{number}.cs"])
    assert reader.news() is None
    assert reader.news() == frozenset()


def test_a_bulletin_that_is_damaged_starts_again(tmp_path: Path) -> None:
    writer, reader = _pair(tmp_path)
    writer.add(["a.cs"])
    Store(tmp_path / "index.db").keep("bulletin", b"\xc1 no bulletin")
    assert reader.news() == frozenset()
    writer.add(["b.cs"])
    assert reader.news() is None
