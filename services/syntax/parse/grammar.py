"""The tree-sitter grammar of C#: its parser, made once a process."""

from __future__ import annotations

import time
from functools import cache

import tree_sitter_c_sharp
from tree_sitter import Language, Parser, Tree

_SURELY_QUICK = 32_000  # bytes: nothing of this length takes much longer than a second
_PATIENCE = 1.0  # seconds of the processor, so that a busy machine comes to the same answer
_PATIENCE_PER_BYTE = 3e-6
_PIECE = 65_536


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_c_sharp.language()))


def parse(text: bytes) -> Tree:
    """Parses `text`. Holds the interpreter's lock: for worker processes and short texts only."""
    return _parser().parse(text)


def parse_within_reason(text: bytes) -> Tree | None:
    """Like `parse`; None for a text that takes ten times as long as any real one of its length. What no rule of the
    grammar fits costs far more than twice as much where there is twice as much of it."""
    if len(text) < _SURELY_QUICK:
        return parse(text)
    end = time.thread_time() + _PATIENCE + _PATIENCE_PER_BYTE * len(text)
    try:
        return _parser().parse(
            lambda at, _: text[at : at + _PIECE], progress_callback=lambda *_: time.thread_time() > end
        )
    except ValueError:
        _parser().reset()
        return None
