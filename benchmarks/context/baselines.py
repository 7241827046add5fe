"""Baselines for FindContext over the same types: BM25, counting, chance."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from services.context.structure import Structure
from services.context.words import STOP_WORDS, humps, identifiers
from services.index.catalog.catalogue import Catalogue
from services.index.catalog.records import Records
from services.index.compiled import home_of
from services.model import TYPE_KINDS

_K1, _B = 1.2, 0.75
_LEAST_LETTERS = 4


class Sources:
    """Sources of all units, updated file by file."""

    def __init__(self) -> None:
        self._of_file: dict[int, list[tuple[int, str, Counter[str]]]] = {}
        self._numbering: object = None

    def update(self, catalogue: Catalogue, records: Records) -> None:
        """Reads what has changed."""
        if self._numbering is not catalogue.numbering:
            self._of_file, self._numbering = {}, catalogue.numbering
        live = {at for at, entry in enumerate(catalogue.files) if entry is not None and not entry.shadow}
        for gone in self._of_file.keys() - live:
            del self._of_file[gone]
        for file in live - self._of_file.keys():
            self._of_file[file] = list(_read(catalogue, records, file))

    def texts(self) -> dict[int, str]:
        """Return the text of each unit, all its parts, in lower case."""
        found: dict[int, str] = defaultdict(str)
        for parts in self._of_file.values():
            for unit, text, _ in parts:
                found[unit] += text
        return found

    def words(self) -> dict[int, Counter[str]]:
        """Return the words of each unit."""
        found: dict[int, Counter[str]] = defaultdict(Counter)
        for parts in self._of_file.values():
            for unit, _, words in parts:
                found[unit].update(words)
        return found


def _read(catalogue: Catalogue, records: Records, file: int) -> Iterable[tuple[int, str, Counter[str]]]:
    record, text = records.record(file), records.text(file)
    if record is None or text is None:
        return
    first = catalogue.file(file).rows[0]
    for at, declaration in enumerate(record.declarations):
        owner = catalogue.columns.owner[first + at]
        if declaration.parent < 0 and declaration.kind in TYPE_KINDS and owner >= 0:
            source = text[min(declaration.start, declaration.doc[0] or declaration.start) : declaration.end]
            told = source.decode("utf-8", "replace")
            yield home_of(catalogue, owner), told.lower(), Counter(words_of(told))


def words_of(text: str) -> Iterable[str]:
    """A textbook's words of source: identifiers, whole and hump by hump, in lower case."""
    for name in identifiers(text):
        parts = humps(name)
        yield name.lower()
        if len(parts) > 1:
            yield from (part.lower() for part in parts)


def bm25(words: dict[int, Counter[str]], asked: str) -> list[int]:
    """Units by Robertson's BM25 over their whole source."""
    having: dict[str, int] = Counter(word for bag in words.values() for word in bag)
    lengths = {unit: sum(bag.values()) for unit, bag in words.items()}
    mean = sum(lengths.values()) / max(1, len(lengths))
    scores: Counter[int] = Counter()
    query = set(words_of(asked)) & having.keys()
    for unit, bag in words.items():
        norm = _K1 * (1 - _B + _B * lengths[unit] / mean)
        score = sum(
            math.log(1 + (len(words) - having[word] + 0.5) / (having[word] + 0.5))
            * count
            * (_K1 + 1)
            / (count + norm)
            for word in query
            if (count := bag.get(word, 0))
        )
        if score:
            scores[unit] = score  # type: ignore[assignment]
    return [unit for unit, _ in scores.most_common()]


def counting(texts: dict[int, str], asked: str) -> list[int]:
    """Units as somebody with a grep ranks them: those that have most of the words, then most often."""
    names = {name.lower() for name in identifiers(asked)}
    wanted = [name for name in names if len(name) >= _LEAST_LETTERS and name not in STOP_WORDS]
    scores: dict[int, tuple[int, int]] = {}
    for unit, text in texts.items():
        counts = [text.count(word) for word in wanted]
        if any(counts):
            scores[unit] = (sum(map(bool, counts)), sum(counts))
    return sorted(scores, key=lambda unit: scores[unit], reverse=True)


def chance(structure: Structure, seed: str) -> list[int]:
    """Units in no order."""
    units = sorted(structure.units)
    random.Random(seed).shuffle(units)
    return units


def tests_last(ranking: Sequence[int], structure: Structure) -> list[int]:
    """Rank tests last, like FindContext, so that the baselines have that advantage too."""
    return [
        *(at for at in ranking if at not in structure.tests),
        *(at for at in ranking if at in structure.tests),
    ]


def without(ranking: Iterable[int], shown: Iterable[int]) -> list[int]:
    """A ranking without what is known already."""
    left_out = set(shown)
    return [unit for unit in ranking if unit not in left_out]
