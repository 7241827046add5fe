"""Several processes over one workspace: one watches the disk, the others follow it, and everyone sees everything."""

from __future__ import annotations

import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import pytest

from services.bench.sharing import Subscribers
from services.bench.workspace_index import RefreshLock
from services.errors import Cancelled
from services.workspace.files.root import Root
from services.workspace.state import StateFolder
from services.workspace.watch import Watcher
from tests.support.eventually import eventually
from tests.support.workspace import edit, indexed, opened

CODE = "namespace N; public class First { public void Act() { } }"
OTHER = "namespace N; public class Second { public void Other() { } }"

HOLDER = """
import sys, time
from pathlib import Path
from services.bench.bench import Bench
from services.settings import IndexSettings, Settings
bench = Bench.open(Path(sys.argv[1]), settings=Settings(index=IndexSettings(workers=1)))
bench.index.refresh()
bench.watch()
print(bench.health.status().watching, flush=True)
time.sleep(60)
"""


def test_the_second_bench_follows_the_first_and_hears_of_changes(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.cs": CODE}) as first, opened(tmp_path) as second:
        second.index.refresh()
        first.watch()
        second.watch()
        assert (first.health.status().watching, second.health.status().watching) == ("on", "following")
        told: list[str] = []
        second.sharing.subscribe(lambda changes: told.extend(change.fqn for change in changes))
        edit(tmp_path, "A.cs", OTHER)
        assert eventually(lambda: "N.Second" in told)
        assert second.lookup.resolve("Second").resolved is not None


def test_status_says_that_watches_ran_out_and_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.workspace.watch.Watcher", partial(Watcher, left=lambda _: False))
    with indexed(tmp_path, {"A.cs": CODE}) as bench:
        bench.watch()
        status = bench.health.status()
        assert status.watching == "short"
        assert any("max_user_watches" in notice.what_to_do for notice in status.notices)


def test_a_folder_that_is_gone_and_comes_back_is_told(tmp_path: Path) -> None:
    folder, away = tmp_path / "code", tmp_path / "away"
    folder.mkdir()
    with indexed(folder, {"A.cs": CODE}) as bench:
        bench.watch()
        told: list[str] = []
        bench.sharing.topics.subscribe(lambda topics: told.extend(topics & {"watching"}))
        folder.rename(away)
        assert eventually(lambda: told == ["watching"])
        assert bench.health.status().watching == "lost"
        assert any("The folder is gone" in notice.message for notice in bench.health.status().notices)
        away.rename(folder)
        assert eventually(lambda: told == ["watching"] * 2)
        assert bench.health.status().watching == "on"
        assert not any("The folder is gone" in notice.message for notice in bench.health.status().notices)


def test_files_that_appear_reach_the_follower(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.cs": CODE}) as first, opened(tmp_path) as second:
        second.index.refresh()
        first.watch()
        second.watch()
        edit(tmp_path, "sub/B.cs", OTHER)
        assert eventually(lambda: second.lookup.resolve("Second").resolved is not None)


def test_a_follower_takes_over_when_the_one_that_watches_goes(tmp_path: Path) -> None:
    with opened(tmp_path) as second:
        with indexed(tmp_path, {"A.cs": CODE}) as first:
            second.index.refresh()
            first.watch()
            second.watch()
        edit(tmp_path, "A.cs", OTHER)
        assert eventually(lambda: second.health.status().watching == "on")
        assert eventually(lambda: second.lookup.resolve("Second").resolved is not None)


def test_a_follower_takes_over_from_a_process_that_is_killed(tmp_path: Path) -> None:
    edit(tmp_path, "A.cs", CODE)
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == "on"
        with opened(tmp_path) as bench:
            bench.index.refresh()
            bench.watch()
            assert bench.health.status().watching == "following"
            holder.kill()
            edit(tmp_path, "A.cs", OTHER)
            assert eventually(lambda: bench.health.status().watching == "on")
            assert eventually(lambda: bench.lookup.resolve("Second").resolved is not None)


def test_pins_of_another_process_are_told(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.cs": CODE}) as first, opened(tmp_path) as second:
        second.index.refresh()
        told: set[str] = set()
        first.watch()
        first.sharing.topics.subscribe(told.update)
        second.window.pin("First")
        assert eventually(lambda: "window" in told)
        assert [item.label for item in first.window.render().items if item.pinned] == ["First"]


def test_locks_of_another_process_are_told(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.cs": CODE}) as first, opened(tmp_path) as second:
        told: set[str] = set()
        first.watch()
        first.sharing.topics.subscribe(told.update)
        second.writing.lock("A.cs")
        assert eventually(lambda: "writes" in told)


def test_one_refresh_at_a_time_and_the_second_takes_what_the_first_made(tmp_path: Path) -> None:
    edit(tmp_path, "A.cs", CODE)
    with opened(tmp_path) as bench, Root.open(tmp_path) as root, StateFolder.open(root) as state:
        phases: list[str] = []
        done = threading.Event()

        def refresh() -> None:
            bench.index.refresh(progress=lambda progress: phases.append(progress.phase))
            done.set()

        with state.locked("refresh"):
            worker = threading.Thread(target=refresh)
            worker.start()
            assert eventually(lambda: "Another process is indexing" in phases)
            assert not done.is_set()
        worker.join(timeout=60)
        assert done.is_set()
        assert bench.lookup.resolve("First").resolved is not None


def test_waiting_for_a_turn_can_be_cancelled(tmp_path: Path) -> None:
    with Root.open(tmp_path) as root, StateFolder.open(root) as state:
        cancel = threading.Event()
        cancel.set()
        with (
            state.locked("refresh"),
            pytest.raises(Cancelled),
            RefreshLock(state).held(lambda _: None, cancel),
        ):
            pass


def test_what_changes_between_the_first_look_and_watching_is_found(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.cs": CODE}) as bench:
        edit(tmp_path, "A.cs", CODE.replace("Act", "Acted"))
        edit(tmp_path, "New/B.cs", OTHER)
        bench.watch()
        assert eventually(lambda: bench.lookup.resolve("N.Second").resolved is not None)
        assert bench.lookup.resolve("First.Acted").resolved is not None


def test_a_fault_while_a_batch_is_brought_in_does_not_end_the_following(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with indexed(tmp_path, {"A.cs": CODE}) as bench:
        bench.watch()
        with monkeypatch.context() as broken:
            for way in ("update", "refresh"):
                broken.setattr(bench.index.facade, way, lambda *_, **__: {}["no such row"])
            edit(tmp_path, "A.cs", CODE.replace("Act", "Acted"))
            assert eventually(lambda: any("KeyError" in each.message for each in bench.sharing.notices()))
        edit(tmp_path, "A.cs", OTHER)
        assert eventually(lambda: bench.lookup.resolve("N.Second").resolved is not None)


CALLER = "namespace N; class Caller { void Do() { new First().Act(); } }"


def test_bodies_that_one_process_has_read_no_other_reads_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with indexed(tmp_path, {"A.cs": CODE, "B.cs": CALLER}) as first:
        first.index.relate()
        first.index.facade.keep()
        with opened(tmp_path) as second:
            second.index.load()
            second.index.refresh()
            second.index.relate()
            assert second.index.facade.graph().unread()
            assert first.index.read_bodies()
            with monkeypatch.context() as patched:
                patched.setattr("services.index.dependency_builder.BodyReader", None)
                assert second.index.read_bodies()
            assert sorted(second.index.facade.graph().body_edges()) == sorted(
                first.index.facade.graph().body_edges()
            )
            assert not second.index.facade.graph().unread()


def test_bodies_of_other_files_are_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with indexed(tmp_path, {"A.cs": CODE, "B.cs": CALLER}) as first:
        first.index.relate()
        first.index.facade.keep()
        with opened(tmp_path) as second:
            second.index.load()
            edit(tmp_path, "A.cs", CODE.replace("Act", "Other"))
            second.index.refresh()
            second.index.relate()
            assert first.index.read_bodies()
            with monkeypatch.context() as patched:
                patched.setattr("services.index.dependency_builder.BodyReader", None)
                with pytest.raises(TypeError):
                    second.index.read_bodies()
            assert second.index.read_bodies()
            assert not second.index.facade.graph().unread()


def test_what_was_read_before_the_end_is_stored(tmp_path: Path) -> None:
    files = {f"{name}.cs": CALLER.replace("Caller", name) for name in "BCDE"} | {"A.cs": CODE}
    with indexed(tmp_path, files) as bench:
        bench.index.relate()
        bench.index.facade.keep()
        ended = threading.Event()
        with pytest.raises(Cancelled):
            bench.index.read_bodies(progress=lambda _: ended.set(), cancel=ended)
        left = bench.index.facade.graph().unread()
        assert 0 < len(left) < len(files)
    with opened(tmp_path) as bench:
        bench.index.load()
        assert bench.index.facade.graph().unread() == left


def test_a_callback_that_subscribed_twice_is_called_until_both_have_left() -> None:
    subscribers: Subscribers[int] = Subscribers()
    told: list[int] = []
    leave, leave_too = subscribers.subscribe(told.append), subscribers.subscribe(told.append)
    subscribers.notify(1)
    leave()
    leave()
    subscribers.notify(2)
    leave_too()
    subscribers.notify(3)
    assert told == [1, 1, 2]
    assert not subscribers
