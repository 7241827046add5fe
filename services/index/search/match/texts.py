"""A column of unique texts: one UTF-8 blob with offsets, and the letter maps that let a term be tested on
all of them at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from services.index.search.match import alphabet
from services.index.search.match.maps import LetterMaps, Marks, build_maps
from services.index.search.match.words import WordTree

LONGEST = (31, 63, 127, 255)
"""Longest texts of half a machine word, of one, two and four; characters past the 255th cannot be found. Nearly all
names fit in the half."""

_COUNTED = 65_535
"""Characters to which the length of a text is counted."""

Arrays = Mapping[str, NDArray]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Texts:
    """Unique texts, immutable. `blob`: uint8, UTF-8 end to end; `offsets`: int64, n + 1 byte offsets; `lengths`:
    uint16, in characters; `ascii`: bool; `maps`: those of the texts up to each length of `LONGEST`; `words`: where
    words begin in them; `singles`: uint8 (codes, n), `Closeness` of each text to each single character, where that has
    been worked out."""

    blob: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    lengths: NDArray[np.uint16]
    ascii: NDArray[np.bool_]
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

    def __len__(self) -> int:
        return len(self.lengths)

    def are(self, texts: Sequence[str]) -> bool:
        """Whether they are these, in this order."""
        if len(texts) != len(self):
            return False
        lengths = np.minimum(np.fromiter(map(len, texts), np.int64, len(texts)), _COUNTED)
        whole = "".join(texts).encode("utf-8", "surrogatepass")
        return bool((lengths == self.lengths).all()) and whole == self.blob.tobytes()

    @property
    def used(self) -> tuple[LetterMaps, ...]:
        """The maps that have texts: of few texts, most have none."""
        return tuple(maps for maps in self.maps if len(maps.ids))

    def text(self, index: int) -> str:
        """One text."""
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


def _points(blob: NDArray[np.uint8]) -> NDArray[np.uint32] | NDArray[np.uint8]:
    if not len(blob) or int(blob.max()) < 128:
        return blob
    text = blob.tobytes().decode("utf-8", "surrogatepass")
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
