"""The index kept up to date with the disk."""

import os
import random
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from services.bench.bench import Bench
from services.errors import Cancelled
from services.index.build import workers
from services.index.build.project_cache import ProjectRequest
from services.index.build.refresh import Refresh, changed_since, difference
from services.index.build.units import IndexPlan, plan
from services.index.build.worker import Chunk, Outcome, Task
from services.index.build.workers import CRASHED, outcomes
from services.index.catalog.catalogue import Catalogue
from services.index.catalog.entries import Entries
from services.index.catalog.store import Store
from services.model import Progress, Symbol
from services.workspace.files.root import Root
from tests.support.state import state_of
from tests.support.workspace import edit, indexed, opened, project, write_workspace


def dump(bench: Bench) -> list[bytes]:
    """Every symbol, in an order that does not depend on when files came."""
    return sorted(msgspec.json.encode(symbol) for symbol in bench.index.symbols())


def names(bench: Bench) -> set[str]:
    """FQNs of what is declared."""
    return {symbol.fqn for symbol in bench.index.symbols() if not symbol.implicit}


def read_by(bench: Bench) -> int:
    """How many files a refresh reads."""
    steps: list[Progress] = []
    bench.index.refresh(progress=steps.append)
    return max((step.done for step in steps if step.phase == "Reading C#"), default=0)


def test_a_cold_start_reads_everything_and_a_warm_one_nothing(tmp_path: Path) -> None:
    write_workspace(tmp_path, {f"{at}.cs": f"class C{at} {{ int x; }}" for at in range(3)})
    with opened(tmp_path) as bench:
        assert not bench.index.load()
        assert read_by(bench) == 3
        assert read_by(bench) == 0
        before = dump(bench)
    with opened(tmp_path) as bench:
        assert bench.index.load()
        assert dump(bench) == before
        assert read_by(bench) == 0


def test_a_change_is_read_and_nothing_else(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.cs": "class A { }", "B.cs": "class B { }"}) as bench:
        edit(tmp_path, "A.cs", "class A { int x; }")
        assert read_by(bench) == 1
        assert names(bench) == {"A", "A.x", "B"}


def test_files_that_come_go_and_move(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.cs": "class A { }", "B.cs": "class B { }"}) as bench:
        write_workspace(tmp_path, {"sub/C.cs": "class C { }"})
        (tmp_path / "B.cs").unlink()
        (tmp_path / "A.cs").rename(tmp_path / "D.cs")
        changes = {(change.fqn, change.change.value, change.file) for change in bench.index.refresh()}
        assert changes == {("A", "moved", "D.cs"), ("B", "removed", "B.cs"), ("C", "added", "sub/C.cs")}
        assert names(bench) == {"A", "C"}


def test_files_that_are_as_they_were_kept_need_not_be_compared_one_by_one(tmp_path: Path) -> None:
    write_workspace(tmp_path, {"A.cs": "class A { }", "B.cs": "class B { }"})
    with opened(tmp_path) as bench:
        bench.index.refresh()
    with opened(tmp_path) as bench:
        bench.index.load()
        kept = bench.index.facade.catalogue
        made = _planned(tmp_path)
        assert kept.settled == made.digest
        kept.files.clear()
        assert not changed_since(kept, made).stale
    edit(tmp_path, "A.cs", "class A { int x; }")
    with opened(tmp_path) as bench:
        bench.index.load()
        assert [
            unit.path for unit in changed_since(bench.index.facade.catalogue, _planned(tmp_path)).stale
        ] == ["A.cs"]


def test_a_project_file_that_changes_nothing_is_compared_at_one_start_and_not_at_the_next(
    tmp_path: Path,
) -> None:
    with indexed(tmp_path, {"p.csproj": project(), "A.cs": "class A { }"}):
        pass
    edit(tmp_path, "p.csproj", project() + "\n")
    for unsettled in (True, False):
        with opened(tmp_path) as bench:
            bench.index.load()
            assert (bench.index.facade.catalogue.settled != _planned(tmp_path).digest) == unsettled
            assert bench.index.refresh() == ()


def test_what_is_settled_is_so_of_the_catalogue_it_was_found_for(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.cs": "class A { }"}) as bench:
        bench.index.refresh()
        settled = bench.index.facade._core.store.value("settled")
        assert settled is not None
    edit(tmp_path, "A.cs", "class A { int x; }")
    with opened(tmp_path) as bench:
        bench.index.load()
        bench.index.refresh()
    with opened(tmp_path) as bench:
        bench.index.facade._core.store.keep("settled", settled)
        assert bench.index.load()
        assert not bench.index.facade.catalogue.settled


def test_a_start_that_only_searches_reads_few_entries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    members = " ".join(f"void M{at}() {{ }}" for at in range(700))  # columns of fewer rows are not stored
    with indexed(tmp_path, {f"T{at}.cs": f"class T{at} {{ {members} }}" for at in range(3)}) as bench:
        found = [hit.symbol for hit in bench.index.search("t2").hits]

    def everything(_: object) -> list[object]:
        raise AssertionError("all entries were read")

    with opened(tmp_path) as bench:
        monkeypatch.setattr(Entries, "all", everything)
        assert bench.index.load()
        assert [hit.symbol for hit in bench.index.search("t2").hits] == found
        assert bench.index.refresh() == ()


@pytest.mark.parametrize("what", ["touched", "added", "removed", "moved", "project"])
def test_whatever_changes_is_seen_at_the_next_start(tmp_path: Path, what: str) -> None:
    write_workspace(tmp_path, {"p.csproj": project(), "A.cs": "class A { }", "B.cs": "class B { }"})
    with opened(tmp_path) as bench:
        bench.index.refresh()
    match what:
        case "touched":
            os.utime(tmp_path / "A.cs", ns=(1, 1))
        case "added":
            write_workspace(tmp_path, {"C.cs": "class C { }"})
        case "removed":
            (tmp_path / "B.cs").unlink()
        case "moved":
            (tmp_path / "B.cs").rename(tmp_path / "D.cs")
        case _:
            edit(tmp_path, "p.csproj", project("<DefineConstants>X</DefineConstants>"))
    with opened(tmp_path) as bench:
        bench.index.load()
        assert bench.index.facade.catalogue.settled != _planned(tmp_path).digest
        bench.index.refresh()
        found = dump(bench)
    fresh = tmp_path.parent / "fresh" / tmp_path.name
    shutil.copytree(tmp_path, fresh, ignore=shutil.ignore_patterns(".context"))
    with opened(fresh) as bench:
        bench.index.refresh()
        assert dump(bench) == found


def test_a_catalogue_without_a_file_that_could_not_be_read_settles_nothing(tmp_path: Path) -> None:
    write_workspace(tmp_path, {"A.cs": "class A { }"})
    (tmp_path / "B.cs").write_bytes(b"\0\1\2\xff class B { }")
    with opened(tmp_path) as bench:
        bench.index.refresh()
    with opened(tmp_path) as bench:
        bench.index.load()
        assert not bench.index.facade.catalogue.settled
        assert bench.index.refresh() == ()
        assert any(notice.file == "B.cs" for notice in bench.health.notices())


def test_a_change_unsettles_a_catalogue_until_it_is_kept(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.cs": "class A { }", "B.cs": "class B { }"}) as bench:
        edit(tmp_path, "A.cs", "class A { int x; }")
        bench.index.refresh()
        assert not bench.index.facade.catalogue.settled
        bench.index.refresh()
        assert bench.index.facade.catalogue.settled == _planned(tmp_path).digest


def _planned(folder: Path) -> IndexPlan:
    return plan(Root.open(folder), ProjectRequest(), known=None, cancel=None)


def test_a_file_of_two_projects_is_read_for_each_set_of_symbols(tmp_path: Path) -> None:
    shared = "class S {\n#if X\n int x;\n#else\n int y;\n#endif\n}"
    link = '<ItemGroup><Compile Include="../shared/*.cs" /></ItemGroup>'
    files = {
        "a/A.csproj": project("<DefineConstants>X</DefineConstants>").replace(
            "</Project>", link + "</Project>"
        ),
        "b/B.csproj": project().replace("</Project>", link + "</Project>"),
        "shared/S.cs": shared,
        "shared/T.cs": "class T { }",
    }
    with indexed(tmp_path, files) as bench:
        found = {each.fqn: each.projects for each in bench.index.symbols() if not each.implicit}
        assert found == {"S": ("A", "B"), "T": ("A", "B"), "S.x": ("A",), "S.y": ("B",)}
        assert bench.health.status().files == 2
        assert read_by(bench) == 0


def test_other_symbols_of_a_project_are_seen(tmp_path: Path) -> None:
    files = {"A.csproj": project(), "A.cs": "#if X\nclass X { }\n#endif\nclass A { }", "B.cs": "class B { }"}
    with indexed(tmp_path, files) as bench:
        assert names(bench) == {"A", "B"}
        edit(tmp_path, "A.csproj", project("<DefineConstants>X</DefineConstants>"))
        assert read_by(bench) == 1
        assert names(bench) == {"A", "B", "X"}


def test_a_file_over_the_limit_is_left_out_with_a_notice(tmp_path: Path) -> None:
    files = {"A.cs": "class A { }", "Big.cs": "class Big { }" + " " * 2000}
    with indexed(tmp_path, files, limit=1000) as bench:
        assert names(bench) == {"A"}
        assert "Big.cs" in [notice.file for notice in bench.health.notices()]
        edit(tmp_path, "Big.cs", "class Big { }")
        bench.index.refresh()
        assert names(bench) == {"A", "Big"}
        assert "Big.cs" not in [notice.file for notice in bench.health.notices()]


def test_a_file_that_is_no_text_is_left_out_with_a_notice(tmp_path: Path) -> None:
    files = {"A.cs": "class A { }", "B.cs": b"\xff\xfe\xff\xfe\0\0", "C.cs": b"\0\1\2\xff class C { }"}
    with indexed(tmp_path, files) as bench:
        assert "A" in names(bench)
        assert "C.cs" in [notice.file for notice in bench.health.notices()]


def test_files_in_other_encodings_are_indexed_with_their_lines(tmp_path: Path) -> None:
    text = "// é\r\nclass A\r\n{\r\n    int é;\r\n}\r\n"
    files = {"A.cs": text.encode("utf-16"), "B.cs": text.replace("A", "B").encode("utf-8-sig")}
    with indexed(tmp_path, files) as bench:
        assert {(each.fqn, each.start_line) for each in bench.index.symbols() if not each.implicit} == {
            *(("A", 2), ("A.é", 4), ("B", 2), ("B.é", 4))
        }


def test_what_was_read_before_a_cancel_is_kept_and_the_next_refresh_goes_on(tmp_path: Path) -> None:
    # Two chunks, so that the cancel falls between them.
    filler = "// " + "x" * 700_000 + "\n"
    write_workspace(tmp_path, {f"{at}.cs": filler + f"class C{at} {{ }}" for at in range(8)})
    with opened(tmp_path) as bench:
        cancel = threading.Event()

        def stop(step: Progress) -> None:
            if step.done:
                cancel.set()

        with pytest.raises(Cancelled):
            bench.index.refresh(progress=stop, cancel=cancel)
        kept = len(names(bench))
        assert 0 < kept < 8
        assert read_by(bench) == 8 - kept
        assert len(names(bench)) == 8


def test_a_start_after_being_killed_reads_the_rows_that_were_written(tmp_path: Path) -> None:
    write_workspace(tmp_path, {f"{at}.cs": f"class C{at} {{ }}" for at in range(3)})
    with opened(tmp_path) as bench:
        bench.index.refresh()
        before = dump(bench)
    store = Store(state_of(tmp_path) / "index.db")
    store.drop("catalogue")
    store.forget([("1.cs", "")])
    store.close()
    with opened(tmp_path) as bench:
        assert not bench.index.load()
        assert read_by(bench) == 1
        assert dump(bench) == before


def test_the_kept_catalogue_is_dropped_before_a_row_changes(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.cs": "class A { }"}) as bench:
        edit(tmp_path, "A.cs", "class A { int x; }")
        bench.index.refresh()
        # As a process that is killed here would leave it.
        store = Store(state_of(tmp_path) / "index.db")
        kept = store.value("catalogue")
        store.close()
        assert kept is None


@pytest.mark.parametrize("content", [b"garbage", b""])
def test_a_damaged_database_is_built_anew_and_said(tmp_path: Path, content: bytes) -> None:
    write_workspace(tmp_path, {"A.cs": "class A { }"})
    with opened(tmp_path) as bench:
        bench.index.refresh()
    for suffix in ("-wal", "-shm"):
        (state_of(tmp_path) / f"index.db{suffix}").unlink(missing_ok=True)
    (state_of(tmp_path) / "index.db").write_bytes(content * 1000)
    with opened(tmp_path) as bench:
        assert not bench.index.load()
        bench.index.refresh()
        assert names(bench) == {"A"}
        assert [notice for notice in bench.health.notices() if "built anew" in notice.message]


def test_a_kept_catalogue_that_cannot_be_read_costs_a_refresh(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.cs": "class A { }"}):
        pass
    store = Store(state_of(tmp_path) / "index.db")
    store.keep("catalogue", b"\xc1")
    store.close()
    with opened(tmp_path) as bench:
        assert not bench.index.load()
        assert read_by(bench) == 0
        assert names(bench) == {"A"}


@pytest.mark.parametrize("name", ["graph", "ids", "settled"])
def test_what_is_kept_beside_the_catalogue_costs_itself_where_it_cannot_be_read(
    tmp_path: Path, name: str
) -> None:
    with indexed(
        tmp_path, {"p.csproj": project(), "A.cs": "class A { B At; }", "B.cs": "class B { }"}
    ) as bench:
        bench.index.relate()
    store = Store(state_of(tmp_path) / "index.db")
    assert store.value(name) is not None
    store.keep(name, b"\xc1")
    store.close()
    with opened(tmp_path) as bench:
        assert bench.index.load()
        bench.index.refresh()
        bench.index.relate()
        (used,) = bench.index.facade.graph().used_by(bench.index.facade.catalogue.type_at[0, "B", ""])
        assert bench.index.facade.catalogue.types[used[0]].fqn == "A"


class _Deadly(str):
    """A path whose arrival ends the process: pickled as a call of `os._exit`."""

    def __reduce__(self) -> tuple:
        return os._exit, (3,)


def test_a_worker_that_dies_costs_the_file_it_died_on(tmp_path: Path) -> None:
    write_workspace(tmp_path, {"A.cs": "class A { }", "B.cs": "class B { }"})
    tasks = (Task("A.cs", 0), Task(_Deadly("Bad.cs"), 0), Task("B.cs", 0))
    chunk = Chunk(str(tmp_path), tasks, (frozenset(),), 1000)
    found: list[Outcome] = [each for batch in outcomes([chunk], workers=1, cancel=None) for each in batch]
    assert {each.path: each.problem for each in found} == {"A.cs": "", "B.cs": "", "Bad.cs": CRASHED}


def pieces(seed: int) -> Iterator[tuple[str, str | None]]:
    """Edits of a few files: (path, text), None to remove it."""
    generator = random.Random(seed)
    parts = [
        "partial class P { int a; }",
        "class Q { void M() { } }",
        "enum E { A }",
        "partial class P { }",
        "#if X\n",
    ]
    for _ in range(8):
        path = f"{generator.choice('abc')}/{generator.choice('XY')}.cs"
        kept = generator.random() < 0.8
        text = f"namespace N{generator.randrange(2)}; " + "\n".join(generator.sample(parts, 2))
        yield path, text if kept else None


@pytest.mark.parametrize("seed", range(4))
def test_an_index_that_followed_edits_equals_a_fresh_one(tmp_path: Path, seed: int) -> None:
    live = tmp_path / "live"
    with indexed(live, {"a/A.csproj": project(), "a/X.cs": "class Q { }", "b/X.cs": "class Q { }"}) as bench:
        for path, text in pieces(seed):
            if text is None:
                (live / path).unlink(missing_ok=True)
            else:
                edit(live, path, text)
            bench.index.refresh()
        followed = dump(bench)
    fresh = tmp_path / "live2" / "live"
    files = {str(each.relative_to(live)): each.read_bytes() for each in live.rglob("*.cs*") if each.is_file()}
    with indexed(fresh, files) as bench:
        assert dump(bench) == followed


def test_ids_are_unique_and_ranges_lie_in_their_files(tmp_path: Path) -> None:
    text = "record R(int X);\npartial class P { int a; void M(); }\npartial class P { void M() { } struct S { } }"
    with indexed(tmp_path, {"A.cs": text}) as bench:
        found: list[Symbol] = list(bench.index.symbols())
        assert len({each.id for each in found}) == len(found)
        assert all(1 <= each.start_line <= each.end_line <= 3 for each in found)


def test_a_file_that_killed_its_worker_is_kept_away_until_it_changes(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.cs": "class A { }"}) as bench:
        root = Root.open(tmp_path)
        made = plan(root, ProjectRequest(), known=None, cancel=None)
        store = Store(tmp_path / "other.db")
        catalogue = Catalogue()
        catalogue.projects = [each.name for each in made.evaluation.projects]
        work = Refresh(root, store, catalogue, made, threading.RLock())
        work._take([Outcome("A.cs", 0, 0, 0, False, b"", CRASHED)], {"A.cs": list(made.units)})
        assert [notice.file for notice in work.notices] == ["A.cs"]
        assert difference(catalogue, made).stale == []
        assert [str(entry.quality) for entry in catalogue.live_files()] == ["failed"]
        edit(tmp_path, "A.cs", "class A { int x; }")
        again = plan(root, ProjectRequest(), known=None, cancel=None)
        assert [unit.path for unit in difference(catalogue, again).stale] == ["A.cs"]
        assert bench.health.status().files == 1


@pytest.mark.parametrize("name", ["Huge.cs", "page.cshtml", "view.xaml"])
def test_for_files_that_are_too_large_no_worker_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    def pool(*_: object) -> None:
        raise AssertionError("a worker was started")

    monkeypatch.setattr(workers, "new_pool", pool)
    write_workspace(tmp_path, {"A.cs": "class A { }", name: b""})
    os.truncate(tmp_path / name, 10 << 30)
    for _ in range(2):
        with opened(tmp_path) as bench:
            bench.index.refresh()
            told = [notice.message for notice in bench.health.status().notices if notice.file == name]
            assert len(told) == 1
            assert str(10 << 30) in told[0]
            assert names(bench) == {"A"}


def test_symbols_are_listed_while_files_come_and_go(tmp_path: Path) -> None:
    texts = [f"partial class P {{ int x{at}; }} class C{at} {{ void M() {{ }} }}" for at in range(2)]
    with indexed(tmp_path, {f"{at}.cs": texts[0] for at in range(6)}) as bench:
        stop = threading.Event()
        problems: list[Exception] = []

        def listing() -> None:
            while not stop.is_set():
                try:
                    assert all(symbol.name for symbol in bench.index.symbols())
                except Exception as error:  # noqa: BLE001
                    problems.append(error)

        thread = threading.Thread(target=listing)
        thread.start()
        for turn in range(10):
            edit(tmp_path, "0.cs", texts[turn % 2] + "\n" * turn)
            (tmp_path / "5.cs").unlink(missing_ok=True)
            if turn % 2:
                edit(tmp_path, "5.cs", texts[0])
            bench.index.refresh()
        stop.set()
        thread.join()
        assert problems == []


def test_a_file_that_is_not_utf8_is_indexed_and_said_also_after_a_warm_start(tmp_path: Path) -> None:
    (tmp_path / "Latin.cs").write_bytes(b"class Good { /* caf\xe9 */ void M() { } }")
    for _ in range(2):
        with indexed(tmp_path, {}) as bench:
            assert bench.lookup.resolve("Good.M").resolved is not None
            said = [notice for notice in bench.health.notices() if notice.file == "Latin.cs"]
            assert [notice.message for notice in said] == ["1 C# file is not UTF-8: Latin.cs."]
            assert "files.encoding" in said[0].what_to_do


def test_every_file_that_cannot_be_decoded_is_named(tmp_path: Path) -> None:
    names = [f"Latin{at:02}.cs" for at in range(30)]
    with indexed(tmp_path, dict.fromkeys(names, b"class A { } // caf\xe9")) as bench:
        (said,) = [notice for notice in bench.health.notices() if "UTF-8" in notice.message]
    assert all(name in said.message for name in names)


def test_a_folder_without_c_sharp_says_so(tmp_path: Path) -> None:
    with indexed(tmp_path, {"notes.txt": "nothing"}) as bench:
        assert "There are no C# files here." in [notice.message for notice in bench.health.notices()]
        assert bench.index.search("x").hits == ()


def test_files_without_a_project_follow_the_name_of_the_folder(tmp_path: Path) -> None:
    with indexed(tmp_path / "one", {"A.cs": "class A { }"}) as bench:
        assert {symbol.project for symbol in bench.index.symbols()} == {"one"}
    (tmp_path / "one").rename(tmp_path / "two")
    with indexed(tmp_path / "two", {}) as bench:
        assert {symbol.project for symbol in bench.index.symbols()} == {"two"}
