"""Leases of a team: two machines, each with a journal of its own, and the right to write one path."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from services.errors import Busy, LockRequired
from services.source.journal.database import Database
from services.source.journal.locks import GrantedLock, Locks
from services.team.database import TeamDatabase
from services.team.leases import TABLES, TeamLeases
from tests.support.eventually import eventually
from tests.support.postgres import shared_postgres
from tests.support.writing import ME, YOU

TAKER = """
import sys
from services.source.journal.actor import Owner
from services.team.database import TeamDatabase
from services.team.leases import TABLES, TeamLeases
leases = TeamLeases(TeamDatabase(sys.argv[1], sys.argv[2], tables=TABLES), lambda: "c")
leases.take(["A.cs"], "handle", Owner("gone"), lease=600, bound=True)
print("taken", flush=True)
sys.stdin.read()
"""


class Machine:
    """The locks of a clone."""

    def __init__(self, folder: Path, name: str, commit: str = "c") -> None:
        self.journal = Database(folder / f"{name}.db")
        database = TeamDatabase(shared_postgres().address, str(folder), tables=TABLES)
        self.locks = Locks(self.journal, shared=TeamLeases(database, lambda: commit))

    def require_still(self, handle: str) -> None:
        with self.journal.transaction(durable=False) as db:
            self.locks.require_still(db, "A.cs", [handle])


@pytest.fixture
def machines(tmp_path: Path) -> tuple[Machine, Machine]:
    return Machine(tmp_path, "a"), Machine(tmp_path, "b")


def test_what_is_locked_on_one_machine_is_not_written_on_another(machines: tuple[Machine, Machine]) -> None:
    a, b = machines
    lock = a.locks.lock(["A.cs", "B.cs"], ME, lease=60)
    with pytest.raises(LockRequired, match="on another machine") as caught:
        b.locks.lock(["C.cs", "B.cs"], YOU, lease=60)
    assert caught.value.details["owner"] == str(ME)
    assert [(each.keys, each.handle) for each in b.locks.list()] == [(("A.cs", "B.cs"), "")]
    assert b.locks.lock(["C.cs"], YOU, lease=60).keys == ("C.cs",), "nothing of the refused lock is left"
    a.require_still(lock.handle)
    a.locks.unlock(lock.handle)
    b.locks.lock(["B.cs"], YOU, lease=60)


def test_a_lease_ends_by_the_clock_of_the_database_and_is_renewed(machines: tuple[Machine, Machine]) -> None:
    a, b = machines
    lock = a.locks.lock(["A.cs"], ME, lease=0.5)
    a.locks.renew(lock.handle, lease=60)
    time.sleep(0.6)
    with pytest.raises(LockRequired):
        b.locks.lock(["A.cs"], YOU)
    a.locks.renew(lock.handle, lease=0.1)
    held = eventually(lambda: _locked(b))
    b.require_still(held.handle)
    with pytest.raises(LockRequired):
        a.require_still(lock.handle)


def _locked(machine: Machine) -> GrantedLock | None:
    with suppress(LockRequired):
        return machine.locks.lock(["A.cs"], YOU)
    return None


def test_whose_lease_was_broken_elsewhere_writes_no_more(machines: tuple[Machine, Machine]) -> None:
    a, b = machines
    lock = a.locks.lock(["A.cs"], ME, lease=60)
    assert b.locks.break_lock("A.cs", YOU, reason="They left.").owner == ME
    held = b.locks.lock(["A.cs"], YOU, lease=60)
    assert held.handle != lock.handle
    with pytest.raises(LockRequired, match="no longer yours"):
        a.require_still(lock.handle)


def test_people_on_other_commits_are_not_in_the_way(tmp_path: Path) -> None:
    a, b = Machine(tmp_path, "a", "one"), Machine(tmp_path, "b", "two")
    first = a.locks.lock(["A.cs"], ME, lease=60)
    second = b.locks.lock(["A.cs"], YOU, lease=60)
    a.require_still(first.handle)
    assert [each.handle for each in b.locks.list()] == [""]
    assert b.locks.is_held(second.handle)


def test_a_lease_goes_with_a_process_of_the_same_machine(tmp_path: Path) -> None:
    command = (sys.executable, "-c", TAKER, shared_postgres().address, str(tmp_path))
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as taker:
        assert taker.stdout is not None
        assert taker.stdout.readline() == b"taken\n"
        b = Machine(tmp_path, "b")
        with pytest.raises(LockRequired, match="gone"):
            b.locks.lock(["A.cs"], YOU)
        taker.kill()
    b.locks.lock(["A.cs"], YOU)


def test_without_the_database_nothing_is_locked(machines: tuple[Machine, Machine]) -> None:
    a, _ = machines
    server = shared_postgres()
    lock = a.locks.lock(["A.cs"], ME, lease=60)
    server.stop()
    try:
        with pytest.raises(Busy, match="cannot be reached"):
            a.locks.lock(["B.cs"], ME)
        with pytest.raises(Busy):
            a.require_still(lock.handle)
        assert [each.keys for each in a.locks.list()] == [("A.cs",)]
    finally:
        server.start()
