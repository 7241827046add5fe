"""What a search without a query puts first."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from services.bench import Bench
from services.index import search
from services.index.catalog.catalogue import Catalogue
from services.index.search import finder
from tests.support.state import state_of
from tests.support.workspace import MANY_ROWS, edit, indexed, opened, project

FILES = {
    "A.csproj": project(),
    "Aid.cs": "public class Aid { public void Do() { } }",
    "Often.cs": "public class OftenReferredTo { public void Do() { } }",
    **{f"User{n}.cs": f"public class User{n} {{ public OftenReferredTo Of; }}" for n in range(4)},
}


def _ends(act: Callable[[], object]) -> bool:
    """Whether it ends in a thread of its own while this one waits."""
    asking = threading.Thread(target=act, daemon=True)
    asking.start()
    asking.join(60)
    return not asking.is_alive()


def _kept(folder: Path) -> Path:
    """Where the columns of a related workspace are kept."""
    with indexed(folder, FILES | MANY_ROWS) as bench:
        bench.index.search("a")
        bench.index.relate()
    return state_of(folder) / "search"


def test_the_type_that_most_files_mention_comes_first_before_anything_is_related(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        before = bench.index.search("", limit=3).hits
        bench.index.relate()
        assert bench.index.search("", limit=3).hits == before
    assert before[0].symbol.label == "OftenReferredTo"


def test_the_order_is_that_of_the_sources_whatever_was_searched_and_changed_before(tmp_path: Path) -> None:
    fewer = {f"User{n}.cs": f"public class User{n} {{ public Aid Of; }}" for n in range(3)}
    for name in ("then", "anew"):
        (tmp_path / name).mkdir()
    with indexed(tmp_path / "then", FILES) as bench:
        bench.index.search("")
        bench.index.relate()
        for file, text in fewer.items():
            edit(tmp_path / "then", file, text)
            bench.index.refresh()
            bench.index.search("of")
        then = {query: _labels(bench, query) for query in ("", "user", "do", "of")}
    with opened(tmp_path / "then") as bench:
        bench.index.load()
        assert {query: _labels(bench, query) for query in then} == then
    with indexed(tmp_path / "anew", FILES | fewer) as bench:
        assert {query: _labels(bench, query) for query in then} == then
    assert then[""][0] == "Aid"


def test_which_of_many_equal_candidates_are_scored_does_not_depend_on_what_came_first(tmp_path: Path) -> None:
    """More than a search scores."""
    files = {f"F{n}.cs": f"public class Equal{n:03} {{ }}" for n in range(300)}
    found = []
    for name, order in (("one", sorted(files)), ("other", sorted(files, reverse=True))):
        folder = tmp_path / name
        folder.mkdir()
        with indexed(folder, {"A.csproj": project()}) as bench:
            for start in range(0, len(order), 100):
                for file in order[start : start + 100]:
                    edit(folder, file, files[file])
                bench.index.refresh()
            found.append(_labels(bench, "equal"))
    assert found[0] == found[1] == [f"Equal{n:03}" for n in range(20)]


def _labels(bench: Bench, query: str) -> list[str]:
    return [hit.symbol.path for hit in bench.index.search(query, limit=20).hits]


def test_it_still_does_on_the_next_start(tmp_path: Path) -> None:
    _kept(tmp_path)
    with opened(tmp_path) as bench:
        assert bench.index.load()
        assert bench.index.search("", limit=3).hits[0].symbol.label == "OftenReferredTo"


def test_a_search_does_not_wait_for_columns_that_are_made_to_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finder, "_SMALL", 0)
    with indexed(tmp_path, FILES) as bench:
        bench.index.search("a")
        edit(tmp_path, "One.cs", "class One { }")
        bench.index.refresh()
        bench.index.search("a")
        waited: list[bool] = []
        built = finder._built

        def meanwhile(*rows: Any, **like: Any) -> Any:
            waited.append(not _ends(lambda: bench.index.search("often")))
            return built(*rows, **like)

        monkeypatch.setattr(finder, "_built", meanwhile)
        bench.index.relate()
        assert waited == [False]
        assert bench.index.search("", limit=1).hits[0].symbol.label == "OftenReferredTo"


def test_rows_that_are_mentioned_more_often_keep_their_texts_and_what_is_known_of_terms(
    tmp_path: Path,
) -> None:
    with indexed(tmp_path, FILES) as bench:
        bench.index.search("often ref")
        own = bench.index.facade._core.published.finder
        before, terms = own._tiers[0], own._search._searches[0].names
        grown = Catalogue.fork(bench.index.facade.catalogue)
        grown.count_mentions([grown.names.add("Aid")], 9)
        after = finder._as_mentioned(before, grown)
        assert after.symbols is not before.symbols
        assert after.symbols.names is before.symbols.names
        assert finder._as_mentioned(before, bench.index.facade.catalogue).symbols is before.symbols
        own._search.replace([search.SearchSegment(after.symbols, None, after.keys)])
        assert own._search._searches[0].names is terms
        assert own._search.search("").hits[0].name == "Aid"


def test_rows_are_searched_as_they_were_kept_from_then_on(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES | MANY_ROWS) as bench:
        bench.index.search("user")
        own = bench.index.facade._core.published.finder
        assert own._tiers[0].symbols.name_id.flags.writeable
        bench.index.relate()
        assert not own._tiers[0].symbols.name_id.flags.writeable  # mapped
        assert {hit.symbol.label for hit in bench.index.search("user").hits} == {f"User{n}" for n in range(4)}
        (tmp_path / "User9.cs").write_text("public class User9 { }")
        bench.index.refresh()
        assert {hit.symbol.label for hit in bench.index.search("user", limit=9).hits} >= {"User0", "User9"}


def test_rows_that_another_process_kept_meanwhile_are_not_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = search.load

    def meanwhile(folder: Path, projects: Any) -> Any:
        (rows,) = folder.glob("rows-*")
        rows.write_text("another 1 1 1")
        return load(folder, projects)

    with indexed(tmp_path, FILES | MANY_ROWS) as bench:
        bench.index.search("user")
        monkeypatch.setattr(search, "load", meanwhile)
        bench.index.relate()
        assert bench.index.facade._core.published.finder._tiers[0].symbols.name_id.flags.writeable


def test_what_types_depend_on_is_counted_before_it_is_said_to_be_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the first outline would count it, while others wait."""
    with indexed(tmp_path, FILES) as bench:
        index, counted = bench.index.facade, []
        monkeypatch.setattr(
            index._persistence, "save_graph", lambda: counted.append(index.graph()._sums is not None)
        )
        bench.index.relate()
        assert counted == [True]


def test_small_changes_are_searched_as_one(tmp_path: Path) -> None:
    files = {
        f"File{n}.cs": f"class File{n} {{ {' '.join(f'int m{n}_{m};' for m in range(40))} }}"
        for n in range(60)
    }
    with indexed(tmp_path, {"A.csproj": project(), **files}) as bench:
        own = bench.index.facade._core.published.finder
        bench.index.search("a")
        for number in range(4):
            (tmp_path / "File0.cs").write_text(f"class Changed{number} {{ }}")
            bench.index.refresh()
            assert [hit.symbol.label for hit in bench.index.search(f"Changed{number}").hits] == [
                f"Changed{number}"
            ]
            assert len(own._tiers) == 2


def test_kept_columns_that_cannot_be_used_are_kept_again_once_they_were_missed(tmp_path: Path) -> None:
    kept = _kept(tmp_path) / "names_singles.npy"
    kept.unlink()  # as if written before there were any
    for _ in range(2):
        with opened(tmp_path) as bench:
            assert bench.index.load()
            assert bench.index.search("often").hits[0].symbol.label == "OftenReferredTo"
        assert kept.is_file()


def test_few_rows_are_made_as_soon_as_they_would_be_read_and_are_not_stored(tmp_path: Path) -> None:
    for start in (indexed(tmp_path, FILES), opened(tmp_path)):
        with start as bench:
            bench.index.load()
            bench.index.search("often")
            bench.index.relate()
        assert not (state_of(tmp_path) / "search").exists()


def test_a_symbol_that_moved_within_its_file_is_shown_where_it_is(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        assert bench.index.search("aid").hits[0].symbol.start_line == 1
        (tmp_path / "Aid.cs").write_text("\n\n" + FILES["Aid.cs"])
        bench.index.refresh()
        assert [hit.symbol.start_line for hit in bench.index.search("aid ", limit=9).hits][:1] == [3]


@pytest.mark.parametrize("content", [b"", b"\x93NUMPY", b"no array"])
def test_kept_columns_that_are_half_written_are_not_used(tmp_path: Path, content: bytes) -> None:
    (_kept(tmp_path) / "name_id.npy").write_bytes(content)
    with opened(tmp_path) as bench:
        assert bench.index.load()
        assert bench.index.search("often", limit=1).hits[0].symbol.label == "OftenReferredTo"


def test_columns_that_are_written_while_they_are_read_are_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, load, loaded = _kept(tmp_path), search.load, list[Any]()

    def meanwhile(*arguments: Any) -> Any:
        loaded.append(load(*arguments))
        (rows,) = folder.glob("rows-*")
        rows.unlink()
        return loaded[0]

    monkeypatch.setattr(search, "load", meanwhile)
    with opened(tmp_path) as bench:
        assert bench.index.load()
        assert bench.index.search("often", limit=1).hits[0].symbol.label == "OftenReferredTo"
        assert loaded
        assert bench.index.facade._core.published.finder._tiers[0].symbols is not loaded[0][0]
