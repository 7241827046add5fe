"""Words of types, kept up file by file."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from services.bench.bench import Bench
from services.context import words
from services.context.postings import Postings, WordPostings
from services.context.query import numbered
from services.context.text_index import KeptWords, Key, TextIndex
from services.context.words import BODIES, DOCS, MEMBERS, NAME, asked, number, stem, whole
from services.errors import Cancelled
from tests.support.workspace import edit, indexed, opened, project

CODE = """namespace Shop;
/// <summary>Keeps baskets warm.</summary>
public partial class Basket
{
    /// <summary>Adds an apple.</summary>
    public void AddFruit(Apple apple) { var ripeness = apple.Colour; }
    class Inner { int hidden; }
}
public class Apple { public int Colour => 3; }
"""
FILES = {
    "Shop.csproj": project(),
    "Basket.cs": CODE,
    "More.cs": "namespace Shop; partial class Basket { int Weight; }",
}


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with indexed(tmp_path, FILES) as bench:
        yield bench


def made(bench: Bench, kept: KeptWords | None = None, index: TextIndex | None = None) -> TextIndex:
    index = index or TextIndex(kept or KeptWords(None))
    index.update(bench.index.facade.catalogue, bench.index.facade.records)
    return index


class Every:
    """Has whatever is asked for."""

    def __contains__(self, key: object) -> bool:
        return True


def keys(kept: KeptWords) -> set[Key]:
    return {key for key, _ in kept.read(Every())}


def type_of(bench: Bench, name: str) -> int:
    return next(at for at, entry in bench.index.facade.catalogue.live_types() if entry.fqn == name)


def best(bench: Bench, index: TextIndex, text: str) -> list[str]:
    scores = index.postings.scores(numbered(asked(text)))
    ranked = sorted((at for at in range(len(scores)) if scores[at] > 0), key=lambda at: -scores[at])
    return [bench.index.facade.catalogue.type(at).fqn for at in ranked]


def test_each_word_stands_in_its_field(bench: Bench) -> None:
    words = made(bench).words(type_of(bench, "Shop.Basket"))

    def fields(word: str) -> list[int]:
        return [field for field, count in enumerate(words.get(number(word), ())) if count]

    assert fields("basket")[0] == NAME
    assert fields(stem("ripeness")) == [BODIES]
    assert DOCS in fields(stem("warm"))
    assert MEMBERS in fields(whole("AddFruit"))
    assert MEMBERS in fields(stem("weight"))
    assert MEMBERS in fields(stem("hidden"))


def test_a_partial_type_has_the_words_of_all_its_parts_and_of_what_is_nested(bench: Bench) -> None:
    index = made(bench)
    assert best(bench, index, "weight")[0] == best(bench, index, "hidden")[0] == "Shop.Basket"


def test_a_name_counts_more_than_a_body(bench: Bench) -> None:
    assert best(bench, made(bench), "apple") == ["Shop.Apple", "Shop.Basket"]


def test_one_changed_file_is_found_by_its_new_words_and_not_by_its_old_ones(
    bench: Bench, tmp_path: Path
) -> None:
    index = made(bench)
    edit(tmp_path, "Basket.cs", CODE.replace("Colour", "Sweetness"))
    bench.index.refresh()
    made(bench, index=index)
    assert best(bench, index, "sweetness") == ["Shop.Apple", "Shop.Basket"]
    assert best(bench, index, "colour") == []
    assert best(bench, index, "weight") == ["Shop.Basket"]


def test_what_comes_of_changes_ranks_as_what_is_made_at_once(bench: Bench, tmp_path: Path) -> None:
    index = made(bench)
    for n in range(6):
        edit(tmp_path, f"New{n}.cs", f"namespace Shop; class Pear{n} {{ int Juice{n}; int Weight; }}")
        bench.index.refresh()
        made(bench, index=index)
    (tmp_path / "More.cs").unlink()
    bench.index.refresh()
    made(bench, index=index)
    anew = made(bench)
    for query in ("juice weight", "pear", "basket apple", "colour"):
        assert set(best(bench, index, query)) == set(best(bench, anew, query))


def test_words_are_kept_and_damage_is_made_anew(bench: Bench, tmp_path: Path) -> None:
    path = tmp_path / "words.db"
    made(bench, KeptWords(path))
    assert len(keys(KeptWords(path))) == 2
    path.write_bytes(b"\x00 not a database")
    assert keys(KeptWords(path)) == set()
    assert best(bench, made(bench, KeptWords(path)), "weight") == ["Shop.Basket"]
    made(bench, KeptWords(path))
    assert len(keys(KeptWords(path))) == 2


def test_words_without_the_end_of_their_last_page_are_made_anew(bench: Bench, tmp_path: Path) -> None:
    path = tmp_path / "words.db"
    made(bench, KeptWords(path))
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 1_000)
    kept = KeptWords(path)
    assert best(bench, made(bench, kept), "weight") == ["Shop.Basket"]
    assert kept.renewed
    assert len(keys(KeptWords(path))) == 2


@pytest.mark.parametrize("page", [0, 1], ids=["emptied", "a page of it"])
def test_kept_words_that_were_damaged_are_told_of_and_made_anew(
    bench: Bench, tmp_path: Path, page: int
) -> None:
    path = tmp_path / "words.db"
    made(bench, KeptWords(path))
    data = path.read_bytes()
    path.write_bytes(data[: page * 4096] + b"\xa5" * len(data[4096:]) * page)
    kept = KeptWords(path)
    assert best(bench, made(bench, kept), "weight") == ["Shop.Basket"]
    assert kept.renewed
    again = KeptWords(path)
    assert len(keys(again)) == 2
    assert not again.renewed


@pytest.mark.parametrize("damage", ["'text'", "x'00'", "zeroblob(length(words))", "words || 'x'"])
def test_words_that_are_not_those_that_were_kept_are_read_again(
    bench: Bench, tmp_path: Path, damage: str
) -> None:
    path = tmp_path / "words.db"
    made(bench, KeptWords(path))
    with closing(sqlite3.connect(path)) as base:
        base.execute(f"UPDATE OR IGNORE words SET words = {damage} WHERE TRUE")
        base.commit()
    kept = KeptWords(path)
    assert best(bench, made(bench, kept), "weight") == ["Shop.Basket"]
    assert kept.renewed
    made(bench, KeptWords(path))


def test_words_of_files_that_change_one_by_one_are_kept_together(bench: Bench, tmp_path: Path) -> None:
    kept = KeptWords(tmp_path / "words.db")
    index = made(bench, kept)
    for round_ in range(25):
        edit(tmp_path, "More.cs", f"namespace Shop; partial class Basket {{ int Weight{round_}; }}")
        bench.index.refresh()
        made(bench, index=index)
        assert best(bench, index, f"weight{round_}") == ["Shop.Basket"]
    stamps = {(path, size, time) for path, _, size, time in keys(kept)}
    entries = {(each.path, each.size, each.mtime_ns) for each in bench.index.facade.catalogue.live_files()}
    assert len(stamps - entries) == 1
    assert set(best(bench, made(bench, kept), "weight24")) == {"Shop.Basket"}


def test_only_the_words_of_wanted_files_are_read(bench: Bench, tmp_path: Path) -> None:
    kept = KeptWords(tmp_path / "words.db")
    made(bench, kept)
    wanted = next(key for key in keys(kept) if key[0] == "More.cs")
    assert [key for key, _ in kept.read({wanted})] == [wanted]
    path, variant, size, mtime_ns = wanted
    assert list(kept.read({(path, variant, size, mtime_ns + 1)})) == []


def test_words_read_until_it_was_cancelled_are_not_read_again(tmp_path: Path) -> None:
    files = {f"C{at}.cs": f"class C{at} {{ int apple{at}; }}" for at in range(5)}
    with indexed(tmp_path, {"Shop.csproj": project(), **files}) as bench:
        kept, cancel = KeptWords(tmp_path / "words.db"), threading.Event()
        with pytest.raises(Cancelled):
            TextIndex(kept).update(
                bench.index.facade.catalogue,
                bench.index.facade.records,
                report=lambda done, total: cancel.set(),
                cancel=cancel,
            )
        assert len(keys(kept)) == 1
        assert best(bench, made(bench, kept), "apple4") == ["C4"]
        assert len(keys(kept)) == 5


def test_a_folder_that_has_gone_keeps_nothing(bench: Bench, tmp_path: Path) -> None:
    assert best(bench, made(bench, KeptWords(tmp_path / "no" / "words.db")), "weight") == ["Shop.Basket"]


def test_nothing_is_found_in_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as bench:
        bench.index.refresh()
        assert len(made(bench).postings.scores({1: 1.0})) == 0
    assert Postings(WordPostings.of(())).rarity(3) == 0


def test_words_of_many_files_are_read_by_a_worker(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    here = made(bench)

    def not_here(*_: object) -> None:
        raise AssertionError("read by this process")

    monkeypatch.setattr(words, "WORTH_WORKER", 2)
    monkeypatch.setattr(words, "words_of", not_here)
    by_worker, facade = TextIndex(KeptWords(None)), bench.index.facade
    by_worker.update(facade.catalogue, facade.records, worker=facade.worker_input)
    types = range(here.postings.size)
    assert [by_worker.words(each) for each in types] == [here.words(each) for each in types]


def test_words_that_no_worker_can_read_are_read_here(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "WORTH_WORKER", 2)
    facade = bench.index.facade
    nowhere = facade.worker_input()
    assert nowhere is not None
    index = TextIndex(KeptWords(None))
    gone = nowhere._replace(store=nowhere.store + ".gone")
    index.update(facade.catalogue, facade.records, worker=lambda: gone)
    assert best(bench, index, "apple") == best(bench, made(bench), "apple") != []
