"""Every system call of a write fails, or is the last thing the process does: old bytes or new ones, nothing left over.

The calls are counted by a write that nothing disturbs; the number of points is in the name of each test, the calls are
not: two threads make some of them at once, in either order.
"""

from __future__ import annotations

import errno
import sqlite3
import tempfile
from pathlib import Path

import pytest

from services.errors import CodeCortexError, Unsettled
from tests.support.writing import ME, Failing, LateFailing, NamedFailing, Place, PortableFailing, in_child

OLD = {"a.cs": b"one\r\ntwo\r\n", "b/b.cs": b"eins\nzwei", "empty.cs": b""}
NEW = {"a.cs": b"one\r\nTWO\r\n", "b/b.cs": b"EINS\nzwei", "empty.cs": b"full\n"}
PATCH = """--- a/a.cs
+++ b/a.cs
@@ -1,2 +1,2 @@
 one
-two
+TWO
--- a/b/b.cs
+++ b/b/b.cs
@@ -1,2 +1,2 @@
-eins
+EINS
 zwei
\\ No newline at end of file
"""
CREATION = "--- /dev/null\n+++ b/c.cs\n@@ -0,0 +1 @@\n+new\n"
TOUCHED = {"edit": ["a.cs"], "fill": ["empty.cs"], "patch": ["a.cs", "b/b.cs"], "create": ["c.cs"]}


def set_up(folder: Path) -> None:
    place = Place(folder)
    for name, data in OLD.items():
        place.put(name, data).chmod(0o640)
    place.close()


def write(folder: Path, calls: Failing, what: str) -> None:
    place = Place(folder, calls=calls)
    try:
        act(place, calls, what)
    finally:
        place.close()


def act(place: Place, calls: Failing, what: str) -> None:
    names = TOUCHED[what]
    handle = place.writer.lock("all", names, ME).lock_handle or ""
    calls.names.clear()
    if what == "patch":
        place.writer.patch(PATCH, {name: place.token(name) for name in names}, [handle], owner=ME)
    elif what == "create":
        place.writer.patch(CREATION, {}, [handle], owner=ME)
    elif what == "fill":
        place.edit("empty.cs", 1, 0, "full\n", handle=handle)
    else:
        place.edit("a.cs", 2, 2, "TWO", handle=handle)


def count(kind: type[Failing], what: str) -> list[str]:
    with tempfile.TemporaryDirectory() as name:
        set_up(Path(name))
        place = Place(Path(name), calls=(calls := kind()))
        act(place, calls, what)
        names = list(calls.names)
        place.close()
        return names


WHATS = ("edit", "patch", "create")
POINTS = {(kind, what): count(kind, what) for kind in (Failing, PortableFailing) for what in WHATS}
POINTS[(NamedFailing, "patch")] = count(NamedFailing, "patch")
POINTS[(LateFailing, "edit")] = count(LateFailing, "edit")
POINTS[(Failing, "fill")] = count(Failing, "fill")
CASES = [
    pytest.param(kind, what, at, id=f"{kind.__name__.lower()}-{what}-{at}of{len(names)}")
    for (kind, what), names in POINTS.items()
    for at in range(1, len(names) + 1)
]


def state(folder: Path, what: str) -> str:
    names = TOUCHED[what]
    found = {name: (folder / name).read_bytes() if (folder / name).exists() else None for name in names}
    if found == {name: OLD.get(name) for name in names}:
        return "old"
    assert found == {name: NEW.get(name, b"new\n") for name in names}
    return "new"


def consistent(folder: Path, what: str) -> str:
    """Starts the program again and looks at everything; whether old or new."""
    place = Place(folder)
    place.writer.recover()
    now = state(folder, what)
    assert place.left_over() == []
    assert all((folder / name).stat().st_mode & 0o777 == 0o640 for name in OLD)
    kinds = [entry.kind for entry in place.writer.history(None).entries]
    assert kinds == (["edit"] if now == "new" else [])
    with sqlite3.connect(place.journal) as db:
        assert db.execute("SELECT count(*) FROM entries WHERE temp IS NOT NULL").fetchone() == (0,)
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    if now == "new":
        undo(place)
        assert state(folder, what) == "old"
    place.close()
    return now


def undo(place: Place) -> None:
    for lock in place.writer.locks().locks:
        place.writer.break_lock(lock.files[0], ME, reason="its process died")
    place.writer.undo(None, ME)


@pytest.mark.parametrize(("kind", "what", "at"), CASES)
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO], ids=["ENOSPC", "EIO"])
def test_a_call_that_fails(tmp_path: Path, kind: type[Failing], what: str, at: int, code: int) -> None:
    set_up(tmp_path)
    calls = kind(at, error=code)
    told = "new"
    try:
        write(tmp_path, calls, what)
    except Unsettled:
        told = "either"
    except CodeCortexError as error:
        assert error.message.startswith("Nothing was written.")
        assert state(tmp_path, what) == "old"
        told = "old"
    for_good = consistent(tmp_path, what)
    assert told in (for_good, "either")


@pytest.mark.parametrize(("kind", "what", "at"), CASES)
@pytest.mark.parametrize("when", ["before", "amid", "after"])
def test_a_process_killed_at_a_call(
    tmp_path: Path, kind: type[Failing], what: str, at: int, when: str
) -> None:
    if when == "amid" and POINTS[(kind, what)][at - 1] != "write":
        when = "after"
    set_up(tmp_path)
    assert in_child(lambda: write(tmp_path, kind(at, kill=when), what)) == 9
    assert state_or_absent(tmp_path, what)
    consistent(tmp_path, what)


def state_or_absent(folder: Path, what: str) -> bool:
    """Before anybody has tidied up each file by itself is old or new."""
    for name in OLD:
        assert (folder / name).read_bytes() in (OLD[name], NEW[name])
    return True
