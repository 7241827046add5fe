"""Both ends of a resident's socket: claims, greetings, answers, and whoever leaves or is silent."""

from __future__ import annotations

import fcntl
import os
import resource
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from services.resident import client
from services.resident import listener as listening_end
from services.resident.address import Address, find_address
from services.resident.claim import Claim
from services.resident.client import Reply, ask, connect, is_lock_free
from services.resident.listener import Listener, Question
from services.resident.process import stop
from services.resident.protocol import frame, is_readable
from services.resident.streams import AskerStreams, DeclinedError, install
from tests.support.eventually import eventually

QUESTION = ("/somewhere", "7", "010", "search", "Tree")


@pytest.fixture(autouse=True)
def _heard_however_busy_the_machine_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "HEARD_WITHIN", 60.0)


@pytest.fixture
def address(tmp_path: Path) -> Address:
    return Address(str(tmp_path / "run"), "a" * 20, str(tmp_path), "")


def echo(question: Question, streams: AskerStreams) -> int:
    """Tells what was asked, on both streams."""
    streams.stdout.write(f"{question.folder} {question.session} {question.arguments}\n")
    streams.stderr.write(f"{streams.stdin.isatty()} {streams.stdout.isatty()} {streams.stderr.isatty()}\n")
    streams.stdout.flush()
    return 3


@contextmanager
def answering(
    address: Address,
    answer: Callable[[Question, AskerStreams], int | None],
    stopped: Callable[[], object] = bool,
) -> Iterator[Listener]:
    """Somebody who answers at an address."""
    claim = Claim.take(address)
    assert claim is not None
    made = Listener(claim.listen(), answer, hello=lambda: [address.name, "5"], stop=stopped)
    thread = threading.Thread(target=made.run)
    thread.start()
    try:
        yield made
    finally:
        claim.release()
        thread.join()


def text(reply: Reply | None, stream: int) -> str:
    assert reply is not None
    return b"".join(content for at, content in reply.pieces if at == stream).decode()


def test_a_question_is_answered_with_both_streams_and_a_status(address: Address) -> None:
    with answering(address, echo):
        reply = ask(address, QUESTION)
        assert reply is not None
        assert reply.status == 3
        assert text(reply, 1) == "/somewhere 7 ('search', 'Tree')\n"
        assert text(reply, 2) == "False True False\n"


def test_nothing_is_left_when_it_ends(address: Address) -> None:
    with answering(address, echo):
        assert not is_lock_free(address.lock)
    assert list(Path(address.folder).iterdir()) == []
    assert ask(address, QUESTION) is None


def test_one_process_has_an_address(address: Address) -> None:
    with answering(address, echo):
        assert Claim.take(address) is None
    claim = Claim.take(address)
    assert claim is not None
    claim.release()
    claim.release()


def test_a_socket_that_was_left_behind_is_replaced(address: Address) -> None:
    Path(address.folder).mkdir(mode=0o700)
    left = socket.socket(socket.AF_UNIX)
    left.bind(address.socket)
    left.close()
    assert ask(address, QUESTION) is None
    with answering(address, echo):
        assert ask(address, QUESTION) is not None


def test_files_that_other_threads_make_meanwhile_keep_their_mode(
    address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "umask", lambda _: pytest.fail("the mask was changed for every thread"))
    with answering(address, echo):
        assert Path(address.socket).stat().st_mode & 0o777 == 0o600
        if sys.platform == "linux":
            assert find_address(str(Path(address.folder).parent), os.environ) is not None


def test_a_socket_at_which_somebody_listens_is_not(address: Address) -> None:
    Path(address.folder).mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(address.socket)
        other.listen()
        claim = Claim.take(address)
        assert claim is not None
        with pytest.raises(OSError, match="in use"):
            claim.listen()
        assert Path(address.socket).exists()
        claim.release()


def test_a_folder_that_others_can_enter_is_not_used(address: Address) -> None:
    with answering(address, echo):
        Path(address.folder).chmod(0o750)
        assert ask(address, QUESTION) is None
        Path(address.folder).chmod(0o700)
        assert ask(address, QUESTION) is not None
    Path(address.folder).chmod(0o777)
    assert Claim.take(address) is None


def test_a_path_of_more_than_108_bytes(tmp_path: Path) -> None:
    long = tmp_path / ("x" * 80) / ("y" * 80)
    long.parent.mkdir()
    address = Address(str(long), "b" * 20, str(tmp_path), "")
    with answering(address, echo):
        assert ask(address, QUESTION) is not None


def test_whoever_does_not_say_hello_in_time_is_not_waited_for(
    address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    Path(address.folder).mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(address.socket)
        silent.listen()
        began = time.monotonic()
        assert connect(address) is None
        assert time.monotonic() - began < 5


def test_whoever_is_another_build_is_not_asked(address: Address) -> None:
    asked: list[Question] = []

    def noted(question: Question, _: AskerStreams) -> int:
        asked.append(question)
        return 0

    claim = Claim.take(address)
    assert claim is not None
    made = Listener(claim.listen(), noted, hello=lambda: ["c" * 20], stop=bool)
    thread = threading.Thread(target=made.run)
    thread.start()
    assert ask(address, QUESTION) is None
    claim.release()
    thread.join()
    assert asked == []


def test_another_user_is_told_nothing(address: Address, monkeypatch: pytest.MonkeyPatch) -> None:
    with answering(address, echo):
        monkeypatch.setattr(listening_end, "is_own", lambda _: False)
        assert connect(address) is None


def test_what_only_the_asker_can_do_is_declined(address: Address) -> None:
    with answering(address, lambda *_: None):
        assert ask(address, QUESTION) is None


def test_a_failure_is_no_answer(address: Address, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading, "excepthook", lambda _: None)

    def fails(*_: object) -> int:
        raise RuntimeError

    with answering(address, fails):
        assert ask(address, QUESTION) is None


def test_whoever_leaves_has_the_work_ended(address: Address) -> None:
    began, ended = threading.Event(), threading.Event()

    def works(question: Question, _: AskerStreams) -> int:
        began.set()
        if question.cancel.wait(60):
            ended.set()
        return 0

    with answering(address, works) as listener:
        reached = connect(address)
        assert reached is not None
        content = "\0".join(QUESTION).encode()
        reached[0].sendall(frame(b"Q", content))
        assert began.wait(60)
        reached[0].close()
        assert ended.wait(60)
        eventually(lambda: not listener.is_busy)


def test_an_end_in_the_middle_of_an_answer_is_no_answer(address: Address) -> None:
    Path(address.folder).mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as dies:
        dies.bind(address.socket)
        dies.listen()

        def half() -> None:
            connection, _ = dies.accept()
            with connection:
                connection.sendall(frame(b"H", address.name.encode()))
                connection.recv(1000)
                connection.sendall(frame(b"O", b"half of it") + frame(b"O", b"and")[:6])

        thread = threading.Thread(target=half)
        thread.start()
        assert ask(address, QUESTION) is None
        thread.join()


@pytest.mark.parametrize(
    "said", [b"", b"Q\xff\xff\xff\xff", frame(b"Q", b"no question"), frame(b"?"), b"GET / HT"]
)
def test_what_nobody_understands_harms_nobody(address: Address, said: bytes) -> None:
    with answering(address, echo):
        reached = connect(address)
        assert reached is not None
        reached[0].sendall(said)
        reached[0].close()
        assert text(ask(address, QUESTION), 1).startswith("/somewhere")


def test_fifty_at_once(address: Address) -> None:
    def slowly(question: Question, streams: AskerStreams) -> int:
        streams.stdout.write(question.arguments[0] * 30_000)
        streams.stdout.flush()
        return len(question.arguments)

    def one(number: int) -> bool:
        reply = None
        while reply is None:  # whoever is not heard in time works on its own
            reply = ask(address, ("/", "1", "000", f"<{number}>"))
        return text(reply, 1) == f"<{number}>" * 30_000

    with answering(address, slowly), ThreadPoolExecutor(50) as pool:
        assert all(pool.map(one, range(50)))


def test_it_is_told_to_stop(address: Address) -> None:
    asked = threading.Event()
    with answering(address, echo, asked.set):
        assert stop(address.folder, f"{address.name}.sock")
        assert asked.is_set()
    assert not stop(address.folder, f"{address.name}.sock")


def test_each_thread_prints_to_whoever_it_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, getattr(sys, name))
    install()
    gate = threading.Barrier(2)

    def answer(name: str) -> list[tuple[int, bytes]]:
        pieces: list[tuple[int, bytes]] = []
        streams = AskerStreams(lambda at, content: pieces.append((at, content)), (False, False, False))
        with streams.used():
            gate.wait()
            print(name)
            gate.wait()
            print(f"{name}!", file=sys.stderr)
            with pytest.raises(DeclinedError):
                sys.stdin.read()
        return sorted(pieces)

    with ThreadPoolExecutor(2) as pool:
        one, other = pool.map(answer, ("a", "b"))
    assert one == [(1, b"a\n"), (2, b"a!\n")]
    assert other == [(1, b"b\n"), (2, b"b!\n")]
    assert os.getpid()


def test_a_descriptor_above_those_that_select_takes_is_waited_for() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 2_048)), hard))
    one, other = socket.socketpair()
    with one, other, socket.socket(fileno=fcntl.fcntl(one, fcntl.F_DUPFD_CLOEXEC, 1_100)) as high:
        assert not is_readable(high, within=0)
        other.sendall(b"a")
        assert is_readable(high, within=60)
