"""How likely a text is as language rather than as random characters: trigrams of identifiers, words and paths.

Letters are folded to lower case; where an identifier begins a new word (`apiKey`, `HTTPServer`, `utf8Text`) a boundary
stands before it, so that letters of changing case cost as many boundaries. Digits are one symbol, and so are the
separators of identifiers and paths, and all other punctuation. The table is made by `benchmarks.tables.language_table`.
"""

from __future__ import annotations

import functools
import zlib
from collections import Counter
from importlib import resources
from math import log2

from services.prompt.secrets.patterns import expression

TABLE = "likelihood.bin"
SYMBOLS = 30
"""26 letters, a digit, a separator, other punctuation, a boundary."""
STEP = 16
"""A byte of the table is a cost in this part of a bit."""
DIGIT, SEPARATOR, OTHER, BOUNDARY = 26, 27, 28, 29
_LONGEST = 512
_SEPARATORS = b"-_./: ,\\\t"
_DIGIT_BITS, _SEPARATOR_BITS, _OTHER_BITS = log2(10), log2(6), log2(24)
_WORD = expression(rb"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_MARK = b"\x01"
_ALPHABETS = (
    (expression(rb"[0-9]+"), 10),
    (expression(rb"[0-9a-f]+|[0-9A-F]+"), 16),
    (expression(rb"[a-z]+|[A-Z]+"), 26),
    (expression(rb"[a-z0-9]+|[A-Z0-9]+"), 36),
    (expression(rb"[A-Za-z]+"), 52),
    (expression(rb"[A-Za-z0-9]+"), 62),
    (expression(rb"[A-Za-z0-9+/=_-]+"), 65),
)
_PRINTABLE = 94


def _symbol(byte: int) -> int:
    letter = chr(byte)
    if byte == _MARK[0]:
        return BOUNDARY
    if byte < 128 and letter.isalpha():
        return ord(letter.lower()) - 97
    if 48 <= byte < 58:
        return DIGIT
    return SEPARATOR if byte in _SEPARATORS else OTHER


_TO_SYMBOLS = bytes(_symbol(byte) for byte in range(256))


def symbols_of(text: bytes) -> bytes:
    """Return the symbols of a text, without the separators at its ends."""
    return _WORD.sub(_MARK, text).translate(_TO_SYMBOLS)


def trigrams_of(text: bytes) -> list[int]:
    """The places in the table of a text's trigrams, the separators around it included."""
    around = bytes((SEPARATOR, SEPARATOR)) + symbols_of(text) + bytes((SEPARATOR,))
    triples = zip(around, around[1:], around[2:], strict=False)
    return [(one * SYMBOLS + two) * SYMBOLS + three for one, two, three in triples]


@functools.lru_cache(maxsize=8192)
def randomness(text: bytes) -> float:
    """Bits by which a text is likelier as random characters of the smallest alphabet that has them than as language:
    positive for most random texts of twelve characters and more, negative for words. Of a long text its beginning."""
    text = text[:_LONGEST]
    if not text:
        return 0.0
    table = _table()
    spelled = text.translate(_TO_SYMBOLS)
    language = sum([table[at] for at in trigrams_of(text)]) / STEP
    language += spelled.count(DIGIT) * _DIGIT_BITS
    language += spelled.count(SEPARATOR) * _SEPARATOR_BITS + spelled.count(OTHER) * _OTHER_BITS
    return language - len(text) * log2(_alphabet(text))


def _alphabet(text: bytes) -> int:
    return next((size for pattern, size in _ALPHABETS if pattern.fullmatch(text)), _PRINTABLE)


@functools.cache
def _table() -> bytes:
    return zlib.decompress(resources.files("services.prompt.secrets.judging").joinpath(TABLE).read_bytes())


def entropy(text: str) -> float:
    """Shannon's, in bits a character, of the characters of the text itself."""
    total = len(text)
    return -sum(count / total * log2(count / total) for count in Counter(text).values())
