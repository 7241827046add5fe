"""Versions of symbols are asked again where something changed, and only there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.bench.items.symbol_items import Stamps
from services.index.graph.by_file import FileEdges, Journal
from services.index.index import Index
from services.settings import IndexSettings
from services.workspace.files.root import Root
from services.workspace.state import StateFolder
from tests.support.workspace import edit, project, write_workspace

FILES = {
    "One/One.csproj": project(),
    "One/A.cs": "public class A { B b; }\n",
    "One/B.cs": "public class B { }\n",
    "One/C.cs": "public class C { }\n",
    "Two/Two.csproj": project(),
    "Two/D.cs": "public class D { }\n",
}


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    write_workspace(tmp_path, FILES)
    with Root.open(tmp_path) as root, StateFolder.open(root) as state:
        made = Index(root, state, settings=IndexSettings(workers=1))
        refresh(made)
        yield made
        made.close()


def refresh(index: Index) -> None:
    index.refresh(report=lambda _: None, cancel=None)
    index.dependencies.relate()


def ids(index: Index) -> dict[str, str]:
    return {each.name: each.id for each in index.symbols() if each.is_type}


def versions(stamps: Stamps, known: dict[str, str]) -> dict[str, str | None]:
    stamps.follow()
    return {name: stamps.version(id_) for name, id_ in known.items()}


def test_types_have_other_versions_where_their_files_or_their_relations_changed(
    index: Index, tmp_path: Path
) -> None:
    stamps, known = Stamps(index), ids(index)
    before = versions(stamps, known)
    kept = {name: stamps.known(id_) for name, id_ in known.items()}
    edit(tmp_path, "One/C.cs", "public class C { B b; }\n")
    refresh(index)
    after = versions(stamps, known)
    assert {name for name in known if before[name] != after[name]} == {"B", "C"}
    assert {name for name, id_ in known.items() if stamps.known(id_) is kept[name]} == {"A", "D"}
    assert after == versions(Stamps(index), known)


def test_an_id_that_went_to_two_types_is_nobodys(index: Index, tmp_path: Path) -> None:
    """Two projects that declare the same name give both types another id."""
    stamps, known = Stamps(index), ids(index)
    assert versions(stamps, known)["A"] is not None
    edit(tmp_path, "Two/A.cs", "public class A { D d; }\n")
    refresh(index)
    assert versions(stamps, known) == versions(Stamps(index), known)
    assert known["A"] not in ids(index).values()


def test_a_journal_tells_what_came_and_went_until_it_forgets() -> None:
    journal = Journal()
    start = journal.mark
    journal.add(FileEdges(((1, 2, 1),), ((3, "System.String", 1),), (), ()))
    mark = journal.mark
    assert journal.since(start) == {1, 2, 3}
    assert journal.since(mark) == set()
    journal.add(FileEdges(((4, 1, 2),), (), (), ()))
    assert journal.since(mark) == {1, 4}
    journal.forget()
    assert journal.since(mark) is None
    assert journal.since(journal.mark) == set()
    mark = journal.mark
    for _ in range(10_000):
        journal.add(FileEdges(((5, 6, 1),), (), (), ()))
    assert journal.since(mark) is None
    last = journal.mark
    journal.add(FileEdges(((7, 6, 1),), (), (), ()))
    assert journal.since(last) == {6, 7}


def test_a_journal_tells_nothing_of_one_that_went_another_way() -> None:
    journal = Journal()
    journal.add(FileEdges(((1, 2, 1),), (), (), ()))
    other = journal.fork()
    journal.add(FileEdges(((3, 4, 1),), (), (), ()))
    other.add(FileEdges(((5, 6, 1),), (), (), ()))
    assert other.since(journal.mark) is None
    journal.forget()
    other.forget()
    assert other.since(journal.mark) is None
