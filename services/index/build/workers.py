"""Files read by worker processes: tree-sitter holds the interpreter's lock while it parses.

What starts processes is imported when they are started: most starts of the program find nothing to read."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Self, TypeVar

from services.concurrency.cancellation import checkpoint
from services.index.build.worker import Chunk, Outcome, Task, read_chunk, start

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor
    from multiprocessing.context import SpawnContext

T = TypeVar("T")
R = TypeVar("R")

CHUNK_BYTES = 1_000_000
_IN_FLIGHT = 3  # chunks a worker: one being read, the rest so that none waits
_POLL = 0.1
_CANCELLED = "Indexing was cancelled. What was read is kept; refresh to go on."
CRASHED = "The parser crashed on this file; it is left out. Exclude it in .codecortexignore to silence this."


class Crew:
    """Workers that are started before it is known what they will read, for one call of `outcomes`. Closed at the end of
    a `with`, whether they were used or not."""

    def __init__(self, workers: int, limit: int) -> None:
        """`limit`: bytes above which a file is left out."""
        self._workers = workers
        self._limit = limit
        self._pool: ProcessPoolExecutor | None = None

    def start(self, sizes: Iterable[int]) -> None:
        """Start as many workers as the bytes of the files justify; none for less than two chunks."""
        workers = min(self._workers, sum(size for size in sizes if size <= self._limit) // CHUNK_BYTES)
        if workers > 1 and not is_being_started():
            with suppress(OSError):
                self._pool = new_pool(workers, start)
                for _ in range(workers):
                    self._pool.submit(int)  # a pool starts a worker when it is given something to do

    def take(self) -> ProcessPoolExecutor | None:
        """The workers, if they were started; once."""
        pool, self._pool = self._pool, None
        return pool

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)


def outcomes(
    chunks: Sequence[Chunk], *, workers: int, cancel: threading.Event | None, crew: Crew | None = None
) -> Iterator[list[Outcome]]:
    """Each chunk's outcomes, as they come, in no order. A file that kills its worker costs that file alone; where no
    worker can be started at all, files are read in this process, which takes longer.

    Raises Cancelled within a chunk's time (about 0.2 s)."""
    if is_being_started():
        yield from _in_this_process(chunks, cancel)
        return
    lost = yield from _pooled(deque(chunks), workers, cancel, crew.take() if crew is not None else None)
    if lost and not _can_start(lost[0], cancel):
        yield from _in_this_process(lost, cancel)
        return
    for chunk in lost:
        for task in chunk.tasks:
            alone = chunk._replace(tasks=(task,))
            if (yield from _pooled(deque([alone]), 1, cancel)):
                yield [Outcome(task.path, task.symbols, 0, 0, False, b"", CRASHED)]


def is_being_started() -> bool:
    """Whether this is a worker that has not begun yet, and runs the main module first: in a script without a main guard
    that does everything again, and may start no worker itself."""
    import multiprocessing

    # The condition on which multiprocessing refuses to start.
    return bool(getattr(multiprocessing.current_process(), "_inheriting", False))


def chunked(
    tasks: Sequence[tuple[Task, int]],
    *,
    root: str,
    symbol_sets: tuple[frozenset[str], ...],
    limit: int,
    encoding: str | None = None,
) -> list[Chunk]:
    """Tasks with their sizes in bytes, gathered into chunks of about a megabyte."""
    chunks: list[Chunk] = []
    gathered: list[Task] = []
    size = 0
    for task, length in tasks:
        gathered.append(task)
        size += length
        if size >= CHUNK_BYTES:
            chunks.append(Chunk(root, tuple(gathered), symbol_sets, limit, encoding))
            gathered, size = [], 0
    if gathered:
        chunks.append(Chunk(root, tuple(gathered), symbol_sets, limit, encoding))
    return chunks


def _pooled(
    waiting: deque[Chunk],
    workers: int,
    cancel: threading.Event | None,
    pool: ProcessPoolExecutor | None = None,
) -> Generator[list[Outcome], None, list[Chunk]]:
    """Runs chunks in a pool, which is shut down; returns those that were under way when a worker died."""
    if not waiting:
        return []
    pool = pool or new_pool(min(workers, len(waiting)), start)
    return (yield from fed(pool, read_chunk, waiting, most=workers * _IN_FLIGHT, cancel=cancel))


def fed(
    pool: ProcessPoolExecutor,
    work: Callable[[T], R],
    waiting: deque[T],
    *,
    most: int,
    cancel: threading.Event | None,
) -> Generator[R, None, list[T]]:
    """Apply `work` to each piece, as it arrives, with at most `most` pieces submitted; returns the pieces that were
    not done when a worker died. The pool is shut down. Raises Cancelled."""
    from concurrent.futures.process import BrokenProcessPool

    running: dict[Future[R], T] = {}
    try:
        while waiting or running:
            while waiting and len(running) < most:
                piece = waiting.popleft()
                running[pool.submit(work, piece)] = piece
            for done in finished(running, cancel):
                result = done.result()
                del running[done]
                yield result
    except (BrokenProcessPool, OSError):
        return [*running.values(), *waiting]
    finally:
        if running:
            _end(pool)
        pool.shutdown(wait=False, cancel_futures=True)
    return []


def _end(pool: ProcessPoolExecutor) -> None:
    """End workers whose results are not wanted any more: they only read, and this process cannot end before them."""
    for worker in [*(pool._processes or {}).values()]:  # noqa: SLF001 - `terminate_workers` from Python 3.14 on
        worker.terminate()


def new_pool(workers: int, begin: Callable[[], None]) -> ProcessPoolExecutor:
    """So many worker processes, each of which begins with that call. Raises OSError."""
    from concurrent.futures import ProcessPoolExecutor

    # tree-sitter holds the interpreter's lock while it parses.
    return ProcessPoolExecutor(workers, mp_context=spawning(), initializer=begin)


def spawning() -> SpawnContext:
    """Return a context for processes that share nothing with this one."""
    import multiprocessing

    # A repository may hold a file named like a module: workers never look for modules in the current folder.
    os.environ["PYTHONSAFEPATH"] = "1"
    return multiprocessing.get_context("spawn")


def _can_start(chunk: Chunk, cancel: threading.Event | None) -> bool:
    """Whether a worker lives that is given nothing to read."""
    idle = _pooled(deque([chunk._replace(tasks=())]), 1, cancel)
    return any(True for _ in idle)


def _in_this_process(chunks: Sequence[Chunk], cancel: threading.Event | None) -> Iterator[list[Outcome]]:
    for chunk in chunks:
        checkpoint(cancel, _CANCELLED)
        yield read_chunk(chunk)


def finished(running: Mapping[Future[T], object], cancel: threading.Event | None) -> list[Future[T]]:
    """Wait for futures that have ended, at least one. Raises Cancelled."""
    from concurrent.futures import FIRST_COMPLETED, wait

    while True:
        checkpoint(cancel, _CANCELLED)
        done, _ = wait(running, timeout=_POLL, return_when=FIRST_COMPLETED)
        if done:
            return list(done)
