"""Ranged reads of files (SPEC section 7): each file is read once while it stays as it is."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from services.errors import CodeCortexError, FileMissing, LineOutOfRange
from services.model import SourcePiece, SourceRange
from services.settings import CacheSettings
from services.source.read.cache import CachedContent, SourceCache
from services.source.read.known_lines import Authors, ReadLog, under_way
from services.source.read.token import Version, digest_of, stored
from services.workspace.files.root import LARGEST_FILE, Root
from services.workspace.source_kinds import is_source
from services.workspace.text import Text, decode

_PLACE = re.compile(r"(?P<path>.+?):(?P<start>[0-9]{1,9})(?:-(?P<end>[0-9]{1,9}))?", re.DOTALL)


class FileLocation(msgspec.Struct, frozen=True):
    """A file as people write it, with the lines if they wrote any."""

    path: str
    start: int | None = None
    end: int | None = None


def parse_location(text: str) -> FileLocation:
    """Parse `src/A.cs`, `src/A.cs:120` or `src/A.cs:120-150`, without checking that the file exists."""
    match = _PLACE.fullmatch(text)
    if match is None:
        return FileLocation(text)
    start = int(match["start"])
    return FileLocation(match["path"], start, int(match["end"] or start))


def is_written_like_file(path: str) -> bool:
    """Whether only a file can be meant, there or not: no symbol is written so."""
    return "/" in path or is_source(path)


class SourceReader:
    """Reader of lines, which records in its `cache` the lines shown under each token, and in `reads` for other
    processes. `authors`: knows the writes of other processes; `limit`: bytes above which a file is refused."""

    def __init__(
        self,
        root: Root,
        settings: CacheSettings | None = None,
        *,
        cache: SourceCache | None = None,
        reads: ReadLog | None = None,
        authors: Authors | None = None,
        limit: int = LARGEST_FILE,
    ) -> None:
        self.cache = cache or SourceCache(settings or CacheSettings())
        self.reads = reads
        self._root = root
        self._authors = authors
        self._limit = limit

    def text(self, path: str) -> tuple[Text, int]:
        """A file's text and its mtime in ns. Raises WorkspaceError, PathRefused, NotText."""
        data, stamp = self._root.read(path, limit=self._limit)
        return decode(data, path, encoding=self._root.encoding), stamp.mtime_ns

    def content(self, path: str, version: Version = Version.WORKING) -> tuple[CachedContent, Text]:
        """Return a version of a file, whole; the file is not read again while its size and mtime are the same. No
        line counts as read. Raises FileMissing, WorkspaceError, PathRefused, NotText."""
        path = self._root.normalise(path)
        if version is not Version.WORKING:
            return self._stored(path, version)
        known = self.cache.fresh(self._root.stat(path))
        if known is not None and known.base is not None:
            return known, known.base
        data, stamp = self._root.read(path, limit=self._limit)
        text = decode(data, path, encoding=self._root.encoding)
        author = self._author(path, text)
        entry = self.cache.remember(
            path, digest_of(data), text, mtime_ns=stamp.mtime_ns, changed_by=author, stamp=stamp
        )
        return entry, text

    def read(
        self,
        path: str,
        *,
        start: int | None = None,
        end: int | None = None,
        version: Version = Version.WORKING,
    ) -> SourceRange:
        """Lines `start` to `end` of a file; what is left out is its first or last line. A range that reaches past the
        end is cut there. Raises LineOutOfRange, FileMissing, WorkspaceError, PathRefused, NotText."""
        entry, text = self.content(path, version)
        first, last = _bounds(path, text, start, end)
        self._told_lines(entry, first, last)
        content = text.slice(first, last) if last >= first else ""
        return self._range(entry, text, content, (first, last), asked=(start, end), version=version)

    def bounds(self, path: str, *, start: int | None = None, end: int | None = None) -> tuple[int, int]:
        """Return the first and last line that `read` would return; none counts as read. Raises as `read`."""
        return _bounds(path, self.content(path)[1], start, end)

    def read_pieces(
        self,
        pieces: Sequence[SourcePiece],
        *,
        start: int | None = None,
        end: int | None = None,
        version: Version = Version.WORKING,
    ) -> SourceRange:
        """Several stretches of lines, one after the other; a stretch that ends its file without a line ending gets one
        if another follows. `start`, `end`: lines of the first piece's file that are wanted; other files are then left
        out. Raises LineOutOfRange where no piece has any of them, and as `read`."""
        main = pieces[0].file
        if start is not None and start < 1:
            _bounds(main, self.content(main, version)[1], start, end)
        wanted = [piece for piece in pieces if (start is None and end is None) or piece.file == main]
        cut = [each for piece in wanted if (each := _cut(piece, start, end)) is not None]
        entry, text = self.content(main, version)
        if not cut:
            there = ", ".join(f"{piece.start_line}-{piece.end_line}" for piece in wanted)
            message = (
                f"Lines {start or 1} to {end or text.line_count} of {main} are not in this part ({there})."
            )
            raise LineOutOfRange(message, lineCount=text.line_count, startLine=start, endLine=end)
        told, contents = self._told(cut, version)
        span = (cut[0].start_line, max(piece.end_line for piece in cut if piece.file == main))
        read = self._range(entry, text, "".join(contents), span, asked=(start, end), version=version)
        return msgspec.structs.replace(read, pieces=tuple(told))

    def _told(self, pieces: list[SourcePiece], version: Version) -> tuple[list[SourcePiece], list[str]]:
        """Pieces with their files' tokens, and their contents."""
        told: list[SourcePiece] = []
        contents: list[str] = []
        for piece in pieces:
            entry, text = self.content(piece.file, version)
            if contents and not contents[-1].endswith("\n"):
                contents[-1] += text.newline or "\n"
            contents.append(text.slice(piece.start_line, piece.end_line))
            self._told_lines(entry, piece.start_line, piece.end_line)
            told.append(
                SourcePiece(
                    file=piece.file, start_line=piece.start_line, end_line=piece.end_line, token=entry.token
                )
            )
        return told, contents

    def _told_lines(self, entry: CachedContent, first: int, last: int) -> None:
        """Lines count as read, at once or when the answer that they are read for is delivered."""
        count = functools.partial(self._count, entry)
        reading = under_way()
        if reading is None:
            count(first, last)
        else:
            reading.add(entry.path, (first, last), count)

    def _count(self, entry: CachedContent, first: int, last: int) -> None:
        self.cache.saw(entry, first, last)
        if self.reads is not None:
            self.reads.saw(entry.path, entry.digest, [(first, last)])

    def is_file(self, path: str) -> bool:
        """Whether a path is written like a file's, and one is there. Raises PathRefused, WorkspaceError for what is
        there and may not be read, if no symbol is written like it."""
        if is_written_like_file(path):
            try:
                self._root.stat(path)
            except FileMissing:
                return False
            return True
        return "." in path and self.exists(path)

    def exists(self, path: str) -> bool:
        """Whether a file of that path may be read."""
        try:
            self._root.stat(self._root.normalise(path))
        except CodeCortexError:
            return False
        return True

    def _range(
        self,
        entry: CachedContent,
        text: Text,
        content: str,
        span: tuple[int, int],
        *,
        asked: tuple[int | None, int | None],
        version: Version,
    ) -> SourceRange:
        return SourceRange(
            object=entry.path,
            file=entry.path,
            content=content,
            token=entry.token,
            line_count=text.line_count,
            start_line=span[0],
            end_line=span[1],
            requested_start_line=asked[0],
            requested_end_line=asked[1],
            changed_at=entry.changed_at,
            changed_by=entry.changed_by,
            expires_at=entry.expires_at,
            encoding=text.encoding,
            writable=text.writable and version is Version.WORKING,
            version=str(version),
        )

    def _stored(self, path: str, version: Version) -> tuple[CachedContent, Text]:
        found = stored(self._root.path, path, version, limit=self._limit)
        text = decode(found.data, path, encoding=self._root.encoding)
        entry = self.cache.remember(
            path,
            digest_of(found.data),
            text,
            mtime_ns=found.changed_at * 1_000_000,
            changed_by=found.changed_by,
            stamp=None,
        )
        return entry, text

    def _author(self, path: str, text: Text) -> str:
        """Return the author of the file's present content: the journal is more specific than the file's owner in the
        system."""
        author = self._authors.of(path, text.digest) if self._authors is not None else ""
        return author or self._owner(path)

    def _owner(self, path: str) -> str:
        try:
            return Path(self._root.path, path).owner()
        except (OSError, KeyError):
            return ""


def _bounds(path: str, text: Text, start: int | None, end: int | None) -> tuple[int, int]:
    """The lines that a range means; (1, 0) for all lines of an empty file. Raises LineOutOfRange."""
    first = 1 if start is None else start
    last = text.line_count if end is None else min(end, text.line_count)
    if first < 1 or (last < first and (start is not None or end is not None)):
        asked = f"line {first} is" if end is None else f"lines {first} to {end} are"
        raise LineOutOfRange(
            f"{path} has {text.line_count} lines; {asked} not among them.",
            lineCount=text.line_count,
            startLine=start,
            endLine=end,
        )
    return first, last


def _cut(piece: SourcePiece, start: int | None, end: int | None) -> SourcePiece | None:
    """Return the part of a piece between the lines, or None."""
    first = max(piece.start_line, start or 1)
    last = piece.end_line if end is None else min(piece.end_line, end)
    return SourcePiece(file=piece.file, start_line=first, end_line=last) if first <= last else None
