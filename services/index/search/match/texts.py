"""A column of unique texts: one UTF-8 blob with offsets, and the letter maps that let a term be tested on all of
them at once, also with typing errors.

Where words begin in texts, as a tree of the characters from there on: what begins nearly as a term does is found by
going down it with the term, all nodes of a level at once, instead of reading every text.

The automaton of Wu and Manber is run over many texts at once, a character at a time. Bit i of state e of a text
means that the first i characters of the term have been read with e edits at most. An edit is a missing, an extra or
a wrong character, or two neighbours swapped (optimal string alignment).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from services.index.search.match import alphabet
from services.index.search.match.alphabet import CODES, LetterMaps, Marks, build_maps

LONGEST_TERM = 60
"""Characters of a term that there are bits for."""

Bits = NDArray[np.uint64]

_ONE = np.uint64(1)


class Automaton:
    """That of one term, given as codes of `LONGEST_TERM` characters at most."""

    def __init__(self, term: Sequence[int], errors: int) -> None:
        self.errors = errors
        self.whole = np.uint64(1 << len(term))
        self.letters = np.zeros(CODES, np.uint64)
        for at, code in enumerate(term):
            self.letters[code] |= np.uint64(1 << at)

    def begin(self, count: int) -> Readers:
        """So many texts of which nothing has been read."""
        states = [np.full(count, (2 << edits) - 1, np.uint64) for edits in range(self.errors + 1)]
        nothing = np.zeros(count, np.uint64)
        return Readers(self, states, [nothing] * len(states), nothing)


class Readers(msgspec.Struct, frozen=True, eq=False):
    """States of an automaton in n texts. `states[e]`: after e edits at most; `older`: the states one character ago;
    `before`: where the term has the last character."""

    automaton: Automaton
    states: list[Bits]
    older: list[Bits]
    before: Bits

    def take(self, at: NDArray[np.integer]) -> Readers:
        """Return the states of some texts, which may repeat."""
        states, older = ([bits.take(at) for bits in each] for each in (self.states, self.older))
        return Readers(self.automaton, states, older, self.before.take(at))

    def read(self, codes: NDArray[np.uint8]) -> Readers:
        """After one more character of each text."""
        letter = self.automaton.letters.take(codes)
        new = [(self.states[0] & letter) << _ONE]
        for edits in range(1, len(self.states)):
            swapped = (((self.older[edits - 1] & letter) << _ONE) & self.before) << _ONE
            fewer = self.states[edits - 1]
            new.append(
                ((self.states[edits] & letter) << _ONE) | fewer | ((fewer | new[-1]) << _ONE) | swapped
            )
        return Readers(self.automaton, new, self.states, letter)

    def kept(self, where: NDArray[np.bool_], other: Readers) -> Readers:
        """Return these states, replaced by those of `other` where the mask is not set."""
        pairs = [(self.states, other.states), (self.older, other.older), ([self.before], [other.before])]
        states, older, before = (
            [np.where(where, then, now) for now, then in zip(*pair, strict=True)] for pair in pairs
        )
        return Readers(self.automaton, states, older, before[0])

    def ended(self) -> NDArray[np.bool_]:
        """In which texts the whole term has been read."""
        return (self.states[-1] & self.automaton.whole) != 0

    def alive(self) -> NDArray[np.bool_]:
        """In which texts more of the term may be read."""
        return (self.states[-1] & (self.automaton.whole - np.uint64(1))) != 0


DEPTH = 10
"""Characters from the beginning of a word on that the tree knows: nearly all terms with few enough typing errors end in
it, and longer ones leave few texts."""

_LONGEST = 255
_BITS = 6
_END = np.uint64((1 << _BITS) - 1)

Ids = NDArray[np.int32]


class WordTree(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """The beginnings of words in n texts, in the order of their first `DEPTH` characters. `owners`: int32, whose text
    each is of; `behind`: int32, the byte after these characters. Nodes, level by level: `levels`, int32 (DEPTH + 1,),
    where those of each level begin; `codes`, uint8, the character that leads to a node; `first`, `last`, int32, its
    beginnings; `children`, int32 (nodes + 1,), where its children begin, which end where the next node's begin."""

    owners: Ids
    behind: Ids
    levels: Ids
    codes: NDArray[np.uint8]
    first: Ids
    last: Ids
    children: Ids

    @classmethod
    def build(cls, marks: Marks, starts: NDArray, at: NDArray) -> WordTree:
        """Build from texts whose characters are `marks[starts[i]:starts[i + 1]]`. `at`: the byte of each character,
        and the end."""
        begins = np.flatnonzero(marks.humps)
        owners = np.searchsorted(starts, begins, side="right") - 1
        inside = begins - starts[owners] < _LONGEST
        begins, owners = begins[inside], owners[inside]
        windows = _windows(marks.codes, begins, np.minimum(starts[owners + 1], starts[owners] + _LONGEST))
        order = np.argsort(windows)
        windows = windows[order]
        runs = [_runs_of(windows, depth) for depth in range(1, DEPTH + 1)]
        levels = np.cumsum([0, *(len(first) for first, _, _ in runs)])
        below = [first for first, _, _ in runs[1:]] + [np.empty(0, np.int64)]
        children = [
            np.searchsorted(deeper, first) + level
            for (first, _, _), deeper, level in zip(runs, below, levels[1:], strict=True)
        ]
        first, last, codes = (np.concatenate(column) for column in zip(*runs, strict=True))
        return cls(
            owners=owners[order].astype(np.int32),
            behind=at[np.minimum(begins + DEPTH, len(at) - 1)[order]].astype(np.int32),
            levels=levels.astype(np.int32),
            codes=codes.astype(np.uint8),
            first=first.astype(np.int32),
            last=last.astype(np.int32),
            children=np.concatenate((*children, levels[-1:])).astype(np.int32),
        )

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray], prefix: str) -> WordTree:
        """The tree whose arrays `arrays()` named."""
        return cls(**{name: arrays[f"{prefix}{name}"] for name in cls.__struct_fields__})

    def arrays(self, prefix: str) -> dict[str, NDArray]:
        """Every array by name."""
        return {f"{prefix}{name}": getattr(self, name) for name in self.__struct_fields__}

    def reached(self, automaton: Automaton) -> tuple[Ids, NDArray[np.int64], Readers]:
        """Return the texts in which a word begins with the whole term within the tree's depth, some twice, in no
        order; the places of the beginnings that may match further on, and the states of the automaton there."""
        nodes = np.arange(self.levels[1])
        readers = automaton.begin(len(nodes))
        found: list[NDArray[np.int64]] = []
        left = nodes[:0]
        for depth in range(1, DEPTH + 1):
            readers = readers.read(self.codes.take(nodes))
            ended = readers.ended()
            found.append(nodes[ended])
            left = np.flatnonzero(readers.alive() & ~ended)
            nodes = nodes.take(left)
            if depth == DEPTH or not len(nodes):
                break
            begins = self.children.take(nodes)
            counts = self.children.take(nodes + 1) - begins
            readers = readers.take(np.repeat(left, counts))
            nodes = _ranges(begins, counts)
        first = self.first.take(nodes)
        counts = self.last.take(nodes) - first
        return (
            self._owners(np.concatenate(found)),
            _ranges(first, counts),
            readers.take(np.repeat(left, counts)),
        )

    def _owners(self, nodes: NDArray[np.int64]) -> Ids:
        first = self.first.take(nodes)
        return self.owners.take(_ranges(first, self.last.take(nodes) - first))


def _windows(codes: NDArray[np.uint8], begins: NDArray, ends: NDArray) -> NDArray[np.uint64]:
    """The characters of each beginning, up to the end of its text, as one number in whose order they are."""
    found = np.zeros(len(begins), np.uint64)
    for place in range(DEPTH):
        at = begins + place
        inside = at < ends
        code = codes.take(np.minimum(at, len(codes) - 1)) + np.uint8(1)
        found = (found << np.uint64(_BITS)) | (code * inside).astype(np.uint64)
    return found


def _runs_of(windows: NDArray[np.uint64], depth: int) -> tuple[NDArray, NDArray, NDArray]:
    """Return the runs of the ascending windows that agree in so many characters and have them: where each run begins
    and ends, and the last of these characters."""
    begun = windows >> np.uint64(_BITS * (DEPTH - depth))
    changes = np.flatnonzero(begun[1:] != begun[:-1]) + 1
    first = np.concatenate(([0], changes)) if len(begun) else changes
    last = np.append(changes, len(begun)) if len(begun) else changes
    codes = begun[first] & _END
    there = codes > 0
    return first[there], last[there], codes[there] - np.uint64(1)


def _ranges(first: NDArray[np.integer], counts: NDArray[np.integer]) -> NDArray[np.int64]:
    """So many numbers from each first one on, one range after the other."""
    ends = np.cumsum(counts, dtype=np.int64)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) + np.repeat(first - (ends - counts), counts)


LONGEST = (31, 63, 127, 255)
"""Longest texts of half a machine word, of one, two and four; characters past the 255th cannot be found. Nearly all
names fit in the half."""

_COUNTED = 65_535
"""Characters to which the length of a text is counted."""

Arrays = Mapping[str, NDArray]


class TextColumn(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Texts, immutable. `blob`: uint8, UTF-8 end to end; `offsets`: int64, n + 1 byte offsets; `lengths`: uint16, in
    characters; `ascii`: bool."""

    blob: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    lengths: NDArray[np.uint16]
    ascii: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.lengths)

    def text(self, index: int) -> str:
        """Return the text at an index."""
        return (
            self.blob[self.offsets[index] : self.offsets[index + 1]]
            .tobytes()
            .decode("utf-8", "surrogatepass")
        )

    def characters(self, ids: NDArray[np.integer]) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
        """Folded code points and character classes of some texts, both (len(ids), width), padded with zeros.
        The width is that of the longest, 255 at most."""
        width = int(min(LONGEST[-1], self.lengths[ids].max(initial=1))) or 1
        places = np.arange(width)
        inside = places < self.lengths.take(ids)[:, None]
        if not len(self.blob):
            return np.zeros(inside.shape, np.uint32), np.zeros(inside.shape, np.uint8)
        at = self.offsets.take(ids)[:, None] + places
        raw = self.blob.take(np.minimum(at, len(self.blob) - 1, out=at))
        folds, kinds = alphabet.byte_tables()
        points = np.multiply(folds.take(raw), inside, dtype=np.uint32)
        classes = kinds.take(raw) * inside
        for row in np.flatnonzero(~self.ascii[ids]):
            text = self.text(int(ids[row]))[:width]
            points[row, : len(text)] = [ord(char) for char in alphabet.fold(text)]
            classes[row, : len(text)] = [alphabet.class_of(char) for char in text]
        return points, classes


class Texts(TextColumn, frozen=True, kw_only=True, eq=False):
    """Unique texts that can be searched. `maps`: those of the texts up to each length of `LONGEST`; `words`: where
    words begin in them; `singles`: uint8 (codes, n), `Closeness` of each text to each single character, where that has
    been worked out."""

    maps: tuple[LetterMaps, ...]
    words: WordTree
    singles: NDArray[np.uint8] | None = None

    @classmethod
    def build(cls, texts: Sequence[str]) -> Texts:
        """From Python strings, each once."""
        parts = [text.encode("utf-8", "surrogatepass") for text in texts]
        offsets = np.zeros(len(parts) + 1, np.int64)
        np.cumsum([len(part) for part in parts], out=offsets[1:])
        return cls.from_blob(np.frombuffer(b"".join(parts), np.uint8), offsets)

    @classmethod
    def from_blob(cls, blob: NDArray[np.uint8], offsets: NDArray[np.int64]) -> Texts:
        """From a UTF-8 blob and its n + 1 byte offsets."""
        begins = (blob & 0xC0) != 0x80
        starts = np.concatenate(([0], np.cumsum(begins)))[offsets]
        lengths = np.diff(starts)
        sizes = np.searchsorted(LONGEST[:-1], lengths)
        plain = lengths == np.diff(offsets)
        marks = Marks.of(_points(blob), starts)
        return cls(
            blob=blob,
            offsets=offsets,
            lengths=np.minimum(lengths, _COUNTED).astype(np.uint16),
            ascii=plain,
            maps=tuple(
                build_maps(marks, starts, np.flatnonzero(sizes == size), longest=longest)
                for size, longest in enumerate(LONGEST)
            ),
            words=WordTree.build(marks, starts, np.append(np.flatnonzero(begins), len(blob))),
        )

    @classmethod
    def from_arrays(cls, arrays: Arrays, prefix: str) -> Texts:
        """The column whose arrays `arrays()` named; memory-mapped ones stay so."""
        own = {name: arrays[f"{prefix}{name}"] for name in ("blob", "offsets", "lengths", "ascii")}
        maps = tuple(LetterMaps.from_arrays(arrays, f"{prefix}{longest}_") for longest in LONGEST)
        words = WordTree.from_arrays(arrays, f"{prefix}words_")
        return cls(**own, maps=maps, words=words, singles=arrays[f"{prefix}singles"])

    def arrays(self, prefix: str) -> dict[str, NDArray]:
        """Every array by name, to be written and given to `from_arrays` again."""
        own = {name: getattr(self, name) for name in ("blob", "offsets", "lengths", "ascii")}
        named = {f"{prefix}{name}": array for name, array in own.items()}
        for longest, maps in zip(LONGEST, self.maps, strict=True):
            named |= maps.arrays(f"{prefix}{longest}_")
        named |= self.words.arrays(f"{prefix}words_")
        return named if self.singles is None else named | {f"{prefix}singles": self.singles}

    @property
    def used(self) -> tuple[LetterMaps, ...]:
        """The maps that have texts: of few texts, most have none."""
        return tuple(maps for maps in self.maps if len(maps.ids))


def joined(parts: Sequence[tuple[TextColumn, NDArray[np.int64]]]) -> TextColumn:
    """Some texts of each column, one after the other."""
    begins = [texts.offsets.take(ids) for texts, ids in parts]
    sizes = [texts.offsets.take(ids + 1) - first for (texts, ids), first in zip(parts, begins, strict=True)]
    whole = zip(parts, begins, sizes, strict=True)
    return TextColumn(
        blob=np.concatenate([texts.blob.take(_ranges(first, own)) for (texts, _), first, own in whole]),
        offsets=np.concatenate(([0], np.cumsum(np.concatenate(sizes), dtype=np.int64))),
        lengths=np.concatenate([texts.lengths.take(ids) for texts, ids in parts]),
        ascii=np.concatenate([texts.ascii.take(ids) for texts, ids in parts]),
    )


_HASHED = 1 << 16
"""Texts that are hashed together."""


def hashes_of(texts: TextColumn) -> NDArray[np.uint64]:
    """Return a number for each text; that of different texts is the same once in ages."""
    found = np.empty(len(texts), np.uint64)
    of_bytes = (np.arange(1, 257, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)) ^ np.uint64(
        0xD1B54A32D192ED03
    )
    for begin in range(0, len(texts), _HASHED):
        offsets = texts.offsets[begin : begin + _HASHED + 1]
        sizes = np.diff(offsets)
        powers = np.full(int(sizes.max(initial=0)) + 1, 0xBF58476D1CE4E5B9, np.uint64)
        powers = np.multiply.accumulate(powers)
        places = _ranges(np.zeros(len(sizes), np.int64), sizes)
        earned = of_bytes.take(texts.blob[offsets[0] : offsets[-1]]) * powers.take(places)
        sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(earned, dtype=np.uint64)))
        ends = offsets - offsets[0]
        found[begin : begin + _HASHED] = sums.take(ends[1:]) - sums.take(ends[:-1])
    return found


def _points(blob: NDArray[np.uint8]) -> NDArray[np.uint32] | NDArray[np.uint8]:
    if not len(blob) or int(blob.max()) < 128:
        return blob
    text = blob.tobytes().decode("utf-8", "surrogatepass")
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
