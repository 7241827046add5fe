"""What is kept is used with the rows that it was made of, whoever changed them meanwhile."""

from __future__ import annotations

from pathlib import Path

from services.bench.bench import Bench
from services.index.catalog.lineage import Lineage
from services.workspace.files.root import Root
from services.workspace.state_home import StateHome
from tests.support.state import state_of
from tests.support.workspace import MANY_ROWS, edit, indexed, opened, project

FILES = {f"{name}.cs": f"class {name} {{ }}" for name in ("A", "B")} | MANY_ROWS
NEW = {"One": "class One { A Of; }", "Two": "class Two { B Of; }"}


def test_rows_bear_the_name_that_they_had_when_others_got_them() -> None:
    lineage = Lineage()
    first = lineage.name
    lineage.change(10)
    assert lineage.name == first
    lineage.share()
    lineage.change(20)
    assert lineage.name != first
    assert lineage.holds(first, 20)
    assert not lineage.holds(first, 21)
    assert lineage.holds(lineage.name, 1_000)
    assert not Lineage(lineage.name, lineage.earlier, shared=True).holds("other", 1)


def test_old_names_are_forgotten() -> None:
    lineage = Lineage()
    first = lineage.name
    for rows in range(1_000):
        lineage.share()
        lineage.change(rows)
    assert len(lineage.earlier) < 100
    assert not lineage.holds(first, 0)


def test_a_workspace_that_was_moved_is_numbered_anew_once(tmp_path: Path) -> None:
    """Its projects may have other names then, and with them other numbers."""
    files = {"One.cs": "class One { }", "Two/Two.csproj": project()}
    with indexed(tmp_path / "first", files | MANY_ROWS) as bench:
        bench.index.search("a")
        bench.index.relate()
    (tmp_path / "first").rename(tmp_path / "second")
    home, lineages = StateHome.of_person(), list[str]()
    with Root.open(tmp_path / "second") as moved:
        home.move(home.find(str(tmp_path / "first")).name, moved)
    for _ in range(3):
        with opened(tmp_path / "second") as bench:
            assert bench.index.load()
            assert bench.index.refresh() == ()
            bench.index.relate()
            bench.index.search("a")
            lineages.append(bench.index.facade.catalogue.lineage.name)
            (rows,) = (state_of(tmp_path / "second") / "search").glob("rows-*")
            assert rows.read_text().split()[0] in (
                lineages[-1],
                *bench.index.facade.catalogue.lineage.earlier,
            )
    assert len(set(lineages)) == 1


def _ids(bench: Bench) -> dict[str, str]:
    return {symbol.name: symbol.id for symbol in bench.index.symbols()}


def _users(bench: Bench) -> dict[str, set[str]]:
    types, graph = bench.index.facade.catalogue.types, bench.index.facade.graph()
    return {types[at].fqn: {types[user].fqn for user, _ in graph.used_by(at)} for at in range(len(types))}


def test_two_processes_that_go_on_from_the_same_index_do_not_mix_what_they_keep(tmp_path: Path) -> None:
    """Each comes upon the new files in another order, so that types have other numbers; what the one keeps last is no
    use with the catalogue of the other."""
    with indexed(tmp_path, {"A.csproj": project(), **FILES}) as bench:
        bench.index.search("a")
    one, two = opened(tmp_path), opened(tmp_path)
    assert one.index.load()
    assert two.index.load()
    for bench, first in ((one, "One"), (two, "Two")):
        edit(tmp_path, f"{first}.cs", NEW[first])
        bench.index.refresh()
        (tmp_path / f"{first}.cs").unlink()
    for name, text in NEW.items():
        edit(tmp_path, f"{name}.cs", text)
    for bench in (one, two):
        bench.index.refresh()
        bench.index.relate()
        bench.index.search("a")
        bench.index.facade.keep()
    expected, users = _ids(one), _users(one)
    assert (_ids(two), _users(two)) == (expected, users)
    one.index.facade._persistence.save_graph()
    two.close()
    one.close()
    with opened(tmp_path) as last:
        assert last.index.load()
        assert _ids(last) == expected
        assert _users(last) == users
        for name in ("One", "Two", "A", "B"):
            assert name in [hit.symbol.label for hit in last.index.search(name).hits]


def test_projects_that_go_and_come_back_leave_an_index_that_can_be_used(tmp_path: Path) -> None:
    """As when a branch without them is checked out for a while."""
    names = ("Apple", "Cherry", "Plum")
    files = {f"{name}/{name}.cs": f"class {name} {{ }}" for name in names}
    files |= {f"{name}/{name}.csproj": project() for name in names}
    with indexed(tmp_path, files) as bench:
        for going in (("Cherry", "Plum"), ("Apple",)):
            for name in going:
                (tmp_path / name).rename(tmp_path.parent / f"{tmp_path.name}-{name}")
            bench.index.refresh()
            assert not bench.index.search(f"in:{going[0]}").hits
            for name in going:
                (tmp_path.parent / f"{tmp_path.name}-{name}").rename(tmp_path / name)
            bench.index.refresh()
            bench.index.relate()
            for name in names:
                (hit,) = bench.index.search(f"in:{name} kind:class").hits
                assert (hit.symbol.label, hit.symbol.project) == (name, name)
    with opened(tmp_path) as bench:
        bench.index.load()
        bench.index.refresh()
        assert {bench.outlines.detail(name).symbol.name for name in names} == set(names)
