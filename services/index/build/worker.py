"""Entry point of worker processes: files in, records out. Imported afresh by each worker, so it imports little."""

from __future__ import annotations

import gc
import os
import signal
from functools import cache
from typing import NamedTuple

import msgspec

from services.concurrency.background import start_thread
from services.errors import CodeCortexError
from services.index.catalog.file_rows import file_rows
from services.syntax.records.declaration import FileRecord
from services.workspace.files.root import Root
from services.workspace.source_kinds import is_markup
from services.workspace.text import decode

_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_ENCODER = msgspec.msgpack.Encoder()


class Task(NamedTuple):
    """A file to read. `symbols`: its project's preprocessor symbols, as an index into the chunk's sets."""

    path: str
    symbols: int


class Chunk(NamedTuple):
    """About a megabyte of files. `limit`: bytes above which a file is left out; `encoding`: declared for files that
    are not Unicode."""

    root: str
    tasks: tuple[Task, ...]
    symbol_sets: tuple[frozenset[str], ...]
    limit: int
    encoding: str | None = None


class Outcome(NamedTuple):
    """Outcome of reading a file: its record and rows, or the `problem`. `conditional`: whether the symbols mattered."""

    path: str
    symbols: int
    size: int
    mtime_ns: int
    conditional: bool
    record: bytes
    problem: str
    rows: bytes = b""


def start() -> None:
    """Initialise a worker: interrupts are handled by the parent, and the worker ends when the parent is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    start_thread(_leave_with_parent, name="leaving")
    # Records hold no circles; looking for some among the nodes of every tree costs a tenth of the time.
    gc.freeze()
    gc.set_threshold(200_000)


def _leave_with_parent() -> None:
    """End this process with its parent: a worker waits at a pipe of which it has both ends, so it would not notice."""
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(0)


def read_chunk(chunk: Chunk) -> list[Outcome]:
    """Reads and records every file of the chunk, in order."""
    return [_outcome(chunk, task) for task in chunk.tasks]


def read_source(root: Root, path: str, symbols: frozenset[str], limit: int) -> tuple[FileRecord, int, int]:
    """Read a file's record, size and mtime. Raises WorkspaceError as Root.read and decode do."""
    # Most starts find all files as they were, and parse none.
    from services.syntax.markup.reading import read_source_file

    data, stamp = root.read(path, limit=limit)
    record = read_source_file(path, as_utf8(data, path, root.encoding), symbols)
    if not _is_utf8(data) and not decode(data, path, encoding=root.encoding).writable:
        record = msgspec.structs.replace(record, lossy=True)
    return record, stamp.size, stamp.mtime_ns


def encoded(record: FileRecord) -> bytes:
    """Encode a record for the store."""
    return _ENCODER.encode(record)


def as_utf8(data: bytes, path: str, encoding: str | None = None) -> bytes:
    """The text of a file as it is shown: the bytes as they are where they are UTF-8, else decoded and encoded.
    `encoding`: declared for files that are not Unicode."""
    if data.startswith(_UTF16) or not _is_utf8(data):
        return decode(data, path, encoding=encoding).content.encode("utf-8", "replace")
    return data


def parsed_text(data: bytes, path: str, encoding: str | None = None) -> bytes:
    """The text that record offsets count in: as `as_utf8`, of markup the view of its C#, of the same length."""
    text = as_utf8(data, path, encoding)
    if not is_markup(path):
        return text
    from services.syntax.markup.reading import source_text  # with the parser, which answers rarely need

    return source_text(path, text)


def _is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _outcome(chunk: Chunk, task: Task) -> Outcome:
    try:
        symbols = chunk.symbol_sets[task.symbols]
        record, size, mtime_ns = read_source(
            _root(chunk.root, chunk.encoding), task.path, symbols, chunk.limit
        )
    except CodeCortexError as error:
        return Outcome(task.path, task.symbols, 0, 0, False, b"", error.message)
    return Outcome(
        path=task.path,
        symbols=task.symbols,
        size=size,
        mtime_ns=mtime_ns,
        conditional=record.conditional,
        record=encoded(record),
        problem="",
        rows=_ENCODER.encode(file_rows(record)),
    )


@cache
def _root(path: str, encoding: str | None) -> Root:
    return Root.open(path, encoding=encoding)
