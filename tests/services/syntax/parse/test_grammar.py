"""The parser of C# in several threads, and over many long texts."""

import sys
import threading
import tracemalloc

from services.syntax.parse.grammar import parse_within_reason

_TEXT = b"class A { void M() { int x = 1; } }\n" * 2000
"""70 KB, which the parser asks for in pieces."""


def test_threads_parse_long_texts_at_once() -> None:
    """Two threads in one tree-sitter parser end the process: each of its calls back may let the other thread run."""
    wrong: list[object] = []

    def parse_often(text: bytes) -> None:
        for _ in range(8):
            tree = parse_within_reason(text)
            if tree is None or tree.root_node.has_error:
                wrong.append(tree)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [
            threading.Thread(target=parse_often, args=(text,))
            for text in (_TEXT, _TEXT.replace(b"class", b"struct"))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not wrong


def test_a_parsed_text_is_freed() -> None:
    """tree-sitter 0.26 keeps a reference to each piece of a text that it is given in pieces."""
    parse_within_reason(_TEXT)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(5):
            parse_within_reason(_TEXT)
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < len(_TEXT)
