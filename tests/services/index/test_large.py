"""Values that are mapped are those that were kept, whoever else keeps some."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from services.index.catalog.store import Store
from services.index.persistence import LargeValues, LostError
from services.workspace.files.root import Root
from services.workspace.state import StateFolder


@pytest.fixture
def state(tmp_path: Path) -> Iterator[StateFolder]:
    with Root.open(tmp_path) as root, StateFolder.open(root) as state:
        yield state


@pytest.fixture
def store(state: StateFolder) -> Iterator[Store]:
    store = Store(state.path("index.db"))
    yield store
    store.close()


def files(state: StateFolder) -> list[Path]:
    return sorted(state.path("large").iterdir())


def test_a_value_is_the_last_that_was_kept(state: StateFolder, store: Store) -> None:
    large = LargeValues(store, state)
    assert large.kept("one") is None
    large.keep("one", b"first")
    large.keep("one", b"second")
    large.keep("other", b"third")
    again = LargeValues(store, state)
    assert (again.kept("one"), again.kept("other")) == (b"second", b"third")


def test_what_was_read_stays_whatever_becomes_of_its_file(state: StateFolder, store: Store) -> None:
    large = LargeValues(store, state)
    large.keep("one", b"first")
    read = large.kept("one")
    for file in files(state):
        file.unlink()
    assert read == b"first"
    with pytest.raises(LostError):
        large.kept("one")


@pytest.mark.parametrize("damaged", [b"fir", b"furst", b"", bytes(5)])
def test_a_file_that_is_not_as_it_was_written_is_no_value(
    state: StateFolder, store: Store, damaged: bytes
) -> None:
    large = LargeValues(store, state)
    large.keep("one", b"first")
    (file,) = files(state)
    file.write_bytes(damaged)
    with pytest.raises(LostError):
        large.kept("one")


def test_a_value_that_is_dropped_is_gone_though_its_file_is_there(state: StateFolder, store: Store) -> None:
    large = LargeValues(store, state)
    large.keep("one", b"first")
    store.drop("one")
    assert large.kept("one") is None
    assert len(files(state)) == 1


def test_a_row_of_something_else_is_refused(state: StateFolder, store: Store) -> None:
    store.keep("one", b"\xc1")
    with pytest.raises(msgspec.MsgspecError):
        LargeValues(store, state).kept("one")


def test_files_that_no_row_tells_of_go_once_nobody_can_be_writing_the_row(
    state: StateFolder, store: Store
) -> None:
    large = LargeValues(store, state)
    large.keep("one", b"first")
    large.keep("other", b"kept")
    large.keep("one", b"second")
    assert len(files(state)) == 3  # another process may be about to tell of the first
    for file in files(state):
        os.utime(file, (0, 0))
    large.keep("one", b"third")
    assert sorted(file.read_bytes() for file in files(state)) == [b"kept", b"third"]


def test_a_store_of_this_process_alone_leaves_the_files_of_others_alone(
    state: StateFolder, store: Store
) -> None:
    LargeValues(store, state).keep("one", b"first")
    alone = Store(state.path("no/such/folder/index.db"))
    large = LargeValues(alone, state)
    large.keep("one", b"second")
    assert large.kept("one") is None
    assert LargeValues(store, state).kept("one") == b"first"
