"""Names trade their files the same way whether the kernel does it in one step or not."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from services.source.atomic.system_calls import KEPT, SystemCalls, exchange, move, renameat2


class Portable(SystemCalls):
    """A system without renameat2, or one that refuses its flags. `fails`: a call that fails besides."""

    def __init__(self, code: int = errno.ENOSYS, fails: Callable[..., object] | None = None) -> None:
        self.code = code
        self.fails = fails
        self.made: list[str] = []

    def run(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if function is renameat2:
            raise OSError(self.code, os.strerror(self.code))
        self.made.append(function.__name__)
        if function is self.fails:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return function(*args, **kwargs)


KINDS = [SystemCalls, Portable, lambda: Portable(errno.EINVAL), lambda: Portable(errno.EOPNOTSUPP)]
IDS = ["kernel", "no call", "no flag", "not supported"]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    (tmp_path / "a").write_text("A")
    (tmp_path / "b").write_text("B")
    descriptor = os.open(tmp_path, os.O_RDONLY)
    yield descriptor
    os.close(descriptor)


def held(path: Path) -> dict[str, str]:
    return {each.name: each.read_text() for each in path.iterdir()}


@pytest.mark.parametrize("kind", KINDS, ids=IDS)
def test_two_names_trade_their_files(kind: Callable[[], SystemCalls], folder: int, tmp_path: Path) -> None:
    exchange(kind(), folder, "a", "b")
    assert held(tmp_path) == {"a": "B", "b": "A"}


@pytest.mark.parametrize("kind", KINDS, ids=IDS)
@pytest.mark.parametrize("names", [("a", "gone"), ("gone", "a")])
def test_where_one_is_missing_nothing_moves(
    kind: Callable[[], SystemCalls], folder: int, tmp_path: Path, names: tuple[str, str]
) -> None:
    with pytest.raises(FileNotFoundError):
        exchange(kind(), folder, *names)
    assert held(tmp_path) == {"a": "A", "b": "B"}


@pytest.mark.parametrize("kind", KINDS, ids=IDS)
def test_a_file_moves_to_a_free_name_and_never_over_another(
    kind: Callable[[], SystemCalls], folder: int, tmp_path: Path
) -> None:
    with pytest.raises(FileExistsError):
        move(kind(), folder, "a", "b")
    assert held(tmp_path) == {"a": "A", "b": "B"}
    move(kind(), folder, "a", "c")
    assert held(tmp_path) == {"b": "B", "c": "A"}


def test_a_link_itself_gets_the_second_name_not_what_it_leads_to(folder: int, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("b")
    move(Portable(), folder, "link", "moved")
    assert (tmp_path / "moved").readlink() == Path("b")
    exchange(Portable(), folder, "a", "moved")
    assert (tmp_path / "a").readlink() == Path("b")


def test_an_exchange_that_fails_amid_leaves_both_and_no_second_name(folder: int, tmp_path: Path) -> None:
    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        exchange(Portable(fails=os.rename), folder, "a", "b")
    assert held(tmp_path) == {"a": "A", "b": "B"}


def test_what_is_displaced_has_a_name_at_every_moment(folder: int, tmp_path: Path) -> None:
    seen: list[set[str]] = []

    class Watching(Portable):
        def run(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
            seen.append(set(held(tmp_path).values()))
            return super().run(function, *args, **kwargs)

    exchange(Watching(), folder, "a", "b")
    assert seen == [{"A", "B"}] * 4
    assert not (tmp_path / f"a{KEPT}").exists()


def test_other_errors_of_the_kernel_are_no_reason_to_go_the_long_way(folder: int) -> None:
    calls = Portable(errno.EACCES)
    for act in (exchange, move):
        with pytest.raises(PermissionError):
            act(calls, folder, "a", "c")
    assert calls.made == []


def test_a_call_on_another_thread_is_waited_for_and_its_error_raised() -> None:
    calls, goes_on, done = SystemCalls(), threading.Event(), []

    def slow() -> None:
        assert goes_on.wait(60)
        done.append(threading.get_ident())

    wait, fails = calls.start(slow), calls.start(os.stat, "/no/such/file")
    assert done == []
    goes_on.set()
    wait()
    assert done != []
    assert done[0] != threading.get_ident()
    with pytest.raises(FileNotFoundError):
        fails()
    with pytest.raises(FileNotFoundError):
        fails()
