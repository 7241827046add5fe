"""Life of a resident process: it holds the index of one workspace, answers, and ends after a time without questions,
or when its address no longer describes it."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from services.bench import Bench
from services.concurrency.background import start_thread
from services.concurrency.gc_pause import freeze_objects
from services.measures import memory_mb
from services.resident.address import Address, find_address
from services.resident.claim import Claim
from services.resident.client import connect_to
from services.resident.listener import Listener, Question, listening
from services.resident.protocol import DONE, MOST_ASKED, STOP, BrokenOffError, frame, receive
from services.resident.streams import AskerStreams, DeclinedError, install, installed, is_installed
from services.server.serving import Serving
from services.settings import Settings

MOST = 4
"""Resident processes of one person: a fifth has the one end that was asked longest ago."""
_EVERY = 2.0
"""Seconds between two looks whether to end."""
_TRIED_AGAIN = 3.0
"""Seconds between two attempts of a server to answer commands, where another one does."""
_ENDS_WITHIN = 10.0
_LOOKED = 0.05
SERVER = "server"
"""What a server or a workbench says that it is, after all else: it goes on when it no longer answers commands."""
_SWITCH = 0.0005
"""Seconds after which a thread lets another one go on: hello is said within a few of them."""

Run = Callable[[Question, Bench], int]
"""Runs a command line over an open workspace; its exit status."""


class ResidentProcess:
    """The resident of one address. `run` raises DeclinedError for requests that only the client can do."""

    def __init__(
        self,
        claim: Claim,
        bench: Bench,
        run: Run,
        *,
        idle: float | None,
        scanned: Callable[[threading.Event], bool],
        ending: threading.Event | None = None,
    ) -> None:
        """`idle`: seconds without a question after which it ends, None in a server or a workbench; `scanned`: waits for
        the first scan, or until the event is set; whether it came to its end. `ending`: is set to end it."""
        self._claim = claim
        self._bench = bench
        self._run = run
        self._idle = idle
        self._began = time.monotonic()
        self._ending = ending or threading.Event()
        state = bench.state
        self._store = (state.where, state.path("index.db"))
        self._stores = _identities(self._store)
        self._listener: Listener | None = None
        self._scanned = scanned
        self._is_scanned = False

    def serve(self) -> bool:
        """Answer until it is time to end. Return whether the first scan came to its end, or need not any more; before
        that, clients of servers are served, which wait for it, and questions are declined."""
        listener = Listener(self._claim.listen(), self._answer, hello=self._hello, stop=self.end)
        self._listener = listener
        _make_room(self._claim.address)
        # This thread waits for the end.
        start_thread(listener.run, name="listener")
        is_well = self._scanned(self._ending) or self._ending.is_set()
        self._stores = _identities(self._store)
        self._is_scanned = is_well
        while is_well and not self._ending.wait(_EVERY):
            if self._is_over(listener):
                self.end()
        self._finish(listener)
        return is_well

    def end(self) -> None:
        """Have it end soon."""
        self._ending.set()

    def _is_over(self, listener: Listener) -> bool:
        is_idle = self._idle is not None and time.monotonic() - listener.idle_since > self._idle
        return not self._is_valid() or (not listener.is_busy and is_idle)

    def _is_valid(self) -> bool:
        """Whether the program, the root, the settings and the store are those it was started with."""
        address = self._claim.address
        found = find_address(address.path, os.environ)
        same = found is not None and found.name == address.name
        return same and _identities(self._store) == self._stores

    def _finish(self, listener: Listener) -> None:
        """Accept no new questions, and wait for the answers under way."""
        self._ending.set()
        self._claim.stop_listening()
        listener.end_clients()
        ends = time.monotonic() + _ENDS_WITHIN
        while listener.is_busy and time.monotonic() < ends:
            time.sleep(0.02)

    def _hello(self) -> list[str]:
        """Return the greeting: its name first, then the fields of `resident status`."""
        address, listener = self._claim.address, self._listener
        catalogue = self._bench.index.facade.catalogue
        return [
            address.name,
            str(catalogue.version),
            address.path,
            str(os.getpid()),
            str(int(time.monotonic() - self._began)),
            str(listener.answered if listener is not None else 0),
            str(0 if listener is None or listener.is_busy else int(time.monotonic() - listener.idle_since)),
            str(round(memory_mb())),
            SERVER if self._idle is None else "",
        ]

    def _answer(self, question: Question, streams: AskerStreams) -> int | None:
        """Run a command and return its status; None for those left to the client, as are all that fail."""
        if not self._is_scanned and question.client is None:
            return None
        if self._ending.is_set() or (self._is_scanned and _identities(self._store) != self._stores):
            self.end()
            return None
        if not is_installed():  # a screen is suspended: what is printed goes to its terminal
            return None
        try:
            with streams.used():
                status = self._run(question, self._bench)
            return status if is_installed() else None
        except DeclinedError:
            return None
        except Exception:  # noqa: BLE001 - a failure here is no result: the command meets it itself, and says so
            return None


def serve(address: Address, settings: Settings, run: Run, *, idle: float) -> None:
    """Be the resident of an address until that is over; return at once where another process is it."""
    claim = Claim.take(address)
    if claim is None:
        return
    failed = True
    try:
        os.chdir("/")
        install()
        sys.setswitchinterval(_SWITCH)
        with Serving.open(Path(address.path), settings, lean=True, at_rest=freeze_objects) as serving:
            ending = threading.Event()
            signal.signal(signal.SIGTERM, lambda *_: ending.set())
            wait = serving.wait_scanned
            made = ResidentProcess(claim, serving.bench, run, idle=idle, scanned=wait, ending=ending)
            failed = not made.serve()
    finally:
        with suppress(OSError):
            claim.release(failed=failed)


@contextmanager
def answering_commands(
    path: Path, bench: Bench, run: Run, scanned: Callable[[threading.Event], bool]
) -> Iterator[None]:
    """Answer commands too for as long as the block lasts, which does something else: one process holds the workspace.
    What commands left behind is asked to end first; where another server answers, that goes on, and when it ends this
    one answers. `scanned`: waits for the first scan, or until the event is set; whether it came to its end."""
    address, ending = find_address(str(path), os.environ), threading.Event()
    is_plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    if address is None or is_plain:  # whose answers would have no colours on any terminal
        yield
        return

    def answer() -> None:
        with suppress(OSError):
            claim = None
            while scanned(ending) and (claim := _taken_over(address, ending)) is None:
                if ending.wait(_TRIED_AGAIN):
                    return
            if claim is None:
                return
            sys.setswitchinterval(_SWITCH)
            try:
                with installed():
                    made = ResidentProcess(
                        claim, bench, run, idle=None, scanned=lambda _: True, ending=ending
                    )
                    made.serve()
            finally:
                claim.release()

    # The caller shows or serves the workspace meanwhile.
    thread = start_thread(answer, name="commands")
    try:
        yield
    finally:
        ending.set()
        thread.join(_ENDS_WITHIN)


def _taken_over(address: Address, ending: threading.Event) -> Claim | None:
    """The claim to an address, which a resident process gives up; None where a server has it."""
    name = f"{address.name}.sock"
    reached = connect_to(address.folder, name)
    if reached is not None:
        reached[0].close()
        if reached[1][-1] == SERVER:
            return None
        stop(address.folder, name)
    ends = time.monotonic() + _ENDS_WITHIN
    while not ending.is_set() and time.monotonic() < ends:
        claim = Claim.take(address)
        if claim is not None:
            return claim
        ending.wait(_LOOKED)
    return None


def _identities(paths: tuple[Path, ...]) -> tuple[tuple[int, int] | None, ...]:
    """Return the identities that distinguish a folder or file from a later one at its path."""

    def identity(path: Path) -> tuple[int, int] | None:
        try:
            status = path.stat()
        except OSError:
            return None
        return status.st_dev, status.st_ino

    return tuple(map(identity, paths))


def _make_room(own: Address) -> None:
    """End the least recently used residents where there are too many; none that is at work."""
    found: list[tuple[int, str]] = []
    for name in listening(own.folder):
        if name != f"{own.name}.sock" and (reached := connect_to(own.folder, name)) is not None:
            connection, said = reached
            connection.close()
            with suppress(ValueError, IndexError):
                if idle := int(said[6]):
                    found.append((idle, name))
    for _, name in sorted(found, reverse=True)[: max(0, len(found) + 1 - MOST)]:
        stop(own.folder, name)


def stop(folder: str, name: str) -> bool:
    """Ask the resident at a socket to end; return whether it agreed."""
    reached = connect_to(folder, name)
    if reached is None:
        return False
    connection, _ = reached
    try:
        connection.settimeout(_ENDS_WITHIN)
        connection.sendall(frame(STOP))
        return receive(connection, MOST_ASKED)[0] == DONE
    except (OSError, BrokenOffError):
        return False
    finally:
        connection.close()
