"""The reference: tree-sitter alone over the same files, read and parsed in spawned processes, megabyte by megabyte."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections import deque
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from functools import cache

import tree_sitter_c_sharp
from tree_sitter import Language, Parser, Tree

_CHUNK = 1_000_000
_IN_FLIGHT = 3


@cache
def parser() -> Parser:
    """The parser of this process."""
    return Parser(Language(tree_sitter_c_sharp.language()))


def parse(path: str) -> Tree:
    """The tree of a file."""
    with open(path, "rb") as file:  # noqa: PTH123 - as plain as it gets
        return parser().parse(file.read())


def parse_chunk(folder: str, paths: list[str]) -> int:
    """Parses files; answers how many have an error."""
    return sum(parse(os.path.join(folder, path)).root_node.has_error for path in paths)  # noqa: PTH118


def parse_all(folder: str, paths: list[str], workers: int) -> dict[str, float]:
    """Seconds to parse all files in `workers` processes, their start included, and the files with errors."""
    began = time.perf_counter()
    waiting = deque(_chunks(folder, paths))
    errors = 0
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        running = set()
        while waiting or running:
            while waiting and len(running) < workers * _IN_FLIGHT:
                running.add(pool.submit(parse_chunk, folder, waiting.popleft()))
            done, running = wait(running, return_when=FIRST_COMPLETED)
            errors += sum(future.result() for future in done)
    return {"seconds": time.perf_counter() - began, "errors": errors}


def _chunks(folder: str, paths: list[str]) -> list[list[str]]:
    chunks: list[list[str]] = [[]]
    size = 0
    for path in paths:
        chunks[-1].append(path)
        size += os.stat(os.path.join(folder, path)).st_size  # noqa: PTH116, PTH118
        if size >= _CHUNK:
            chunks.append([])
            size = 0
    return [chunk for chunk in chunks if chunk]
