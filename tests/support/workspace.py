"""Small workspaces on disk, and services over one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from services.bench.bench import Bench
from services.settings import CacheSettings, IndexSettings, Settings

MANY_ROWS = {"Zoo.cs": f"enum Zoo {{ {', '.join(f'Cat{n}' for n in range(2_000))} }}"}
"""A file of so many symbols that the columns of search are stored."""
PYTEST_INI = "[pytest]\naddopts = --disable-plugin-autoload\n"
"""Configuration of a sample's tests: the plugins that are installed for this checkout take most of a start."""
PROJECT = '<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup>{}</PropertyGroup></Project>'


def project(properties: str = "") -> str:
    """The text of a project file."""
    return PROJECT.format(properties)


def write_workspace(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Writes files by relative path; the folder."""
    for path, text in files.items():
        where = folder / path
        where.parent.mkdir(parents=True, exist_ok=True)
        where.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def edit(folder: Path, path: str, text: str) -> None:
    """Writes a file so that its stamp differs from before, however fast the clock is read."""
    where = folder / path
    before = where.stat().st_mtime_ns if where.exists() else 0
    write_workspace(folder, {path: text})
    if where.stat().st_mtime_ns == before:
        os.utime(where, ns=(before + 1_000_000, before + 1_000_000))


@contextmanager
def indexed(
    folder: Path,
    files: Mapping[str, str | bytes],
    *,
    limit: int = 5_000_000,
    cache: CacheSettings | None = None,
) -> Iterator[Bench]:
    """Yield the services over `files`, indexed with one worker. `limit`: bytes above which a file is left out."""
    write_workspace(folder, files)
    with opened(folder, limit=limit, cache=cache) as bench:
        bench.index.refresh()
        yield bench


def opened(folder: Path, *, limit: int = 5_000_000, cache: CacheSettings | None = None) -> Bench:
    """Return the services over a folder, not indexed yet."""
    index = IndexSettings(workers=1, max_file_bytes=limit)
    return Bench.open(folder, settings=Settings(index=index, cache=cache or CacheSettings()))
