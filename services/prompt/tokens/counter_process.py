"""A BaseCounter in a process of its own, so that the process with the screen never builds a tokenizer.

The helper is started at the first count, started again if it dies, and ends when nothing was asked for a while and when
its standard input does, so also when this process is killed. What is said over the pipes is in `counter_child.py`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import IO

import services
from services.concurrency.background import start_thread
from services.concurrency.exclusion import ExclusiveWork
from services.errors import TokenizerError
from services.prompt.tokens.counter_child import Answer, Question, read_frame, write_frame
from services.prompt.tokens.tokenizers import repaired

_IMPORT_ROOT = Path(services.__file__).parents[1]
_PATIENCE = 5.0
_ATTEMPTS = 2
_REST = 45.0
"""Seconds without a question after which the helper ends, to be started again with the next, which takes 0.3 s."""


class CounterProcess:
    """Counts in a helper process. Safe to call from any thread; one question at a time is under way. `rest`: seconds
    without a question after which the helper ends."""

    def __init__(self, rest: float = _REST) -> None:
        self._rest = rest
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False
        self._talking = ExclusiveWork()  # an answer belongs to the question before it

    @property
    def pid(self) -> int | None:
        """The helper's process id; None before the first count, while it rests and after `close`."""
        process = self._process
        return process.pid if process is not None and process.returncode is None else None

    def count_base(self, encoding: str, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, in order. Raises TokenizerError if the helper fails twice or was closed."""
        question = Question(encoding=encoding, texts=[repaired(text) for text in texts])
        with self._talking.turn():
            answer = self._ask(question)
        if answer.error is not None:
            raise TokenizerError(answer.error, tokenizer=encoding)
        return answer.counts

    def close(self) -> None:
        """End the helper. Counting afterwards raises TokenizerError."""
        with self._talking.turn():
            self._closed = True
            self._end()

    def __enter__(self) -> CounterProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _ask(self, question: Question) -> Answer:
        for _ in range(_ATTEMPTS):
            wire_out, wire_in = self._wires()
            try:
                write_frame(wire_out, question)
                return read_frame(wire_in, Answer)
            except (OSError, EOFError):
                self._end()
        raise TokenizerError("The helper that counts tokens ended twice. Start CodeCortex again.")

    def _wires(self) -> tuple[IO[bytes], IO[bytes]]:
        if self._closed:
            raise TokenizerError("The token counter is closed. Open the workspace again.")
        if self._process is None:
            self._process = _start(self._rest)
            # One that ends of itself would stay in the list of processes until the next question.
            start_thread(self._process.wait, name="counter")
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        return self._process.stdin, self._process.stdout

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        for pipe in (process.stdin, process.stdout):
            _close_quietly(pipe)
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _start(rest: float) -> subprocess.Popen[bytes]:
    # Its own session: an interrupt typed at the terminal is for the program, which closes the helper itself.
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "services.prompt.tokens.counter_child", str(rest)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=_IMPORT_ROOT,
        env=_environment(),
        start_new_session=True,
    )


def _environment() -> dict[str, str]:
    """This environment, with a module path that holds the package first and nothing relative: the folder the
    program is started in may well hold a folder named `services`."""
    inherited = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    paths = [str(_IMPORT_ROOT), *(path for path in inherited if Path(path).is_absolute())]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONSAFEPATH": "1"}


def _close_quietly(pipe: IO[bytes] | None) -> None:
    if pipe is not None:
        try:
            pipe.close()
        except OSError:
            return  # flushing to a helper that is gone
