"""Facts of a file, declaration by declaration, bound on demand and cached."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence

from services.concurrency.latest import LRUCache
from services.index.binding.facts import Facts
from services.index.binding.files import FileBinder
from services.index.binding.types.world import World
from services.syntax.parse.lexer import Lexed
from services.syntax.records.declaration import Declaration, FileRecord
from services.syntax.records.words import KEYWORDS

_CONSTRUCTION = rb"(?<![\w.@])new(?=\s*\()|(?<![\w.@])(?:base|this)(?=\s*\()"
INDEX_PATTERN = re.compile(rb"\[(?<!\[\[)(?<![,;]\[)")
"""Finds brackets that may be those of an index."""
CONSTRUCTION = re.compile(_CONSTRUCTION)
"""Finds where a constructor is called without the name of its type."""
_MOST_KEPT = 250_000
"""Most declarations whose facts are cached."""


def name_pattern(names: frozenset[str], *, constructions: bool) -> re.Pattern[bytes]:
    """Finds names in source. `constructions`: also `new(`, `base(` and `this(`."""
    # The name comes first, then a lookbehind: only so is a literal searched at memory speed.
    found = b"|".join(_found(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(found + (b"|" + _CONSTRUCTION if constructions else b""))


def _found(name: str) -> bytes:
    word = re.escape(name.encode())
    before = b"(?<=@" if name in KEYWORDS else rb"(?<![\w\x80-\xff]"
    return word + before + word + rb")(?![\w\x80-\xff])"


def innermost(starts: Sequence[int], declarations: Sequence[Declaration], offset: int) -> int:
    """The innermost of a file's declarations around an offset, -1 outside all. `starts`: where each begins."""
    at = bisect_right(starts, offset) - 1
    while at >= 0 and declarations[at].end <= offset:
        at = declarations[at].parent
    if at < 0:  # in a script, types may stand between statements
        programs = (n for n, each in enumerate(declarations) if each.is_program and each.start <= offset)
        at = next((n for n in programs if offset < declarations[n].end), -1)
    return at


def declarator(declarations: Sequence[Declaration], at: int, offset: int) -> int:
    """Return the declarator at an offset among the fields or events that share the declaration `at` (`int a = F(), b
    = G();`); the first where the offset precedes all of them. Any other declaration is returned itself, -1 too."""
    if at < 0:
        return at
    shared = sharing(declarations, at)
    return shared[max(0, bisect_right(shared, offset, key=lambda each: declarations[each].body[0]) - 1)]


def sharing(declarations: Sequence[Declaration], at: int) -> range:
    """Return the fields or events that share the declaration `at`: adjacent ones of equal extent."""
    start, end = declarations[at].start, declarations[at].end
    first = bisect_left(declarations, start, 0, at, key=lambda each: each.start)
    last = bisect_right(declarations, start, at, key=lambda each: each.start)
    if declarations[first].end != end or declarations[last - 1].end != end:
        return range(at, at + 1)
    return range(first, last)


class FileFacts:
    """Facts by file and declaration, for one version of the catalogue. Not thread-safe."""

    def __init__(self, binder: FileBinder) -> None:
        self._binder = binder
        self._known: LRUCache[tuple[int, int], Facts] = LRUCache(_MOST_KEPT, lambda known: len(known.facts))

    def world(self, project: int) -> World:
        """The types that a project sees."""
        return self._binder.tools(project).world

    def of(self, file: int, at: int, lexed: Lexed) -> Facts:
        """Return the facts of a declaration of a file, including its doc comment."""
        return self._known.get((file, at), lambda: self._binder.bind(file, at, lexed))

    def once(self, file: int, at: int, lexed: Lexed) -> Facts:
        """Return facts like `of`, for a pass over every file: nothing more is cached."""
        known = self._known.peek((file, at))
        return self._binder.bind(file, at, lexed) if known is None else known

    def around(
        self,
        file: int,
        lexed: Lexed,
        record: FileRecord,
        offsets: Iterable[int],
        inside: Callable[[Declaration], bool] | None = None,
    ) -> dict[int, Facts]:
        """Return the facts of the declarations around these offsets, by declaration. `inside`: which are searched."""
        return {at: self.of(file, at, lexed) for at in declarations_around(record, offsets, inside)}


def declarations_around(
    record: FileRecord, offsets: Iterable[int], inside: Callable[[Declaration], bool] | None = None
) -> list[int]:
    """Return the declarations of a file around these offsets, each once; -1 for text outside all. `inside`: which
    count."""
    found: dict[int, None] = {}
    declarations = record.declarations
    starts = [each.start for each in declarations]
    docs = sorted((each.doc, at) for at, each in enumerate(declarations) if each.doc[1])
    for offset in offsets:
        at = _documented(docs, offset)
        if at is None:
            at = innermost(starts, declarations, offset)
        if inside is None or (at >= 0 and inside(declarations[declarator(declarations, at, offset)])):
            found[at] = None
    return [*found]


def _documented(docs: list[tuple[tuple[int, int], int]], offset: int) -> int | None:
    """The declaration whose doc comment is around an offset."""
    at = bisect_right(docs, ((offset, offset), 0)) - 1
    if at + 1 < len(docs) and docs[at + 1][0][0] == offset:
        at += 1
    return docs[at][1] if at >= 0 and offset < docs[at][0][1] else None
