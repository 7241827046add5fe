"""A column of unique texts: one UTF-8 blob with offsets, and the letter maps that let a term be tested on
all of them at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from services.index.search import alphabet
from services.index.search.maps import LetterMaps, build_maps

SHORT, LONG = 63, 255
"""Longest text of one machine word and of four; characters past the 255th cannot be found."""

Arrays = Mapping[str, NDArray]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Texts:
    """Unique texts, immutable. `blob`: uint8, UTF-8 end to end; `offsets`: int64, n + 1 byte offsets;
    `lengths`: uint16, in characters; `ascii`: bool; `short` and `long`: maps of the texts up to and over 63
    characters."""

    blob: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    lengths: NDArray[np.uint16]
    ascii: NDArray[np.bool_]
    short: LetterMaps
    long: LetterMaps

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
        starts = np.concatenate(([0], np.cumsum((blob & 0xC0) != 0x80)))[offsets]
        lengths = np.diff(starts)
        is_long = lengths > SHORT
        plain = lengths == np.diff(offsets)
        points = _points(blob)
        return cls(
            blob=blob,
            offsets=offsets,
            lengths=np.minimum(lengths, 65535).astype(np.uint16),
            ascii=plain,
            short=build_maps(points, starts, np.flatnonzero(~is_long)),
            long=build_maps(points, starts, np.flatnonzero(is_long), words=4),
        )

    @classmethod
    def from_arrays(cls, arrays: Arrays, prefix: str) -> Texts:
        """The column whose arrays `arrays()` named; memory-mapped ones stay so."""
        own = {name: arrays[f"{prefix}{name}"] for name in ("blob", "offsets", "lengths", "ascii")}
        short = LetterMaps.from_arrays(arrays, f"{prefix}short_")
        return cls(**own, short=short, long=LetterMaps.from_arrays(arrays, f"{prefix}long_"))

    def arrays(self, prefix: str) -> dict[str, NDArray]:
        """Every array by name, to be written and given to `from_arrays` again."""
        own = {name: getattr(self, name) for name in ("blob", "offsets", "lengths", "ascii")}
        named = {f"{prefix}{name}": array for name, array in own.items()}
        return named | self.short.arrays(f"{prefix}short_") | self.long.arrays(f"{prefix}long_")

    def __len__(self) -> int:
        return len(self.lengths)

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
        width = int(min(LONG, self.lengths[ids].max(initial=1))) or 1
        places = np.arange(width)
        inside = places < self.lengths[ids][:, None]
        raw = (
            self.blob[np.where(inside, self.offsets[ids][:, None] + places, 0)]
            if len(self.blob)
            else inside * 0
        )
        raw = np.where(raw < 128, raw, 0)
        points = np.where(inside, alphabet.ascii_folds()[raw], 0).astype(np.uint32)
        classes = np.where(inside, alphabet.ascii_classes()[raw], 0).astype(np.uint8)
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
