"""Search in a separate process, for a server: the query of one client is answered there while others are answered
here.

The process has copies of the symbols, and of nothing else. If it fails, search continues in this process."""

from __future__ import annotations

import pickle
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from services.concurrency.exclusion import ExclusiveWork
from services.index.build.worker import start
from services.index.build.workers import is_being_started, spawning
from services.index.search import RankedHits, SearchSegment, Symbols, SymbolSearch, Texts

if TYPE_CHECKING:
    from multiprocessing.connection import Connection, PipeConnection
    from multiprocessing.context import SpawnProcess

    Line = Connection[Any, Any] | PipeConnection[Any, Any]

_PATIENCE = 10.0
"""Seconds for an answer: a thousand times what it takes."""
_RESTS = 2
"""Ratio of rest to work while idle: others use the machine."""
_LOST = (OSError, EOFError, pickle.PickleError)

Token = int
"""Identity of data that was sent, referenced here as long as it is used there."""


class _Rows(NamedTuple):
    """Symbols without their texts, which are known by their tokens; `keys` and `origins` as of their segment."""

    names: Token
    containers: Token
    projects: tuple[str, ...]
    columns: dict[str, NDArray]
    keys: NDArray[np.integer] | None
    origins: NDArray[np.uint32] | None


class _Segments(NamedTuple):
    """Segments to search from now on. `texts`, `rows`: data that was not sent before; `segments`: symbols, and their
    dead and shared rows."""

    texts: dict[Token, Texts]
    rows: dict[Token, _Rows]
    segments: list[tuple[Token, NDArray[np.bool_] | None, NDArray[np.int32] | None]]


class _Question(NamedTuple):
    text: str
    limit: int
    recent: dict[int, float]


class SearchProcess:
    """The process; several `ProcessEngine` may use it, one question at a time, in turns of `questions`. `user`: the
    one whose segments it has."""

    def __init__(self) -> None:
        self.questions = ExclusiveWork()
        self.user: ProcessEngine | None = None
        self._process: SpawnProcess | None = None
        self._connection: Line | None = None

    def start(self, *, patience: float = _PATIENCE) -> bool:
        """Starts it and waits until it is there, for so many seconds at most; whether it is."""
        if is_being_started():
            return False
        try:
            context = spawning()
            own, other = context.Pipe()
            self._process = context.Process(target=_serve, args=(other,), name="search", daemon=True)
            self._process.start()
            other.close()
            if own.poll(patience) and own.recv():
                self._connection = own
        except _LOST:
            pass
        if not self.is_there:
            self.stop()
        return self.is_there

    @property
    def is_there(self) -> bool:
        """Whether the process is available."""
        return self._connection is not None

    def tell(self, segments: _Segments) -> None:
        """Has it search these. Raises OSError."""
        self._open().send(segments)

    def ask(self, question: _Question) -> RankedHits:
        """Its answer. Raises OSError, EOFError or PickleError where there is none."""
        connection = self._open()
        connection.send(question)
        if not connection.poll(_PATIENCE):
            raise TimeoutError("the process that searches does not answer")
        return connection.recv()

    def stop(self) -> None:
        """Ends it, if it is there."""
        process, connection = self._process, self._connection
        self._process = self._connection = self.user = None
        if connection is not None:
            connection.close()
        if process is not None and process.pid is not None:
            process.kill()
            process.join()

    def _open(self) -> Line:
        if self._connection is None:
            raise OSError("there is no process that searches")
        return self._connection


class ProcessEngine:
    """Engine like `SymbolSearch` in a separate process; in this one while that is unavailable. Not to be shared
    between threads."""

    def __init__(self, process: SearchProcess) -> None:
        self._process = process
        self._segments: Sequence[SearchSegment] = ()
        self._is_told = False
        self._sent: dict[Token, object] = {}
        self._here: SymbolSearch | None = None

    def replace(self, segments: Sequence[SearchSegment]) -> None:
        """Implement SymbolSearch.replace."""
        self._segments, self._is_told = segments, False
        if self._here is not None:
            self._here.replace(segments)

    def search(self, text: str, *, limit: int = 50, recent: Mapping[int, float] | None = None) -> RankedHits:
        """Implement SymbolSearch.search."""
        with self._process.questions.turn():
            if self._process.is_there:
                try:
                    return self._asked(_Question(text, limit, dict(recent or {})))
                except _LOST:
                    self._process.stop()
        if self._here is None:
            self._here = SymbolSearch(self._segments)
        return self._here.search(text, limit=limit, recent=recent)

    def _asked(self, question: _Question) -> RankedHits:
        if self._process.user is not self:
            self._process.user, self._sent, self._is_told = self, {}, False
        if not self._is_told:
            self._process.tell(self._unsent())
            self._is_told, self._here = True, None
        return self._process.ask(question)

    def _unsent(self) -> _Segments:
        """The segments as they are sent; what they are made of counts as sent."""
        used: dict[Token, object] = {}
        told = _Segments({}, {}, [])
        for segment in self._segments:
            symbols = segment.symbols
            for texts in (symbols.names, symbols.containers):
                used[id(texts)] = texts
                if id(texts) not in self._sent:
                    told.texts[id(texts)] = texts
            used[id(symbols)] = symbols
            if id(symbols) not in self._sent:
                told.rows[id(symbols)] = _Rows(
                    id(symbols.names),
                    id(symbols.containers),
                    symbols.projects,
                    symbols.columns(),
                    segment.keys,
                    segment.origins,
                )
            told.segments.append((id(symbols), segment.dead, segment.shared))
        self._sent = used
        return told


def _serve(connection: Line) -> None:
    """Serve queries until the other end is closed. On failure the process ends, which the other end sees."""
    start()
    with suppress(Exception):
        connection.send(True)
        copies = _Copies()
        preparing, rest = copies.search.prepare(), 0.0
        while True:
            if not connection.poll(rest):
                began = time.perf_counter()
                if next(preparing, None) is not None:
                    rest = (time.perf_counter() - began) * _RESTS
                    continue
            told = connection.recv()
            if isinstance(told, _Question):
                connection.send(copies.search.search(told.text, limit=told.limit, recent=told.recent))
            else:
                copies.replace(told)
                preparing = copies.search.prepare()


class _Copies:
    """Copies of the received data that is still needed."""

    def __init__(self) -> None:
        self.search = SymbolSearch()
        self._texts: dict[Token, Texts] = {}
        self._symbols: dict[Token, tuple[Symbols, _Rows]] = {}

    def replace(self, told: _Segments) -> None:
        texts = self._texts | told.texts
        made = {token: (_symbols(rows, texts), rows) for token, rows in told.rows.items()}
        symbols = self._symbols | made
        self._symbols = {token: symbols[token] for token, _, _ in told.segments}
        used = {token for _, rows in self._symbols.values() for token in (rows.names, rows.containers)}
        self._texts = {token: texts[token] for token in used}
        self.search.replace(
            [
                SearchSegment(
                    symbols[token][0], dead, symbols[token][1].keys, symbols[token][1].origins, shared
                )
                for token, dead, shared in told.segments
            ]
        )


def _symbols(rows: _Rows, texts: Mapping[Token, Texts]) -> Symbols:
    return Symbols(
        names=texts[rows.names], containers=texts[rows.containers], projects=rows.projects, **rows.columns
    )
