"""Words of source files, commits and queries: splitting, stemming, and counting."""

from __future__ import annotations

import re
import threading
from array import array
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from functools import lru_cache, partial
from operator import itemgetter
from typing import TYPE_CHECKING
from zlib import crc32

import msgspec

from services.concurrency.cancellation import until
from services.index.catalog.records import Records
from services.model import TYPE_KINDS
from services.syntax.records.declaration import Declaration, FileRecord
from services.syntax.records.words import KEYWORDS

if TYPE_CHECKING:
    from services.index.build.worker_process import WorkerInput

_IDENTIFIER = re.compile(r"[^\W\d_]\w*")
_HUMP = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|[^\W\d_a-zA-Z]+|[A-Z]\d*")
_SHORTEST = 2
_LONGEST = 64
_COMMON = """
    about above after again all also an and any are at be because been before being between both but by can could did
    do does doing done down during each etc few for from further had has have having he here how if in instead into is
    isn it its itself just let like ll make makes me more most my no nor not now of off on once only or other our out
    over own pr re same she should so some such than that the their them then there these they this those through to
    too under until up use used uses using ve very via was we were what when where which while who why will with within
    without would you your
"""
STOP_WORDS = frozenset(_COMMON.split())
"""English words that tell nothing of code."""
_COMMON_OF_COMMITS = "bug change changes fix fixed fixes improve merge refactor related some update wip"
OF_COMMITS = frozenset(_COMMON_OF_COMMITS.split())
"""English words that tell nothing of a commit."""


def identifiers(text: str) -> list[str]:
    """Everything in a text that could be a name, in order."""
    return _IDENTIFIER.findall(text)


def humps(identifier: str) -> list[str]:
    """The words that an identifier is written of: `JsonHTTPReader2` as Json, HTTP, Reader2."""
    return _HUMP.findall(identifier)


@lru_cache(maxsize=16_384)
def terms(identifier: str, *, prose: bool = False) -> tuple[int, ...]:
    """The numbers of an identifier's words, and of the whole where it has several; none of a stop word, nor of a
    keyword unless it is one of `prose`: a sentence about a lock means what is named so."""
    if (identifier in KEYWORDS and not prose) or len(identifier) > _LONGEST:
        return ()
    parts = [hump.lower() for hump in humps(identifier)]
    found = [stem(part) for part in parts if _tells(part)]
    if len(parts) > 1:
        found.append(whole(identifier))
    return tuple(number(word) for word in found)


def asked(text: str, *, prose: bool = False) -> dict[str, float]:
    """Return the words of a query with their weights: repeated words weigh a little more, words of every commit
    less, and so do keywords, which count as words of `prose` alone. Whole names are included, with a `=` in
    front."""
    found: dict[str, float] = {}
    for name in identifiers(text[:_MOST_ASKED]):
        if (name in KEYWORDS and not prose) or len(name) > _LONGEST:
            continue
        parts = [hump.lower() for hump in humps(name)]
        most = _LESS if name in KEYWORDS else 1.0
        told = [(stem(part), _LESS if part in OF_COMMITS else most) for part in parts if _tells(part)]
        for word, weight in [*told, (whole(name), most)]:
            found[word] = max(found[word], weight) + _AGAIN * weight if word in found else weight
    return found


def _tells(part: str) -> bool:
    return len(part) >= _SHORTEST and part not in STOP_WORDS


_MOST_ASKED = 100_000
_AGAIN = 0.3
_LESS = 0.3


def whole(identifier: str) -> str:
    """An identifier as one word, which no part of a name is."""
    return "=" + identifier.lower().replace("_", "")


def number(word: str) -> int:
    """The 32-bit number of a word."""
    return crc32(word.encode("utf-8", "replace"))


@lru_cache(maxsize=8_192)
def stem(word: str) -> str:
    """Return a lower-case word without its endings, by a few simple rules (`-s`, `-ing`, `-ed`, `-er`, `-ate`,
    `-ation`, `-ize`, `-able`), with at least four letters left."""
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) + len(instead) >= _STEM:
            word = word[: len(word) - len(ending)] + instead
            break
    for ending in _OUTER:
        if word.endswith(ending) and len(word) - len(ending) >= _STEM:
            word = word[: len(word) - len(ending)]
            break
    return word.rstrip("e") if len(word) > _STEM else word


_STEM = 4
_ENDINGS = (("ies", "y"), ("sses", "ss"), ("ss", "ss"), ("us", "us"), ("s", ""))
_SUFFIXES = "ization izing ations ation ators ator ating ated ates ate izer ized ize able ings ing ion ors or ers er ed"
_OUTER = tuple(_SUFFIXES.split())


NAME, MEMBERS, DOCS, BODIES = range(4)
FIELDS = 4
_MOST = 255


class FileWords(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Words of each outermost type of a file, in order. `types`: its position among the file's declarations (32
    bits each); `sizes`: how many words it has (32 bits); `words`: their numbers (32 bits each); `counts`: four
    bytes a word, the occurrences in each field, 255 at most."""

    types: bytes = b""
    sizes: bytes = b""
    words: bytes = b""
    counts: bytes = b""


def words_of(record: FileRecord, text: bytes) -> FileWords:
    """The words of a file. `text`: what the offsets of its record count in."""
    types, sizes, words = array("I"), array("I"), array("I")
    counts = bytearray()
    for at, members in _outermost(record.declarations):
        found: dict[int, list[int]] = {}
        for field, piece in _pieces(record.every[at], members, text):
            for identifier in identifiers(piece):
                for term in terms(identifier):
                    count = found.get(term)
                    if count is None:
                        count = found[term] = [0] * FIELDS
                    count[field] += 1
        types.append(at)
        sizes.append(len(found))
        words.extend(found)
        for count in found.values():
            counts += bytes(min(each, _MOST) for each in count)
    return FileWords(types.tobytes(), sizes.tobytes(), words.tobytes(), bytes(counts))


def _outermost(declarations: Sequence[Declaration]) -> Iterator[tuple[int, list[Declaration]]]:
    """Each outermost type, by its place, with all that is declared in it."""
    root: dict[int, int] = {}
    inside: dict[int, list[Declaration]] = {}
    for at, declaration in enumerate(declarations):
        if declaration.parent < 0:
            if declaration.kind in TYPE_KINDS:
                root[at], inside[at] = at, []
        elif declaration.parent in root:
            root[at] = root[declaration.parent]
            inside[root[at]].append(declaration)
    return iter(inside.items())


def _pieces(type_: Declaration, members: Sequence[Declaration], text: bytes) -> Iterator[tuple[int, str]]:
    """(field, text) of a type's source, and once more the names that it declares."""
    yield NAME, type_.name
    yield from ((MEMBERS, member.name) for member in members)
    marks = sorted(_marks(type_, members), key=itemgetter(0, 1))
    at, field, ends = min(type_.start, type_.doc[0] or type_.start), BODIES, list[tuple[int, int]]()
    for start, order, end, kind in marks:
        del order
        while ends and ends[-1][0] <= start:
            stop, outer = ends.pop()
            if stop > at:
                yield field, _text(text, at, stop)
                at = stop
            field = outer
        if start > at:
            yield field, _text(text, at, start)
            at = start
        ends.append((end, field))
        field = kind
    while ends:
        stop, outer = ends.pop()
        if stop > at:
            yield field, _text(text, at, stop)
            at = stop
        field = outer


def _marks(type_: Declaration, members: Sequence[Declaration]) -> Iterator[tuple[int, int, int, int]]:
    """(start, order among those that start there, end, field): the widest first."""
    for each in (type_, *members):
        is_type = each.kind in TYPE_KINDS
        yield each.start, -each.end, each.end, MEMBERS
        if each.doc[1] > each.doc[0]:
            yield each.doc[0], -each.doc[1], each.doc[1], DOCS
        if each.body[1] > each.body[0] and not is_type:
            yield each.body[0], -each.body[1], each.body[1], BODIES


def _text(text: bytes, start: int, end: int) -> str:
    return text[start:end].decode("utf-8", "replace")


CANCELLED = "Reading the words of the workspace was cancelled."
WORTH_WORKER = 400
"""Files for which a worker, which first reads the catalogue, is worth its start."""
_AT_ONCE = 24
_Found = dict[int, bytes]
_DECODER = msgspec.msgpack.Decoder(_Found)


class WordReader:
    """Reads files of one revision of the index. `worker`: what a process reads them with, None where it cannot."""

    def __init__(self, records: Records, worker: Callable[[], WorkerInput | None]) -> None:
        self._records = records
        self._worker = worker

    def words(self, files: Sequence[int], cancel: threading.Event | None) -> Iterator[tuple[int, bytes]]:
        """Each file with its words, `FileWords` encoded, in no order. Raises Cancelled."""
        left = dict.fromkeys(files)
        kept = self._worker() if len(left) >= WORTH_WORKER else None
        if kept is not None:
            with closing(_from_worker(kept, files, cancel)) as made:
                for file, encoded in ((each, found[each]) for found in made for each in found):
                    del left[file]
                    yield file, encoded
        for file in until(cancel, left, message=CANCELLED):
            found = self._records.once(file)
            yield file, msgspec.msgpack.encode(words_of(*found) if found is not None else FileWords())


def _from_worker(
    kept: WorkerInput, files: Sequence[int], cancel: threading.Event | None
) -> Generator[_Found]:
    """The words of files, some at a time. Ends early where the worker cannot be started or dies, and leaves out what it
    cannot read. Raises Cancelled."""
    from services.index.build.worker_process import worked

    pieces = [files[at : at + _AT_ONCE] for at in range(0, len(files), _AT_ONCE)]
    with closing(worked(_read, pieces, begin=partial(_begin, kept), workers=1, cancel=cancel)) as made:
        yield from map(_DECODER.decode, made)


_records: list[Records] = []


def _begin(kept: WorkerInput) -> None:
    _records.append(kept.opened()[2])


def _read(files: Sequence[int]) -> bytes:
    told = ((file, records.once(file)) for records in _records for file in files)
    return msgspec.msgpack.encode(
        {file: msgspec.msgpack.encode(words_of(*found)) for file, found in told if found is not None}
    )
