"""Automaton of Wu and Manber for a term with typing errors, run over many texts at once, a character at a time.

Bit i of state e of a text means that the first i characters of the term have been read with e edits at most. An edit
is a missing, an extra or a wrong character, or two neighbours swapped (optimal string alignment)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from services.index.search.match.alphabet import CODES

LONGEST = 60
"""Characters of a term that there are bits for."""

Bits = NDArray[np.uint64]

_ONE = np.uint64(1)


class Automaton:
    """That of one term, given as codes of `LONGEST` characters at most."""

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
