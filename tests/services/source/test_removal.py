"""A file goes when its creation is undone: every system call of that fails, or is the last thing the process does."""

from __future__ import annotations

import errno
import sqlite3
import tempfile
from pathlib import Path

import pytest

from services.errors import CodeCortexError, Unsettled
from tests.support.writing import ME, Failing, Place, PortableFailing, in_child

CREATION = "--- /dev/null\n+++ b/c.cs\n@@ -0,0 +1 @@\n+new\n"
NEW = b"new\n"


def set_up(folder: Path) -> None:
    place = Place(folder)
    handle = place.lock("c.cs")
    place.writer.patch(CREATION, {}, [handle], owner=ME)
    place.writer.unlock(handle)
    place.close()


def remove(folder: Path, calls: Failing) -> list[str]:
    place = Place(folder, calls=calls)
    try:
        place.writer.undo("c.cs", ME)
        return list(calls.names)
    finally:
        place.close()


def count(kind: type[Failing]) -> list[str]:
    with tempfile.TemporaryDirectory() as name:
        set_up(Path(name))
        return remove(Path(name), kind())


CASES = [
    pytest.param(kind, at, id=f"{kind.__name__.lower()}-{at}-{name}")
    for kind in (Failing, PortableFailing)
    for at, name in enumerate(count(kind), 1)
]


def is_gone(folder: Path) -> bool:
    """Starts the program again: the file is whole or gone, the journal says which, and both can be changed back."""
    place = Place(folder)
    place.writer.recover()
    path = folder / "c.cs"
    gone = not path.exists()
    assert gone or path.read_bytes() == NEW
    assert place.left_over() == []
    assert [each.kind for each in place.writer.history(None).entries] == (
        ["undo", "edit"] if gone else ["edit"]
    )
    with sqlite3.connect(place.journal) as db:
        assert db.execute("SELECT count(*) FROM entries WHERE temp IS NOT NULL").fetchone() == (0,)
    if gone:
        place.writer.redo("c.cs", ME)
        assert path.read_bytes() == NEW
    place.writer.undo("c.cs", ME)
    assert not path.exists()
    place.close()
    return gone


@pytest.mark.parametrize(("kind", "at"), CASES)
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO], ids=["ENOSPC", "EIO"])
def test_a_call_that_fails(tmp_path: Path, kind: type[Failing], at: int, code: int) -> None:
    set_up(tmp_path)
    told: bool | None = True
    try:
        remove(tmp_path, kind(at, error=code))
    except Unsettled:
        told = None
    except CodeCortexError as error:
        assert error.message.startswith("Nothing was written.")
        told = False
    assert is_gone(tmp_path) is told or told is None


@pytest.mark.parametrize(("kind", "at"), CASES)
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_process_killed_at_a_call(tmp_path: Path, kind: type[Failing], at: int, when: str) -> None:
    set_up(tmp_path)
    assert in_child(lambda: remove(tmp_path, kind(at, kill=when))) == 9
    is_gone(tmp_path)
