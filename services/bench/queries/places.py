"""Queries about locations in files: enclosing symbols, the definition of a name, files by path fragments.

Files by parts of their paths, as one types.
"""

from __future__ import annotations

import heapq
import os
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from services.errors import WorkspaceError
from services.index.index import Index
from services.model import TYPE_KINDS, Definition, FileHit, FolderEntry, SymbolRef
from services.workspace.files.root import Root
from services.workspace.scan.scan import batches
from services.workspace.text import decode


def best_files(paths: Iterable[str], words: Sequence[str], *, most: int) -> tuple[FileHit, ...]:
    """The best `most` of the paths that have every one of the words (lower case, none empty)."""
    loose = [re.compile(".*?".join(map(re.escape, word)), re.DOTALL) for word in words]
    best = heapq.nsmallest(most, _ranked(paths, words, loose))
    return tuple(FileHit(path=path, positions=_positions(path.lower(), words, loose)) for _, path in best)


def _ranked(
    paths: Iterable[str], words: Sequence[str], loose: Sequence[re.Pattern[str]]
) -> Iterator[tuple[tuple[int, int], str]]:
    for path in paths:
        low = path.lower()
        if not all(pattern.search(low) for pattern in loose):
            continue
        name = low.rpartition("/")[2]
        yield (sum(_rank(name, low, word) for word in words), len(path)), path


def _rank(name: str, path: str, word: str) -> int:
    """0 where the name begins with the word, up to 4 where its letters are only somewhere in the path."""
    if name.startswith(word):
        return 0
    return 1 if word in name else 2 if word in path else 4


def _positions(low: str, words: Sequence[str], loose: Sequence[re.Pattern[str]]) -> tuple[int, ...]:
    """The characters that matched: of the name where a word is in it, else the last place in the path."""
    found: set[int] = set()
    for word, pattern in zip(words, loose, strict=True):
        at = low.rfind(word)
        if at >= 0:
            found.update(range(at, at + len(word)))
        elif match := pattern.search(low):
            place = match.start()
            for letter in word:
                place = low.index(letter, place)
                found.add(place)
                place += 1
    return tuple(sorted(found))


_MOST = 20
_LONGEST_COMMENT = 200
"""Lines that are looked through for what a comment is above."""
_LISTED_FOR = 10.0
"""Seconds that a list of files is believed."""


class FilePlaces:
    """Answers about lines of files. `refresh` brings the index up to date with a file that has changed."""

    def __init__(
        self,
        root: Root,
        index: Index,
        *,
        refresh: Callable[[], object],
        named: Callable[[str], tuple[SymbolRef, ...]],
    ) -> None:
        """`named`: symbols of a simple name."""
        self._root = root
        self._index = index
        self._refresh = refresh
        self._named = named
        self._listed: list[str] = []
        self._listed_at = time.monotonic() - 2 * _LISTED_FOR

    def enclosing(self, file: str, line: int) -> SymbolRef | None:
        """The innermost symbol at a line (from 1) of a file, to which the comments right above it belong; None where
        there is none, or the file is not C#."""
        path = self._root.normalise(file)
        self._current(path)
        found = self._index.files.enclosing(path, line)
        if (found is None or found.kind in TYPE_KINDS) and path.endswith(".cs"):
            below = self._below_comments(path, line)
            return found if below == line else self._index.files.enclosing(path, below) or found
        return found

    def definition(self, file: str, line: int, column: int) -> Definition:
        """Return the definition of the name at a location (`line` from 1, `column` in characters from 0). Where it
        cannot be bound, symbols of that name are returned as candidates. Raises PathRefused."""
        path = self._root.normalise(file)
        self._current(path)
        found = self._index.files.definition(path, line, column)
        if found.symbols or found.line or found.reason or not found.name:
            return found
        candidates = self._named(found.name)[:_MOST]
        reason = f"{found.name} cannot be bound here"
        reason += "; these have its name." if candidates else ", and nothing in the workspace has its name."
        return msgspec.structs.replace(found, symbols=candidates, reason=reason)

    def files(self, query: str, *, most: int = 50) -> tuple[FileHit, ...]:
        """Files of the workspace, C# or not, whose paths have every word of the query, in that order or with letters
        between; names before folders, whole words before letters. An empty query finds none."""
        words = query.lower().split()
        return best_files(self.paths(), words, most=most) if words else ()

    def folder(self, path: str = "") -> tuple[FolderEntry, ...]:
        """Return the entries of a folder of the workspace, by default the root's: folders first, each by name.
        Ignored entries and folders without files are left out."""
        start = f"{path.strip('/')}/" if path.strip("/") else ""
        folders: Counter[str] = Counter()
        files: list[str] = []
        for each in self.paths():
            if each.startswith(start):
                name, inside, _ = each[len(start) :].partition("/")
                if inside:
                    folders[f"{start}{name}"] += 1
                else:
                    files.append(each)
        below = [FolderEntry(path=name, files=folders[name]) for name in sorted(folders, key=str.casefold)]
        return (*below, *(FolderEntry(path=name) for name in sorted(files, key=str.casefold)))

    def paths(self) -> list[str]:
        """Every path, looked up again after a while."""
        if time.monotonic() - self._listed_at > _LISTED_FOR:
            self._listed = [os.fsdecode(path) for batch in batches(self._root) for path in batch]
            self._listed_at = time.monotonic()
        return self._listed

    def list_again(self) -> None:
        """Look the paths up again when they are asked for next, as a file was made."""
        self._listed_at = time.monotonic() - 2 * _LISTED_FOR

    def _below_comments(self, path: str, line: int) -> int:
        """The line itself, or, of one that holds a comment alone, the first below that does not."""
        try:
            text = decode(self._root.read(path)[0], path)
            lines = text.lines(line, min(line + _LONGEST_COMMENT, text.line_count))
        except WorkspaceError:
            return line
        return line + next((at for at, text in enumerate(lines) if not text.lstrip().startswith("//")), 0)

    def _current(self, path: str) -> None:
        if self._index.is_stale(path):
            self._refresh()
