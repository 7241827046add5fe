"""What other processes lock and write: known with their names, and brought in before the disk says anything."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from services.bench.bench import Bench
from services.source.journal.actor import Owner, acting
from services.source.text.edit import Edit
from services.workspace import watch
from tests.support.eventually import eventually
from tests.support.state import state_of
from tests.support.workspace import indexed, opened

CODE = "namespace N;\npublic class First { }\n"
AGENT = Owner("claude", "s1")


def rename(bench: Bench, file: str = "A.cs", *, to: str) -> None:
    """An agent puts another type in the place of line 2, with a lock that it keeps."""
    with acting(AGENT):
        token = bench.sources.read(file).token
        handle = bench.writing.lock(file, purpose="rename").lock_handle
        bench.writing.edit(file, Edit(2, 2, f"{to}\n"), token=token, handle=handle or "")


def since() -> int:
    return time.time_ns() // 1_000_000


def test_a_write_of_another_process_is_brought_in_before_the_disk_says_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "QUIET", 600.0)
    monkeypatch.setattr(watch, "LONGEST", 600.0)
    with indexed(tmp_path, {"A.cs": CODE}) as bench, opened(tmp_path) as other:
        bench.watch()
        told: list[str] = []
        bench.sharing.subscribe(lambda changes: told.extend(change.fqn for change in changes))
        rename(other, to="public class Second { }")
        eventually(lambda: "N.Second" in told)


def test_what_others_do_is_told_while_a_write_of_theirs_is_still_brought_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "QUIET", 600.0)
    monkeypatch.setattr(watch, "LONGEST", 600.0)
    with indexed(tmp_path, {"A.cs": CODE, "B.cs": CODE}) as bench, opened(tmp_path) as other:
        bench.watch()
        told, bringing, may_end = threading.Event(), threading.Event(), threading.Event()
        bench.sharing.topics.subscribe(lambda topics: told.set() if "writes" in topics else None)
        bench.sharing.subscribe(lambda _: (bringing.set(), may_end.wait(60)))
        rename(other, to="public class Second { }")
        assert bringing.wait(60)
        assert told.wait(50)
        told.clear()
        other.writing.lock("B.cs")
        assert told.wait(50)
        may_end.set()


def test_locks_and_writes_of_others_are_known_by_name_and_ones_own_are_not_among_them(tmp_path: Path) -> None:
    began = since()
    with indexed(tmp_path, {"A.cs": CODE, "B.cs": CODE}) as bench, opened(tmp_path) as other:
        assert bench.writer.others(since=began).written == ()
        rename(bench, "B.cs", to="public class Own { }")
        rename(other, to="public class Second { }")
        found = bench.writer.others(since=began)
        assert [(each.owner, each.files) for each in found.locks] == [("claude/s1/rename", ("A.cs",))]
        assert [(each.owner, each.files) for each in found.written] == [("claude/s1", ("A.cs",))]
        assert found.written[0].at >= found.locks[0].taken_at >= began
        assert bench.writer.others(since=since() + 60_000).written == ()


def test_a_workspace_in_which_nothing_was_ever_written_gets_no_journal(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.cs": CODE}) as bench:
        assert bench.writer.others(since=0).locks == ()
        assert not list(state_of(tmp_path).glob("writes.db*"))


def test_what_others_pin_is_told_before_there_is_an_index(tmp_path: Path) -> None:
    """A workbench that builds its index for a minute shows meanwhile what an agent does."""
    with indexed(tmp_path, {"A.cs": CODE}) as other, opened(tmp_path) as bench:
        told: set[str] = set()
        bench.sharing.topics.subscribe(told.update)
        bench.sharing.listen()
        bench.sharing.listen()
        other.window.pin("N.First")
        eventually(lambda: "window" in told)
