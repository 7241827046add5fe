"""Locks: leases on a clock nobody sets, fencing, processes that go, breaking with a trace."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.errors import LockRequired, PathRefused, UsageError
from services.source.journal.clock import is_alive, this_process
from services.source.journal.database import Database
from services.source.journal.locks import Locks
from tests.support.writing import ME, YOU, HandClock, Place, in_child


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def place(tmp_path: Path, clock: HandClock) -> Iterator[Place]:
    place = Place(tmp_path, clock=clock)
    place.put("a.cs", b"one\n")
    place.put("b.cs", b"two\n")
    yield place
    place.close()


def locks_of(place: Place, clock: HandClock) -> Locks:
    return Locks(Database(place.journal), clock=clock)


def test_a_lock_keeps_others_out_and_says_whose_it_is(place: Place) -> None:
    place.lock("a.cs")
    with pytest.raises(
        LockRequired, match=r"^Nothing was locked\. a\.cs is locked by ada/s1/tests"
    ) as caught:
        place.lock("a.cs", YOU)
    assert caught.value.details["owner"] == "ada/s1/tests"


def test_a_handle_is_told_once_and_never_listed(place: Place) -> None:
    handle = place.lock("a.cs")
    (listed,) = place.writer.locks().locks
    assert len(handle) >= 32
    assert listed.lock_handle is None
    assert (listed.files, listed.owner) == (("a.cs",), "ada/s1/tests")


def test_who_asks_for_the_locks_waits_for_no_writer(place: Place, clock: HandClock) -> None:
    place.lock("a.cs")
    ledger = Database(place.journal, patience=0.01)
    with contextlib.closing(ledger), Database(place.journal).transaction(durable=False):
        assert [lock.keys for lock in Locks(ledger, clock=clock).list()] == [("a.cs",)]


def test_a_lapsed_lock_is_free_and_its_handle_writes_no_more(place: Place, clock: HandClock) -> None:
    handle = place.lock("a.cs")
    token = place.token("a.cs")
    clock.seconds += 300
    with pytest.raises(LockRequired, match=r"^Nothing was written\. The lock of a\.cs has lapsed\."):
        place.edit("a.cs", 1, 1, "x", handle=handle, token=token)
    assert place.bytes("a.cs") == b"one\n"
    place.lock("a.cs", YOU)


def test_a_moment_before_its_end_the_lease_holds(place: Place, clock: HandClock) -> None:
    handle = place.lock("a.cs")
    clock.seconds += 299.9
    assert place.edit("a.cs", 1, 1, "x", handle=handle).updated


def test_renewing_begins_the_lease_again(place: Place, clock: HandClock) -> None:
    handle = place.lock("a.cs")
    clock.seconds += 200
    assert place.writer.renew(handle).seconds == 300
    clock.seconds += 200
    assert place.edit("a.cs", 1, 1, "x", handle=handle).updated
    clock.seconds += 300
    with pytest.raises(LockRequired, match="has lapsed"):
        place.writer.renew(handle)


def test_locks_of_another_start_of_the_system_have_lapsed(place: Place, clock: HandClock) -> None:
    place.lock("a.cs")
    clock.name = "another boot"
    assert place.writer.locks().locks == ()
    place.lock("a.cs", YOU)


def test_a_lease_does_not_hang_on_a_connection(place: Place, clock: HandClock) -> None:
    first = locks_of(place, clock)
    handle = first.lock(["a.cs"], ME, bound=False).handle
    first._database.close()
    assert place.edit("a.cs", 1, 1, "x", handle=handle).updated


def test_a_lock_goes_with_its_process_and_one_that_is_not_bound_stays(place: Place, clock: HandClock) -> None:
    def work() -> None:
        locks = locks_of(place, clock)
        locks.lock(["a.cs"], YOU)
        locks.lock(["b.cs"], YOU, bound=False)

    assert in_child(work) == 0
    assert [lock.files for lock in place.writer.locks().locks] == [("b.cs",)]


def test_a_process_is_known_by_its_start_not_by_its_number_alone() -> None:
    space, pid, started, nonce = this_process().split("/")
    assert is_alive(f"{space}/{pid}/{started}/{nonce}")
    assert not is_alive(f"{space}/{pid}/{int(started) - 1}/{nonce}")
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    assert not is_alive(f"{space}/{child}/{started}/{nonce}")
    assert is_alive(f"other-space/{child}/{started}/{nonce}")


def test_a_broken_handle_never_writes_again_not_even_when_the_file_is_free(place: Place) -> None:
    handle = place.lock("a.cs")
    token = place.token("a.cs")
    place.writer.break_lock("a.cs", YOU, reason="they left")
    with pytest.raises(LockRequired, match=r"^Nothing was written\. .*broken by bob/s2/tests: they left\."):
        place.edit("a.cs", 1, 1, "x", handle=handle, token=token)
    with pytest.raises(LockRequired):
        place.writer.renew(handle)
    place.lock("a.cs", YOU)
    with pytest.raises(LockRequired):
        place.edit("a.cs", 1, 1, "x", handle=handle, token=token)
    assert place.bytes("a.cs") == b"one\n"


def test_breaking_is_logged_and_needs_a_reason_and_a_lock(place: Place, clock: HandClock) -> None:
    place.lock("a.cs")
    with pytest.raises(UsageError, match="why"):
        place.writer.break_lock("a.cs", YOU, reason=" ")
    place.writer.break_lock("a.cs", YOU, reason="they left")
    with pytest.raises(LockRequired, match="not locked"):
        place.writer.break_lock("a.cs", YOU, reason="again")
    ((_, action, key, owner, actor, reason),) = locks_of(place, clock).log()
    assert (action, key, owner, actor, reason) == (
        "broken",
        "a.cs",
        "ada/s1/tests",
        "bob/s2/tests",
        "they left",
    )


def test_fencing_numbers_only_grow(place: Place) -> None:
    fences = []
    for _ in range(3):
        answer = place.writer.lock("a.cs", ["a.cs"], ME)
        fences.append(answer.fence)
        place.writer.unlock(answer.lock_handle or "")
    assert fences == sorted(set(fences))


def test_many_files_are_locked_all_or_none(place: Place) -> None:
    place.lock("b.cs", YOU)
    with pytest.raises(LockRequired, match=r"b\.cs is locked"):
        place.writer.lock("T", ["a.cs", "b.cs"], ME)
    assert [lock.files for lock in place.writer.locks().locks] == [("b.cs",)]


def test_a_file_that_is_not_there_yet_can_be_locked_a_folder_cannot(place: Place) -> None:
    assert place.lock("new.cs")
    (place.folder / "sub").mkdir()
    for name in ("sub", "."):
        with pytest.raises(PathRefused, match=r"^Nothing was locked\. .*it is a folder"):
            place.lock(name)


def test_two_spellings_of_a_path_are_one_lock(place: Place) -> None:
    place.lock("./sub/../a.cs")
    with pytest.raises(LockRequired):
        place.lock(str(place.folder / "a.cs"), YOU)


def test_a_handle_of_another_file_or_of_nothing_is_refused(place: Place) -> None:
    other = place.lock("b.cs")
    for handle in (other, "", "\ud800", "nonsense"):
        with pytest.raises(LockRequired, match=r"^Nothing was written\. "):
            place.edit("a.cs", 1, 1, "x", handle=handle)
    assert place.bytes("a.cs") == b"one\n"


@pytest.mark.parametrize("lease", [0, -1, 86_401, float("nan")])
def test_a_lease_without_end_is_refused(place: Place, lease: float) -> None:
    with pytest.raises(UsageError, match=r"^Nothing was locked\."):
        place.writer.lock("a.cs", ["a.cs"], ME, lease=lease)
