"""Ids of types: shared keys, collisions, and the log of them."""

import threading
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

from services.bench.bench import Bench
from services.index.catalog.catalogue import Catalogue
from services.index.symbols.identities import FILE, Conflicts, Identities
from services.workspace.files.root import Root
from services.workspace.state import StateFolder
from tests.support.state import state_of
from tests.support.workspace import indexed, opened, project

CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
# Found by trying: these two agree in their first 40 bits.
TWINS = ("N.C485892", "N.C943862")


def type_id(key: str, length: int = 8) -> str:
    bits = "".join(f"{byte:08b}" for byte in sha256(key.encode()).digest())
    return "T_" + "".join(CROCKFORD[int(bits[at : at + 5], 2)] for at in range(0, length * 5, 5))


def ids(bench: Bench) -> dict[tuple[str, str], str]:
    """Ids of types by FQN and project."""
    return {(each.fqn, each.project): each.id for each in bench.index.symbols() if each.is_type}


def test_a_key_that_two_projects_declare_is_told_apart_by_project(tmp_path: Path) -> None:
    files = {
        "a/A.csproj": project(),
        "b/B.csproj": project(),
        "a/X.cs": "namespace N; class X { } class Y<T> { }",
        "b/X.cs": "namespace N; class X { } struct Y<T> { }",
    }
    with indexed(tmp_path, files) as bench:
        assert ids(bench) == {
            ("N.X", "A"): type_id("N.X|class|0|A"),
            ("N.X", "B"): type_id("N.X|class|0|B"),
            ("N.Y`1", "A"): type_id("N.Y`1|class|1"),
            ("N.Y`1", "B"): type_id("N.Y`1|struct|1"),
        }


def test_ids_that_collide_both_grow_and_the_log_gets_a_line(tmp_path: Path) -> None:
    assert type_id(f"{TWINS[0]}|class|0") == type_id(f"{TWINS[1]}|class|0")
    text = "namespace N; " + " ".join(f"class {name[2:]} {{ }}" for name in TWINS)
    with indexed(tmp_path, {"A.cs": text}) as bench:
        found = sorted(ids(bench).values())
        assert found == sorted(type_id(f"{name}|class|0", 12) for name in TWINS)
        for id_ in found:
            answer = bench.lookup.resolve(id_.lower()).resolved
            assert answer is not None
            assert answer.type_id == id_
    log = state_of(tmp_path) / FILE
    line = "\t".join((type_id(f"{TWINS[0]}|class|0"), *TWINS)) + "\n"
    assert log.read_text() == line
    with opened(tmp_path) as bench:
        bench.index.refresh()
        ids(bench)
    assert log.read_text() == line


def test_a_log_that_cannot_be_written_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / ".context").write_bytes(b"")
    with Root.open(tmp_path) as root, StateFolder.open(root, user_folder=tmp_path / "user") as state:
        (state.where / FILE).mkdir()
        Conflicts(state).note("T_X", ["A", "B"])
        assert (state.where / FILE).is_dir()


def test_the_same_workspace_has_the_same_ids_in_every_run(tmp_path: Path) -> None:
    files = {
        "A.cs": "class A { void M() { } class B { } }",
        "B.cs": "partial class P { } partial class P { }",
    }
    with indexed(tmp_path / "one", files) as bench:
        first = {(each.fqn, each.signature): each.id for each in bench.index.symbols()}
    with indexed(tmp_path / "two", dict(reversed(files.items()))) as bench:
        assert {(each.fqn, each.signature): each.id for each in bench.index.symbols()} == first


def test_kept_ids_are_those_that_were_and_follow_changes(tmp_path: Path) -> None:
    files = {f"{name}.cs": f"namespace N; class {name[2:]} {{ }}" for name in TWINS}
    with indexed(tmp_path, files) as bench:
        before = ids(bench)
    with Bench.open(tmp_path, settings=bench.settings) as again:
        assert again.index.load()
        assert ids(again) == before
        (tmp_path / f"{TWINS[0]}.cs").unlink()
        again.index.refresh()
        assert list(ids(again).values()) == [type_id(f"{TWINS[1]}|class|0")]


def test_threads_that_ask_at_once_and_for_the_next_version_have_the_same_ids(tmp_path: Path) -> None:
    text = "namespace N; " + " ".join(f"class C{number} {{ }}" for number in range(40))
    with indexed(tmp_path, {"A.cs": text, "B.cs": text}) as bench:
        catalogue = bench.index.facade.catalogue
        expected = Identities(catalogue).by_type()
        at = {id_: Identities(catalogue).find(id_) for id_ in expected}
        for _ in range(20):
            fresh, stored = Identities(catalogue), Identities(catalogue)
            stored.take(expected)
            ready = threading.Barrier(4)
            with ThreadPoolExecutor(4) as pool:
                of_next = [pool.submit(_of_the_next, each, catalogue, ready) for each in (fresh, stored)]
                own = [pool.submit(_own, each, ready) for each in (fresh, stored)]
                assert [each.result() for each in (*own, *of_next)] == [(expected, at)] * 4


def _own(of: Identities, ready: threading.Barrier) -> tuple[list[str], dict[str, int | None]]:
    ready.wait()
    return of.by_type(), {id_: of.find(id_) for id_ in of.by_type()}


def _of_the_next(
    of: Identities, catalogue: Catalogue, ready: threading.Barrier
) -> tuple[list[str], dict[str, int | None]]:
    ready.wait()
    later = of.after(catalogue)
    return later.by_type(), {id_: later.find(id_) for id_ in later.by_type()}
