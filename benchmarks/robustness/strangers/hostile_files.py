"""Files made hostile: each field of a database, of JSON, TOML, Markdown and numbers, and the file itself."""

from __future__ import annotations

import io
import json
import os
import pickle
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from benchmarks.robustness.strangers.outside import Outside

Mutation = Callable[[Path], object]
"""Makes the file at a path hostile."""

_DEEP = 20_000


class Poison:
    """Object that leaves a trace where it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self._mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self._mark),)


class Stranger:
    """Attacker who knows the files outside, and has a server. Makes all mutations of a file."""

    def __init__(self, outside: Outside, address: str, *, seed: int) -> None:
        self._outside = outside
        self._address = address
        self._seed = seed
        leave = os.path.join("..", "..", outside.folder.name, outside.text.name)  # noqa: PTH118
        self.texts: tuple[str, ...] = (
            str(outside.text), leave, f"../{leave}", f"src/{leave}", f"file://{outside.text}", str(outside.folder),
            "/", "/proc/self/environ", "", ".", "..", "a/" * 4_000, "x\0y", "\udcff", "\x1b]52;c;aGk=\x07\u202e",
            f"{address}/v1", "github:octo/demo#7", f"{address}/octo/demo/pull/7", "allow", "prepared", "queued",
            "running", "publish", "$(touch pwned)", "x" * 200_000, '"""\n[agents]\npublish = "allow"\n', "N.A", "A.cs",
        )  # fmt: skip
        self.numbers: tuple[float, ...] = (0, -1, 2**31, 2**63 - 1, 10**30, 1e308, float("inf"))
        self.shapes: tuple[Any, ...] = (None, True, [], {}, [[]] * 20_000, {str(n): n for n in range(20_000)})

    def mutations(self, path: Path) -> list[Mutation]:
        """Return every mutation of a file, in an order in which each field comes early."""
        found = list(self._of_kind(path))
        Random(f"{self._seed}{path.name}").shuffle(found)
        return [*found, *self._of_any_file()]

    def _of_kind(self, path: Path) -> Iterator[Mutation]:
        data = path.read_bytes()
        if data.startswith(b"SQLite format 3"):
            yield from self._of_database(path)
        elif path.suffix == ".npy":
            yield lambda path: np.save(path.open("wb"), np.array([Poison(self._mark)], dtype=object))
            yield from map(self._with_header, (10**12, -1, 0))
        elif path.suffix in (".json", ".md") or path.parent.name == "ops":
            with suppress(ValueError):
                yield from self._of_json(json.loads(data))
        if data and b"\0" not in data and not data.startswith(b"SQLite"):
            yield from self._of_lines(data.decode("utf-8", "surrogateescape"))
        yield from (partial(_flip, seed=seed) for seed in range(8))

    @property
    def _mark(self) -> Path:
        return self._outside.folder / "unpickled"

    def _with_header(self, count: int) -> Mutation:
        def write(path: Path) -> None:
            made = io.BytesIO()
            np.lib.format.write_array_header_1_0(
                made, {"descr": "<i8", "fortran_order": False, "shape": (count,)}
            )
            path.write_bytes(made.getvalue() + b"12345678")

        return write

    def _of_database(self, path: Path) -> Iterator[Mutation]:
        with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as database:
            tables = [
                name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            ]
            columns = [
                (table, row[1]) for table in tables for row in database.execute(f"PRAGMA table_info({table})")
            ]
        blobs = (pickle.dumps(Poison(self._mark)), b"[" * _DEEP, b"\x91" * _DEEP, b"")
        for table, column in columns:
            for value in (*self.texts, *self.numbers[:4], *blobs):
                safe = value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
                yield partial(_set, statements=[(f'UPDATE OR IGNORE "{table}" SET "{column}" = ?', (safe,))])
        for statement in ("PRAGMA user_version = 0", "PRAGMA user_version = 2000000000", *_SCHEMAS):
            yield partial(_set, statements=[(statement, ())])
        if path.name == "writes.db":
            yield from self._half_done()

    def _half_done(self) -> Iterator[Mutation]:
        """Journals whose recovery would remove, move or write files outside."""
        for text in self.texts[:6]:
            for temp in (None, *self.texts[:4]):
                update = "UPDATE entries SET path = ?, temp = ?, state = 'prepared', base_hash = NULL"
                yield partial(_set, statements=[(update, (text, temp))])

    def _of_json(self, value: Any) -> Iterator[Mutation]:
        for place in _places(value):
            for each in (*self.texts, *self.numbers, *self.shapes):
                yield partial(_write_json, value=value, place=place, new=each)
        yield lambda path: path.write_text("[" * _DEEP + "]" * _DEEP)
        yield lambda path: path.write_text('{"a":' * _DEEP + "1" + "}" * _DEEP)

    def _of_lines(self, text: str) -> Iterator[Mutation]:
        """A word, a value or a whole line of a text that is another one."""
        lines = text.splitlines(keepends=True)
        for number in range(min(len(lines), 40)):
            for old in (r"(?<==\s).*", r"[\w./-]+", r"(?<=:).*", r".*"):
                for new in self.texts:
                    yield partial(_replace_in_line, lines=lines, number=number, old=old, new=new)

    def _of_any_file(self) -> Iterator[Mutation]:
        outside = self._outside
        yield lambda path: _put(path, lambda: path.symlink_to(outside.text))
        yield lambda path: _put(path, lambda: path.symlink_to(outside.folder))
        yield lambda path: _put(path, lambda: path.symlink_to(path.name))
        yield lambda path: _put(path, lambda: path.symlink_to("/dev/zero"))
        yield lambda path: _put(path, lambda: os.mkfifo(path))
        yield lambda path: _put(path, path.mkdir)
        yield lambda path: path.write_bytes(b"")
        yield lambda path: path.write_bytes(os.urandom(5_000))
        yield lambda path: os.truncate(path, 3_000_000_000)  # of sparse zeros
        yield lambda path: path.chmod(0)
        yield lambda path: _put(path, lambda: None)


_SCHEMAS = (
    "CREATE TRIGGER t AFTER UPDATE ON {table} BEGIN DELETE FROM {table}; END",
    "CREATE VIEW IF NOT EXISTS files_ AS SELECT load_extension('x')",
    "PRAGMA journal_mode = WAL",
)


def _set(path: Path, *, statements: list[tuple[str, tuple[Any, ...]]]) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA foreign_keys = OFF")
        database.execute("PRAGMA synchronous = OFF")
        table = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchone()[0]
        for statement, values in statements:
            with suppress(
                sqlite3.Error, OverflowError
            ):  # what the schema refuses no stranger can ship either
                database.execute(statement.replace("{table}", table), values)
        database.commit()


def _places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield at
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield from _places(each, (*at, key))


def _write_json(path: Path, *, value: Any, place: tuple[Any, ...], new: Any) -> None:
    path.write_text(json.dumps(_with(value, place, new)), "utf-8", "surrogateescape")


def _with(value: Any, place: tuple[Any, ...], new: Any) -> Any:
    if not place:
        return new
    copy = value.copy()
    copy[place[0]] = _with(value[place[0]], place[1:], new)
    return copy


def _replace_in_line(path: Path, *, lines: list[str], number: int, old: str, new: str) -> None:
    line = re.sub(old, lambda _: new, lines[number], count=1)
    path.write_text("".join([*lines[:number], line, *lines[number + 1 :]]), "utf-8", "surrogateescape")


def _flip(path: Path, *, seed: int) -> None:
    data, choose = bytearray(path.read_bytes()), Random(f"{path.name}{seed}")
    for _ in range(min(len(data), 1 + len(data) // 500)):
        data[choose.randrange(len(data))] = choose.randrange(256)
    path.write_bytes(data)


def _put(path: Path, make: Callable[[], object]) -> None:
    path.unlink()
    make()
