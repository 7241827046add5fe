"""Long calls as operations that last: others see how far they are, and may cancel them (SPEC section 15)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any

from services.concurrency.cancellation import AnyCancel, Job
from services.errors import CodeCortexError
from services.model import Progress

if TYPE_CHECKING:
    from services.ops.ops import OperationService
    from services.ops.worker import Run

LASTS = 1.0
"""Seconds after which work that is mostly done in a moment counts as an operation."""


class RecordedWork:
    """Running work. `report` forwards progress to its caller and to observers of the operation; `cancel` is set
    when either requests it."""

    def __init__(self, begin: Callable[[], Run | None], caller: Job, after: float) -> None:
        self._begin: Callable[[], Run | None] | None = begin
        self._caller = caller
        self._from = time.monotonic() + after
        self._run: Run | None = None
        self.cancel = AnyCancel(caller.cancel)

    def report(self, progress: Progress) -> None:
        """Report the progress of the work."""
        if self._begin is not None and time.monotonic() >= self._from:
            self.begin()
        if self._caller.progress is not None:
            self._caller.progress(progress)
        if self._run is not None:
            with suppress(CodeCortexError):  # the work counts, not what is told of it
                self._run.report(progress)

    @property
    def op_id(self) -> str | None:
        """The id of the operation; None where the work is not one, or not yet."""
        return self._run.op.op_id if self._run is not None else None

    def tell(self, kind: str, text: str, refs: Sequence[str] = ()) -> None:
        """Add an event to the operation."""
        if self._run is not None:
            with suppress(CodeCortexError):  # as in `report`
                self._run.tell(kind, text, refs)

    def answer(self, result: Any) -> None:
        """Set the result of the work, a JSON value."""
        if self._run is not None:
            self._run.result = result

    def begin(self) -> None:
        """Record the work as an operation from now on, unless it is. Where nothing can be written, it continues
        unrecorded."""
        begin, self._begin = self._begin, None
        if begin is not None:
            try:
                self._run = begin()
            except (CodeCortexError, OSError):
                return
            self.cancel.join(self._run.cancel if self._run is not None else None)


class Recorder:
    """Recorder of a workspace's work. `ops`: its operations, opened when one is to be recorded."""

    def __init__(self, ops: Callable[[], OperationService]) -> None:
        self._ops = ops

    @contextmanager
    def __call__(
        self, kind: str, title: str, caller: Job, *, after: float = 0.0, **asked: Any
    ) -> Iterator[RecordedWork]:
        """Record the work of the block, on this thread. `after`: seconds of progress before it becomes an
        operation; `asked`: other fields of its JobRequest."""
        with ExitStack() as ended:
            begin = lambda: ended.enter_context(self._ops().recorded(kind, title, **asked))  # noqa: E731
            work = RecordedWork(begin, caller, after)
            if not after:
                work.begin()
            yield work
