"""Dependencies that worker processes work out are those that are worked out here."""

from __future__ import annotations

import multiprocessing
import sqlite3
import threading
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from services.bench.bench import Bench
from services.errors import Cancelled
from services.index.build import worker_process as workers_apart
from services.index.build.worker_process import WorkerInput
from services.index.catalog.store import Store, StoredFile
from services.index.graph import worker_process
from services.index.graph.by_file import FileEdges, opened
from services.index.graph.worker_process import edges_from_workers
from services.index.index_snapshot import IndexSnapshot
from services.index.names.names import Names
from services.index.symbols.placed import USUAL_RULES
from services.model import Progress
from tests.support.eventually import eventually
from tests.support.workspace import edit, indexed, project

FILES = {"A.csproj": project()} | {
    f"T{number}.cs": f"public class T{number} {{ public T{(number + 1) % 60} Next; public string Name; }}"
    for number in range(60)
}


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setattr(worker_process, "WORTH_WORKERS", 10)
    with indexed(tmp_path, FILES) as bench:
        yield bench


def pairs(bench: Bench) -> list[tuple[int, int, int]]:
    return sorted(bench.index.facade.graph().edges())


def test_workers_find_what_is_found_here(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    here = []
    monkeypatch.setattr("services.index.graph.edges.edges_of", lambda *_: here.append(1))
    told: list[Progress] = []
    assert bench.index.relate(progress=told.append)
    assert not here
    assert (told[-1].done, told[-1].total) == (60, 60)
    monkeypatch.undo()
    by_workers = pairs(bench)
    bench.index.facade.graph().forget({0})
    edit(bench.root, "T0.cs", f"// a comment\n{FILES['T0.cs']}")
    bench.index.refresh()
    assert bench.index.relate()
    assert pairs(bench) == by_workers
    assert len(by_workers) == 60


def test_where_workers_cannot_be_started_all_is_found_here(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(workers_apart, "new_pool", refuse)
    assert bench.index.relate()
    assert len(pairs(bench)) == 60


def test_a_worker_that_dies_leaves_the_rest_to_be_found_here(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_process, "_bind", _die)
    assert bench.index.relate()
    assert len(pairs(bench)) == 60


def test_workers_that_cannot_begin_leave_all_to_be_found_here_and_say_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    ground = WorkerInput(str(bench.root), None, "/nowhere/index.db", b"", USUAL_RULES)
    monkeypatch.setattr(WorkerInput, "of", lambda *_: ground)
    assert bench.index.relate()
    assert len(pairs(bench)) == 60
    assert capfd.readouterr().err == ""


def _die(_: object) -> bytes:
    import os

    os._exit(9)


def test_it_can_be_cancelled_and_gone_on_with(bench: Bench) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        bench.index.relate(cancel=cancel)
    assert bench.index.relate()
    assert len(pairs(bench)) == 60


def test_what_changes_meanwhile_is_found_as_it_is_then(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def change(*given: object, **named: object) -> Iterator[worker_process.Found]:
        found = edges_from_workers(*given, **named)  # pyright: ignore[reportArgumentType]
        first = next(found)
        edit(
            bench.root, "T5.cs", "public class T5 { public T50 Other; }\npublic class More { public T5 One; }"
        )
        bench.index.refresh()
        yield first
        yield from found

    monkeypatch.setattr(worker_process, "edges_from_workers", change)
    bench.index.relate()
    bench.index.relate()
    names = {index: entry.name for index, entry in bench.index.facade.catalogue.live_types()}
    found = {(names[a], names[b]) for a, b, _ in pairs(bench)}
    assert {("T5", "T50"), ("More", "T5"), ("T4", "T5")} <= found
    assert ("T5", "T6") not in found


def body_pairs(bench: Bench) -> list[tuple[int, int, int]]:
    return sorted(bench.index.facade.graph().body_edges())


def body_edges(bench: Bench) -> dict[int, FileEdges]:
    return {file: opened(edges) for file, edges in bench.index.facade.graph().bodies._files.raw_items()}


@pytest.fixture
def with_bodies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setattr(worker_process, "WORTH_BODY_WORKERS", 10)
    files = {"A.csproj": project()} | {
        f"T{number}.cs": f"""public class T{number}
{{
    /// <summary>As <see cref="T0"/>.</summary>
    public {other} Make() {{ var made = Make(); string text = nameof(T1); return new {other}(); }}
}}"""
        for number, other in ((number, f"T{(number + 1) % 20}") for number in range(20))
    }
    with indexed(tmp_path, files) as bench:
        bench.index.relate()
        yield bench


def read_here(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> dict[int, FileEdges]:
    """What is found without workers."""
    with monkeypatch.context() as patch:
        patch.setattr(worker_process, "WORTH_BODY_WORKERS", 1_000)
        bodies = bench.index.facade._core.published.graph.bodies
        for file in bodies.files():
            bodies.drop(file)
        bench.index.read_bodies()
    return body_edges(bench)


def test_workers_find_in_bodies_what_is_found_here(
    with_bodies: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    here: list[int] = []
    with monkeypatch.context() as patch:
        patch.setattr(IndexSnapshot, "own_usage_search", lambda _: here.append(1))
        assert with_bodies.index.read_bodies()
    assert not here, "what is learnt to bind bodies stays in this process"
    by_workers, pairs_by_workers = body_edges(with_bodies), body_pairs(with_bodies)
    assert by_workers == read_here(with_bodies, monkeypatch)
    assert pairs_by_workers == body_pairs(with_bodies)
    assert len(by_workers) == 20
    assert len(pairs_by_workers) >= 20


def test_a_worker_that_forgets_what_it_learnt_finds_the_same(
    with_bodies: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = read_here(with_bodies, monkeypatch)
    core = with_bodies.index.facade._core
    ground = WorkerInput.of(core, core.published)
    assert ground is not None
    made: list[weakref.ref[Names]] = []

    def noted(*given: Any) -> Names:
        names = Names(*given)
        made.append(weakref.ref(names))
        return names

    monkeypatch.setattr(worker_process, "_LEARNS_FOR", 8)
    monkeypatch.setattr(worker_process, "Names", noted)
    projects = msgspec.msgpack.encode(core.published.infos)
    binding = worker_process._Binding(ground, projects, core.published.graph.inferred)
    assert {file: binding.body_edges(file) for file in expected} == expected
    assert [each() is not None for each in made] == [
        False,
        False,
        True,
    ]  # though they hang together in circles


def _sleep(seconds: int) -> int:
    time.sleep(seconds)
    return seconds


def test_a_worker_ends_at_once_where_nobody_waits_for_what_it_does() -> None:
    cancel = threading.Event()
    made = workers_apart.worked(_sleep, [0, 600, 600], begin=int, workers=1, cancel=cancel)
    assert next(made) == 0
    before = multiprocessing.active_children()
    assert before
    cancel.set()
    with pytest.raises(Cancelled):
        next(made)
    eventually(lambda: not any(each.is_alive() for each in before))


def test_a_worker_that_dies_over_a_body_leaves_the_rest_to_be_found_here(
    with_bodies: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(worker_process, "_bind_bodies", _die)
        assert with_bodies.index.read_bodies()
    assert body_edges(with_bodies) == read_here(with_bodies, monkeypatch)


def test_workers_that_read_bodies_make_room_for_whoever_relates(
    with_bodies: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_process, "_BODIES_AT_ONCE", 1)
    wanted, told = with_bodies.index.facade.dependencies._wanted, list[int]()

    def want(progress: Progress) -> None:
        told.append(progress.done)
        if len(told) == 1:
            wanted.add(0)

    with_bodies.index.facade.dependencies._read_bodies(want, None)
    assert len(told) == 1
    assert len(with_bodies.index.facade.graph().unread()) == 19, "what was read is kept"
    wanted.clear()
    assert with_bodies.index.read_bodies()
    assert not with_bodies.index.facade.graph().unread()


def test_reading_bodies_by_workers_can_be_cancelled_and_gone_on_with(with_bodies: Bench) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        with_bodies.index.facade.dependencies.read_bodies(cancel=cancel)
    assert with_bodies.index.read_bodies()
    assert len(body_edges(with_bodies)) == 20


def test_names_that_mean_something_else_meanwhile_are_bound_again(bench: Bench) -> None:
    held = bench.index.facade._core
    before = held.published
    later = before.after(before.catalogue, projects=before.projects, project_paths=before.project_paths)
    later.forget_edges({0})
    held.publish(later)
    assert not held.publish_graph(before, before.graph.fork(), whole=True)
    assert held.published is later


def test_a_store_that_is_read_is_not_changed(tmp_path: Path) -> None:
    written = Store(tmp_path / "index.db")
    written.put([StoredFile("A.cs", "", 1, 1, b"r")])
    read = Store(tmp_path / "index.db", reading=True)
    assert (read.raw("A.cs", ""), read.is_lasting, written.is_lasting) == (b"r", True, True)
    with pytest.raises(Exception, match="readonly"):
        read.put([StoredFile("B.cs", "", 1, 1, b"r")])
    with pytest.raises(sqlite3.Error):
        Store(tmp_path / "none.db", reading=True)
