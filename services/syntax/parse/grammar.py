"""The tree-sitter grammar of C#: its parser, made once a thread."""

from __future__ import annotations

import time
from threading import local

import tree_sitter_c_sharp
from tree_sitter import Language, Parser, Tree

_SURELY_QUICK = 32_000  # bytes: nothing of this length takes much longer than a second
_PATIENCE = 1.0  # seconds of the processor, so that a busy machine comes to the same answer
_PATIENCE_PER_BYTE = 3e-6
_PIECE = 65_536


class _Grammar(local):
    """The parser of one thread. Another thread may run while a parser calls back, and two in one parser crash."""

    def __init__(self) -> None:
        self.parser = Parser(Language(tree_sitter_c_sharp.language()))
        self.piece = bytearray()


_GRAMMAR = _Grammar()


def parse(text: bytes) -> Tree:
    """Parses `text`. Holds the interpreter's lock: for worker processes and short texts only."""
    return _GRAMMAR.parser.parse(text)


def parse_within_reason(text: bytes) -> Tree | None:
    """Like `parse`; None for a text that takes ten times as long as any real one of its length. What no rule of the
    grammar fits costs far more than twice as much where there is twice as much of it. `Node.text` raises TypeError in a
    long text: it asks for the text again, and tree-sitter 0.26 takes nothing but `bytes` then, which it never frees.
    """
    if len(text) < _SURELY_QUICK:
        return parse(text)
    end = time.thread_time() + _PATIENCE + _PATIENCE_PER_BYTE * len(text)
    parser, piece = _GRAMMAR.parser, _GRAMMAR.piece

    is_parsed = False

    def read(at: int, _: object) -> bytearray | None:
        if is_parsed:
            return None
        piece[:] = text[at : at + _PIECE]
        return piece

    try:
        return parser.parse(read, progress_callback=lambda *_: time.thread_time() > end)
    except ValueError:
        parser.reset()
        return None
    finally:
        is_parsed = True
        piece.clear()  # tree-sitter 0.26 never frees what `read` returns
