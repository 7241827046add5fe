"""Work on threads of its own: threads that end with the process, writes in the order of submission, work done once
for many requests, a call beside the caller, and a worker that coalesces what is submitted meanwhile.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, Self, TypeVar

from services.concurrency.cancellation import BackgroundCancel

T = TypeVar("T")


def daemon_thread(
    work: Callable[..., object], *arguments: object, name: str | None = None
) -> threading.Thread:
    """Return a thread for a function, not started yet, which ends with the process at the latest."""
    return threading.Thread(target=work, args=arguments, name=name, daemon=True)


def start_thread(
    work: Callable[..., object], *arguments: object, name: str | None = None
) -> threading.Thread:
    """Run a function in a thread of its own, which ends with the process at the latest, and return the thread."""
    thread = daemon_thread(work, *arguments, name=name)
    thread.start()
    return thread


class ThreadCall(Generic[T]):
    """Call in a thread of its own, without the modules that an executor imports. As a context it waits for the end."""

    _found: T

    def __init__(self, work: Callable[..., T], *arguments: object) -> None:
        self._error: BaseException | None = None
        self._thread = start_thread(self._run, work, arguments)

    def _run(self, work: Callable[..., T], arguments: tuple[object, ...]) -> None:
        try:
            self._found = work(*arguments)
        except BaseException as error:  # noqa: BLE001 - raised where the result is asked for
            self._error = error

    def result(self) -> T:
        """Wait for the end of the call and return what it did, or raise what it raised."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._found

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.join()


class CallThreads:
    """Threads for calls: sequential ones run one after the other, parallel ones at once. Close it: it waits for all."""

    def __init__(self, most: int, most_parallel: int, *, name: str) -> None:
        """`most`: sequential calls that may have yielded their turns at once."""
        # With logging, they take 10 ms to import, and commands need neither.
        from concurrent.futures import ThreadPoolExecutor
        from queue import SimpleQueue

        self._waiting: SimpleQueue[Callable[[], object] | None] = SimpleQueue()
        self._turn = threading.Semaphore(1)
        self._sequential = ThreadPoolExecutor(most, name)
        self._parallel = ThreadPoolExecutor(most_parallel, f"{name}-parallel")
        # Submitting goes on while calls wait for their turn.
        self._dealer = start_thread(self._deal, name=f"{name}-order")

    def sequential(self, call: Callable[[], object]) -> None:
        """Make a call once the one before is done, or has yielded its turn."""
        self._waiting.put(call)

    def parallel(self, call: Callable[[], object]) -> None:
        """Make a call as soon as one of the threads for such calls is free."""
        self._parallel.submit(call)

    @contextmanager
    def yield_turn(self) -> Iterator[bool]:
        """Let the next call run while this sequential one waits for something else; yields that it may."""
        self._turn.release()
        try:
            yield True
        finally:
            self._turn.acquire()

    def close(self) -> None:
        """Wait until every call is done; no more may be submitted."""
        self._waiting.put(None)
        self._dealer.join()
        self._sequential.shutdown()
        self._parallel.shutdown()

    def _deal(self) -> None:
        while (call := self._waiting.get()) is not None:
            self._turn.acquire()
            self._sequential.submit(self._take_turn, call)

    def _take_turn(self, call: Callable[[], object]) -> None:
        try:
            call()
        finally:
            self._turn.release()


Write = Callable[[], object]


class BackgroundWriter:
    """Writes in a thread of its own. Of writes under one name that still wait, the last one alone is made, in its turn.

    What cannot be kept is no matter: whoever has to know of it asks with `failed`. The thread ends the process with
    nothing waiting: the interpreter waits for it, and so does `flush`.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, tuple[Write, Callable[[Exception], object]]] = {}
        self._changed = threading.Condition()
        self._works = False

    def keep(self, name: str, write: Write, *, failed: Callable[[Exception], object] | None = None) -> None:
        """Call `write` soon. `failed`: called, in that thread, with its exception."""
        with self._changed:
            self._waiting.pop(name, None)
            self._waiting[name] = (write, failed or _no_matter)
            if not self._works:
                self._works = True
                threading.Thread(target=self._work, name="keeper", daemon=False).start()

    def flush(self) -> None:
        """Wait until all submitted writes are done."""
        with self._changed:
            self._changed.wait_for(lambda: not self._works)

    def _work(self) -> None:
        while (found := self._next()) is not None:
            write, failed = found
            try:
                write()
            except Exception as error:  # noqa: BLE001 - the writes behind it have to be made all the same
                failed(error)

    def _next(self) -> tuple[Write, Callable[[Exception], object]] | None:
        """The write that has waited longest; None, and the end of the thread, where there is none."""
        with self._changed:
            for name in self._waiting:
                return self._waiting.pop(name)
            self._works = False
            self._changed.notify_all()
            return None


def _no_matter(_: Exception) -> None:
    """Ignore the exception."""


QUIET_SECONDS = 3.0
"""Seconds without a nudge that count as quiet."""


class Debouncer:
    """Does something on a thread of its own once nothing has nudged it for a while. Thread-safe."""

    def __init__(
        self,
        act: Callable[[BackgroundCancel], None],
        *,
        seconds: float | None = None,
        timer: Callable[[float, Callable[[], None]], threading.Timer] = threading.Timer,
    ) -> None:
        """`act` receives a BackgroundCancel, which ends it early and pauses it at its checkpoints. `seconds`: without a
        nudge, QUIET_SECONDS where none are given."""
        self._act = act
        self._seconds = QUIET_SECONDS if seconds is None else seconds
        self._new_timer = timer
        self._lock = threading.Lock()
        self._cancel = BackgroundCancel(patience=0.0)
        self._closed = False
        self._timer: threading.Timer | None = None

    def nudge(self) -> None:
        """Starts the waiting, or starts it again."""
        with self._lock:
            if self._closed:
                return
            if self._timer is not None:
                self._timer.cancel()
            self._timer = self._new_timer(self._seconds, self._fire)
            self._timer.daemon = True
            self._timer.start()

    def pause(self, seconds: float) -> None:
        """Pause running work, and work that begins meanwhile, for `seconds` from now, within its maximum."""
        self._cancel.pause(seconds)

    def resume(self) -> None:
        """End the pause."""
        self._cancel.patience = 0.0

    def close(self) -> None:
        """Waits for nothing more, and for what is under way to end."""
        self._cancel.set()
        with self._lock:
            self._closed = True
            timer = self._timer
        if timer is not None:
            timer.cancel()
            timer.join()

    def _fire(self) -> None:
        self._cancel.patience = 0.0
        self._act(self._cancel)


_ENDS_WITHIN = 5.0
"""Seconds for which closing waits for work under way."""


class CoalescingWorker:
    """Works on a thread of its own; what is handed over meanwhile is taken together when that ends."""

    def __init__(self, work: Callable[[frozenset[str]], None]) -> None:
        """`work`: called with the topics handed over since the last call, on that thread, never twice at once."""
        self._work = work
        self._changing = threading.Condition()
        self._waiting: frozenset[str] | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="coalescing worker", daemon=True)

    def submit(self, topics: frozenset[str]) -> None:
        """Leaves it to the other thread, and waits for nothing. Does nothing once closed."""
        with self._changing:
            if self._closed:
                return
            self._waiting = topics | (self._waiting or frozenset())
            if self._thread.ident is None:
                self._thread.start()
            self._changing.notify()

    def close(self) -> None:
        """Works no more: what waits is forgotten, what is under way may end."""
        with self._changing:
            self._closed = True
            self._changing.notify()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(timeout=_ENDS_WITHIN)

    def _run(self) -> None:
        while (topics := self._next()) is not None:
            self._work(topics)

    def _next(self) -> frozenset[str] | None:
        """Return the topics handed over, once there are any; None when closed."""
        with self._changing:
            self._changing.wait_for(lambda: self._closed or self._waiting is not None)
            topics, self._waiting = self._waiting, None
            return None if self._closed else topics
